r"""Labels that listings set: by an option, in their code, or in a file that they list.

`[label=lst:a]`, `(*@\label{line:x}@*)` in a listing, and the same in the file of
`\lstinputlisting`. Packages decide where an escape to LaTeX is on; whatever may be a label counts.
"""

import posixpath
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import islice

from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.project.include_graph import resolve
from pfcore.latex.project.survey import FileLink
from pfcore.papers.paper import Paper
from pfcore.repository.snapshot import LFS_POINTER
from pfcore.repository.source_files import decode

_OPTION = regex(
    r"[\[,{\s](?:(?:phantom)?label|(?:legend|colorbar) to name)\s*=\s*"
    r"(?:\{([^{}#\\\n]{1,100})\}|([^\s,\]{}#\\]{1,100}))"
)
_ITEMS = regex(
    r"\\(?:begin\s{0,9}\{(?:enumerate|itemize|description)\*?\}|setlist\*?(?:\[[^\[\]]{0,60}\])?)"
    r"\s{0,9}[\[{][^\[\]{}]{0,200}\Z"
)
_NEAR = 300
_BEGIN = regex(r"\\begin\s{0,20}\{([A-Za-z]{1,40}\*?)\}")
_END = regex(r"\\end\s{0,20}\{([A-Za-z]{1,40}\*?)\}")
_CODE = regex(
    r"(?:lst|tcblisting|pseudo|code|minted|[blc]?verbatim)[A-Za-z]{0,20}\*?", re.IGNORECASE
)
_PLAIN = ("verbatim", "verbatim*")
"""Environments without an escape, unless the paper redefines them."""
_OWN = regex(
    r"\\(?:lstnewenvironment|(?:Define|Recustom)VerbatimEnvironment|(?:re)?newtcblisting"
    r"|(?:New|Renew|Provide|Declare)TCBListing)\s{0,20}(?:\[[^\[\]\n]{0,100}\]\s{0,20})?"
    r"\{([A-Za-z]{1,40}\*?)\}"
)
_WORDS_OF_OWN = ("lstnewenvironment", "VerbatimEnvironment", "newtcblisting", "TCBListing")
"""Each match of `_OWN` contains one of these; few files do, and searching for them is fast."""
_MAY_GIVE = regex(r"(?:label|to name)\s*=")
"""Occurs in each match of `_OPTION`, which is slow: it tries every blank."""
_SET = regex(
    r"[^\w\s]label[ \t]{0,20}"
    r"(?:\{([^{}\n]{1,200})\}|\[([^\[\]\n]{1,200})\]|\(([^()\n]{1,200})\)|<([^<>\n]{1,200})>)"
)
"""After any character that may begin a command there (`commandchars=+\\[\\]`)."""
_ESCAPE = regex(r"escape(?:inside|char|begin)|mathescape|texcl|commandchars|codes\s{0,20}=")
_LISTS = regex(
    r"\\(?P<name>lstinputlisting|inputminted|[BLC]?VerbatimInput)(?![A-Za-z@])\*?"
    r"|(?<![A-Za-z])listing\s{1,20}(?:and\s{1,20}comment\s{1,20})?file\s{0,20}=\s{0,20}"
    r"(?:\{(?P<braced>[^{}\n]{1,300})\}|(?P<bare>[^{},\]\s]{1,300}))"
)
_DEFINES = regex(
    r"\\(?:(?:(?:re)?newcommand|providecommand|DeclareRobustCommand"
    r"|(?:New|Renew|Provide|Declare)DocumentCommand|(?:re)?newtcbinputlisting"
    r"|(?:New|Renew|Provide|Declare)TCBInputListing)\*?\s{0,20}(?:\[[^\[\]\n]{0,100}\]\s{0,20})?"
    r"\{?\s{0,20}|[gex]?def\s{0,20})\\(?P<name>[A-Za-z@]{1,60})\s{0,20}\}?(?:\#[1-9]){0,9}"
)
_MINTED_FILE = regex(
    r"\\newmintedfile\s{0,20}(?:\[([A-Za-z]{1,40})\]\s{0,20})?\{([A-Za-z0-9+-]{1,40})\}"
)
_SLOT = regex(r"\#[1-9]")
_NO_NAME = regex(r"[\\#{}\n]|.{300}")
_MOST_GROUPS, _MOST_MAKERS, _MOST_USES, _MOST_NAMES, _MOST_ALIKE = 6, 100, 2_000, 500, 3
_MOST_FILES, _LONGEST = 100, 500_000
"""How many files are read, and their greatest size in bytes."""
_TEXTS = 600
"""The size of the caches: the texts of a large paper and of its earlier version."""


class ListingLabels:
    """The labels that the listings of a paper set, found on demand."""

    def __init__(self, paper: Paper, texts: Sequence[str]) -> None:
        self._paper = paper
        self._texts = texts

    def __contains__(self, key: str) -> bool:
        return key in self._by_options or key in self._in_texts or key in self._in_files[0]

    @cached_property
    def unread(self) -> str:
        """A listed file that cannot be read, if an escape is on anywhere; else ""."""
        has_escape = any(_ESCAPE.search(text) for text in self._texts)
        return self._in_files[1] if has_escape else ""

    @cached_property
    def _by_options(self) -> frozenset[str]:
        return labels_of_options(self._texts)

    @cached_property
    def _in_texts(self) -> frozenset[str]:
        own = frozenset(
            name
            for text in self._texts
            if any(map(text.__contains__, _WORDS_OF_OWN))
            for name in _OWN.findall(text)
        )
        dead = self._paper.syntax.dead
        return frozenset().union(*(labels_in_listings(text, own, dead) for text in self._texts))

    @cached_property
    def _in_files(self) -> tuple[frozenset[str], str]:
        """The labels in listed files, and the first of these files that cannot be read."""
        uses = _first_listed(tuple(self._texts), self._paper.syntax.dead)
        meant = {names: [path for name in names for path in self._meant(name)] for names in uses}
        wanted = list(dict.fromkeys(path for paths in meant.values() for path in paths))
        codes = self._codes(wanted[:_MOST_FILES])
        gone = (names[-1] for names, paths in meant.items() if codes.keys().isdisjoint(paths))
        return frozenset().union(*map(_labels_in_code, codes.values())), next(gone, "")

    def _meant(self, name: str) -> list[str]:
        """The file with a name; if there is none, up to three elsewhere with the same base name."""
        root, moment = self._paper.root, self._paper.snapshot
        link = FileLink("input", name, "input", 0)
        found = resolve(link, root, (root,), moment.paths, moment.links)
        if found:
            return [found]
        alike = self._by_name.get(posixpath.basename(name), [])
        return alike if len(alike) <= _MOST_ALIKE and not name.startswith("../") else []

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._paper.snapshot.paths):
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def _codes(self, paths: Iterable[str]) -> dict[str, str]:
        """The texts of some files, without those that are large, binary or missing."""
        moment = self._paper.snapshot
        found: dict[str, str] = {}
        others = []
        for path in paths:
            if path not in moment.files:
                others.append(path)
            elif (moment.files[path].size or 0) <= _LONGEST:
                with suppress(SourceError):
                    found[path] = moment.read(path).text
        for path, data in moment.contents(others, limit=_LONGEST).items():
            code = decode(data)
            if not code.is_binary and not code.text.startswith(LFS_POINTER):
                found[path] = code.text
        return found


def labels_of_options(texts: Iterable[str]) -> frozenset[str]:
    r"""The labels that options set: `\begin{lstlisting}[label=lst:a]`, `label={fig:b}`."""
    return frozenset().union(*map(_options_in, texts))


@lru_cache(maxsize=_TEXTS)
def _options_in(text: str) -> frozenset[str]:
    found = _OPTION.finditer(text) if _MAY_GIVE.search(text) else ()
    listed = [match for match in found if not _is_of_items(match)]
    comments = mask(text).comments if listed else ()
    silent = Spans((item.start, item.start + len(item.text)) for item in comments)
    named = (match[1] or match[2] for match in listed if not silent.covers(match.start()))
    return frozenset(key.strip() for key in named)


def _is_of_items(match: re.Match[str]) -> bool:
    """Whether an option sets the labels of a list's items (package enumitem)."""
    before = match.string[max(0, match.start() - _NEAR) : match.end()]
    return _ITEMS.search(before.rpartition("label")[0]) is not None


@lru_cache(maxsize=_TEXTS)
def labels_in_listings(
    text: str, own: frozenset[str] = frozenset(), dead: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The labels in the listings of a text; `own` are environments that the paper defines."""
    found: set[str] = set()
    for code in _listings(text, own, dead) if "label" in text else ():
        found |= _labels_in_code(code)
    return frozenset(found)


def _listings(text: str, own: frozenset[str], dead: frozenset[str]) -> Iterator[str]:
    """The code of each printed listing that is closed."""
    begun = [match for match in _BEGIN.finditer(text) if _holds_code(match[1], own)]
    if not begun:
        return
    ends: dict[str, list[int]] = {}
    for match in _END.finditer(text):
        ends.setdefault(match[1], []).append(match.start())
    printed = mask(text, dead).printed
    done = 0
    for match in begun:
        name, start = match[1], match.end()
        if match.start() < done or not printed.startswith("\\b", match.start()):
            continue
        closing = ends.get(name, [])
        index = bisect(closing, start)
        if index < len(closing):
            done = closing[index]
            yield text[start:done]


def _holds_code(name: str, own: frozenset[str]) -> bool:
    return name in own or (_CODE.fullmatch(name) is not None and name not in _PLAIN)


def _labels_in_code(code: str) -> frozenset[str]:
    return frozenset("".join(groups).strip() for groups in _SET.findall(code))


@lru_cache(maxsize=4)  # a paper and its earlier version, for several callers
def _first_listed(texts: tuple[str, ...], dead: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(islice(files_listed(texts, dead), _MOST_NAMES))


def files_listed(
    texts: Iterable[str], dead: frozenset[str] = frozenset()
) -> Iterator[tuple[str, ...]]:
    """The files that some texts list, with commands of packages or their own, each once.

    A file is a tuple of possible names, because any argument of an own command may name it.
    """
    listed = [Groups(mask(text, dead).text) for text in texts]
    forms: dict[str, list[str]] = {}
    for groups in listed:
        for name, form in _own_commands(groups):
            forms.setdefault(name, []).append(form)
    makers = dict(islice(forms.items(), _MOST_MAKERS))
    known: set[tuple[str, ...]] = set()
    for groups in listed:
        named = ((name,) for name in _named(groups, 0, len(groups.text)) if "#" not in name)
        for names in (*named, *_made_of_arguments(groups, makers)):
            if names not in known:
                known.add(names)
                yield names


def _named(groups: Groups, start: int, end: int) -> Iterator[str]:
    """The files that commands of packages list in a span, as written."""
    for match in _LISTS.finditer(groups.text, start, end) if _may_list(groups.text) else ():
        name = match["braced"] or match["bare"] or ""
        if match["name"]:
            braces = [one for one, is_option in _arguments(groups, match.end()) if not is_option]
            number = 1 if match["name"] == "inputminted" else 0
            name = braces[number] if number < len(braces) else ""
        if plain := name.strip().strip('"'):
            yield plain


def _may_list(text: str) -> bool:
    """Whether a text has a word that `_LISTS` needs; much faster than the pattern."""
    return any(map(text.__contains__, ("listing", "inputminted", "VerbatimInput")))


def _own_commands(groups: Groups) -> Iterator[tuple[str, str]]:
    """The commands that a text defines to list files, each with a file name containing `#n`."""
    for match in _MINTED_FILE.finditer(groups.text):
        yield match[1] or f"{match[2]}file", "#1"
    if not _may_list(groups.text):
        return
    for match in _DEFINES.finditer(groups.text):
        end = match.end()
        for _ in range(_MOST_GROUPS):
            span = groups.brackets(end) or groups.braces(end)
            end = groups.after(span) if span else end
        for name in _named(groups, match.end(), end):
            form = name if len(set(_SLOT.findall(name))) == 1 else posixpath.basename(name)
            if len(set(_SLOT.findall(form))) == 1:
                yield match["name"], form


def _made_of_arguments(groups: Groups, forms: Mapping[str, list[str]]) -> Iterator[tuple[str, ...]]:
    """The files listed by such commands; any of their arguments may be the name."""
    if not forms:
        return
    used = rf"\\({alternatives(forms)})(?![A-Za-z@])\*?"
    for match in islice(re.finditer(used, groups.text), _MOST_USES):
        values = [value.strip() for value, _ in _arguments(groups, match.end())]
        plain = [value for value in values if value and not _NO_NAME.search(value)]
        if plain:
            found = (_SLOT.sub(value, form) for form in forms[match[1]] for value in plain)
            yield tuple(dict.fromkeys(found))


def _arguments(groups: Groups, position: int) -> Iterator[tuple[str, bool]]:
    """The adjacent arguments after a position, each with whether it is in brackets."""
    for _ in range(_MOST_GROUPS):
        option = groups.brackets(position)
        span = option or groups.braces(position)
        if span is None:
            return
        yield groups.text[slice(*span)], option is not None
        position = groups.after(span)
