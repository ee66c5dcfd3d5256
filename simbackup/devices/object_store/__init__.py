"""Object stores: buckets that requests over connections write and read."""
