"""The commands of pf, one file a family."""
