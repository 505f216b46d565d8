"""The answers in a gate's record: each reason with its places, and who gave it.

Also escapes words and names for the record, which people read as plain text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.domain.findings import finding_id
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Status
from pfcore.reporters.module_names import finding_words, module_name
from pfcore.reporters.printing import Style, place_of, plural, safe
from pfcore.reporters.printing import escaped as escaped_words
from pfcore.reporters.printing import prose as escaped_prose
from pfcore.repository.commit_log import BlamedLine
from pfcore.review.bulk_answers import carried_dismissals, idle_answers
from pfcore.review.gate import open_results, without_proof
from pfcore.review.review import NO_PROOF, PaperReport, every_finding

_ENTITY = regex(r"&#(\d{1,7});|&(lt|gt|amp|quot);")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_MEANT = frozenset("\\`*_[]<>&#|~$^")
"""Characters with a meaning in Markdown within a line."""
_LATEX_QUOTE = regex(r"`([^`'\n]{1,200})'")
"""A name as LaTeX quotes it; its first character alone would begin code in Markdown."""


def prose(text: str, *, has_formulas: bool = True) -> str:
    """Text escaped as by `printing.prose`, but with backslashes, because people read the source.

    Messages of LaTeX and names of files have no formulas, even if they contain two dollar signs.
    """

    def shown(match: re.Match[str]) -> str:
        sign = _NAMED[match[2]] if match[2] else chr(int(match[1]))
        before = escaped[: match.start()]
        behind = escaped[match.end() : match.end() + 1]
        is_list = not before or (before.isdigit() and not behind.strip())
        if sign == "\\" and (behind.isalnum() or behind == " "):
            return sign  # the backslash has no other meaning before such a character
        return f"\\{sign}" if sign in _MEANT or is_list else sign

    named = text if has_formulas else _LATEX_QUOTE.sub(r"'\1'", text)
    escaped = escaped_prose(text) if has_formulas else escaped_words(safe(named))
    return _ENTITY.sub(shown, escaped)


def code(text: str) -> str:
    """A name as code, whatever characters it contains."""
    name = safe(text).replace("\n", " ")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", name)), default=0))
    gap = " " if "`" in name else ""
    return f"{fence}{gap}{name}{gap}{fence}"


class AnswerAuthors(NamedTuple):
    """The authors of answers: the blamed lines of ledgers and sources with answers, by path."""

    lines: Mapping[str, Sequence[BlamedLine]]

    def of_line(self, path: str, signs: Iterable[str], near: int) -> str:
        """The author of the line nearest to `near` with one of some signs; "" if unknown."""
        found = [
            (abs(number - near), line)
            for number, line in enumerate(self.lines.get(path, ()), 1)
            if any(sign in line.text for sign in signs)
        ]
        line = min(found, key=lambda item: item[0])[1] if found else None
        return f"{line.author}, commit {line.commit[:7]}" if line and line.commit else ""

    def of_entry(self, path: str, finding: str) -> str:
        """The author of the ledger's line that answers a finding; "" if unknown."""
        return self.of_line(path, [f'"finding":{json.dumps(finding)}'], 0)


NOBODY = AnswerAuthors({})
"""No known authors."""


def _answer(item: Finding, paper: PaperReport, authors: AnswerAuthors) -> str:
    where = "in the source"
    place = item.location
    by = authors.of_line(place.path, _COMMENT_SIGNS, place.line)
    if paper.sheet is not None:
        ids = {item.id, *item.aliases}
        known = [one for one in paper.sheet.objections.dismissals if one.ids & ids]
        entry = next((one for one in known if (item.dismissed or "").startswith(one.reason)), None)
        if entry is not None:
            where = "in the ledger"
            by = authors.of_entry(paper.state.paper.settings.ledger, entry.finding)
    who = f" (committed by {prose(by)})" if by else ""
    return _one_answer(item, paper, f"{where}{who}: {prose(item.dismissed or '')}")


def _one_answer(item: Finding, paper: PaperReport, answer: str) -> str:
    """An answered finding with its place; `answer` says where, by whom and why."""
    message = prose(_message(item, paper)).rstrip(".")
    known_as = f"(finding {code(item.id)})"
    return f"{message}. At {code(place_of(item))}; answered {answer} {known_as}"


def _message(item: Finding, paper: PaperReport) -> str:
    """The message of a finding; for a missing proof it names the result by kind and number."""
    module = paper.state.document.modules.get(item.module or "")
    if item.rule != NO_PROOF or module is None:
        return finding_words(item, paper)
    name = module_name(module, paper, Style())
    if module.stand_in is Status.OMITTED:
        return f"The proof of {name} is omitted"
    return f"{name} has no proof or citation"


_COMMENT_SIGNS = ("pf: ignore[", "pf:ignore[")


def answered(paper: PaperReport, authors: AnswerAuthors) -> list[str]:
    """The authors' answers: their number, those in bulk, then each reason with its places."""
    answers = paper.answers_to(paper.findings)
    single = [
        item
        for item in paper.findings
        if item.dismissed is not None and answers.keys().isdisjoint({item.id, *item.aliases})
    ]
    recorded = sorted(_in_ledger(paper, authors).items())
    bulk = [(key, items) for key, items in recorded if len(items) > 1]
    number = sum(len(items) for _, items in bulk)
    alone = [(key, items[0]) for key, items in recorded if len(items) == 1]
    total = plural(len(single) + len(alone) + number, "answer")
    is_all = not single and not alone
    some = "" if not number else ", all of them in bulk" if is_all else f", {number:,} in bulk"
    lines = [_bulk_answer(key, items) for key, items in bulk]
    lines += [_one_answer(item, paper, f"in pf.lock{key.words}") for key, item in alone]
    lines += [_answer(item, paper, authors) for item in single]
    head = [f"{total}{some}"] if lines else []
    idle = idle_words(paper)
    return [*head, *lines, *([prose(idle)] if idle else [])]


def idle_words(paper: PaperReport) -> str:
    """How many answers of the ledger no longer count, and why; "" if all count."""
    known = paper.sheet.objections.dismissals if paper.sheet else ()
    if not known:
        return ""
    from pfcore.checks.registry import ALL  # late: only where there are answers

    rules = {check.id for check in ALL}
    own = [item for item in known if item.rule in rules]
    number = idle_answers(paper.state, own, every_finding(paper))
    if not number:
        return ""
    ledger = paper.state.paper.settings.ledger
    one = "its statement has changed, is read differently since pf.toml changed, or is"
    many = "their statements have changed, are read differently since pf.toml changed, or are"
    some = plural(number, "answer", "answers")
    verb, why = ("counts", one) if number == 1 else ("count", many)
    return f"{some} in {ledger} no longer {verb}: {why} not in this paper; answer again"


class _BulkAnswer(NamedTuple):
    """An answer's rule, author and reason, and who committed it ("" if unknown)."""

    rule: str
    who: str
    by: str
    reason: str

    @property
    def giver(self) -> str:
        """The author of the answer, and who committed it."""
        by = f" by {prose(self.who)}" if self.who else ""
        return f"{by} (committed by {prose(self.by)})" if self.by else by

    @property
    def words(self) -> str:
        """The author, and the reason."""
        return f"{self.giver}: {prose(self.reason)}"


def _in_ledger(paper: PaperReport, authors: AnswerAuthors) -> dict[_BulkAnswer, list[Finding]]:
    """The open findings of checks that the ledger answers, by answer."""
    own = paper.sheet.objections.dismissals if paper.sheet else ()
    found = every_finding(paper) if own else ()
    answers = paper.answers_to(found) if own else {}
    carried = carried_dismissals(paper.state, own, found) if own else ()
    listed = (*open_results(paper), *found) if own else ()
    items = {name: item for item in listed for name in (item.id, *item.aliases)}
    bare = {finding_id(NO_PROOF, "", name) for name in (without_proof(paper) if own else ())}
    ledger = paper.state.paper.settings.ledger
    made: dict[_BulkAnswer, list[Finding]] = {}
    taken: set[tuple[str, str, str]] = set()
    for item, line in (*((one, one) for one in own), *carried):
        is_gone = item.rule == NO_PROOF and item.finding not in bare
        told = item.finding, item.reason, item.who or ""
        if item.finding in answers and item.finding in items and not is_gone and told not in taken:
            taken.add(told)
            by = authors.of_entry(ledger, line.finding)
            key = _BulkAnswer(item.rule, item.who or "", by, item.reason)
            made.setdefault(key, []).append(items[item.finding])
    return made


_PLACES = 5
"""How many lines of a file are listed for an answer in bulk; the others are counted."""


def _bulk_answer(answer: _BulkAnswer, items: Sequence[Finding]) -> str:
    lines: dict[str, list[int]] = {}
    for path, line in sorted((item.location.path, item.location.line) for item in items):
        lines.setdefault(path, []).append(line)
    listed = "; ".join(f"{code(path)} ({_lines(found)})" for path, found in lines.items())
    some = plural(len(items), "finding")
    return (
        f"Answered in bulk in pf.lock{answer.giver}, {some} of {prose(answer.rule)}: "
        f"{prose(answer.reason.rstrip('.'))}. At {listed}"
    )


def _lines(found: Sequence[int]) -> str:
    noun = "line" if len(found) == 1 else "lines"
    more = f" and {len(found) - _PLACES:,} more" if len(found) > _PLACES else ""
    return f"{noun} {', '.join(map(str, found[:_PLACES]))}{more}"


def files_with_answers(papers: Iterable[PaperReport]) -> Iterator[str]:
    """The ledgers and sources that contain answers which count."""
    for paper in papers:
        sheet = paper.sheet
        if sheet is not None and sheet.objections.dismissals:
            yield paper.state.paper.settings.ledger
        for item in paper.findings:
            if item.dismissed is not None:
                yield item.location.path
