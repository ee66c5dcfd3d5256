"""Measurements of the program itself: how fast it is, and what it makes of files that are wrong."""
