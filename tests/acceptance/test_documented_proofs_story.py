"""What happens to the proofs in the Action, told by a GitHub written from its documentation.

The story of the workflow on the page where a model reads and its word is required: cancelled runs,
edited bases, twin heads, strangers, who does not want to be read, merge queues, models that do not
answer. Counted are what is lost, posted twice, stuck, falsely green or wrongly red in the checks of
the structure and of the proofs, what a model is asked again that it has answered, and messages
beyond one a push. Every other event is told with a fault, too; all with each where PF_STORIES=all.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.domain.comment import read_mark
from pfcore.cli.github_actions import DO_NOT_READ
from tests.acceptance.documented_actions import DocumentedActions
from tests.acceptance.documented_github import ACTIONS, Json, RequestFault
from tests.acceptance.documented_rest import DocumentedServer, documented
from tests.acceptance.test_documented_action_story import (
    ABSENT,
    CITES,
    FAULTS,
    GREEN,
    MORE,
    NAME,
    PROOFS,
    PUSHED,
    RED,
    SOUND,
    WAITING,
    WRONG,
    ActionStory,
)
from tests.acceptance.test_documented_story import written
from tests.pfcore.cli.conftest import LEMMA, Referee, referee  # noqa: F401 - a fixture

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

GAP = LEMMA % ("gap", "The quotient is positive", "Divide by x.")
"""What the model objects to."""
READINGS = 3
"""How often a proof is read."""


class ProofsStory(ActionStory):
    """The same, in which a model reads, and is asked for nothing that it has answered."""

    def __init__(
        self, github: DocumentedServer, folder: Path, document, judge: Referee, reader: str
    ) -> None:
        super().__init__(github, folder, document)
        self.model = judge
        judge.objects_to("Divide by x")
        self.actions = DocumentedActions(
            github, self.here, folder / "read", model="m", reader=reader, is_required=True
        )
        self.actions.settle()
        judge.asked.clear()

    def require(
        self, number: int, conclusion: str, proofs: str = GREEN, *, suffix: str = ""
    ) -> None:
        """What rules are to see in the end at the head of a pull request."""
        self.expected[self.head(number), f"{NAME}{suffix}"] = conclusion
        self.expected[self.head(number), f"{PROOFS}{suffix}"] = proofs

    def state(self, remark: Json) -> str:
        """What a comment beside a line says of its finding."""
        mark = read_mark(remark["body"])
        return mark.state.value if mark else ""

    def told_before(self, name: str, head: str, key: str) -> None:
        """A check of the proofs that another job has made."""
        made = {"name": name, "head_sha": head, "external_id": key, "conclusion": GREEN}
        self.github.add_check(self.here, made, ACTIONS)

    def judge(self) -> None:
        super().judge()
        said = Counter(self.model.asked)
        # Each pull request has a cache of its own, and takes from that of the base alone.
        most = READINGS * self.actions.scopes
        self.tally["asked again"] += sum(max(0, count - most) for count in said.values())
        self.tally["looked at"] += len(said)
        more = len(self.github.notified) - len(self.here.runs)
        self.tally["more than one message a push"] += max(0, more)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


@pytest.fixture
def story(github, tmp_path, document, referee, monkeypatch) -> ProofsStory:  # noqa: F811
    reader = os.environ["PF_BASE_URL"]
    monkeypatch.delenv("PF_BASE_URL")
    return ProofsStory(github, tmp_path / "runner", document, referee, reader)


ACTS: dict[str, Callable[[ProofsStory], None]] = {}
"""What happens."""


def act(happens: Callable[[ProofsStory], None]) -> Callable[[ProofsStory], None]:
    """Put it into the table."""
    ACTS[happens.__name__] = happens
    return happens


@act
def read_and_sound(s: ProofsStory) -> None:
    s.require(s.change(SOUND + MORE), GREEN)


@act
def read_and_objected_to(s: ProofsStory) -> None:
    s.require(s.change(SOUND + GAP), GREEN, RED)


@act
def read_beside_an_error_of_the_structure(s: ProofsStory) -> None:
    s.require(s.change(SOUND + WRONG), RED, RED)


@act
def mended(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.settle()
    s.put("topic", SOUND + MORE)
    s.require(number, GREEN)


@act
def taken_back(s: ProofsStory) -> None:
    """So that no proof is affected, and nothing stands of what was said of one."""
    number = s.change(SOUND + GAP)
    s.actions.settle()
    assert [s.state(remark) for remark in s.here.remarks] == ["open"]
    s.put("topic", SOUND, notes__txt="words")
    s.actions.settle()
    assert [s.state(remark) for remark in s.here.remarks] == ["resolved"]
    s.require(number, GREEN)


@act
def broken(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.put("topic", SOUND + MORE + GAP)
    s.require(number, GREEN, RED)


@act
def cancelled_while_it_is_read(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.cut = "proofs"
    s.actions.settle()
    assert s.github.required(s.here, s.head(number), PROOFS) == ABSENT, "which is no pass"
    s.actions.failed.append(s.here.runs[-1])
    s.require(number, GREEN, RED)


@act
def cancelled_before_it_is_told(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.cut = "publish"
    s.actions.settle()
    s.actions.failed.append(s.here.runs[-1])
    s.require(number, GREEN, RED)


@act
def cancelled_by_the_next_push(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.cut = "proofs"
    s.actions.settle()
    s.put("topic", SOUND + MORE)
    s.require(number, GREEN)


@act
def the_first_of_two_pushes_is_cancelled_while_it_is_read(s: ProofsStory) -> None:
    s.put("main", SOUND + GAP)
    head = s.put("main", SOUND + GAP + MORE)
    s.actions.cut = "proofs"
    s.expected |= {(head, PUSHED): GREEN, (head, PROOFS): RED}


@act
def retargeted(s: ProofsStory) -> None:
    dev = s.commit(SOUND + GAP, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, dev), base="dev")
    s.actions.settle()
    assert s.github.required(s.here, s.head(number), PROOFS) == GREEN
    s.github.retarget(s.here, number, "main")
    s.require(number, GREEN, RED)


def _cut_when_retargeted(s: ProofsStory, job: str) -> None:
    dev = s.commit(SOUND + GAP, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, dev), base="dev")
    s.actions.settle()
    s.github.retarget(s.here, number, "main")
    s.actions.cut = job
    s.actions.settle()
    seen = s.github.required(s.here, s.head(number), PROOFS)
    assert seen == WAITING, "what was read is about another base"
    s.require(number, GREEN, RED)


@act
def retargeted_and_cancelled_while_it_is_read(s: ProofsStory) -> None:
    _cut_when_retargeted(s, "proofs")


@act
def retargeted_and_cancelled_before_it_is_told(s: ProofsStory) -> None:
    _cut_when_retargeted(s, "publish")


@act
def base_merged_a_part(s: ProofsStory) -> None:
    first = s.commit(SOUND + GAP, s.base)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, first))
    s.actions.settle()
    assert s.github.required(s.here, s.head(number), PROOFS) == RED
    s.github.push(s.here, "main", first)
    s.require(number, GREEN)


@act
def base_forced_back(s: ProofsStory) -> None:
    first = s.commit(SOUND + GAP, s.base)
    s.github.push(s.here, "main", first)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, first))
    s.actions.settle()
    s.github.push(s.here, "main", s.base)
    s.require(number, GREEN, RED)


@act
def base_forced_back_where_no_run_starts_again(s: ProofsStory) -> None:
    """The checks of other papers, whose jobs are of the same run, pass no more, either."""
    first = s.commit(SOUND + GAP, s.base)
    s.github.push(s.here, "main", first)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, first))
    s.actions.settle()
    thesis, head = f"{PROOFS} (thesis)", s.head(number)
    s.told_before(thesis, head, f"{head}:1:{number}")
    s.here.runs[-1]["is_old"] = True
    s.github.push(s.here, "main", s.base)
    s.actions.settle()
    for name in (NAME, PROOFS, thesis):
        assert s.github.required(s.here, head, name) == WAITING
    s.here.runs[-2]["is_old"] = False
    s.put("topic", SOUND + GAP + MORE + CITES)
    s.require(number, GREEN, RED)


@act
def base_moved_after_a_maintainer_had_a_stranger_s_read(s: ProofsStory) -> None:
    """By a manual run, whose checks have no number and which nobody starts again."""
    first = s.commit(SOUND + GAP, s.base)
    head = s.commit(SOUND + GAP + MORE, first)
    number = s.github.open(s.here, head, fork="eve/paper", author="eve")
    s.actions.settle()
    s.told_before(PROOFS, head, f"{head}:1")
    s.github.push(s.here, "main", first)
    s.actions.settle()
    assert s.github.required(s.here, head, PROOFS) == WAITING
    s.require(number, GREEN, WAITING)


@act
def base_took_settings(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.settle()
    s.put("main", SOUND, pf__toml="[reading]\nstrictness = 'pedantic'\n")
    s.require(number, GREEN, RED)


@act
def forced_back(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    first = s.head(number)
    s.actions.settle()
    s.put("topic", SOUND + MORE)
    s.actions.settle()
    s.github.push(s.here, "topic", first)
    s.require(number, GREEN, RED)


@act
def twin_heads(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    other = s.github.open(s.here, s.head(number), branch="topic-2")
    s.require(number, GREEN, RED)
    s.require(other, GREEN, RED, suffix=f" (#{other})")


@act
def twin_heads_with_two_bases(s: ProofsStory) -> None:
    dev = s.commit(SOUND + GAP, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + GAP + MORE, dev), base="dev")
    s.actions.settle()
    other = s.github.open(s.here, s.head(number))
    s.require(other, GREEN, RED, suffix=f" (#{other})")
    s.require(number, GREEN, RED)


@act
def twin_heads_of_which_the_first_leaves(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    other = s.github.open(s.here, s.head(number), branch="topic-2")
    s.actions.settle()
    s.github.close(s.here, number)
    s.require(other, GREEN, RED)


@act
def same_head_from_a_stranger(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    s.actions.settle()
    other = s.github.open(s.here, s.head(number), fork="eve/paper", author="eve")
    s.require(number, GREEN, RED)
    s.expected[s.head(other), f"{NAME} (#{other})"] = GREEN
    s.expected[s.head(other), f"{PROOFS} (#{other})"] = ABSENT


@act
def from_a_stranger(s: ProofsStory) -> None:
    """Whose proofs no run of hers reads, so that the model is asked nothing; nobody says a word."""
    number = s.change(SOUND + GAP, fork="eve/paper", author="eve")
    s.actions.settle()
    assert s.model.asked == [] and s.here.comments == s.here.reviews == []
    s.require(number, GREEN, ABSENT)


@act
def from_a_stranger_who_wants_no_reading(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE, fork="eve/paper", author="eve")
    s.here.pulls[number]["body"] = DO_NOT_READ
    s.github.pull_event(s.here, number, "edited", changes={"body": {"from": ""}})
    s.require(number, GREEN, ABSENT)


@act
def renamed_while_a_run_waits(s: ProofsStory) -> None:
    """So that its jobs know the repository by a name that it has no more."""
    number = s.change(SOUND + GAP)
    name = s.here.full_name
    s.github.rename(s.here, "us/treatise")
    s.actions.called = name
    s.actions.settle()
    s.actions.called = ""
    s.require(number, GREEN, RED)


@act
def labelled(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    asked = len(s.model.asked)
    s.here.pulls[number]["labels"] = [{"name": DO_NOT_READ}]
    s.github.pull_event(s.here, number, "labeled", label={"name": DO_NOT_READ})
    s.put("topic", SOUND + MORE + GAP)
    s.actions.settle()
    assert len(s.model.asked) == asked
    s.require(number, RED, WAITING)


@act
def a_label_is_taken_away(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP, labels=[{"name": DO_NOT_READ}])
    s.actions.settle()
    assert s.model.asked == []
    s.here.pulls[number]["labels"] = []
    s.put("topic", SOUND + GAP + MORE)
    s.require(number, GREEN, RED)


@act
def described_by_its_author(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.here.pulls[number]["body"] = f"Words.\n{DO_NOT_READ}\n"
    s.github.pull_event(s.here, number, "edited", changes={"body": {"from": "Words."}})
    s.require(number, RED, WAITING)


@act
def a_description_is_taken_back(s: ProofsStory) -> None:
    number = s.github.open(s.here, s.commit(SOUND + GAP, s.base), body=DO_NOT_READ)
    s.actions.settle()
    assert s.model.asked == []
    s.here.pulls[number]["body"] = ""
    s.github.pull_event(s.here, number, "edited", changes={"body": {"from": DO_NOT_READ}})
    s.require(number, GREEN, RED)


@act
def queued(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.put("main", SOUND, notes__txt="words")
    s.actions.settle()
    group = s.github.queue(s.here, number)
    s.expected |= {(group, NAME): GREEN, (group, PROOFS): GREEN}
    s.require(number, GREEN)


@act
def queued_and_objected_to(s: ProofsStory) -> None:
    number = s.change(SOUND + GAP)
    group = s.github.queue(s.here, number)
    s.expected |= {(group, NAME): GREEN, (group, PROOFS): RED}
    s.require(number, GREEN, RED)


@act
def a_model_that_does_not_answer(s: ProofsStory) -> None:
    said, s.model.say = s.model.say, lambda stage, text: 400
    number = s.change(SOUND + GAP)
    s.actions.settle()
    assert s.github.required(s.here, s.head(number), PROOFS) == WAITING
    s.model.say = said
    s.model.asked.clear()
    s.require(number, GREEN, RED)


@act
def no_paper_is_touched(s: ProofsStory) -> None:
    head = s.commit(SOUND, s.base, notes__txt="words")
    s.require(s.github.open(s.here, head), GREEN)


@act
def the_paper_cannot_be_read(s: ProofsStory) -> None:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    head = s.github.commit(s.here, {"main.tex": "\0"}, s.head(number))
    s.github.push(s.here, "topic", head)
    s.require(number, RED, WAITING)


def test_where_there_is_no_paper_nobody_is_told_anything(
    github: DocumentedServer,
    tmp_path: Path,
    referee: Referee,  # noqa: F811
) -> None:
    here = github.repository("us/website")
    here.permissions["alice"] = "write"
    base = github.commit(here, {"README": "Words."})
    github.push(here, "main", base)
    actions = DocumentedActions(
        github, here, tmp_path, model="m", reader=os.environ["PF_BASE_URL"], is_required=True
    )
    number = github.open(here, github.commit(here, {"README": "More words."}, base))
    actions.settle()
    github.push(here, "main", str(here.pulls[number]["head"]["sha"]))
    actions.settle()
    assert not here.comments and not here.reviews and not here.issues and not referee.asked
    assert {(it["name"], it["conclusion"]) for it in here.checks} == {
        (name, GREEN)
        for name in ("review / comparison", "review / renewal", NAME, f"{NAME} (push)")
    }


def told() -> list[tuple[str, str]]:
    """The events alone, and in turn with the faults that come between; all where it is wanted."""
    if os.environ.get("PF_STORIES") == "all":
        return [(name, fault) for name in ACTS for fault in ("", *FAULTS)]
    some = list(ACTS)[::2]
    faulty = ((name, FAULTS[turn % len(FAULTS)]) for turn, name in enumerate(some))
    return [*((name, "") for name in ACTS), *faulty]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fault"), told())
def test_a_story_of_proofs(story: ProofsStory, name: str, fault: str) -> None:
    ACTS[name](story)
    if fault:
        story.github.faults.append(RequestFault(fault, written, times=2))
    story.actions.settle()
    story.github.faults.clear()
    story.actions.mend()
    story.judge()
    story.end()
