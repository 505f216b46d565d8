"""Terms that definitions introduce, and where the words of a text use them."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

_GROUP = r"\{((?:[^{}]|\{[^{}]*\}){1,200})\}"
_EMPHASIS = ("emph", "textit", "textbf", "textsl", "defn", "dfn", "define", "term", "newterm")
_SWITCH = re.compile(
    r"\{\s*\\(?:em|it|bf|sl|itshape|bfseries|slshape)(?![A-Za-z])\s*((?:[^{}]|\{[^{}]*\}){1,200})\}"
)
_MATHS = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\x02\d+\x03|\x04\d+\x05")
_WORD = re.compile(r"\\[A-Za-z@]+|([^\W\d_]{2,})")
_TOKEN = re.compile(r"\\[A-Za-z@]+|[^\W\d_]+")
_COMMAND = re.compile(r"\\[A-Za-z@]+")
_LONGEST = 6
_STOP = frozenset(
    """and the not any all only every each exactly unique then there exist exists such that other
    with for from this these where when let proof claim case step remark note example definition
    theorem lemma proposition corollary notation first second third one two three same iff must
    may does itself always never strictly finite infinite countable positive negative following
    true false left right upper lower also here some both new old set map point number function
    left-hand right-hand statement hypothesis assumption conjecture warning base
    inductive""".split()
)


class _Normal(dict[str, str]):
    """Word to its normal form: lower case, without the ending of a plural."""

    def __missing__(self, word: str) -> str:
        low = word.lower()
        if len(low) > 3 and low.endswith("ies"):
            low = low[:-3] + "y"
        elif len(low) > 4 and low.endswith(("sses", "xes", "ches", "shes")):
            low = low[:-2]
        elif len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
            low = low[:-1]
        if len(self) < 200_000:
            self[word] = low
        return low


_NORMAL = _Normal()


def words(text: str) -> list[str]:
    """The normal forms of a text's words, commands left out."""
    return [_NORMAL[word] for word in _WORD.findall(text) if word]


def vocabulary(texts: Iterable[str]) -> tuple[str, ...]:
    """The normal forms of all words of some texts, sorted."""
    found: set[str] = set()
    for text in texts:
        found.update(_WORD.findall(text))
    found.discard("")
    return tuple(sorted({_NORMAL[word] for word in found}))


@lru_cache(maxsize=16)
def _emphasis(extra: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join((*_EMPHASIS, *map(re.escape, extra)))
    return re.compile(rf"\\(?:{names})\s*{_GROUP}")


_SAID = re.compile(
    r"\b(?:is|are|be)\s+(?:called|said\s+to\s+be|said|named|termed)\s+(?:an?\s+|the\s+)?(?P<a>[^.,;:$]{3,60})"
    r"|\b(?:is|are)\s+(?:an?\s+)?(?P<b>[a-z][a-z -]{2,40}?)\s+(?:if|when|iff|whenever)\b"
    r"|\b[Ww]e\s+call\s+(?:(?:it|this|them|\$[^$]*\$)\s+)?(?:an?\s+|the\s+)?(?P<c>[^.,;:$]{3,60})",
)
_BREAK = re.compile(r"\b(?:if|when|of|for|with|on|in|over|to|at|by|and|or|where|such|that|iff)\b")
_GENERIC = frozenset(
    """function process set map space measure class property sequence family element operator number
    group ring field object type structure system condition relation time""".split()
)


def introduced(text: str, title: str, extra: Iterable[str] = ()) -> tuple[str, ...]:
    """The terms that a definition's text emphasises, its title, and what it says something is.

    "We say that x is tame if" introduces "tame" where nothing is emphasised. A title as in "Tame
    function" introduces "tame" too: a text may say "f is tame".
    """
    pattern = _emphasis(tuple(extra))
    shown = [*pattern.findall(text), *_SWITCH.findall(text)]
    found = [term for inner in shown if (term := _term(inner))]
    if title and (term := _term(title)):
        found += [term, *_without_generic(term)]
    if not shown:
        found += [term for inner in _said(text) if (term := _term(inner))]
    return tuple(dict.fromkeys(found))


def _without_generic(term: str) -> list[str]:
    """`tame` of `tame function`."""
    head, _, last = term.rpartition(" ")
    is_short = head and last in _GENERIC and " " not in head
    return [head] if is_short and head not in _STOP | _GENERIC and len(head) > 3 else []


def _said(text: str) -> list[str]:
    """What the words of a definition call something."""
    found = []
    for match in _SAID.finditer(text):
        phrase = match["a"] or match["b"] or match["c"]
        cut = _BREAK.search(phrase)
        found.append(phrase[: cut.start()] if cut else phrase)
    return found


def _term(text: str) -> str:
    """The normal form of a term, or nothing where it is no term that one could look for."""
    listed = words(_COMMAND.sub(" ", _MATHS.sub(" ", text)))
    if not listed or len(listed) > _LONGEST or all(word in _STOP for word in listed):
        return ""
    if len(listed) == 1 and len(listed[0]) < 4:
        return ""
    return " ".join(listed)


def used(text: str, heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Which terms a text uses; `heads` lists the terms by their first word."""
    listed = words(text)
    candidates = heads.keys() & set(listed)
    if not candidates:
        return ()
    line = f" {' '.join(listed)} "
    return tuple(sorted(term for head in candidates for term in heads[head] if f" {term} " in line))


def by_head(terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Terms listed by their first word."""
    made: dict[str, list[str]] = {}
    for term in sorted(set(terms)):
        made.setdefault(term.partition(" ")[0], []).append(term)
    return {head: tuple(listed) for head, listed in made.items()}


def place(text: str, term: str) -> int:
    """Offset of the first use of a term in a canonical text; its length if it is not there."""
    wanted = term.split(" ")
    window: list[tuple[int, str]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] == "\\" or len(token) < 2:
            continue
        window.append((match.start(), _NORMAL[token]))
        window = window[-len(wanted) :]
        if [word for _, word in window] == wanted:
            return window[0][0]
    return len(text)
