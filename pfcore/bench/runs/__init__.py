"""The benchmarks' own data files to typed rows; the data themselves are the user's to fetch."""
