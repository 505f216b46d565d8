"""Compiles an upload and compares it with the paper at home: the same pages, nothing missing."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from pfcore.checks.bibliography import bib_keys, cited_keys, defined_keys
from pfcore.domain.errors import IncompleteError
from pfcore.domain.lazy_regex import word_tables
from pfcore.latex.lexer.mask import mask
from pfcore.papers.compiled_paper import (
    CompiledPaper,
    bibtex_of,
    compile_files,
    differences,
    has_own_tree,
    is_installed,
    moved_pages,
    order_of_runs,
)
from pfcore.papers.tex_process import absent_files
from pfcore.repository.scratch_folder import scratch_folder
from pfcore.repository.source_files import decode


class OtherPdfError(IncompleteError):
    """An upload compiles to something different from the paper at home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedUpload:
    """The files of an upload, with the .bbl that was made for it, and the messages about it.

    `uncompiled` is why it was not compiled here, "" if it was; `advice` is the rest of `words`.
    `about` is what is known about a .bbl of biblatex, or what to do without one; "" if nothing.
    `errors` are those that LaTeX reports for source and upload alike. `undefined` are cited keys
    without an entry, by LaTeX or, if it was not compiled, by its sources and its .bbl. `uncited`
    is how many of them forbid the upload: they print question marks.
    """

    files: Mapping[str, bytes]
    bibliography: str | None
    words: str
    about: str = ""
    uncited: int = 0
    undefined: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    uncompiled: str = ""
    advice: str = ""

    def with_keys(self, answered: Collection[str]) -> "ComparedUpload":
        """The same, with undefined keys that the authors have not answered counted as `uncited`."""
        known = {key.lower() for key in answered}
        lost = [key for key in self.undefined if key.lower() not in known]
        if self.uncited or self.uncompiled or not lost:
            return self
        more = f" and {len(lost) - 3:,} more" if len(lost) > 3 else ""
        entries, them, keys = (
            ("entries", "them", "keys") if len(lost) > 1 else ("entry", "it", "key")
        )
        listed = f"{', '.join(lost[:3])}{more}"
        where = self.bibliography or "the bibliography"
        about = f"{where} has no {entries} for {listed}: add {them}, or correct the {keys}"
        return replace(self, uncited=len(lost), about=about)


def compiled_at_home(home: Mapping[str, bytes], root: str, compiler: str) -> CompiledPaper | None:
    """The paper compiled from its repository; None if the compiler is not installed."""
    if not is_installed(compiler):
        return None
    return compile_files(home, root, compiler, is_searched=True)


def compared(
    first: CompiledPaper | None, files: Mapping[str, bytes], main: str, compiler: str
) -> ComparedUpload:
    """Compile an upload, and compare it with the paper at home; `main` is its main file.

    OtherPdfError if the paper compiles and the upload to something different; IncompleteError if
    the paper does not compile because of its own errors.
    """
    bibliography = f"{posixpath.splitext(main)[0]}.bbl"
    named = bibliography if bibliography in files else None
    packed = dict(files)
    if first is not None and named is None and first.bibliography is not None:
        packed = {name: data for name, data in packed.items() if not name.endswith(".bib")}
        packed[bibliography] = first.bibliography
        named = bibliography
    tool = ""
    if named is None and (first is None or first.fault):
        packed, named, tool = _with_bbl_of_sources(packed, main)
    if first is None or first.fault:
        made = f"; {named} was made by {tool} from the citations in the sources" if tool else ""
        lacking = f"{compiler} is not installed"
        advice, words = made, f"not compiled: {lacking}{made}"
        if first is not None:
            _require_no_own_fault(first)
            absent = _absent(packed, main, first.fault)
            lacking = _with_absent(first.fault, absent)
            advice = f"{_install(first.fault, absent)}{made}"
            words = f"not compared: no PDF was made here ({lacking}){advice}"
        known = _with_bibliography(packed, named, words, None, main)
        return replace(
            known,
            undefined=_undefined(packed, main),
            uncompiled=lacking.removeprefix("LaTeX Error: ").rstrip("."),
            advice=advice,
        )
    second = compile_files(packed, main, compiler)
    if second.fault:
        kind = OtherPdfError if second.is_stopped else IncompleteError  # else out of time or memory
        raise kind(f"the bundle does not compile here ({second.fault}); no bundle written")
    found = differences(first, second)
    if found:
        raise OtherPdfError(
            f"the bundle compiles to a different PDF than the source ({'; '.join(found)}); no "
            "bundle written"
        )
    found_here = _with_bibliography(packed, named, _words(first, second), first, main)
    return replace(
        found_here,
        errors=tuple(_placed(first, bibliography)),
        undefined=tuple(sorted(second.uncited)),
    )


def _undefined(files: Mapping[str, bytes], main: str) -> tuple[str, ...]:
    """The keys that the sources cite and that have no entry in a .bbl or a source."""
    lists = (decode(data).text for name, data in files.items() if name.endswith(".bbl"))
    text = "".join(_in_order(files, main, set()))
    has = defined_keys(text).union(*map(defined_keys, lists))
    return tuple(dict.fromkeys(one.key for one in cited_keys(text) if one.key.lower() not in has))


def _placed(home: CompiledPaper, bibliography: str) -> Iterator[str]:
    """The errors of LaTeX with their places; for a .bbl that was made here, with the entry.

    The authors do not have that file, so that a line number would not help them.
    """
    for at, words in home.errors:
        name, _, line = at.rpartition(":")
        entry = None
        if home.bibliography and posixpath.basename(name) == posixpath.basename(bibliography):
            before = home.bibliography.splitlines()[: int(line)]
            entry = next(filter(None, map(_ENTRY.search, reversed(before))), None)
        place = f"bibliography entry {entry[1].decode('utf-8', 'replace')}" if entry else at
        yield f"{place}: {words}"


_ENTRY = re.compile(rb"(?:\\bibitem|\\entry|\])\s{0,9}\{([^{}]{1,300})\}")
"""The start of an entry of a .bbl, which BibTeX may break before its key."""
_READS = re.compile(
    r"\\(?:input|include|subfile)\s*\{([^{}]{1,300})\}|\\input\s+([^\s{}\\%]{1,300})"
)
_STYLE = re.compile(r"\\bibliographystyle\s*\{([^{}\\]{1,200})\}")
_DATA = re.compile(r"\\bibliography\s*\{([^{}\\]{1,2000})\}")
_MOST_SOURCES = 400


def _with_bbl_of_sources(
    files: Mapping[str, bytes], main: str
) -> tuple[dict[str, bytes], str | None, str]:
    """An upload with a .bbl made from the citations in its sources, its name, and the tool.

    Unchanged if they name no style or .bib in the upload, or if the .bbl is not complete. With
    biblatex it is made from a document that has only the paper's options and citations.
    """
    text = "".join(_in_order(files, main, set()))
    keys = dict.fromkeys(item.key for item in cited_keys(text))
    made, tool = None, "bibtex"
    styles = (data for name, data in files.items() if name.endswith((".sty", ".cls")))
    head = "".join(mask(decode(data).text).text for data in styles if b"biblatex" in data)
    if stub := _stub(head + text, keys):
        name = f"{posixpath.splitext(main)[0]}-pf-citations.tex"
        if is_installed("pdflatex"):
            compiled = compile_files({**files, name: stub.encode()}, name, "pdflatex")
            made = compiled.bibliography
            tool = "biber" if "biber" in compiled.runs else tool
    else:
        made = _of_bibtex(files, main, text, keys)
    if made is None:
        return dict(files), None, ""
    bbl = f"{posixpath.splitext(main)[0]}.bbl"
    kept = {one: data for one, data in files.items() if not one.endswith(".bib")}
    return kept | {bbl: made}, bbl, tool


def _of_bibtex(
    files: Mapping[str, bytes], main: str, text: str, keys: Collection[str]
) -> bytes | None:
    """The .bbl that BibTeX makes for citations; None if it lacks an entry that a .bib has.

    Keys that no .bib has are left out: they print [?] in the paper, too.
    """
    style, listed = _STYLE.search(text), _DATA.search(text)
    bibs = (decode(data).text for name, data in files.items() if name.endswith(".bib"))
    there = set().union(*map(bib_keys, bibs))
    wanted = [key for key in keys if key.lower() in there]
    if not style or not listed or not wanted:
        return None
    every = [r"\citation{*}"] if _EVERY.search(text) else []
    lines = ["\\relax", *(f"\\citation{{{key}}}" for key in wanted), *every]
    lines += [f"\\bibstyle{{{style[1]}}}", f"\\bibdata{{{''.join(listed[1].split())}}}", ""]
    made = bibtex_of(files, main, "\n".join(lines).encode())
    has = defined_keys(decode(made).text) if made else set()
    return made if {key.lower() for key in wanted} <= has else None


_EVERY = re.compile(r"\\nocite\s*\{\s*\*\s*\}")
_OPTIONS = re.compile(
    r"\\(?:ExecuteBibliographyOptions|addbibresource|addglobalbib|addsectionbib|bibliography)"
    r"(?![A-Za-z])\s*(?:\[[^\[\]]{0,300}\]\s*)?\{[^{}\\]{1,2000}\}"
)
_PARTED = re.compile(
    r"\\(?:begin\s*\{refse|newrefse|newrefcontext|begin\s*\{refcontext|Declare(?:Sourcemap|Sorting|"
    r"Label|Bib|Style)|defbib(?:filter|check)|assignrefcontext)"
)
"""Commands with which a biblatex bibliography depends on more than its options and citations."""


def _stub(text: str, keys: Collection[str]) -> str:
    """A document with only the bibliography of a biblatex paper; "" if this is not certain."""
    loads = _BIBLATEX.search(text)
    named = [match[0] for match in _OPTIONS.finditer(text)]
    if not loads or not named or not keys or _PARTED.search(text) or "location=remote" in text:
        return ""
    options = f"[{loads['options']}]" if loads["options"] else ""
    every = r"\nocite{*}" if _EVERY.search(text) else ""
    lines = [f"\\usepackage{options}{{biblatex}}", *named, "\\begin{document}"]
    lines += [f"\\cite{{{','.join(keys)}}}{every}", "\\printbibliography", "\\end{document}", ""]
    return "\n".join(["\\documentclass{article}", *lines])


def _in_order(files: Mapping[str, bytes], name: str, seen: set[str]) -> Iterator[str]:
    """The printed texts of a source and of those that it inputs, in LaTeX's order."""
    if name not in files or name in seen or len(seen) > _MOST_SOURCES:
        return
    seen.add(name)
    text = mask(decode(files[name]).text).text
    done = 0
    for match in _READS.finditer(text):
        yield text[done : match.start()]
        target = posixpath.normpath((match[1] or match[2]).strip().strip('"'))
        yield from _in_order(files, target if target in files else f"{target}.tex", seen)
        done = match.end()
    yield text[done:]


_NOT_INSTALLED = re.compile(
    r"\.(?:sty|cls|def|clo|ldf|fd|cfg|code\.tex)'? not found"
    r"|only possible with scalable fonts|metric data not found|Font \S+ .*not loadable"
)
"""Errors about packages and fonts that a TeX lacks: not the paper's fault, and arXiv has them."""


_LACKING = re.compile(
    r"[`' ](?P<file>[\w.+-]{1,80}\.[a-z]{2,4})'? not found|Font \S{1,40}=(?P<font>[\w-]{1,40})"
)


def _absent(files: Mapping[str, bytes], main: str, fault: str) -> list[str]:
    """All packages and classes in the sources that this TeX lacks; LaTeX names only the first.

    That one is included; none if LaTeX stopped at something else.
    """
    found = _LACKING.search(fault) if _NOT_INSTALLED.search(fault) else None
    if found is None or not found["file"]:
        return []
    text = "".join(_in_order(files, main, set()))
    texts = [text, *(mask(decode(files[one]).text).text for one in files if one.endswith(_STYLES))]
    there = {posixpath.basename(name) for name in files}
    named = [
        f"{name.strip()}{'.cls' if 'class' in match[0].lower() else '.sty'}"
        for one in texts
        for match in _LOADED.finditer(one)
        for name in match[1].split(",")
    ]
    names = [name for name in named if name not in there and _PLAIN_NAME.fullmatch(name)]
    with scratch_folder("packages") as folder:
        more = absent_files(names, folder)
    return list(dict.fromkeys([found["file"], *more]))


_STYLES = (".sty", ".cls")
_LOADED = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass|LoadClass)\s*(?:\[[^\]]{0,2000}\]\s*)?"
    r"\{([^{}\\#]{1,2000})\}"
)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,80}")


def _with_absent(fault: str, absent: Sequence[str]) -> str:
    """An error message with the other missing files."""
    more = absent[1:]
    return f"{fault.rstrip('.')}; also missing: {', '.join(more)}" if more else fault


def _install(fault: str, absent: Sequence[str]) -> str:
    """How to install what TeX lacks here, so that the bundle can be compared; "" if unknown.

    Only tools that this machine has are proposed.
    """
    font = _LACKING.search(fault) if _NOT_INSTALLED.search(fault) else None
    names = list(absent) or ([f"{font['font']}.tfm"] if font and font["font"] else [])
    if not names:
        return ""
    home = "; packages in your TEXMFHOME are not read here" if has_own_tree() else ""
    is_debian = bool(which("apt-get"))
    packages = {name: debian_package(name) if is_debian else "" for name in names}
    known = [one for one in dict.fromkeys(packages.values()) if one and not _has_package(one)]
    apt = f"; to install: apt-get install {' '.join(known)}" if known else ""
    rest = [name for name in names if packages[name] not in known]
    tools = _SEARCHES[:1] if is_debian else _SEARCHES  # the tlmgr of Debian installs nothing
    search = next((words for tool, words in tools if which(tool)), "")
    find = f"; to find what to install: {search} {rest[0]}" if search and rest else ""
    return f"{home}{apt}{find}"


_SEARCHES = (
    ("apt-file", "apt-file search"),
    ("tlmgr", "tlmgr search --global --file"),
)


def _has_package(name: str) -> bool:
    """Whether dpkg has installed a package."""
    return Path("/var/lib/dpkg/info", f"{name}.list").exists()


def debian_package(name: str) -> str:
    """The Debian package with a file of TeX; "" if it is not in a common one."""
    listed = word_tables(__file__)["debian"].items()
    return next((one for one, item in listed if re.fullmatch(item["files"], name)), "")


def _require_no_own_fault(made: CompiledPaper) -> None:
    """IncompleteError if LaTeX stopped at an error other than a missing package."""
    if made.is_stopped and not _NOT_INSTALLED.search(made.fault):
        at = next((f"{place}: " for place, words in made.errors if words == made.fault), "")
        raise IncompleteError(
            f"the paper does not compile here ({at}{made.fault}); no bundle written"
        )


def _with_bibliography(
    files: Mapping[str, bytes],
    named: str | None,
    words: str,
    made: CompiledPaper | None,
    main: str,
) -> ComparedUpload:
    """An upload with the message about its .bbl; `made` is the paper, if it compiles here."""
    uncited = 0 if named else _uncited(files, made)
    unmade = made.unmade if made else _UNCOMPILED
    about = _about(files, main, named, unmade, is_cited=uncited > 0)
    if named and made and made.fresh is not None:
        about = about or _stale(named, files[named], made.fresh)
    return ComparedUpload(
        files=files, bibliography=named, words=words, about=about, uncited=uncited
    )


def _uncited(files: Mapping[str, bytes], made: CompiledPaper | None) -> int:
    """How many keys the sources cite without a bibliography; according to LaTeX if it ran.

    0 for a paper with a bibliography in its sources, which lacks at most single keys.
    """
    sources = [data for name, data in files.items() if name.endswith((".tex", ".ltx"))]
    texts = [mask(decode(data).text).text for data in sources]
    if any(defined_keys(text) for text in texts):
        return 0
    if made is not None:
        return len(made.uncited)
    return len({item.key for text in texts for item in cited_keys(text)})


_UNCOMPILED = "the paper was not compiled here"
_BIBLATEX = re.compile(
    r"\\(?:usepackage|RequirePackage)\s*(?:\[(?P<options>[^\]]{0,2000})\]\s*)?"
    r"\{[^}]{0,500}\bbiblatex\b"
)
_FORMAT = re.compile(rb"^% \$ biblatex bbl format version (\d{1,3}(?:\.\d{1,3})?) \$", re.MULTILINE)


def _about(
    files: Mapping[str, bytes], main: str, named: str | None, unmade: str, *, is_cited: bool
) -> str:
    """The message about the .bbl of a biblatex paper, or on how to make a missing one.

    Which formats arXiv reads changes with its TeX, so that it is unknown here.
    """
    if named is not None:
        found = _FORMAT.search(files[named])
        if not found:
            return ""
        return (
            f"{named} has version {found[1].decode()} of biblatex's .bbl format, which another "
            "version of biblatex may reject; the version on arXiv is unknown"
        )
    stem = posixpath.splitext(main)[0]
    texts = [decode(data).text for data in files.values() if b"biblatex" in data]
    loads = [match for text in texts for match in _BIBLATEX.finditer(mask(text).text)]
    if not is_cited and not (loads and unmade):
        return ""
    is_bibtex = any(re.search(r"backend\s*=\s*bibtex", item["options"] or "") for item in loads)
    tool = "bibtex" if is_bibtex or not loads else "biber"
    why = [f"{main} uses biblatex"] if loads else []
    why += [unmade] if unmade else []
    said = f": {', and '.join(why)}" if why else ""
    made = f"run LaTeX and {tool} {stem}, then git add -f {stem}.bbl and commit"
    return f"missing {stem}.bbl{said}; {made}"


_ITEM = re.compile(
    rb"\\bibitem\s{0,9}(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]{0,200}\})*\})*\]\s{0,9})?\{([^{}]{1,300})\}"
    rb"(.*?)(?=\\bibitem|\\end\s{0,9}\{thebibliography\}|\Z)",
    re.DOTALL,
)


def _stale(named: str, there: bytes, fresh: bytes) -> str:
    """A message if a .bbl differs from what BibTeX makes now; "" if not, or if that is unclear.

    If most entries differ, it was made with another version of the style installed here.
    """
    old, new = (
        {key: b"".join(text.split()) for key, text in _ITEM.findall(data)}
        for data in (there, fresh)
    )
    differing = [
        key.decode("utf-8", "replace") for key in new if old.get(key, new[key]) != new[key]
    ]
    if not differing or 2 * len(differing) > len(new):
        return ""
    stem = posixpath.splitext(named)[0]
    more = f" and {len(differing) - 3:,} more" if len(differing) > 3 else ""
    return (
        f"{named} differs from what bibtex makes of the .bib, in {', '.join(differing[:3])}{more}: "
        f"run bibtex {stem} and commit {named}, unless it was edited on purpose"
    )


def _words(home: CompiledPaper, away: CompiledPaper) -> str:
    same = (
        "each identical to the source's"
        if away.contents
        else "as many as the source has (their text was not compared)"
    )
    if moved := moved_pages(home, away):
        first = f"page {moved[0]}" if len(moved) == 1 else f"{len(moved):,} pages"
        same = f"each with the source's text and figures, slightly displaced on {first}"
    listed = sorted(away.lacks)
    more = f" and {len(listed) - 5:,} more" if len(listed) > 5 else ""
    lacks = f"; LaTeX lacks {', '.join(listed[:5])}{more}, as in the source" if listed else ""
    if away.uncited:
        number = len(away.uncited)
        some = "1 citation is" if number == 1 else f"{number:,} citations are"
        lacks += f"; {some} undefined, as in the source"
    pages = f"{away.pages:,} {'page' if away.pages == 1 else 'pages'}"
    tool = "biber" if "biber" in home.runs else "bibtex"
    made = f" (the .bbl was made by {tool})" if home.bibliography else ""
    if number := len(away.stand_ins):
        some = "1 font" if number == 1 else f"{number:,} fonts"
        lacks += (
            f"; compared with substitutes for {some} that this TeX cannot draw (install cm-super)"
        )
    return f"compiled by {order_of_runs(away.runs)}: {pages}, {same}{lacks}{made}"
