"""Commands of a Lean file, found by a plain scan: the declarations, by full names and texts.

An approximation: what macros make is not found. Who asks for a declaration must be able to live
without an answer.
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
    "|Statement"  # of a game for Lean 4: a theorem in the namespace of its level
)
_ENDS = (
    "namespace|section|mutual|end|open|variable|universe|set_option|attribute|example|macro|"
    "declare_syntax_cat|binder_predicate|deriving|unseal|seal|assert_not_exists|"
    "macro_rules|notation|notation3|infix|infixl|infixr|prefix|postfix|syntax|elab|elab_rules|"
    "simproc|initialize|include|omit|export|import|run_cmd|suppress_compilation"
)
_COMMAND = regex(
    rf"^(?P<indent>[ \t]*+)(?P<head>{_ATTRIBUTES}{_MODIFIERS})"
    rf"(?:(?P<word>{_DECLARES}|{_ENDS})(?![\w.'])|(?=[@#]))",
    re.MULTILINE,
)
_WITHIN = regex(
    r"^([ \t]*+(?:open|set_option|omit|include|variable|attribute|unseal)\b[^\n]{0,400}?\bin)[ \t]+"
    rf"(?=@\[|{_MODIFIERS}(?:{_DECLARES})\b|(?:open|set_option|omit|include|variable)\b)",
    re.MULTILINE,
)
_PART = regex(r"«[^»]*»|[^.«»]+")
_NAME = regex(
    r"\s*(?:inductive\s+)?(?:\(\s*priority[^()\n]*\)\s*)?((?:«[^»\n]*»|[^\s(){}\[\]:=|⟨⟩,;\"«»])*)"
)
_DECLARING = frozenset(_DECLARES.split("|"))
_SCOPES = frozenset({"namespace", "section", "mutual", "end"})
_DEEPEST = 64
_MOST_VARIABLES = 100
_MOST_WITHIN = 8
_PASSING = regex(r"\bin\s*\Z")


class LeanCommand(NamedTuple):
    """A command: its first word, what stands before that, and its name, if it has one.

    `body` is what stands behind the name, with its lines; `scopes` are the parts of the namespaces
    that are open, `variables` the bodies of the `variable` commands that hold.
    """

    word: str
    head: str
    name: str
    body: str
    scopes: tuple[str, ...]
    variables: tuple[str, ...]
    text: str

    @property
    def is_declaration(self) -> bool:
        """Whether it declares something, by a name or without."""
        return self.word in _DECLARING

    def full(self, name: str) -> str:
        """A name that stands here, with the namespaces."""
        if name.startswith("_root_."):
            return name.removeprefix("_root_.")
        return ".".join([*self.scopes, name])


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
    return [
        Declaration(found.full(found.name), found.text)
        for found in commands(text)
        if found.is_declaration and found.name
    ]


class _OpenScope(NamedTuple):
    """A namespace by one part of its name, or a section, which has none here."""

    name: str
    variables: list[str]


def commands(text: str) -> Iterator[LeanCommand]:
    """The commands of a file, in their order."""
    code = without_comments(text)
    found = list(_COMMAND.finditer(code))
    scopes = [_OpenScope("", [])]
    passing: list[str] = []
    for command, end in zip(found, _ends(found, len(code)), strict=True):
        named = _NAME.match(code, command.end())
        word = command["word"] or ""
        name = named[1].rstrip(".") if named and word else ""
        if word in _SCOPES and named and "\n" in code[command.end() : named.start(1)]:
            name = ""
        body = code[named.start(1) + len(name) if named and name else command.end() : end]
        if len(scopes) <= _DEEPEST:
            held = [item for scope in scopes for item in scope.variables]
            yield LeanCommand(
                word=word,
                head=command["head"],
                name=name,
                body=body,
                scopes=tuple(scope.name for scope in scopes if scope.name),
                variables=(*held, *passing)[-_MOST_VARIABLES:],
                text=" ".join(code[command.start() : end].split()) if word in _DECLARING else "",
            )
        if word == "variable":
            all_of_it = code[command.end() : end]
            is_passing = bool(_PASSING.search(all_of_it))
            kept = passing if is_passing else scopes[-1].variables
            kept.append(all_of_it)
            del kept[:-_MOST_VARIABLES]
        elif word in _DECLARING or word == "example":
            passing = []
        else:
            _enter_or_leave(scopes, word, name)


def without_comments(text: str) -> str:
    """A text without comments, each string and each `open ... in` on lines of their own."""
    code = "".join(_code(text))
    for _ in range(_MOST_WITHIN):
        code, number = _WITHIN.subn(r"\1\n", code)
        if not number:
            break
    return code


def parts(name: str) -> list[str]:
    """The parts of a name between its dots: a dot in French quotation marks is none."""
    return _PART.findall(name)


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


def _enter_or_leave(scopes: list[_OpenScope], word: str, name: str) -> None:
    """Follow `namespace`, `section`, `mutual` and `end`; each part of a name is a scope."""
    if word == "namespace":
        scopes += [_OpenScope(part, []) for part in parts(name)]
    elif word in ("section", "mutual"):
        scopes += [_OpenScope("", []) for _ in parts(name) or [""]]
    elif word == "end" and len(scopes) > 1 and (name or not scopes[-1].name):
        # An `end` without a name ends a section without one; in Lean 3 it also ends a proof.
        del scopes[max(1, len(scopes) - max(1, len(parts(name)))) :]
