"""The content of each block: canonical text, labels, nested claims."""
