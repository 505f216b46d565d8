"""Text in a paper's source addressed to a language model: its wording, and where it is hidden."""
