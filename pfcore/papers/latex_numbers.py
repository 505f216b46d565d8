"""The numbers that an installed TeX gives to the statements of a paper.

TeX runs only if a user asks for it, on a copy of the paper's text files. Its answer is stored under
a digest of all copied files and of the engine, and is only for display: references, and whatever is
compared or read, use `rendered_numbers` alone.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain.digest import digest
from pfcore.domain.errors import IncompleteError, SourceError, UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Module
from pfcore.latex.numbering.aux_file import parse_aux_file
from pfcore.latex.numbering.counters import without_fonts
from pfcore.papers.paper import Paper
from pfcore.papers.tex_engine import ENGINES, asked_engines, engine_key, engine_of, needs_luatex

if TYPE_CHECKING:
    from pfcore.papers.tex_process import TexLimits

_VERSION = 1
"""Increase this with every change of what is copied, of the hook, or of how its lines are read."""

_COPIED = tuple(f".{s}" for s in "tex sty cls clo ltx def".split())
_COPIED_TOO = tuple(f".{s}" for s in "bbl cfg tikz pgf inc pdf_tex".split())
_HOOK_FILE = "pf-verify-hook.tex"
_MOST_READ = 40_000_000
_MOST_AUX = 200
_MOST_AUX_READ = 2_000_000
_STRANGE_NAME = regex(r"[^\w ./+,=@!()'-]")
# TeX forbids names that lead upwards; without these parts the file is found from the parent
# folders, which are searched.
_UPWARDS = regex(r"(?P<before>\{\s{0,9}|\\input\s{1,9})(?:\.{1,2}/)*\.\./(?=[^./])")

_HOOK = r"""\makeatletter
\def\pfv@w#1{\immediate\write\m@ne{@pf-verify@|#1}}
\ifx\AddToHook\@undefined\pfv@w{O}\expandafter\@@end\fi
\PassOptionsToPackage{demo}{graphicx}
\def\pfv@n{0}\def\pfv@in{0}
\def\pfv@file{\ifx\CurrentFilePath\@empty\else\CurrentFilePath/\fi\CurrentFile}
\def\pfv@B#1{\xdef\pfv@n{\the\numexpr\pfv@n+1\relax}%
  \pfv@w{B|\pfv@n|\pfv@in|\the\inputlineno|#1|\pfv@file}\edef\pfv@in{\pfv@n}}
\def\pfv@R#1{\begingroup\protected@edef\pfv@a{\@currentlabel}%
  \pfv@w{R|\pfv@in|#1|\@currenvir|\detokenize\expandafter{\pfv@a}}\endgroup}
\def\pfv@o[#1]#2{\pfv@rsc[#1]{#2}\pfv@R{#2}}
\def\pfv@p#1{\pfv@rsc{#1}\pfv@R{#1}}
\AddToHook{begindocument/end}{\let\pfv@rsc\refstepcounter
  \def\refstepcounter{\@ifnextchar[\pfv@o\pfv@p}%
  \ifx\H@refstepcounter\@undefined\else\let\pfv@hrs\H@refstepcounter
    \def\H@refstepcounter#1{\pfv@hrs{#1}\pfv@R{#1}}\fi}
\AddToHook{enddocument}{\pfv@w{E}}
"""
"""Read before the paper; logs B when a statement begins and R when a counter is stepped."""

_LINE = regex(r"^@pf-verify@\|(B\|(?:\d{1,9}\|){3}.*|R\|\d{1,9}\|.*|[EO])$", re.MULTILINE)
_FAULT = regex(r"^(?:(?P<path>[^:\n]{1,200}):(?P<line>\d{1,7}):|!) (?P<what>.{1,200})$", re.M)
_LACKING = regex(r"File `([^'\n]{1,200})' not found")
_NEVER = regex(r"(?:mp|H)?footnote|page|Item|thmt@\w*")
"""Counters that no statement uses."""
_SELDOM = regex(
    r"(?:parent)?equation|enum\w*|(?:sub){0,2}section|chapter|part|(?:sub)?paragraph"
    r"|(?:sub)?(?:figure|table)|AMS\w*|ALG\w*|ALC@\w*|algorithm"
)
"""Counters that a statement may share, but that usually belong to something inside it."""
_PLAUSIBLE = regex(r"[\w.()\[\]'′*†‡§:/,–+ -]{1,40}")


class LatexWord(NamedTuple):
    """The numbers that LaTeX printed.

    `labels` are numbers by label; `statements` the numbers of the statements that begin at a path,
    line and environment, in order, "" for one without a number. `errors` is the number of errors,
    `first` is the first one with its place.
    """

    labels: Mapping[str, str]
    statements: Mapping[tuple[str, int, str], tuple[str, ...]]
    errors: int = 0
    first: str = ""


def latex_numbers(word: LatexWord, paper: Paper, modules: Iterable[Module]) -> dict[str, str]:
    """LaTeX's numbers of modules, by id; modules without a certain number are left out."""
    places: dict[tuple[str, int, str], list[Module]] = {}
    found: dict[str, str] = {}
    for module in modules:
        where = module.statement.location
        block = paper.readings[where.path].blocks[module.statement.block]
        if module.number is None and block.shape == "statement":
            places.setdefault((where.path, where.line, block.env), []).append(module)
        elif module.number is None:
            found |= _by_label(word, module)
    for key, listed in places.items():
        numbers = word.statements.get(_logged(key, word, places), ())
        if not numbers:
            for module in listed:
                found |= _by_label(word, module)
            continue
        listed.sort(key=lambda module: module.statement.location.start)
        if len(set(numbers)) == 1:
            numbers = (numbers[0],) * len(listed)
        if len(numbers) == len(listed):
            pairs = zip(listed, numbers, strict=True)
            found.update((module.id, number) for module, number in pairs if number)
    return found


def _by_label(word: LatexWord, module: Module) -> dict[str, str]:
    number = next((word.labels[label] for label in module.labels if label in word.labels), "")
    return {module.id: number} if number else {}


def _logged(
    key: tuple[str, int, str], word: LatexWord, places: Container[tuple[str, int, str]]
) -> tuple[str, int, str]:
    """The place at which TeX logged a statement, up to two lines later because of lookahead."""
    path, line, env = key
    for later in (key, (path, line + 1, env), (path, line + 2, env)):
        if later != key and later in places:
            break
        if later in word.statements:
            return later
    return key


def kept_word(paper: Paper) -> LatexWord | None:
    """LaTeX's stored answer for exactly these files, or None; TeX is not run."""
    cache = paper.parse_cache.cache
    known = asked_engines(cache)
    if paper.is_markup or not known:
        return None
    engine = _engine(paper)
    version = known.get(engine_key(engine))
    if version is None:
        return None
    key = _key(paper, engine, version, paper.snapshot.others(_COPIED_TOO))
    text = cache.get([key]).get(key)
    try:
        return _decoded(text) if text is not None else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def ask_latex(paper: Paper, limits: TexLimits | None = None) -> LatexWord:
    """Have an installed TeX number a paper, and store the result.

    UsageError if TeX is missing or cannot number this paper; IncompleteError if it does not reach
    the end of the paper.
    """
    from pfcore.papers.tex_process import TexLimits, engine_version, find_engine
    from pfcore.repository.scratch_folder import scratch_folder  # imported late: only used here

    _require_latex(paper)
    name = _engine(paper)
    engine = find_engine(name, os.environ.get("PATH", os.defpath))
    if engine is None:
        raise UsageError(
            f"{name} is not installed; install TeX Live (https://tug.org/texlive), or on Debian "
            f"and Ubuntu: apt install texlive-{'xetex' if name == 'xelatex' else 'latex-extra'}"
        )
    others = paper.snapshot.others(_COPIED_TOO)
    with scratch_folder("latex") as top:
        (top / "home").mkdir()
        version = engine_version(engine, top / "home")
        _copy(paper, top / "paper", others)
        word = _asked(paper, [engine, *_options(name)], top, limits or TexLimits())
    key = _key(paper, name, version, others)
    paper.parse_cache.cache.put({engine_key(name): version, key: _encoded(word)})
    return word


def _require_latex(paper: Paper) -> None:
    if paper.is_markup:
        raise UsageError(f"{paper.root} is in PF markup; LaTeX can number only LaTeX papers")
    if _STRANGE_NAME.search(paper.root):
        raise UsageError(f"TeX cannot take the name {paper.root!r}; rename the file or folder")


def _engine(paper: Paper) -> str:
    """The engine that the source asks for if we can run it, else pdflatex."""
    asked = engine_of(paper)
    return asked if asked in ENGINES else "pdflatex"


def _options(engine: str) -> list[str]:
    mode = "-no-pdf" if engine == "xelatex" else "-draftmode"
    return ["-interaction=batchmode", "-no-shell-escape", "-file-line-error", "-recorder", mode]


def _key(paper: Paper, engine: str, version: str, others: Mapping[str, bytes]) -> str:
    """The cache key of an answer: the digest of TeX's input and of its version."""
    files = [(path, paper.snapshot.files[path].oid) for path in _copied(paper)]
    more = [(path, sha256(data).hexdigest()) for path, data in sorted(others.items())]
    given = [_VERSION, paper.root, _hook(paper), engine, version, files, more]
    return f"latex-numbers:{digest(given)}"


def _copied(paper: Paper) -> Iterator[str]:
    return (path for path in sorted(paper.snapshot.files) if path.lower().endswith(_COPIED))


def _copy(paper: Paper, top: Path, others: Mapping[str, bytes]) -> None:
    """Write the files that TeX may read: texts of the snapshot, without links."""
    snapshot = paper.snapshot
    snapshot.foresee(_copied(paper))
    files = dict(others)
    for path in _copied(paper):
        with suppress(SourceError):  # unreadable files are missing for TeX as they are for us
            source = snapshot.read(path)
            text = _UPWARDS.sub(r"\g<before>", source.text) if "../" in source.text else source.text
            encoding = "utf-8" if source.encoding in ("utf-16", "utf-32") else source.encoding
            files[path] = text.encode(encoding, "replace")
    for path, data in files.items():
        place = top / path
        with suppress(OSError):  # names that differ only in case, on a system that ignores case
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    (top / posixpath.dirname(paper.root) / _HOOK_FILE).write_text(_hook(paper), encoding="utf-8")


def _hook(paper: Paper) -> str:
    """The hook, with the environments of the paper's statements."""
    names = {
        block.env
        for reading in paper.readings.values()
        for block in reading.blocks
        if block.shape == "statement" and re.fullmatch(r"[\w*:. +-]+", block.env)
    }
    lines = (f"\\AddToHook{{env/{name}/begin}}{{\\pfv@B{{{name}}}}}\n" for name in sorted(names))
    return f"{_HOOK}{''.join(lines)}\\makeatother\n"


def _asked(paper: Paper, command: list[str], top: Path, limits: TexLimits) -> LatexWord:
    """Run TeX two or three times, until its .aux is stable."""
    from pfcore.papers.tex_process import run_tex, tex_environment, tex_trees

    copy = top / "paper"
    folder = copy / posixpath.dirname(paper.root)
    above = [str(place) for place in folder.parents if place.is_relative_to(copy)]
    environment = tex_environment(top / "home", [*above, f"{copy}//"])
    base = posixpath.basename(paper.root)
    job = re.sub(r"[^\w.+-]", "_", posixpath.splitext(base)[0])
    words = rf'\input{{{_HOOK_FILE}}}\input{{"{base}"}}'
    trees = tex_trees(command[0])
    aux = before = ""
    for passed in range(3):
        stopped = run_tex(
            [*command, f"-jobname={job}", words],
            folder,
            top=top,
            trees=trees,
            environment=environment,
            limits=limits,
        )
        log = _text(folder / f"{job}.log")
        _require_end(paper, log, stopped)
        _require_own(paper, _text(folder / f"{job}.fls"), (copy, *trees))
        before, aux = aux, _text(folder / f"{job}.aux")
        if passed and aux == before:
            break
    return _word(paper, log, _labels(folder, job))


def _require_end(paper: Paper, log: str, stopped: str) -> None:
    """IncompleteError if TeX did not reach the end of the paper."""
    if stopped:
        raise IncompleteError(f"LaTeX was stopped on {paper.root}: {stopped}")
    said = {match[1] for match in _LINE.finditer(log) if match[1] in "EO"}
    if "O" in said:
        raise UsageError("the installed LaTeX is older than October 2020; install a newer TeX Live")
    if "E" in said:
        return
    lacking = _LACKING.findall(log)
    name = lacking[-1] if lacking else ""
    if name and any(
        posixpath.basename(path) == posixpath.basename(name) for path in paper.snapshot.paths
    ):
        known = " ".join((*_COPIED, *_COPIED_TOO))
        raise IncompleteError(
            f"LaTeX cannot find {name}: only files of these types are copied for it: {known}"
        )
    why = f"file not found: {name}" if name else _faults(log)[1] or "no error message"
    does = "Does the paper compile from a fresh clone?"
    if needs_luatex(paper):
        does = "The paper needs LuaLaTeX, which pf numbers does not run."
    raise IncompleteError(f"LaTeX did not reach the end of {paper.root}: {why.rstrip('.')}. {does}")


def _require_own(paper: Paper, files: str, trees: Iterable[Path]) -> None:
    """IncompleteError if TeX read a file that belongs neither to the paper nor to TeX."""
    for line in dict.fromkeys(files.splitlines()):
        place = Path(line.removeprefix("INPUT "))
        if not line.startswith("INPUT ") or not place.is_absolute() or "\0" in line:
            continue  # no file has a NUL in its name
        real = place.resolve()
        if not any(place.is_relative_to(tree) or real.is_relative_to(tree) for tree in trees):
            raise IncompleteError(
                f"{paper.root} reads {place}, outside the repository; LaTeX's numbers are ignored"
            )


def _text(path: Path, most: int = _MOST_READ) -> str:
    """The beginning of a file that TeX wrote; "" if there is none."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def _faults(log: str) -> tuple[int, str]:
    """The number of errors, and the first one with its file and line."""
    found = list(_FAULT.finditer(log))
    if not found:
        return 0, ""
    path, line, what = found[0].group("path", "line", "what")
    return len(found), f"{path.removeprefix('./')}:{line}: {what}" if path else what


def _labels(folder: Path, job: str) -> dict[str, str]:
    """The numbers by label, from the .aux files that were written just now."""
    found: dict[str, str] = {}
    doubtful: set[str] = set()
    pending, seen = [f"{job}.aux"], set[str]()
    while pending and len(seen) < _MOST_AUX:
        name = pending.pop()
        if name in seen or not name.isprintable():
            continue
        seen.add(name)
        place = (folder / name).resolve()
        if not place.is_relative_to(folder.resolve()):
            continue
        made = parse_aux_file(_text(place, _MOST_AUX_READ))
        pending += made.inputs
        for key, number in made.labels.items():
            if number.certain and _PLAUSIBLE.fullmatch(number.text):
                doubtful |= {key} if found.get(key, number.text) != number.text else set()
                found[key] = number.text
    return {key: text for key, text in found.items() if key not in doubtful}


class _LoggedStatement(NamedTuple):
    """A statement in the log: its place, and the number of the statement around it."""

    parent: str
    line: int
    env: str
    file: str


def _word(paper: Paper, log: str, labels: dict[str, str]) -> LatexWord:
    begun: dict[str, _LoggedStatement] = {}
    numbers: dict[str, str] = {}
    kinds = paper.syntax.kinds
    for match in _LINE.finditer(log):
        kind, *fields = match[1].split("|", 5 if match[1][0] == "B" else 4)
        if kind == "B" and len(fields) == 5:
            begun[fields[0]] = _LoggedStatement(fields[1], int(fields[2]), fields[3], fields[4])
        elif kind == "R" and len(fields) == 4 and fields[3] and not _NEVER.fullmatch(fields[1]):
            own = begun[fields[0]].env if fields[0] in begun else ""
            if fields[2] == own or fields[2] in kinds or not _SELDOM.fullmatch(fields[1]):
                numbers.setdefault(fields[0], fields[3])
    for name, item in begun.items():  # an environment that only opens another one has its number
        around = begun.get(item.parent)
        if around and name in numbers and (around.line == item.line or "restat" in around.env):
            numbers.setdefault(item.parent, numbers[name])
    files = _FileNames(paper)
    places: dict[tuple[str, int, str], list[str]] = {}
    for name, item in begun.items():
        path = files.path(item.file)
        if path is not None:
            text, is_certain = without_fonts(numbers.get(name, ""))
            is_number = is_certain and _PLAUSIBLE.fullmatch(text)
            places.setdefault((path, item.line, item.env), []).append(text if is_number else "")
    errors, first = _faults(log)
    statements = {key: tuple(listed) for key, listed in places.items()}
    return LatexWord(labels, statements, errors, first)


class _FileNames:
    """The paths of files by the names under which TeX found them."""

    def __init__(self, paper: Paper) -> None:
        self._paths = paper.readings.keys()
        self._folder = posixpath.dirname(paper.root)
        self._known: dict[str, str | None] = {}

    def path(self, name: str) -> str | None:
        """The path of a file of the paper; None if there is none or several fit."""
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> str | None:
        folder = self._folder
        while True:
            path = posixpath.normpath(posixpath.join(folder, name))
            if path in self._paths:
                return path
            if not folder:
                break
            folder = posixpath.dirname(folder)
        ending = f"/{posixpath.normpath(name)}"
        like = [path for path in self._paths if path.endswith(ending)]
        folded = ending.casefold()  # TeX also finds files whose names differ in case
        like = like or [path for path in self._paths if f"/{path}".casefold().endswith(folded)]
        return like[0] if len(like) == 1 else None


def _encoded(word: LatexWord) -> str:
    statements = [(*key, *numbers) for key, numbers in word.statements.items()]
    return json.dumps([dict(word.labels), statements, word.errors, word.first])


def _decoded(text: str) -> LatexWord:
    labels, statements, errors, first = json.loads(text)
    return LatexWord(
        labels={str(key): str(number) for key, number in labels.items()},
        statements={
            (str(path), int(line), str(env)): tuple(map(str, numbers))
            for path, line, env, *numbers in statements
        },
        errors=int(errors),
        first=str(first),
    )
