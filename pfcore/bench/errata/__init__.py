"""Real corrections of real proofs: a reader sees each before, after, and as it stands now."""
