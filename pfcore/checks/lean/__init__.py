"""Lean files by a plain scan: their declarations, the names these make, what they suppose."""
