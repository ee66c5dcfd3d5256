"""Files and folders that are written completely or not at all, and rules on what may be written where."""
