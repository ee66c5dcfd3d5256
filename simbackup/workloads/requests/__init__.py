"""Applications whose requests cross links."""
