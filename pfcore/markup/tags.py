"""What the rest of the core knows of PF markup without reading any: every command loads it."""

SUFFIX = ".pf"
"""Ends the names of files in PF markup."""
KIND = "proof in modules"
"""The class of such a file."""
PREFIX = "pf-"
"""Begins the codes of problems with their form."""


def is_markup(path: str) -> bool:
    """Whether a file is a paper in PF markup."""
    return path.endswith(SUFFIX)
