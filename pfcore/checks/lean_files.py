"""Declarations of a Lean file, found by a plain scan: their full names and texts.

An approximation: what macros and attributes such as `to_additive` make is not found. Who asks
for a declaration must be able to live without an answer.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_SKIPPED = regex(r"""--[^\n]*|/-|"(?:[^"\\]|\\.)*"?|'\\?"'""", re.DOTALL)
_COMMENT = regex(r"/-|-/")
_STRING = regex(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_OPEN = regex(r"(?<![\w.])sorry(?![\w'.])")
_ATTRIBUTES = r"(?:@\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*+){0,8}+"
_MODIFIERS = (
    r"(?:(?:private|protected|public|noncomputable|nonrec|partial|unsafe|meta|local|scoped)\s++)"
    r"{0,8}+"
)
_DECLARES = (
    "theorem|lemma|def|abbrev|structure|class|inductive|axiom|opaque|instance|irreducible_def|alias"
)
_ENDS = (
    "namespace|section|mutual|end|open|variable|universe|set_option|attribute|example|macro|"
    "macro_rules|notation|notation3|infix|infixl|infixr|prefix|postfix|syntax|elab|elab_rules|"
    "simproc|initialize|include|omit|export|import|run_cmd|suppress_compilation"
)
_COMMAND = regex(
    rf"^(?P<indent>[ \t]*+)(?P<head>{_ATTRIBUTES}{_MODIFIERS})"
    rf"(?:(?P<word>{_DECLARES}|{_ENDS})(?![\w.'])|(?=[@#]))",
    re.MULTILINE,
)
_NAME = regex(
    r"\s*(?:inductive\s+)?(?:\(\s*priority[^()\n]*\)\s*)?((?:«[^»\n]*»|[^\s(){}\[\]:=|⟨⟩,;\"«»])*)"
)
_DECLARING = frozenset(_DECLARES.split("|"))
_DEEPEST = 64


class Declaration(NamedTuple):
    """A declaration by its full name; its text without comments, white space folded."""

    name: str
    text: str

    @property
    def is_open(self) -> bool:
        """Whether `sorry` stands in its place of a proof."""
        return bool(_OPEN.search(_STRING.sub('""', self.text)))


def declarations(text: str) -> list[Declaration]:
    """The named declarations of a file, in their order."""
    code = "".join(_code(text))
    commands = list(_COMMAND.finditer(code))
    ends = _ends(commands, len(code))
    scopes: list[str] = []
    found: list[Declaration] = []
    for command, end in zip(commands, ends, strict=True):
        named = _NAME.match(code, command.end())
        name = named[1].rstrip(".") if named and command["word"] else ""
        if command["word"] in _DECLARING:
            if name and len(scopes) < _DEEPEST:
                folded = " ".join(code[command.start() : end].split())
                found.append(Declaration(_full(scopes, name), folded))
        else:
            _enter_or_leave(scopes, command["word"], name)
    return found


def _code(text: str) -> Iterator[str]:
    """The pieces of a text, each comment as a space, each string on one line."""
    done = position = 0
    while match := _SKIPPED.search(text, position):
        is_block = match[0] == "/-"
        position = _behind(text, match.end()) if is_block else match.end()
        yield text[done : match.start()]
        is_comment = is_block or match[0].startswith("--")
        yield " " if is_comment else match[0].replace("\n", " ")
        done = position
    yield text[done:]


def _behind(text: str, position: int) -> int:
    """Where the comment ends that is open at a position; comments nest."""
    depth = 1
    for match in _COMMENT.finditer(text, position):
        depth += 1 if match[0] == "/-" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _ends(commands: list[re.Match[str]], length: int) -> list[int]:
    """Where each command ends: at the next one that is not indented further."""
    ends = [length] * len(commands)
    waiting: list[int] = []
    for number, command in enumerate(commands):
        while waiting and len(commands[waiting[-1]]["indent"]) >= len(command["indent"]):
            ends[waiting.pop()] = command.start()
        waiting.append(number)
    return ends


def _full(scopes: list[str], name: str) -> str:
    if name.startswith("_root_."):
        return name.removeprefix("_root_.")
    return ".".join([*filter(None, scopes), name])


def _enter_or_leave(scopes: list[str], word: str | None, name: str) -> None:
    """Follow `namespace`, `section`, `mutual` and `end`; only a namespace has a name here."""
    if word == "namespace":
        scopes.append(name)
    elif word in ("section", "mutual"):
        scopes.append("")
    elif word == "end" and scopes:
        left = scopes.pop()
        while left and scopes and left != name and name.endswith(f".{left}"):
            left = f"{scopes.pop()}.{left}"
