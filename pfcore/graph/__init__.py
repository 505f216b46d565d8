"""The proof document: the modules of a paper, their dependency graph and scope forest."""
