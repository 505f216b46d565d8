import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex import codec

ROWS = st.lists(st.tuples(st.integers(0, 1), st.text(max_size=1), st.booleans()))


@given(ROWS)
def test_rows_come_back_as_they_were(rows: list[tuple[int, str, bool]]) -> None:
    kept = json.loads(json.dumps(codec.table(rows)))
    assert codec.decode_rows(kept, tuple) == tuple(rows)


@given(st.lists(ROWS))
def test_lists_of_rows_come_back_as_they_were(lists: list[list[tuple[int, str, bool]]]) -> None:
    counts, kept = json.loads(json.dumps(codec.nested(lists)))
    assert codec.lists(counts, codec.decode_rows(kept, tuple)) == list(map(tuple, lists))


def test_a_column_of_equal_values_has_it_once() -> None:
    assert codec.table([("a", 1), ("a", 2), ("a", 1)]) == [3, [["a"], [1, 2, 1]]]


def test_columns_of_other_lengths_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        codec.decode_rows([3, [["a"], [1, 2]]], tuple)
