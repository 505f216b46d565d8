"""Macros: their definitions and arguments, the commands they lead to, where they are valid."""
