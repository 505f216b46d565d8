"""The label that was meant: the same that difflib finds among all."""

from difflib import get_close_matches

from hypothesis import given
from hypothesis import strategies as st

from pfcore.checks.references import Nearest

_KEY = st.text(alphabet="abc:-é1\u03b1", max_size=12)


@given(key=_KEY, labels=st.lists(_KEY, max_size=12))
def test_it_finds_what_a_look_at_all_labels_finds(key, labels):
    assert [Nearest(labels).to(key)] == (get_close_matches(key, labels, n=1, cutoff=0.8) or [""])


def test_one_letter_more_is_forgiven():
    assert Nearest(["lem:unif", "thm:main"]).to("lem:unifs") == "lem:unif"
    assert Nearest([]).to("a") == ""
