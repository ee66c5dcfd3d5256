"""Networks and buses, and the queues of their adapters."""
