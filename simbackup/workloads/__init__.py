"""Workloads: who uses data and links while jobs run."""
