"""Which papers a snapshot has, and their parsed files, cached."""
