"""Options to a typed value, one core call, output."""
