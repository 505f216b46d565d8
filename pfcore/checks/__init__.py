"""Findings without a model: certain, fast, keyless."""
