"""What a process was told counts there, kept or not; of two that were told, the first one's."""

from dataclasses import replace
from pathlib import Path

import pytest

from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store import open_store
from pfcore.llm.store.reply_store import FallbackReplyStore, StoreError

REPLY = Reply(
    text="accept", usage=TokenUsage(input=10, output=3), finish=Finish.STOP, model="served"
)


def test_what_another_process_has_kept_first_counts(tmp_path: Path) -> None:
    one, other = (open_store(str(tmp_path / "replies.sqlite"), lambda: 1.0) for _ in range(2))
    kept, late = FallbackReplyStore(one), FallbackReplyStore(other)
    kept.put("a" * 64, "verify", REPLY)
    late.put("a" * 64, "verify", replace(REPLY, text="too late"))
    assert late.get("a" * 64) == kept.get("a" * 64) == REPLY
    one.close()
    other.close()


def test_what_cannot_be_kept_counts_in_this_process(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "replies.sqlite"), lambda: 1.0)
    kept = FallbackReplyStore(store)
    store.close()
    with pytest.raises(StoreError):
        kept.put("a" * 64, "verify", REPLY)
    assert kept.get("a" * 64) == REPLY
