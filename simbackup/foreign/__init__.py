"""What other programs wrote: the output of measuring tools, and histories of backup jobs."""
