"""Real corrections of real proofs: a reader sees each result before, after, and as it is now."""
