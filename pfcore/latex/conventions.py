"""Sentences of the prose that bind whatever follows: "Throughout this section, let …"."""

import re
from typing import NamedTuple

_UNIT = (
    r"(?P<{0}>paper|article|note|notes|book|chapter|section|subsection|appendix|part|work"
    r"|document|manuscript|thesis|text|lecture|blueprint)"
)
_MARKER = re.compile(
    r"\b(?:[Tt]hroughout(?:[\s~]+(?:(?:the[\s~]+(?:rest|remainder)[\s~]+of[\s~]+)?(?:this|the|these)"
    r"[\s~]+(?:whole[\s~]+|entire[\s~]+|present[\s~]+|current[\s~]+)?" + _UNIT.format("a") + r"))?"
    r"|[FfIi](?:or|n)[\s~]+(?:the|all)?[\s~]*(?P<rest>rest|remainder)[\s~]+of[\s~]+(?:this|the)[\s~]+"
    + _UNIT.format("b")
    + r"|[Ii]n[\s~]+(?:this|the[\s~]+present)[\s~]+(?:whole[\s~]+|entire[\s~]+)?"
    + _UNIT.format("c")
    + r"|(?P<onward>[Ff]rom[\s~]+(?:now|here|this[\s~]+point)[\s~]+on(?:wards?)?"
    r"|[Hh]enceforth|[Hh]ereafter"
    r"|[Ii]n[\s~]+(?:what|all[\s~]+that)[\s~]+follows|[Ii]n[\s~]+the[\s~]+sequel)"
    r"|[Uu]nless[\s~]+(?:otherwise[\s~]+)?(?:explicitly[\s~]+)?(?:stated|specified|mentioned|noted)"
    r"(?:[\s~]+otherwise)?(?P<unless>)"
    r"|[Ww]e[\s~]+(?:will[\s~]+|shall[\s~]+)?always[\s~]+(?:assume|suppose)(?P<always>)"
    r"|(?P<fix>(?:We|Let[\s~]+us)[\s~]+(?:now[\s~]+)?fix[\s~]+(?:once[\s~]+and[\s~]+for[\s~]+all[\s~]+)?)"
    r"|[Ww]e[\s~]+adopt[\s~]+the[\s~]+(?:following[\s~]+|usual[\s~]+)?conventions?(?P<adopt>))"
)
_BINDS = re.compile(
    r"\b(?:assume[ds]?|suppose|fix(?:ed)?|let|denotes?|denoted|always|conventions?|stands?[\s~]for"
    r"|unless|write|working?[\s~](?:over|with|in)|will[\s~]be|shall[\s~]be|is[\s~]an?|are[\s~](?:all"
    r"|assumed|taken)|by[\s~]an?|means?|mean|all|every|each|will[\s~]denote)\b|:="
)
_ONLY_SAYS = re.compile(
    r"\bwe(?:[\s~]+(?:will|shall|now|first|also|then|briefly|want|wish|to|are|going|have|would|like))*"
    r"[\s~]+(?:prove[nds]?|show[ns]?|study|discuss|introduce|describe|present|give|explain|recall"
    r"|review|collect|establish|develop|investigate|construct|treat|turn|begin|start|state|derive"
    r"|see|use[ds]?|need|provide|define|consider|summari[sz]e|follow|record|obtain|list|outline)\b"
    r"|\b(?:the[\s~]+(?:goal|aim|purpose)|is[\s~]devoted)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*(?:We[\s~]+(?:also[\s~]+|further[\s~]+|moreover[\s~]+)?(?:write|denote|fix|assume|let|set|put|suppose|abbreviate)"
    r"|Let|Write|Denote|Moreover,?[\s~]+(?:we|let)|Also,?[\s~]+(?:we|let)|Furthermore,?[\s~]+(?:we|let)|Set|Put|Here)\b"
)
_SENTENCE_END = re.compile(r"(?<![A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)[.!?](?=[\s~]|$|\$\$|\\)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_UNITS = {"paper", "article", "note", "notes", "book", "work", "document", "manuscript", "thesis"}
_UNITS |= {"text", "blueprint"}


class Convention(NamedTuple):
    """A binding passage: its span, the unit that it names (or ""), whether it acts onward only."""

    start: int
    end: int
    unit: str
    onward: bool


def conventions(prose: str) -> list[Convention]:
    """The binding passages of a text in which all that is no prose has been blanked."""
    found: list[Convention] = []
    reach = -1
    for match in _MARKER.finditer(prose):
        if match.start() < reach:
            continue
        start, end = _passage(prose, match)
        sentence = prose[match.start() : end]
        if not _is_binding(match, sentence):
            continue
        reach = end
        unit = match["a"] or match["b"] or match["c"] or ""
        onward = bool(match["rest"] or match["onward"] or match["fix"])
        found.append(Convention(start, end, "document" if unit in _UNITS else unit, onward))
    return found


def _is_binding(match: re.Match[str], sentence: str) -> bool:
    rest = sentence[match.end() - match.start() :]
    if match["fix"] is not None:
        return "$" in rest[:60] or "\\(" in rest[:60]
    if match.lastgroup in ("unless", "always", "adopt"):
        return True
    head = rest[:160]
    says, binds = _ONLY_SAYS.search(head), _BINDS.search(rest[:400])
    return binds is not None and not (says and says.start() <= binds.start())


def _passage(prose: str, match: re.Match[str]) -> tuple[int, int]:
    """The sentence of a marker, with the sentences after it that plainly go on binding."""
    lower = max(0, match.start() - 1_000)
    breaks = [item.end() for item in _PARAGRAPH.finditer(prose, lower, match.start())]
    breaks += [item.end() for item in _SENTENCE_END.finditer(prose, lower, match.start())]
    start = max(breaks, default=lower)
    upper = _PARAGRAPH.search(prose, match.end())
    limit = min(upper.start() if upper else len(prose), match.end() + 3_000)
    end = _sentence_end(prose, match.end(), limit)
    while end < limit and _GOES_ON.match(prose, end):
        end = _sentence_end(prose, end + 1, limit)
    start += len(prose[start:end]) - len(prose[start:end].lstrip())
    return start, end


def _sentence_end(prose: str, position: int, limit: int) -> int:
    for match in _SENTENCE_END.finditer(prose, position, limit):
        if prose.count("$", position, match.start()) % 2 == 0:
            return match.end()
    return limit
