"""The arguments of the commands and environments that numbering uses.

It handles commands whose arguments are code or files: hooks, conditions, options, inputs; and it
turns declarations of theorem-like environments and their counters into steps.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.definitions import unrolled_loop
from pfcore.latex.macros.macro import Macro
from pfcore.latex.numbering import scanned_text
from pfcore.latex.numbering.counter_state import CounterStep
from pfcore.latex.numbering.counting_commands import (
    ASKED,
    BOXES,
    COUNTERS,
    DECLARERS,
    DEFINERS,
    HOOKS,
    LATER,
    LOADERS,
    SECTIONS,
    UNREAD,
)
from pfcore.latex.numbering.scanned_text import Finder, ScannedText
from pfcore.latex.project.declarations import Environment, Theorem, boxed_key, option
from pfcore.latex.project.syntax import LISTS

Span = tuple[int, int]
_COMMAND = regex(r"\s*\{?\s*\\[A-Za-z@]+\s*\}?")
_REACH = 400
_LONGEST_OPTIONS = 300
_OPTIONAL = frozenset(
    """figure figure* table table* proof minipage tikzpicture tikzcd tcolorbox multicols lstlisting
    thebibliography algorithm algorithmic document""".split()
)
"""Environments that often have options, and are not lists."""
_BARE = regex(r"[ \t]*([^\s{}\\%\[\]]{1,200})")


def argument_spans(form: str, groups: Groups, position: int) -> tuple[list[Span | None], int]:
    """Spans of arguments, `m`andatory or `o`ptional; None where one is missing.

    A mandatory argument may be a single command.
    """
    found: list[Span | None] = []
    for kind in form:
        if groups.text.startswith("*", position):
            position += 1
        span = groups.brackets(position) if kind == "o" else groups.braces(position)
        if span is None and kind == "m":
            bare = groups.token(position)
            is_command = bare is not None and groups.text.startswith("\\", bare[0])
            span = bare if is_command else None
        found.append(span)
        position = groups.after(span) if span else position
    return found, position


def read_arguments(form: str, groups: Groups, position: int) -> tuple[list[str], int]:
    """The texts of arguments, empty where one is missing."""
    found, position = argument_spans(form, groups, position)
    return [groups.text[slice(*span)].strip() if span else "" for span in found], position


def of_environment(own: Environment, groups: Groups, position: int) -> tuple[str, int]:
    """The beginning of a paper's own environment, expanded, and where its arguments end."""
    begin = Macro(own.parameters, own.begin)
    found = macros.arguments(begin, groups, position)
    spans, end = found or ([None] * len(own.parameters), position)
    values = [groups.text[slice(*span)] if span else macros.NO_VALUE for span in spans]
    return macros.substitute(begin, values), end


def of_display(name: str, groups: Groups, position: int) -> tuple[str, int]:
    """The kind of display of an environment, and where its arguments end."""
    if name == "empheq":
        (_, inner), position = read_arguments("om", groups, position)
        return inner.partition("=")[0], position
    if name.rstrip("*") in ("alignat", "xalignat", "xxalignat", "IEEEeqnarray", "numcases"):
        _, position = read_arguments("om" if name.startswith("IEEE") else "m", groups, position)
    return name, position


def of_plain(
    name: str, groups: Groups, position: int, theorem: Theorem | None
) -> tuple[tuple[str, ...], int]:
    """Further arguments of an environment's `begin` step, and where to continue."""
    if name.rstrip("*") in ("restatable", "thmrestate"):
        (_, env, macro), position = read_arguments("omm", groups, position)
        return (env, macro), position
    if name.rstrip("*") == "theoremEnd":
        (options, env), position = read_arguments("om", groups, position)
        return (env, "") if "all end" not in options else (), position
    if name.rstrip("*") in LISTS:
        (options,), after = read_arguments("o", groups, position)
        return (options or ("[]" if after > position else ""),), position
    if theorem is not None and theorem.takes == "braces":
        (options, _), after = read_arguments("om", groups, position)
        key, after = boxed_key(theorem, groups, after)
        key = key or option(options, "label")
        return (key,) if key else (), after
    if theorem is None and name not in _OPTIONAL and groups.text.startswith("[", position):
        (options,), _ = read_arguments("o", groups, position)  # it may be a list of the paper
        return ("", options) if 0 < len(options) <= _LONGEST_OPTIONS else (), position
    return (), position


def of_input(name: str, groups: Groups, position: int) -> tuple[str, int]:
    """The file that a command inputs, and where its arguments end."""
    if groups.text.startswith("{", groups.skip_space(position)):
        values, position = read_arguments(
            "mm" if name in commands.SECOND else "m", groups, position
        )
        return values[-1].strip('"'), position
    match = _BARE.match(groups.text, position)
    return (match[1], match.end()) if match else ("", position)


def of_letters(letters: str, groups: Groups, position: int) -> tuple[list[str], int]:
    """The arguments of an expl3 command, one for each letter of its name, and where they end."""
    found: list[str] = []
    for letter in letters:
        span = groups.braces(position) or (groups.token(position) if letter in "NnV" else None)
        if span is None:
            break
        found.append(groups.text[slice(*span)].strip())
        position = groups.after(span)
    return found, position


def of_loop(name: str, groups: Groups, at: int, position: int) -> tuple[str, int, bool]:
    """The code of a loop, where it ends, and whether the code is unrolled, so wholly known."""
    text = groups.text
    if name == "loop":
        end = text.find("\\repeat", position, position + 20_000)
        return (
            (text[position:end], end + len("\\repeat"), False) if end >= 0 else ("", position, True)
        )
    if name == "whiledo":
        _, position = argument_spans("m", groups, position)
        (code,), position = read_arguments("m", groups, position)
        return code, position, False
    if name == "@whilenum":
        start = text.find("\\do", position, position + 400)
        (code,), end = read_arguments("m", groups, start + 3) if start >= 0 else ([""], position)
        return code, end, False
    if name in _COUNTING_LOOPS:
        values, position = read_arguments(_COUNTING_LOOPS[name], groups, position)
        (counter,) = [value for value in values if value.isalpha()][:1] or [""]
        named = f"\\stepcounter{{{counter}}}" if counter else ""
        return f"{values[-1]}{named}", position, False
    unrolled = unrolled_loop(groups, at)
    if unrolled is not None:
        return *unrolled, True
    body = _BODY.match(text, position)
    span = groups.braces(body.end() if body else position)
    return (text[slice(*span)], span[1] + 1, False) if span else ("", position, True)


_COUNTING_LOOPS = {
    "forloop": "ommmm", "forLoop": "ommmm", "multido": "mmm", "whileboolexpr": "mm",
    "unlessboolexpr": "mm",
}  # fmt: skip
"""Loops with their arguments: the last is code, and one may name a counter that they step."""
_BODY = regex(r"[^{}]{0,200}(?:\{[^{}]{0,2000}\}\s*|\\do(?![A-Za-z])\s*)?")
"""The text before the code of a loop."""


def past_command(text: str, position: int) -> int:
    """The position after a command that is an argument."""
    match = _COMMAND.match(text, position)
    return match.end() if match else position


_CUT = regex(
    rf"\\(?P<name>{commands.alternatives(COUNTERS.keys() | DECLARERS | DEFINERS)})\*?"
    r"(?P<given>(?:\s*(?:\{[^{}]*\}|\[[^\[\]]*\]))*)\s*$"
)
_WANTED = {
    "spnewtheorem": 4,
    "spn@wtheorem": 4,
    "newtcbtheorem": 4,
    "declaretheorem": 1,
    "newkeytheorem": 1,
}


def lent(body: str, groups: Groups, position: int) -> tuple[str, int]:
    """The arguments that a macro's last command takes from the text after it, and their end.

    This follows `\\newcommand{\\nt}{\\newtheorem}` and `\\def\\own#1{… \\newtheorem{#1}}`.
    """
    cut = _CUT.search(body, max(0, len(body) - _REACH))
    if cut is None:
        return "", position
    name, start = cut["name"], position
    wanted = COUNTERS[name].count("m") if name in COUNTERS else _WANTED.get(name, 2)
    lacking = wanted - cut["given"].count("{")
    if lacking <= 0:
        return "", position
    if name in DEFINERS and lacking == wanted:
        command = groups.token(position)
        if command is None or "\\" not in groups.text[slice(*command)]:
            return "", position
        position, lacking = groups.after(command), lacking - 1
    while True:
        optional = groups.brackets(position)
        span = optional or (groups.braces(position) if lacking > 0 else None)
        if span is None:
            break
        position, lacking = span[1] + 1, lacking - (optional is None)
    return groups.text[start:position], position


_WHOLE = frozenset({"AddEverypageHook", "everymath", "everydisplay", "everypar"})
"""Hooks whose first argument is code, rather than a name or command."""

_WAITED_FOR = {
    "\\appendix": "appendix", "appendices": "appendices", "cmd/appendix/after": "appendix",
    "cmd/appendix/before": "appendix", "env/appendices/begin": "appendices",
    "begindocument": "document", "begindocument/before": "document", "document": "document",
    "begindocument/end": "document",
}  # fmt: skip
_BEFORE = frozenset({"patchcmd", "AtEndEnvironment", "AfterEndEnvironment"})
"""Hooks that do not run at the beginning of what they name."""


_PLACES = {
    "AtBeginEnvironment": "begin", "AtEndEnvironment": "end", "BeforeBeginEnvironment": "before",
    "AfterEndEnvironment": "after",
}  # fmt: skip
_PREPENDING = frozenset({"pretocmd", "xpretocmd", "preto"})
_FORM = regex(r"\\?(?:the|p@)[A-Za-z@]+")
"""The name of a counter's printed form."""
_REFORMING = frozenset(
    """apptocmd xapptocmd appto gappto csappto csgappto g@addto@macro pretocmd xpretocmd preto
    gpreto cspreto csgpreto patchcmd xpatchcmd regexpatchcmd""".split()
)
_AT_PLACE = regex(r"env/[^/{}\\]+/(?:begin|end|before|after)|cmd/(?P<name>[a-z]+)/before")


def _hooked(command: str, name: str) -> str | None:
    """LaTeX's name for a hook on an environment or before a heading; None for other hooks."""
    if command in _PLACES and name and not set(name) & set("\\{}#"):
        return f"env/{name}/{_PLACES[command]}"
    if command in _PREPENDING and name.removeprefix("\\") in SECTIONS:
        return f"cmd/{name.removeprefix(chr(92))}/before"
    found = _AT_PLACE.fullmatch(name) if command == "AddToHook" else None
    return name if found and (found["name"] is None or found["name"] in SECTIONS) else None


class CodeFinder(Finder, ABC):
    """Finds the steps in code that is an argument; its readers return where to continue."""

    @abstractmethod
    def scan(self, here: ScannedText, start: int = 0, end: int | None = None) -> None:
        """Read a passage from one position to another."""
        ...

    @abstractmethod
    def resolved(self, here: ScannedText, key: str, at: int) -> str:
        """A name with its macros replaced."""
        ...

    def scan_code(self, here: ScannedText, code: Span) -> None:
        """Read code that is an argument: its braces are not a group, so its definitions last."""
        known = len(self.found)
        self.scan(here, *code)
        closing = str(code[1])
        kept = [step for step in self.found[known:] if step[1:] != ("close", (closing,))]
        self.found[known:] = [
            step._replace(args=(*step.args[:-1], ""))
            if step.op in ("define", "let", "form") and step.args[-1] == closing
            else step
            for step in kept
        ]

    def load(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Add a step that loads files, packages or a class."""
        if name in commands.INPUTS:
            target, end = of_input(name, here.groups, end)
            if target.endswith(_SETTINGS):
                target = self.resolved(here, target, at)
            self.emit(here, at, "input", target, name)
            return end
        (options, names), end = read_arguments("om", here.groups, end)
        if names.removeprefix("\\") not in self.told:
            names = self.resolved(here, names, at)
        op = "class" if name in LOADERS else "package"
        self.emit(here, at, op, names, options, name)
        return end

    def branches(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """`\\ifthenelse{…}{…}{…}` and its kin."""
        spans, stop = argument_spans(_FORMS.get(name, "mmm"), here.groups, end)
        if None in spans:
            return end
        *conditions, yes, no = (span or (end, end) for span in spans)
        self._either(here, name, at, conditions, yes, no)
        return stop

    def unread(self, here: ScannedText, name: str, _: int, end: int) -> int:
        """Skip arguments that are discarded, or shown verbatim."""
        return argument_spans(UNREAD[name], here.groups, end)[1]

    def fork(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """`\\IfBlankTF{…}{…}{…}` and its kin, LaTeX's or the paper's: one or two branches."""
        branches = 2 if name.endswith("TF") else 1
        letters = name.partition(":")[2]
        wanted = len(letters) or branches + _MOST_ASKED
        spans: list[Span] = []
        while len(spans) < wanted:
            span = here.groups.braces(end) or (here.groups.token(end) if letters else None)
            if span is None:
                break
            spans.append(span)
            end = here.groups.after(span)
        if len(spans) < branches:
            return end
        conditions, codes = spans[:-branches], spans[-branches:]
        yes, no = codes if branches == 2 else (codes[0], (codes[0][1], codes[0][1]))
        if branches == 1 and name.endswith("F"):
            yes, no = (codes[0][0], codes[0][0]), codes[0]
        self._either(here, name, at, conditions, yes, no)
        return end

    def _either(
        self, here: ScannedText, name: str, at: int, asked: Iterable[Span], yes: Span, no: Span
    ) -> None:
        """Add the steps of two branches, of which one runs."""
        mark = f"{at}.{here.depth}.{len(self.found)}"
        texts = (f"{{{here.text[slice(*condition)][:60]}}}" for condition in asked)
        self.emit(here, at, "if", mark, "".join((name, *texts)))
        self.scan_code(here, yes)
        self.emit(here, yes[1], "else", mark)
        self.scan_code(here, no)
        self.emit(here, no[1], "fi", mark)

    def held(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Code for the document's begin, or for an option."""
        if here.text.startswith("*", end):
            return argument_spans("m", here.groups, end)[1]
        spans, stop = argument_spans("m" if name in LATER else "mm", here.groups, end)
        if spans[-1] is None:
            return end
        given = here.text[slice(*(spans[0] or (0, 0)))].strip()
        if name in LATER:
            self.hold(here, at, LATER[name], spans[-1])
        else:
            self.hold(here, at, f"option {given}", spans[-1])
        return stop

    def processed(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Add a step that runs the code of options: of the given or of the named ones."""
        if name != "ExecuteOptions":
            self.emit(here, at, "options")
            return end
        (names,), end = read_arguments("m", here.groups, end)
        self.emit(here, at, "options", names)
        return end

    def hold(self, here: ScannedText, at: int, until: str, *codes: Span) -> None:
        """Add steps of code that waits, such as for the document, its appendix or a heading."""
        mark = f"{at}.{here.depth}.{len(self.found)}"
        self.emit(here, at, "hold", mark, until)
        for code in codes:
            self.scan_code(here, code)
        self.emit(here, codes[-1][1] if codes else at, "release", mark)

    def hook(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Read a hook; if it is unknown when its code runs, what the code touches is uncertain."""
        spans, stop = argument_spans(HOOKS[name], here.groups, end)
        first = spans[0] if "patchcmd" not in name else next(filter(None, spans), None)
        named = here.text[slice(*first)].strip() if first else ""
        if name in _REFORMING and _FORM.fullmatch(named):
            self._reform(here, name, at, named.removeprefix("\\"), spans)
            return stop
        until = _WAITED_FOR.get(named) if name not in _BEFORE else None
        until = until or _hooked(name, named)
        code = spans[2] if name == "AddToHook" else spans[1] if len(spans) > 1 else None
        if until is not None and code is not None:
            self.hold(here, at, until, code)
            return stop
        known = len(self.found)
        for span in spans if name in _WHOLE else spans[1:]:
            if span is not None:
                self.scan(here, *span)
        hooked = self.found[known:]
        del self.found[known:]
        for switch in {step.args[0] for step in hooked if step.op in scanned_text.SWITCHING}:
            self.emit(here, at, "switch", switch, "unknown")
        for touched in scanned_text.touched(hooked):
            self.emit(here, at, "taint", touched, "for good")
        return stop

    def _reform(
        self, here: ScannedText, command: str, at: int, form: str, spans: Sequence[Span | None]
    ) -> None:
        r"""`\apptocmd{\thethm}{'}{}{}`: extend or replace a counter's form."""
        added = spans[1] if len(spans) > 1 else None
        is_known = added is not None and "patch" not in command
        where = "before" if "pre" in command else "behind"
        text = here.text[slice(*added)] if added and is_known else ""
        is_global = command.startswith(("g", "csg"))
        closing = "" if is_global or here.at is not None else here.closing(at)
        how = " ".join((where if is_known else "patched", "global" if is_global else ""))
        self.emit(here, at, "form", form, text, how, closing)
        if closing:
            self.found.append(CounterStep(int(closing), "close", (closing,)))

    def environ(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """`\\NewEnviron`: whatever such an environment touches is uncertain."""
        spans, stop = argument_spans("moom", here.groups, end)
        if spans[0] is None or spans[-1] is None:
            return end
        name = here.text[slice(*spans[0])].strip()
        if "\\BODY" not in here.text[slice(*spans[-1])]:
            self.emit(here, at, "excludecomment", name)
            return stop
        known = len(self.found)
        self.scan(here, *spans[-1])
        self.displays.clear()
        touched = scanned_text.touched(self.found[known:])
        del self.found[known:]
        self.emit(here, at, "environ", name, *touched)
        return stop

    def footnote(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """A label in a footnote is the footnote's."""
        inside = argument_spans("om", here.groups, end)[0][-1]
        if inside is not None and "\\" in here.text[slice(*inside)] and not here.depth:
            self.emit(here, at, "begin", "\\footnote")
            self.found.append(CounterStep(inside[1], "end", ("\\footnote",)))
        return end


Declared = tuple[tuple[tuple[str, ...], ...], int]
"""The arguments of `theorem` steps and where the declaration ends.

The arguments are: environment, sibling, within, `*` if unnumbered, `alias` if it makes its own
name for the sibling's counter (`format` if that gets another form), the counter's name if
different, and for thmtools the style.
"""

_SIBLINGS = ("sibling", "sharenumber", "sharecounter", "numberlike", "numbersibling")
_PARENTS = ("parent", "numberwithin", "within")
_TCB = regex(
    r"(?:^|,)\s*(use counter from|use counter\*?|number within|number format|number freestyle)"
    r"\s*=\s*(\{[^{}]*\}|[^,]*)"
)


_STYLE = regex(r"\\(?:arabic|roman|Roman|alph|Alph)")


def declare(name: str, groups: Groups, position: int) -> Declared:
    """Read a declaration whose command ends at a position."""
    starred = groups.text.startswith("*", position)
    position += starred
    if name in ("declaretheorem", "newkeytheorem"):
        return _thmtools(groups, position)
    if name == "newEndThm":
        return _ending(groups, position)
    if name in ("newtcbtheorem", "NewTcbTheorem"):
        return _tcolorbox(groups, position, starred=starred)
    if name in BOXES:
        return _counted_box(groups, position)
    return _classic(name, groups, position, starred=starred)


def _classic(name: str, groups: Groups, position: int, *, starred: bool) -> Declared:
    """`\\newtheorem{env}[sibling]{Name}[within]` and similar commands."""
    if name in ("newmdtheoremenv", "mdtheorem") and (options := groups.brackets(position)):
        position = options[1] + 1
    env, position = _argument(groups, position)
    sibling, position = _option(groups, position)
    _, position = _argument(groups, position)
    if not env:
        return (), position
    within = ""
    if not sibling:
        within, position = _option(groups, position)
    if name.startswith("newsiam"):
        sibling, within = "theorem", ""
    made = (env, sibling, within, "*" if starred else "", "", "")
    if name == "newtheoremrep":
        return (made, (f"{env}rep", env, "", "", "", "")), position
    return (made,), position


def _argument(groups: Groups, position: int) -> tuple[str, int]:
    span = groups.braces(position)
    return (groups.text[slice(*span)].strip(), span[1] + 1) if span else ("", position)


def _option(groups: Groups, position: int) -> tuple[str, int]:
    span = groups.brackets(position)
    return (groups.text[slice(*span)].strip(), span[1] + 1) if span else ("", position)


class CounterKeys(NamedTuple):
    """The counter settings in the options of a statement or style; "" if not given."""

    sibling: str = ""
    within: str = ""
    mark: str = ""


def numbering_keys(*texts: str) -> CounterKeys:
    """Read thmtools' options; the mark `?` means numbered only under a condition."""
    sibling = _value(texts, _SIBLINGS)
    within = "" if sibling else _value(texts, _PARENTS)
    numbered = _value(texts, ("numbered",))
    mark = {"no": "*", "false": "*", "": "", "yes": "", "true": ""}.get(numbered, "?")
    return CounterKeys(sibling, within, mark)


def _thmtools(groups: Groups, position: int) -> Declared:
    first, position = _option(groups, position)
    names, position = _argument(groups, position)
    second, position = _option(groups, position)
    keys, style = numbering_keys(first, second), _value((first, second), ("style",))
    envs = [env.strip() for env in names.split(",") if env.strip()]
    return tuple((env, *keys, "alias", "", style) for env in envs), position


def _ending(groups: Groups, position: int) -> Declared:
    """`\\newEndThm[options]{lemE}{lemma}` (package proof-at-the-end)."""
    _, position = _option(groups, position)
    env, position = _argument(groups, position)
    sibling, position = _argument(groups, position)
    return ((env, sibling, "", "", "", ""),) if env and sibling else (), position


def _value(texts: Iterable[str], keys: tuple[str, ...]) -> str:
    return next((found for text in texts for key in keys if (found := option(text, key))), "")


def _tcolorbox(groups: Groups, position: int, *, starred: bool) -> Declared:
    options, position = _option(groups, position)
    env, position = _argument(groups, position)
    for _ in range(3):
        _, position = _argument(groups, position)
    if not env:
        return (), position
    made = _box_counter(options, env)
    plain = (f"{env}*", "", "", "*", "", "")
    return (made, plain) if not starred else (made,), position


_SETTINGS = (".cfg", ".clo", ".def", ".fd", ".ldf")
"""Suffixes of files that only configure something, and count nothing."""
_MOST_ASKED = 2
"""The most arguments before the branches of a condition whose name does not give the number."""
_FORMS: dict[str, str] = {}
"""The arguments of conditions, with both branches."""
for _asked, _listed in ASKED.items():
    _FORMS |= dict.fromkeys(_listed.split(), "m" * (_asked + 2))
_COUNTED = regex(r"(?:^|,)\s*(?:auto counter|use counter)")


def _counted_box(groups: Groups, position: int) -> Declared:
    """`\\newtcolorbox[auto counter]{thm}…`: a box that steps a counter."""
    options, position = _option(groups, position)
    env, position = _argument(groups, position)
    is_counted = env and _COUNTED.search(options)
    return (_box_counter(options, env),) if is_counted else (), position


def _box_counter(options: str, env: str) -> tuple[str, ...]:
    """A box's counter by tcolorbox's options, as the arguments of a `theorem` step."""
    found = {key: value.strip("{} ") for key, value in _TCB.findall(options)}
    sibling = found.get("use counter") or found.get("use counter*") or ""
    source = found.get("use counter from", "")
    sibling = sibling or (f"tcb@cnt@{source}" if source else "")
    within = found.get("number within", "") if not sibling or "use counter" in found else ""
    style = found.get("number format", "")
    is_odd = "number freestyle" in found or (style and (sibling or not _STYLE.fullmatch(style)))
    mark = "*" if "no counter" in options else "?" if is_odd else ""
    alias = "format" if "use counter" in found else style
    return env, sibling, within, mark, alias, f"tcb@cnt@{env}"
