"""Stages: from a request to a key to a raw reply to a parsed value."""
