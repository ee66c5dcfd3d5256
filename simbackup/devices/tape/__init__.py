"""Tape libraries with drives, robots and cartridges."""
