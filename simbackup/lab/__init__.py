"""A lab of real programs: seeded data, measured runs, and what they say about the programs."""
