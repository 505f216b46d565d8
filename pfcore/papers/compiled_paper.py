"""A paper compiled by an installed TeX in a sandbox: its pages, its log and its .bbl.

Two sets of files give the same paper if every page has the same content: a page's content stream
names fonts, letters and positions, but no source files.
"""

import hashlib
import logging
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pfcore.domain.errors import UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.papers.tex_process import (
    TexLimits,
    find_engine,
    run_tex,
    tex_environment,
    tex_trees,
)
from pfcore.repository.scratch_folder import scratch_folder

if TYPE_CHECKING:
    from pypdf import PageObject
    from pypdf.generic import StreamObject

_MOST_READ = 80_000_000
_RUNS = 4
_PLAIN = r"\pdfinfoomitdate=1\pdfsuppressptexinfo=-1\pdftrailerid{}"
"""Makes pdfTeX write pages that can be compared."""
_PAGES = regex(r"Output written on [^()]{1,400}\((\d{1,6}) pages?")
_WARNINGS = regex(
    r"^(?:LaTeX|Package \w+) Warning: (?:Reference|Hyper reference) [`'](.{1,200}?)'"
    r"[^\n]{0,80}undefined|^(?:! )?LaTeX (?:Error|Warning): File [`'](.{1,200}?)' not found",
    re.MULTILINE,
)
_UNCITED = regex(
    r"^(?:LaTeX|Package \w+) Warning: Citation [`'](.{1,200}?)'[^\n]{0,80}undefined", re.MULTILINE
)
_LINE = 79
"""The length at which TeX breaks a line of its log."""
_PLACED_ERROR = regex(
    r"^(?P<place>(?:\./)?[^:\n]{1,200}\.[A-Za-z]{1,8}:\d{1,7}): (?P<words>[^\n]{1,200})$",
    re.MULTILINE,
)
_ERROR = regex(r"^(?:! |[^:\n]{1,200}:\d{1,7}: )(.{1,200})$", re.MULTILINE)
_FATAL = regex(r"^!pdfTeX error: [^\s()]{0,200} ?(.{1,200})$", re.MULTILINE)
"""Why pdfTeX wrote nothing, for example because it lacks a font."""
_NO_FONT = (
    "this TeX lacks the outlines of the font {}, and no program can be started here to draw them; "
)
_UNSCALABLE = "auto expansion is only possible with scalable fonts"
_UNEXPANDED = r"\PassOptionsToPackage{expansion=false}{microtype}"
"""Lets microtype work without font outlines, by not stretching letters."""
_OUTLINES = (
    (regex(r"(?:ec|tc|l[abcdh])[a-z]{2}\d{4}"), "install cm-super"),
    (regex(r"(?:cm|msa|msb|eu)[a-z]{0,4}\d{1,2}"), "install amsfonts"),
    (regex(r"bbm"), "bbm has no outlines: use package dsfont, or compare by hand"),
)
_OF_T1 = regex(r"(?:ec|tc)[a-z]{2}\d{4}")
_STAND_INS = {"tt": "cmtt10", "bx": "cmbx10", "ti": "cmti10"}
"""The font to use instead, by the letters after ec or tc in a font's name."""
_DRAWN = "compile the bundle yourself to compare it; arXiv draws such fonts"
"""The advice on a font without outlines, where _OUTLINES has none."""
_DRAWN_FONT = regex(r"\(file ([^\s()]{1,60})\): Font \1 at \d{1,5} not found")
"""The error for a font that another program would have to draw, which a sandboxed run cannot."""
_SUBSET = regex(r"\A[A-Z]{6}\+")
_ORDER = re.compile(
    rb"(?P<font>/F\d{1,9}) [\d.]{1,20} Tf|(?P<figure>/Im\d{1,9}) Do"
    rb"|\[(?P<text>(?:\((?:\\[^\n]|[^\\()])*\)|[-\d.\s])*)\]\s?TJ"
)
_PIECE = re.compile(
    rb"\((?P<text>(?:\\[^\n]|[^\\()])*)\)|(?P<gap>-?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))"
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_WIDE = -200.0
"""In thousandths of the font size: gaps beyond this separate words."""
_LIGATURES = dict(enumerate(("ff", "fi", "fl", "ffi", "ffl"), 11)) | dict(
    enumerate(("ff", "fi", "fl", "ffi", "ffl"), 27)
)
"""The ligatures in pdfLaTeX's default encodings of text, OT1 and T1."""
_SIGNS = ("CMMI", "CMSY", "CMEX", "CMBSY", "MSAM", "MSBM", "EUF", "EUS", "RSFS", "LMMath")
"""Prefixes of fonts that have symbols where others have ligatures."""
_BIBDATA = regex(r"^\\bibdata\{", re.MULTILINE)
_BIBTEX_LACKS = regex(r"\((?:There was|There were) \d{1,9} error message|I didn't find a database")
"""BibTeX's messages if its list is incomplete."""
_ENTRIES = (b"\\bibitem", b"\\entry{")
"""What every .bbl of BibTeX or biber contains."""
_REMOTE = regex(r"<bcf:datasource[^>]{0,400}>[^<]{0,2000}://")
"""A bibliography that biber would download."""
_UPWARDS = re.compile(
    rb"(?P<before>[{,]\s{0,9}|\\input\s{1,9})(?P<name>(?:[^{},\s\\%/]{1,200}/){0,20}\.\./[^{},\s\\%]{1,300})"
)


_AUX_LINE = re.compile(
    rb"^(?:\\@input\{(?P<file>[^{}\n]{1,300})\}|(?P<label>\\(?:newlabel|zref@newlabel|bibcite)\{[^\n]*))",
    re.MULTILINE,
)
_DEEPEST = 3
"""How deep .aux files may be nested: \\include writes one for each file."""


class PageContent(NamedTuple):
    """The content of a page: a digest of its content stream, and the words and figures it prints.

    `figures` are digests of the included files, in order, `fonts` are names without subset tags.
    """

    digest: str
    words: tuple[str, ...]
    figures: tuple[str, ...]
    fonts: tuple[str, ...]

    @property
    def printed(self) -> tuple[tuple[str, ...], ...]:
        """What is printed, regardless of positions."""
        return self.words, self.figures, self.fonts


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPaper:
    """The result of running TeX on some files.

    `pages` is 0 if there is no PDF; `contents` are the pages in order, if they could be read.
    `lacks` are the missing files and labels in the log, `uncited` the undefined citation keys.
    `runs` are the programs in order. `bibliography` is the .bbl that was made (None: none was
    needed, or `unmade` says why it could not be made). `fault` says why the run failed;
    `is_stopped`: because of a LaTeX error. `read` are the given files that TeX read. `fresh` is
    BibTeX's new output if there was a .bbl already, None if it is incomplete. `errors` are those
    of the last run that did not stop TeX, each with its place. `labels` are the lines of its .aux
    that package xr reads for another document. `stand_ins` are the fonts that this TeX has no
    outlines for, and that were replaced by others.
    """

    pages: int
    contents: tuple[PageContent, ...]
    lacks: frozenset[str]
    runs: tuple[str, ...]
    bibliography: bytes | None = None
    unmade: str = ""
    fault: str = ""
    is_stopped: bool = False
    read: frozenset[str] = frozenset()
    uncited: frozenset[str] = frozenset()
    fresh: bytes | None = None
    errors: tuple[tuple[str, str], ...] = ()
    labels: bytes = b""
    stand_ins: tuple[str, ...] = ()


def is_installed(engine: str) -> bool:
    """Whether a TeX program is installed."""
    return find_engine(engine, os.environ.get("PATH", os.defpath)) is not None


def has_own_tree() -> bool:
    """Whether the author has set a personal tree of packages, which a sandboxed run ignores."""
    return bool(os.environ.get("TEXMFHOME"))


def compile_files(
    files: Mapping[str, bytes],
    root: str,
    engine: str,
    *,
    is_searched: bool = False,
    limits: TexLimits | None = None,
) -> CompiledPaper:
    """Run TeX on files until its .aux is stable; runs BibTeX or biber if there is no .bbl.

    `is_searched`: inputs are also searched in the parent folders and in all other folders, as they
    may be on the authors' machine.
    UsageError if the engine is not installed.
    """
    path = os.environ.get("PATH", os.defpath)
    program = find_engine(engine, path)
    if program is None:
        raise UsageError(f"{engine} is not installed")
    with scratch_folder("compiled") as top:
        (top / "home").mkdir()
        for name, data in (
            _inward(files, posixpath.dirname(root)) if is_searched else files
        ).items():
            place = top / "paper" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        run = _Run(top, root, engine, program, limits or TexLimits(), is_searched=is_searched)
        return run.compiled({name: find_engine(name, path) for name in ("bibtex", "biber")})


def bibtex_of(files: Mapping[str, bytes], root: str, aux: bytes) -> bytes | None:
    """The .bbl that BibTeX makes from a given .aux; None if it has no entry.

    For a paper that LaTeX cannot compile here because a package is missing. The caller must check
    that all entries are there: BibTeX continues after a duplicate entry.
    """
    tool = find_engine("bibtex", os.environ.get("PATH", os.defpath))
    if tool is None:
        return None
    with scratch_folder("compiled") as top:
        (top / "home").mkdir()
        for name, data in files.items():
            place = top / "paper" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return _Run(top, root, "bibtex", tool, TexLimits(), is_searched=False).bibtex(tool, aux)


def _inward(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    """The files, with names that lead upwards, which TeX forbids, replaced by names it can search.

    If such a name would find another file closer to the main file, a copy is added below a folder
    of ours.
    """
    found = _SearchedNames(files, folder)
    for name, data in files.items():
        is_source = name.lower().endswith((".tex", ".ltx", ".sty", ".cls", ".tikz"))
        if is_source and b"../" in data:
            found.files[name] = _UPWARDS.sub(found.name, data)
    return found.files


_APART = "pf-above"


class _SearchedNames:
    """Rewrites names that lead upwards from a folder, to be searched from the folders above it."""

    def __init__(self, files: Mapping[str, bytes], folder: str) -> None:
        self.files = dict(files)
        self._folder = folder
        self._known: dict[str, list[str]] = {}
        for path in files:
            parts = path.split("/")
            above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
            for called in {path, posixpath.splitext(path)[0], *above}:
                self._known.setdefault(called, []).append(path)

    def name(self, match: re.Match[bytes]) -> bytes:
        """The replacement for a name that leads upwards."""
        written = match["name"].decode("utf-8", "surrogateescape")
        plain = posixpath.normpath(written)
        while plain.startswith("../"):
            plain = plain[3:]
        if plain in (".", ".."):
            return match[0]
        meant = posixpath.normpath(posixpath.join(self._folder, written))
        if meant in self._known and self._first(plain) != meant:
            copies = {f"{_APART}/{path}": self.files[path] for path in self._known[meant]}
            self.files |= copies
            plain = f"{_APART}/{meant}"
        end = "/" if written.endswith("/") else ""
        return match["before"] + f"{plain}{end}".encode("utf-8", "surrogateescape")

    def _first(self, plain: str) -> str:
        """The path that a name leads to, searched from the main file's folder upwards."""
        above = self._folder
        while above and f"{above}/{plain}" not in self._known:
            above = posixpath.dirname(above)
        return f"{above}/{plain}".lstrip("/")


class _Run:
    def __init__(
        self,
        top: Path,
        root: str,
        engine: str,
        program: str,
        limits: TexLimits,
        *,
        is_searched: bool,
    ) -> None:
        copy = top / "paper"
        self._top = top
        self._folder = copy / posixpath.dirname(root)
        self._base = posixpath.basename(root)
        self._job = re.sub(r"[^\w.+-]", "_", posixpath.splitext(self._base)[0])
        self._engine = engine
        self._program = program
        self._limits = limits
        above = [str(item) for item in self._folder.parents if item.is_relative_to(copy)]
        inputs = [*above, f"{copy}//"] if is_searched else [str(copy)]
        self._environment = tex_environment(top / "home", inputs) | {
            "SOURCE_DATE_EPOCH": "0",
            "FORCE_SOURCE_DATE": "1",
            "TMPDIR": str(top / "home"),  # where biber unpacks itself
            "PAR_GLOBAL_TEMP": str(top / "home" / "biber"),
        }
        for kind in ("BIBINPUTS", "BSTINPUTS"):
            self._environment[kind] = self._environment["TEXINPUTS"]
        self._runs: list[str] = []
        self._unmade = ""
        self._words = ""
        self._stand_ins: tuple[str, ...] = ()

    def compiled(self, tools: Mapping[str, str | None]) -> CompiledPaper:
        """Do all runs and return the result; `tools` has the paths of bibtex and biber, or None."""
        was_there = (self._folder / f"{self._job}.bbl").is_file()
        before = ""
        fault = self._tex(is_draft=True)
        if not fault and _UNSCALABLE in _unbroken(self._text("log")):
            self._words = _UNEXPANDED
            fault = self._tex(is_draft=True)
        aux = self._text("aux")
        made = None
        if not fault and not was_there:
            made, fault = self._bibliography(aux, tools)
        while not fault and len(self._runs) <= _RUNS and (before != aux or len(self._runs) < 2):
            before = aux
            fault = self._tex()
            if not fault and self._has_stand_ins():
                fault = self._tex()
            aux = self._text("aux")
        log = self._text("log")
        pages = _PAGES.search(log.replace("\n", ""))
        whole = _unbroken(log)
        lacks = {found for match in _WARNINGS.finditer(whole) for found in match.groups() if found}
        is_stopped = False
        if not pages and not fault:
            fatal, error = _FATAL.search(log), _stopping_error(whole)
            is_stopped = error is not None and fatal is None
            fault = fatal[1] if fatal else error or "LaTeX wrote no pages"
        font = _DRAWN_FONT.search(fault)
        if font:
            advice = (words for pattern, words in _OUTLINES if pattern.match(font[1]))
            fault = _NO_FONT.format(font[1]) + next(advice, _DRAWN)
        fresh = self._fresh(aux, tools["bibtex"]) if was_there and not fault else None
        return CompiledPaper(
            pages=int(pages[1]) if pages else 0,
            contents=self._contents(),
            lacks=frozenset(lacks),
            runs=tuple(self._runs),
            bibliography=made,
            unmade=self._unmade,
            fault=fault,
            is_stopped=is_stopped,
            read=frozenset(self._read()),
            uncited=frozenset(match[1] for match in _UNCITED.finditer(whole)),
            fresh=fresh,
            errors=tuple(_errors(whole)),
            labels=b"".join(self._labels(f"{self._job}.aux")),
            stand_ins=self._stand_ins,
        )

    def _has_stand_ins(self) -> bool:
        """Whether T1 fonts without outlines have just been replaced by other fonts.

        TeX still uses the metrics of the original, so that each letter is at its place.
        """
        font = _DRAWN_FONT.search(self._text("log"))
        if self._stand_ins or not font or not _OF_T1.fullmatch(font[1]):
            return False
        read = {Path(line).stem for line in self._text("fls").splitlines() if ".tfm" in line}
        self._stand_ins = tuple(sorted({font[1], *filter(_OF_T1.fullmatch, read)}))
        for name in self._stand_ins:
            other = _STAND_INS.get(name[2:4], "cmr10")
            self._words += rf"\pdfmapline{{={name} {other.upper()} <{other}.pfb}}"
        return True

    def _read(self) -> Iterator[str]:
        """The paths, below the copy, of its files that TeX has recorded as read."""
        copy = self._top / "paper"
        for line in self._text("fls").splitlines():
            if line.startswith("INPUT ") and "\0" not in line:
                place = Path(os.path.normpath(self._folder / line.removeprefix("INPUT ")))
                if place.is_relative_to(copy):
                    yield place.relative_to(copy).as_posix()

    def _labels(self, name: str, depth: int = 0) -> Iterator[bytes]:
        """The label lines of an .aux and of the .aux files that it inputs, as LaTeX wrote them."""
        place = self._folder / name
        if depth > _DEEPEST or not place.is_file() or place.is_symlink():
            return
        with place.open("rb") as file:
            data = file.read(_MOST_READ)
        for match in _AUX_LINE.finditer(data):
            if match["file"]:
                yield from self._labels(match["file"].decode("utf-8", "replace"), depth + 1)
            else:
                yield match["label"] + b"\n"

    def _tex(self, *, is_draft: bool = False) -> str:
        """Run the engine; a draft run writes no PDF, so it needs no fonts."""
        words = rf'\input{{"{self._base}"}}'
        options = ["-interaction=batchmode", "-no-shell-escape", "-file-line-error", "-recorder"]
        if self._engine == "xelatex":
            options.append("-no-pdf")  # making the PDF would need another process
        elif self._engine == "pdflatex":
            words = (r"\pdfdraftmode=1" if is_draft else "") + _PLAIN + self._words + words
        self._runs.append(self._engine)
        return self._run([self._program, *options, f"-jobname={self._job}", words])

    def _bibliography(self, aux: str, tools: Mapping[str, str | None]) -> tuple[bytes | None, str]:
        """The .bbl made from TeX's output, and the error of the program if it failed."""
        name = "bibtex" if _BIBDATA.search(aux) else "biber"
        asked = self._text("bcf") if name == "biber" else aux
        if not asked:
            return None, ""
        tool = tools[name]
        if name == "biber" and _REMOTE.search(asked):
            self._unmade = "its bibliography is remote"
            return None, ""
        if tool is None:
            self._unmade = f"{name} is not installed"
            return None, ""
        self._runs.append(name)
        options = ["-terse"] if name == "bibtex" else ["--quiet", "--nolog"]
        fault = self._run([tool, *options, self._job])
        place = self._folder / f"{self._job}.bbl"
        data = place.read_bytes()[:_MOST_READ] if place.is_file() else b""
        if not any(sign in data for sign in _ENTRIES):
            self._unmade = f"{name} wrote no .bbl here"
            return None, fault
        return data, fault

    def bibtex(self, tool: str, aux: bytes) -> bytes | None:
        """The .bbl that BibTeX makes from the given .aux; None without an entry."""
        (self._folder / f"{self._job}.aux").write_bytes(aux)
        self._run([tool, "-terse", self._job])
        place = self._folder / f"{self._job}.bbl"
        data = place.read_bytes()[:_MOST_READ] if place.is_file() else b""
        return data if b"\\bibitem" in data else None

    def _fresh(self, aux: str, tool: str | None) -> bytes | None:
        """A new .bbl from BibTeX, replacing the one that was there; None if it is incomplete."""
        place = self._folder / f"{self._job}.bbl"
        if tool is None or not _BIBDATA.search(aux):
            return None
        place.unlink()
        self._run([tool, "-terse", self._job])
        data = place.read_bytes()[:_MOST_READ] if place.is_file() else b""
        return None if _BIBTEX_LACKS.search(self._text("blg")) or b"\\bibitem" not in data else data

    def _run(self, command: Sequence[str]) -> str:
        return run_tex(
            command,
            self._folder,
            top=self._top,
            trees=tex_trees(command[0]),
            environment=self._environment,
            limits=self._limits,
        )

    def _text(self, suffix: str) -> str:
        place = self._folder / f"{self._job}.{suffix}"
        if not place.is_file():
            return ""
        with place.open("rb") as file:
            return file.read(_MOST_READ).decode("utf-8", "replace")

    def _contents(self) -> tuple[PageContent, ...]:
        place = self._folder / f"{self._job}.pdf"
        if self._engine != "pdflatex" or not place.is_file():
            return ()
        with place.open("rb") as file:
            return page_contents(file.read(_MOST_READ))


_STOP = regex(r"\s?(?:==> Fatal error|Emergency stop)")
_TOO_MANY = "That makes 100 errors"


_LOST_BY_TEX = regex(r"I can't find file [`']([^'\n]{1,200}\.(?:sty|cls|def|clo|ldf))'\.?")
"""How TeX itself, and not LaTeX, says that a package is missing: for `\\input epsf.sty`."""


def _stopping_error(log: str) -> str | None:
    """The error that stopped LaTeX: normally the last one, as the end of the log only says so.

    The first one if it stopped because of their number; a missing file takes precedence.
    """
    said = [
        _LOST_BY_TEX.sub(r"File `\1' not found.", match[1])
        for match in _ERROR.finditer(log)
        if not _STOP.match(match[1])
    ]
    lacking = [words for words in said if words.endswith("not found.")]
    if lacking:
        return lacking[-1]
    return (said[0] if _TOO_MANY in log else said[-1]) if said else None


def _unbroken(log: str) -> str:
    """A log without TeX's breaks in long lines."""
    lines = log.split("\n")
    return "".join(line if len(line) == _LINE else f"{line}\n" for line in lines)


def _errors(log: str) -> Iterator[tuple[str, str]]:
    """The distinct errors of a log, each with file and line."""
    found = (
        (match["place"].removeprefix("./"), match["words"].strip())
        for match in _PLACED_ERROR.finditer(log)
    )
    yield from dict.fromkeys(found)


def page_contents(pdf: bytes) -> tuple[PageContent, ...]:
    """The content of each page of a PDF by pdfTeX, in order; empty if the PDF is malformed.

    (A paper can make TeX write anything between its pages.)
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # else it writes to our output
    try:
        return tuple(map(_page, PdfReader(BytesIO(pdf)).pages))
    except (PyPdfError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return ()


def _page(page: "PageObject") -> PageContent:
    resources = cast("Mapping[str, Any]", page["/Resources"])
    fonts = {name: _font(resources["/Font"][name]) for name in resources.get("/Font", ())}
    figures = {name: resources["/XObject"][name] for name in resources.get("/XObject", ())}
    orders = cast("StreamObject", page["/Contents"]).get_data()
    words: list[str] = []
    used: set[str] = set()
    shown: list[str] = []
    named: list[bytes] = []
    done = 0
    font = ""
    for match in _ORDER.finditer(orders):
        if match["font"]:
            font = fonts.get(match["font"].decode(), "")
        elif match["figure"]:
            shown.append(_figure(figures.get(match["figure"].decode())))
            # the same file under two names has two names on a page as well
            named += [orders[done : match.start("figure")], f"/{shown[-1]}".encode()]
            done = match.end("figure")
        else:
            used.add(font or "of bitmaps")
            words += _words(match["text"], is_of_signs=font.startswith(_SIGNS))
    digest = hashlib.sha256(b"".join((*named, orders[done:]))).hexdigest()
    return PageContent(digest, tuple(words), tuple(shown), tuple(sorted(used)))


def _font(font: Mapping[str, Any]) -> str:
    """The name of a font without its subset tag; "" for a bitmap font."""
    return _SUBSET.sub("", str(font.get("/BaseFont", "")).removeprefix("/"))


def _figure(figure: "StreamObject | None") -> str:
    """A digest of an included figure, as it is stored in the file."""
    from pypdf.generic import ArrayObject, NameObject

    if figure is None:
        return ""
    figure[NameObject("/Filter")] = ArrayObject()  # else it would be decompressed
    return hashlib.sha256(figure.get_data()).hexdigest()


def _words(text: bytes, *, is_of_signs: bool) -> list[str]:
    """The words of an array of strings and gaps."""
    made: list[str] = []
    for match in _PIECE.finditer(text):
        if match["gap"]:
            made.append(" " if float(match["gap"]) < _WIDE else "")
            continue
        plain = _ESCAPE.sub(_unescaped, match["text"])
        made += [_letter(byte, is_of_signs=is_of_signs) for byte in plain]
    return "".join(made).split()


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8) & 255]) if match[1].isdigit() else match[1]


def _letter(byte: int, *, is_of_signs: bool) -> str:
    """What a byte of a string prints, as far as this is known without the font."""
    if byte in _LIGATURES and not is_of_signs:
        return _LIGATURES[byte]
    return chr(byte) if 32 < byte < 127 else "\N{MIDDLE DOT}"


_BEFORE, _BEHIND = 3, 4
"""Number of words shown before and after the first one that differs."""


def differences(home: CompiledPaper, away: CompiledPaper) -> list[str]:
    """What the second result has and the first does not, as sentences.

    Only the content of pages is compared, not positions, unless no word of a page could be read.
    """
    found = []
    if home.pages != away.pages:
        found.append(f"{away.pages} pages instead of {home.pages}")
    elif len(home.contents) != len(away.contents):
        found.append("the text of its pages could not be read")
    pairs = zip(home.contents, away.contents, strict=False)
    for number, (one, other) in enumerate(pairs, 1):
        if one.printed != other.printed:
            found.append(f"page {number}: {_difference(one, other)}")
            break
        if one != other and not one.words:
            found.append(f"page {number} differs, and has no words to compare")
            break
    lacks = sorted((away.lacks | away.uncited) - home.lacks - home.uncited)
    if lacks:
        found.append(f"LaTeX lacks {', '.join(lacks[:5])}")
    known = {words for _, words in home.errors}
    if new := [item for item in away.errors if item[1] not in known]:
        found.append(f"LaTeX reports {' '.join(new[0])}")
    return found


def _difference(home: PageContent, away: PageContent) -> str:
    """The first difference between two pages: words, a figure or a font."""
    if home.words != away.words:
        pairs = zip(home.words, away.words, strict=False)
        same = min(len(home.words), len(away.words))
        place = next((n for n, (one, other) in enumerate(pairs) if one != other), same)
        shown = slice(max(0, place - _BEFORE), place + 1 + _BEHIND)
        return f'"{" ".join(away.words[shown])}" instead of "{" ".join(home.words[shown])}"'
    if len(home.figures) != len(away.figures):
        number = len(away.figures)
        noun = "figure" if number == 1 else "figures"
        return f"{number} {noun} instead of {len(home.figures)}"
    if home.figures != away.figures:
        pairs = zip(home.figures, away.figures, strict=True)
        place = next(n for n, (one, other) in enumerate(pairs, 1) if one != other)
        return f"figure {place} differs"
    gone = [name for name in home.fonts if name not in away.fonts]
    new = [name for name in away.fonts if name not in home.fonts]
    if gone and new:
        return f"font {new[0]} instead of {gone[0]}"
    return f"font {gone[0]} is not used" if gone else f"font {new[0]} is also used"


def moved_pages(home: CompiledPaper, away: CompiledPaper) -> list[int]:
    """The numbers, from 1, of pages whose content is the same at other positions."""
    pairs = zip(home.contents, away.contents, strict=False)
    return [
        number
        for number, (one, other) in enumerate(pairs, 1)
        if one != other and one.printed == other.printed
    ]


def order_of_runs(runs: Iterable[str]) -> str:
    """The names of the programs in order, each with the number of runs in a row."""
    rows = [(name, len(list(row))) for name, row in groupby(runs)]
    return ", ".join(name if times == 1 else f"{name} ({times} times)" for name, times in rows)
