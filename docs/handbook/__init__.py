"""Pages of the handbook that are made when it is built, and the extension of Sphinx that does it."""
