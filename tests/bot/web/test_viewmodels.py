"""Times, money and ends in words."""

from dataclasses import replace

import pytest

from bot.domain.review_result import Manuscript, ReviewOutline, ReviewPart
from bot.domain.run_records import RunState
from bot.web import viewmodels
from pfcore.domain.values import Status
from pfcore.reporters.formats.publication import Conclusion
from tests.bot.web.world import BRANCH, NOW, PULL

CLEAN, BLOCKING, STRUCTURE = Conclusion.CLEAN, Conclusion.BLOCKING, Conclusion.STRUCTURE


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")],
)
def test_how_long_it_took(seconds, words):
    assert viewmodels.lasting(seconds) == words


@pytest.mark.parametrize(
    ("amount", "words"),
    [(0, "$0.00"), (0.0001, "< $0.01"), (0.314, "$0.31"), (1234.5, "$1,234.50")],
)
def test_what_it_cost(amount, words):
    assert viewmodels.dollars(amount) == words


def test_moments_are_in_utc():
    assert viewmodels.moment(NOW) == ("2026-11-21T18:00:00Z", "2026-11-21 18:00")
    assert viewmodels.second(NOW).text == "2026-11-21 18:00:00"


def ended(structure=None, proofs=None, *, is_read=False, **other):
    def outline(end, **more):
        return end and ReviewOutline(conclusion=end, title="a title", **more)

    return replace(
        PULL,
        state=RunState.DONE,
        structure_outline=outline(structure),
        proofs_outline=outline(proofs, is_read=is_read),
        **other,
    )


@pytest.mark.parametrize(
    ("structure", "proofs", "is_read", "words"),
    [
        (STRUCTURE, None, False, "structure only: proofs not read"),
        (STRUCTURE, CLEAN, True, "no objection found"),
        (BLOCKING, CLEAN, True, "blocking findings"),
        (STRUCTURE, Conclusion.INCOMPLETE, False, "could not be completed"),
        (Conclusion.FINDINGS, Conclusion.INCOMPLETE, False, "could not be completed"),
        (None, None, False, "done"),
    ],
)
def test_of_two_halves_the_graver_counts(structure, proofs, is_read, words):
    assert viewmodels.look_of_run(ended(structure, proofs, is_read=is_read)).words == words


@pytest.mark.parametrize(
    ("structure", "proofs", "words"),
    [
        (STRUCTURE, None, "no proof is affected"),
        (STRUCTURE, CLEAN, "no proof is affected"),
        (Conclusion.FINDINGS, None, "findings"),
        (Conclusion.INCOMPLETE, None, "could not be completed"),
    ],
)
def test_what_affects_no_proof_is_not_said_to_be_unread(structure, proofs, words):
    found = ended(structure, proofs, is_read=proofs is not None)
    halves = {
        name: half.model_copy(update={"is_touched": False})
        for name in ("structure_outline", "proofs_outline")
        if (half := getattr(found, name)) is not None
    }
    assert viewmodels.look_of_run(replace(found, **halves)).words == words


@pytest.mark.parametrize(
    ("structure", "proofs", "is_required", "words"),
    [
        (STRUCTURE, BLOCKING, False, "findings, advisory"),
        (STRUCTURE, BLOCKING, True, "blocking findings"),
        (Conclusion.FINDINGS, BLOCKING, False, "findings, advisory"),
        (BLOCKING, BLOCKING, False, "blocking findings"),
        (Conclusion.INCOMPLETE, BLOCKING, False, "could not be completed"),
    ],
)
def test_what_readers_say_blocks_only_where_the_repository_wishes_so(
    structure, proofs, is_required, words
):
    found = ended(structure, None)
    said = ReviewOutline(
        conclusion=proofs, title="t", part=ReviewPart.PROOFS, is_required=is_required
    )
    assert viewmodels.look_of_run(replace(found, proofs_outline=said)).words == words


def test_a_branch_without_a_name_is_called_by_its_commit():
    assert viewmodels.row(replace(BRANCH, branch=None), "https://g").subject == "a" * 10
    assert viewmodels.row(BRANCH, "https://g").subject == "main"


def counted(number, **statuses):
    counts = {Status(name): count for name, count in statuses.items()}
    paper = Manuscript(name="p", root="p", modules=9, affected=0, backlog=0, statuses=counts)
    outline = ReviewOutline(conclusion=CLEAN, title="t", papers=(paper,))
    return replace(BRANCH, id=str(number), head=str(number) * 40, proofs_outline=outline)


def test_a_history_grows_to_the_right_and_stands_on_what_is_well():
    found = viewmodels.chart([counted(2, checked=3, flagged=1), BRANCH, counted(1, checked=2)])
    assert [point.commit[0] for point in found.points] == ["1", "2"]
    assert [look.name for look in found.looks] == ["possible", "checked"]
    first, second, third = found.blocks
    assert (first.look, first.x, first.y, first.height) == ("checked", 0, 60, 60)
    assert (second.look, second.y, second.height) == ("checked", 30, 90)
    assert (third.look, third.x, third.y, third.height) == ("possible", second.x, 0, 30)


def test_what_is_accepted_and_at_fault_is_not_drawn_as_checked():
    run = counted(1, checked=3)
    (paper,) = run.proofs_outline.papers
    faulty = paper.model_copy(update={"at_fault": {Status.CHECKED: 1}})
    outline = run.proofs_outline.model_copy(update={"papers": (faulty,)})
    found = viewmodels.chart([replace(run, proofs_outline=outline)])
    assert found.points[0].counts == {"checked": 2, "fault": 1}
    assert [look.name for look in found.looks] == ["fault", "checked"]


def test_without_runs_there_is_nothing_to_draw():
    assert viewmodels.chart([]).blocks == () and viewmodels.chart([BRANCH]).points == ()


@pytest.mark.parametrize("status", Status)
def test_every_status_is_drawn(status):
    found = viewmodels.chart([counted(1, **{status.value: 2})])
    assert sum(found.points[0].counts.values()) == 2
    assert len(found.blocks) == len(found.looks) == 1
