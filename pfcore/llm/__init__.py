"""Asking a model: a small protocol, and the adapters behind it."""
