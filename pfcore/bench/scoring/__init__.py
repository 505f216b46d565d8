"""How well a verifier finds known errors: counts, measures, curves over k."""
