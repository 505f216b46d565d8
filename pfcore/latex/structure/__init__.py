"""The structure of a file: its environments, headings, titles and proofs."""
