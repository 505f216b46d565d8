"""Measurements of contracts on planted errors: which one counts, and what is none."""

from dataclasses import replace

import pytest

from pfcore.ledger.ledger import ledger
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share, latest

ONE = MeasuredRate(
    rollouts=2, min_votes=1, recall=Share(700, 500, 900), flagged=Share(0, 0, 100), precision=None
)
FOUND = MeasuredContract(
    contract="a" * 64,
    paper="main",
    model="m",
    day="2026-11-21",
    simulated=False,
    errors=20,
    proofs=12,
    rates=(ONE,),
)


def found(
    *listed: MeasuredContract, rollouts: int = 2, paper: str = "main"
) -> MeasuredContract | None:
    return latest(listed, contract="a" * 64, paper=paper, rollouts=rollouts, min_votes=1)


def test_the_last_measurement_of_a_setting_counts() -> None:
    newer = replace(FOUND, day="2026-12-01", errors=14)
    assert found(newer, FOUND) == found(FOUND, newer) == newer


def test_what_was_simulated_counts_only_where_nobody_has_asked_a_model() -> None:
    newer = replace(FOUND, day="2027-12-01", simulated=True)
    assert found(newer, FOUND) == FOUND
    assert found(newer) == newer


def test_another_setting_or_paper_or_contract_says_nothing() -> None:
    assert found(FOUND, rollouts=3) is None
    assert found(FOUND, paper="other") is None
    assert found(replace(FOUND, contract="b" * 64)) is None


def test_what_was_simulated_is_of_another_kind_than_what_was_measured() -> None:
    made = replace(FOUND, simulated=True)
    line = ledger_text(ledger(measured=[made]))
    assert '"kind":"simulated"' in line and "measured" not in line
    assert '"kind":"measured"' in ledger_text(ledger(measured=[FOUND]))
    assert read_ledger(line).ledger.measured == {made}


def test_an_older_file_that_calls_it_measured_is_read_and_written_anew() -> None:
    made = replace(FOUND, simulated=True)
    line = ledger_text(ledger(measured=[made]))
    older = line.replace('"kind":"simulated"', '"kind":"measured"')
    assert read_ledger(older).ledger.measured == {made} and read_ledger(older).problems == ()
    assert ledger_text(read_ledger(older + line).ledger) == line


def test_no_line_calls_simulated_what_was_measured() -> None:
    line = ledger_text(ledger(measured=[FOUND])).replace('"kind":"measured"', '"kind":"simulated"')
    assert read_ledger(line).ledger.measured == frozenset()
    assert len(read_ledger(line).problems) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"recall":[700,500,900]', '"recall":[700,800,900]'),
        ('"recall":[700,500,900]', '"recall":[700,500,1900]'),
        ('"recall":[700,500,900]', '"recall":[0.7,500,900]'),
        ('"min_votes":1', '"min_votes":3'),
        ('"day":"2026-11-21"', '"day":"today"'),
        ('"proofs":12', '"proofs":21'),
        ('"simulated":false,', ""),
    ],
)
def test_a_line_that_contradicts_itself_counts_for_nothing_and_stays(old: str, new: str) -> None:
    line = ledger_text(ledger(measured=[FOUND]))
    assert old in line
    loaded = read_ledger(line.replace(old, new))
    assert not loaded.ledger.measured
    assert len(loaded.problems) == 1
    assert ledger_text(loaded.ledger) == line.replace(old, new)
