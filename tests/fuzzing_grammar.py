"""Made papers for fuzzing: each is a function of a seed, an index and the grammar alone.

The grammar is `tests/data/fuzzing.txt`. A paper is a folder of files as bytes: written by the
grammar, mostly with a few faults in its tokens, and with faults in its bytes where they are wanted.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random

GRAMMAR = Path(__file__).parent / "data" / "fuzzing.txt"
MAIN = "main.tex"

_HOLE = re.compile(r"‹(=|@[a-z]+ )?([^‹›*]+)(?:\*(\d+))?›")
_TOKEN = re.compile(r"\\(?:[A-Za-z@]+\*?|.|$)|[A-Za-z0-9]+|\s+|.", re.DOTALL)
_DEEPEST = 12
_LONGEST = 5_000
_MOST_FILES = 6

Folder = Mapping[str, bytes]


@cache
def grammar() -> Mapping[str, tuple[str, ...]]:
    """The ways of writing each thing, by its name."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in GRAMMAR.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name = line.removeprefix("== ")
            sections[name] = []
        elif line and name:
            sections[name].append(line.replace("¶", "\n"))
    return {name: tuple(lines) for name, lines in sections.items()}


def made_paper(seed: int, index: int, *, is_broken: bool = False) -> Folder:
    """The files of a paper; `is_broken`: with faults in its bytes."""
    chance = Random(f"{seed}:{index}")
    writer = _Writer(chance)
    files = writer.paper()
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        path = chance.choice(sorted(files))
        files[path] = _with_fault(files[path], chance)
    data = {path: text.encode() for path, text in files.items()}
    if is_broken:
        for _ in range(chance.choice((1, 1, 2, 4, 12))):
            path = MAIN if chance.random() < 0.6 else chance.choice(sorted(data))
            data[path] = _broken(data[path], chance)
    return data


def edited(folder: Folder, seed: int, index: int) -> Folder:
    """The same paper after an edit of one file."""
    chance = Random(f"{seed}:{index}:edit")
    path = MAIN if chance.random() < 0.7 else chance.choice(sorted(folder))
    return {**folder, path: _with_fault(folder[path].decode(errors="replace"), chance).encode()}


def repeated(folder: Folder, times: int) -> Folder:
    """The same paper with its body so many times, the labels of each copy its own."""
    text = folder[MAIN].decode(errors="replace")
    begin, end = "\\begin{document}", "\\end{document}"
    head, found, rest = text.partition(begin)
    body, _, _ = rest.partition(end)
    if not found or not body.strip():
        return folder
    keys = [re.escape(key) for key in grammar()["pool label"]]
    label = re.compile(r"(?<=[{,])(" + "|".join(keys) + r")(?=[},])")
    copies = (label.sub(rf"\g<1>-{number}", body) for number in range(times))
    return {**folder, MAIN: (head + begin + "".join(copies) + end).encode()}


class _Writer:
    """Writes one paper by the grammar."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._names: dict[str, list[str]] = {}
        self._files: dict[str, str] = {}
        self._left = chance.choice((600, 1_500, 1_500, 3_000, _LONGEST))

    def paper(self) -> dict[str, str]:
        """The files, by path."""
        self._files[MAIN] = ""
        self._files[MAIN] = self._write("paper", 0)
        if self._chance.random() < 0.1:
            self._files["main.aux"] = self._write("aux", 0)
        return self._files

    def _write(self, name: str, depth: int) -> str:
        way = self._chance.choice(grammar()[name])
        self._left -= len(way)
        return _HOLE.sub(lambda hole: self._filled(hole, depth + 1), way)

    def _filled(self, hole: re.Match[str], depth: int) -> str:
        how, name, most = hole.groups()
        if depth > _DEEPEST or (self._left < 0 and depth > 4):
            return ""
        if how == "=" or f"pool {name}" in grammar():
            return self._named(name, is_new=how == "=")
        if how:
            return self._further(how[1:].strip(), name, depth)
        if most:
            times = self._chance.randint(0, int(most))
            return "\n".join(self._write(name, depth) for _ in range(times) if self._left > 0)
        return self._write(name, depth)

    def _named(self, kind: str, *, is_new: bool) -> str:
        known = self._names.setdefault(kind, [])
        if not is_new and known and self._chance.random() < 0.85:
            return self._chance.choice(known)
        name = self._chance.choice(grammar()[f"pool {kind}"])
        if is_new:
            known.append(name)
        return name

    def _further(self, extension: str, name: str, depth: int) -> str:
        if len(self._files) >= _MOST_FILES:
            return "main"
        stem = f"part{len(self._files)}"
        self._files[f"{stem}.{extension}"] = ""
        self._files[f"{stem}.{extension}"] = self._write(name, depth)
        return stem


def _with_fault(text: str, chance: Random) -> str:
    """A text with one fault in its tokens."""
    tokens = _TOKEN.findall(text) or [""]
    here, there = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    start, end = min(here, there), max(here, there)
    fault = chance.randrange(7)
    if fault == 0:
        del tokens[here : here + chance.choice((1, 1, 2, 8))]
    elif fault == 1:
        tokens[here], tokens[there] = tokens[there], tokens[here]
    elif fault == 2:
        end = min(end, start + 60)
        tokens[end:end] = tokens[start:end] * chance.choice((1, 1, 2, 5))
    elif fault == 3:
        tokens.insert(here, chance.choice(grammar()["odd"]))
    elif fault == 4:
        tokens[here] = chance.choice(grammar()["odd"])
    elif fault == 5:
        _nest(tokens, start, min(end, start + 40), chance)
    else:
        moved = tokens[start : start + 30]
        del tokens[start : start + 30]
        tokens[there:there] = moved
    return "".join(tokens)


_NESTS = (
    ("{", "}"),
    ("\\emph{", "}"),
    ("\\begin{itemize}\\item ", "\\end{itemize}"),
    ("\\begin{lemma}", "\\end{lemma}"),
    ("\\begin{proof}", "\\end{proof}"),
    ("\\iftrue ", "\\fi "),
    ("\\begingroup ", "\\endgroup "),
    ("\\begin{equation}", "\\end{equation}"),
    ("\\ifthenelse{", "}{}{}"),
    ("$", "$"),
    ("[", "]"),
)


def _nest(tokens: list[str], start: int, end: int, chance: Random) -> None:
    begin, close = chance.choice(_NESTS)
    depth = chance.choice((2, 5, 5, 20, 20, 60, 400, 1_500))
    tokens.insert(end, close * (depth - chance.choice((0, 0, 1))))
    tokens.insert(start, begin * depth)


_STRANGE = (
    b"\0", b"\xff", b"\xfe\xff", b"\xc3", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\n\n", b"\t",
    b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\x7f", b"\x02", b"\x03", b"\x020\x03", b"\x040\x05",
    b"\x06", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\\", b"%", b"{", b"}", b"$", b"[", b"]",
    b"#", b"&", b"^", b"\xc2\xa0",
    *(c.encode() for c in ("\u2028", "\u2029", "\x85", "\u200f", "\u0301", "\U0001d538", "\ufeff",
                           "ß", "ﬁ", "İ", "\u0660", "²", "Ⅳ", "\ue000", "\U0010ffff")),
)  # fmt: skip


def _recoded(data: bytes, chance: Random) -> bytes:
    """The same in another encoding or with other ends of lines."""
    text = data.decode(errors="replace")
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: data.replace(b"\n", b"\r"),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: text.encode("utf-16"),
        lambda: text.encode("utf-16-le"),
        lambda: text.encode("latin-1", "replace"),
        lambda: data.replace(b"\n", "\u2028".encode()),
    )
    return chance.choice(ways)()


def _broken(data: bytes, chance: Random) -> bytes:
    """Bytes with one fault."""
    here = chance.randrange(len(data) + 1)
    length = chance.choice((1, 1, 1, 2, 8, 40))
    fault = chance.randrange(8)
    if fault == 0 and here < len(data):
        return data[:here] + bytes((data[here] ^ 1 << chance.randrange(8),)) + data[here + 1 :]
    if fault in (1, 2, 3):
        return data[:here] + chance.choice(_STRANGE) * chance.choice((1, 1, 1, 3)) + data[here:]
    if fault == 4:
        return data[:here] + data[here + length :]
    if fault == 5:
        return data[:here] + chance.randbytes(length) + data[here:]
    if fault == 6:
        return data[:here] + data[here : here + length] + data[here:]
    return _recoded(data, chance) if chance.random() < 0.8 else data[:here]
