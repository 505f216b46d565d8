r"""Checks of figure files: missing, in a format the compiler cannot read, PDF without its fonts.

A PDF is read in a simple way: plain objects, and those in compressed streams. Nothing is reported
in doubtful cases (encryption, an object that is not found, a font that nothing names).
"""

import posixpath
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pfcore.checks.check import Check, CheckInput, own_styles
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.domain.values import Finding, Severity
from pfcore.latex.project.include_graph import tex_live_files
from pfcore.papers.paper import Paper
from pfcore.repository.source_files import FIGURES

_FIGURE = regex(r"\\includegraphics\*?\s*(?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*)?\{([^{}]+)\}")
_PICTURES = (".pdf", ".png", ".jpg", ".jpeg")
_POSTSCRIPT = (".eps", ".ps")
_SUFFIXES = (*_PICTURES, *_POSTSCRIPT)
_FOREIGN = (".tif", ".tiff", ".svg", ".gif", ".bmp", ".webp", ".heic", ".ai", ".psd")
"""Formats that none of arXiv's engines can include."""


class _IncludedFigure(NamedTuple):
    """A figure included in a text: its span, and its name as written."""

    path: str
    start: int
    end: int
    name: str


def _included(scene: CheckInput, styles: Iterable[str] = ()) -> Iterator[_IncludedFigure]:
    """Each \\includegraphics that is printed, but for those whose name a macro makes.

    Of the texts, and of some classes and packages of the paper's own, which are all definitions.
    """
    readings = scene.paper.readings
    for path in (*readings, *styles):
        printed = scene.printed(path)
        passed_over = _branches_not_taken(printed, scene.paper)
        silent = scene.paper.surveys[path].silent if path in readings else ()
        hidden = Spans([*silent, *passed_over])
        for match in _FIGURE.finditer(printed):
            name = match[1].strip().strip('"')
            if not hidden.covers(match.start()) and not re.search(r"[\\#$]", name):
                yield _IncludedFigure(path, match.start(), match.end(), name)


_ASKS = regex(r"\\(?:Input)?IfFileExists\s*\{([^{}]{0,300})\}")


def _branches_not_taken(text: str, paper: Paper) -> Iterator[tuple[int, int]]:
    r"""The branches that `\IfFileExists{F}{…}{…}` skips; both if it is unknown whether F exists."""
    asked = list(_ASKS.finditer(text))
    if not asked:
        return
    from pfcore.latex.lexer.groups import Groups

    groups = Groups(text)
    folder = posixpath.dirname(paper.root)
    for match in asked:
        branches = [*groups.side_by_side(match.end(), 2)]
        name = match[1].strip().strip('"')
        here = {posixpath.normpath(posixpath.join(base, name)) for base in (folder, "")}
        is_there = any({path, f"{path}.tex"} & paper.snapshot.paths for path in here)
        base = f"/{posixpath.basename(name)}"
        is_elsewhere = any(f"/{path}".endswith(base) for path in paper.snapshot.paths)
        is_open = re.search(r"[\\#$]", name) or (is_elsewhere and not is_there)
        yield from branches if is_open else branches[1:] if is_there else branches[:1]


def _meant(
    scene: CheckInput, styles: Iterable[str] = ()
) -> Iterator[tuple[_IncludedFigure, list[str]]]:
    """Each figure that is included, and the files that it may mean, if that is sure."""
    there = [path for path in scene.paper.snapshot.paths if path.lower().endswith(_SUFFIXES)]
    for figure in _included(scene, styles):
        base = posixpath.basename(figure.name)
        is_whole = base.lower().endswith(_SUFFIXES)
        meant = sorted(
            item
            for item in there
            if (last := posixpath.basename(item)) == base
            or (not is_whole and posixpath.splitext(last)[0] == base)
        )
        if len({posixpath.dirname(item) for item in meant}) == 1:
            yield figure, meant


def missing_figures(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Included figures for which no file exists where LaTeX looks."""
    is_there = _figure_in_place(scene)
    counts: Counter[str] = Counter()
    for path, start, end, name in _included(scene):
        base = posixpath.basename(name).lower()
        if base and not base.startswith("example-image") and not is_there(name):
            counts[name] += 1
            doubt = _named_by_a_missing_style(scene.paper, name)
            yield check.finding(
                f"figure not found: {name}{doubt or _nearly_named(scene.paper, name)}",
                subject=f"{name} {counts[name]}",
                module=None,
                place=scene.at(path, start, end),
                severity=Severity.NOTE if doubt else None,
            )


def _named_by_a_missing_style(paper: Paper, name: str) -> str:
    r"""A hint that a missing class or style may set the figure's folder; "" if none may.

    It may set `\graphicspath`, if the figure is in some folder of the repository.
    """
    wanted = f"/{posixpath.normpath(name).lstrip('./')}"
    figures = (path for path in sorted(paper.snapshot.paths) if path.lower().endswith(FIGURES))
    there = (
        path
        for path in figures
        if f"/{path}".endswith(wanted) or f"/{posixpath.splitext(path)[0]}".endswith(wanted)
    )
    found = next(there, "")
    style = _missing_style(paper) if found else ""
    words = f"; {found} has that name, and the missing {style} may name its folder"
    return words if style else ""


def _missing_style(paper: Paper) -> str:
    """The file name of a class or package that is neither in the repository nor in TeX Live."""
    here = {posixpath.basename(path).lower() for path in paper.snapshot.paths}
    links = (link for path in paper.outline.order for link in paper.surveys[path].links)
    names = (
        f"{posixpath.basename(link.target)}{_ENDINGS[link.relation]}"
        for link in links
        if link.relation in _ENDINGS
    )
    known = here | tex_live_files()
    return next((name for name in names if name.lower() not in known), "")


_ENDINGS = {"class": ".cls", "package": ".sty"}


def _nearly_named(paper: Paper, name: str) -> str:
    """A hint at a file whose name differs only in case or accents; "" if there is none."""
    wanted = f"/{posixpath.normpath(name).lstrip('./')}"
    for path in sorted(paper.snapshot.paths):
        tails = [tail[-len(wanted) :] for tail in (f"/{path}", f"/{posixpath.splitext(path)[0]}")]
        is_other = path.lower().endswith(FIGURES) and wanted not in tails
        if is_other and wanted.lower() in map(str.lower, tails):
            return f"; {path} differs only in case"
    return spelled_apart(paper, name)


def spelled_apart(paper: Paper, name: str) -> str:
    """A hint at a file whose name differs only in how accents are stored; "" if there is none."""
    if name.isascii():
        return ""
    wanted = posixpath.basename(unicodedata.normalize("NFC", name))
    for path in sorted(paper.snapshot.paths):
        plain = posixpath.basename(unicodedata.normalize("NFC", path))
        is_meant = wanted in (plain, posixpath.splitext(plain)[0])
        if is_meant and path != unicodedata.normalize("NFC", path):
            why = "has accents as separate characters, as macOS writes them: rename it"
            return f" ({path} {why})"
    return ""


_FOLDERS = regex(r"\\graphicspath\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SEARCHED_ELSEWHERE = regex(r"\\(?:sub)?(?:import|includefrom|inputfrom)\s*\{|input@path")


def _figure_in_place(scene: CheckInput) -> Callable[[str], bool]:
    """A function that says whether a figure exists, relative to a folder where LaTeX looks.

    If the paper computes such folders, every folder counts.
    """
    paper = scene.paper
    texts = [*(scene.printed(path) for path in paper.readings), *own_styles(paper).values()]
    set_here = [match[1] for text in texts for match in _FOLDERS.finditer(text)]
    computed = any("\\" in one or "#" in one for one in set_here)
    if computed or any(_SEARCHED_ELSEWHERE.search(text) for text in texts):
        anywhere = figure_finder(paper)
        return lambda name: anywhere(posixpath.basename(name).lower())
    home = posixpath.dirname(paper.root)
    folders = {home, *(posixpath.dirname(path) for path in paper.outline.order)}
    while home:
        home = posixpath.dirname(home)
        folders.add(home)
    named = {one.strip() for text in set_here for one in re.split(r"[{}]", text) if one.strip()}
    folders |= {posixpath.join(folder, one) for folder in tuple(folders) for one in named}
    paths = frozenset(paper.snapshot.paths)
    kinds: dict[str, set[str]] = {}
    for path in paths:
        stem, suffix = posixpath.splitext(path)
        kinds.setdefault(stem, set()).add(suffix.lower())
    known = set(FIGURES)

    def is_there(name: str) -> bool:
        for folder in folders:
            path = posixpath.normpath(posixpath.join(folder, name))
            stem, suffix = posixpath.splitext(path)
            others = kinds.get(stem, set()) & known - {suffix.lower()}
            if path in paths or kinds.get(path, set()) & known:
                return True
            if suffix.lower() in known and others:
                return True
        return False

    return is_there


def figure_finder(paper: Paper) -> Callable[[str], bool]:
    """A function that says whether any folder has a file with a figure's name, in lower case."""
    names = {posixpath.basename(path).lower() for path in paper.snapshot.paths}
    stems = {posixpath.splitext(name)[0] for name in names if name.endswith(FIGURES)}

    def is_there(base: str) -> bool:
        is_whole = base.endswith(FIGURES) and posixpath.splitext(base)[0] in stems
        return is_whole or base in names or base in stems

    return is_there


def unfit_figures(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Figures that exist only in formats that the paper's compiler does not accept.

    A note on one of a class or style, because the paper may not use it.
    """
    paper = scene.paper
    if paper.is_markup:
        return
    from pfcore.papers.tex_engine import (  # only before an upload
        engine_of,
        is_for_dvips,
        is_for_pdftex,
    )

    yield from _foreign_figures(scene, check)
    if engine_of(paper) == "xelatex":
        return  # what makes its PDF takes both
    listed = list(_meant(scene, own_styles(paper)))
    is_dvi, is_pdf = is_for_dvips(paper), is_for_pdftex(paper)
    if not is_dvi and not is_pdf and not any(_are(meant, _PICTURES) for _, meant in listed):
        return  # all figures exist as PostScript, so the upload asks arXiv for LaTeX with DVI
    counts: Counter[str] = Counter()
    for (path, start, end, _), meant in listed:
        wrong = _PICTURES if is_dvi else _POSTSCRIPT
        if not _are(meant, wrong) or _is_converted(scene, meant):
            continue
        name = meant[0]
        counts[name] += 1
        yield check.finding(
            _unfit(scene, name, is_dvi=is_dvi, is_pdf=is_pdf),
            subject=f"{name} {counts[name]}",
            module=None,
            place=scene.at(path, start, end),
            severity=None if path in paper.readings else Severity.NOTE,
        )


def _are(paths: list[str], suffixes: tuple[str, ...]) -> bool:
    return all(item.lower().endswith(suffixes) for item in paths)


def _unfit(scene: CheckInput, name: str, *, is_dvi: bool, is_pdf: bool) -> str:
    """What is wrong with a figure, and how to fix it."""
    if is_dvi:
        return f"{name} is not PostScript, which LaTeX with dvips needs: convert it to .eps"
    why = ", and the source asks for PDF output" if is_pdf else " and other figures are not"
    stem = posixpath.splitext(name)[0]
    others = [f"{stem}{suffix}" for suffix in _PICTURES]
    other = next((item for item in others if item in scene.paper.snapshot.paths), "")
    advice = f"name {other} instead, which exists as well" if other else "convert it to .pdf"
    return f"{name} is PostScript{why}; pdfLaTeX does not accept PostScript: {advice}"


def _foreign_figures(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Existing figures that are included in a format that none of arXiv's engines accepts."""
    names = {posixpath.basename(path).lower() for path in scene.paper.snapshot.paths}
    counts: Counter[str] = Counter()
    for path, start, end, name in _included(scene):
        base = posixpath.basename(name).lower()
        if base.endswith(_FOREIGN) and base in names:
            counts[name] += 1
            yield check.finding(
                f"LaTeX cannot include {name}: convert it to .pdf or .png",
                subject=f"{name} foreign {counts[name]}",
                module=None,
                place=scene.at(path, start, end),
            )


def _is_converted(scene: CheckInput, meant: list[str]) -> bool:
    """Whether epstopdf's conversion of one of these files exists."""
    stems = (posixpath.splitext(item)[0] for item in meant)
    return any(f"{stem}-eps-converted-to.pdf" in scene.paper.snapshot.paths for stem in stems)


def unembedded_fonts(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """PDF figures that use a font without embedding it."""
    if scene.paper.is_markup:
        return
    used: dict[str, tuple[str, int, int]] = {}
    for (path, start, end, _), meant in _meant(scene):
        for item in meant:
            if item.lower().endswith(".pdf"):
                used.setdefault(item, (path, start, end))
    data = scene.paper.snapshot.others(tuple(name.lower() for name in used)) if used else {}
    for name, (path, start, end) in used.items():
        fonts = fonts_not_embedded(data.get(name, b""))
        if fonts:
            listed = ", ".join(fonts[:3])
            more = f" and {len(fonts) - 3} more" if len(fonts) > 3 else ""
            yield check.finding(
                f"{name} does not embed its fonts ({listed}{more}), so it may look different "
                "elsewhere: export it with fonts embedded",
                subject=name,
                module=None,
                place=scene.at(path, start, end),
            )


_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s{1,9}\d{1,5}\s{1,9}obj\b")
_CALL = re.compile(rb"(?<!\d)(\d{1,9})\s{1,9}\d{1,5}\s{1,9}R\b")
_STREAM = re.compile(rb"\bstream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_COUNT = re.compile(rb"/N\s+(\d{1,6})\b")
_FIRST = re.compile(rb"/First\s+(\d{1,9})\b")
_FONT = re.compile(rb"/Type\s*/Font(?![A-Za-z])")
_KIND = re.compile(
    rb"/Subtype\s*/(Type1|MMType1|TrueType|CIDFontType0|CIDFontType2)(?![A-Za-z0-9])"
)
_NAME = re.compile(rb"/BaseFont\s*/([^\s/<>\[\]()]{1,120})")
_DESCRIPTOR = re.compile(rb"/FontDescriptor\s+(\d{1,9})\s+\d{1,5}\s+R\b")
_FILE = re.compile(rb"/FontFile[23]?\s+\d{1,9}\s+\d{1,5}\s+R\b")
_STANDARD = re.compile(rb"(?:Helvetica|Courier|Times-|Symbol$|ZapfDingbats$)")
_MOST = 20_000_000
"""The most bytes that all compressed streams of objects in a PDF may have together."""


def fonts_not_embedded(pdf: bytes) -> list[str]:
    """The names of the fonts that a PDF uses without embedding them, sorted; [] if in doubt."""
    if not pdf.startswith(b"%PDF-") or b"/Encrypt" in pdf:
        return []
    objects = _objects(pdf)
    if objects is None:
        return []
    called = {int(match[1]) for text in objects.values() for match in _CALL.finditer(text)}
    found = set()
    for number, text in objects.items():
        name = _NAME.search(text)
        if not _FONT.search(text) or not _KIND.search(text) or name is None:
            continue
        descriptor = _DESCRIPTOR.search(text)
        if descriptor:
            held = objects.get(int(descriptor[1]))
            is_lacking = held is not None and not _FILE.search(held)
        else:
            is_lacking = _STANDARD.match(name[1]) is not None
        if is_lacking and number in called:
            found.add(name[1].decode("ascii", "replace"))
    return sorted(found)


def _objects(pdf: bytes) -> dict[int, bytes] | None:
    """The dictionaries of all objects by number; None if one is unreadable or occurs twice.

    An object that occurs twice was changed later, and only the PDF's table says which one counts.
    """
    found: dict[int, bytes] = {}
    left = _MOST
    end = 0
    for match in _OBJECT.finditer(pdf):
        if match.start() < end:
            continue
        end = pdf.find(b"endobj", match.end())
        if end < 0:
            return None
        body = pdf[match.end() : end]
        head = body.partition(b"stream")[0]
        parts = [(int(match[1]), head)]
        if re.search(rb"/Type\s*/ObjStm\b", head):
            inner = _unpacked(head, body, left)
            if inner is None:
                return None
            left -= sum(len(text) for _, text in inner)
            parts += inner
        for number, text in parts:
            if number in found:
                return None
            found[number] = text
    return found


def _unpacked(head: bytes, body: bytes, most: int) -> list[tuple[int, bytes]] | None:
    """The objects of a compressed stream; None if it is of another kind, broken or too large."""
    stream, count, first = _STREAM.search(body), _COUNT.search(head), _FIRST.search(head)
    if (
        not stream
        or not count
        or not first
        or b"/FlateDecode" not in head
        or b"/DecodeParms" in head
    ):
        return None
    try:
        work = zlib.decompressobj()
        data = work.decompress(stream[1], max(1, most))
    except zlib.error:
        return None
    if work.unconsumed_tail:
        return None
    try:
        numbers = [int(item) for item in data[: int(first[1])].split()]
    except ValueError:
        return None
    if len(numbers) != 2 * int(count[1]):
        return None
    starts = [int(first[1]) + offset for offset in numbers[1::2]]
    pairs = zip(numbers[::2], starts, [*starts[1:], len(data)], strict=True)
    return [(number, data[start:end]) for number, start, end in pairs]


CHECKS = (
    Check(
        id="unfit-figure",
        severity=Severity.WARNING,
        rationale="figure format that the compiler cannot read",
        run=unfit_figures,
    ),
    Check(
        id="unembedded-font",
        severity=Severity.NOTE,
        rationale="figure without embedded fonts",
        run=unembedded_fonts,
    ),
)
"""Run before an upload."""
