"""Closed scalar formulas in a LaTeX source: found, read strictly, evaluated."""
