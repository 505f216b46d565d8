"""Small documents, each with one way in which papers count statements, and LaTeX's numbers of it.

`tests/data/idioms/*.txt`: a document begins with `%%% its name`; `%%= a: 1.1; b: 2` are the
numbers that LaTeX gave its labels, `%%%% path` begins another file of it. A document without a
class is an article with amsmath and amsthm; its end is added.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.quality.unprepared import compared
from pfcore.latex.numbering.aux_file import parse_aux_file
from pfcore.latex.numbering.counters import without_fonts
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from tests.conftest import write

FOLDER = Path(__file__).with_name("data") / "idioms"
_HEAD = "\\documentclass{article}\\usepackage{amsmath,amsthm}\n"


class Idiom(NamedTuple):
    """A document: its files, and its labels' numbers as LaTeX prints them."""

    name: str
    files: Mapping[str, str]
    numbers: Mapping[str, str]


def idioms(path: Path) -> list[Idiom]:
    """The documents of a list."""
    return [_idiom(text) for text in re.split(r"(?m)^%%% ", path.read_text("utf-8"))[1:]]


def _idiom(text: str) -> Idiom:
    name, _, rest = text.partition("\n")
    numbers: dict[str, str] = {}
    if rest.startswith("%%= "):
        listed, _, rest = rest.removeprefix("%%= ").partition("\n")
        numbers = dict(item.split(": ", 1) for item in listed.split("; "))
    main, *others = re.split(r"(?m)^%%%% ", rest)
    head = "" if "\\documentclass" in main.partition("\\begin{document}")[0] else _HEAD
    end = "" if "\\end{document}" in main else "\\end{document}\n"
    files = {"main.tex": f"{head}{main}{end}"}
    files |= {path: content for path, _, content in (item.partition("\n") for item in others)}
    return Idiom(name, files, numbers)


def outcomes(idiom: Idiom, folder: Path) -> dict[str, str]:
    """Of each label: right, wrong, silent or lost."""
    write(folder, dict(idiom.files))
    taken = snapshot.from_folder(folder)
    papers = discover_papers(taken, ParseCache(MemoryCache())).papers
    paper = next(item for item in papers if item.root == "main.tex")
    return compared(paper, {label: ("", number) for label, number in idiom.numbers.items()})


REFERENCES = FOLDER.with_name("references")
"""Documents with what LaTeX warns of: `%%= lost: a, b; twice: c`; nothing where it is silent."""
GONE = "gone"
"""A label that each of them asks for at its end, and that none has."""


def with_a_lost_reference(idiom: Idiom) -> Idiom:
    """The document with a reference at its end that leads nowhere for certain."""
    main, _, behind = idiom.files["main.tex"].rpartition("\\end{document}")
    text = f"{main}\n\nFor \\ref{{{GONE}}}.\n\\end{{document}}{behind}"
    return idiom._replace(files={**idiom.files, "main.tex": text})


def warned_of(idiom: Idiom) -> tuple[set[str], set[str]]:
    """The labels of which LaTeX says that they are lost, and those that are there twice."""
    found = (idiom.numbers.get(name, "").split(", ") for name in ("lost", "twice"))
    lost, twice = (set(filter(None, keys)) for keys in found)
    return lost | {GONE}, twice


_LOST = re.compile(
    r"Warning: (?:Hyper reference|Reference|Undefined label) `(.*?)'"
    r"(?: on page| undefined| on input)"
)
_TWICE = re.compile(r"Warning: Label `(.*?)' multiply")


def warnings_of_latex(idiom: Idiom, folder: Path) -> tuple[set[str], set[str], str]:
    """What an installed LaTeX warns of, lost labels and those that are there twice; its error."""
    write(folder, dict(idiom.files))
    log = ""
    for _ in range(3):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-draftmode", "main.tex"],
            cwd=folder, capture_output=True, check=False, timeout=120,
            env={**os.environ, "max_print_line": "10000"},
        )  # fmt: skip
        log = done.stdout.decode("utf-8", "replace")
    fault = next((line for line in log.splitlines() if line.startswith("!")), "")
    return set(_LOST.findall(log)), set(_TWICE.findall(log)), fault


def numbers_of_latex(idiom: Idiom, folder: Path) -> tuple[dict[str, str], str]:
    """The numbers that an installed LaTeX gives a document's labels, and its first error."""
    write(folder, dict(idiom.files))
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-draftmode", "main.tex"],
            cwd=folder, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
    log = done.stdout.decode("utf-8", "replace")
    found: dict[str, str] = {}
    for aux in sorted(folder.rglob("*.aux")):
        labels = parse_aux_file(aux.read_text("utf-8", "replace")).labels
        found |= {key: without_fonts(number.text)[0] for key, number in labels.items()}
    return found, next((line for line in log.splitlines() if line.startswith("!")), "")
