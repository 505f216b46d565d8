"""Turns a result into checks, comments and a summary."""
