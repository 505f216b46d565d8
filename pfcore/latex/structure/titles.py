"""What stands right after `\\begin{lemma}`: title, label, and where the statement begins."""

import re
from typing import NamedTuple

from pfcore.domain.values import Role
from pfcore.latex import tagged
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.project.declarations import option
from pfcore.latex.project.kinds import role_of
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure import headings, unmarked_proofs
from pfcore.latex.structure.tree import Node

_KEY_VALUE = re.compile(
    r"^\s*(?:name|label|title|note|store\*?|restate|short[ -]?title|manual-num|seq|continues)\s*="
)
_AT_END = re.compile(
    r"\s*(?:normal|(?:all |no )?(?:end|link|restate)|restate|both|see full proof|proof (?:end|here)"
    r"|category\s*=[^,]*|text [a-z ]+=[^,]*)\s*(?:,.*)?",
    re.DOTALL,
)
"""Options of a statement whose proof stands at the end (package proof-at-the-end)."""

_FORMULA = re.compile(r"\$|\\\(|\\ensuremath")
_LONGEST = 2_000
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
REFERENCE = re.compile(r"\\(?:[A-Za-z]*[Rr]ef|hyperref)\*?\s*[\[{]\s*([^\]\[{}]*?)\s*[\]}]")
"""A reference in a title, with its keys."""


class BlockHead(NamedTuple):
    """The head of a block; `kind` is set where the head names it (restatable).

    `again` is the command that says the statement again, without its backslash; `number` is that
    of a heading in words.
    """

    title: str
    title_span: tuple[int, int] | None
    labels: tuple[str, ...]
    kind: str
    content: int
    again: str = ""
    number: str = ""


def read_heading(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    """Read the head of a statement or proof."""
    if node.name in unmarked_proofs.NAMES:
        return BlockHead(_plain(node.title), None, (), "", min(node.content, node.inner_end))
    if node.name == headings.NAME:
        kind, _, number = node.title.partition(" ")
        return BlockHead("", None, (), kind, node.content, number=number)
    if tagged.is_tagged(node.name):
        return _tagged(node)
    if node.env.rstrip("*") in ("restatable", "thmrestate"):
        return _restatable(node, groups, syntax)
    if node.env.rstrip("*") == "theoremEnd":
        return _at_end(node, groups, syntax)
    declared = syntax.theorems.get(node.env)
    if declared and declared.takes == "braces":
        return _boxed(node, groups, declared.prefix)
    position = node.content
    again = ""
    labels: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    bracket = _bracket(groups, position)
    if bracket:
        position = bracket[1] + 1
        span, labels = _options(groups.text, bracket)
        again = _restated(groups.text[slice(*bracket)])
        position = _past_options(node, groups, position)
    for _ in range(syntax.arguments.get(node.name, 0)):
        argument = groups.braces(position)
        if not argument:
            break
        position = argument[1] + 1
        span = span or argument
    content = min(position, node.inner_end)
    title = _begun(node, groups, syntax) or _title(groups.text, span) or _plain(node.title)
    return BlockHead(title, span, labels, "", content, again)


def _past_options(node: Node, groups: Groups, position: int) -> int:
    """Behind the options that follow a title where the proof stands at the end."""
    more = _bracket(groups, position) if node.env != node.name else None
    return more[1] + 1 if more and _AT_END.fullmatch(groups.text, *more) else position


def _begun(node: Node, groups: Groups, syntax: Syntax) -> str:
    """The title that the definition of an environment gives to the proof which it begins."""
    macro = syntax.titles.get(node.name)
    found = macros.arguments(macro, groups, node.content) if macro else None
    if macro is None or found is None:
        return ""
    values = [macros.NO_VALUE if span is None else groups.text[slice(*span)] for span in found[0]]
    return _plain(macros.filled(macro, macro.body, values, _LONGEST) or "")


def _tagged(node: Node) -> BlockHead:
    labels = (node.title,) if node.title else ()
    number, kind = tagged.number(node.title), tagged.kind(node.name)
    return BlockHead("", None, labels, kind, node.content, number=number)


def _restated(inside: str) -> str:
    """The command that thmtools makes: `[restate=gold]`."""
    return option(inside, "restate") if _KEY_VALUE.match(inside) else ""


def _bracket(groups: Groups, position: int) -> tuple[int, int] | None:
    found = groups.brackets(position)
    return found if found and "\n\n" not in groups.text[position : found[0]] else None


def _options(text: str, span: tuple[int, int]) -> tuple[tuple[int, int] | None, tuple[str, ...]]:
    """A plain title, or thmtools' `name=…, label=…`."""
    inside = text[slice(*span)]
    if not _KEY_VALUE.match(inside):
        return span, ()
    label = option(inside, "label")
    for key in ("name", "title", "note"):
        name = option(inside, key)
        if name:
            start = span[0] + inside.index(name)
            return (start, start + len(name)), (label,) if label else ()
    return None, (label,) if label else ()


def _boxed(node: Node, groups: Groups, prefix: str) -> BlockHead:
    """tcolorbox: `[options]{title}{label}`; the label gets the declared prefix and a colon."""
    position = node.content
    bracket = groups.brackets(position)
    title = groups.braces(bracket[1] + 1 if bracket else position)
    label = groups.braces(title[1] + 1) if title else None
    if not title:
        return BlockHead("", None, (), "", position)
    key = groups.text[slice(*label)].strip() if label else ""
    labels = (f"{prefix}:{key}" if prefix else key,) if key else ()
    end = (label or title)[1] + 1
    return BlockHead(_title(groups.text, title), title, labels, "", min(end, node.inner_end))


def _restatable(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    bracket = _bracket(groups, node.content)
    env = groups.braces(bracket[1] + 1 if bracket else node.content)
    macro = groups.braces(env[1] + 1) if env else None
    if not env:
        return BlockHead("", None, (), "", node.content)
    span, labels = _options(groups.text, bracket) if bracket else (None, ())
    name = groups.text[slice(*env)].strip()
    kind = syntax.kinds.get(syntax.environment(name), name)
    end = min((macro or env)[1] + 1, node.inner_end)
    again = groups.text[slice(*macro)].strip() if macro else ""
    return BlockHead(_title(groups.text, span), span, labels, kind, end, again)


def _at_end(node: Node, groups: Groups, syntax: Syntax) -> BlockHead:
    """`[options]{lemma}[title]`, of the package proof-at-the-end."""
    options = _bracket(groups, node.content)
    env = groups.braces(options[1] + 1 if options else node.content)
    if not env:
        return BlockHead("", None, (), "", node.content)
    bracket = _bracket(groups, env[1] + 1)
    span, labels = _options(groups.text, bracket) if bracket else (None, ())
    name = groups.text[slice(*env)].strip()
    kind = syntax.kinds.get(syntax.environment(name), name)
    end = min((bracket or env)[1] + 1, node.inner_end)
    return BlockHead(_title(groups.text, span), span, labels, kind, end)


def _title(text: str, span: tuple[int, int] | None) -> str:
    return _plain(text[slice(*span)]) if span else ""


def _plain(title: str) -> str:
    return " ".join(_LABEL.sub("", title).split())


def is_name(title: str, kind: str) -> bool:
    """Whether the title of a result is a name or an attribution, and says nothing more.

    A formula may be a hypothesis, and a reference leads somewhere.
    """
    is_result = role_of(kind) in (Role.RESULT, Role.OPEN)
    return is_result and not _FORMULA.search(title) and not labels_in(title)


def with_name(text: str, title: str, kind: str) -> str:
    """A text with the name that it leaves out: the words of a name use terms, too."""
    return f"({title}) {text}" if title and is_name(title, kind) else text


def labels_in(title: str) -> tuple[str, ...]:
    """The labels that a title refers to, as in `[Proof of \\cref{x}]`."""
    return tuple(REFERENCE.findall(title))
