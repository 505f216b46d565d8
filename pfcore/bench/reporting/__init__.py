"""Saved runs of benchmarks as curves, tables and one page."""
