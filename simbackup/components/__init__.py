"""Things that take time: hosts, disks, snapshots, tape libraries."""
