"""Environments, headings, titles, proofs: what stands where."""
