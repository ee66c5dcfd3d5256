"""What an operator asks for, and the catalogue of what was saved."""
