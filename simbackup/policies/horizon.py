"""How far plans go unless something else is said."""

HORIZON = "3y"
"""Time from the start of a site to the end of its plan, as `--until` takes it."""
