"""A plain scan of Lean files: their declarations, the names these make, their hypotheses."""
