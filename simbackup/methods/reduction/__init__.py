"""How a program makes a save set smaller: it compresses bytes, and stores only chunks that the store does not have."""
