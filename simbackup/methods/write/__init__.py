"""Programs that write a data set, or copy one onto another."""
