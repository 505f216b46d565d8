"""Words in a paper's source that speak to a language model: how they are put, where they hide."""
