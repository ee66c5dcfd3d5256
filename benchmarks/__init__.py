"""Measurements of the program itself: its speed, and its handling of wrong files."""
