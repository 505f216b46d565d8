"""Characters: comments masked, braces matched, commands and their arguments, white space."""
