"""What a run gave: tables, comparison with measurements."""
