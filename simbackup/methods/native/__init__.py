"""Backup and restore by a database's own server."""
