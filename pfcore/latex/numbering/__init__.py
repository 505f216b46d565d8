"""The numbers that LaTeX prints: from an .aux file, or by doing what LaTeX does to counters."""
