"""LaTeX text to proof modules: a scanner that never fails and keeps every offset."""
