"""Reports: results on one self-contained page, and their tables as files."""
