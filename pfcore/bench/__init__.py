"""Measurements of speed, size and accuracy: scripts that print tables, and not tests."""
