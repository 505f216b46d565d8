"""Where a sentence of a claim stops supposing and begins to claim.

What a claim supposes may say to others what its symbols are; what it claims is not established.
"""

import re
from functools import cache

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.hypotheses import fixes
from pfcore.latex.language.phrases import HYPOTHESIS_WORDS, phrases_of

_FORMULA = regex(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
_LEAD = (
    r"\W*(?:(?:now|further|furthermore|moreover|also|in addition|finally|next|again|and|nun|ferner"
    r"|weiter|außerdem|de plus|enfin|maintenant)(?!\w),?[\s~]+){0,2}"
)
_BEFORE = 24
_JOINT = r"[\s~]+(?:also[\s~]+|auch[\s~]+|aussi[\s~]+|we[\s~]+)?"


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"{_LEAD}(?:{_any('opens')}|(?P<if>{_any('conditions')}))(?!\w)", re.I)


@cache
def _claim() -> re.Pattern[str]:
    goes_on = rf"(?!{_JOINT}(?:{_any('going_on')})(?!\w))"
    return re.compile(
        rf"(?<!\w)(?:{_any('claims')})(?!\w){goes_on}"
        rf"|(?P<if>,[\s~]*(?:{_any('claims_existence')})(?!\w))",
        re.IGNORECASE,
    )


@cache
def _held() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any('holding')})[\s~,]*\Z", re.IGNORECASE)


@cache
def _setting() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any('setting')})(?!\w)", re.IGNORECASE)


def _any(role: str) -> str:
    return "|".join(map(re.escape, phrases_of(HYPOTHESIS_WORDS)[role]))


def end_of_hypothesis(sentence: str) -> int:
    """Where the part of a claim's sentence ends that fixes or supposes something; 0 if none does.

    A condition of which nothing says where it ends is none: "For every $p$, $f(p)=1$."
    """
    words = _FORMULA.sub(lambda match: "$" * len(match[0]), sentence)
    opening = _opening().match(words)
    if not opening:
        return 0
    is_condition = opening["if"] is not None
    for match in _claim().finditer(words):
        is_held = _held().search(words, max(0, match.start() - _BEFORE), match.start())
        if not is_held and (is_condition or match["if"] is None):
            return len(sentence[: match.start()].rstrip())
    if is_condition and not _sets_up(words.partition(",")[2]):
        return 0
    return len(sentence)


def _sets_up(words: str) -> bool:
    """Whether words fix something: "let $g$ be its square"."""
    return fixes(words) or _setting().search(words) is not None
