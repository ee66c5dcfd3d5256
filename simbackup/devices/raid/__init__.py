"""Arrays of equal disks."""
