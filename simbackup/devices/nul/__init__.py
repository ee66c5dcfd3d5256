"""A device that keeps nothing."""
