from hypothesis import given
from hypothesis import strategies as st

from pfcore.graph.context import RankingArrow, ranked

NAMES = "abcdef"


def listing(
    colours: dict[str, str],
    arrows: list[RankingArrow],
    names: dict[str, str],
    positions: dict[str, int],
) -> list[object]:
    """What a reader sees of a numbered graph, after it was renamed and moved."""
    order = ranked(
        {names[name]: colour for name, colour in colours.items()},
        [RankingArrow(names[a.source], a.place, names[a.target]) for a in arrows],
        known={"v": 0},
        positions={names[name]: place for name, place in positions.items()},
    )
    number = {name: index for index, name in enumerate(order)} | {"v": -1}
    back = {new: old for old, new in names.items()}
    seen = sorted((number[names[a.source]], a.place, number[names[a.target]]) for a in arrows)
    return [[colours[back[name]] for name in order], seen]


@given(
    colours=st.fixed_dictionaries({name: st.sampled_from("xy") for name in NAMES}),
    arrows=st.lists(
        st.builds(
            RankingArrow,
            st.sampled_from(NAMES),
            st.tuples(st.integers(0, 2)),
            st.sampled_from(NAMES + "v"),
        ),
        max_size=8,
        unique_by=lambda arrow: (arrow.source, arrow.place),
    ),
    new_names=st.permutations(NAMES),
    places=st.permutations(range(len(NAMES))),
)
def test_neither_names_nor_places_show(
    colours: dict[str, str], arrows: list[RankingArrow], new_names: list[str], places: list[int]
) -> None:
    here = {name: place for place, name in enumerate(NAMES)}
    there = dict(zip(NAMES, places, strict=True))
    same = {name: name for name in NAMES} | {"v": "v"}
    renamed = dict(zip(NAMES, new_names, strict=True)) | {"v": "v"}
    first = listing(colours, arrows, same, here)
    assert first == listing(colours, arrows, renamed, here)
    assert first == listing(colours, arrows, same, there)


def test_colours_come_first() -> None:
    assert ranked({"b": "1", "a": "2"}, [], known={}, positions={"a": 0, "b": 1}) == ["b", "a"]


def test_alike_things_are_told_apart_by_who_refers_to_them() -> None:
    arrows = [RankingArrow("c", (0,), "b")]
    colours = {"a": "x", "b": "x", "c": "y"}
    one = ranked(colours, arrows, known={}, positions={"a": 0, "b": 1, "c": 2})
    two = ranked(colours, arrows, known={}, positions={"b": 0, "a": 1, "c": 2})
    assert one == two == ["a", "b", "c"]


def test_choosing_between_twins_decides_for_those_who_refer_to_them() -> None:
    colours = {"a": "x", "b": "x", "c": "y", "d": "y"}
    arrows = [RankingArrow("c", (0,), "a"), RankingArrow("d", (0,), "b")]
    order = ranked(colours, arrows, known={}, positions={"a": 1, "b": 0, "c": 2, "d": 3})
    assert order == ["b", "a", "d", "c"]
