"""Markers that a merge leaves in a file."""

import pytest

from pfcore.latex.lexer.mask import conflicts

OURS, HALF, THEIRS = "<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n"


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        (f"{OURS}a\n{HALF}b\n{THEIRS}", [0]),
        (f"x\n{OURS}{HALF}{THEIRS}", [2]),
        (f"{OURS}a\n||||||| 12ab\no\n{HALF}b\n{THEIRS}", [0]),
        (f"{OURS}a\n{HALF}b\n{THEIRS}".replace("\n", "\r\n"), [0]),
        (f"{OURS}{HALF}{THEIRS}x\n{OURS}{HALF}{THEIRS}", [0, 36]),
        (f"{OURS}{OURS}{HALF}{THEIRS}", [13]),
    ],
)
def test_a_conflict_is_found_where_it_begins(text: str, starts: list[int]) -> None:
    assert [start for start, _ in conflicts(text)] == starts


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{HALF}a",
        f"x\n{HALF}",
        f"{OURS}{HALF}",
        f"{OURS}x\n{THEIRS}{HALF}",
        f"{THEIRS}{HALF}{OURS}",
        f"{OURS} {HALF}{THEIRS}",
        f"{OURS}========\n{THEIRS}",
        f" {OURS}{HALF}{THEIRS}",
        f"<<<<<<<\n{HALF}{THEIRS}",
    ],
)
def test_what_is_not_all_three_markers_in_order_is_no_conflict(text: str) -> None:
    assert list(conflicts(text)) == []
