"""Dumps, hot copies, snapshot copies and logs of a database, and the restores."""
