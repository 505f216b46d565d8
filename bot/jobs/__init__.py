"""What the App does with what it is told, step by step: a crash loses seconds of it."""
