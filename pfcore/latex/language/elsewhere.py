"""Numbers of other works: "[5, Lemma 2]", "Lemma 2 of Smith's paper", "Lemma 2 in \\cite{x}"."""

import re

_WINDOW = 60
_CITES = re.compile(
    r"(?:\\[A-Za-z]*cite|(?<![\\}])\[[A-Z][A-Za-z+]{0,7}(?:\s?\d{2,4}[a-z]?)?(?:,|\]))"
)
"""A citation: by its command, or as in "[Tao, Lemma 2]"; not the option of an environment."""
_BLANKS = r"[\s~]+"
_NAME = r"[A-Z](?:\w|[-.'’]|\\['\"`^~cvH]\{?\w\}?)*"
_WORK = (
    r"(?:papers?|articles?|books?|monographs?|thesis|theses|works?|preprints?|treatise|survey|textbook"
    r"|memoir|dissertation|manuscript|notes|edition|Arbeit|Buch(?:es)?|Artikel|livre|th[èe]se"
    r"|m[ée]moire)"
)
_FROM = r"(?:of|in|from|aus|von|vom|de|du|dans)"
_OPENS = r"(?<![\\\w}$^_\])])\["
_NO_NAME = (
    r"(?!(?:Sections?|Chapters?|Parts?|Append\w+|Subsections?|Paragraphs?|Steps?|Cases?|Theorems?"
    r"|Lemm\w+|Propositions?|Corollar\w+|Definitions?|Remarks?|Examples?|Figures?|Tables?|Claims?"
    r"|Algorithms?|Abschnitte?s?|Kapitel|Satz|Teil|Lean|Mathlib|Volumes?|Lectures?)\b)"
)
_WORK_BEFORE = re.compile(
    rf"{_OPENS}\d{{1,3}}(?:,[^\][\n]{{0,30}})?(?:\]\s*,)?\s*(?:see\s+)?\Z"
    rf"|\b{_NO_NAME}{_NAME}['’]s{_BLANKS}(?:{_WORK},?{_BLANKS})?\Z"
)
_BEHIND = re.compile(
    rf"\s*(?:,{_BLANKS})?(?:{_FROM}{_BLANKS}(?:[A-Za-z]+{_BLANKS}){{0,3}}{_OPENS}\d{{1,3}}[,;\]]"
    rf"|{_OPENS}\d{{1,3}}\]"
    rf"|{_FROM}{_BLANKS}(?:{_NAME}{_BLANKS}(?:and{_BLANKS})?){{0,2}}{_NO_NAME}{_NAME}(?:['’]s|s['’])"
    rf"|{_FROM}{_BLANKS}(?:his|her|their|that|seiner|ihrer|son|leur){_BLANKS}(?:[a-z]+{_BLANKS}){{0,2}}{_WORK}\b"
    rf"|{_FROM}{_BLANKS}(?:the|der|dem|le|l['’])\s*(?:[a-z]+{_BLANKS}){{0,2}}{_WORK}{_BLANKS}"
    rf"(?:of|by|von|de){_BLANKS}(?:{_NAME}|the{_BLANKS}(?:book|monograph))"
    rf"|(?:of|from){_BLANKS}{_NO_NAME}{_NAME}(?:{_BLANKS}(?:and|et){_BLANKS}(?:{_NAME}|al))?"
    rf"(?:\s*\(\d{{4}}|[,;)]|\.(?=\s|\Z|\\))"
    rf"|(?:(?:in|of){_BLANKS})?(?:\\(?:emph|textit)\{{)?(?:loc|op|ibid)\.?(?:\\?{_BLANKS}cit)?\b"
    rf"|there(?=[.,;)]))"
)
_SOURCE = re.compile(rf"\({_NO_NAME}(?P<word>{_NAME}),{_BLANKS}\Z")
_NO_SOURCE = frozenset("Indeed See Cf Compare Also Again Here Thus Hence By Namely Now So".split())


def is_elsewhere(text: str, start: int, end: int) -> bool:
    """Whether a number between two offsets is said to be that of another work."""
    first, last = max(0, start - _WINDOW), end + _WINDOW
    if _CITES.search(text, first, last):
        return True
    if _WORK_BEFORE.search(text, first, start) or _BEHIND.match(text, end, last):
        return True
    source = _SOURCE.search(text, first, start)
    return bool(source and text[end : end + 1] == ")" and source["word"] not in _NO_SOURCE)
