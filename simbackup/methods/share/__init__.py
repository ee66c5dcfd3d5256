"""Shares: files that one host reads or makes on another, over NFS or SMB."""
