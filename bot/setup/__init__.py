"""How the App comes to be: registered on GitHub from a manifest, its secrets kept in a file."""
