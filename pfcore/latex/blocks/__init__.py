"""What each block says: canonical text, labels, nested claims."""
