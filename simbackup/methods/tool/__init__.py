"""Backup programs: what they add to the copying, and to a group of save sets."""
