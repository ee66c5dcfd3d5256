"""Block volumes of a cloud."""
