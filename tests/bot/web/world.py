"""Runs with results of a real review of a small paper, and the pages over them."""

from dataclasses import replace

from flask import Flask

from bot.app_settings import AppSettings
from bot.domain.comment import CommentCaps, Diff
from bot.domain.review_result import ReviewPart
from bot.domain.run_records import ReviewRun, RunState
from bot.reviewing.build_result import ResultTerms, result_of_review
from bot.web.views import install_pages
from pfcore.review.review import Report
from tests.bot.memory_records import MemoryRecords
from tests.bot.readers import subject
from tests.pfcore.reporters.papers import NEWTON, OBJECTION, QUOTE, lock

TOKEN = "token-of-the-pages"
NOW = 1_795_284_000.0  # 2026-11-21 18:00
HEAD, BASE = "a" * 40, "b" * 40
DAY = 86_400.0

PULL = ReviewRun(
    id="10#7:guid-1",
    installation=1,
    repository_id=10,
    repository="us/paper",
    number=7,
    head=HEAD,
    base=BASE,
    reason="pull request opened",
    created=NOW - 600,
)
BRANCH = replace(
    PULL,
    id="10@main:guid-2",
    number=None,
    branch="main",
    is_default=True,
    reason="push to main",
    created=NOW - DAY,
)


def settings(folder, **other):
    made = AppSettings(
        app_id=7,
        private_key=folder / "key.pem",
        webhook_secret=b"0123456789abcdef-hook",
        accounts=frozenset({"us"}),
        database_url="sqlite:///nowhere",
        data=folder,
        pages_token=TOKEN.encode(),
    )
    return replace(made, **other)


def site(folder, clock, **other):
    """An application with nothing but pages, and the records behind it."""
    records = MemoryRecords(clock)
    app = Flask("pages", static_folder=None)
    app.testing = True
    install_pages(app, settings=settings(folder, **other), records=records, clock=clock)
    return app, records


_reviews: dict[str, Report] = {}


def newton(reviewed, *, text=NEWTON) -> Report:
    """A review of a change of a statement and its proof, to which the paper's ledger objects.

    Made once for each text: it is a value.
    """
    if text in _reviews:
        return _reviews[text]
    before = text.replace("There are $C,\\delta>0$", "For some $C,\\delta>0$")
    before = before.replace("Dividing by $f'(x_0)$ we", "Hence we")
    files = {"main.tex": text}
    known = reviewed(files).papers[0].state
    files["pf.lock"] = lock(known, {"lem:unif": (QUOTE, OBJECTION)}, frozenset({"cor:decay"}))
    _reviews[text] = reviewed(files, {"main.tex": before})
    return _reviews[text]


def unread(reviewed) -> Report:
    """A review of a change of a proof that nobody has read."""
    before = NEWTON.replace("Dividing by $f'(x_0)$ we", "Hence we")
    made: Report = reviewed({"main.tex": NEWTON}, {"main.tex": before})
    return made


def result(report: Report, part: ReviewPart, **terms) -> str:
    """A half of a review as it is kept."""
    wanted = ResultTerms(
        part=part, subject=subject(BASE, HEAD), caps=CommentCaps(), is_private=False
    )
    return result_of_review(report, Diff(files={}), replace(wanted, **terms)).text()


def fill(records, report: Report) -> None:
    """A reviewed pull request, a history of the default branch, and runs in all states."""
    structure, proofs = (result(report, part) for part in ReviewPart)
    runs = records.runs
    for number in range(6):
        run = replace(BRANCH, id=f"10@main:{number}", created=NOW - (9 - number) * DAY)
        runs.begin(replace(run, head=f"{number}" * 40, state=RunState.DONE, structure=structure))
        runs.change(run.id, ended=run.created + 65, proofs=proofs if number > 2 else None)
    for number, state in enumerate(RunState):
        if state is not RunState.DONE:
            run = replace(PULL, id=f"10#{number}:x", number=number, state=state)
            runs.begin(replace(run, created=NOW - 3600 * (number + 1), note=_NOTES.get(state, "")))
    runs.begin(replace(PULL, started=NOW - 590))
    runs.log(PULL.id, "fetched 2 commits")
    runs.log(PULL.id, "structure told")
    runs.change(
        PULL.id,
        state=RunState.DONE,
        ended=NOW - 478,
        structure=structure,
        proofs=proofs,
        calls=40,
        input_tokens=123_456,
        output_tokens=7_890,
        dollars=0.314,
    )
    records.workers.beat("one")


_NOTES = {
    RunState.SKIPPED: "a draft is not reviewed",
    RunState.FAILED: "GitHub did not answer",
    RunState.SUPERSEDED: "superseded by a newer commit",
}
