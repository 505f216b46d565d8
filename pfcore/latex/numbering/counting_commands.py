"""The commands that numbering listens to, and which of a paper's macros lead to them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pfcore.domain.digest import digest
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros import macro_table
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declarations import Environment
from pfcore.latex.project.syntax import Syntax

SECTIONS = frozenset({*commands.SECTIONS, "book"}) - {"book"}
COUNTERS = {
    "setcounter": "mm", "addtocounter": "mm", "stepcounter": "m", "refstepcounter": "m",
    "newcounter": "mo", "numberwithin": "omm", "counterwithin": "omm", "counterwithout": "omm",
    "@addtoreset": "mm", "@removefromreset": "mm", "newaliascnt": "mm", "aliascntresetthe": "m",
    "DeclareCoupledCounters": "om",
    "setsecnumdepth": "m", "maxsecnumdepth": "m", "newlist": "mmm", "captionof": "m",
    "mathtoolsset": "m", "setboolean": "mm", "setbool": "mm", "settoggle": "mm",
    "newboolean": "m", "toggletrue": "m",
    "togglefalse": "m", "newtoggle": "m", "booltrue": "m", "boolfalse": "m", "newbool": "m",
    "Newassociation": "mmm", "Readsolutionfile": "m", "excludecomment": "m",
    "includecomment": "m", "excludeversion": "m", "includeversion": "m",
    "PassOptionsToPackage": "mm", "PassOptionsToClass": "mm", "declaretheoremstyle": "om",
    "theoremnumbering": "m", "theoremstyle": "m", "includeonly": "m", "setlist": "om",
    "setenumerate": "om", "SetupKeyvalOptions": "m", "DeclareStringOption": "omo",
    "DeclareVoidOption": "mm", "setcounterref": "m", "addtocounterref": "m",
    "setcounterpageref": "m", "addtocounterpageref": "m", "NumberTheoremsIn": "m",
    "NumberTheoremsAs": "m", "usecounter": "m", "pgfmathsetcounter": "m",
    "DeclareAssociatedCounters": "mm",
}  # fmt: skip
"""Commands that become a step directly, with their arguments: mandatory or optional."""
CALLED = {
    "setcounterref": "taint", "addtocounterref": "taint",
    "setcounterpageref": "taint", "addtocounterpageref": "taint", "usecounter": "taint",
    "pgfmathsetcounter": "taint",
}  # fmt: skip
"""The steps of some of them; numbers by references (package refcount) are not followed."""

DECLARERS = frozenset(
    """newtheorem spnewtheorem spn@wtheorem declaretheorem newkeytheorem newmdtheoremenv mdtheorem
    newdefinition newsiamthm newsiamremark newframedtheorem newshadedtheorem newshadetheorem
    newtcbtheorem NewTcbTheorem
    newtheoremrep
    newEndThm renewtheorem newtcolorbox renewtcolorbox DeclareTColorBox NewTColorBox
    RenewTColorBox ProvideTColorBox""".split()
)
MATTERS = frozenset(
    "appendix appendices frontmatter frontmatter* mainmatter mainmatter* backmatter".split()
)
LOADERS = frozenset({"documentclass", "LoadClass", "LoadClassWithOptions"})
PACKAGES = frozenset({"usepackage", "RequirePackage", "RequirePackageWithOptions"})
ROWS = frozenset(
    {
        "tag",
        "notag",
        "nonumber",
        "IEEEyesnumber",
        "IEEEnonumber",
        "cr",
        "intertext",
        "shortintertext",
    }
)
GROUPS = {"begingroup": "begin", "bgroup": "begin", "endgroup": "end", "egroup": "end"}
TESTS = frozenset(
    """ifthenelse iftoggle ifbool ifstrempty ifblank @ifundefined @ifclassloaded @ifpackageloaded
    IfFileExists IfClassLoadedTF IfPackageLoadedTF @ifpackagewith ifdefstring""".split()
)
ASKED = {
    0: "@firstoftwo @secondoftwo",
    1: """ifdef ifundef ifcsdef ifcsundef ifdefmacro ifcsmacro ifdefparam ifcsparam ifdefprotected
        ifcsprotected ifdefempty ifcsempty ifdefvoid ifcsvoid ifdefcounter ifcscounter ifltxcounter
        notbool nottoggle notblank ifnumodd ifboolexpr ifboolexpe ifrmnum IfInteger IfDecimal
        ifmtarg @ifmtarg iflanguage ltx@ifclassloaded ltx@ifpackageloaded""",
    2: """ifdefequal ifcsequal ifdefstring ifcsstring ifdefstrequal ifcsstrequal ifstrequal
        ifnumequal ifnumgreater ifnumless ifdimequal ifdimgreater ifdimless ifinlist xifinlist
        ifinlistcs xifinlistcs ifpatchable @ifpackagewith @ifclasswith @ifpackagelater
        @ifclasslater IfStrEq IfSubStr IfBeginWith IfEndWith IfEq""",
    3: "ifnumcomp ifdimcomp",
}
"""Conditions by the number of arguments that they test; other `TESTS` have one."""
MORE_TESTS = frozenset(name for listed in ASKED.values() for name in listed.split()) - TESTS
"""Conditions that are no reason by themselves to expand a macro."""
UNREAD = {
    "@gobble": "m", "@gobbletwo": "mm", "typeout": "m", "message": "m", "detokenize": "m",
    "PackageWarning": "mm", "PackageError": "mmm", "ClassWarning": "mm", "ClassError": "mmm",
}  # fmt: skip
"""Commands whose arguments are discarded, or shown verbatim."""
UNSEEN = frozenset(
    """@input @@input CatchFileDef CatchFileEdef CatchFileBetweenTags CatchFileBetweenDelims
    ExecuteMetaData""".split()
)
"""Commands that input text in ways that are not followed."""
LATER = {
    "AtBeginDocument": "document", "AtEndPreamble": "document", "AtAppendix": "appendix",
    "AtEndDocument": "end",
}  # fmt: skip
OPTIONS = frozenset({"DeclareOption"})
PROCESSORS = frozenset(
    """ProcessOptions ProcessOptionsX ProcessKeyvalOptions ProcessLocalKeyvalOptions ExecuteOptions
    ProcessKeyOptions ProcessPgfOptions ProcessPgfPackageOptions""".split()
)
"""Commands that run the code of options: of the given ones, or of those they name."""
HOOKS = {
    "pretocmd": "mmmm", "apptocmd": "mmmm", "patchcmd": "ommmmm", "xpretocmd": "mmmm",
    "xapptocmd": "mmmm", "xpatchcmd": "ommmmm", "regexpatchcmd": "mmmmm", "csappto": "mm",
    "cspreto": "mm", "csgappto": "mm", "csgpreto": "mm", "gappto": "mm", "gpreto": "mm",
    "AtBeginEnvironment": "mm", "AtEndEnvironment": "mm",
    "BeforeBeginEnvironment": "mm", "AfterEndEnvironment": "mm", "AddToHook": "mom",
    "AddEverypageHook": "m", "addtotheorempreheadhook": "om", "addtotheorempostheadhook": "om",
    "addtotheoremprefoothook": "om", "addtotheorempostfoothook": "om", "everymath": "m",
    "everypar": "m",
    "everydisplay": "m", "preto": "mm", "appto": "mm", "g@addto@macro": "mm",
}  # fmt: skip
"""Commands whose arguments are code that runs elsewhere, any number of times."""

STYLE = "style of "
"""Prefix to the name of a heading, for the code that runs after its number (package titlesec)."""

KOMA_HEADINGS = frozenset(
    f"{how}SectionCommand{many}"
    for how in ("Declare", "DeclareNew", "Redeclare", "Provide")
    for many in ("", "s")
)
"""Commands of KOMA-Script that define the look of headings."""

OTHERS = KOMA_HEADINGS | frozenset(
    """label item caption footnote newif @startsection secdef NewEnviron addsec titleclass
    titleformat mode defcounter cslet csletcs letcs""".split()
)
BOXES = frozenset(
    """newtcolorbox renewtcolorbox DeclareTColorBox NewTColorBox RenewTColorBox
    ProvideTColorBox""".split()
)
"""Commands that make a box, which is counted if its options say so."""
LOOPS = frozenset(
    """forcsvlist docsvlist foreach @for @tfor loop whiledo @whilenum forloop forLoop multido
    whileboolexpr unlessboolexpr""".split()
)
NAMERS = frozenset({"csname", "csuse", "@nameuse"})
DEFINERS = frozenset(
    """newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd
    providerobustcmd NewDocumentCommand RenewDocumentCommand DeclareDocumentCommand
    ProvideDocumentCommand NewExpandableDocumentCommand RenewExpandableDocumentCommand
    DeclareExpandableDocumentCommand ProvideExpandableDocumentCommand def gdef edef xdef let
    @namedef csdef csgdef""".split()
)
SINGLE_ROW = frozenset({"equation", "multline", "dmath", "math", "displaymath"})
MANY_ROWS = frozenset(
    """align gather flalign alignat xalignat xxalignat eqnarray IEEEeqnarray dgroup numcases
    subnumcases""".split()
)
DISPLAYS = SINGLE_ROW | MANY_ROWS
NAMED = frozenset(f"{end}{name}" for name in DISPLAYS - {"math"} for end in ("", "end"))
"""Commands by which a macro may open and close displays: `\\equation`, `\\endequation`."""

_NAMING = regex(
    r"\\(?:setcounter|addtocounter|stepcounter|refstepcounter|begin|@addtoreset|captionof)"
    r"\s*(?:\{([^{}]*)\}|(\\[A-Za-z@]+))"
    r"|\\(?:counterwithin|counterwithout|numberwithin)\*?\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}"
    r"|\\c@([A-Za-z@]+)|\\csname\s+c@(.*?)\\endcsname",
    re.DOTALL,
)
_CALLED = regex(r"\\([A-Za-z@]+)")
_WORD = regex(r"\\([A-Za-z@]+)[ \t]*")
_UNKNOWN = regex(r"(?:\\[A-Za-z@]+|\\.|#+\d?|[{}])+")
ANY = "#"
"""Represents a computed part of a counter's name; no real name contains it."""
_OF_KERNEL = {"@mpfn": "footnote"}
"""Kernel macros that contain the name of a counter, which no statement uses."""
_MOST_BODIES = 4_000
_LONGEST_NAME = 200
_LONGEST_BODY = 20_000
_ROUNDS = 6
_SETS = regex(r"[A-Za-z@]+?(?:true|false)")
"""A command that sets a switch."""
_CONDITION = regex(r"\\[Ii]f|_if_")
_INTEGER = regex(
    r"\\int_g?(?:set|add|sub|incr|decr|zero)|\\int_[a-z]+_|\\prg_replicate"
    r"|\\(?:bool|dim|fp)_(?:step|while|until|do)_|\\(?:clist|seq|tl|prop)_map_"
)
"""Commands of expl3 that set a counter, or run code any number of times."""
_COUNTS = regex(r"\\(?:setcounter|stepcounter|addtocounter)(?![A-Za-z@])")

TITLING = frozenset(
    """maketitle @maketitle author title subtitle thanks date institute inst affiliation affil
    address email keywords subjclass tableofcontents listoffigures listoftables printbibliography
    bibliography printindex""".split()
)
"""Commands of title pages and lists, which count no results even if they cannot be followed."""

_MORE = frozenset({"title", "maketitle", "aftergroup"})
"""Commands that begin a contribution in svmult, and count nothing elsewhere; or run code later."""

NATIVE = (
    SECTIONS | COUNTERS.keys() | DECLARERS | MATTERS | LOADERS | PACKAGES | ROWS | GROUPS.keys()
    | TESTS | LOOPS | LATER.keys() | OPTIONS | PROCESSORS | HOOKS.keys() | OTHERS | NAMERS
    | commands.INPUTS | NAMED
)  # fmt: skip
_LEADING = NATIVE | DEFINERS | {"begin", "end", "if", "@startsection"}
_FIXED = NATIVE - SECTIONS - MATTERS - NAMED


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The macros, environments and commands of a paper, for scanning its files."""

    syntax: Syntax
    environments: Mapping[str, Environment]
    ignored: frozenset[str] = frozenset()
    """Macros of a class that is known by its name, whose counting is known without them."""
    _touched: dict[str, frozenset[str] | None] = field(default_factory=dict, compare=False)

    @cached_property
    def _calls(self) -> macro_table.Calls:
        if not self.ignored:
            return macro_table.calls(self.syntax.macros, self.syntax.variants)
        return macro_table.calls({}, self._macros)

    @cached_property
    def active(self) -> frozenset[str]:
        """Macros to be expanded; a redefined LaTeX command only if it calls the old one."""
        rows = {name for name, macro in self._macros if _is_selective(macro)}
        theorems = self.syntax.theorems.keys()
        wanted = _LEADING | self.syntax.labels | theorems | {f"end{name}" for name in theorems}
        called = frozenset[str]().union(*self._calls.values())
        wanted |= {name for name in called if _SETS.fullmatch(name)}
        counting = {name for name, macro in self._macros if _INTEGER.search(macro.body)}
        wanted, rows = wanted | counting, rows | counting
        found = macro_table.leading(self._calls, frozenset(wanted)) | rows
        return (
            found
            - self._endless
            - _FIXED
            - self.syntax.labels
            - (SECTIONS | MATTERS - self._replaced)
        )

    @cached_property
    def _endless(self) -> frozenset[str]:
        """Macros that call themselves; calls through commands never expanded do not count."""
        expanded = dict(self._calls)
        for name in _FIXED | (SECTIONS | MATTERS) - self._replaced:
            expanded.pop(name, None)
        return macro_table.endless(expanded)

    @cached_property
    def bare(self) -> frozenset[str]:
        """Statements used as commands: `\\lemma … \\endlemma` or `\\lemma{…}`."""
        found = {name for name in self.syntax.theorems if name.isalpha() and name.isascii()}
        both = frozenset(found | {f"end{name}" for name in found})
        return both - self.syntax.macros.keys() - NATIVE

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Macros that lead to counters and call themselves, so that their effect is unknown."""
        wanted = frozenset(COUNTERS) | SECTIONS | {"begin", "item", "caption"}
        return (
            (self._endless & macro_table.leading(self._calls, wanted))
            - NATIVE
            - TITLING
            - self.syntax.labels
        )

    def touched(self, code: str) -> frozenset[str] | None:
        """The counters and environments named in code that is not run; None if it computes one.

        The code of macros that it calls, even indirectly, is included. In a name that is computed
        in part, `ANY` stands for that part.
        """
        if code not in self._touched:
            self._touched[code] = self._touched_by(code)
        return self._touched[code]

    def _touched_by(self, code: str) -> frozenset[str] | None:
        found: set[str] = set()
        seen = {code}
        pending = [code]
        while pending:
            if len(seen) > _MOST_BODIES:
                return None
            text = pending.pop()
            for match in _NAMING.finditer(text):
                name = self._computed(next(filter(None, match.groups()), "").strip())
                if ANY in name and not name.strip(ANY):
                    return None
                found.add(name)
            called = frozenset(_CALLED.findall(text))
            found |= called & SECTIONS
            bodies = {body for name in called for body in self._filled_bodies(name, text)}
            pending += bodies - seen
            seen |= bodies
        return frozenset(found)

    def _computed(self, name: str) -> str:
        """A counter's name with its macros replaced, and `ANY` for unknown parts."""
        for _ in range(_ROUNDS):
            if "\\" not in name or len(name) > _LONGEST_NAME:
                break
            name = _WORD.sub(self._word, name)
        return _UNKNOWN.sub(ANY, name).replace(" ", "")

    def _word(self, match: re.Match[str]) -> str:
        """The text of a macro without arguments, if all its definitions agree; else `ANY`."""
        known = set(self._bodies.get(match[1], ())) or {_OF_KERNEL.get(match[1], ANY)}
        body = known.pop()
        return ANY if known or "#" in body else body

    def _filled_bodies(self, name: str, text: str) -> Iterable[str]:
        """The bodies of a macro used in a text; if they compute names, with arguments inserted."""
        bodies = self._bodies.get(name, ())
        if name not in self.computing:
            return bodies
        groups = Groups(text)
        meanings = [macro for known, macro in self._macros if known == name and macro.parameters]
        found = {body for body in bodies if "#" not in body}
        for match in _CALLED.finditer(text):
            for macro in meanings if match[1] == name else ():
                given = macros.arguments(macro, groups, match.end())
                values = [text[slice(*span)] if span else "" for span in given[0]] if given else []
                made = macros.filled(macro, macro.body, values, _LONGEST_BODY) if given else None
                found.add(macro.body if made is None else made)
        return found or bodies

    @cached_property
    def computing(self) -> frozenset[str]:
        """The macros that compute a counter's name from their arguments, perhaps indirectly."""
        found = {
            name
            for name, bodies in self._bodies.items()
            if any("#" in match[0] for body in bodies for match in _NAMING.finditer(body))
        }
        return frozenset(found) | macro_table.leading(self._calls, frozenset(found))

    @cached_property
    def _bodies(self) -> Mapping[str, tuple[str, ...]]:
        """The bodies of each macro or environment of the paper."""
        found: dict[str, tuple[str, ...]] = {}
        for name, macro in self._macros:
            found[name] = (*found.get(name, ()), macro.body)
        for name, own in self.environments.items():
            found[name] = (*found.get(name, ()), own.begin, own.end)
        return found

    @cached_property
    def _macros(self) -> tuple[tuple[str, Macro], ...]:
        every = (*self.syntax.macros.items(), *self.syntax.variants)
        return tuple(item for item in every if item[0] not in self.ignored)

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """Redefined headings and matters whose new definition must be followed."""
        table = dict(self._macros)
        kept = {macro.body[1:] for _, macro in self._macros if macro.parameters == macros.PRIMITIVE}
        counting = re.compile(r"\\(?:setcounter|stepcounter|addtocounter|the[a-z]+)(?![A-Za-z])")
        return frozenset(
            name
            for name in (SECTIONS | MATTERS) & table.keys()
            if name in kept
            or (name in MATTERS and counting.search(table[name].body))
            or (name in SECTIONS and self._counts_beside(name, table[name].body))
        )

    def _counts_beside(self, heading: str, body: str) -> bool:
        """Whether a heading's own code counts, but does not step the heading's own counter."""
        codes = {body}
        pending = [body]
        while pending:
            called = _CALLED.findall(pending.pop())
            fresh = {code for name in called for code in self._bodies.get(name, ())} - codes
            codes |= fresh
            pending += fresh
        is_numbered = any(f"\\refstepcounter{{{heading}}}" in code for code in codes)
        return not is_numbered and any(map(_COUNTS.search, codes))

    @cached_property
    def replacing(self) -> frozenset[str]:
        """Headings among the redefined commands that must be followed."""
        return self._replaced & SECTIONS

    @cached_property
    def expanded(self) -> frozenset[str]:
        """All commands that are expanded."""
        return self.active | self.replacing

    @cached_property
    def names(self) -> frozenset[str]:
        """All commands that matter."""
        own = self.active | self.bare | self.syntax.labels | self.replacing | self.opaque
        return frozenset(NATIVE).union(DEFINERS, MORE_TESTS, UNREAD, UNSEEN, own, _MORE)

    @cached_property
    def outer(self) -> re.Pattern[str]:
        """Finds everything relevant outside displays."""
        return re.compile(_tokens(self.names))

    @cached_property
    def inner(self) -> re.Pattern[str]:
        """Finds everything relevant in a display, including braces."""
        return re.compile(f"{_tokens(self.names)}|[{{}}]")

    @cached_property
    def key(self) -> str:
        """Digest of everything that can change a file's steps."""
        listed = sorted(tuple(item) for item in self.environments.values())
        return digest([self.syntax.key, listed, sorted(self.ignored)])


@lru_cache(maxsize=32)  # papers with the same preamble share names, and grouping is slow
def _tokens(names: frozenset[str]) -> str:
    return (
        r"\\(?:begin\s*\{(?P<begin>[^{}\n]{0,80})\}|end\s*\{(?P<end>[^{}\n]{0,80})\}"
        rf"|(?P<name>{commands.alternatives(names)})(?![A-Za-z@])"
        r"|(?P<fork>(?:If[A-Za-z]*[a-z]|[a-z_]+_if_[a-z_]*:[A-Za-z]*)(?:TF|T|F))(?![A-Za-z@])"
        r"|(?P<integer>int_(?:g?(?:set|add|sub|incr|decr|zero)(?:_[a-z]+)?:c[A-Za-z]*"
        r"|(?:step|while|until|do)_[a-z_]+:[A-Za-z]*)|prg_replicate:nn"
        r"|(?:bool|dim|fp)_(?:step|while|until|do)_[a-z_]+:[A-Za-z]*"
        r"|(?:clist|seq|tl|prop)_map_[a-z]+:[A-Za-z]*)(?![A-Za-z@])"
        r"|(?P<test>if[A-Za-z@]*|else|or|fi)(?![A-Za-z@])"
        r"|c@(?P<cell>[A-Za-z@]+)"
        r"|(?P<switch>[A-Za-z@]+?)(?P<to>true|false)(?![A-Za-z@])"
        r"|(?P<sign>[^A-Za-z@]))"
    )


def _is_selective(macro: Macro) -> bool:
    """Whether a macro ends rows, or may drop some of its arguments."""
    if "\\\\" in macro.body:
        return True
    slots = [kind[0] for kind in macro.parameters if kind[0] != "l"]
    used = (f"#{number}" in macro.body for number, kind in enumerate(slots, 1) if kind == "m")
    return "m" in slots and (_CONDITION.search(macro.body) is not None or not all(used))
