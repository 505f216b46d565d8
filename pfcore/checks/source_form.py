"""Checks of the LaTeX itself: environments, braces, files, encodings.

Also checks the form of proofs in PF markup: tags, numbers, order, and allowed citations.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks.check import Check, CheckInput, written_in
from pfcore.checks.figure_files import spelled_apart
from pfcore.domain.errors import SourceError
from pfcore.domain.findings import located, quoted
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Severity
from pfcore.latex import codec
from pfcore.latex.lexer.mask import CONFLICT, VERBATIM, lone_markers, mask
from pfcore.latex.macros.macro_table import leading
from pfcore.latex.parsed_file import SourceProblem, is_tagged
from pfcore.latex.project.include_graph import resolve
from pfcore.latex.project.survey import NODE, FileLink
from pfcore.latex.project.syntax import FLOATS, LISTS, MATHS
from pfcore.markup.pf_paper import PREFIX, is_markup

if TYPE_CHECKING:
    from pfcore.markup.tagged_sections import TaggedSection
    from pfcore.repository.build_sources import BuildSources

_ENVIRONMENT = frozenset({"unclosed", "stray-end", "crossed"})


def environments(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Environments that are not closed, or closed without being open, in the whole paper."""
    certain = None
    for number, (path, problem, count) in enumerate(_unbalanced(scene)):
        certain = certain or _CertainNesting(scene)
        other = _closed_otherwise(scene, path, problem)
        is_error = not other and number < _MOST_ASKED and certain.is_wrong(path, problem)
        verb = "opens" if problem.code == "stray-end" else "closes"
        doubt = "" if other or is_error else f", unless a macro or a condition {verb} it"
        yield check.finding(
            other or f"{problem.message}{doubt}",
            subject=f"{path} {problem.code} {problem.subject} {count}",
            module=None,
            place=scene.at(path, problem.start, problem.end),
            severity=check.severity if is_error else Severity.NOTE,
        )


_MOST_ASKED = 200
"""How many environments are tested for certain errors; any more have one cause and are notes."""
_STANDARD = MATHS.union(
    LISTS,
    FLOATS,
    VERBATIM,
    ("document", "abstract", "center", "quote", "quotation", "verse", "flushleft", "flushright"),
    ("minipage", "titlepage", "array", "tabular", "matrix", "pmatrix", "bmatrix", "vmatrix"),
    ("Bmatrix", "Vmatrix", "smallmatrix", "cases", "split", "aligned", "gathered", "alignedat"),
    ("thebibliography", "tikzpicture", "tikzcd", "picture", "tabularx", "multicols", "frame"),
    ("subfigure", "subequations", "appendices", "column", "columns", "block", "CD", "cd"),
)
"""Environments of LaTeX and of common packages that do not read their content as code."""
_MAY_NEST = regex(
    r"\\(?:if[A-Za-z@]*|else|or|fi|unless|loop|repeat|csname|catcode|let|[gex]?def|input|include"
    r"|import|subimport|subfile|makeatletter|scantokens|string|detokenize|verb|end[a-z]*[A-Z@]\w*"
    r"|(?:re)?new[A-Za-z]+|provide[A-Za-z]*|(?:New|Renew|Provide|Declare)[A-Z]\w*|At(?:Begin|End)\w+)"
    r"(?![A-Za-z@])"
)
"""Commands with which a text may open or close environments invisibly, or not read some."""
_TRICKS = regex(
    r"\\(?:if[A-Za-z@]*|csname|let|[gex]?def|catcode|setbox|lrbox|obey[a-z]+|scantokens|BODY|Collect"
    r"|collect@body|expandafter|lst[A-Za-z@]*|comment)(?![A-Za-z@])|[Vv]erbatim|minted|\{comment\}"
    r"|\{lrbox\}|isting|\\[be]group(?![A-Za-z@])"
)
"""Code of an environment that may read its content as code, or end it elsewhere."""
_ENDS = regex(r"before \\end\{(?P<name>[^{}]+)\}\Z")
_ANY_ENVIRONMENT = regex(r"\\(?:begin|end)\s*\{(?P<name>[^{}\n]{1,80})\}")
_NAMED = regex(r"\\([A-Za-z@]+)")
_BRACES = regex(r"\\.|[{}]", re.DOTALL)
_NEW_PART = regex(r"\\begin\s*\{document\}|\\(?:part|chapter|(?:sub){0,2}section)\*?\s*[\[{]")
_ALONE = regex(r"[ \t]*\\iffalse[ \t]*(?:%[^\n]*)?(?:\n|\Z)")


class _CertainNesting:
    """Decides whether LaTeX stops at an environment that seems not to be closed, or opened.

    It does if the text in which the other end would have to be is plain: no conditions, no code,
    and no macros or environments of the paper that could open or close another environment.
    """

    def __init__(self, scene: CheckInput) -> None:
        self._paper = scene.paper
        self._is_complete = scene.is_complete
        self._depths: dict[str, tuple[list[int], list[int]]] = {}
        syntax = scene.paper.syntax
        wanted = frozenset({"begin", "end", "csname", "csuse", "@nameuse"})
        self._openers = leading(syntax.calls, wanted)
        surveys = [scene.paper.surveys[path] for path in scene.paper.outline.order]
        own = {item.name: item for survey in surveys for item in survey.environments}
        simple = {n for n, one in own.items() if not _TRICKS.search(f"{one.begin} {one.end}")}
        plain = {*syntax.kinds, *syntax.theorems, *syntax.proofs, *_STANDARD}
        hard = own.keys() - simple - syntax.theorems.keys()
        self._plain = frozenset((plain | simple) - hard)
        texts = [scene.paper.source(path) for path in scene.paper.readings]
        self._has_short_signs = any(map(_SHORT_VERB.search, texts))
        begun = (name for survey in surveys for name in survey.begun)
        self._known = frozenset(begun).union(own, scene.paper.syntax.macros)

    def is_wrong(self, path: str, problem: SourceProblem) -> bool:
        """Whether an environment is certainly wrong; never if a macro opens or closes it."""
        source = self._paper.source(path)
        if self._has_short_signs:
            return False
        if problem.subject == "\\iffalse":
            line = source.rfind("\n", 0, problem.start) + 1
            return _ALONE.match(source, line) is not None and self._is_outside(source, line)
        is_written = source.startswith(("\\begin", "\\end"), problem.start)
        if not is_written or not self._is_plain(problem.subject):
            return False
        text = mask(source, self._paper.syntax.dead).text
        start, end = _between(text, problem)
        is_all = start == 0 or end == len(text)
        return (
            (self._is_complete or not is_all)
            and self._is_outside(text, problem.start)
            and self._is_read_plainly(text[start:end])
            and not self._is_in_another(text[:start])
        )

    def _is_plain(self, name: str) -> bool:
        """Whether an environment is plain: LaTeX's, a theorem, or unknown and never begun."""
        is_known = name in self._plain or name.rstrip("*") in self._plain
        return is_known or name not in self._known

    def _is_outside(self, text: str, offset: int) -> bool:
        """Whether a place of a text is outside of all braces."""
        if text not in self._depths:
            places, depths = [-1], [0]
            for match in _BRACES.finditer(text, max(0, text.find("\\begin{document}"))):
                if change := {"{": 1, "}": -1}.get(match[0], 0):
                    places.append(match.start())
                    depths.append(depths[-1] + change)
            self._depths[text] = places, depths
        places, depths = self._depths[text]
        return depths[bisect_right(places, offset - 1) - 1] == 0

    def _is_read_plainly(self, text: str) -> bool:
        """Whether everything that a text opens and closes is visible in it."""
        names = {match["name"].strip() for match in _ANY_ENVIRONMENT.finditer(text)}
        return (
            all(map(self._is_plain, names))
            and self._openers.isdisjoint(_NAMED.findall(text))
            and not _MAY_NEST.search(text)
        )

    def _is_in_another(self, before: str) -> bool:
        """Whether an environment that may contain code is open at the end of a text."""
        begun: Counter[str] = Counter()
        for match in _ANY_ENVIRONMENT.finditer(before):
            begun[match["name"].strip()] += 1 if match[0].startswith("\\begin") else -1
        return any(count > 0 and not self._is_plain(name) for name, count in begun.items())


def _between(text: str, problem: SourceProblem) -> tuple[int, int]:
    """The span of a masked text in which the missing begin or end would have to be.

    A begin must come after the last heading; an end must come before the end of the environment
    around it, and before the next heading.
    """
    if problem.code == "stray-end":
        starts = [match.start() for match in _NEW_PART.finditer(text, 0, problem.start)]
        return (starts[-1] if starts else 0), problem.end
    if problem.subject in VERBATIM:
        return problem.start, problem.end
    other = _ENDS.search(problem.message)
    close = f"\\end{{{other['name']}}}" if other else ""
    end = text.find(close, problem.end) if close else -1
    end = end + len(close) if end >= 0 else len(text)
    heading = _NEW_PART.search(text, problem.end, end)
    return problem.start, heading.start() if heading else end


_DISPLAY = regex(r"\\\\|\\(?P<opens>\[)|\\(?P<closes>\])|\\end\s*\{document\}")


def _closed_otherwise(scene: CheckInput, path: str, problem: SourceProblem) -> str:
    r"""A message if `\[` is closed by `\end{equation*}`, or the reverse, which amsmath accepts."""
    if problem.subject != "equation*":
        return ""
    text = mask(scene.paper.source(path)).text
    if problem.code == "stray-end":
        signs = [m for m in _DISPLAY.finditer(text, 0, problem.start) if m.lastgroup]
        return "\\end{equation*} closes a \\[" if signs and signs[-1]["opens"] else ""
    following = (m for m in _DISPLAY.finditer(text, problem.end) if m[0] != "\\\\")
    sign = next(following, None)
    return "\\] closes \\begin{equation*}" if sign and sign["closes"] else ""


def _is_command(scene: CheckInput, path: str, problem: SourceProblem) -> bool:
    r"""Whether an unclosed environment began with a bare command, as `\proof`: no group is open."""
    is_bare = scene.paper.source(path).startswith(f"\\{problem.subject}", problem.start)
    return is_bare and problem.subject not in scene.paper.syntax.macros


def _unbalanced(scene: CheckInput) -> Iterator[tuple[str, SourceProblem, int]]:
    """The unbalanced environments of each file, without those that another file closes."""
    opened: dict[str, int] = {}
    found: list[tuple[str, SourceProblem]] = []
    for path in scene.paper.outline.order:
        reading = scene.paper.readings.get(path)
        for problem in reading.problems if reading else ():
            if problem.code == "unclosed" and _is_command(scene, path, problem):
                continue
            if problem.code == "unclosed":
                opened[problem.subject] = opened.get(problem.subject, 0) + 1
            found.append((path, problem))
    closed = {
        name: min(count, sum(1 for _, p in found if p.code == "stray-end" and p.subject == name))
        for name, count in opened.items()
    }
    begun = (scene.paper.surveys[path].body for path in scene.paper.outline.order)
    if "document" in closed or max(begun, default=-1) >= 0:
        closed["document"] = len(found)  # LaTeX stops at the first end and reads no other
    counts: dict[tuple[str, str, str], int] = {}
    spared: dict[tuple[str, str], int] = {}
    for path, problem in found:
        if problem.code not in _ENVIRONMENT:
            continue
        used = spared.get((problem.code, problem.subject), 0)
        if used < closed.get(problem.subject, 0):
            spared[problem.code, problem.subject] = used + 1
            continue
        key = (path, problem.code, problem.subject)
        counts[key] = counts.get(key, 0) + 1
        yield path, problem, counts[key]


_VERSION = 1
_SIGN = regex(
    r"\\(?:begin|end)\s*\{(?P<env>[^{}\n\\]{1,60})\}|\\[A-Za-z@]++\*?|\\.|[{}]|\n[ \t]*\n",
    re.DOTALL,
)
_ONE_PARAGRAPH = frozenset(
    "chapter section subsection subsubsection paragraph subparagraph label".split()
)
"""Commands whose argument cannot contain the end of a paragraph."""
_TAKES_TEXT = _ONE_PARAGRAPH | frozenset(
    "emph textbf textit textsc textrm texttt textsf text mathbb mathbf mathcal mathrm frac sqrt "
    "footnote caption ref eqref cite title".split()
)
_CODE = regex(
    r"verb|lst|code|listing|minted|comment|filecontents|alltt|tikz|asy|lua|python|sage|tcb|pgf|"
    r"prooftree|forest|algo|picture|xy|gnuplot",
    re.IGNORECASE,
)
"""Parts of the names of environments in which a brace may be an ordinary character."""
_OTHERWISE = regex(
    r"`\\?[{}]|\\(?:string\s*\\?[{}]|char\s*`|let\s*\\\w+\s*=?\s*[{}]|"
    r"(?:catcode|csname|[be]group|Verb|obeylines|iffalse|else|fi)(?![A-Za-z]))"
)
"""Code that may turn a brace into another character, or open and close groups in other ways."""
_LOADED = (".sty", ".cls", ".def", ".clo")
"""Extensions of files that are loaded and not included."""
_SHORT_VERB = regex(r"ShortVerb|MakeShortInline|\{(?:ltxdoc|l3doc)\}")
_CUT_NAMES = regex(
    r"\\(?P<command>usepackage|RequirePackage)(?:\[[^\]{}]*\])?(?P<brace>\{)[\w\-, \t]*"
    r"(?:\n[\w\-, \t]*)?(?=\n[ \t]*\\|\n[ \t]*\n|\s*\Z)"
)


def unclosed_braces(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Unclosed braces at which TeX certainly stops.

    Files that no document includes are left out: TeX does not read them.
    """
    files, read = scene.paper.snapshot.files, frozenset(scene.paper.outline.order)
    paths = [
        path
        for path in scene.paper.surveys
        if path in files and (path in read or path.endswith(_LOADED))
    ]
    if any(_SHORT_VERB.search(scene.paper.source(path)) for path in paths):
        return
    keys = {path: f"braces:{_VERSION}:{files[path].oid}" for path in paths}

    def make(path: str) -> tuple[tuple[str, ...], dict[str, str]]:
        listed = _open_in_sections if is_markup(path) else open_braces
        found = tuple(f"{place} {what}" for place, what in listed(scene.paper.source(path)))
        return found, {keys[path]: codec.dump(found)}

    for path, listed in scene.kept(keys, codec.texts, make).items():
        for item in listed:
            place, _, what = item.partition(" ")
            yield check.finding(
                what,
                subject=f"{path} {what}",
                module=None,
                place=scene.first_line(path, int(place), len(scene.paper.source(path))),
            )


def open_braces(source: str) -> Iterator[tuple[int, str]]:
    """The offsets of braces that are not closed in time, each with its message.

    A character is certainly a brace only if no command may have changed its meaning.
    """
    masked = mask(source).text
    for cut in _CUT_NAMES.finditer(masked):
        yield cut.start("brace"), f"\\{cut['command']}{{ is not closed"
    if _is_even(masked):
        return
    first = _body(masked)
    if first >= 0:
        yield from _open_in(masked, first)


def _is_even(masked: str) -> bool:
    """Whether there are as many closing braces as opening ones."""
    return masked.count("{") - masked.count("\\{") == masked.count("}") - masked.count("\\}")


_SECTION = "\\begin{section}", "\\end{section}"
"""Replacements for the tags of a section in PF markup, so that it looks like an environment."""


def _open_in_sections(source: str) -> Iterator[tuple[int, str]]:
    """The same in PF markup, where each section closes what it opens."""
    from pfcore.markup.tagged_sections import read_sections  # late: few papers are in PF markup

    begin, end = _SECTION
    for section in read_sections(source).listed:
        masked = mask(section.body).text
        if section.closing and not _is_even(masked):
            for place, what in _open_in(f"{begin}{masked}{end}", 0):
                said = what.replace(end, f"</{section.tag}>")
                yield section.content + place - len(begin), said


def _body(masked: str) -> int:
    """The offset of the document's text; -1 for a preamble or a package."""
    begin = masked.find(r"\begin{document}")
    is_code = any(sign in masked for sign in (r"\documentclass", r"\Provides", r"\NeedsTeXFormat"))
    return begin if begin >= 0 or is_code else 0


class _OpenSign(NamedTuple):
    """An open brace with the command before it, or an open environment with its name."""

    is_brace: bool
    name: str
    offset: int


def _open_in(masked: str, first: int) -> Iterator[tuple[int, str]]:
    opened: list[_OpenSign] = []
    command, behind = "", -1
    for match in _SIGN.finditer(masked, first):
        sign = match[0]
        if match["env"] and sign.startswith("\\begin"):
            opened.append(_OpenSign(False, match["env"], match.start()))
        elif match["env"]:
            yield from _ended(masked, opened, match)
        elif sign == "{":
            is_next = behind >= 0 and not masked[behind : match.start()].strip()
            opened.append(_OpenSign(True, command if is_next else "", match.start()))
        elif sign == "}":
            _close(opened)
        elif sign[0] == "\n":
            yield from _stopped(masked, opened, match)
        else:
            command, behind = sign[1:].rstrip("*"), match.end()
    for item in opened:
        if item.is_brace and item.name in _TAKES_TEXT and _is_certain(masked, opened, item, -1):
            yield item.offset, f"\\{item.name}{{ is not closed in this file"
            return


def _close(opened: list[_OpenSign]) -> None:
    """Remove the last open brace, and the environments that began after it."""
    while opened and not opened.pop().is_brace:
        pass


def _ended(masked: str, opened: list[_OpenSign], end: re.Match[str]) -> Iterator[tuple[int, str]]:
    """The first brace of an environment that is still open when the environment ends."""
    last = next((n for n in range(len(opened) - 1, -1, -1) if not opened[n].is_brace), -1)
    if last < 0 or opened[last].name != end["env"]:
        return
    inside = opened[last + 1 :]
    first = opened[last]
    if end["env"] == "document":  # TeX accepts an open group there, but not an open argument
        inside = [item for item in inside if item.name in _TAKES_TEXT][:1]
        first = inside[0] if inside else first
    if inside and _is_certain(masked, opened, first, end.end()):
        what = f"\\{inside[0].name}{{" if inside[0].name else "{"
        yield inside[0].offset, f"{what} is not closed before \\end{{{end['env']}}}"
    del opened[last:]


def _stopped(masked: str, opened: list[_OpenSign], end: re.Match[str]) -> Iterator[tuple[int, str]]:
    """The last open brace of an argument that may not contain the end of a paragraph."""
    for number in range(len(opened) - 1, -1, -1):
        item = opened[number]
        if not item.is_brace:
            return
        if item.name in _ONE_PARAGRAPH:
            if _is_certain(masked, opened, item, end.end()):
                yield item.offset, f"\\{item.name}{{ is not closed before its paragraph ends"
            del opened[number:]
            return


def _is_certain(masked: str, opened: list[_OpenSign], item: _OpenSign, end: int) -> bool:
    around = (one for one in opened if not one.is_brace)
    passage = masked[item.offset : end if end >= 0 else len(masked)]
    return not any(_CODE.search(one.name) for one in around) and not _OTHERWISE.search(passage)


def merge_conflicts(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Unresolved merge conflicts, by the markers that git leaves in a file."""
    texts, alone = _marked(scene), dict[str, list[tuple[int, int]]]()
    for path, reading in scene.paper.readings.items():
        listed = [problem for problem in reading.problems if problem.code == "merge-conflict"]
        if path in texts and not listed:
            alone[path] = _shown(texts[path], scene.printed(path))
        for number, problem in enumerate(listed, 1):
            yield check.finding(
                problem.message,
                subject=f"{path} {number}",
                module=None,
                place=scene.at(path, problem.start, problem.end),
            )
    for path, text in texts.items():
        if path not in scene.paper.readings:
            is_read = path.lower().endswith((".bib", ".bbl"))  # there "%" does not begin a comment
            alone[path] = _shown(text, text if is_read else mask(text).text)
    for path, spans in alone.items():
        for number, (start, end) in enumerate(_first_of_each(texts[path], spans), 1):
            location = located(path, texts[path], start, end)
            yield check.finding(
                CONFLICT,
                subject=f"{path} {number}",
                module=None,
                place=(location, quoted(texts[path], location)),
            )


def _marked(scene: CheckInput) -> dict[str, str]:
    """The texts of the files used by the paper that contain a marker line of git, by path."""
    paper, snapshot = scene.paper, scene.paper.snapshot
    listed = [path for path in snapshot.files if path.lower().endswith(".bib")]
    listed += [path for path in paper.outline.order if path in snapshot.files]
    keys = {path: f"markers/1:{snapshot.files[path].oid}" for path in listed}

    def make(path: str) -> tuple[tuple[str, ...], dict[str, str]]:
        try:
            found = tuple(f"{start}" for start, _ in lone_markers(paper.source(path)))
        except SourceError:  # `unread_files` reports it
            return (), {}
        return found, {keys[path]: codec.dump(found)}

    snapshot.foresee(listed)
    marked = [path for path, found in scene.kept(keys, codec.texts, make).items() if found]
    texts = {path: paper.source(path) for path in marked}
    stems = {posixpath.splitext(path)[0] for path in paper.readings}
    beside = snapshot.contents((f"{stem}.bbl" for stem in stems), limit=snapshot.limits.file_bytes)
    for path, data in beside.items():
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if any(lone_markers(text)):
            texts[path] = text
    if any(path.lower().endswith(".bib") for path in texts):
        from pfcore.checks.bibliography import Bibliography  # late: few have any

        used = Bibliography(paper).bib
        texts = {
            p: text for p, text in texts.items() if p in used or not p.lower().endswith(".bib")
        }
    return texts


def _shown(text: str, printed: str) -> list[tuple[int, int]]:
    """The markers of a text outside of comments and code."""
    return [place for place in lone_markers(text) if printed[place[0]] == text[place[0]]]


def _first_of_each(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The markers, without the end of a conflict whose start is among them."""
    is_open = False
    for start, end in spans:
        is_end = text[start] == ">"
        if not (is_end and is_open):
            yield start, end
        is_open = not is_end


def _problems(scene: CheckInput, code: str) -> Iterator[tuple[str, SourceProblem]]:
    for path, problems in scene.paper.outline.problems.items():
        yield from ((path, problem) for problem in problems if problem.code == code)


def _file(scene: CheckInput, check: Check, path: str, problem: SourceProblem) -> Finding:
    return check.finding(
        problem.message,
        subject=f"{path} {problem.subject}",
        module=None,
        place=scene.at(path, problem.start, problem.end),
        severity=_severity(check, problem),
    )


def _severity(check: Check, problem: SourceProblem) -> Severity:
    """At most a warning for a missing \\include: LaTeX continues, and a build may make the file."""
    if problem.code == "file-case":
        return Severity.NOTE
    is_lesser = problem.message.startswith("\\include{")
    return min(check.severity, Severity.WARNING, key=_rank) if is_lesser else check.severity


def _rank(severity: Severity) -> int:
    return severity.rank


def missing_files(scene: CheckInput, check: Check) -> Iterator[Finding]:
    r"""Input files that are missing, or exist only under another name.

    It is a note if something in the repository makes the file, which must run first, or if
    \includeonly leaves the chapter out, so that LaTeX does not look for it.
    """
    sources = None
    only = _included_only(scene)
    for path, problem in _problems(scene, "missing-file"):
        found = _file(scene, check, path, problem)
        if sources is None:
            from pfcore.repository.build_sources import BuildSources

            sources = BuildSources(scene.paper.snapshot)
        is_asked = not scene.is_base and (path, problem.start) not in scene.paper.outline.closed
        maker = _maker(scene, sources, path, problem.subject) if is_asked else ""
        if reason := _by_the_papers_own_code(scene, problem):
            message = f"{problem.message}; {reason}"
            found = replace(found, message=message, severity=Severity.NOTE)
        elif _is_written(scene, problem.subject):
            message = f"{problem.message}; filecontents writes it when LaTeX runs: commit it"
            found = replace(found, message=message)
        elif only and problem.message.startswith("\\include{") and problem.subject not in only:
            message = f"{problem.message}; \\includeonly leaves it out as well"
            found = replace(found, message=message, severity=Severity.NOTE)
        elif maker:
            message = f"{problem.message}; {_makes(maker)}: run the build before the check"
            found = replace(found, message=message, severity=Severity.NOTE)
        elif apart := spelled_apart(scene.paper, problem.subject):
            found = replace(found, message=f"{problem.message}{apart}")
        elif is_asked and (other := _elsewhere(scene, problem.subject)):
            words = "that is not in the repository", "that does not exist"
            message = f"{problem.message.replace(*words)}; {other} has that name"
            found = replace(found, message=message)
        yield found
    for path, problem in _problems(scene, "file-case"):
        yield _file(scene, check, path, problem)


def _by_the_papers_own_code(scene: CheckInput, problem: SourceProblem) -> str:
    """Why the paper's own code may not need the file, or may make it; or ""."""
    if own := _own_command(scene, problem):
        return f"the paper redefines {own}"
    is_made = _is_made_by_a_shell(scene, problem.subject)
    return "a command in the paper makes it if LaTeX may run programs" if is_made else ""


_SHELL = regex(
    r"\\(?:iexec|ShellEscape|sys_shell_(?:now|shipout):[a-z]|(?:immediate\s*\\)?write18)(?![A-Za-z])"
    r"\s*(?:\[[^\[\]]{0,80}\]\s*)?\{[^{}]{0,600}?>{1,2}\s*(?P<name>[^\s{}|;&>]{1,200})"
)


def _is_made_by_a_shell(scene: CheckInput, target: str) -> bool:
    """Whether a shell command in the paper writes a file."""
    wanted = target.removesuffix(".tex")
    texts = (scene.paper.source(path) for path in scene.paper.readings)
    return any(
        match["name"].removesuffix(".tex") == wanted
        for text in texts
        if "iexec" in text or "hell" in text or "write18" in text
        for match in _SHELL.finditer(text)
    )


def _elsewhere(scene: CheckInput, target: str) -> str:
    """The only file of the repository with the name of a missing one; "" without exactly one."""
    name = f"/{posixpath.basename(target).removesuffix('.tex')}.tex"
    found = [path for path in scene.paper.snapshot.paths if f"/{path}".endswith(name)]
    return found[0] if len(found) == 1 else ""


_INCLUDE_ONLY = regex(r"\\includeonly\s*\{([^{}]*)\}")


def _included_only(scene: CheckInput) -> frozenset[str]:
    r"""The chapters that \includeonly keeps; none without an \includeonly."""
    sources = map(scene.paper.source, scene.paper.readings)
    texts = (mask(source).text for source in sources if "\\includeonly" in source)
    listed = (
        name for text in texts for found in _INCLUDE_ONLY.findall(text) for name in found.split(",")
    )
    return frozenset(name.strip() for name in listed if name.strip())


def _own_command(scene: CheckInput, problem: SourceProblem) -> str:
    """The command that inputs a file, if the paper redefines it; else ""."""
    name = problem.message.partition("{")[0]
    surveys = (scene.paper.surveys.get(path) for path in scene.paper.outline.order)
    macros = (item for survey in surveys if survey for item in survey.macros)
    is_own = name != f"\\{NODE}" and any(f"\\{item.name}" == name for item in macros)
    return name if is_own else ""


def _is_written(scene: CheckInput, target: str) -> bool:
    """Whether the paper contains the text of an input file (filecontents)."""
    name = posixpath.basename(target).removesuffix(".tex")
    sources = list(map(scene.paper.source, scene.paper.readings))
    return written_in(sources, name) or written_in(sources, f"{name}.tex")


def _maker(scene: CheckInput, sources: BuildSources, path: str, target: str) -> str:
    """The file of the repository that may make a missing file; "" if there is none."""
    link = FileLink("input", target, "input", 0)
    opened = (scene.paper.root, path)
    return sources.maker_of(
        target if target.endswith(".tex") else f"{target}.tex",
        lambda files: resolve(link, path, opened, files),
    )


def _makes(maker: str) -> str:
    is_ignored = posixpath.basename(maker) == ".gitignore"
    return f"{maker} keeps it out of git" if is_ignored else f"{maker} may make it"


def circular_inputs(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files that input themselves."""
    for path, problem in _problems(scene, "circular-input"):
        yield _file(scene, check, path, problem)


def unread_files(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Input files that could not be read, and parts of others that are nested too deeply."""
    for path, problem in _problems(scene, "unread-file"):
        yield _file(scene, check, path, problem)
    for path, reading in scene.paper.readings.items():
        for problem in reading.problems:
            if problem.code == "too-deep":
                yield check.finding(
                    problem.message,
                    subject=f"{path} {problem.subject}",
                    module=None,
                    place=scene.at(path, problem.start, problem.end),
                )


def unread_blocks(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Parts that a fault of ours made unreadable, including faults met by the earlier checks."""
    numbers: Counter[str] = Counter()
    for path, line, what, cause in scene.paper.faults.listed:
        start = _offset(scene.paper.source(path), line)
        subject = f"{path} {what} {cause.rpartition(' (')[0]}"
        numbers[subject] += 1
        yield check.finding(
            f"this {what} could not be read by pf-verify (please report this): {cause}",
            subject=f"{subject} {numbers[subject]}",
            module=None,
            place=scene.first_line(path, start, len(scene.paper.source(path))),
        )


def _offset(text: str, line: int) -> int:
    """The offset of a line, counted from 1."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start


def encodings(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files whose encoding had to be guessed, or that pdfLaTeX cannot read."""
    for path in scene.paper.outline.order:
        note = scene.paper.surveys[path].note
        if note:
            wide = next((name for name in _WIDE if note.endswith(name)), "")
            is_error = wide and not is_markup(path)
            words = f"{path} is in {wide}, which pdfLaTeX does not read; save it as UTF-8"
            yield check.finding(
                f"the file {words if is_error else note}",
                subject=path,
                module=None,
                place=(located(path, "", 0, 0), ""),
                severity=check.severity if is_error else Severity.NOTE,
            )


_WIDE = ("UTF-16", "UTF-32")


UNREAD_BLOCKS = Check(
    id="unread-block",
    severity=Severity.WARNING,
    rationale="unreadable part, not reviewed",
    run=unread_blocks,
)
"""Runs last, because it reports what the other checks could not read."""

CHECKS = (
    Check(
        id="unbalanced-environment",
        severity=Severity.ERROR,
        rationale="environment not closed, or closed twice",
        run=environments,
    ),
    Check(
        id="unclosed-brace",
        severity=Severity.ERROR,
        rationale="brace not closed",
        run=unclosed_braces,
    ),
    Check(
        id="merge-conflict",
        severity=Severity.ERROR,
        rationale="unresolved merge conflict",
        run=merge_conflicts,
    ),
    Check(
        id="missing-file",
        severity=Severity.ERROR,
        rationale="included file is missing",
        run=missing_files,
    ),
    Check(
        id="circular-input",
        severity=Severity.ERROR,
        rationale="recursive \\input",
        run=circular_inputs,
    ),
    Check(
        id="unread-file",
        severity=Severity.ERROR,
        rationale="unreadable file, not reviewed",
        run=unread_files,
    ),
    Check(
        id="encoding",
        severity=Severity.ERROR,
        rationale="file is not UTF-8",
        run=encodings,
    ),
)

_RECOGNISED = 400
_TAGLESS = f"{PREFIX}outside"


_PLAINER = (
    (" stands twice", " occurs twice"),
    (" holds nothing", " is empty"),
    (" proves what is not stated", " has no statement"),
    (" stands behind ", " comes after "),
    (" stands before ", " comes before "),
    (" rests on it", " depends on it"),
    (" is no tag of this format", " is not a tag of this format"),
    (" stands inside of ", " is inside "),
    (" stands where ", " is used while "),
    (" is not written as ", " must be written as "),
    (" closes nothing", " closes no tag"),
    (" stands outside of all tags", " is outside all tags"),
    (" lacks its >", " is missing its >"),
    ("nothing closes the formula that begins here", "the formula that begins here is not closed"),
    ('; one like "2.1" is wanted', '; expected one such as "2.1", for a lemma of Proposition 2'),
    ('; one like "2" is wanted', '; expected a number from 1, such as "2"'),
    (", which it is a part of", ", which this lemma serves to prove"),
    (": tags do not nest", "; tags do not nest, so close that first"),
)
_UNNUMBERED = regex(r"(?<![<\w])Theorem(?=,|;| has | cites )")
_FIXES = {
    "pf-no-theorem": "begin the file with <THEOREM_STATEMENT>",
    "pf-missing-proof": "add it after the statement",
    "pf-missing-statement": "add the statement or correct the id",
    "pf-empty": "enter its text",
    "pf-no-parent": "add it or correct the id",
    "pf-order": "move one of the two",
    "pf-unclosed": "add its closing tag",
    "pf-mismatch": "close that with its own tag",
    "pf-stray": "delete it or add an opening tag",
    "pf-outside": "put it between tags, or begin its lines with %",
    "pf-unknown-tag": "a tag is THEOREM, PROPOSITION or LEMMA with _STATEMENT or _PROOF",
    "pf-dollar": "add the missing $",
    "pf-too-long": "split the file",
    "pf-cut-tag": "add it",
}
"""How to fix a fault of the form, if its message does not say so."""
_CITATION_FIXES = (
    ("comes later", "cite only what comes before, or change the order"),
    ("it proves", "delete the citation"),
    ("depends on it", "prove it without that"),
    ("serves to prove", "prove it without that"),
    ("belongs to", "cite that, or make the lemma a proposition"),
)
_HINTS = ("did you mean", " in capitals", "unknown tag")


def _plain(problem: SourceProblem) -> str:
    """The parser's message in words for people; its own words go into ids and to models."""
    message = problem.message
    for said, plain in _PLAINER:
        message = message.replace(said, plain)
    message = _UNNUMBERED.sub("the Theorem", message)
    fix = _FIXES.get(problem.code, "")
    if problem.code == "pf-citation":
        fix = next((fix for words, fix in _CITATION_FIXES if words in message), "")
    is_told = not fix or any(hint in message for hint in _HINTS)
    return message if is_told else f"{message}; {fix}"


def _firsts(text: str) -> dict[int, tuple[TaggedSection, TaggedSection]]:
    """Each section by its offset, with the first section that has the same tag and id."""
    from pfcore.markup.tagged_sections import read_sections  # late: few papers have such a fault

    first: dict[tuple[str, str], TaggedSection] = {}
    return {
        one.start: (one, first.setdefault((one.tag, one.id), one))
        for one in read_sections(text).listed
    }


def _twice(
    scene: CheckInput,
    path: str,
    problem: SourceProblem,
    firsts: Mapping[int, tuple[TaggedSection, TaggedSection]],
) -> str:
    """The message on a second statement or proof of a result, with the line of the first."""
    from pfcore.markup.pf_proof import name  # late: few papers have such a fault

    if problem.start not in firsts:  # the parser saw a blank for a control character
        return _plain(problem)
    second, first = firsts[problem.start]
    line = scene.at(path, first.start, first.start)[0].line
    part = "proof" if second.is_proof else "statement"
    who = name(second) if second.id else "the Theorem"
    is_bare = second.kind == "theorem" and not second.id
    fix = "give both an id" if is_bare else "correct one of the two ids, or delete one"
    return f"{who} has a second {part}; the first is on line {line}: {fix}"


def form(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """All faults of the form of PF markup, each at the tag concerned."""
    path = scene.paper.root
    if not is_markup(path):
        return
    counts: dict[str, int] = {}
    sections = _sections(scene, path)
    firsts: dict[int, tuple[TaggedSection, TaggedSection]] = {}
    for problem in scene.paper.readings[path].problems:
        if not problem.code.startswith(PREFIX):
            continue
        subject = _subject(scene, path, problem)
        counts[subject] = counts.get(subject, 0) + 1
        is_second = problem.code == "pf-duplicate-id"
        firsts = firsts or (_firsts(scene.paper.source(path)) if is_second else {})
        yield check.finding(
            _twice(scene, path, problem, firsts) if is_second else _plain(problem),
            subject=f"{subject} {counts[subject]}",
            module=_around(sections, problem.start),
            place=scene.at(path, problem.start, problem.end),
        )


def _subject(scene: CheckInput, path: str, problem: SourceProblem) -> str:
    said = problem.message
    if problem.code == _TAGLESS:
        said = scene.paper.source(path)[problem.start : problem.end][:_RECOGNISED]
    return f"{problem.code} {said}"


_Section = tuple[int, int, str]


def _sections(scene: CheckInput, path: str) -> list[_Section]:
    """The sections of a file in order: start, end and module."""
    owners = scene.owners()
    return sorted(
        (block.place.start, block.place.end, owners[path, index])
        for index, block in enumerate(scene.paper.readings[path].blocks)
        if is_tagged(block.env) and (path, index) in owners
    )


def _around(sections: list[_Section], offset: int) -> str | None:
    index = bisect_right(sections, offset, key=itemgetter(0)) - 1
    return sections[index][2] if index >= 0 and offset < sections[index][1] else None


MARKUP_CHECKS = (
    Check(
        id="pf-markup",
        severity=Severity.ERROR,
        rationale="malformed .pf file",
        run=form,
    ),
)
