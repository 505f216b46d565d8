"""What reviews work with is opened from places, here or in a process of its own."""

from contextlib import asynccontextmanager

from bot import saved as kept
from bot.confined import Bounds, run
from bot.kits import Places, opened, structure_text
from bot.reviewing import proofs, structure
from pfcore.llm.settings import choose
from pfcore.report.publication import Conclusion
from pfcore.testing import ScriptedLlm
from tests.bot.readers import ALL, DANGLING, A, subject
from tests.pfcore.commands.conftest import ACCEPT

HERE = {"PF_BASE_URL": "http://127.0.0.1:9/v1", "PF_KEY_ENV": "K", "K": "sk-secret"}


def places(tmp_path, **more):
    return Places(cache=tmp_path / "parsed", replies=str(tmp_path / "replies"), **more)


def test_a_kit_without_a_model_has_no_store(tmp_path):
    with opened(places(tmp_path)) as kit:
        assert kit.store is None and kit.choice is None
    assert not (tmp_path / "replies").exists()


def test_what_was_replied_stays_for_the_next_kit(tmp_path, commits, bare):
    change = subject(commits(A), commits(A.replace("Clear.", "So.")))
    llm = ScriptedLlm(ACCEPT)

    @asynccontextmanager
    async def who(_):
        yield llm

    for _ in range(2):
        with opened(places(tmp_path, choice=choose("m", HERE)), who) as kit:
            found = proofs(bare, change, kit, ALL)
        assert found.conclusion is Conclusion.CLEAN
    assert len(llm.requests) == 3


def test_where_nobody_is_asked_there_is_no_key(tmp_path):
    choice = choose("m", HERE)
    assert choice is not None and choice.connection.key == "sk-secret"
    bare = places(tmp_path, choice=choice).without_key()
    assert bare.choice is not None and bare.choice.connection.key is None
    assert "sk-secret" not in repr(places(tmp_path, choice=choice))
    assert places(tmp_path).without_key() == places(tmp_path)


def test_a_process_of_its_own_finds_the_same(tmp_path, commits, bare):
    change = subject(commits(A), commits(A + DANGLING))
    own = places(tmp_path, choice=choose("m", HERE)).without_key()
    told = kept.load(run(Bounds(), structure_text, own, bare, change, ALL))
    with opened(own) as kit:
        assert told == structure(bare, change, kit, ALL)
    assert told.conclusion is Conclusion.BLOCKING
