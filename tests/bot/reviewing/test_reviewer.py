"""Reviews of commits that are fetched, kept as text and told from it."""

from contextlib import asynccontextmanager
from dataclasses import asdict, replace

import pytest

from bot.domain import review_result
from bot.domain.forge import PROOFS, STRUCTURE, GitRemote
from bot.domain.review_result import PublishedReview, Reach
from bot.domain.worker_context import ReaderUsage, ReviewSubject, SpendingTerms
from bot.reviewing.git_cache import Repositories
from bot.reviewing.repository_data import Rooms
from bot.reviewing.reviewer import PaperReviewer
from bot.reviewing.sandbox import ProcessBounds
from pfcore.domain.errors import IncompleteError, PfError, UsageError
from pfcore.llm.model_settings import choose
from pfcore.testing import ScriptedLlm
from tests.acceptance.postgres import own_database, postgres  # noqa: F401 - a fixture
from tests.bot.fakes import PLACE, anything
from tests.bot.readers import WEAK, A, B, asking, objecting
from tests.pfcore.cli.conftest import ACCEPT


@pytest.fixture
def origin(tmp_path):
    return GitRemote(url=(tmp_path / "paper").as_uri(), token="")


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.acceptance)])
def rooms(request, tmp_path):
    url = None
    if request.param == "postgres":
        url = own_database(request.getfixturevalue("postgres"))
    return Rooms(tmp_path / "rooms", url, lambda: 1.0)


@pytest.fixture
def reviewer(tmp_path, rooms):
    """Makes a reviewer, with a model that is scripted or with none."""

    def make(llm=None, **more):
        @asynccontextmanager
        async def who(_):
            yield llm

        choice = choose("m", {"PF_BASE_URL": "http://127.0.0.1:9/v1"}) if llm else None
        repositories = Repositories(tmp_path / "repositories", is_local=True)
        return PaperReviewer(repositories, rooms, choice, who=who, is_simulated=True, **more)

    return make


@pytest.fixture
def subject(commits):
    base = commits(A + B)
    head = commits(WEAK + B)
    return ReviewSubject(place=PLACE, number=7, base=base, head=head, trusted=base)


class Looking:
    """What holds while proofs are read."""

    def __init__(self, is_over=False):
        self.used: list[ReaderUsage] = []
        self.terms = SpendingTerms(
            today=lambda: 0.0,
            left=lambda: 99.0,
            spent=0.0,
            note=self.used.append,
            is_over=lambda: is_over,
        )


def test_a_paper_can_be_looked_at_in_a_process_of_its_own(reviewer, subject, origin):
    found = reviewer(bounds=ProcessBounds()).structure(subject, origin)
    assert review_result.load_result(found.saved).statuses["a"]
    hasty = reviewer(bounds=ProcessBounds(seconds=0)).structure(subject, origin)
    assert (
        not hasty.is_readable
        and "longer than 0 seconds" in review_result.load_result(hasty.saved).failure
    )


def test_what_is_asked_about_a_paper_is_bounded_as_its_review_is(reviewer, subject, origin):
    assert "```mermaid" in reviewer(bounds=ProcessBounds()).graph(subject, origin)
    hasty = reviewer(bounds=ProcessBounds(seconds=0))
    for ask in (hasty.graph, lambda *it: hasty.explained(*it, "abcdefgh")):
        with pytest.raises(UsageError, match="could not be reviewed"):
            ask(subject, origin)


def test_what_people_can_mend_is_said_to_who_asks(reviewer, commits, origin):
    base = commits(A)
    trusted = commits(A, pf_toml="nonsense = 1\n")
    broken = ReviewSubject(place=PLACE, number=7, base=base, head=base, trusted=trusted)
    with pytest.raises(UsageError, match="nonsense"):
        reviewer(bounds=ProcessBounds()).graph(broken, origin)


def test_a_change_is_reviewed_kept_and_told(reviewer, subject, origin):
    made = reviewer(objecting("By"))
    found = made.structure(subject, origin)
    assert made.has_model and found.is_readable
    looking = Looking()
    proofs = made.proofs(subject, origin, looking.terms)
    assert looking.used[-1].calls > 0 and looking.used[-1].input_tokens > 0
    told = PublishedReview(
        structure=found.saved, proofs=proofs, reach=Reach.DONE, key="k", details="d"
    )
    checks = {check.name: check for check in made.checks(told)}
    assert set(checks) == {STRUCTURE, PROOFS}
    assert {(check.key, check.details) for check in checks.values()} == {("k", "d")}
    changes = made.changes(told, [])
    assert any("It may be 0." in item.body for item in changes.create)


def test_what_was_replied_is_not_asked_again(reviewer, subject, origin):
    llm = ScriptedLlm(ACCEPT)
    made = reviewer(llm)
    made.proofs(subject, origin, Looking().terms)
    asked = len(llm.requests)
    made.proofs(subject, origin, Looking().terms)
    assert asked == len(llm.requests) > 0


def test_what_is_known_is_told_and_nobody_is_asked(reviewer, subject, origin):
    llm = ScriptedLlm(ACCEPT)
    made = reviewer(llm)
    assert not review_result.load_result(made.known(subject, origin)).is_read and llm.requests == []
    made.proofs(subject, origin, Looking().terms)
    asked = len(llm.requests)
    assert (
        review_result.load_result(made.known(subject, origin)).is_read
        and len(llm.requests) == asked
    )


def test_what_is_over_asks_nothing_more(reviewer, subject, origin):
    llm = ScriptedLlm(ACCEPT)
    reviewer(llm).proofs(subject, origin, Looking(is_over=True).terms)
    everything = ScriptedLlm(ACCEPT)
    assert len(llm.requests) <= 20 and everything.requests == []


def test_without_a_model_there_is_the_structure_alone(reviewer, subject, origin):
    made = reviewer()
    assert not made.has_model
    found = made.structure(subject, origin)
    told = PublishedReview(structure=found.saved, reach=Reach.NONE)
    assert [check.name for check in made.checks(told)] == [STRUCTURE]


def test_a_finding_is_explained_and_dismissed_and_the_dismissal_counts(reviewer, subject, origin):
    made = reviewer(objecting("By"))
    made.proofs(subject, origin, Looking().terms)
    told = PublishedReview(
        structure=made.structure(subject, origin).saved,
        proofs=made.proofs(subject, origin, Looking().terms),
        reach=Reach.DONE,
    )
    finding = next(item.key for item in made.changes(told, []).create if item.key != "summary")
    assert "It may be 0." in made.explained(subject, origin, finding)
    answer, words = made.dismissed(subject, origin, asking(finding, "it is not", "alice"))
    assert answer.finding == finding and "pf.lock" in words and answer.lines
    answered = replace(subject, answers=(answer,))
    told = PublishedReview(
        structure=made.structure(answered, origin).saved,
        proofs=made.proofs(answered, origin, Looking().terms),
        reach=Reach.DONE,
    )
    assert finding not in [item.key for item in made.changes(told, []).create]


def test_what_is_not_there_cannot_be_explained(reviewer, subject, origin):
    with pytest.raises(UsageError, match="unknown finding"):
        reviewer().explained(subject, origin, "abcdefgh")


def test_a_graph_shows_what_is_affected(reviewer, subject, origin):
    assert "```mermaid" in reviewer().graph(subject, origin)


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ("every_branch = true\n", {"every_branch"}),
        ("required = true\nissue = true\n", {"required", "issue"}),
        ("every_branch = 7\n", set()),
    ],
)
def test_the_app_is_asked_for_what_the_settings_say_where_they_can_be_read(
    reviewer, commits, origin, settings, asked
):
    commit = commits(A + B, pf_toml=f"[app]\n{settings}")
    found = asdict(reviewer().asked_of_app(PLACE, commit, origin))
    assert {name for name, is_asked in found.items() if is_asked} == asked


class Forgetful:
    """Repositories that have lost what was fetched."""

    def __init__(self, bare):
        self._bare = bare

    def fetch(self, place, origin, refs):
        return self._bare


def test_settings_that_went_from_the_cache_are_read_another_time(commits, bare, rooms, origin):
    commits(A + B)
    made = PaperReviewer(anything(Forgetful(bare)), rooms, None)
    with pytest.raises(IncompleteError, match="a" * 40):
        made.asked_of_app(PLACE, "a" * 40, origin)


def test_a_new_branch_has_no_lines_that_changed(reviewer, commits, origin):
    head = commits(A + B)
    subject = ReviewSubject(place=PLACE, number=None, base=None, head=head, trusted=head)
    assert reviewer().structure(subject, origin).saved


def test_all_that_is_kept_of_a_repository_can_be_erased(reviewer, rooms, subject, origin, tmp_path):
    made = reviewer(ScriptedLlm(ACCEPT))
    made.structure(subject, origin)
    made.proofs(subject, origin, Looking().terms)
    made.forget(PLACE, 7)
    assert made.places() == {PLACE.repository_id}
    with rooms.replies(PLACE.repository_id) as store:
        assert store.held()
    made.erase(PLACE.repository_id)
    made.erase(PLACE.repository_id)
    assert made.places() == set()
    assert not list((tmp_path / "rooms").rglob("*.sqlite"))
    with rooms.replies(PLACE.repository_id) as store:
        assert not store.held()


def test_results_of_another_release_are_not_told(reviewer):
    with pytest.raises(PfError, match="another release"):
        reviewer().checks(PublishedReview(structure="{}", reach=Reach.DONE))


def test_a_folder_that_cannot_be_erased_is_named(tmp_path):
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "10").write_text("no folder")
    with pytest.raises(IncompleteError, match="cannot be deleted"):
        Rooms(tmp_path / "rooms", None, lambda: 1.0).erase(10)


def test_a_database_that_does_not_answer_is_named_without_its_address(tmp_path):
    rooms = Rooms(tmp_path / "rooms", "postgresql://pf:secret123@127.0.0.1:9/none", lambda: 1.0)
    with pytest.raises(IncompleteError, match="does not answer") as caught:
        rooms.erase(10)
    assert "secret123" not in str(caught.value)
    assert rooms.places() == set()
