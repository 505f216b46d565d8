"""Actions and how they are run: keys, single flight, limits, budget. No I/O, no mathematics."""
