"""What a change affects, and why."""
