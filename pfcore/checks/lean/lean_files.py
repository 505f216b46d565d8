"""Commands of a Lean file, found by a plain scan: the declarations, by full names and texts.

An approximation: declarations made by macros are not found, so a missing one proves nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_SKIPPED = regex(r"""--[^\n]*|/-|"(?:[^"\\]|\\.)*"?|'\\?"'""", re.DOTALL)
_SIGN = regex(r"[^\n]")
_COMMENT = regex(r"/-|-/")
_STRING = regex(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_OPEN = {
    "sorry": regex(r"(?<![\w.])sorry(?:Ax)?(?![\w'.])"),
    "admit": regex(r"(?<![\w.])admit(?=\s*(?:[);⟩,}\]|·]|<;>|\n|\Z))"),
}
_STOPPED = regex(r"(?:^|·|;)[ \t]*+stop[ \t]*+$", re.MULTILINE)
"""A tactic that skips everything after it, like `sorry`."""
_MAY_LACK = regex(r"\b(?:sorry|sorryAx|admit|stop|axiom|opaque)\b")
_PROVING = frozenset({"theorem", "lemma", "instance"})
_IN_BRACKETS = regex(r"[(\[{⦃⟨][^()\[\]{}⦃⦄⟨⟩]*[)\]}⦄⟩]")
_MOST_NESTED = 8
_ATTRIBUTES = r"(?:@\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*+){0,8}+"
_MODIFIERS = (
    r"(?:(?:private|protected|public|noncomputable|nonrec|partial|unsafe|meta|local|scoped)\s++)"
    r"{0,8}+"
)
_DECLARES = (
    "theorem|lemma|def|abbrev|structure|class|inductive|axiom|opaque|instance|irreducible_def|alias"
    "|Statement"  # in a game for Lean 4: a theorem in the namespace of its level
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
    """A command: its keyword, the modifiers before that, and its name, if it has one.

    `body` is the text after the name, with line breaks; `scopes` are the parts of the open
    namespaces, `variables` and `opens` the bodies of those commands that are in force.
    """

    word: str
    head: str
    name: str
    body: str
    scopes: tuple[str, ...]
    variables: tuple[str, ...]
    opens: tuple[str, ...]
    text: str

    @property
    def is_declaration(self) -> bool:
        """Whether it declares something, named or not."""
        return self.word in _DECLARING

    @property
    def lack(self) -> str:
        """The word that shows a declaration to be unfinished; "" if there is none.

        An `opaque` is unfinished if it has no value.
        """
        is_bare = self.word in ("axiom", "opaque")
        if self.word not in _DECLARING or not (is_bare or may_lack(self.body)):
            return ""
        body = _STRING.sub('""', self.body)
        found = next((word for word, pattern in _OPEN.items() if pattern.search(body)), "")
        if not found and self.word in _PROVING and _STOPPED.search(body):
            return "stop"
        return found or (self.word if is_bare and not _has_value(body) else "")

    def full(self, name: str) -> str:
        """A name declared here, with its namespaces."""
        if name.startswith("_root_."):
            return name.removeprefix("_root_.")
        return ".".join([*self.scopes, name])


class Declaration(NamedTuple):
    """A declaration's full name, and its text without comments, with white space folded."""

    name: str
    text: str


def may_lack(text: str) -> bool:
    """Whether a file may contain something unfinished; a fast test."""
    return _MAY_LACK.search(text) is not None


def blanked(text: str) -> str:
    """A text with comments and strings blanked, at the same offsets."""
    return "".join(_code(text, is_kept=True))


def line_of(blank: str, word: str, name: str) -> int:
    """The line of the declaration with a keyword and a name as written; 1 if it is not found."""
    found = re.search(rf"\b{re.escape(word)}\s+{re.escape(name)}(?![\w.'!?])", blank)
    return blank.count("\n", 0, found.start()) + 1 if found else 1


def declarations(text: str) -> list[Declaration]:
    """The named declarations of a file, in order."""
    return [
        Declaration(found.full(found.name), found.text)
        for found in commands(text)
        if found.is_declaration and found.name
    ]


def _has_value(body: str) -> bool:
    """Whether `:=` occurs outside of all brackets."""
    for _ in range(_MOST_NESTED):
        body, number = _IN_BRACKETS.subn(" ", body)
        if not number:
            break
    return ":=" in body


class _OpenScope(NamedTuple):
    """A namespace with one part of its name, or a section, with name ""."""

    name: str
    variables: list[str]
    opens: list[str]


def commands(text: str) -> Iterator[LeanCommand]:
    """The commands of a file, in order."""
    code = without_comments(text)
    found = list(_COMMAND.finditer(code))
    scopes = [_OpenScope("", [], [])]
    passing: dict[str, list[str]] = {"variable": [], "open": []}
    for command, end in zip(found, _ends(found, len(code)), strict=True):
        named = _NAME.match(code, command.end())
        word = command["word"] or ""
        name = named[1].rstrip(".") if named and word else ""
        if word in _SCOPES and named and "\n" in code[command.end() : named.start(1)]:
            name = ""
        body = code[named.start(1) + len(name) if named and name else command.end() : end]
        if len(scopes) <= _DEEPEST:
            held = [item for scope in scopes for item in scope.variables]
            opened = [item for scope in scopes for item in scope.opens]
            yield LeanCommand(
                word=word,
                head=command["head"],
                name=name,
                body=body,
                scopes=tuple(scope.name for scope in scopes if scope.name),
                variables=(*held, *passing["variable"])[-_MOST_VARIABLES:],
                opens=(*opened, *passing["open"])[-_MOST_VARIABLES:],
                text=" ".join(code[command.start() : end].split()) if word in _DECLARING else "",
            )
        if word in passing:
            all_of_it = code[command.end() : end]
            own = scopes[-1].variables if word == "variable" else scopes[-1].opens
            kept = passing[word] if _PASSING.search(all_of_it) else own
            kept.append(all_of_it)
            del kept[:-_MOST_VARIABLES]
        elif word in _DECLARING or word == "example":
            passing = {"variable": [], "open": []}
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
    """The parts of a name, split at its dots except those between « and »."""
    return _PART.findall(name)


def _code(text: str, *, is_kept: bool = False) -> Iterator[str]:
    """The pieces of a text, each comment as a space, each string on one line.

    If `is_kept`, comments and strings are blanked instead, so that offsets stay.
    """
    done = position = 0
    while match := _SKIPPED.search(text, position):
        is_block = match[0] == "/-"
        position = _behind(text, match.end()) if is_block else match.end()
        yield text[done : match.start()]
        is_comment = is_block or match[0].startswith("--")
        if is_kept:
            yield _SIGN.sub(" ", text[match.start() : position])
        else:
            yield " " if is_comment else match[0].replace("\n", " ")
        done = position
    yield text[done:]


def _behind(text: str, position: int) -> int:
    """The end of the comment that is open at a position; comments nest."""
    depth = 1
    for match in _COMMENT.finditer(text, position):
        depth += 1 if match[0] == "/-" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _ends(commands: list[re.Match[str]], length: int) -> list[int]:
    """The end of each command: the next one that is not indented further."""
    ends = [length] * len(commands)
    waiting: list[int] = []
    for number, command in enumerate(commands):
        while waiting and len(commands[waiting[-1]]["indent"]) >= len(command["indent"]):
            ends[waiting.pop()] = command.start()
        waiting.append(number)
    return ends


def _enter_or_leave(scopes: list[_OpenScope], word: str, name: str) -> None:
    """Update the scopes at `namespace`, `section`, `mutual` or `end`; each name part is one."""
    if word == "namespace":
        scopes += [_OpenScope(part, [], []) for part in parts(name)]
    elif word in ("section", "mutual"):
        scopes += [_OpenScope("", [], []) for _ in parts(name) or [""]]
    elif word == "end" and len(scopes) > 1 and (name or not scopes[-1].name):
        # An `end` without a name ends a section without one; in Lean 3 it also ends a proof.
        del scopes[max(1, len(scopes) - max(1, len(parts(name)))) :]
