"""References in words: "the previous lemma", "the two lemmas above", "Lemma 4.3"."""

import re
from typing import NamedTuple

PHRASE, NUMBER = "(phrase)", "(number)"
WORDED = frozenset({PHRASE, NUMBER})
"""Notes of such mentions; no command has a name like these."""

_KINDS = (
    r"theorem|lemma|proposition|corollary|definition|claim|remark|example|assumption|conjecture"
    r"|observation|fact|result"
)
_PLURAL = r"theorems|lemmas|lemmata|propositions|corollaries|definitions|claims|results"
_POINTING = re.compile("revious|receding|oregoing| above| below|ollowing|next|last")
_COUNTED = re.compile(r"[a-z]\.?[\s~]+\(?(?:[A-Z]\.)?\d")
"""Cues, found fast: hardly any piece of text has one."""
_ABBREVIATED = {"thm": "theorem", "lem": "lemma", "prop": "proposition", "cor": "corollary",
                "def": "definition", "defn": "definition", "rem": "remark"}  # fmt: skip
_GAP = r"(?:\s|~)+"
_BEFORE = re.compile(
    rf"(?:(?:\b[Tt]he{_GAP})?\b(?P<where>previous|preceding|foregoing|above|following)"
    rf"|\b[Tt]he{_GAP}(?P<where3>next|last)){_GAP}"
    rf"(?:(?P<count>two|three){_GAP}(?P<kinds>{_PLURAL})|(?P<kind>{_KINDS}))\b"
    rf"|\b[Tt]he{_GAP}(?:(?P<count2>two|three){_GAP}(?P<kinds2>{_PLURAL})|(?P<kind2>{_KINDS})){_GAP}"
    r"(?P<where2>above|below)\b",
)
_NUMBER = re.compile(
    rf"\b(?P<kind>[Tt]heorem|[Ll]emma|[Pp]roposition|[Cc]orollary|[Dd]efinition|[Cc]laim|[Rr]emark"
    rf"|[Ee]xample|[Aa]ssumption|[Cc]onjecture|[Oo]bservation|[Ff]act|(?:Thm|Lem|Prop|Cor|Defn?|Rem)"
    rf"\.?){_GAP}\(?(?P<number>(?:[A-Z]\.)?\d{{1,3}}(?:\.\d{{1,3}}){{0,3}})\)?(?![\d\w])"
)
_ELSEWHERE = re.compile(r"(?:\\[a-z]*cite|\[[A-Z])")
_WINDOW = 60
_COUNTS = {"two": 2, "three": 3}
_ONWARD = frozenset({"following", "next", "below"})


class Worded(NamedTuple):
    """A reference in words: its span, its note, and the words themselves."""

    start: int
    end: int
    note: str
    words: str


class Pointer(NamedTuple):
    """What a phrase points to: how many of a kind ("" for any result), before or behind it."""

    kind: str
    several: int
    onward: bool


def find(text: str, start: int, end: int) -> list[Worded]:
    """The references in words between two offsets, in order."""
    found: list[Worded] = []
    if _POINTING.search(text, start, end):
        found += [_worded(match, PHRASE) for match in _BEFORE.finditer(text, start, end)]
    if _COUNTED.search(text, start, end):
        numbers = _NUMBER.finditer(text, start, end)
        found += [_worded(match, NUMBER) for match in numbers if not _is_elsewhere(match)]
    return sorted(found)


def _is_elsewhere(match: re.Match[str]) -> bool:
    """Whether a number is that of another work, for one is cited nearby."""
    window = max(0, match.start() - _WINDOW), match.end() + _WINDOW
    return _ELSEWHERE.search(match.string, *window) is not None


def _worded(match: re.Match[str], note: str) -> Worded:
    words = " ".join(match[0].replace("~", " ").split())
    return Worded(match.start(), match.end(), note, words)


def pointer(words: str) -> Pointer | None:
    """What a phrase points to."""
    match = _BEFORE.fullmatch(words)
    if match is None:
        return None
    kind = match["kind"] or match["kind2"] or _singular(match["kinds"] or match["kinds2"])
    count = _COUNTS.get(match["count"] or match["count2"] or "", 1)
    onward = (match["where"] or match["where2"] or match["where3"]) in _ONWARD
    return Pointer("" if kind == "result" else kind, count, onward)


def numbered(words: str) -> tuple[str, str] | None:
    """Kind and number of "Lemma 4.3"."""
    match = _NUMBER.fullmatch(words)
    if match is None:
        return None
    kind = match["kind"].rstrip(".").lower()
    return _ABBREVIATED.get(kind, kind), match["number"]


def _singular(plural: str) -> str:
    if plural == "lemmata":
        return "lemma"
    return plural[:-3] + "y" if plural.endswith("ies") else plural[:-1]
