"""One pass over a file's text: everything that happens to counters and labels, in order."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import PRINTS_COMMENTS, mask
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import Lexicon, MacroChange
from pfcore.latex.numbering import scanned_text, step_arguments
from pfcore.latex.numbering.counter_state import CounterStep
from pfcore.latex.numbering.counting_commands import (
    ANY,
    CALLED,
    COUNTERS,
    DECLARERS,
    DEFINERS,
    DISPLAYS,
    GROUPS,
    HOOKS,
    KOMA_HEADINGS,
    LATER,
    LOADERS,
    LOOPS,
    MATTERS,
    MORE_TESTS,
    NAMED,
    NAMERS,
    OPTIONS,
    PACKAGES,
    PROCESSORS,
    ROWS,
    SECTIONS,
    STYLE,
    TESTS,
    UNREAD,
    UNSEEN,
    Vocabulary,
)
from pfcore.latex.numbering.scanned_text import ScannedText
from pfcore.latex.numbering.step_arguments import CodeFinder, declare
from pfcore.latex.project import survey
from pfcore.latex.project.declarations import Environment

_DEPTH = 12
_LONGEST = 20_000
_SPARE = 2_000_000
_MOST = 300_000
_MOST_ITEMS = 200
_ROW_ENDED = regex(r"\\\\\*?\s*(?:\[[^\]]*\])?\s*$")
_SWITCH = regex(r"\s*\{?\s*\\if([A-Za-z@]+)")
_SETTING = regex(r"([A-Za-z@]+?)(true|false)")
_SET = regex(r"\\([A-Za-z@]+?)(?:true|false)(?![A-Za-z@])")
_LAST = regex(r"\\([A-Za-z@]+)\s*\Z")
_ENDING = regex(r"\\([A-Za-z@]+)((?:\s*(?:\[[^\[\]]*\]|\{[^{}]*\}))*)\s*\Z")
"""A body's last command, with its arguments inside the body."""
_REACH = 200
_WINDOW = 20_000
_BEFORE = 48
_READS = regex(
    r"(?:[<>=]|\\(?:number|the|ifnum|ifodd|ifcase|value|romannumeral|@?(?:arabic|[Rr]oman|[Aa]lph)"
    r"|fnsymbol|two@digits|z@|typeout)|\{)\Z"
)
"""Precedes a counter's value that is read, not set."""
_ASSIGNED = regex(r"\s*(?:=|by(?![A-Za-z]))?\s*(-?\d+|\\(?:z@|@ne|m@ne|tw@|thr@@)(?![A-Za-z@]))")
_GLOBALLY = regex(r"\\global\s*(?:\\advance)?\Z")
_WAITS = regex(r"(?:\s*\\expandafter)+\Z")
_WAITING = regex(r"(?:\s*\\expandafter(?![A-Za-z@]))*")
_STEPPERS = frozenset({"stepcounter", "refstepcounter", "addtocounter", "setcounter"})
_NUMBERS = {"\\z@": "0", "\\@ne": "1", "\\m@ne": "-1", "\\tw@": "2", "\\thr@@": "3"}
_INTEGERS = {
    "int_gset": ("setcounter",), "int_gadd": ("addtocounter",),
    "int_gincr": ("addtocounter", "1"), "int_gzero": ("setcounter", "0"),
}  # fmt: skip
"""The steps of expl3's integer commands, when the integers are counters."""
_NAMED_ONLY = regex(r"\\(?:if[a-z]*|let|string|noexpand|expandafter|protect)\s*\Z")
_NEXT_COMMAND = regex(r"\s{0,20}\\[A-Za-z@]{1,80}")
_SECDEF = regex(r"\s*\\@([a-z]+)\s*\\@s[a-z]+")
"""The code of a heading without and with a star."""
_MODE = regex(r"\s*<([^<>{}]{1,60})>\s*(?=\{)")
_BOXING = regex(r"\\setbox|lrbox")
"""Code that saves typeset text in a box, whose counting still happens."""
_NAMING = regex(r"[\[{=]\s*\\([A-Za-z@]+)\s*[\]},]")
"""A macro that names something."""
_SWALLOWING = regex(r"\\(?:comment|iffalse|begin\{comment\})(?![A-Za-z])")


def steps(
    text: str,
    vocabulary: Vocabulary,
    *,
    silent: Sequence[tuple[int, int]] = (),
    definitions: Sequence[Definition] = (),
    changes: Sequence[MacroChange] = (),
) -> tuple[CounterStep, ...]:
    """The steps of a file; `silent` and `definitions` are those of its survey."""
    masked = mask(text, vocabulary.syntax.dead & {PRINTS_COMMENTS}).text
    scanner = _StepScanner(vocabulary, Lexicon(vocabulary.syntax.macros, changes))
    scanner.words = frozenset(_NAMING.findall(masked))
    gone = (
        _gone(masked, vocabulary) if vocabulary.syntax.excluded or vocabulary.syntax.toggles else ()
    )
    scanner.scan(scanned_text.passage(masked, [*silent, *gone], definitions))
    return tuple(sorted(scanner.found, key=lambda step: step.offset))


def _gone(masked: str, vocabulary: Vocabulary) -> list[tuple[int, int]]:
    """The spans that are never read; text in boxes is counted, printed or not."""
    own = vocabulary.environments
    boxed = {name for name, item in own.items() if _BOXING.search(item.begin)}
    return survey.gone(masked, vocabulary.syntax.excluded - boxed, vocabulary.syntax.toggles)


class _StepScanner(CodeFinder):
    def __init__(self, vocabulary: Vocabulary, lexicon: Lexicon) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._lexicon = lexicon
        self._ends: list[tuple[str, str]] = []
        self._spare = _SPARE
        self._serial = 0

    def scan(self, here: ScannedText, start: int = 0, end: int | None = None) -> None:
        """Read a passage from one position to another."""
        position, end = start, len(here.text) if end is None else end
        while True:
            pattern = self._vocabulary.inner if self.displays else self._vocabulary.outer
            match = pattern.search(here.text, position, end)
            if match is None:
                return
            if len(self.found) > _MOST:
                self.emit(here, match.start(), "missing")
                return
            at, position = match.span()
            if at in here.definitions:
                position = self._meaning(here, here.definitions[at])
            elif not here.hidden.covers(at):
                position = self._token(here, match, at, position)

    def _meaning(self, here: ScannedText, item: Definition) -> int:
        r"""Read a definition; a new meaning of `\stepcounter` may count anything it names."""
        if item.name in _STEPPERS and item.macro.parameters != macros.PRIMITIVE:
            for name in sorted(self._vocabulary.touched(item.macro.body) or ()):
                self.emit(here, item.start, "taint", name, "for good")
        return self.define(here, item)

    def _token(self, here: ScannedText, match: re.Match[str], at: int, end: int) -> int:
        """Read one command; returns where to continue."""
        match match.lastgroup:
            case "name":
                return self._command(here, match["name"], at, end)
            case "fork":
                return self.fork(here, match["fork"], at, end)
            case "begin":
                return self._begin(here, match["begin"].strip(), at, end)
            case "end":
                self._end(here, match["end"].strip(), at)
            case "test":
                self.test(here, at, end)
            case "integer":
                return self._integer(here, match["integer"], at, end)
            case "cell":
                self._cell(here, match["cell"], at, end)
            case "to":
                self.emit(here, at, "switch", match["switch"], match["to"])
            case "sign":
                self.sign(here, match["sign"], at)
            case _:
                self.displays[-1][0] += 1 if match[0] == "{" else -1
        return end

    def _cell(self, here: ScannedText, name: str, at: int, end: int) -> None:
        r"""`\c@name`: a value is read, assigned or added; otherwise the counter is uncertain.

        A non-`\global` assignment inside braces holds until these end, which is not followed.
        """
        before = _WAITS.sub("", here.text[max(0, at - _BEFORE) : at].rstrip())
        value = _ASSIGNED.match(here.text, end)
        is_given = value is not None and "=" in value[0] and before.endswith("{")
        if _READS.search(before) and not is_given:
            return
        number = value and _NUMBERS.get(value[1], value[1])
        is_global = _GLOBALLY.search(before) is not None
        if "\\" in name:
            self._doubt(here, at, f"\\csname c@{name}\\endcsname")
        elif number is None or not (is_global or here.closing(at) == ""):
            self.emit(here, at, "taint", name)
        else:
            op = "addtocounter" if before.endswith("\\advance") else "setcounter"
            self.emit(here, at, op, name, number, "" if is_global else "local")

    def _defined(self, here: ScannedText, _: str, at: int, end: int) -> int:
        r"""`\defcounter{thm}{4}` of etoolbox, which holds until the group around it ends."""
        (name, value), end = step_arguments.read_arguments("mm", here.groups, end)
        if here.closing(at):
            self.emit(here, at, "taint", name)
        else:
            self.emit(here, at, "setcounter", name, value, "local")
        return end

    def _let(self, here: ScannedText, _: str, at: int, end: int) -> int:
        r"""`\cslet{thethm}{\form}`: a counter gets another form."""
        (name, _), end = step_arguments.read_arguments("mm", here.groups, end)
        self.emit(here, at, "form", name.removeprefix("\\"), "", "patched global", "")
        return end

    def _integer(self, here: ScannedText, name: str, at: int, end: int) -> int:
        r"""`\int_gset:cn {c@thm}{4}`, and loops of expl3, whose code is not run here."""
        command, _, letters = name.partition(":")
        given, end = step_arguments.of_letters(letters, here.groups, end)
        if not letters.startswith("c"):
            self._doubt(here, at, " ".join(given))
            return end
        cell = self._lexicon.resolve("".join(given[:1]), here.offset(at)).replace(" ", "")
        if not cell.startswith("c@"):
            return end
        op, *values = _INTEGERS.get(command, ("taint",))
        if "\\" in cell:
            self._doubt(here, at, f"\\csname {cell}\\endcsname")
        elif op == "taint" or letters[1:] not in ("", "n"):
            self.emit(here, at, "taint", cell[2:])
        else:
            self.emit(here, at, op, cell[2:], *(values or given[1:]))
        return end

    def _begin(self, here: ScannedText, name: str, at: int, position: int) -> int:
        own = self._environment(here, name)
        if own is None or here.depth >= _DEPTH or name in here.opened:
            return self._plain_begin(here, self._meant(here, name, at), at, position, name)
        if _SWALLOWING.search(own.begin):
            end = here.text.find(f"\\end{{{name}}}", position)
            return end if end >= 0 else position
        begin, position = step_arguments.of_environment(own, here.groups, position)
        begin, position = self._with_arguments(here, begin, at, position)
        self.emit(here, at, "begin", f"\\{name}")
        self._ends.append((name, own.end))
        self._expand(here, begin, at, position, opened=name)
        return position

    def _with_arguments(
        self, here: ScannedText, begin: str, at: int, position: int
    ) -> tuple[str, int]:
        """A begin, with the arguments that its last macro takes from the text after it."""
        last = _LAST.search(begin)
        macro = self._lexicon.meaning(last[1], here.offset(at)) if last else None
        if macro is None or not macro.parameters or macro.parameters == macros.PRIMITIVE:
            return begin, position
        found = macros.arguments(macro, here.groups, position)
        if found is None:
            return begin, position
        return begin + here.text[position : found[1]], found[1]

    def _environment(self, here: ScannedText, name: str) -> Environment | None:
        own = self._vocabulary.environments.get(name)
        if own is None or name in ("document", "proof"):
            return None
        declared = self._vocabulary.syntax.theorems.get(name)
        return None if declared and f"\\begin{{{name}}}" in own.begin else own

    def _meant(self, here: ScannedText, name: str, at: int) -> str:
        """The environment to which `\\let\\name\\other` sets this one."""
        for _ in range(4):
            macro = self._lexicon.meaning(name, here.offset(at))
            if macro is None or macro.parameters != macros.PRIMITIVE or macro.body[0] != "\\":
                break
            if macro.body in ("\\relax", "\\undefined", "\\@undefined"):
                break
            name = macro.body[1:]
        return name

    def _plain_begin(
        self, here: ScannedText, name: str, at: int, position: int, written: str
    ) -> int:
        if written != name:
            self.emit(here, at, "begin", f"\\{written}")
            self._ends.append((written, f"\\end{{{name}}}"))
        if name in ("appendix", "appendices", "subappendices"):
            self.emit(here, at, "begin", name)
            self.emit(here, at, name)
            return position
        if name in SECTIONS:
            return self._section(here, name, at, position)
        if name.rstrip("*") in DISPLAYS or name == "empheq":
            name, position = step_arguments.of_display(name, here.groups, position)
            self.open(here, name, at)
            return position
        if self.displays:
            if name not in self._vocabulary.syntax.theorems:
                self.displays[-1][1] += 1
                return position
            self.displays.clear()
        theorem = self._vocabulary.syntax.theorems.get(name)
        extra, position = step_arguments.of_plain(name, here.groups, position, theorem)
        self.emit(here, at, "begin", name, *extra)
        return position

    def _end(self, here: ScannedText, name: str, at: int) -> None:
        is_own = bool(self._ends) and self._ends[-1][0] == name and name not in here.opened
        if (name.rstrip("*") in DISPLAYS or name == "empheq") and not is_own:
            self.close(here, name, at)
            return
        if self.displays and self.displays[-1][1] > 0:
            self.displays[-1][1] -= 1
            return
        self.displays.clear()
        index = next((i for i, e in enumerate(self._ends[::-1]) if e[0] == name), None)
        if index is not None and name not in here.opened:
            _, closing = self._ends.pop(len(self._ends) - 1 - index)
            self._expand(here, closing, at, at, opened=name)
            name = f"\\{name}"
        self.emit(here, at, "end", name)

    def _expand(
        self, here: ScannedText, body: str, at: int, position: int, *, opened: str = ""
    ) -> None:
        if self._spare <= 0 or here.depth >= _DEPTH:
            self._doubt(here, at, body)
        elif "\\" in body:
            self._spare -= len(body)
            self._serial += 1
            tail = _next(here, position)
            serial = self._serial
            made = scanned_text.inner(here, body, at, tail=tail, opened=opened, serial=serial)
            self.scan(made)

    def _command(self, here: ScannedText, name: str, at: int, end: int) -> int:
        is_named_only = name in SECTIONS and _next(here, end) not in ("{", "[", "*")
        if not is_named_only and name in self._vocabulary.expanded:
            name, called = self._called(here, name, at)
            if called is not None:
                return self._call(here, called, at, end)
        if name in self._vocabulary.opaque:
            self._doubt(here, at, self._opaque_code(here, name, at, end))
            return end
        if name in COUNTERS:
            star = "*" if here.text.startswith("*", end) else ""
            end = _WAITING.match(here.text, end).end()  # type: ignore[union-attr]
            values, end = step_arguments.read_arguments(COUNTERS[name], here.groups, end)
            values = [self._lexicon.resolve(value, here.offset(at)) for value in values]
            step = CALLED.get(name, name).lstrip("@")
            self.emit(here, at, step, *values, *((star,) if star else ()))
            return end
        if name in SECTIONS:
            return self._section(here, name, at, end)
        if name in MATTERS:
            self.emit(here, at, name)
            return end
        if name in DECLARERS:
            declared, end = declare(name, here.groups, end)
            for item in declared:
                self.emit(here, at, "theorem", *item[:6], name, *item[6:])
            return end
        if name in ROWS or name == "label" or name in self._vocabulary.syntax.labels:
            return self._in_row(here, name, at, end)
        return self._other(here, name, at, end)

    def _called(self, here: ScannedText, name: str, at: int) -> tuple[str, Macro | None]:
        """The command that a name means, and the macro to be expanded for it, if any."""
        macro = self._lexicon.meaning(name, here.offset(at))
        if macro is None or macro.parameters != macros.PRIMITIVE:
            return name, macro
        name = self._meant(here, name, at)
        return name, Macro((), f"\\{name}") if name in DEFINERS else None

    def _call(self, here: ScannedText, macro: Macro, at: int, end: int) -> int:
        found = macros.arguments(macro, here.groups, end)
        if found is None:
            self._doubt(here, at, macro.body)
            return end
        values = [macros.NO_VALUE if s is None else here.text[slice(*s)] for s in found[0]]
        body = macros.filled(macro, macro.body, values, _LONGEST)
        end = found[1]
        if body is None:
            self._doubt(here, at, "".join((macro.body, *values)))
        else:
            body, end = self._with_following(here, body, at, end)
            lent, end = step_arguments.lent(body, here.groups, end)
            self._expand(here, body + lent, at, end)
        return end

    def _with_following(
        self, here: ScannedText, body: str, at: int, end: int, depth: int = 0
    ) -> tuple[str, int]:
        """A macro's text after its look-ahead, with its last macro expanded, and where it ends."""
        body, end = macros.looked(body, here.groups, end) or (body, end)
        last = _ENDING.search(body, max(0, len(body) - _REACH))
        if last is None or depth > _DEPTH or last[1] not in self._vocabulary.active:
            return body, end
        macro = self._lexicon.meaning(last[1], here.offset(at))
        if macro is None or macro.parameters == macros.PRIMITIVE:
            return body, end
        given, groups, start = last[2].strip(), here.groups, end
        if given:
            groups, start = Groups(given + here.text[end : end + _WINDOW]), 0
        found = macros.arguments(macro, groups, start)
        if found is None or (given and found[1] <= len(given)):
            return body, end
        values = [macros.NO_VALUE if s is None else groups.text[slice(*s)] for s in found[0]]
        inner = macros.filled(macro, macro.body, values, _LONGEST)
        if inner is None:
            return body, end
        end = end + found[1] - len(given) if given else found[1]
        inner, end = self._with_following(here, inner, at, end, depth + 1)
        return body[: last.start()] + inner, end

    def _opaque_code(self, here: ScannedText, name: str, at: int, end: int) -> str:
        """The code of a macro that is not run; its body with arguments if these name counters.

        An argument with commands is unknown.
        """
        macro = self._lexicon.meaning(name, here.offset(at))
        if macro is None or name not in self._vocabulary.computing:
            return f"\\{name}"
        found = macros.arguments(macro, here.groups, end)
        values = [here.text[slice(*span)] if span else "" for span in found[0]] if found else []
        values = [ANY if "\\" in value else value for value in values]
        made = macros.filled(macro, macro.body, values, _LONGEST) if found else None
        return f"\\{name}" if made is None else made

    def _doubt(self, here: ScannedText, at: int, code: str) -> None:
        """Doubt the counters that unexecuted code names, or all counters if it computes names."""
        for switch in dict.fromkeys(match[1] for match in _SET.finditer(code)):
            self.emit(here, at, "switch", switch, "unknown")
        touched = self._vocabulary.touched(code)
        if touched is None:
            self.emit(here, at, "missing")
        elif touched:
            self.emit(here, at, "unread", *sorted(touched))

    def _after_group(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """A command that runs when the group ends; its counters are uncertain from here on."""
        match = _NEXT_COMMAND.match(here.text, end)
        if match is None or match[0].strip(" \\") in GROUPS:
            return end
        self._doubt(here, at, match[0].strip())
        return match.end()

    def _section(self, here: ScannedText, name: str, at: int, end: int) -> int:
        self.displays.clear()
        following = _next(here, end)
        if following in ("{", "[", "*") and f"{name}break" in self._vocabulary.active:
            self._break(here, f"{name}break", at, end)
        if following in ("{", "["):
            self.emit(here, at, "section", name)
        elif following == "*":
            self.emit(here, at, "starred", name)
        return end

    def _break(self, here: ScannedText, name: str, at: int, end: int) -> None:
        r"""`\sectionbreak` runs before each section (package titlesec)."""
        macro = self._lexicon.meaning(name, here.offset(at))
        if macro is None or macro.parameters:
            return
        mark = f"{at}.{here.depth}.{len(self.found)}"
        self.emit(here, at, "if", mark, "@ifpackageloaded{titlesec}")
        self._expand(here, macro.body, at, end)
        self.emit(here, at, "fi", mark)

    def _in_row(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Read a label, a tag, the end of a row, or a command that changes its numbering."""
        if name == "cr":
            self.sign(here, "\\", at)
            return end
        if name in ("intertext", "shortintertext"):
            # amsmath ends the row itself if it has not ended.
            if not _ROW_ENDED.search(here.text, max(0, at - 40), at):
                self.sign(here, "\\", at)
            return end
        if name not in ("label", "tag") and name in ROWS:
            self.emit(here, at, "nonumber" if name != "IEEEyesnumber" else "odd")
            return end
        end += name == "tag" and here.text.startswith("*", end)
        values, end = step_arguments.read_arguments(
            "om" if name != "tag" else "m", here.groups, end
        )
        key = self._lexicon.resolve(values[-1], here.offset(at))
        if key:
            self.emit(here, at, "tag" if name == "tag" else "label", " ".join(key.split()))
        return end

    def _other(self, here: ScannedText, name: str, at: int, end: int) -> int:
        if name in GROUPS:
            self.emit(here, at, GROUPS[name], "\\group")
        elif name in ("title", "maketitle"):
            self.emit(here, at, name, "*" * here.text.startswith("*", end))
        elif name in UNSEEN:
            (given,), _ = step_arguments.read_arguments("m", here.groups, end)
            if "\\jobname" not in given:
                self.emit(here, at, "unseen")
        elif name in ("item", "caption"):
            rest = _next(here, end)
            self.emit(here, at, name, rest if rest in ("[", "*") else "")
        elif name == "@startsection":
            values, end = step_arguments.read_arguments("mmmmmm", here.groups, end)
            return self._section(here, values[0], at, end)
        elif name == "secdef":
            match = _SECDEF.match(here.text, end)
            return self._section(here, match[1], at, match.end()) if match else end
        elif name in NAMED or name in self._vocabulary.bare:
            return self._bare(here, name, at, end)
        elif read := self._readers.get(name):
            return read(here, name, at, end)
        return end

    def resolved(self, here: ScannedText, key: str, at: int) -> str:
        """A name with its macros replaced."""
        return self._lexicon.resolve(key, here.offset(at))

    def _switch(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """`\\newif\\ifx` makes a switch that is off."""
        switch = _SWITCH.match(here.text, end)
        if switch:
            self.emit(here, at, "switch", switch[1], "false")
        return step_arguments.past_command(here.text, end)

    def _named(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """A command whose name is computed; an unknown name is taken not to be of a counter."""
        if name == "csname":
            stop = here.text.find("\\endcsname", end, end + 300)
            meant, end = (here.text[end:stop], stop + 10) if stop >= 0 else ("", end)
        else:
            (meant,), end = step_arguments.read_arguments("m", here.groups, end)
        meant = self._lexicon.resolve(meant, here.offset(at)).strip()
        if meant.startswith("c@"):
            self._cell(here, meant[2:], at, end)
            return end
        if meant in self._vocabulary.names and meant not in NAMERS | DEFINERS:
            return self._command(here, meant, at, end)
        if switch := _SETTING.fullmatch(meant):
            self.emit(here, at, "switch", switch[1], switch[2])
        return end

    def _looped(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Run code for each of some words; code that runs unknown many times is doubted."""
        if name in ("forcsvlist", "docsvlist"):
            handler = "\\do"
            if name == "forcsvlist":
                (handler,), end = step_arguments.read_arguments("m", here.groups, end)
            (listed,), end = step_arguments.read_arguments("m", here.groups, end)
            words = [word.strip() for word in listed.split(",") if word.strip()]
            calls = "".join(f"{handler}{{{word}}}" for word in words[:_MOST_ITEMS])
            self._expand(here, calls, at, end)
            return end
        code, end, is_known = step_arguments.of_loop(name, here.groups, at, end)
        if is_known:
            self._expand(here, code, at, end)
        else:
            self._doubt(here, at, code)
        return end

    def _levelled(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """`\\titleclass{\\para}` makes a heading that is not followed (package titlesec)."""
        (command,), end = step_arguments.read_arguments("m", here.groups, end)
        if command.removeprefix("\\") not in SECTIONS:
            self.emit(here, at, "taint", command.removeprefix("\\"), "for good")
        return end

    def _declared(self, here: ScannedText, name: str, at: int, end: int) -> int:
        r"""`\RedeclareSectionCommand[font={…}]{section}`: code that counts with KOMA's headings."""
        spans, stop = step_arguments.argument_spans("om", here.groups, end)
        self._doubted(here, at, here.text[slice(*spans[0])] if spans[0] else "")
        return stop

    def _doubted(self, here: ScannedText, at: int, code: str) -> None:
        """Doubt for good the counters of code that runs at unknown times."""
        touched = self._vocabulary.touched(code) if "counter" in code else None
        for counter in sorted(touched or ()):
            self.emit(here, at, "taint", counter, "for good")

    def _styled(self, here: ScannedText, name: str, at: int, end: int) -> int:
        r"""`\titleformat{\section}`: its code counts with each section."""
        spans, stop = step_arguments.argument_spans("mommmmo", here.groups, end)
        heading = here.text[slice(*spans[0])].strip()[1:] if spans[0] else ""
        if heading not in SECTIONS:
            return self._levelled(here, name, at, end)
        self._doubted(here, at, here.text[slice(*spans[3])] if spans[3] else "")
        codes = [span for span in (spans[2], *spans[5:]) if span is not None]
        counting = [span for span in codes if "counter" in here.text[slice(*span)]]
        self.hold(here, at, f"{STYLE}{heading}", *counting)
        return stop if None not in spans[2:6] else end

    def _unnumbered(self, here: ScannedText, _: str, at: int, end: int) -> int:
        if _next(here, end) in ("{", "["):
            self.emit(here, at, "addsec")
        return end

    def _moded(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """`\\mode<presentation>{…}` of beamer: for the slides, or for the article."""
        match = _MODE.match(here.text, end)
        span = here.groups.braces(match.end()) if match else None
        if not match or not span:
            return end
        mark = f"{at}.{here.depth}.{len(self.found)}"
        self.emit(here, at, "if", mark, f"mode {match[1]}")
        self.scan_code(here, span)
        self.emit(here, span[1], "fi", mark)
        return span[1] + 1

    @cached_property
    def _readers(self) -> dict[str, Callable[[ScannedText, str, int, int], int]]:
        """Commands with code or files for arguments."""
        return {
            **dict.fromkeys(LOADERS | PACKAGES | commands.INPUTS, self.load),
            **dict.fromkeys(TESTS | MORE_TESTS, self.branches),
            **dict.fromkeys(UNREAD, self.unread),
            "aftergroup": self._after_group,
            **dict.fromkeys(LATER.keys() | OPTIONS, self.held),
            **dict.fromkeys(PROCESSORS, self.processed),
            **dict.fromkeys(HOOKS, self.hook),
            **dict.fromkeys(LOOPS, self._looped),
            **dict.fromkeys(NAMERS, self._named),
            "NewEnviron": self.environ,
            "footnote": self.footnote,
            "newif": self._switch,
            "addsec": self._unnumbered,
            "titleclass": self._levelled,
            "titleformat": self._styled,
            **dict.fromkeys(KOMA_HEADINGS, self._declared),
            "defcounter": self._defined,
            **dict.fromkeys(("cslet", "csletcs", "letcs"), self._let),
            "mode": self._moded,
        }

    def _bare(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """`\\equation` and `\\endequation`, without begin and end."""
        if _NAMED_ONLY.search(here.text, max(0, at - 20), at):
            return end
        if not name.startswith("end"):
            return self._plain_begin(here, name, at, end, name)
        self._end(here, name[3:], at)
        return end


def _next(here: ScannedText, position: int) -> str:
    """The character that follows a position, white space skipped."""
    following = here.groups.skip_space(position)
    return here.text[following : following + 1] or here.tail
