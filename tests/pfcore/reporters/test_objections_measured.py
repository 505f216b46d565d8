"""What reports say of a contract that was measured on planted errors."""

from dataclasses import replace

from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share
from pfcore.reporters.objections import sentence

RATE = MeasuredRate(
    rollouts=3,
    min_votes=1,
    recall=Share(704, 520, 841),
    flagged=Share(0, 0, 161),
    precision=Share(950, 764, 991),
)
FOUND = MeasuredContract(
    contract="a" * 64,
    paper="main",
    model="served\x1b[31m-model",
    day="2026-11-21",
    simulated=False,
    errors=27,
    proofs=20,
    rates=(RATE,),
)


def test_the_words_say_on_how_much_by_whom_and_when() -> None:
    assert sentence(FOUND, RATE) == (
        "Measured: of 27 planted errors in this paper (served-model, 2026-11-21; 3 readings, "
        "1 vote), 70 % (95 % interval 52–84 %) were found; 0 % (95 % interval 0–16 %) "
        "of 20 unchanged proofs drew an objection; 95 % (95 % interval 76–99 %) of the objections "
        "concerned planted errors."
    )


def test_what_was_simulated_is_never_called_measured() -> None:
    words = sentence(replace(FOUND, simulated=True), replace(RATE, precision=None))
    assert words.startswith("Simulated (no model was used): of 27")
    assert "easured" not in words
    assert words.endswith("of 20 unchanged proofs drew an objection.")
