import pytest

from pfcore.latex import codec
from pfcore.latex.numbering.counter_state import CounterStep, decode


def test_steps_come_back_from_their_json() -> None:
    steps = (CounterStep(3, "begin", ("lem",)), CounterStep(7, "row"))
    assert decode(codec.dump(steps)) == steps


@pytest.mark.parametrize("text", ["", "3", "[3]", '[[1,"a"]]', "{}x"])
def test_what_are_no_steps_is_a_miss(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - a cache's miss is a ValueError
        decode(text)
