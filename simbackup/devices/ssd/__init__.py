"""Solid-state disks."""
