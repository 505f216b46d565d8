"""The commands: each turns its options into a value, calls the core once, and prints."""
