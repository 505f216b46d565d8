"""Answers recorded by others, run through our parsers, quotes, places, clusters and votes."""
