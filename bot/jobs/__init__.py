"""The App's work on events, step by step, so that a crash loses only seconds of it."""
