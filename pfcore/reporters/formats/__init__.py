"""A report for other programs: JSON, SARIF, lines, markdown."""
