"""The review of a stranger's paper, bounded."""
