"""Numbers of other works: "[5, Lemma 2]", "Lemma 2 of Smith's paper", "Lemma 2 in \\cite{x}"."""

import re

_WINDOW = 60
_CITES = re.compile(
    r"(?:\\[A-Za-z]*cite|(?<![\\}])\[[A-Z][A-Za-z+]{0,7}(?:\s?\d{2,4}[a-z]?)?(?:,|\]))"
)
"""A citation: by its command, or as in "[Tao, Lemma 2]"; not the option of an environment."""
_GAP = r"[\s~]+"
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
_BEFORE = re.compile(
    rf"{_OPENS}\d{{1,3}}(?:,[^\][\n]{{0,30}})?(?:\]\s*,)?\s*(?:see\s+)?\Z"
    rf"|\b{_NO_NAME}{_NAME}['’]s{_GAP}(?:{_WORK},?{_GAP})?\Z"
)
_BEHIND = re.compile(
    rf"\s*(?:,{_GAP})?(?:{_FROM}{_GAP}(?:[A-Za-z]+{_GAP}){{0,3}}{_OPENS}\d{{1,3}}[,;\]]"
    rf"|{_OPENS}\d{{1,3}}\]"
    rf"|{_FROM}{_GAP}(?:{_NAME}{_GAP}(?:and{_GAP})?){{0,2}}{_NO_NAME}{_NAME}(?:['’]s|s['’])"
    rf"|{_FROM}{_GAP}(?:his|her|their|that|seiner|ihrer|son|leur){_GAP}(?:[a-z]+{_GAP}){{0,2}}{_WORK}\b"
    rf"|{_FROM}{_GAP}(?:the|der|dem|le|l['’])\s*(?:[a-z]+{_GAP}){{0,2}}{_WORK}{_GAP}"
    rf"(?:of|by|von|de){_GAP}(?:{_NAME}|the{_GAP}(?:book|monograph))"
    rf"|(?:of|from){_GAP}{_NO_NAME}{_NAME}(?:{_GAP}(?:and|et){_GAP}(?:{_NAME}|al))?"
    rf"(?:\s*\(\d{{4}}|[,;)]|\.(?=\s|\Z|\\))"
    rf"|(?:(?:in|of){_GAP})?(?:\\(?:emph|textit)\{{)?(?:loc|op|ibid)\.?(?:\\?{_GAP}cit)?\b"
    rf"|there(?=[.,;)]))"
)
_SOURCE = re.compile(rf"\({_NO_NAME}(?P<word>{_NAME}),{_GAP}\Z")
_NO_SOURCE = frozenset("Indeed See Cf Compare Also Again Here Thus Hence By Namely Now So".split())


def is_elsewhere(text: str, start: int, end: int) -> bool:
    """Whether a number between two offsets is said to be that of another work."""
    first, last = max(0, start - _WINDOW), end + _WINDOW
    if _CITES.search(text, first, last):
        return True
    if _BEFORE.search(text, first, start) or _BEHIND.match(text, end, last):
        return True
    source = _SOURCE.search(text, first, start)
    return bool(source and text[end : end + 1] == ")" and source["word"] not in _NO_SOURCE)
