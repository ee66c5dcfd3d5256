"""Files and folders that are written whole or not at all, and what may be written where."""
