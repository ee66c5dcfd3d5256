"""What a system is made of, as plain data that can be drawn and saved."""
