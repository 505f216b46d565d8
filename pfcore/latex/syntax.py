"""How a document's files are to be read: its environments, its macros, its own commands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pfcore.digest import digest
from pfcore.latex import commands, kinds, macros
from pfcore.latex.macros import Macro
from pfcore.latex.records import READING_VERSION
from pfcore.latex.survey import Environment, Theorem

MATHS = frozenset(
    """equation align gather multline eqnarray alignat flalign displaymath math dmath
    subequations IEEEeqnarray""".split()
)
LISTS = frozenset({"enumerate", "itemize", "description", "list", "trivlist", "compactenum"})
FLOATS = frozenset({"figure", "table", "algorithm", "wrapfigure", "listing", "longtable"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From `offset` on, a macro has another meaning; None takes it away."""

    offset: int
    name: str
    macro: Macro | None


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """How one file is to be read. Files share a syntax unless a macro changes within the body."""

    theorems: Mapping[str, Theorem]
    kinds: Mapping[str, str]
    proofs: frozenset[str]
    aliases: Mapping[str, str]
    arguments: Mapping[str, int]
    macros: Mapping[str, Macro]
    changes: tuple[Change, ...] = ()
    references: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    emphasis: frozenset[str] = frozenset()
    _tables: dict[int, Mapping[str, Macro]] = field(default_factory=dict, compare=False)

    @cached_property
    def active(self) -> frozenset[str]:
        """The paper's macros that lead to structure: environments, labels, references, inputs."""
        wanted = commands.ACTIVE | self.references | self.labels
        table = dict(self.macros)
        table.update({item.name: item.macro for item in self.changes if item.macro})
        return macros.reach(table, wanted) - wanted

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds every command that matters here."""
        own = {item.name for item in self.changes} | set(self.macros)
        return commands.pattern(commands.SPECIAL | self.references | self.labels | own)

    @cached_property
    def key(self) -> str:
        """Digest of all that can change a reading."""
        return digest(
            {
                "version": READING_VERSION,
                "theorems": sorted(tuple(item) for item in self.theorems.values()),
                "kinds": dict(self.kinds),
                "proofs": sorted(self.proofs),
                "aliases": dict(self.aliases),
                "arguments": dict(self.arguments),
                "macros": {name: tuple(macro) for name, macro in self.macros.items()},
                "changes": [(item.offset, item.name, item.macro) for item in self.changes],
                "references": sorted(self.references),
                "labels": sorted(self.labels),
                "emphasis": sorted(self.emphasis),
            }
        )

    def table(self, offset: int) -> Mapping[str, Macro]:
        """The macros as they are defined at an offset of this file."""
        if not self.changes:
            return self.macros
        index = bisect_right([item.offset for item in self.changes], offset)
        if index not in self._tables:
            table = dict(self.macros)
            for change in self.changes[:index]:
                table.pop(change.name, None)
                if change.macro:
                    table[change.name] = change.macro
            self._tables[index] = table
        return self._tables[index]

    def environment(self, name: str) -> str:
        """The environment that this one stands for: itself, or what its definition begins."""
        return self.aliases.get(name, name)


def resolve_lets(table: Mapping[str, Macro]) -> dict[str, Macro]:
    """`\\let\\a\\b` copies b where b is the paper's own macro; otherwise a stays the primitive b."""
    resolved = dict(table)
    for name, macro in table.items():
        target = macro.body[1:] if macro.parameters == macros.PRIMITIVE else ""
        seen = {name}
        while target in table and target not in seen:
            seen.add(target)
            found = table[target]
            if found.parameters != macros.PRIMITIVE:
                resolved[name] = found
                break
            target = found.body[1:]
    return resolved


_BEGIN = re.compile(r"\\begin\s*\{([^{}\n]{1,80})\}|\\(?:csname\s+)?([A-Za-z@*]+)")


def build(
    *,
    theorems: Iterable[Theorem],
    environments: Iterable[Environment],
    proofs: Iterable[str],
    table: Mapping[str, Macro],
    words: Mapping[str, str] | None = None,
    references: Iterable[str] = (),
    labels: Iterable[str] = (),
    emphasis: Iterable[str] = (),
) -> Syntax:
    """Put together what the files declare and what the settings add (`words`: env to kind)."""
    declared = {item.env: item for item in theorems}
    own = {item.name: item for item in environments}
    known = {
        env: kinds.kind_of(env, _printed(item.printed, table)) for env, item in declared.items()
    }
    for env, kind in kinds.DEFAULT_THEOREMS.items():
        known.setdefault(env, kind)
    for env in own:
        word = _full_word(env)
        if env not in known and word:
            known[env] = word
    known.update(words or {})
    proof_names = kinds.DEFAULT_PROOFS | frozenset(proofs)
    aliases = {
        name: target
        for name, item in own.items()
        if (target := _stands_for(item, own, frozenset(declared), known, proof_names)) != name
    }
    return Syntax(
        theorems=declared,
        kinds=known,
        proofs=proof_names - frozenset(declared),
        aliases=aliases,
        arguments={
            name: own[name].arguments - own[name].has_optional
            for name in own
            if own[name].arguments - own[name].has_optional > 0
        },
        macros=resolve_lets(table),
        references=frozenset(references),
        labels=frozenset(labels),
        emphasis=frozenset(emphasis),
    )


def _printed(text: str, table: Mapping[str, Macro]) -> str:
    """A declared name whose macros are replaced by their bodies, as in `name=\\lemmaname`."""
    for _ in range(3):
        text = re.sub(
            r"\\([A-Za-z@]+)",
            lambda match: table[match[1]].body if match[1] in table else " ",
            text[:200],
        )
    return text.replace("\\", " ")


def _full_word(env: str) -> str:
    kind = kinds.kind_of(env, "")
    main = ("theorem", "lemma", "proposition", "corollary", "definition", "claim")
    return kind if kind in main and kind in env.lower() else ""


def _stands_for(
    item: Environment,
    own: Mapping[str, Environment],
    declared: frozenset[str],
    known: Mapping[str, str],
    proofs: frozenset[str],
) -> str:
    seen: set[str] = set()
    name, body = item.name, item.begin
    while name not in seen:
        seen.add(name)
        for match in _BEGIN.finditer(body):
            inner = match[1] or match[2]
            if inner in declared or (inner in known and match[1]) or (inner in proofs and match[1]):
                return inner
        following = next((m[1] for m in _BEGIN.finditer(body) if m[1] in own), None)
        if following is None:
            break
        name, body = following, own[following].begin
    return item.name
