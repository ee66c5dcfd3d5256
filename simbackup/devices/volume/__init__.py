"""Logical volumes."""
