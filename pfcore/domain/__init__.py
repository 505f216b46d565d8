"""The values everyone speaks of: their digests, errors and settings."""
