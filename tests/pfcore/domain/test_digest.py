import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.digest import digest, text_digest

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def tuples(value: object) -> object:
    if isinstance(value, list):
        return tuple(map(tuples, value))
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in reversed(value.items())}
    return value


@given(JSON)
def test_tuples_count_as_lists_and_the_order_of_keys_does_not_count(value: object) -> None:
    assert digest(value) == digest(tuples(value))


@given(JSON, JSON)
def test_other_values_have_other_digests(one: object, other: object) -> None:
    assert (digest(one) == digest(other)) == (repr(one) == repr(other) or _same(one, other))


def _same(one: object, other: object) -> bool:
    """Equal as JSON: unlike Python, 1 is not true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("value", [1.5, {1: "a"}, {"a"}, b"a", [object()], {"a": [0.0]}])
def test_whatever_has_no_canonical_form_raises(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical form"):
        digest(value)


def test_the_form_does_not_change_unnoticed() -> None:
    known = "93f721f7c6cb5c6b499348206367f7a267c9235c11a5b1f657bc51179745ac32"
    assert digest({"b": [1, None, True], "a": "é"}) == known
    assert text_digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_text_with_a_lone_surrogate_has_a_digest() -> None:
    assert text_digest("\ud800") != text_digest("\ud801")
