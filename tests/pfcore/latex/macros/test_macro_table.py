import pytest

from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.macros.macro_table import Lexicon, MacroChange

X = Macro((), "x")
LEXICON = Lexicon(
    {"a": X, "f": Macro(("m",), "#1"), "p": Macro(PRIMITIVE, r"\q"), "r": Macro((), r"\r!")},
    [MacroChange(10, "b", X), MacroChange(20, "b", None), MacroChange(5, "c", Macro((), r"\a:\b"))],
)


@pytest.mark.parametrize(
    ("name", "offset", "macro"),
    [("a", 0, X), ("b", 9, None), ("b", 10, X), ("b", 20, None), ("z", 0, None)],
)
def test_a_name_means_what_it_means_at_its_place(
    name: str, offset: int, macro: Macro | None
) -> None:
    assert LEXICON.meaning(name, offset) == macro


@pytest.mark.parametrize(("offset", "epoch"), [(0, 0), (5, 1), (15, 2), (99, 1)])
def test_where_all_means_the_same_the_epoch_is_the_same(offset: int, epoch: int) -> None:
    assert LEXICON.epoch(offset) == epoch
    assert Lexicon({}).epoch(offset) == 0


@pytest.mark.parametrize(
    ("key", "offset", "resolved"),
    [
        ("k", 0, "k"),
        (r"\a:k", 0, "x:k"),
        (r"\a k", 0, "xk"),
        (r"\c", 12, "x:x"),
        (r"\c", 25, r"x:\b"),
        (r"\f{k}", 0, "k"),
        (r"\g{k}", 0, r"\g{k}"),
        (r"\p", 0, r"\q"),
    ],
)
def test_the_macros_in_a_key_are_replaced(key: str, offset: int, resolved: str) -> None:
    assert LEXICON.resolve(key, offset) == resolved


def test_a_key_does_not_grow_without_end() -> None:
    assert len(LEXICON.resolve(r"\r", 0)) < 1_000
    assert len(Lexicon({"r": Macro((), r"\r\r\r")}).resolve(r"\r", 0)) < 5_000


def test_epochs_of_very_many_changes_are_told_apart_by_their_places_alone() -> None:
    changes = [MacroChange(i, f"m{i}", X) for i in range(1_001)] + [
        MacroChange(2_000, "m1000", None)
    ]
    made = Lexicon({}, changes)
    assert len({made.epoch(offset) for offset in range(-1, 2_001)}) == 1_003
    assert Lexicon({}, changes[-2:]).epoch(2_000) == 0
