"""One finding with all that is known of it: for `pf explain`."""

from collections.abc import Iterator

from pfcore.domain.values import Finding
from pfcore.graph.rendering import render
from pfcore.reporters.objections import objection
from pfcore.reporters.printing import place_of, safe
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport


def explained(finding: Finding, paper: PaperReport, style: Style) -> Iterator[str]:
    """The objection, its reason, what the readers saw, and how to answer it."""
    is_read = finding in paper.objections
    if is_read:
        yield from objection(finding, paper, style)
    else:
        word = style.paint(finding.severity.value, finding.severity.value)
        yield f"  {word}  {place_of(finding)}  [{finding.rule} {finding.id}]"
        yield f"      {safe(finding.message)}"
        yield ""
    yield from _origin(finding)
    if finding.reason:
        yield "Why:"
        yield from (f"  {safe(line)}" for line in finding.reason.splitlines() if line.strip())
        yield ""
    if finding.dismissed is not None:
        yield f"Answered: {safe(finding.dismissed)}"
    elif is_read:
        yield f"Not so? pf dismiss {finding.id} --reason '…', or in the source:"
        yield f"  % pf: ignore[{finding.id}] reason"
    if is_read and finding.module is not None:
        yield ""
        yield "What the readers saw:"
        text = render(paper.state.document, finding.module, paper.state.paper.texts)
        yield from (f"  {safe(line)}" for line in text.splitlines())


def _origin(finding: Finding) -> Iterator[str]:
    words = {
        True: "This change brought it in.",
        False: "It is older than this change.",
        None: "Whether this change brought it in is not known.",
    }
    yield words[finding.introduced]
    if finding.aliases:
        yield f"It was also called {', '.join(sorted(finding.aliases))}."
