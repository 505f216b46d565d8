"""LaTeX's state at a moment of reading: counters, statements, switches, the current label.

It also defines the data of numbering: the steps of a file, and the resulting numbers.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pfcore.latex.numbering import document_classes
from pfcore.latex.numbering.counters import Counters, Format
from pfcore.latex.numbering.counting_commands import ANY, DISPLAYS

_OWN_THEOREMS = frozenset({"amsthm", "ntheorem"})
_TOUCHY = frozenset({"autonum"})
_BETWEEN = {"newtcbtheorem": Format("."), "spnewtheorem": Format("\\@thmcountersep")}
"""Separators between two numbers, for declarations that do not use LaTeX's."""


class Statement(NamedTuple):
    """A declared statement: the counter that it steps (empty if it has no number)."""

    counter: str
    certain: bool = True
    is_shown: bool = True
    """Whether its number is printed: a starred one of ntheorem is counted but not printed."""


class Number(NamedTuple):
    """A number as printed, the kind of thing that has it, and whether it is certain.

    `kind` is the environment of a statement, or else a counter: equation, section, enumi.
    """

    text: str
    kind: str
    certain: bool


@dataclass(slots=True)
class GroupFrame:
    """An open group: the current number at its beginning, and what its end undoes."""

    name: str
    current: Number
    undo: list[tuple[str, Format | None]] = field(default_factory=list)
    counter: str = ""
    detail: str = ""
    starred: bool = False
    switched: list[tuple[str, bool | None]] = field(default_factory=list)


def _copied(frame: GroupFrame) -> GroupFrame:
    return replace(frame, undo=list(frame.undo), switched=list(frame.switched))


NOWHERE = Number("", "", False)


@dataclass(slots=True)
class CounterState:
    """The state, and the numbers given so far."""

    macros: Mapping[str, str]
    counters: Counters = field(default_factory=Counters)
    statements: dict[str, Statement] = field(default_factory=dict)
    switches: dict[str, bool | None] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)
    options: set[str] = field(default_factory=set)
    document_class: str = ""
    current: Number = NOWHERE
    frames: list[GroupFrame] = field(default_factory=list)
    has_begun: bool = False
    main_matter: bool | None = True
    is_appendix: bool = False
    has_sections: bool = True
    loose_equations: bool = False
    odd_lists: bool = False
    is_unnumbered: bool | None = False
    theorem_format: str | None = ""
    only: frozenset[str] | None = None
    excluded: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """Environments that are left out if some condition holds."""
    environs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    list_settings: dict[str, str] = field(default_factory=dict)
    """Settings of enumitem by the name and depth of a list; 0 means all depths."""
    styles: dict[str, str] = field(default_factory=dict)
    saved: dict[str, list[tuple[str, Format | None]]] = field(default_factory=dict)
    strings: dict[str, str] = field(default_factory=dict)
    """Values of macros that name a class or counter, or that options set (package kvoptions)."""
    string_prefix: str = ""
    given: dict[str, set[str]] = field(default_factory=dict)
    """The options of each class and package; those of the document's class also under ""."""

    def branch(self) -> "CounterState":
        """An independent copy."""
        return replace(
            self,
            counters=self.counters.copy(),
            statements=dict(self.statements),
            switches=dict(self.switches),
            packages=set(self.packages),
            options=set(self.options),
            frames=[_copied(frame) for frame in self.frames],
            excluded=set(self.excluded),
            doubtful=set(self.doubtful),
            styles=dict(self.styles),
            environs=dict(self.environs),
            lists=dict(self.lists),
            list_settings=dict(self.list_settings),
            saved={key: list(value) for key, value in self.saved.items()},
            strings=dict(self.strings),
            given={name: set(options) for name, options in self.given.items()},
        )

    def merge(self, other: "CounterState") -> None:
        """Merge the state after another branch of a condition; differences become uncertain."""
        self.counters.merge(other.counters)
        for name in self.statements.keys() | other.statements.keys():
            mine = self.statements.get(name)
            if mine != other.statements.get(name):
                known = mine or other.statements[name]
                self.statements[name] = known._replace(certain=False)
        for name in self.switches.keys() | other.switches.keys():
            if self.switches.get(name) != other.switches.get(name):
                self.switches[name] = None
        self.strings = dict(self.strings.items() & other.strings.items())
        self._merge_settings(other)
        self.packages |= other.packages
        self.loose_equations = self.loose_equations or other.loose_equations
        is_other = self.list_settings != other.list_settings or self.lists != other.lists
        self.odd_lists = self.odd_lists or other.odd_lists or is_other
        if self.current != other.current:
            self.current = self.current._replace(certain=False)

    def _merge_settings(self, other: "CounterState") -> None:
        """Settings that differ in another branch become unknown: matter, styles, exclusions."""
        self.main_matter = self.main_matter if self.main_matter == other.main_matter else None
        if self.is_unnumbered != other.is_unnumbered:
            self.is_unnumbered = None
        if self.theorem_format != other.theorem_format:
            self.theorem_format = None
        self.doubtful |= other.doubtful | (self.excluded ^ other.excluded)
        self.excluded &= other.excluded
        for name, style in {**other.styles, **self.styles}.items():
            is_known = style == self.styles.get(name) == other.styles.get(name)
            self.styles[name] = style if is_known else "numbered=unknown"
        if self.only is None or other.only is None:
            self.only = self.only if other.only is None else other.only
        else:
            self.only &= other.only

    @property
    def has_chapters(self) -> bool:
        """Whether there are chapters."""
        return "chapter" in self.counters.cells and self.document_class != "llncs"

    def number(self, counter: str, kind: str) -> Number:
        """The number that a reference to a counter would print now."""
        text, certain = self.counters.printed(counter, self.macros, prefixed=True)
        return Number(text, kind, certain)

    def step(self, counter: str, kind: str) -> Number:
        """`\\refstepcounter`."""
        self.counters.step(counter)
        self.current = self.number(counter, kind)
        return self.current

    def take_class(self, name: str, options: str) -> None:
        """Load a class of the TeX distribution."""
        name = document_classes.described(name)
        self.document_class = name
        self.options |= {item.strip() for item in options.split(",") if item.strip()}
        document_classes.apply_class(self.counters, name, self.options)
        is_anew = document_classes.counts_anew(name, self.options)
        for item in document_classes.theorems(name, self.options):
            self.declare(item)
            counter = self.statements[item[0]].counter
            if is_anew and counter:
                self.counters.add_reset(counter, "section")
            if name == "svmult" and counter:
                self.counters.add_reset(counter, "chapter")

    def take_packages(self, names: str, options: str) -> None:
        """Load packages of the TeX distribution; most count nothing."""
        for name in (item.strip() for item in names.split(",")):
            self.packages.add(name)
            if options:
                self.pass_options(options, name)
            self.loose_equations = self.loose_equations or name in _TOUCHY
            if "showonlyrefs" in options and name == "mathtools":
                self.loose_equations = True
            for item in document_classes.package_theorems(name, options):
                self.declare(item)

    def pass_options(self, options: str, names: str) -> None:
        """Record options for classes or packages, loaded now or later."""
        found = {item.strip() for item in options.split(",") if item.strip()}
        for name in (item.strip() for item in names.split(",")):
            self.given.setdefault(name, set()).update(found)

    def declare(self, arguments: tuple[str, ...]) -> None:
        """Declare a theorem-like environment; the arguments are those of `theorem` steps."""
        if arguments[-1] == "spn@wtheorem":
            self._declare_as_springer(arguments[0])
            return
        env, sibling, within, mark, alias, own, command = arguments
        if "\\" in sibling or "\\" in within:
            sibling, within = self.word(sibling), self.word(within)
        if self.document_class == "tac":
            sibling = "subsection"
        self._declare((env, sibling, within, mark, alias, own, command))
        if "ntheorem" in self.packages and command == "newtheorem" and not env.endswith("*"):
            self.statements[f"{env}*"] = self.statements[env]._replace(is_shown=False)

    def word(self, name: str) -> str:
        """The class or counter that a macro names, if known; otherwise the name itself."""
        return self.strings.get(name[1:], name) if name.startswith("\\") else name

    def _declare_as_springer(self, env: str) -> None:
        """Declare a statement that a Springer class counts like its own."""
        name, options = self.document_class, self.options
        self.declare(document_classes.springer_statement(env, name, options))
        if name not in document_classes.SPRINGER:
            self.statements[env] = self.statements[env]._replace(certain=False)
        elif document_classes.counts_anew(name, options):
            self.counters.add_reset(self.statements[env].counter, "section")
        if name == "svmult":
            self.counters.add_reset(self.statements[env].counter, "chapter")

    def _declare(self, arguments: tuple[str, ...]) -> None:
        env, sibling, within, mark, alias, own, command = arguments
        if mark == "*":
            self.statements[env] = Statement("")
            return
        certain = mark != "?" and self.theorem_format is not None
        counters = self.counters
        if sibling:
            self._share(env, sibling, certain=certain, alias=alias, command=command)
            if alias == "format":
                self._reformat(self.statements[env].counter, within, certain=certain)
            return
        name = own or env
        shown = self.theorem_format if command != "newtcbtheorem" else ""
        shown = f"\\{shown or 'arabic'}{{{name}}}"
        if alias.startswith("\\"):
            shown = f"{alias}{{{name}}}"
        between = _BETWEEN.get(command) or counters.formats["@thmcountersep"]
        body = f"\\the{within}{between.body}{shown}" if within else shown
        if within and (within not in counters.cells or not between.certain):
            certain = False
        counters.new(name, within, body)
        if within == "section" and self._has_theorems_of_ieee:
            counters.formats[f"the{name}"] = Format(f"\\theIEEEsection.{shown}")
        self.statements[env] = Statement(name, certain)

    @property
    def _has_theorems_of_ieee(self) -> bool:
        """Whether theorems print their section as IEEEtran does: in arabic, or as a letter."""
        return self.document_class == "IEEEtran" and not self.packages & _OWN_THEOREMS

    def _share(self, env: str, sibling: str, *, certain: bool, alias: str, command: str) -> None:
        """Declare a statement that shares another's counter, directly or by an alias."""
        counters = self.counters
        sibling = self._counter_of(sibling)
        certain = certain and sibling in counters.cells
        makes_alias = (
            alias == "alias"
            or command == "spnewtheorem"
            or ("thmtools" in self.packages and "tc" not in command.lower())
        )
        if makes_alias and env != sibling:
            counters.alias(env, sibling)
            self.statements[env] = Statement(env, certain)
        else:
            self.statements[env] = Statement(sibling, certain)
            counters.formats[f"the{env}"] = Format(f"\\the{sibling}")

    def _reformat(self, counter: str, within: str, *, certain: bool) -> None:
        """Give a counter tcolorbox's form; all others that use the counter then print it so."""
        if within:
            self.counters.add_reset(counter, within)
        body = f"\\the{within}." if within else ""
        shown = Format(f"{body}\\arabic{{{counter}}}", certain)
        self.counters.formats[f"the{counter}"] = shown

    def doubt(self, name: str, *, lasting: bool = False) -> None:
        """Make a counter, or that of a statement, uncertain."""
        if name not in self.counters.cells and name in self.statements:
            name = self.statements[name].counter
        if name in self.counters.cells:
            self.counters.doubt(name, lasting=lasting)

    def doubt_steps(self, names: Sequence[str]) -> None:
        """Make counters uncertain that unread code may have stepped, itself or by statements.

        A name with `ANY` stands for all names that match it.
        """
        for name in self._fitting(names):
            own = self.statements.get(name)
            counter = own.counter if own and name not in self.counters.cells else name
            counter = "equation" if counter in DISPLAYS else counter
            if counter in self.counters.cells:
                self.counters.doubt_within(counter)
                self.current = self.current._replace(certain=False)

    def _fitting(self, names: Sequence[str]) -> Iterator[str]:
        """The names; a partly computed one is replaced by all names that match it."""
        for name in names:
            if ANY not in name:
                yield name
                continue
            pattern = re.compile(".*".join(map(re.escape, name.split(ANY))))
            known = self.counters.cells.keys() | self.statements.keys()
            yield from sorted(filter(pattern.fullmatch, known))

    def _counter_of(self, name: str) -> str:
        """The counter of a sibling, which in thmtools and tcolorbox is an environment."""
        named = self.statements.get(name.removeprefix("tcb@cnt@"))
        return name if name in self.counters.cells or named is None else named.counter or name

    def define(self, name: str, shown: Format | None, *, closing: str, everywhere: bool) -> None:
        """Give a counter another printed form, until the group around it ends."""
        undo = None
        if not everywhere:
            if closing:
                undo = self.saved.setdefault(closing, [])
            elif self.frames:
                undo = self.frames[-1].undo
        formats = self.counters.formats
        if undo is not None:
            undo.append((name, formats.get(name)))
        self._put(name, shown)

    def _put(self, name: str, shown: Format | None) -> None:
        if shown is None:
            self.counters.formats.pop(name, None)
        else:
            self.counters.formats[name] = shown

    def undo(self, undone: list[tuple[str, Format | None]]) -> None:
        """Undo definitions."""
        for name, shown in reversed(undone):
            self._put(name, shown)

    def open(self, name: str, *, starred: bool = False) -> GroupFrame:
        """Open a group."""
        frame = GroupFrame(name, self.current, starred=starred)
        self.frames.append(frame)
        return frame

    def close(self, name: str) -> GroupFrame | None:
        """Close a group, and unclosed groups in it; None if it was never opened."""
        if not any(frame.name == name for frame in self.frames):
            return None
        while True:
            frame = self.frames.pop()
            self.undo(frame.undo)
            self.switches |= dict(reversed(frame.switched))
            self.current = frame.current
            if frame.name == name:
                return frame


class CounterStep(NamedTuple):
    """Something that happens to counters or labels at an offset of a file.

    The operations are those of `simulate`; a step from a macro has the offset of the macro's use.
    """

    offset: int
    op: str
    args: tuple[str, ...] = ()


def decode(text: str) -> tuple[CounterStep, ...]:
    """Steps from their JSON; ValueError if the text is not such JSON."""
    try:
        return tuple(CounterStep(offset, op, tuple(args)) for offset, op, args in json.loads(text))
    except TypeError as error:
        raise ValueError("no steps") from error
