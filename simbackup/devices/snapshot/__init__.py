"""Copy-on-write snapshots of volumes, and checkpoints of file systems."""
