"""The commands of pf bench."""
