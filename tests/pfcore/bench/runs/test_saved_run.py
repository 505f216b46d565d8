"""Runs of benchmarks as files: what is written is read again, and what is none is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pfcore.bench.runs.saved_run import (
    Benchmark,
    Header,
    Judge,
    Method,
    Prediction,
    Rollout,
    RunAsked,
    SavedRun,
    Spent,
    Truth,
    Used,
    parsed,
    read_run,
    saved_text,
    write_run,
)
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.llm.prices import Price
from pfcore.llm.protocol import TokenUsage

ASKED = RunAsked(
    model="m", served=("m-2026", "m-2027"), contract="ab" * 32, asks={"model": "m", "limit": 9}
)
HEADER = Header(
    benchmark=Benchmark.ARXIV,
    method=Method.PF,
    self_repair=True,
    simulated=True,
    asked=ASKED,
    judge=ASKED,
    n=2,
    k=1,
    date="2026-11-21T18:00:00Z",
    data="rows.jsonl",
    data_digest="cd" * 32,
    version="0.1.0",
    price=Price(input=0.75, cached=0.075, output=4.5),
    spent=Spent(calls=3, known=1, usage=TokenUsage(input=5, output=2), dollars=0.25, seconds=1.5),
)
ROWS = (
    Truth(name="a", title="On é", places=("Lemma 4", "main theorem"), own=(0,), reference=(0, 1)),
    Truth(name="b", steps=3, wrong=(1, 2)),
)
FOUND = Rollout(
    row="a",
    number=1,
    predictions=(
        Prediction(
            location="Proof of Lemma 4",
            words="The sign\u2028is wrong: \\frac{1}{2}.",
            matches={Judge.INCLUSIVE: (0,), Judge.STRICT: (), Judge.LABELS: None},
        ),
    ),
    unjudged=("strict: the model refused",),
    pieces=7,
    unfaithful=("Lemma 1.2",),
    false_alarms=2,
    used=(
        Used(stage="verify", calls=7, fresh=2, usage=TokenUsage(input=9, output=4), dollars=None),
    ),
)
LOST = Rollout(row="b", number=1, unreached=("the reply was cut off at its limit",))
STEPS = Rollout(row="b", number=2, steps=(1,), first=1)
RUN = SavedRun(header=HEADER, rows=ROWS, rollouts=(FOUND, LOST, STEPS))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "one.jsonl", RUN)
    assert read_run(tmp_path / "runs" / "one.jsonl") == RUN
    assert [item.name for item in (tmp_path / "runs").iterdir()] == ["one.jsonl"]


def test_each_value_is_one_line_that_names_its_schema_and_kind() -> None:
    lines = saved_text(RUN).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [
        "run", "row", "row", "rollout", "rollout", "rollout",
    ]  # fmt: skip
    assert {json.loads(line)["schema"] for line in lines} == {1}


def test_lines_may_come_in_any_order_and_blank_ones_do_not_count() -> None:
    lines = saved_text(RUN).splitlines()
    mixed = "\n\n".join([lines[1], lines[0], *lines[2:]])
    assert parsed(mixed) == RUN


def test_rollouts_of_a_row_come_in_order() -> None:
    run = replace(RUN, rollouts=(STEPS, FOUND, LOST))
    assert [item.number for item in run.of("b")] == [1, 2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[1:], "it has 0 headers"),
        (lambda lines: [lines[0], *lines], "it has 2 headers"),
        (lambda lines: [*lines, "[1]"], "line 7: not a line of a run"),
        (lambda lines: [*lines, "{"], "line 7: "),
        (lambda lines: [*lines, '{"schema": 2, "kind": "row"}'], "line 7: schema 2 is unknown"),
        (lambda lines: [*lines, '{"schema": 1, "kind": "x"}'], "line 7: kind x is unknown"),
        (lambda lines: [*lines, '{"schema": 1, "kind": "row"}'], "line 7: name: "),
        (lambda lines: [lines[0].replace('"k":1', '"k":1,"z":1'), *lines[1:]], "line 1: z: "),
        (lambda lines: [*lines, lines[1]], "two rows have one name"),
        (lambda lines: [*lines, lines[3]], "a row has one rollout twice"),
        (lambda lines: [lines[0], *lines[2:]], "unknown row a"),
    ],
)
def test_what_is_no_run_is_told_with_its_line(tmp_path: Path, change, words: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(change(saved_text(RUN).splitlines())), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_run(path)
    assert caught.value.message.startswith(f"{path} is not a run of a benchmark: {words}")


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_run(tmp_path / "none.jsonl")
    assert caught.value.message.endswith("none.jsonl cannot be read: No such file or directory")
    (tmp_path / "some.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_run(tmp_path / "some.jsonl")


def test_a_place_that_takes_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(IncompleteError, match="cannot be written"):
        write_run(tmp_path / "taken" / "run.jsonl", RUN)


def test_what_came_later_is_written_only_where_there_is_something_to_say() -> None:
    plain = saved_text(RUN)
    assert '"unknown"' not in plain
    assert '"group"' not in plain
    rows = (ROWS[0], replace(ROWS[1], wrong=(1,), unknown=(2,), group="a problem"))
    later = replace(RUN, rows=rows)
    assert parsed(saved_text(later)) == later
    assert '"unknown":[2],"group":"a problem"' in saved_text(later)
