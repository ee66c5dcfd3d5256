"""Cited arithmetic in SI units: no clock, no files."""
