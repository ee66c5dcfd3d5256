"""Hosts: computers with their page caches."""
