"""Measurements: how fast, how much, how exact; scripts that print tables, and no tests."""
