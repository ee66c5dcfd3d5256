"""Lists of systems that other programs wrote, read into tables with a name and a size in each row."""
