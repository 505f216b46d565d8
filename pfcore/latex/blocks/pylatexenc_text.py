"""LaTeX to plain text by pylatexenc. Slow to load: only `plain_text` imports it, when needed."""

import logging
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from pylatexenc import latex2text, latexwalker, macrospec

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer import commands

# Besides its own errors, pylatexenc raises these if an argument is missing or nested too deeply.
_ERRORS = (
    latexwalker.LatexWalkerError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
)
# The spaces of LaTeX in text; in formulas those of the source.
_SPACES = {
    "between-macro-and-chars": True,
    "between-latex-constructs": True,
    "after-comment": True,
    "in-equations": {"between-latex-constructs": True},
}
_SIMPLE = regex(r".|\w+|\([^()]*\)|")
_FRACTIONS = "frac dfrac tfrac cfrac".split()
# Standard commands that pylatexenc does not know.
_SYMBOLS = {
    "land": "∧", "lor": "∨", "lnot": "¬", "bot": "⊥", "models": "⊨", "ne": "≠", "|": "‖",
    "gets": "←", "implies": "⟹", "iff": "⟺", "leadsto": "⇝", "colon": ":", "coloneqq": "≔",
    "gcd": "gcd",
}  # fmt: skip
_DROPPED = """displaystyle textstyle scriptstyle scriptscriptstyle big Big bigg Bigg bigl bigr Bigl
    Bigr biggl biggr Biggl Biggr bf it rm sf tt sc limits nolimits leanok mathlibok notready
    """.split()
_DROPPED_WITH_ARGUMENT = "label lean uses proves discussion phantom hphantom vphantom color".split()
_SHOWN = """operatorname boldsymbol mathord mathbin mathrel mathopen mathclose texttt textnormal
    """.split()

Node = Any
"""A node of pylatexenc, which has no types; None stands for a missing argument."""


def convert(snippet: str) -> str | None:
    """One line of text, or None if pylatexenc cannot read the snippet."""
    # Its warnings about a paper's LaTeX are useless here.
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    grammar, words = _vocabulary()
    reader = _PlainTextConverter(latex_context=words, strict_latex_spaces=_SPACES)
    try:
        text: str = reader.latex_to_text(snippet, latex_context=grammar, tolerant_parsing=False)
    except _ERRORS:
        return None
    return " ".join(text.split())


class _PlainTextConverter(latex2text.LatexNodes2Text):  # type: ignore[misc]  # pylatexenc has no types
    """Keeps unknown macros as they were written, and brackets around long scripts."""

    def nodelist_to_text(self, nodelist: Iterable[Node]) -> str:
        text: str = super().nodelist_to_text(list(self._rewritten(nodelist)))
        return text

    def _rewritten(self, nodelist: Iterable[Node]) -> Iterator[Node]:
        previous = None
        for node in nodelist:
            if self._is_unknown(node):
                yield latexwalker.LatexCharsNode(node.latex_verbatim())
            elif self._is_unknown(previous) and _is_group(node):
                yield latexwalker.LatexCharsNode(node.latex_verbatim())
                continue  # the next group also belongs to the macro
            elif _is_script(previous) and _is_group(node):
                text = self.nodelist_to_text(node.nodelist)
                yield latexwalker.LatexCharsNode(bracketed(text))
            else:
                yield node
            previous = node

    def _is_unknown(self, node: Node) -> bool:
        is_macro = node is not None and node.isNodeType(latexwalker.LatexMacroNode)
        return is_macro and self.latex_context.get_macro_spec(node.macroname) is None


def _is_group(node: Node) -> bool:
    return node is not None and node.isNodeType(latexwalker.LatexGroupNode)


def _is_script(node: Node) -> bool:
    is_text = node is not None and node.isNodeType(latexwalker.LatexCharsNode)
    return is_text and node.chars.endswith(("^", "_"))


def bracketed(text: str) -> str:
    """A text in brackets, unless it is a single word or already has brackets."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _fraction(node: Node, l2tobj: _PlainTextConverter) -> str:
    parts = (l2tobj.nodelist_to_text([part]) for part in node.nodeargd.argnlist)
    return "/".join(map(bracketed, parts))


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[Any, Any]:
    """The tables of arguments and texts of pylatexenc, extended by the commands known here."""
    grammar = latexwalker.get_default_latex_context_db()
    words = latex2text.get_default_latex_context_db()
    listed = dict(_commands())
    macros = [macrospec.MacroSpec(name, arguments) for name, (arguments, _) in listed.items()]
    texts = [
        latex2text.MacroTextSpec(name, simplify_repl=text, discard=True)
        for name, (_, text) in listed.items()
    ]
    grammar.add_context_category("paper", macros=macros, prepend=True)
    words.add_context_category("paper", macros=texts, prepend=True)
    return grammar, words


def _commands() -> Iterator[tuple[str, tuple[str, Any]]]:
    """Commands with their arguments, in pylatexenc's notation, and their texts."""
    yield from ((name, ("{" * count, "")) for name, count in commands.SILENT.items())
    yield from ((name, ("", "")) for name in _DROPPED)
    yield from ((name, ("{", "")) for name in _DROPPED_WITH_ARGUMENT)
    yield from ((name, ("[{", "")) for name in ("footnote", "thanks"))
    yield from ((name, ("", text)) for name, text in _SYMBOLS.items())
    yield from ((name, ("*{", "%(2)s")) for name in _SHOWN)
    yield from ((name, ("*[{", "%(3)s")) for name in commands.REFERENCES)
    yield from ((name, ("*{{", "%(2)s–%(3)s")) for name in commands.RANGES)
    yield from ((name, ("*[[{", "[%(4)s]")) for name in commands.CITES)
    yield from ((name, ("{{", _fraction)) for name in _FRACTIONS)
    yield "eqref", ("*{", "(%(2)s)")
    yield "hyperref", ("[{", "%(2)s")
    yield "href", ("{{", "%(2)s")
