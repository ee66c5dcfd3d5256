"""A device and a method for simbackup, with a datasheet and a scenario of their own."""
