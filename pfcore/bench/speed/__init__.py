"""How fast, and at what price: scripts that print ratios."""
