import pytest

from pfcore.domain.spans import LineIndex, Spans, count_before, occurrences


@pytest.mark.parametrize(
    ("offset", "is_covered"),
    [(0, False), (1, True), (3, True), (4, True), (6, False), (8, True), (9, False), (99, False)],
)
def test_spans_that_touch_are_one(offset: int, is_covered: bool) -> None:
    assert Spans([(8, 9), (1, 4), (2, 3), (4, 6)]).covers(offset) is is_covered


def test_no_spans_cover_nothing() -> None:
    assert not Spans([]).covers(0)


@pytest.mark.parametrize(
    ("offset", "place"),
    [(0, (1, 1)), (1, (1, 2)), (2, (1, 3)), (3, (2, 1)), (4, (3, 1)), (5, (3, 2))],
)
def test_lines_and_columns_count_from_one(offset: int, place: tuple[int, int]) -> None:
    assert LineIndex("ab\n\nc").place(offset) == place


def test_the_occurrences_of_several_words_come_in_order() -> None:
    assert occurrences("abcab", ("b", "ab", "x")) == [0, 1, 3, 4]


@pytest.mark.parametrize(("offset", "number"), [(0, 0), (1, 1), (3, 1), (4, 2), (9, 2)])
def test_a_sign_is_counted_up_to_an_offset(offset: int, number: int) -> None:
    assert count_before("{ab{c}", "{", offset) == number == "{ab{c}".count("{", 0, offset)
