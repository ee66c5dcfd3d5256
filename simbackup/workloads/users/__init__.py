"""Users who go on working on a data set."""
