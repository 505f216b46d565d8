"""The pre-commit entry points."""
