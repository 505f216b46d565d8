"""Recorded answers of others, put through our parsers, quotes, places, clusters and votes."""
