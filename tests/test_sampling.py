"""A sample is as large as its mark says, another one for each commit, and never empty."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.sampling import left_out


def item(name: str, share: int | None) -> pytest.Item:
    mark = None if share is None else SimpleNamespace(args=(share,))
    made = SimpleNamespace(
        nodeid=f"{name}::test", path=Path(name[0]), get_closest_marker=lambda _: mark
    )
    return cast("pytest.Item", made)


ITEMS = [
    *(item(f"a{number}", 4) for number in range(10)),
    *(item(f"a-{number}", 2) for number in range(3)),
    item("b", 5),
    item("c", None),
]


def names(seed: str) -> set[str]:
    out = left_out(ITEMS, seed)
    return {each.nodeid for each in ITEMS if each not in out}


def test_one_in_n_of_a_file_is_drawn_and_what_has_no_mark_always() -> None:
    kept = names("0f")
    assert sum(name.startswith("a") and "-" not in name for name in kept) == 3
    assert sum("-" in name for name in kept) == 2
    assert {"b::test", "c::test"} <= kept


def test_each_commit_draws_its_own_and_all_are_drawn_in_time() -> None:
    assert names("0f") == names("0f")
    assert set.union(*(names(str(seed)) for seed in range(60))) == {each.nodeid for each in ITEMS}
