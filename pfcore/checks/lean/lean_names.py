"""The names that a Lean file makes: those it declares, and those that Lean generates from them.

Rather one name too many than one too few: a name must not be reported as missing if an attribute,
a structure or Lean itself makes it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import NamedTuple, Self

from pfcore.checks.lean.lean_files import LeanCommand, commands, parts, without_comments
from pfcore.domain.lazy_regex import regex

_IDENT = r"(?:«[^»\n]*»|[^\W\d][\w'!?]*)(?:\.(?:«[^»\n]*»|[^\W\d][\w'!?]*))*"
_WORD = regex(_IDENT)
_STRING = regex(r'"(?:[^"\\]|\\.)*"?')
_LOCAL = regex(rf"\b(?:have|let|set|suffices)\s+{_IDENT}")
_NO_USE = regex(
    r"^[ \t]*(?:namespace|end|open|import|export|section)\b[^\n]*|`+[^\s`,\])]+", re.MULTILINE
)
_IMPORT = regex(r"^[ \t]*(?:public[ \t]+)?(?:meta[ \t]+)?import[ \t]+(\S+)", re.MULTILINE)
_OPEN = regex(r"^[ \t]*open[ \t]+(?:scoped[ \t]+)?([^\n]*)", re.MULTILINE)
FOREIGN = frozenset(
    {"Mathlib", "Lean", "Std", "Batteries", "Init", "Aesop", "Qq", "Counterexamples"}
)
"""Third-party libraries that a repository may contain a copy of."""
_FULL_NAME = regex(r"(?:«[^»\n]+»|[^\W\d][\w'!?]*)(?:\.(?:«[^»\n]+»|[^\W\d][\w'!?]*|\d+))*")
_ALIASES = regex(r"\s*⟨([^⟨⟩]*)⟩")
_FIELD = regex(
    rf"(?:^|\bwhere\b|:=)[ \t]*(?:@\[[^\]\n]*\]\s*)?(?:(?:protected|private)[ \t]+)?"
    rf"[({{⦃\[]?[ \t]*((?:{_IDENT}[ \t]+|{_IDENT}(?=[:({{\[⦃])){{1,12}})(?=::|:|[({{\[⦃])",
    re.MULTILINE,
)
_GROUP = regex(rf"[({{⦃\[]\s*((?:{_IDENT}\s+){{1,12}}):")
_CONSTRUCTOR = regex(rf"\|\s*(?:@\[[^\]\n]*\]\s*)?(?:(?:protected|private)\s+)?({_IDENT})")
_EXTENDS = regex(r"\bextends\b")
_WHERE = regex(r"\bwhere\b|\blet\s+rec\b")
_ATTRIBUTES = regex(r"@\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LISTED = regex(r"\s*\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_BLUEPRINT = regex(r"""\bblueprint\b\??+(?:\s*+""|\s*+\([^()]*+\))*+""")
"""LeanArchitect's attribute, which makes no declaration, with its label and options."""
_TRANSLATED = regex(r"\bto_(?:additive|dual)\b")
_GROWING = regex(
    r"\b(?:simps|ext|reassoc|elementwise|mk_iff|to_app|higher_order|to_fun|to_dual|mk_all|"
    r"refl|induction_eliminator|ghost_simps|ext_iff|reduce_mod_char|grind_pattern)\b"
)
_OWN_SYNTAX = regex(
    r'^[ \t]*+(?:(?:local|scoped)[ \t]++)?(?:macro|elab|syntax)\b[^"\n]*+"([^"\n]++)"', re.MULTILINE
)
_LEAN_3 = regex(
    r"^[ \t]*+(?:begin|import (?:tactic|data|analysis|topology|algebra)\.[\w.]+)[ \t]*+$",
    re.MULTILINE,
)
_IS_COMMAND = regex(r":\s*command\b")
_REACH = 600
_TELLING = 12
_TYPES = frozenset({"structure", "class", "inductive", "def", "abbrev"})
_WITH_MEMBERS = frozenset({"structure", "class", "inductive"})
_BY_ITSELF = regex(
    r"eq_def|eq_\d+|eq_unfold|(?:mutual_)?induct(?:_unfolding)?|fun_cases(?:_unfolding)?|congr_simp|"
    r"match_\d+|proof_\d+|mk|rec|recOn|casesOn|noConfusion|noConfusionType|ext|ext_iff|injEq|inj|"
    r"sizeOf_spec|below|brecOn|ind|binductionOn|toCtorIdx|ctorIdx|ctorElim|elim"
)
_INSTANCE = regex(r"inst[A-Z«]")
_ADDITIVE = {
    "add": "", "mul": "", "zero": "one", "neg": "inv", "sub": "div", "sum": "prod", "nsmul": "pow",
    "zsmul": "zpow", "vadd": "smul", "pos": "one_lt", "nonneg": "one_le", "additive": "",
    "even": "square", "multiples": "powers", "zmultiples": "zpowers",
}  # fmt: skip
_PIECES = regex(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_]+")


class LeanNames(NamedTuple):
    """What one Lean file declares; each list without repetitions, sorted.

    `types` are declarations that can own others (`Foo` of `Foo.bar`), `translated` those for which
    `to_additive` generates another one without giving its name, `growing` prefixes of further names
    that may be generated ("": any; a file in Lean 3), `own_commands` the keywords of commands that
    the file itself defines.
    """

    declared: tuple[str, ...]
    types: tuple[str, ...]
    translated: tuple[str, ...]
    growing: tuple[str, ...]
    own_commands: tuple[str, ...]

    def dumped(self) -> str:
        """As JSON."""
        return json.dumps(self, separators=(",", ":"))

    @classmethod
    def loaded(cls, text: str) -> Self:
        """From JSON; ValueError if it is malformed."""
        rows = json.loads(text)
        if not isinstance(rows, list) or len(rows) != len(cls._fields):
            raise ValueError("no names")
        if not all(isinstance(row, list) and all(isinstance(x, str) for x in row) for row in rows):
            raise ValueError("no names")
        return cls(*(tuple(row) for row in rows))


class _NamesOfFile:
    """The names of one file, as they are found."""

    def __init__(self) -> None:
        self.declared: set[str] = set()
        self.types: set[str] = set()
        self.translated: set[str] = set()
        self.growing: set[str] = set()

    def add(self, found: LeanCommand, name: str, *, kind: str) -> None:
        """Add a declaration and the names that Lean generates for it."""
        full = found.full(name)
        self.declared.add(full)
        if kind in _TYPES:
            self.types.add(full)
        if kind in _WITH_MEMBERS:
            self.declared.update(f"{full}.{own}" for own in _members(found.body))
            if _EXTENDS.search(found.body):
                self.growing.add(f"{full}.")
        elif _WHERE.search(found.body):
            self.growing.add(f"{full}.")
        if kind == "irreducible_def":
            self.declared |= {f"{full}_def", f"{full}_def'"}
        for listed in _ATTRIBUTES.findall(found.head):
            self.attribute(found, listed, full)

    def attribute(self, found: LeanCommand, listed: str, full: str) -> None:
        """Add the names that attributes of a declaration make: any word in them may be one.

        Words in strings and in `blueprint`, such as its `(uses := [b])`, do not count.
        """
        listed = _BLUEPRINT.sub("", _STRING.sub('""', listed))
        for word in _WORD.findall(listed):
            self.declared |= {word, found.full(word), _joined(full.rpartition(".")[0], word)}
        if _TRANSLATED.search(listed):
            self.translated.add(full)
        if _GROWING.search(listed):
            self.growing |= {f"{full}_", f"{full}."}


def _joined(owner: str, name: str) -> str:
    """A name in a namespace; "" is the root."""
    return f"{owner}.{name}" if owner else name


def lean_names(text: str) -> LeanNames:
    """The names that a Lean file makes."""
    found = _NamesOfFile()
    for command in commands(text):
        _gather(found, command)
    if _LEAN_3.search(text):
        found.growing.add("")
    return LeanNames(
        *(
            tuple(sorted(names))
            for names in (
                found.declared,
                found.types,
                found.translated,
                found.growing,
                set(_own_commands(text)),
            )
        )
    )


def _own_commands(text: str) -> Iterator[str]:
    """The keywords of commands that a file adds to the language."""
    for match in _OWN_SYNTAX.finditer(text):
        if _IS_COMMAND.search(text, match.end(), match.end() + _REACH):
            yield match[1].strip()


def _gather(found: _NamesOfFile, command: LeanCommand) -> None:
    match command.word:
        case "attribute":
            if listed := _LISTED.match(command.body):
                for word in _WORD.findall(command.body[listed.end() :]):
                    for full in {word, command.full(word)}:
                        found.attribute(command, listed[1], full)
        case "alias":
            listed = _ALIASES.match(command.body) if not command.name else None
            for word in _WORD.findall(listed[1]) if listed else [command.name]:
                found.add(command, word, kind="alias")
        case word if command.is_declaration and command.name:
            found.add(command, command.name, kind=word)
        case _:
            pass


def _members(body: str) -> Iterator[str]:
    """The fields and constructors of a structure or an inductive type, and some other words."""
    for pattern in (_FIELD, _GROUP, _CONSTRUCTOR):
        for match in pattern.finditer(body):
            yield from _WORD.findall(match[1])
    extends = _EXTENDS.search(body)
    for word in _WORD.findall(body[extends.end() :]) if extends else ():
        yield f"to{word.rpartition('.')[2]}"


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """Those of some names whose last part occurs in the code of a Lean file, sorted.

    An undeclared name that code uses comes from a dependency, since the code would not compile.
    """
    ends = {name: parts(name)[-1] for name in names}
    if not any(end in text for end in ends.values()):
        return []
    code = _LOCAL.sub(" ", _STRING.sub('""', without_comments(text)))
    words = {part for word in _WORD.findall(code) for part in parts(word)}
    return sorted(name for name, end in ends.items() if end in words)


def alone(text: str, words: Iterable[str]) -> list[str]:
    """Those of some words that occur by themselves in the code of a Lean file, sorted.

    Opening or importing a namespace of that name does not count, nor does a quoted name.
    """
    wanted = {word for word in words if word in text}
    if not wanted:
        return []
    code = _NO_USE.sub(" ", _STRING.sub('""', without_comments(text)))
    return sorted(wanted.intersection(_WORD.findall(code)))


def borrowed(text: str, roots: Iterable[str]) -> list[str]:
    """What a Lean file has of some namespaces: `Foo` if it is not the file's own, and `Foo.bar`.

    A namespace is not the file's own if it occurs by itself in code, in the path of an import, or
    is opened before anything is added to it in a file that imports other libraries alone. `Foo.bar`
    is the beginning of a name that the code uses.
    """
    wanted = {root for root in roots if root in text}
    if not wanted:
        return []
    code = _STRING.sub('""', without_comments(text))
    paths = [path.split(".") for path in _IMPORT.findall(code)]
    found = {part for path in paths for part in path[1:]} & wanted
    if all(path[0] in FOREIGN for path in paths):
        own = {name: code.find(f"namespace {name}") for name in wanted}
        for opened in _OPEN.finditer(code):
            names = {word.partition(".")[0] for word in _WORD.findall(opened[1])} & wanted
            found |= {name for name in names if not 0 <= own[name] < opened.start()}
    for word in _WORD.findall(_NO_USE.sub(" ", code)):
        first, _, rest = word.partition(".")
        if first in wanted:
            found.add(f"{first}.{parts(rest)[0]}" if rest else first)
    return sorted(found)


def skeleton(name: str) -> str:
    """A form that is equal for a multiplicative name and its additive translation."""
    pieces = (piece.lower() for piece in _PIECES.findall(name.replace(".", "_")))
    return "".join(_ADDITIVE.get(piece, piece) for piece in pieces)


class NameStanding(Enum):
    """What is known about a name in a blueprint."""

    KNOWN = "declared here, or unknown"
    IMPOSSIBLE = "not a name in Lean"
    MISSING = "not declared, and its owner is declared here"
    ELSEWHERE = "not declared here; a dependency may have it"


class RepositoryNames:
    """The names of all Lean files of a repository."""

    def __init__(self, files: Iterable[LeanNames]) -> None:
        self._declared: set[str] = set()
        self._types: set[str] = set()
        self._translated: set[str] = set()
        self._growing: set[str] = set()
        self._own: set[str] = set()
        for found in files:
            self._declared.update(found.declared)
            self._types.update(found.types)
            self._translated.update(map(skeleton, found.translated))
            self._growing.update(found.growing)
            self._own.update(word.lower() for word in found.own_commands)

    def declares(self, name: str) -> bool:
        """Whether a file declares this name."""
        return name.removeprefix("_root_.") in self._declared

    def adds_to(self, root: str) -> bool:
        """Whether a file declares something in a namespace of this name, or below it."""
        return root in self._roots

    @cached_property
    def _roots(self) -> set[str]:
        return {found[0] for name in self._declared if len(found := parts(name)) > 1}

    def holds(self, name: str) -> bool:
        """Whether a name is declared or may be made here, or is a namespace with declarations."""
        return name in self._spaces or self.standing(name) is NameStanding.KNOWN

    @cached_property
    def _spaces(self) -> set[str]:
        found = (parts(name) for name in self._declared)
        return {".".join(one[:number]) for one in found for number in range(1, len(one))}

    def extended(self, name: str) -> str:
        """The longest declaration in the same namespace that a name extends; "" without one.

        Short ones do not count: two results may well begin with the same word.
        """
        owner, _, last = name.removeprefix("_root_.").rpartition(".")
        pieces = last.split("_")
        begun = ("_".join(pieces[:number]) for number in range(len(pieces) - 1, 1, -1))
        full = (_joined(owner, one) for one in begun if len(one) >= _TELLING)
        return next((one for one in full if one in self._declared), "")

    def near(self, name: str) -> list[str]:
        """Up to two declarations in the same namespace with similar names, sorted."""
        from difflib import get_close_matches

        owner, _, last = name.removeprefix("_root_.").rpartition(".")
        split = (item.rpartition(".") for item in self._declared)
        here = sorted(found[2] for found in split if found[0] == owner)
        return sorted(_joined(owner, one) for one in get_close_matches(last, here, 2, 0.8))

    def standing(self, name: str) -> NameStanding:
        """What is known about a name."""
        name = name.removeprefix("_root_.")
        if not _FULL_NAME.fullmatch(name):
            return NameStanding.IMPOSSIBLE
        listed = parts(name)
        owners = [".".join(listed[:number]) for number in range(len(listed) - 1, 0, -1)]
        if name in self._declared or self._may_be_made(name, listed[-1], owners):
            return NameStanding.KNOWN
        is_owned = any(owner in self._types for owner in owners)
        return NameStanding.MISSING if is_owned else NameStanding.ELSEWHERE

    def _may_be_made(self, name: str, last: str, owners: list[str]) -> bool:
        """Whether Lean, an attribute, or a command of the repository may generate the name."""
        if owners and owners[0] in self._declared and _BY_ITSELF.fullmatch(last):
            return True
        if _INSTANCE.match(last) or any(last.lower().startswith(word) for word in self._own):
            return True
        beginnings = ["", *(f"{owner}." for owner in owners)]
        beginnings += [name[: at + 1] for at, letter in enumerate(name) if letter == "_"]
        return not self._growing.isdisjoint(beginnings) or (
            bool(self._translated) and skeleton(name) in self._translated
        )

    def alike(self, name: str) -> list[str]:
        """The declarations whose last part is that of this name, ignoring case, sorted."""
        last = parts(name)[-1].lower()
        return sorted(self._by_last.get(last, ()))

    @cached_property
    def _by_last(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._declared:
            found.setdefault(parts(name)[-1].lower(), []).append(name)
        return found
