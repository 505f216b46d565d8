"""Rows of a benchmark, readings of them, and what these take; the data are the user's to fetch."""
