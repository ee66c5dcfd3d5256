"""Jobs on save sets: copies to other devices, synthetic full backups and merges."""
