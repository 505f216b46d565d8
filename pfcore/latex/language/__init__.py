"""The words around mathematics: references, conventions, hypotheses, terms."""
