"""Rows of a benchmark, readings of them, and their cost; users fetch the data themselves."""
