"""How well the front end reads real papers: scripts that print rates."""
