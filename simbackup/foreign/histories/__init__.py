"""Histories of backup jobs: reports of backup programs, read into one neutral table, `jobs.csv`."""
