"""Frozen images: they are created, removed, synchronised, and backups that are one are restored from."""
