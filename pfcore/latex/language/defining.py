"""Definitions in prose: "We call a graph \\emph{brown} if …", where that is plain.

A sentence is one if it emphasises the term, has a verb that defines, and does not tell what
others say, or what something is like.
"""

import re
from collections.abc import Iterator

from pfcore.domain.spans import occurrences
from pfcore.latex.language.conventions import sentence

_GAP = r"[\s~]+"
_GROUP = r"\{(?:[^{}]|\{[^{}]*\}){2,80}\}"
_TERM = (
    rf"(?:(?:``)?\\(?:emph|textit|textsl|textbf|defn|dfn|define|newterm)\s?{_GROUP}"
    r"|\{\s?\\(?:em|it|sl|bf)(?![A-Za-z])(?:[^{}]|\{[^{}]*\}){2,80}\})(?:'')?"
)
_SOME = r"(?:[^.$]|\$[^$]{1,120}\$){0,160}?"
_DEFINING_ADVERBS = r"(?:(?:will|shall|then|also|further|now|moreover)[\s~]+){0,2}"
_DEFINES = re.compile(
    rf"(?:\b[Ww]e{_GAP}{_DEFINING_ADVERBS}(?:call|say)\b{_SOME}{_TERM}{_SOME}"
    rf"(?:,?{_GAP}|\s*\$\$?\s*)(?:if|iff|whenever|provided)\b"
    rf"|\b(?:An?|Two|Recall{_GAP}that{_GAP}an?){_GAP}{_SOME}\b(?:is|are){_GAP}{_DEFINING_ADVERBS}"
    rf"(?:called|said{_GAP}to{_GAP}be|termed){_GAP}(?:an?{_GAP}|the{_GAP})?{_TERM}"
    rf"|{_TERM}{_GAP}means\b)"
)
_ADVERB = re.compile(r"\\(?:emph|textit|textsl|textbf)\s?\{[a-z]+ly\}")
_DEFINING_CUES = ("call", "say", "said", "termed", "means")
_VAGUE = re.compile(
    r"\b(?:[Rr]oughly|[Ii]nformally|[Ii]ntuitively|[Ll]oosely|[Ss]ometimes|[Oo]ften|[Uu]sually"
    r"|[Cc]ommonly|[Tt]raditionally|[Hh]istorically|[Ee]xample|would|could|might|not|n't|authors?"
    r"|literature|chapters?|sections?|instead|this|these|above|below|variant|[Ss]uppose|relative"
    r"|so-called|because|since|therefore|thus|hence)\b"
    r"|\\[A-Za-z]*(?:cite|ref)\b|\?|\\(?:begin|end|item)\b|\([a-z\d]\)"
)
_LONGEST_DEFINITION = 700


def definitions(prose: str) -> Iterator[tuple[int, int]]:
    """The spans of such sentences in a text in which all that is no prose has been blanked."""
    last = 0
    for cue in occurrences(prose, _DEFINING_CUES):
        if cue < last:
            continue
        start, last = sentence(prose, cue, cue)
        said = " ".join(prose[start:last].split())  # how lines are wrapped must not matter
        if len(said) <= _LONGEST_DEFINITION and _DEFINES.search(said) and not _is_vague(said):
            yield start, last


def _is_vague(said: str) -> bool:
    """Whether a sentence leans on others, or gives only an adverb a meaning."""
    return bool(_VAGUE.search(said) or _ADVERB.search(said))
