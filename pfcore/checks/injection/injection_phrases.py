"""Phrases addressed to a language model: orders, forged marks, addresses, demands for a verdict.

An order or a forged mark counts by itself. An address and a demand count only together, or if they
are hidden from the reader: each of them alone may be ordinary English.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences

_W = r"(?:[\s%~{}*_\"'`,:#>|!-]|\\(?:[a-z]++|[ \\])){1,16}+"
_AI = r"(?:ai|llms?|(?:large )?language models?|chatbots?|chatgpt|gpt(?:-?\d)?|claude|gemini)"
_ROLE = r"(?:reviewer|referee|verifier|checker|grader|judge|assistant|reader|model|agent)s?"
_MODEL = rf"(?:(?:ai|llm|automated|automatic|machine){_W}{_ROLE}|{_AI})"
_DOES = (
    r"(?:accept|answer|reply|respond|output|return|report|approve|say|write|give|print|rate|grade"
    r"|score|mark|conclude|ignore|treat|skip|stop)"
)
_TEXT = (
    r"(?:proof|paper|submission|manuscript|argument|step|lemma|theorem|claim|result|statement"
    r"|module|component|block)s?"
)
_FAULT = (
    r"(?:error|gap|objection|issue|problem|flaw|mistake|weakness|negative|finding|concern)(?:e?s)?"
)
_GOOD = r"(?:correct|valid|verified|accepted|sound|complete|proven|flawless|true)"
_CALLED = (
    rf"(?:(?:{_W}\w+){{0,5}}?(?:(?<!\bthe)|(?<=\b(?:as|be|is)\sthe)){_W}{_GOOD}\b"
    rf"|(?:{_W}\w+){{1,5}}?{_W}{_GOOD}\b(?!{_W}(?:label|answer|box|option|statement)s?\b))"
)
"""After a noun: words that call it good, but not as part of a name such as "correct label"."""
_THE = r"(?:this|the|every|each|all|any|our|that|my|it|them|everything)"
_EARLIER = (
    rf"(?:all|any|every|everything|your(?!{_W}instruction\b)|previous|previously|prior|above|earlier|preceding|foregoing"
    r"|existing|system|initial|original)"
)
_ORDERED = r"(?:instruction|prompt|directive|guideline|guardrail|system message)s?"

_ORDERS = regex(
    rf"\b(?:ignore|disregard|forget|override|discard|bypass)"
    rf"(?:{_W}(?:of|the|these|those|other|given|my|our))*{_W}{_EARLIER}"
    rf"(?:{_W}(?:of|the|these|those|other|given|and|or|{_EARLIER}))*{_W}{_ORDERED}\b"
)
_TOLD = regex(
    rf"\b(?:ignore|disregard|forget){_W}(?:everything|all|what|anything)(?:{_W}that)?{_W}"
    rf"you{_W}(?:were|have{_W}been|are|had{_W}been){_W}(?:told|asked|instructed|given)\b"
    rf"|\bif{_W}you{_W}are{_W}(?:an?|the){_W}{_MODEL}\b"
)
_FORGED = regex(
    r"<\|\\?_?(?:im\\?_(?:start|end)|system|user|assistant|end\\?_?of\\?_?text|eot\\?_id"
    r"|(?:start|end)\\?_header\\?_id|begin\\?_of\\?_text|endofprompt)\|>"
    r"|\[/?inst\]|<</?sys>>|<(?:start|end)\\?_of\\?_turn>"
    r"|</?(?:objections?|system\\?[_-]prompt)>|</?finding(?: id=[^<>\n]{1,20})?>"
    r"|-{3,}[^\n]{0,40}\b(?:begin|end):[ ]{0,3}(?:to be checked|what may be used|what was wrong)"
    r"|-{3,}[ ]?[0-9a-f]{16}[ ](?:begin|end):"
    r"|[\"'`]verdict[\"'`]{1,2}\s{0,9}:\s{0,9}[\"'`]{1,2}[a-z]{1,20}[\"'`]"
)
_ADDRESSES = regex(
    rf"\b(?:note|message|instructions?|attention|hint|memo|notice|command|request|reminder|dear"
    rf"|hello|hey|attn)(?:{_W}(?:to|for))?(?:{_W}(?:the|any|all|every|an?|you))?{_W}{_MODEL}\b"
    rf"|\b(?:to|for)(?:{_W}(?:the|any|all|every|an?|you))?{_W}{_MODEL}\s{{0,3}}:"
    rf"|\b{_MODEL}{_W}(?:must|should|shall|has{_W}to|have{_W}to|is{_W}to|are{_W}to)\b"
    rf"|\b(?:new|updated|real|actual|hidden|additional|secret){_W}(?:system{_W})?"
    rf"(?:instructions?|prompt)\b"
)
_YOU = regex(
    rf"you(?:{_W}|')(?:are|as|re|being)(?:{_W}now)?{_W}(?:an?|the)(?:{_W}\w+)?{_W}"
    rf"(?:{_MODEL}|{_ROLE})\b"
    rf"|you{_W}(?:must|should|shall|will|are{_W}to|have{_W}to|are{_W}(?:required|instructed|asked)"
    rf"{_W}to)(?:{_W}(?:now|only|always|also|therefore))?{_W}{_DOES}\b"
    rf"|your{_W}(?:task|job|verdict|reply|response|output|review|instructions){_W}"
    rf"(?:is|are|must|should|has|will)\b"
)
_SYSTEM = regex(
    rf"system{_W}(?:prompt|override|instruction|notice)\b"
    r"|(?:(?<=[\n%{\[#*])|(?<=[\n%{\[#*] ))(?:system|assistant|developer)\}?[\])]?:"
)
_DEMANDS = regex(
    rf"\b(?:accept|approve|certify|endorse|pass){_W}{_THE}(?:{_W}\w+){{0,2}}?{_W}{_TEXT}\b"
    rf"|\b(?:mark|rate|grade|score|treat|judge|report|declare|label|classify|deem){_W}{_THE}"
    rf"{_CALLED}"
    rf"|\b(?:do{_W}not|don['’]t|never|without|must{_W}not){_W}(?:report|flag|rais|list|mention"
    rf"|criticis|criticiz|highlight|object|complain|point{_W}out|look{_W}for)\w*"
    rf"(?:{_W}\w+){{0,3}}?{_W}{_FAULT}\b"
    rf"|\b(?:find|return|report|output|list|give|raise){_W}(?:no|zero){_W}{_FAULT}\b"
    rf"|\b(?:say|answer|output|return|reply|respond|print|write|give|conclude|issue|emit|set)"
    rf"(?:{_W}(?:only|with|exactly|an?|the|that|your|just|simply|verdict|to)){{0,4}}{_W}"
    rf"(?:accept(?:ed)?|correct|verified|positive|flag|pass|valid)\b"
    r"|\bverdict[\"'`}]{0,3}\s{0,9}(?:[:=]|is\b|must be\b|should be\b|to\b)[\s\"'`{]{0,5}"
    r"(?:accept|flag|pass|correct|valid)"
    rf"|\bpositive{_W}(?:review|verdict|score|rating|evaluation)\b"
    rf"|\b(?:highest|top|maximum|full|perfect){_W}(?:score|rating|marks?|grade)\b"
)
_WHISPERS = regex(
    rf"\b{_TEXT}(?:{_W}(?:below|above|here))?{_W}(?:is|are|has{_W}been|have{_W}been|was)"
    rf"(?:{_W}(?:already|indeed|all|fully|entirely|certainly))*{_W}{_GOOD}\b"
    rf"|\b{_ROLE}{_W}(?:must|should|shall|will){_W}{_DOES}\b"
)
_OBJECTS = ("instruction", "prompt", "directive", "guideline", "guardrail", "system message")
_MODELS = (
    " ai",
    "llm",
    "language model",
    "chatbot",
    "gpt",
    "claude",
    "gemini",
    "automat",
    "machine",
)
_MARKS = ("<|", "inst]", "sys>>", "_of_turn", "_of\\_turn", "objection", "<finding", "</finding",
          "begin:", "end:", "system_prompt>", "system-prompt>", "verdict")  # fmt: skip
_MENTIONED = regex(
    r"(?:\b(?:we|they|it|he|she|i|one|to|may|can|cannot|could|would|might|not|never|don't|that"
    r"|which|who|users?|attackers?|programs?|machines?)\s+(?:\w{1,12}ly\s+)?"
    r"|[\"'`“‘]\s?)$"
)
_OURS = regex(r"\b(?:we|they|i|one|not|(?:if|when|once|that|before) you)\s+(?:\w{1,12}ly\s+)?$")
_BACK = 40
_NEAR = 240
_REACH = 120
_SHORTEST = 12
_MOST = 60
BREAK = regex(r"\n[ \t%]*\n")
"""The end of a paragraph."""


Span = tuple[int, int]


class AddressedPassage(NamedTuple):
    """A passage: whether it counts by itself, and whether a demand for a verdict is close to it."""

    start: int
    end: int
    is_plain: bool
    is_backed: bool


def said(text: str) -> Iterator[AddressedPassage]:
    """The orders and forged marks of a lower-case text, and addresses with their demands."""
    given, addresses = orders(text)
    addresses += _found(_ADDRESSES, text, (*_MODELS, *_OBJECTS[:2]))
    addresses += _beginning(_YOU, text, ("you",))
    addresses += _beginning(_SYSTEM, text, ("system", "assistant", "developer"))
    demands = _demands(text, [*given, *addresses])
    for span in marks(text):
        yield AddressedPassage(*span, True, False)
    for span in given:
        yield AddressedPassage(*span, True, _beside(text, span, demands) is not None)
    for one in addresses:
        other = _beside(text, one, demands)
        if other:
            yield AddressedPassage(min(one[0], other[0]), max(one[1], other[1]), False, True)


def whispered(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of all phrases to a model in a part that the reader cannot see."""
    if end - start >= _SHORTEST:
        for pattern in (_ORDERS, _TOLD, _FORGED, _ADDRESSES, _YOU, _SYSTEM, _DEMANDS, _WHISPERS):
            for match in pattern.finditer(text, start, end):
                yield match.span()


def windows(positions: Iterable[int], reach: int) -> Iterator[tuple[int, int]]:
    """The merged spans within `reach` of some ascending positions."""
    start = end = -1
    for position in positions:
        if position - reach > end:
            if end >= 0:
                yield start, end
            start = max(0, position - reach)
        end = position + reach
    if end >= 0:
        yield start, end


def marks(text: str) -> list[Span]:
    """The spans that look like a delimiter of a prompt, or like a verdict."""
    return _found(_FORGED, text, _MARKS)


def orders(text: str) -> tuple[list[Span], list[Span]]:
    """The orders, and separately those that are only mentioned."""
    given = _found(_TOLD, text, ("you",))
    told: list[Span] = []
    for span in _found(_ORDERS, text, _OBJECTS):
        is_mentioned = _MENTIONED.search(text[max(0, span[0] - _BACK) : span[0]])
        (told if is_mentioned else given).append(span)
    return given, told


def _found(pattern: re.Pattern[str], text: str, cues: Iterable[str]) -> list[Span]:
    """The matches near cues; trying a pattern everywhere would be too slow."""
    return [
        match.span()
        for start, end in windows(occurrences(text, cues), _REACH)
        for match in pattern.finditer(text, start, end)
    ]


def _beginning(pattern: re.Pattern[str], text: str, words: Iterable[str]) -> list[Span]:
    """The matches that begin with one of some words."""
    found = (pattern.match(text, position) for position in occurrences(text, words))
    return [match.span() for match in found if match]


def _demands(text: str, beside: Iterable[Span]) -> list[Span]:
    positions = sorted(position for span in beside for position in span)
    return [
        match.span()
        for start, end in windows(positions, _NEAR + _REACH)
        for match in _DEMANDS.finditer(text, start, end)
        if not _OURS.search(text[max(0, match.start() - _BACK) : match.start()])
    ]


def _beside(text: str, one: Span, demands: Sequence[Span]) -> Span | None:
    """The first demand close to a passage, in the same paragraph."""
    first = bisect_left(demands, (one[0] - _NEAR - _REACH, 0))
    for other in demands[first : first + _MOST]:
        if other[0] > one[1] + _NEAR:
            return None
        start, end = min(one[1], other[1]), max(one[0], other[0])
        if end - start <= _NEAR and not BREAK.search(text, start, max(start, end)):
            return other
    return None
