"""Pseudo-formal markup: tagged proofs, written by authors or by the translate stage."""
