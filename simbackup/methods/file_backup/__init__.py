"""Image and file-level backup to tape or disk, and the restores."""
