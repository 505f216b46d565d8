"""What one macro is and takes, what it leads to, where its definition holds."""
