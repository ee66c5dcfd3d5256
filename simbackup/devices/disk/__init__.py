"""Rotating disks."""
