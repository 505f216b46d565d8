"""The prompts of each stage, as package data, and their loader."""
