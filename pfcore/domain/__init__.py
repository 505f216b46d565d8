"""The values that the whole program shares, with their digests, errors and settings."""
