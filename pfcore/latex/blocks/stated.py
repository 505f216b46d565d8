"""What the heading of a step or a claim states, where that is plain."""

import re
from typing import NamedTuple

from pfcore.latex.language.hypotheses import first_sentence
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.structure.headings import CLAIMS, Head


class Stated(NamedTuple):
    """A statement: where its words begin and end, and where all that belongs to it ends."""

    content: int
    inner_end: int
    end: int


_THAT = re.compile(
    r"(?:(?:In[\s~]+this[\s~]+step,?[\s~]+we|We)[\s~]+(?:(?:first|now|next|will|shall|then|also)[\s~]+)*"
    r"(?:show|prove|claim|establish|verify|check)[\s~]+that"
    r"|Wir[\s~]+(?:zeigen|beweisen|behaupten)(?:[\s~]+(?:nun|jetzt|dann|zunächst|zuerst))?,"
    r"[\s~]+da(?:ss|ß)"
    r"|(?:(?:Nous|On)[\s~]+(?:(?:va|allons)[\s~]+)?)?(?:[Mm]ontr(?:e|er|ons)|[Pp]rouv(?:e|er|ons))"
    r"[\s~]+que)\b[\s~:]*"
)
_SHOWING = re.compile(r"(?:(?:Show|Prov|Establish|Verify|Check)ing|Proof)[\s~]+that[\s~]+")
_MATHS = re.compile(r"\$[^$]*\$|\\\(.*?\\\)", re.DOTALL)
_VERB = re.compile(
    r"(?<!that )(?<!which )(?<!where )(?<!when )\b(?:is|are|has|have|holds?|exists?|contains?|lies?"
    r"|can(?:not)?|must|converges?|satisf(?:y|ies)|equals?|implies|imply|belongs?|admits?|vanish(?:es)?|does|do|extends?|preserves?|divides?|acts"
    r"|depends?|coincides?|gives?|generates?|intersects?|becomes?|follows|maps|sends|commutes?"
    r"|ist|sind|hat|haben|gilt|gelten|existiert|konvergiert|est|sont|existe|converge|vérifie)\b"
)
_NO_STATEMENT = re.compile(
    r"\W*(?:(?:[Tt]he|[Aa]n?)[\s~]+)?(?:case|proof|idea|construction|definition|reduction|choice"
    r"|[Ll]et|[Ss]uppose|[Aa]ssum|[Cc]onsider|[Ff]ix|[Tt]ake|[Cc]hoos|[Ww]here|[Ww]hen|[Ww]hat|[Ww]hy"
    r"|[Hh]ow|[Ww]ho|[Ww]hich|[Rr]ecall|[Ii]dea|[Cc]ase|[Rr]emark|[Nn]otation|[Pp]roof|[Ii]f\b(?!.*then|"
    r".*,)|[Ww]ithout[\s~]+loss|[Ww]e[\s~]+(?:may|can|define|construct|reduce|choose|fix|let|set"
    r"|consider|introduce|use|apply|compute|estimate|assume|suppose)|[Cc]onstruct|[Dd]efin|[Rr]educ"
    r"|[Cc]onclu)",
    re.DOTALL,
)
_RELATION = re.compile(
    r"\$[^$]*(?:[=<>]|\\(?:leq?|geq?|neq?|in|subset(?:eq)?|cong|equiv|to|simeq|leqslant|geqslant)"
    r"(?![A-Za-z]))[^$]*\$[\s~]+(?:for|whenever|if)\b"
)
_EMPHASISED = re.compile(
    r"[ \t]*\n?[ \t]*(?:\\(?:emph|textit|textsl)\s?(?=\{)"
    r"|(?=\{)(?P<switch>\{\s?(?:\\(?:it|em|sl|itshape|slshape)(?![A-Za-z])\s?)+))"
)
_LABELS = re.compile(r"(?:[ \t]*\n?[ \t]*\\label\s?\{[^{}\n]{1,100}\})+")
_SENTENCE_END = re.compile(r"(?:[.!]|\\\]|\$\$|[.!]\s*(?:\$|\\\)))\s*\Z")
_GAP = re.compile(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_LONGEST = 4_000
_INFERS = re.compile(
    r"\b(?:by|since|because|as|hence|thus|therefore|so|from|follows?|indeed|we|now|our|above|below"
    r"|recall|again|similarly|next|note|finally|first|clearly|obviously|also|moreover|using|see)\b"
    r"|\A\W*(?:this|these|it|that|then|but|and|in|for)\b|\\[a-zA-Z]*(?:ref|cite)",
    re.IGNORECASE,
)
"""Words of a sentence that may be a conclusion, or a remark, rather than what is to be shown."""
_PROVES = re.compile(
    r"\s*\n[ \t]*\n|[\s~]*(?:Indeed|In[\s~]+fact|To[\s~]+(?:see|prove|show|verify|check|establish)"
    r"|By|Since|Because|Using|Suppose|Assume|Let|Fix|Take|Given|Consider|If|Otherwise|Note|Observe"
    r"|First|(?:(?:This|It)[\s~]+is[\s~]+)?(?:[Cc]lear|[Oo]bvious|[Tt]rivial|[Ii]mmediate)(?:ly)?"
    r"|This[\s~]+(?:follows|holds)|For[\s~]+(?:this|if|suppose|let|each|every|all)"
    r"|We[\s~]+(?:show|prove|argue|use|apply|start|begin|proceed))\b"
)
_FORMULA = re.compile(
    r"\$[^$]*(?:[=<>]|\\(?:leq?|geq?|neq?|in|subset(?:eq)?|cong|equiv|simeq|leqslant|geqslant)"
    r"(?![A-Za-z]))[^$]*\$[.]?"
)
_SHORT = 400
_WORD = re.compile(r"[^\W\d_]{2}")


def is_statement(words: str) -> bool:
    """Whether words say that something is so: a sentence, not the title of a step."""
    plain = " ".join(words.split())
    if not plain or plain.endswith("?"):
        return False
    if _SHOWING.match(plain) or _THAT.match(plain):
        return True
    if _NO_STATEMENT.match(plain):
        return False
    return bool(_VERB.search(_MATHS.sub(" $ ", plain)) or _RELATION.match(plain))


def by_itself(head: Head, groups: Groups, limit: int) -> Stated | None:
    """What is said in the heading's own group, in the one behind a claim, or by "We show that"."""
    return _in_heading(head, groups, limit) or (
        _emphasised(head, groups, limit)
        if head.kind in CLAIMS
        else _announced(head, groups.text, limit)
    )


def up_to(head: Head, groups: Groups, limit: int) -> Stated | None:
    """The paragraph between a claim's heading and its proof."""
    start = groups.skip_space(head.end)
    words = groups.text[start:limit].rstrip()
    is_said = is_worded(words) or _FORMULA.fullmatch(words)
    if limit - start > _LONGEST or not is_said or _GAP.search(words):
        return None
    return Stated(start, start + len(words), start + len(words)) if _is_closed(words) else None


def at_first(head: Head, groups: Groups, limit: int) -> Stated | None:
    """The first sentence behind a step's heading if it is plain that the step proves it."""
    text = groups.text
    start = groups.skip_space(_past_labels(text, head.end, limit))
    span = first_sentence(text, start, min(limit, start + _SHORT))
    if not span or not _PROVES.match(text, span[1], limit):
        return None
    words = text[slice(*span)]
    is_plain = (
        words.endswith(".") and _is_closed(words) and not _INFERS.search(_MATHS.sub("$", words))
    )
    if is_plain and (is_statement(words) or _FORMULA.fullmatch(words)):
        return Stated(span[0], span[1], _past_labels(text, span[1], limit))
    return None


def is_worded(words: str) -> bool:
    """Whether there is anything to read."""
    return _WORD.search(words) is not None


def _in_heading(head: Head, groups: Groups, limit: int) -> Stated | None:
    text = groups.text
    words = text[slice(*head.inner)]
    if head.inner[0] >= head.inner[1] or not is_statement(words):
        return None
    opening = _SHOWING.match(words) or _THAT.match(words)
    content = head.inner[0] + (opening.end() if opening else 0)
    return Stated(content, head.inner[1], _past_labels(text, head.end, limit))


def _emphasised(head: Head, groups: Groups, limit: int) -> Stated | None:
    """A sentence in italics right behind the heading of a claim."""
    text = groups.text
    opening = _EMPHASISED.match(text, _past_labels(text, head.end, limit))
    if not opening:
        return None
    brace = opening.start("switch") if opening["switch"] else opening.end()
    span = groups.braces(brace)
    if not span or span[1] >= limit or span[1] - span[0] > _LONGEST:
        return None
    stop = text[span[1] + 1 : span[1] + 2] in (".", ":")
    words = text[slice(*span)]
    if not is_worded(words) or not (stop or _SENTENCE_END.search(words)):
        return None
    content = opening.end("switch") if opening["switch"] else span[0]
    return Stated(content, span[1], _past_labels(text, span[1] + 1 + stop, limit))


def _announced(head: Head, text: str, limit: int) -> Stated | None:
    """The sentence behind the heading of a step that says what is shown in it."""
    start = _past_labels(text, head.end, limit)
    start += len(text[start : start + 80]) - len(text[start : start + 80].lstrip(" \t\n~"))
    opening = _THAT.match(text, start, limit)
    if not opening:
        return None
    end = min(limit, start + _LONGEST)
    span = first_sentence(text, opening.end(), end)
    if not span or span[1] >= end or not _is_closed(text[slice(*span)]):
        return None
    return Stated(span[0], span[1], _past_labels(text, span[1], limit))


def _past_labels(text: str, position: int, limit: int) -> int:
    found = _LABELS.match(text, position, limit)
    return found.end() if found else position


def _is_closed(words: str) -> bool:
    return words.count("{") == words.count("}")
