"""How a reference is meant, by the words before it."""

import re

from pfcore.latex.kinds import KIND_WORDS
from pfcore.model import Mention

_REACH = 80
_LONGEST_WORD = 20
_WORD_AT_END = re.compile(KIND_WORDS + "$")
_JOINED = re.compile(
    r"\x03[\s~]*(?:,|;|--?|\u2013)?[\s~]*(?:and|or|to)?[\s~]*(?:thus|hence|therefore|so|also|then)?"
    r"[\s~]*(?:of[\s~]+)?(?:" + KIND_WORDS + r")?[\s~]*\(?$"
)
_NO_USE_BEFORE = re.compile(
    r"(?:\b(?:[Cc]ompare|[Cc]f\.?|[Ss]ee[\s~]also|[Uu]nlike|[Cc]ontrast|superseded[\s~]by"
    r"|in[\s~](?:the[\s~])?place[\s~]of|instead[\s~]of|rather[\s~]than"
    r"|(?:complet|finish|conclud|end)\w*[\s~](?:the|our|this)[\s~]proofs?[\s~]of"
    r"|(?:[Ss]imilar|[Aa]nalogous|[Ii]dentical)(?:ly)?[\s~]to|analogues?[\s~]of"
    r"|generali[sz]\w+(?:[\s~]of)?"
    r"|converse[\s~](?:of|to)|special[\s~]cases?[\s~]of|statements?[\s~]of|(?:version|form)s?[\s~]of"
    r"|(?:to|[Ww]e|will|shall|now)[\s~](?:now[\s~])?"
    r"(?:prove|show|establish|deduce|verify|derive|turn[\s~]to)"
    r"|(?:prov|show|establish|deduc|verify|deriv)ing"
    r"|(?:used|needed|useful)[\s~](?:later[\s~]|below[\s~]|again[\s~])?"
    r"(?:in|for)(?:[\s~]the[\s~]proof[\s~]of)?|reduces?(?:[\s~]the[\s~]proof[\s~]of)?)"
    r"[\s~]+(?:the[\s~]+)?(?:" + KIND_WORDS + r")?[\s~]*\(?)$"
)
_PROOF_BEFORE = re.compile(
    r"\b(?:[Pp]roofs?[\s~]+(?:given[\s~]+)?(?:of|for|to)"
    r"|(?:[Ss]ame|[Ss]imilar|[Ii]dentical)[\s~]+(?:proof|argument|reasoning)[\s~]+(?:as|to)"
    r"(?:[\s~]+(?:in|for|of|that[\s~]+of))?"
    r"|(?:[Pp]roof|[Aa]rgument)[\s~]+is[\s~]+(?:exactly[\s~]+)?(?:the[\s~]+same|identical|similar"
    r"|analogous)[\s~]+(?:as|to)(?:[\s~]+(?:in|for|that[\s~]+of))?)[\s~]+(?:the[\s~]+)?(?:"
    + KIND_WORDS
    + r")?[\s~]*$"
)


def before(pieces: list[str]) -> str:
    """The end of what was rendered so far."""
    return "".join(pieces[-6:])[-_REACH:]


def form(words: str, previous: Mention | None, *, is_range: bool) -> str:
    """How a reference after these words is meant; a list goes on as it began."""
    if previous and previous.form in ("proof", "aside") and _JOINED.search(words):
        return previous.form
    if _NO_USE_BEFORE.search(words):
        return "aside"
    if _PROOF_BEFORE.search(words):
        return "proof"
    return "range" if is_range else "reference"


def announced(words: str) -> int:
    """How many characters at the end announce a reference: `Lemma~` of `Lemma~\\ref{x}`."""
    end = words.removesuffix("(").rstrip(" \t\n~")
    match = _WORD_AT_END.search(end, max(0, len(end) - _LONGEST_WORD))
    return len(words) - match.start() if match else 0


def drop(pieces: list[str], count: int) -> None:
    """Take characters off the end."""
    while count > 0 and pieces:
        last = pieces.pop()
        if len(last) > count:
            pieces.append(last[: len(last) - count])
            return
        count -= len(last)
