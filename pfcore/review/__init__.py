"""From replies to findings: entries of modules, what is known of them, and their objections."""
