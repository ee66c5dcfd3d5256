"""Restores of what a backup saved."""
