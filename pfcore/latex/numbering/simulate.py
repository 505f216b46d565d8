"""Simulates LaTeX's counters and labels, file by file in reading order.

It walks through lists of steps and records the resulting numbers, including those of statements
that are restated by name (package thm-restate).
"""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.mask import mask
from pfcore.latex.numbering import actions, displays, document_classes
from pfcore.latex.numbering.actions import ACTIONS, decide
from pfcore.latex.numbering.counter_state import CounterState, CounterStep, GroupFrame, Number
from pfcore.latex.numbering.counting_commands import STYLE
from pfcore.latex.numbering.displays import Display
from pfcore.latex.numbering.document_classes import COUNTING_NOTHING, SPRINGER
from pfcore.latex.numbering.scanned_text import SWITCHING, touched
from pfcore.latex.parsed_file import SourceProblem
from pfcore.latex.project.include_graph import IncludeGraph, Inclusion, states_nothing

_DEEPEST = 30
_OPTION = "option "
"""Prefix to the name of an option, for which its code waits."""
_NAMING = "restatable", "theoremEnd"
"""Environments that begin another one, which they name."""
_RELEASING = {"appendix": ("appendix",), "appendices": ("appendix", "appendices")}
"""Steps after which waiting code runs."""
_TOUCHING = frozenset(
    """begin end if else fi item row nonumber tag label section starred setcounter addtocounter
    stepcounter refstepcounter close unread word PassOptionsToPackage PassOptionsToClass
    title maketitle""".split()
).union(SWITCHING)
"""Steps for which it is known what they count."""
_OPENING, _CLOSING = frozenset({"if", "hold"}), frozenset({"fi", "release"})
_COUNTED = {
    "item": ("enumi", "enumii", "enumiii", "enumiv"),
    **dict.fromkeys(("row", "nonumber", "tag"), ("equation",)),
}
_MOST_VISITS = 20_000
_MOST_REPEATS = 2_000
_MOST_BRANCHES = 3_000
_DEEPEST_WALK = 100
_ASKED_FOR = regex(
    r"(?:@ifundefined|ifcsundef)\{(?P<undefined>[^{}]+)\}|ifcsname\s+(?P<defined>[A-Za-z*]+)\s*\\endcsname"
)
_BACKSLASH = "\\"
"""Prefix to the name of an environment whose definition is followed."""


class NumberedFile(NamedTuple):
    """A file to be read: its steps, and the offset where its document begins, or -1."""

    steps: Sequence[CounterStep]
    body: int = -1


Place = tuple[str, int]
DisplayRows = tuple[str | None, ...]
"""The numbers printed at the rows of a display: "" for none, None if uncertain."""


@dataclass(slots=True)
class Simulated:
    """Numbers by label, and by file and offset for labels, statements and headings.

    `rows` are those of displays, by the places where these begin.
    """

    labels: dict[str, Number] = field(default_factory=dict)
    places: dict[Place, Number] = field(default_factory=dict)
    rows: dict[Place, DisplayRows] = field(default_factory=dict)

    def name(self, key: str, place: Place, number: Number) -> None:
        """Record a label and the number at its place; a label given twice must agree."""
        known = self.labels.get(key)
        is_other = known is not None and known.text != number.text
        self.labels[key] = number._replace(certain=False) if is_other else number
        self.put(place, number)

    def put(self, place: Place, number: Number) -> None:
        """Record the number at a place; if the place is read twice, both numbers must agree."""
        known = self.places.get(place)
        if known is not None and known.text != number.text:
            number = known._replace(certain=False)
        self.places[place] = number


def simulate(
    outline: IncludeGraph,
    files: Mapping[str, NumberedFile],
    macros: Mapping[str, str],
    *,
    start: str = "",
) -> Simulated:
    """Read a document from its root, or from another file in which a document starts.

    `macros` are the bodies of the paper's macros without arguments.
    """
    return _Simulator(outline, files, macros).run(start or outline.root)


class _Simulator:
    def __init__(
        self, outline: IncludeGraph, files: Mapping[str, NumberedFile], macros: Mapping[str, str]
    ) -> None:
        self._outline = outline
        self._files = files
        self._state = CounterState(macros)
        self._made = Simulated()
        self._path = ""
        self._display: Display | None = None
        self._visits = 0
        self._visited: set[str] = set()
        self._held: list[tuple[str, str, Sequence[CounterStep]]] = []
        self._hooks: set[str] = set()
        self._running: list[str] = []
        self._restated: dict[str, tuple[str, Sequence[CounterStep]]] = {}
        self._repeats = 0
        self._branches = 0
        self._depth = 0
        self._open: list[str] = []
        self._has_class = False

    def run(self, start: str) -> Simulated:
        document_classes.kernel(self._state.counters)
        document_classes.apply_class(self._state.counters, "", ())
        self._visit(start)
        return self._made

    def _visit(self, path: str) -> None:
        """Read a file at the place of its inclusion."""
        file = self._files.get(path)
        self._visits += 1
        if file is None or len(self._open) > _DEEPEST or self._visits > _MOST_VISITS:
            self._state.counters.doubt_all()
            return
        is_inside = any(self._files[other].body >= 0 for other in self._open)
        before, self._path = self._path, path
        self._visited.add(path)
        self._open.append(path)
        inclusions: dict[int, list[Inclusion]] = {}
        is_part = is_inside and file.body >= 0 and path.lower().endswith((".tex", ".ltx"))
        listed = [
            step for step in self._with_links(path) if not is_part or step.offset >= file.body
        ]
        for inclusion in self._outline.inclusions.get(path, ()):
            inclusions.setdefault(inclusion.offset, []).append(inclusion)
        self._walk(listed, inclusions)
        self._open.pop()
        self._path = before

    def _with_links(self, path: str) -> list[CounterStep]:
        """The file's steps, plus those for inclusions that have no step, and for missing files."""
        listed = list(self._files[path].steps)
        known = {step.offset for step in listed if step.op in ("input", "package", "class")}
        extra = [
            CounterStep(item.offset, "input", (item.path,))
            for item in self._outline.inclusions.get(path, ())
            if item.offset not in known
        ]
        extra += [
            CounterStep(problem.start, "missing")
            for problem in self._outline.problems.get(path, ())
            if _may_count(problem)
        ]
        return sorted(listed + extra, key=lambda step: step.offset) if extra else listed

    def _walk(self, listed: Sequence[CounterStep], inclusions: dict[int, list[Inclusion]]) -> None:
        if self._depth > _DEEPEST_WALK:
            self._state.counters.doubt_all()
            return
        self._depth += 1
        index = 0
        while index < len(listed):
            step = listed[index]
            if step.op == "if":
                index = self._condition(listed, index, inclusions)
            elif step.op == "hold":
                stop = matching(listed, index, "release")
                self._hold(step.args[1], listed[index + 1 : stop])
                index = stop
            elif step.op == "begin" and step.args[0].startswith(_NAMING):
                index = self._restatable(listed, index, inclusions)
            elif step.op == "begin" and step.args[0].lstrip(_BACKSLASH) in self._state.excluded:
                index = end_of(listed, index)
            elif step.op == "begin" and step.args[0].lstrip(_BACKSLASH) in self._state.doubtful:
                stop = end_of(listed, index)
                self._doubt_steps(listed[index + 1 : stop])
                index = stop
            elif step.op in ("input", "package", "class"):
                self._load(step, inclusions)
            else:
                self._do(step)
            index += 1
        self._depth -= 1

    def _condition(
        self, listed: Sequence[CounterStep], index: int, inclusions: dict[int, list[Inclusion]]
    ) -> int:
        stop = matching(listed, index, "fi")
        middle = matching(listed, index, "else")
        yes = listed[index + 1 : min(middle, stop)]
        no = listed[middle + 1 : stop] if middle < stop else []
        if not yes and not no:
            return stop
        holds = decide(listed[index].args[-1], self._state)
        if holds is None:
            holds = self._lacks(listed[index].args[-1], yes, no)
        if holds is not None:
            self._walk(yes if holds else no, inclusions)
            return stop
        self._branches += 1
        if self._branches > _MOST_BRANCHES:
            self._doubt_steps([*yes, *no])
            return stop
        before = self._state.branch()
        display, has_class = self._display, self._has_class
        self._walk(yes, inclusions)
        after, self._state = self._state, before
        if no:
            self._display = display
            has_class, self._has_class = self._has_class, has_class
            self._walk(no, inclusions)
            self._has_class = has_class or self._has_class
        after.merge(self._state)
        self._state = after
        return stop

    def _doubt_steps(self, listed: Sequence[CounterStep]) -> None:
        """Make uncertain whatever steps count that may or may not happen."""
        if not {step.op for step in listed} <= _TOUCHING:
            self._state.counters.doubt_all()
            return
        for step in listed:
            if step.op in SWITCHING:
                self._state.switches[step.args[0]] = None
            elif step.op == "word":
                self._state.strings.pop(step.args[0], None)
            else:
                names = step.args if step.op == "unread" else _COUNTED.get(step.op, ())
                if step.op == "item":  # a list of the paper has its own counter
                    names = (*names, *(f.counter for f in self._state.frames if f.counter))
                self._state.doubt_steps(names)
        self._state.doubt_steps(touched(listed))

    def _lacks(
        self, text: str, yes: Sequence[CounterStep], no: Sequence[CounterStep]
    ) -> bool | None:
        """Decide a condition on a statement that only one of its own branches declares."""
        match = _ASKED_FOR.match(text)
        if match is None or not document_classes.is_known(self._state.document_class):
            return None
        name = match["undefined"] or match["defined"]
        branch = yes if match["undefined"] else no
        declares = any(step.op == "theorem" and step.args[0] == name for step in branch)
        return bool(match["undefined"]) if declares else None

    def _load(self, step: CounterStep, inclusions: dict[int, list[Inclusion]]) -> None:
        """Read files of the snapshot; anything else that is loaded comes with TeX."""
        waiting = inclusions.get(step.offset, [])
        names = [name.strip() for name in step.args[0].split(",")]
        found = [item for item in waiting if _is_meant(item, names)] or (
            waiting if step.op != "input" else []
        )
        if step.op == "class":
            name = step.args[0].strip()
            name = self._state.word(name) if "\\" in name else name
            is_known = document_classes.is_known(document_classes.described(name))
            is_known = is_known and not (found and name in document_classes.OFTEN_OWN)
            self._class(step, is_own=bool(found) and not is_known)
            if is_known:
                self._declare_more(item.path for item in found)
                found = []
        elif step.op == "package":
            self._state.take_packages(*step.args[:2])
            found = [item for item in found if item.path not in self._visited]
        elif self._is_left_out(step) or (set(step.args[0]) & set("#\\") and not found):
            self._state.counters.doubt_all()
            return
        for item in found:
            if step.op == "package" and posixpath.basename(item.path)[:-4] in COUNTING_NOTHING:
                self._declare_more([item.path])
                continue
            if step.op == "package":
                self._visit_package(item.path, step.args[1])
            else:
                self._visit(item.path)

    def _visit_package(self, path: str, options: str) -> None:
        """Read a package of the paper with its own options and those of the document's class."""
        state = self._state
        name = posixpath.basename(path).rpartition(".")[0]
        before = state.options
        given = {text.strip() for text in options.split(",")} | state.given.get(name, set())
        state.options = (state.given.get("", before) | given) - {""}
        state.given[name] = given
        self._visit(path)
        self._state.options = before

    def _is_left_out(self, step: CounterStep) -> bool:
        """Whether `\\includeonly` leaves a file out; only an old .aux has its counters then."""
        only, included = self._state.only, "include" in step.args[1:]
        return only is not None and included and step.args[0].strip() not in only

    def _declare_more(self, paths: Iterable[str]) -> None:
        """Declare the statements of a copy of a known class or package.

        Classes differ from year to year: the copy's declaration of a counter wins, unless other
        code of the copy, such as that of an option, changes how it counts.
        """
        for path in paths:
            file, depth = self._files.get(path), 0
            steps = file.steps if file else ()
            reset = (step.args[0] for step in steps if step.op == "addtoreset")
            changed = {*touched(steps), *reset}
            for step in steps:
                depth += (step.op in _OPENING) - (step.op in _CLOSING)
                if step.op == "theorem" and (
                    step.args[0] not in self._state.statements
                    or (step.args[0] not in changed and self._is_plain(step, depth))
                ):
                    self._do(step)

    def _is_plain(self, step: CounterStep, depth: int) -> bool:
        """Whether a statement is declared unconditionally, with its own counter."""
        _, sibling, _, mark, alias, own, command = step.args[:7]
        is_bare = not any((sibling, mark, alias, own)) and command == "newtheorem"
        return is_bare and not depth and self._state.document_class not in SPRINGER

    def _class(self, step: CounterStep, *, is_own: bool) -> None:
        name, options, command = step.args
        state = self._state
        name = state.word(name) if "\\" in name else name
        if command == "documentclass":
            if self._has_class:
                return
            self._has_class = True
        given = {item.strip() for item in options.split(",") if item.strip()}
        if command == "documentclass":
            state.given[""] = given
        state.given[name] = given | state.given.get(name, set())
        state.options |= state.given[name]
        if not is_own:
            state.take_class(name, options)

    def _restatable(
        self, listed: Sequence[CounterStep], index: int, inclusions: dict[int, list[Inclusion]]
    ) -> int:
        """Read a statement and keep it for restating; the starred form appears only later."""
        step = listed[index]
        stop = end_of(listed, index)
        env, name = step.args[1:] if len(step.args) > 2 else ("", "")
        if not env:
            self._state.counters.doubt_all()
        inside = [CounterStep(step.offset, "begin", (env,)), *listed[index + 1 : stop]]
        inside.append(CounterStep(listed[stop].offset, "end", (env,)))
        self._restated[name] = self._path, inside
        if not step.args[0].endswith("*"):
            self._walk(inside, inclusions)
        return stop

    def _restate(self, step: CounterStep) -> None:
        """`\\name` of a restatable statement: read it again, with new numbers."""
        kept = self._restated.get(step.args[0])
        self._repeats += 1
        if kept is None or self._repeats > _MOST_REPEATS:
            self._state.counters.doubt_all()
            return
        before, self._path = self._path, kept[0]
        self._walk(kept[1], {})
        self._path = before

    def _do(self, step: CounterStep) -> None:
        action = ACTIONS.get(step.op)
        if action is not None:
            action(self._state, step.args)
            self._release(*_RELEASING.get(step.op, ()))
            return
        name = step.args[0] if step.args else ""
        match step.op:
            case "begin":
                self._begin(step, name)
            case "end":
                self._end(name)
            case "label":
                self._label(name, (self._path, step.offset))
            case "section" | "starred":
                self._section(step, name)
            case "item" | "caption" | "captionof":
                displays.step(self._state, step)
            case "row" | "tag" | "nonumber" | "odd":
                self._row(step, name)
            case "restate":
                self._restate(step)
            case "options":
                self._process(step.args)
            case _:
                pass

    def _begin(self, step: CounterStep, name: str) -> None:
        state = self._state
        self._run_hook(f"env/{name.lstrip(_BACKSLASH)}/before")
        frame = state.open(name)
        self._run_hook(f"env/{name.lstrip(_BACKSLASH)}/begin")
        if displays.is_display(name):
            if self._display is None:
                self._display = Display(name, state.current, (self._path, step.offset))
        elif name in state.statements:
            self._statement(step, name)
        elif name == "document":
            self._start()
        else:
            displays.begin(state, frame, step.args)

    def _start(self) -> None:
        """Begin the document: run the code that waited for it."""
        self._state.frames.pop()
        self._state.has_begun = True
        self._release("document")

    def _hold(self, until: str, listed: Sequence[CounterStep]) -> None:
        """Let steps wait; those for the document's beginning run at once if it has begun."""
        if until == "document" and self._state.has_begun:
            self._walk(listed, {})
            return
        if until.startswith(STYLE):  # only the code of a heading's last style counts
            self._held = [item for item in self._held if item[0] != until]
        self._held.append((until, self._path, listed))
        self._hooks.add(until)

    def _release(self, *awaited: str) -> None:
        """Run the code that waited for this; only that for the document's beginning runs once."""
        released = [
            item for item in self._held if item[0] in awaited and item[0] not in self._running
        ]
        self._held = [item for item in self._held if item[0] != "document" or item not in released]
        for until, path, listed in released:
            before, self._path = self._path, path
            self._running.append(until)
            self._walk(listed, {})
            self._running.pop()
            self._path = before

    def _process(self, named: Sequence[str]) -> None:
        """Run the code of this file's options, and forget it unless they are named.

        Options declared by files that have been read to their end also count as this file's.
        """
        above = {path for path in self._open if path != self._path}
        mine = [item for item in self._held if item[0].startswith(_OPTION) and item[1] not in above]
        chosen = [item for item in mine if item[0].removeprefix(_OPTION) in self._state.options]
        if named:
            names = [f"{_OPTION}{name.strip()}" for name in named[0].split(",")]
            chosen = [item for name in names for item in mine if item[0] == name]
        else:
            self._held = [item for item in self._held if item not in mine]
        for _, path, listed in chosen:
            before, self._path = self._path, path
            self._walk(listed, {})
            self._path = before

    def _statement(self, step: CounterStep, name: str) -> None:
        state = self._state
        declared = state.statements[name]
        self._display = None
        if declared.counter:
            made = state.step(declared.counter, name)
            made = made._replace(certain=made.certain and declared.certain)
            state.current = made
            if declared.is_shown:
                self._made.put((self._path, step.offset), made)
        else:
            state.current = Number("", name, False)
        if step.args[1:] and step.args[1]:
            self._label(step.args[1], (self._path, step.offset))

    def _run_hook(self, hook: str) -> None:
        """Run code that is hooked to the ends of an environment, or to a heading."""
        if hook in self._hooks:
            self._release(hook)

    def _end(self, name: str) -> None:
        if name == "document":
            self._release("end")
        hook = f"env/{name.lstrip(_BACKSLASH)}/end"
        if hook in self._hooks and any(frame.name == name for frame in self._state.frames):
            self._release(hook)
        self._close(name)
        self._run_hook(f"env/{name.lstrip(_BACKSLASH)}/after")

    def _close(self, name: str) -> None:
        if self._display is not None and self._display.name == name:
            display, self._display = self._display, None
            for key, place, number in displays.end_row(display, self._state, is_last=True):
                self._made.name(key, place, number)
            if displays.has_numbers(name):
                rows, known = tuple(display.rows), self._made.rows.get(display.start)
                is_other = known is not None and known != rows  # both readings must agree
                self._made.rows[display.start] = (None,) * len(rows) if is_other else rows
        frame = self._state.close(name)
        if frame is not None:
            self._closed(frame)

    def _closed(self, frame: GroupFrame) -> None:
        if frame.name == "subequations":
            displays.end_subequations(self._state, frame)
        elif frame.name in ("appendices", "subappendices"):
            actions.end_appendices(self._state, frame)

    def _section(self, step: CounterStep, name: str) -> None:
        self._display = None
        self._run_hook(f"cmd/{name}/before")
        if step.op != "starred":
            self._number_heading(step, name)
        self._run_hook(f"{STYLE}{name}")

    def _number_heading(self, step: CounterStep, name: str) -> None:
        state = self._state
        if actions.is_numbered(state, name):
            kind = "appendix" if state.is_appendix and actions.is_top(state, name) else name
            self._made.put((self._path, step.offset), state.step(name, kind))

    def _row(self, step: CounterStep, name: str) -> None:
        display = self._display
        if display is None:
            return
        if step.op == "row":
            for key, place, number in displays.end_row(display, self._state, is_last=False):
                self._made.name(key, place, number)
        elif step.op == "tag":
            display.tag = name
        elif step.op == "nonumber":
            display.is_numbered = False
        else:
            self._state.counters.doubt("equation")

    def _label(self, key: str, place: tuple[str, int]) -> None:
        if self._display is not None:
            self._display.labels.append((key, place))
        else:
            self._made.name(key, place, self._state.current)


def _may_count(problem: SourceProblem) -> bool:
    """Whether a missing file may step counters; LaTeX continues without one of `\\include`."""
    is_optional = problem.message.startswith("\\include{")
    return (
        problem.code == "missing-file" and not is_optional and not states_nothing(problem.subject)
    )


def end_of(listed: Sequence[CounterStep], index: int) -> int:
    """The index where an environment ends, which nests none of its name; else the last index."""
    name = listed[index].args[0]
    return next(
        (
            other
            for other in range(index, len(listed))
            if listed[other].op == "end" and listed[other].args[0] == name
        ),
        len(listed) - 1,
    )


def matching(listed: Sequence[CounterStep], index: int, op: str) -> int:
    """The index of another part of a condition; the length of the list if there is none."""
    mark = listed[index].args[0]
    return next(
        (
            other
            for other in range(index + 1, len(listed))
            if listed[other].op == op and listed[other].args[0] == mark
        ),
        len(listed),
    )


def _is_meant(item: Inclusion, names: Sequence[str]) -> bool:
    """Whether an inclusion has one of some names; that of a symbolic link also counts."""
    return is_named(item.path, names) or is_named(item.name, names)


def is_named(path: str, names: Sequence[str]) -> bool:
    """Whether a command's names include a file; case does not matter."""
    base = path.rpartition("/")[2].lower()
    wanted = {name.rpartition("/")[2].lower() for name in names if name}
    return base in wanted or base.rpartition(".")[0] in wanted


def restating_commands(listed: Iterable[CounterStep]) -> frozenset[str]:
    """The commands that restate a statement."""
    return frozenset(
        step.args[2]
        for step in listed
        if step.op == "begin" and step.args[0].startswith("restatable") and len(step.args) > 2
    ) - {""}


def restated_statements(
    text: str, silent: Sequence[tuple[int, int]], wanted: frozenset[str]
) -> tuple[CounterStep, ...]:
    """Steps where a file restates a statement with a new number; a star keeps the old one."""
    masked = mask(text).text
    hidden = Spans(silent)
    pattern = re.compile(rf"(?<!\\)\\({alternatives(wanted)})(?![A-Za-z@])\s*(\*?)")
    return tuple(
        CounterStep(match.start(), "restate", (match[1],))
        for match in pattern.finditer(masked)
        if not match[2] and not hidden.covers(match.start())
    )
