"""Redirect-on-write volumes, their snapshots and clones."""
