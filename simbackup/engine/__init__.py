"""Flows, fair sharing, randomness and the trace: nothing of backup."""
