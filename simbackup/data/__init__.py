"""Data sets, their file systems and database engines."""
