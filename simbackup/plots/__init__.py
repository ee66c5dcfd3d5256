"""Pictures of results, each a figure of its own that no other picture shares; they need matplotlib."""
