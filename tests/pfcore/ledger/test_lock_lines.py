"""The text of a ledger: round trips, unions in any order, and lines that are not understood."""

import json
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pfcore import ledger as package
from pfcore.domain.values import Severity
from pfcore.ledger.ledger import (
    Dismissal,
    Ground,
    Ledger,
    LedgerEntry,
    LedgerKey,
    LedgerVerdict,
    PairingNote,
    ReaderNote,
    Recorded,
    ledger,
    merged,
)
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share
from pfcore.llm.protocol import Endpoint
from pfcore.verification.contract import Contract, Weights, weighed
from pfcore.verification.second_question import SuppliedKey

CONTRACTS = [
    Contract(endpoint=Endpoint.CHAT, model="a", conventions="Rings are commutative.\u2028"),
    Contract(endpoint=Endpoint.CHAT, model="b", prompts=(("verify", "v1"),)),
]
DIGESTS = st.sampled_from(["a" * 64, "b" * 64])
A, ONE = "a" * 64, "1" * 64
WORDS = st.text(max_size=8)
NAMES = st.sampled_from(["f1", "f2", "é\u202e"])


TRACED = st.builds(SuppliedKey, st.integers(1, 2), NAMES, st.just("") | DIGESTS)


@st.composite
def findings(draw, most: int) -> Recorded:
    rollouts = draw(st.integers(1, most))
    said = weighed(draw(st.lists(st.sampled_from(Severity), min_size=1, max_size=rollouts)))
    return Recorded(
        id=draw(NAMES),
        rule=draw(st.sampled_from(["gap", "misuse"])),
        severity=said.severity,
        message=draw(WORDS),
        quote=draw(WORDS),
        votes=said.total,
        weights=said if draw(st.booleans()) else Weights(),
        rollouts=rollouts,
        aliases=draw(st.frozensets(NAMES, max_size=2)),
        likeness=draw(st.sampled_from([1000, 873, 0])),
        features=draw(st.frozensets(st.sampled_from([("alone", 1), ("again", 500)]))),
    )


@st.composite
def entries(draw) -> LedgerEntry:
    rollouts = draw(st.integers(1, 4))
    found = tuple(draw(st.lists(findings(rollouts), max_size=3)))
    return LedgerEntry(
        context=draw(DIGESTS),
        contract=draw(DIGESTS),
        verdict=draw(st.sampled_from(list(LedgerVerdict))) if found else LedgerVerdict.ACCEPTED,
        rollouts=rollouts,
        findings=found,
        generation=draw(st.integers(0, 1)),
        trace=tuple(draw(st.lists(TRACED, max_size=2))),
        reader=draw(st.none() | st.builds(ReaderNote, st.just("relay"), WORDS)),
        pairing=draw(st.none() | st.sampled_from(PairingNote)),
    )


DISMISSALS = st.builds(
    Dismissal,
    finding=NAMES,
    rule=st.just("gap"),
    quote=WORDS,
    ground=st.builds(Ground, module=WORDS, statement=WORDS, rests=st.frozensets(WORDS, max_size=2)),
    reason=WORDS.map(lambda text: f"because {text}"),
    who=st.none() | WORDS,
    aliases=st.frozensets(NAMES, max_size=2),
)


@st.composite
def measurements(draw) -> MeasuredContract:
    def share() -> Share:
        low, value, high = sorted(draw(st.integers(0, 1000)) for _ in range(3))
        return Share(value, low, high)

    proofs = draw(st.integers(1, 3))
    return MeasuredContract(
        contract=draw(DIGESTS),
        paper=draw(WORDS),
        model=draw(WORDS),
        day=draw(st.sampled_from(["2026-11-21", "2027-01-01"])),
        simulated=draw(st.booleans()),
        errors=proofs + draw(st.integers(0, 3)),
        proofs=proofs,
        rates=tuple(
            MeasuredRate(
                rollouts=2,
                min_votes=votes,
                recall=share(),
                flagged=share(),
                precision=draw(st.none() | st.just(Share(1, 0, 2))),
            )
            for votes in range(1, draw(st.integers(1, 3)))
        ),
    )


UNREAD = ["[]", "invalid JSON ", ' {"schema":3,"kind":"entry"}', "<<<<<<< ours"]
LEDGERS = st.builds(
    ledger,
    entries=st.lists(entries(), max_size=5),
    dismissals=st.lists(DISMISSALS, max_size=3),
    contracts=st.lists(st.sampled_from(CONTRACTS), max_size=2).map(
        lambda found: {item.digest(): json.loads(json.dumps(item.fields())) for item in found}
    ),
    measured=st.lists(measurements(), max_size=2),
    kept=st.lists(st.sampled_from(UNREAD), max_size=2),
)


few = settings(max_examples=20)  # whole ledgers are large values


def lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)


@few
@given(LEDGERS)
def test_what_was_written_is_read_again(found: Ledger) -> None:
    assert read_ledger(ledger_text(found)).ledger == found
    assert len(read_ledger(ledger_text(found)).problems) == len(found.kept)


@few
@given(LEDGERS, st.randoms(use_true_random=False))
def test_order_and_copies_of_lines_mean_nothing(found: Ledger, chance: random.Random) -> None:
    some = ledger_text(found).splitlines()
    mixed = [*some, *some]
    chance.shuffle(mixed)
    assert read_ledger(lines(mixed)).ledger == found
    assert ledger_text(read_ledger(lines(mixed)).ledger) == ledger_text(found)


@few
@given(LEDGERS, LEDGERS)
def test_keeping_both_sides_of_a_conflict_is_the_union_in_either_order(
    one: Ledger, other: Ledger
) -> None:
    ours, theirs = ledger_text(one), ledger_text(other)
    assert (
        read_ledger(ours + theirs).ledger == read_ledger(theirs + ours).ledger == merged(one, other)
    )


@few
@given(LEDGERS, LEDGERS, LEDGERS)
def test_the_union_is_commutative_associative_and_idempotent(
    one: Ledger, two: Ledger, three: Ledger
) -> None:
    assert merged(one, two) == merged(two, one)
    assert merged(merged(one, two), three) == merged(one, merged(two, three))
    assert merged(one, one) == one
    assert merged(one) == one


@few
@given(LEDGERS, LEDGERS)
def test_a_union_never_accepts_what_one_side_flagged(one: Ledger, other: Ledger) -> None:
    both = {
        (item.asked, item.generation, item.trace): item for item in merged(one, other).all_entries()
    }
    for item in (*one.all_entries(), *other.all_entries()):
        found = both[item.asked, item.generation, item.trace]
        assert item.verdict is LedgerVerdict.ACCEPTED or found.verdict is LedgerVerdict.FLAGGED
        assert {note.id for note in item.findings} <= {note.id for note in found.findings}


@given(st.text())
@example('{"schema":1,"kind":"entry","kind":"entry"}')
@example("\ufeff\ufeff[\r\r\n\ufeff")
@example("[" * 100_000)
@example("9" * 5_000)
@example('{"schema":1e400,"kind":"entry"}')
def test_no_text_is_lost_or_raises(text: str) -> None:
    found = read_ledger(text)
    once = ledger_text(found.ledger)
    assert read_ledger(once).ledger == found.ledger
    for problem in found.problems:
        assert text.split("\n")[problem.line - 1].strip("\ufeff\r") in once.split("\n")


@few
@given(LEDGERS, st.data())
def test_a_slip_of_the_hand_costs_no_other_line(found: Ledger, data: st.DataObject) -> None:
    whole = ledger_text(found).splitlines()
    number = data.draw(st.integers(0, max(len(whole) - 1, 0)))
    rest = [line for place, line in enumerate(whole) if place != number]
    slip = "".join(whole[number : number + 1])
    place = data.draw(st.integers(0, len(slip)))
    slip = slip[:place] + data.draw(st.characters(exclude_characters="\n")) + slip[place + 1 :]
    after = read_ledger(lines([*rest[:number], slip, *rest[number:]]))
    assert after.ledger == merged(read_ledger(lines(rest)).ledger, read_ledger(slip).ledger)
    assert read_ledger(ledger_text(after.ledger)).ledger == after.ledger


def entry(**more: object) -> str:
    values = {"schema": 1, "kind": "entry", "context": "a" * 64, "contract": "b" * 64}
    return json.dumps({**values, "verdict": "accepted", "rollouts": 3, **more})


NOTE = {"id": "f1", "rule": "gap", "severity": "error", "votes": 1, "rollouts": 3}
NOTE |= {"quote": "so", "message": "No."}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("<<<<<<< HEAD", "conflict marker"),
        ("{", "this line is not an entry (invalid JSON at column 2); delete it"),
        ("[1]", 'this line is not an entry (no object with a "schema"); delete it'),
        ('{"kind": "entry"}', 'no object with a "schema"'),
        ("[" * 100_000, "(nested too deeply)"),
        ("9" * 5000, "(a number with 5,000 digits)"),
        ('{"schema": NaN}', "(NaN is not a whole number)"),
        (entry(schema=3), "schema 3 is unknown to this version of pf: upgrade it"),
        (entry(schema=0), "schema 0"),
        (entry(trace=[[1, "f", "a" * 64]]), "schema 1 does not define"),
        (entry(schema=2, trace=[[1, "f", "a"]]), "trace"),
        (entry(schema=2, trace=[["1", "f", ""]]), "trace"),
        (entry(schema=2, pairing="sure"), "pairing"),
        (entry(findings=[{**NOTE, "likeness": 900}]), "schema 1 does not define"),
        (entry(schema=2, findings=[{**NOTE, "likeness": 1001}]), "likeness"),
        (entry(schema=True), "schema True"),
        (entry(schema="1"), "schema '1'"),
        (entry(kind="opinion"), "kind 'opinion'"),
        (entry(kind=["entry"]), "kind ['entry']"),
        (entry(more=1), "(more: unknown key)"),
        (entry(verdict="unreached"), "verdict"),
        (entry(verdict="flagged"), "needs a finding"),
        (entry(rollouts=True), "rollouts"),
        (entry(rollouts="3"), "rollouts"),
        (entry(rollouts=3.0), "3.0"),
        (entry(rollouts=0), "rollouts"),
        (entry(context="A" * 64), "context"),
        (entry(context="\ud800"), "context"),
        (entry(context="a" * 64 + "\n"), "context"),
        (entry(findings=[{**NOTE, "votes": 4}]), "votes of f1"),
        (entry(findings=[{**NOTE, "severity": "grave"}]), "findings.0.severity"),
        (entry()[:-1] + ', "verdict": "flagged"}', "duplicate key"),
        ('{"schema": 1, "kind": "contract", "contract": "%s", "asks": {}}' % ("a" * 64), "digest"),
        ('{"schema": 1, "kind": "dismissal", "finding": "f1"}', "(rule: missing)"),
    ],
)
def test_a_line_that_is_not_understood_is_named_and_stays(line: str, words: str) -> None:
    text = f"\n{entry(context='c' * 64)}\n{line}\n"
    found = read_ledger(text)
    (problem,) = found.problems
    assert problem.line == 3
    assert words in problem.message
    assert line in ledger_text(found.ledger).splitlines()
    assert [item.context for item in found.ledger.all_entries()] == ["c" * 64]


def test_of_very_many_lines_that_are_not_understood_the_first_are_told_and_the_others_counted():
    bad = [entry(more=1), *("no entry" for _ in range(500))]
    found = read_ledger("\n".join(bad))
    assert len(found.problems) == 20
    assert sum(item.number for item in found.problems) == 501
    last = found.problems[-1]
    assert (last.line, last.digests) == (20, frozenset())
    assert last.message == "482 lines from here on are not entries; correct or delete them"
    assert ledger_text(found.ledger).count("\n") == 2, "equal lines are written once"


def test_the_digests_of_the_lines_that_are_only_counted_are_known():
    found = read_ledger("\n".join(entry(more=number) for number in range(200)))
    assert found.problems[-1].digests == {"a" * 64, "b" * 64}


def test_lines_may_end_and_begin_as_other_systems_have_it() -> None:
    text = f"\ufeff{entry()}\r\n\r\n{entry(findings=[NOTE], verdict='flagged')}\r\n"
    found = read_ledger(text)
    assert found.problems == ()
    assert [item.verdict for item in found.ledger.all_entries()] == [LedgerVerdict.FLAGGED]


def test_equal_ledgers_have_one_text_with_one_line_for_each_value() -> None:
    assert ledger_text(ledger()) == ""
    contract = CONTRACTS[1]
    found = ledger(
        entries=[
            LedgerEntry(context=text * 64, contract=ONE, verdict=LedgerVerdict.ACCEPTED, rollouts=3)
            for text in "ba"
        ],
        contracts={contract.digest(): contract.fields()},
    )
    kinds = [(json.loads(line)["kind"], line) for line in ledger_text(found).splitlines()]
    assert [kind for kind, _ in kinds] == ["contract", "entry", "entry"]
    assert kinds[1][1] == (
        f'{{"schema":1,"kind":"entry","context":"{A}","contract":"{ONE}",'
        '"generation":0,"verdict":"accepted","rollouts":3,"findings":[]}'
    )


def test_people_see_what_a_contract_asks() -> None:
    (line,) = ledger_text(
        ledger(contracts={item.digest(): item.fields() for item in CONTRACTS[1:]})
    ).splitlines()
    asks = json.loads(line)["asks"]
    assert (asks["model"], asks["strictness"], asks["granularity"]) == ("b", "standard", "auto")


def test_letters_are_written_as_they_are_and_what_cannot_be_seen_as_escapes() -> None:
    text = "Erdős\u202e\x85\u2028\udc80𝔽\x00"
    note = Recorded(id="f", rule="gap", severity=Severity.NOTE, message=text, quote="")
    key = LedgerKey("a" * 64, "b" * 64)
    made = ledger(
        entries=[
            LedgerEntry(
                **key._asdict(), verdict=LedgerVerdict.ACCEPTED, rollouts=1, findings=(note,)
            )
        ]
    )
    written = ledger_text(made)
    assert r"Erdős\u202e\u0085\u2028\udc80𝔽\u0000" in written
    assert len(written.splitlines()) == 1
    assert written.encode()
    assert read_ledger(written).ledger.entry(*key) == made.entry(*key)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def commit(folder: Path, found: Ledger) -> None:
    (folder / "pf.lock").write_text(ledger_text(found))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "read")


def test_git_merges_two_branches_as_the_documentation_says(tmp_path: Path) -> None:
    (attributes,) = (
        line.strip() for line in (package.__doc__ or "").splitlines() if "merge=" in line
    )
    base, ours, theirs = (
        read_ledger(entry(**more)).ledger
        for more in ({"rollouts": 1}, {"rollouts": 3}, {"findings": [NOTE], "verdict": "flagged"})
    )
    (tmp_path / ".gitattributes").write_text(attributes)
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, base)
    git(tmp_path, "checkout", "-q", "-b", "theirs")
    commit(tmp_path, theirs)
    git(tmp_path, "checkout", "-q", "main")
    commit(tmp_path, ours)
    git(tmp_path, "merge", "-q", "--no-edit", "theirs")
    result = read_ledger((tmp_path / "pf.lock").read_text())
    assert result.problems == ()
    assert result.ledger == merged(ours, theirs)
