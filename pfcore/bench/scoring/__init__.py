"""How well a verifier finds errors that are known: counts, measures, curves over k."""
