"""How a document's files are to be read: its environments, macros and own commands."""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from pfcore.domain.digest import digest
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros import macro_table
from pfcore.latex.macros.macro import LOOKING, PRIMITIVE, STANDARD, Macro, before_looks
from pfcore.latex.parsed_file import READING_VERSION
from pfcore.latex.project import kinds
from pfcore.latex.project.declarations import Environment, Theorem, by_name
from pfcore.latex.project.kinds import opens, opens_statement
from pfcore.latex.project.survey import unread

MATHS = frozenset(
    """equation align gather multline eqnarray alignat flalign displaymath math dmath
    subequations IEEEeqnarray mathpar""".split()
)
LISTS = frozenset({"enumerate", "itemize", "description", "list", "trivlist", "compactenum"})
FLOATS = frozenset({"figure", "table", "algorithm", "wrapfigure", "listing", "longtable"})


class Declared(NamedTuple):
    """The declarations of a document's files, in reading order, with `variants` of macros.

    `dead` are the conditions that never hold, `excluded` the environments that are dropped,
    `toggles` those with a constant value.
    """

    theorems: tuple[Theorem, ...] = ()
    environments: tuple[Environment, ...] = ()
    proofs: tuple[str, ...] = ()
    macros: Mapping[str, Macro] = MappingProxyType({})
    variants: tuple[tuple[str, Macro], ...] = ()
    dead: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    toggles: Mapping[str, bool] = MappingProxyType({})


class Custom(NamedTuple):
    """The additions by settings: kinds of environments, names of commands."""

    kinds: Mapping[str, str] = MappingProxyType({})
    references: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    emphasis: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """How the files of a document are to be read; `variants` are macros' further meanings.

    `titles` are the titles that definitions of environments give to the proofs they begin;
    `sayings` are the words that they print at the beginning and the end of their content.
    `openers` begin an environment that their arguments name, or one with a label from these;
    `labellers` set labels at their beginning and open nothing. `optional_ends` are the environments
    that some code of the paper ends under a condition.
    Text under a condition in `dead`, in an environment in `excluded`, or in a branch that the
    values of `toggles` exclude, is never read.
    """

    theorems: Mapping[str, Theorem]
    kinds: Mapping[str, str]
    proofs: frozenset[str]
    aliases: Mapping[str, str]
    arguments: Mapping[str, int]
    titles: Mapping[str, Macro]
    macros: Mapping[str, Macro]
    variants: tuple[tuple[str, Macro], ...] = ()
    references: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    emphasis: frozenset[str] = frozenset()
    dead: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    toggles: Mapping[str, bool] = field(default_factory=dict)
    sayings: Mapping[str, tuple[Macro, Macro]] = field(default_factory=dict)
    openers: Mapping[str, tuple[Macro, Macro]] = field(default_factory=dict)
    labellers: Mapping[str, Macro] = field(default_factory=dict)
    optional_ends: frozenset[str] = frozenset()

    def never_read(self, text: str, offsets: Iterable[int]) -> frozenset[int]:
        """The given offsets of commands that are in text that is never read."""
        masked = mask(text, self.dead).text
        gone = Spans(unread(masked, self.excluded, self.toggles))
        return frozenset(one for one in offsets if masked[one] != "\\" or gone.covers(one))

    @cached_property
    def calls(self) -> macro_table.Calls:
        """The commands that each of the paper's macros calls, in any of its meanings."""
        return macro_table.calls(self.macros, self.variants)

    @property
    def wanted(self) -> frozenset[str]:
        """The commands that make a macro active if the macro leads to them."""
        return commands.ACTIVE | LOOKING | self.references | self.labels

    @cached_property
    def active(self) -> frozenset[str]:
        """The paper's macros that lead to structure: environments, labels, references, inputs.

        Macros that look ahead are included. A reference command, or a heading of KOMA, that the
        paper redefines is read by its definition; a citation command is not if the definition
        comes from a package included with the paper.
        """
        replaceable = commands.REFERENCES | commands.CITES | commands.HEADINGS_OF_KOMA
        own = replaceable & self.calls.keys() - self.endless
        own -= {name for name in own & commands.CITES if self._is_internal(name)}
        found = macro_table.leading(self.calls, self.wanted)
        return found - (commands.SPECIAL - own) - self.references - self.labels

    def _is_internal(self, name: str) -> bool:
        """Whether the code of a macro uses "@", as only packages do."""
        macro = self.macros.get(name)
        return macro is not None and "@" in macro.body

    @cached_property
    def known(self) -> frozenset[str]:
        """The commands with a meaning of their own here.

        The name of a reference command that the paper uses for something else is left out.
        """
        other = (commands.REFERENCES - commands.OF_PACKAGES) & self.calls.keys() - self.active
        known = set(commands.SPECIAL)
        for name in other - self.endless:
            if not self._is_internal(name):
                known.remove(name)
        return frozenset(known) | self.references | self.labels

    @cached_property
    def plain(self) -> frozenset[str]:
        """LaTeX's own commands that neither the paper nor the settings redefine."""
        return self.known - self.active - self.references - self.labels

    @cached_property
    def inactive(self) -> frozenset[str]:
        """The paper's macros that lead to no structure."""
        return frozenset(self.calls) - self.known - self.active

    @cached_property
    def structural(self) -> frozenset[str]:
        """The active macros that lead to more than a look ahead."""
        return self.active & macro_table.leading(self.calls, self.wanted - LOOKING)

    @cached_property
    def looking(self) -> frozenset[str]:
        """The paper's macros that lead to a look ahead."""
        return macro_table.leading(self.calls, LOOKING)

    @property
    def has_own_proof(self) -> bool:
        """Whether `\\proof` is the paper's own command, and does not begin an environment."""
        macro = self.macros.get("proof")
        return macro is not None and macro.parameters != PRIMITIVE and "endproof" not in self.macros

    @cached_property
    def endless(self) -> frozenset[str]:
        """The paper's macros that are never expanded because they call themselves, and copies.

        A macro that calls itself only after a look ahead is not one: it ends with the text.
        """
        meant = [*self.macros.items(), *self.variants]
        found = macro_table.endless(
            macro_table.calls({}, ((name, _always(macro)) for name, macro in meant))
        )
        if not found:
            return found
        bodies = {macro for name, macro in meant if name in found}
        return found | {name for name, macro in meant if macro in bodies}

    @cached_property
    def dropping(self) -> Mapping[str, frozenset[int]]:
        """The arguments that the paper's macros take but use in none of their meanings."""
        found = {name: macro.unused for name, macro in self.macros.items() if macro.unused}
        for name, macro in self.variants:
            if name in found:
                found[name] &= macro.unused
        return {name: gone for name, gone in found.items() if gone and name not in self.known}

    @cached_property
    def varying(self) -> frozenset[str]:
        """The paper's macros that mean different things at different places."""
        return frozenset(name for name, _ in self.variants)

    @cached_property
    def _mixed(self) -> frozenset[str]:
        """Names that are not just letters, which may begin with the name of another command."""
        names = self.known.union(self.calls) - commands.SIGNS
        return frozenset(name for name in names if not (name.isascii() and name.isalpha()))

    @cached_property
    def structure(self) -> re.Pattern[str]:
        """Finds every command that may lead to structure."""
        return commands.pattern(self.known | self.active | self._mixed)

    @cached_property
    def passive(self) -> re.Pattern[str]:
        """Finds the macros that lead to no structure, and longer names that contain theirs."""
        return commands.pattern(self.inactive | self._mixed)

    @cached_property
    def key(self) -> str:
        """Digest of everything that can change a reading."""
        return digest(
            {
                "version": READING_VERSION,
                "theorems": sorted(tuple(item) for item in self.theorems.values()),
                "kinds": dict(self.kinds),
                "proofs": sorted(self.proofs),
                "aliases": dict(self.aliases),
                "arguments": dict(self.arguments),
                "titles": {name: tuple(macro) for name, macro in self.titles.items()},
                "macros": {name: tuple(macro) for name, macro in self.macros.items()},
                "variants": sorted(self.variants),
                "references": sorted(self.references),
                "labels": sorted(self.labels),
                "emphasis": sorted(self.emphasis),
                "dead": sorted(self.dead),
                "excluded": sorted(self.excluded),
                "toggles": dict(self.toggles),
                "sayings": {
                    name: [tuple(macro) for macro in pair] for name, pair in self.sayings.items()
                },
                "openers": {
                    name: [tuple(macro) for macro in pair] for name, pair in self.openers.items()
                },
                "labellers": {name: tuple(macro) for name, macro in self.labellers.items()},
                "optional_ends": sorted(self.optional_ends),
            }
        )

    def environment(self, name: str) -> str:
        """The environment that this one stands for: itself, or what its definition begins."""
        return self.aliases.get(name, name)

    def printed(self, env: str) -> str:
        """What a theorem-like environment prints above its statements; "" if unknown."""
        found = self.theorems.get(env)
        return _printed(found.printed, self.macros) if found else ""


def _always(macro: Macro) -> Macro:
    return macro._replace(body=before_looks(macro.body)) if "@" in macro.body else macro


_LABELS = frozenset({"ltx@label", "nllabel", "lnl", "lnlset", "linelabel", "thlabel", "zlabel"})
"""LaTeX's command for a label under amsmath's name, and those of algorithm2e, lineno, theoremref
and zref."""
_REFERENCES = frozenset({"thref", "thnameref"})
"""The reference commands of theoremref."""
_CHAIN = 8
_BODY_OF = attrgetter("body")
_ACCENT = regex(r"\\(?:['`^\"~=.]|[cvuHkr](?![A-Za-z]))\s*(?:\{\s*)?\\?([A-Za-z])(?:\s*\})?")
_TITLED = regex(r"\\(?:begin\s*\{([^{}\n]{1,80})\}|proof(?![A-Za-z]))(?=\s*\[)")
_BEGIN = regex(r"\\begin\s*\{([^{}\n]{1,80})\}|\\(?:csname\s+)?([A-Za-z@*]+)")


def build(declared: Declared, custom: Custom = Custom()) -> Syntax:  # noqa: B008 - immutable
    """The syntax of what the files declare and the settings add."""
    declared = _with_stating_macros(declared)
    theorems = {item.env: item for item in declared.theorems}
    own = by_name(declared.environments)
    known = _kinds(theorems, own, declared.macros) | dict(custom.kinds)
    proofs = kinds.DEFAULT_PROOFS | frozenset(declared.proofs)
    aliases = _aliases(own, frozenset(theorems), known, proofs)
    return Syntax(
        theorems=theorems,
        kinds=known,
        proofs=proofs - frozenset(theorems),
        aliases=aliases,
        arguments={
            name: item.parameters.count("m") for name, item in own.items() if "m" in item.parameters
        },
        titles=_titles(own, proofs - frozenset(theorems)),
        macros=STANDARD | dict(declared.macros),
        variants=declared.variants,
        references=frozenset(custom.references) | (_REFERENCES - declared.macros.keys()),
        labels=frozenset(custom.labels) | (_LABELS - declared.macros.keys()),
        emphasis=frozenset(custom.emphasis),
        dead=declared.dead,
        sayings=_sayings(own, aliases),
        openers=(openers := _openers(own, aliases, theorems)),
        labellers=_labellers(own, openers),
        optional_ends=_optional_ends(own, declared),
        toggles=dict(declared.toggles),
        excluded=declared.excluded - frozenset(theorems).union(proofs, known.keys() - own.keys()),
    )


_SETS_APART = regex(r"\\(?:textbf|bf|bfseries|textsc|sc|scshape|underline|uline)(?![A-Za-z])")


def _with_stating_macros(declared: Declared) -> Declared:
    """The declarations, with commands that print statements turned into environments."""
    if not any(map(_SETS_APART.search, map(_BODY_OF, declared.macros.values()))):
        return declared
    from pfcore.latex.project.stating_macros import stating_macros  # late: few papers have any

    known = {item.env for item in declared.theorems}.union(
        (item.name for item in declared.environments), (name for name, _ in declared.variants)
    )
    found = stating_macros(declared.macros, known)
    if not found.macros:
        return declared
    macros = {**declared.macros, **found.macros}
    return declared._replace(macros=macros, theorems=(*declared.theorems, *found.theorems))


def _kinds(
    theorems: Mapping[str, Theorem], own: Mapping[str, Environment], table: Mapping[str, Macro]
) -> dict[str, str]:
    known = {
        env: kinds.kind_of(env, _printed(item.printed, table)) for env, item in theorems.items()
    }
    known = dict(kinds.DEFAULT_THEOREMS) | known
    for env, item in own.items():
        word = _full_word(env) or opens_statement(item.begin)
        if not word and (named := kinds.named_kind(env.rstrip("*"))):
            word = named if _steps(item.begin, table) else ""
        word = word or kinds.heads_with(item.begin)
        if not word and "\\refstepcounter" in item.begin:
            word = kinds.counted_word(item.begin)
        if env not in known and word:
            known[env] = word
    displays = {
        env for env in known.keys() - theorems.keys() if env in table and _is_display(table[env])
    }
    return {env: kind for env, kind in known.items() if env not in displays}


_DISPLAY = regex(r"\s*(?:\$\$|\\\[|\\(?:begin\s*\{)?(?:equation|displaymath|align|gather)\b)")


def _is_display(macro: Macro) -> bool:
    r"""Whether a macro with the name of an environment begins a display: `\def\problem{$$...}`."""
    return not macro.parameters and _DISPLAY.match(macro.body) is not None


_CALLED = regex(r"\\([A-Za-z@]+)")


def _steps(begin: str, table: Mapping[str, Macro]) -> bool:
    """Whether an environment's begin steps a counter, directly or by a macro that it calls."""
    called = [table[name].body for name in _CALLED.findall(begin) if name in table]
    return "\\refstepcounter" in "".join((begin, *called))


def _aliases(
    own: Mapping[str, Environment],
    declared: frozenset[str],
    known: Mapping[str, str],
    proofs: frozenset[str],
) -> dict[str, str]:
    found = {name: _stands_for(item, own, declared, known, proofs) for name, item in own.items()}
    for name, item in own.items():
        if found[name] == name and name not in known and opens(item.begin) is not None:
            found[name] = "proof"
    return {name: target for name, target in found.items() if target != name}


def _titles(own: Mapping[str, Environment], proofs: Container[str]) -> dict[str, Macro]:
    """The titles of the proofs that environments begin: `Proof of Theorem~\\ref{#1}`."""
    found: dict[str, Macro] = {}
    for name, item in own.items():
        match = _TITLED.search(item.begin)
        is_proof = match is not None and (match[1] or "proof") in proofs
        span = Groups(item.begin).brackets(match.end()) if match and is_proof else None
        title = item.begin[slice(*span)] if span else opens(item.begin) or ""
        if span or "#" in title:
            found[name] = Macro(item.parameters, title)
    return found


_OPENED = regex(r"\\begin\s*\{([^{}\n]{1,80})\}")
_CLOSED = regex(r"\\end\s*\{([^{}\n]{1,80})\}")
_LABELLED = regex(r"\\label\s*(?:\[[^\[\]{}#]{0,60}\]\s*)?\{[^{}]*\}")
_TESTED = regex(
    rf"{_LABELLED.pattern}|(?<!\\)[{{}}]|\\(?:If(?:NoValue|Value|Boolean)(?:TF|T|F)|IfBlankTF|ifblank"
    r"|ifstrempty)\s*\{\s*#[1-9]\s*\}"
)
"""Labels, tests of arguments, and braces, which show on which labels a test decides."""


def _openers(
    own: Mapping[str, Environment], aliases: Mapping[str, str], theorems: Mapping[str, Theorem]
) -> dict[str, tuple[Macro, Macro]]:
    """The begin and end of environments whose arguments name a statement, or its label."""
    found: dict[str, tuple[Macro, Macro]] = {}
    for name, item in own.items():
        if worded := _word_given(item, theorems.get(aliases.get(name, ""))):
            labels = "".join(label for label in _LABELLED.findall(item.begin) if "#" in label)
            codes = f"\\begin{{{worded}}}[{worded}]{labels}", f"\\end{{{worded}}}"
            found[name] = Macro(item.parameters, codes[0]), Macro(item.parameters, codes[1])
            continue
        opened = {match[1] for match in _OPENED.finditer(item.begin)}
        closed = {match[1] for match in _CLOSED.finditer(item.end)}
        naming = kinds.naming_argument(item.begin)
        if naming and not kinds.named_kind(name.rstrip("*")):
            found[name] = _named_by(item, naming)
            continue
        if len(opened) != 1 or opened != closed:
            continue
        (target,) = opened
        has_key = any("#" in match[0] for match in _LABELLED.finditer(item.begin))
        if "#" in target or (has_key and name in aliases):
            begin = item.begin[item.begin.index("\\") :]
            found[name] = Macro(item.parameters, begin), Macro(item.parameters, item.end)
    return found


_SETS_WORD = regex(
    r"\\(?:renewcommand\*?\s*\{?|[gex]?def)\s*\\(?P<name>[A-Za-z@]+)\s*\}?"
    r"\s*\{\s*(?P<slot>#[1-9])\s*\}"
)
_ALONE = regex(r"(?:\\text[a-z]{2}|[{\s])*\\([A-Za-z@]+)[}\s]*")


def _word_given(item: Environment, theorem: Theorem | None) -> str:
    r"""The argument, such as `#1`, that an environment's statement prints as its word; else "".

    `\renewcommand{\word}{#1}\begin{generic}`, where `\newtheorem{generic}{\word}`.
    """
    printed = _ALONE.fullmatch(theorem.printed) if theorem else None
    name = printed[1] if printed else ""
    return next((m["slot"] for m in _SETS_WORD.finditer(item.begin) if m["name"] == name), "")


def _named_by(item: Environment, naming: str) -> tuple[Macro, Macro]:
    r"""`\textbf{#1 \theg.}`: a statement whose kind is an argument, with its title."""
    optional = (number for number, kind in enumerate(item.parameters, 1) if kind[0] in "oOUgG")
    title = next((f"[#{number}]" for number in optional if f"#{number}" in item.begin), "")
    labels = "".join(label for label in _LABELLED.findall(item.begin) if "#" in label)
    begin = f"\\begin{{{naming}}}{title}{labels}"
    return Macro(item.parameters, begin), Macro(item.parameters, f"\\end{{{naming}}}")


def _labellers(own: Mapping[str, Environment], openers: Container[str]) -> dict[str, Macro]:
    """The labels that environments set at their beginning, if these open no statement.

    They come with the tests of arguments around them, which decide whether they are set.
    """
    return {
        name: Macro(item.parameters, "".join(_TESTED.findall(item.begin)))
        for name, item in own.items()
        if name not in openers and "#" in "".join(_LABELLED.findall(item.begin))
    }


_CONDITIONAL = regex(r"\\if[A-Za-z@]*|\\fi(?![A-Za-z@])|\\end\s*\{([^{}\n]{1,80})\}")


def _optional_ends(own: Mapping[str, Environment], declared: Declared) -> frozenset[str]:
    """The environments that the paper's own code ends between an `\\if` and its `\\fi`."""
    codes = [code for item in own.values() for code in (item.begin, item.end)]
    codes += [
        macro.body for macro in (*declared.macros.values(), *dict(declared.variants).values())
    ]
    found: set[str] = set()
    for code in codes:
        if "\\if" not in code or "\\end" not in code:
            continue
        depth = 0
        for match in _CONDITIONAL.finditer(code):
            if match[1] is None:
                depth += -1 if match[0] == "\\fi" else 1
            elif depth > 0:
                found.add(match[1].strip())
    return frozenset(found)


_WORDS = r"(?:emph|text(?:it|bf|sc|sl|rm|sf|up)?|em|it|bf|sc|sl|rm|(?:it|sl|sc|up)shape|bfseries)"
_LAYOUT = r"(?:(?:no)?indent|par|(?:small|med|big)skip|ignorespaces(?:afterend)?|unskip|quad)"
_PLAIN = regex(
    rf"(?:\$[^$]{{1,300}}+\$|\\(?:{_WORDS}|{_LAYOUT})(?![A-Za-z@])|\\[ ,;:!/%&$]|#[1-9]"
    r"|[^\\$#@])*+",
)
_SAYS = regex(r"\$|[^\W\d_]{2}")
_NO_WORDS = regex(rf"\\(?:{_WORDS}|{_LAYOUT})(?![A-Za-z@])")
_NO_SAYING = Macro((), "")
_LONGEST_SAYING = 1_000


def _sayings(
    own: Mapping[str, Environment], aliases: Mapping[str, str]
) -> dict[str, tuple[Macro, Macro]]:
    """The words that environments add to their content; none if they add more than words."""
    found: dict[str, tuple[Macro, Macro]] = {}
    for name, item in own.items():
        if kinds.opens(item.begin) is not None or opens_statement(item.begin):
            continue
        begin, end = _inside(item, aliases.get(name, name))
        pair = _saying(item.parameters, begin), _saying(item.parameters, end)
        if pair != (_NO_SAYING, _NO_SAYING):
            found[name] = pair
    return found


def _inside(item: Environment, env: str) -> tuple[str, str]:
    """The code that an environment adds inside the one that it stands for: at begin and end."""
    begin, end = item.begin, item.end
    if env == item.name:
        return begin, end
    opened, closed = f"\\begin{{{env}}}", f"\\end{{{env}}}"
    if begin.count("\\begin") != 1 or end.count("\\end") != 1:
        return "", ""
    inner, before = begin.partition(opened)[2], end.partition(closed)[0] if closed in end else ""
    title = Groups(inner).brackets(0)
    return inner[title[1] + 1 if title else 0 :], before


def _saying(parameters: tuple[str, ...], code: str) -> Macro:
    """The words of code, if it has nothing else."""
    if len(code) > _LONGEST_SAYING or not _PLAIN.fullmatch(code):
        return _NO_SAYING
    return Macro(parameters, code) if _SAYS.search(_NO_WORDS.sub("", code)) else _NO_SAYING


def _printed(text: str, table: Mapping[str, Macro]) -> str:
    """A declared name with macros replaced by their bodies, as in `name=\\lemmaname`."""
    text = _ACCENT.sub(r"\1", text[:200])
    for _ in range(3):
        text = re.sub(
            r"\\([A-Za-z@]+)",
            lambda match: table[match[1]].body if match[1] in table else " ",
            text[:200],
        )
    return kinds.unaccented(text).replace("\\", " ")


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
    body = item.begin
    for _ in range(_CHAIN):
        for match in _BEGIN.finditer(body):
            inner = match[1] or match[2]
            is_known = inner in known or inner in proofs
            if inner in declared or (is_known and (match[1] or inner == "proof")):
                return inner
        following = next((m[1] for m in _BEGIN.finditer(body) if m[1] in own), None)
        if following is None:
            break
        body = own[following].begin
    return item.name
