"""Output of measuring tools, read into datasheets: one module for each tool, which recognises its output by content."""
