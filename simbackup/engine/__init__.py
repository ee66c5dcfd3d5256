"""Flows that share links fairly, buffers between them, and random numbers: nothing of backup."""
