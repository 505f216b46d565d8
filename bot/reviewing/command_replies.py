"""The App's answers to commands: a finding, the graph, a dismissal, a refusal.

Every answer is Markdown in which text of a paper or a model is escaped.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.domain.run_records import DismissalRecord
from bot.publishing import summary
from bot.publishing.summary import ANSWER
from pfcore.domain.values import Finding
from pfcore.graph.rendering import render
from pfcore.ledger.ledger import ledger, merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.reporters.formats import markdown
from pfcore.reporters.formats.publication import AGAIN, LONGEST
from pfcore.reporters.objections import asked_and_used
from pfcore.reporters.printing import (
    Style,
    code,
    paragraphs,
    place_of,
    plural,
    prose,
    safe,
    shortened,
)
from pfcore.repository.snapshot import Snapshot
from pfcore.review.located_objections import dismissal
from pfcore.review.review import PaperReport, Report, find_by_id

PRIVATE = "The findings of this repository are private; run `pf explain` in a clone."
HELP = """Commands, each on its own line:

| command | effect |
|---|---|
| `/pf check` | reads the remaining proofs of this pull request |
| `/pf check COMMIT` | the same, if that commit is the newest; sometimes needed on a fork |
| `/pf recheck ID` | reads the proof of a finding again |
| `/pf explain ID` | shows all that is known about a finding |
| `/pf dismiss ID reason` | answers a finding, which stays visible as answered |
| `/pf graph` | draws what this pull request affects |
| `/pf pause`, `/pf resume` | stops or continues the reading of proofs |

Commands that cost money or change results require write access.
"""
_LISTED = "comments, the summary and annotations name the findings"
_CONTEXT = 20_000
_ROOM = LONGEST - 5_000
_ORIGIN = {
    True: "Introduced here.",
    False: "Already on the base branch.",
    None: "Unknown whether this pull request introduced it.",
}


def explained(report: Report, name: str, *, is_private: bool) -> str:
    """Everything known about a finding; UsageError if there is none with this id."""
    paper, found = find_by_id(report, name, _LISTED)
    if is_private:
        return f"{PRIVATE} {AGAIN}\n" if found in paper.objections else f"{PRIVATE}\n"
    return "\n\n".join(block for block in _explained(paper, found) if block) + "\n"


def _explained(paper: PaperReport, found: Finding) -> Iterator[str]:
    yield markdown.finding(found, paper, markdown.Telling(way=ANSWER))
    aliases = ", ".join(code(item) for item in sorted(found.aliases))
    yield f"{_ORIGIN[found.introduced]}{f' Earlier id: {aliases}.' if aliases else ''}"
    if found.dismissed is not None:
        yield f"Answered: {prose(found.dismissed)}"
    if found.reopened is not None:
        yield (
            f"Answered earlier, but what it depends on has changed since: {prose(found.reopened)}"
        )
    if found in paper.objections and found.module is not None:
        text = render(paper.state.document, found.module, paper.state.paper.texts)
        yield _folded("What the readers saw", text)
        more = "\n".join(asked_and_used(found.module, paper, Style()))
        yield _folded("What they asked for, and what their verdicts depend on", more.strip())


def _folded(title: str, text: str) -> str:
    """Lines in a folded block; "" if there are none."""
    shown = shortened(text, _CONTEXT)
    summary = f"<details><summary>{title}</summary>"
    return f"{summary}\n\n{fenced(shown)}\n\n</details>" if shown else ""


def graph_reply(report: Report, *, is_private: bool) -> str:
    """A drawing of what the change affects; a sentence if that is nothing, or too much."""
    affected = sum(len(paper.plan.affected) for paper in report.papers)
    if not affected:
        return "This pull request affects no result.\n"
    words = f"{plural(affected, 'result')} affected"
    if is_private:
        return f"{words}; their names are private.\n"
    drawn = summary.cone(report)
    if drawn:
        they = "it depends on" if affected == 1 else "they depend on"
        return f"{words}, with the changes that {they}:\n\n```mermaid\n{drawn}```\n"
    if summary.is_too_large(report):
        return f"{words}: too many to draw here; `pf graph` draws the whole paper.\n"
    names = ", ".join(
        markdown.titled(paper.state.document.modules[item.id], paper)
        for paper in report.papers
        for item in paper.plan.affected
    )
    alone = " None of them uses another." if affected > 1 else ""
    return f"{words}: {names}.{alone}\n"


def dismissed(report: Report, asked: DismissalRecord) -> DismissalRecord:
    """The answer to a finding, with all its ids and lines; UsageError if there is none such."""
    paper, found = find_by_id(report, asked.finding, _LISTED)
    answer = replace(asked, finding=found.id, aliases=tuple(sorted(found.aliases)))
    item = paper.sheet.recorded(found) if paper.sheet else None
    if item is None or paper.sheet is None or found.module is None:
        return answer
    made = dismissal(paper.sheet.objections, item, found.module, reason=asked.reason, who=asked.who)
    return replace(answer, lines=ledger_text(ledger(dismissals=[made])))


def confirmed(
    answer: DismissalRecord, report: Report, trusted: Snapshot, *, is_private: bool
) -> str:
    """A confirmation that a finding is answered, and how to keep the answer permanently."""
    paper, found = find_by_id(report, answer.finding, _LISTED)
    said = f"`{found.id}` is answered on this pull request."
    if is_private or found.alike:  # a comment in one place does not answer the others
        return f"{said}\n"
    if not answer.lines:
        where, note = place_of(found), f"% pf: ignore[{found.id}] {safe(answer.reason)}"
        return f"{said} To keep the answer, write at {code(where)}:\n\n{fenced(note)}\n"
    path = paper.state.paper.settings.ledger
    patch = lock_patch(path, trusted, [answer])
    if len(patch) > _ROOM:
        return f"{said} To keep the answer, run `pf dismiss` in a clone.\n"
    title = "<details><summary>To keep the answer: a patch for pf.lock</summary>"
    return f"{said}\n\n{title}\n\n{fenced(patch, 'diff')}\n\n</details>\n"


def lock_patch(path: str, trusted: Snapshot, answers: Iterable[DismissalRecord]) -> str:
    """A patch that adds the answers to the base branch's ledger; "" if it has them all."""
    is_there = path in trusted.files
    old = trusted.read(path).text if is_there else ""
    said = ledger_text(merged(*(read_ledger(item.lines).ledger for item in answers))).splitlines()
    kept = old.splitlines()
    # A comment must not contain what looks like our marks; in JSON both spellings are equal.
    spelt = {line: line.replace("<", "\\u003c") for line in said}
    added = [text for line, text in spelt.items() if not {line, text} & set(kept)]
    if not added:
        return ""
    header = [f"--- a/{path}" if is_there else "--- /dev/null", f"+++ b/{path}"]
    return "".join(f"{line}\n" for line in (*header, *_hunk(kept, added, old)))


def _hunk(kept: list[str], added: list[str], old: str) -> Iterator[str]:
    """A hunk that appends lines; it has to contain the last old line."""
    if not kept:
        yield f"@@ -0,0 +1,{len(added)} @@"
    else:
        yield f"@@ -{len(kept)},1 +{len(kept)},{len(added) + 1} @@"
        if old.endswith("\n"):
            yield f" {kept[-1]}"
        else:
            yield f"-{kept[-1]}"
            yield "\\ No newline at end of file"
            yield f"+{kept[-1]}"
    yield from (f"+{line}" for line in added)


def fenced(text: str, language: str = "") -> str:
    """A code block that its contents cannot end."""
    runs = re.findall("`{3,}", text)
    fence = "`" * (max(map(len, runs), default=2) + 1)
    inner = "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)
    return f"{fence}{language}\n{inner.rstrip()}\n{fence}"


def refused(words: str) -> str:
    """The reason why a command was not carried out."""
    return f"{paragraphs(sentence(words))}\n"


def sentence(words: str) -> str:
    """Our own words as a sentence; a path or an id at the beginning keeps its spelling."""
    whole = words if words.endswith((".", "?", "!")) else f"{words}."
    return whole[0].upper() + whole[1:] if _WORD.match(words) else whole


_WORD = re.compile("[a-z]+ ")
