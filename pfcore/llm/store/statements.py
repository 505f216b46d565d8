"""The tables of a store, what is asked of them, and what their rows mean."""

from typing import Any

from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.llm.store.reply_store import StoredReplies

REPLIES = """CREATE TABLE IF NOT EXISTS replies (
    key VARCHAR(64) PRIMARY KEY, stage VARCHAR(32) NOT NULL, text TEXT NOT NULL,
    model VARCHAR(200) NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL,
    output INTEGER NOT NULL, made DOUBLE PRECISION NOT NULL)"""
CHARGES = """CREATE TABLE IF NOT EXISTS charges (
    made DOUBLE PRECISION NOT NULL, model VARCHAR(200) NOT NULL, cost DOUBLE PRECISION NOT NULL)"""
CHARGE = "INSERT INTO charges VALUES (:made, :model, :cost)"
SPENT = "SELECT COALESCE(SUM(cost), 0) FROM charges WHERE made >= :since"
GET = "SELECT text, model, input, cached, output FROM replies WHERE key = :key"
PUT = (
    "INSERT INTO replies VALUES (:key, :stage, :text, :model, :input, :cached, :output, :made) "
    "ON CONFLICT (key) DO NOTHING"
)
SINCE = (
    "SELECT COALESCE(SUM(input), 0), COALESCE(SUM(cached), 0), COALESCE(SUM(output), 0) "
    "FROM replies WHERE made >= :since"
)
HELD = (
    "SELECT model, COUNT(*), SUM(input), SUM(cached), SUM(output) FROM replies "
    "GROUP BY model ORDER BY model"
)
NO_REPLY = Reply(text="", usage=TokenUsage(), finish=Finish.STOP, model="")


def row_of(key: str, stage: str, reply: Reply, now: float) -> dict[str, object]:
    """What PUT takes."""
    return {
        "key": key,
        "stage": stage,
        "text": reply.text,
        "model": reply.model,
        "input": reply.usage.input,
        "cached": reply.usage.cached,
        "output": reply.usage.output,
        "made": now,
    }


def held_of(row: Any) -> StoredReplies:
    """What a row of HELD says."""
    model, count, *tokens = row
    into, cached, out = map(int, tokens)
    return StoredReplies(str(model), int(count), TokenUsage(input=into, cached=cached, output=out))


def reply_of(row: Any) -> Reply | None:
    """What a row of GET says; None for what cannot be read."""
    text, model, *counts = row
    if not isinstance(text, str) or not all(isinstance(count, int) for count in counts):
        return None
    usage = TokenUsage(input=counts[0], cached=counts[1], output=counts[2])
    return Reply(text=text, usage=usage, finish=Finish.STOP, model=str(model))
