"""Queues in which jobs wait for their turn."""
