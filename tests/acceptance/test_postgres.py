"""The store on a real PostgreSQL server: replies survive, are shared, and URLs stay secret."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import StoreError

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

REPLY = Reply(
    text="It follows: \\frac{1}{2} ∎",
    usage=TokenUsage(input=40, cached=8, output=5),
    finish=Finish.STOP,
    model="served",
)


@pytest.fixture
def url(postgres: Path) -> str:
    return f"postgresql+psycopg://pf@/postgres?host={postgres}"


def test_a_reply_is_there_for_whoever_comes_later(url: str) -> None:
    first, other = open_store(url, lambda: 7.0), open_store(url, lambda: 9.0)
    first.erase()
    first.put("k" * 64, "verify", REPLY)
    assert other.get("k" * 64) == REPLY
    assert other.get("l" * 64) is None
    assert other.used(0) == REPLY.usage
    assert other.used(8) == TokenUsage()
    first.close()
    other.close()


def test_the_first_reply_stays_when_many_arrive_at_once(url: str) -> None:
    stores = [open_store(url, lambda: 7.0) for _ in range(4)]
    stores[0].erase()
    texts = [f"reply {number}" for number in range(40)]

    def put(number: int) -> None:
        reply = Reply(text=texts[number], usage=TokenUsage(), finish=Finish.STOP, model="m")
        stores[number % 4].put("same", "verify", reply)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(40)))
    found = {store.get("same") for store in stores}
    assert len(found) == 1
    assert stores[0].erase() == 1
    for store in stores:
        store.close()


def test_a_password_is_never_in_a_message() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql+psycopg://pf:secret123@127.0.0.1:9/none", lambda: 0.0)
    assert "secret123" not in str(caught.value)
    assert "secret123" not in repr(caught.value.__cause__)
