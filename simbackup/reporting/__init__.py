"""A report: results told on one page that stands alone, and their tables as files beside it."""
