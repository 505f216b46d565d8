"""From a result to checks, comments and a summary."""
