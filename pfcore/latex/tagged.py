"""Texts between tags that say what they are, as a markup has them: they stand for environments."""

_MARK = "<"
"""Begins the name of such an environment; no name in LaTeX begins so."""


def environment(tag: str) -> str:
    """The name of the environment that a tag stands for."""
    return f"{_MARK}{tag}>"


def is_tagged(env: str) -> bool:
    """Whether an environment is a text between tags."""
    return env.startswith(_MARK)


def is_proof(env: str) -> bool:
    """Whether an environment is a proof between tags."""
    return env.startswith(_MARK) and env.endswith("_PROOF>")


def kind(env: str) -> str:
    """Like theorem, of a tag that holds a statement."""
    return env[len(_MARK) :].partition("_")[0].lower()


def number(label: str) -> str:
    """The number that a label says: 1.2 of `lem:1.2`, "" of `thm`."""
    return label.partition(":")[2]
