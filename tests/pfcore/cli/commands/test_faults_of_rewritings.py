"""Whatever goes wrong with a rewriting: never a pass, never a finding of what is not there."""

from itertools import count

import pytest

from tests.pfcore.cli.conftest import ACCEPT, Said, Sent, chat, flag, genuine, is_unread

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

QUOTE = "It is clear"
LONG = " One sees it." * 100
"""So that it is worth taking apart."""
THEOREM = "<THEOREM_STATEMENT>\nEvery A is positive.\n</THEOREM_STATEMENT>\n"
PIECE = (
    '<PROPOSITION_STATEMENT id="1">\nA is so.\n</PROPOSITION_STATEMENT>\n'
    '<PROPOSITION_PROOF id="1">\nOne sees it.\n</PROPOSITION_PROOF>\n'
)
END = "<THEOREM_PROOF>\nBy Proposition 1 it is clear.\n</THEOREM_PROOF>\n"
FAITHFUL = '```json\n{"verdict": "faithful"}\n```'
UNFAITHFUL = (
    "<difference><original>every</original><rewriting>some</rewriting><effect>weaker</effect>"
    '</difference>\n```json\n{"verdict": "unfaithful"}\n```'
)
GOOD = {
    "translate": THEOREM + PIECE + END, "faithfulness": FAITHFUL, "verify": ACCEPT,
    "calibrate": genuine(QUOTE),
}  # fmt: skip
APART: dict[str, tuple[dict[str, Said], str]] = {
    "nothing is rewritten": ({"translate": 500}, "the server failed (500)"),
    "a rewriting is cut off": (
        {"translate": Sent(body=chat(GOOD["translate"], finish="length"))}, "cut off at its limit",
    ),
    "an empty rewriting": ({"translate": "Done."}, "is still malformed"),
    "a theorem without a proof": ({"translate": THEOREM}, "is still malformed"),
    "an id twice": ({"translate": THEOREM + PIECE + PIECE + END}, "is still malformed"),
    "an unknown tag": (
        {"translate": THEOREM + PIECE.replace("PROOF", "ARGUMENT") + END}, "is still malformed",
    ),
    "a piece that rests on itself": (
        {"translate": THEOREM + PIECE.replace("it.", "it by Proposition 1.") + END},
        "is still malformed",
    ),
    "one comparison fails": ({"faithfulness": 500}, "the server failed (500)"),
    "a comparison says nothing": ({"faithfulness": "It looks the same."}, "no JSON block"),
    "a comparison contradicts itself": (
        {"faithfulness": UNFAITHFUL.replace('"unfaithful"', '"faithful"')}, "disagree",
    ),
    "one piece is not read": ({"verify": 500}, "the server failed (500)"),
    "a piece without a verdict": ({"verify": "Fine."}, "no JSON block"),
    "nobody judges the objections": (
        {"verify": flag(QUOTE), "calibrate": 500}, "the server failed (500)",
    ),
}  # fmt: skip


@pytest.fixture
def apart(check, paper, edit):
    """Check with rewritten proofs, in one rollout."""
    edit("Clear.", f"{QUOTE}.{LONG}")
    (paper / "pf.toml").write_text('[reading]\ngranularity = "fine"\n')
    return lambda: check("--rollouts", "1")


@pytest.mark.parametrize("name", APART)
def test_a_rewriting_that_fails_is_unread(apart, referee, name):
    wrong, words = APART[name]
    calls = count()
    bad = next(iter(wrong))

    def say(stage: str, text: str) -> Said:
        is_one = stage == bad == "verify" and isinstance(wrong[bad], int) and next(calls) > 0
        return GOOD[stage] if is_one else (GOOD | wrong)[stage]

    referee.say = say
    status, found = apart()
    assert status == 3
    assert is_unread(found, words)
    if bad == "faithfulness":
        assert [stage for stage, _ in referee.asked].count("translate") == 1


@pytest.mark.parametrize("second", [ACCEPT, flag(QUOTE), 500])
def test_what_stays_unfaithful_is_no_pass_and_the_proof_is_read_as_it_stands(
    apart, referee, second
):
    numbers = count()
    own = f"{QUOTE}."

    def say(stage: str, text: str) -> Said:
        if stage == "translate":
            return GOOD[stage].replace("One sees", f"In {next(numbers)} ways one sees")
        if stage == "verify":
            return second if own in text else ACCEPT
        return UNFAITHFUL if stage == "faithfulness" else GOOD[stage]

    referee.say = say
    status, found = apart()
    stages = [stage for stage, _ in referee.asked]
    assert stages.count("translate") == 4
    assert status == {ACCEPT: 0, 500: 3}.get(second, 1)
    assert found["statuses"]["a"] == {0: "checked", 1: "flagged", 3: "unreached"}[status]
    assert own in [text for stage, text in referee.asked if stage == "verify"][-1]


def test_objections_to_what_stays_unfaithful_are_judged_with_that_in_mind(apart, referee):
    numbers = count()

    def say(stage: str, text: str) -> Said:
        if stage == "translate":
            return GOOD[stage].replace("One sees", f"In {next(numbers)} ways one sees")
        if stage == "verify":
            return flag("it is clear") if "By Proposition 1 it" in text else ACCEPT
        return UNFAITHFUL if stage == "faithfulness" else GOOD[stage]

    referee.say = say
    assert apart()[0] == 1
    assert "was not faithful in these pieces" in referee.asked[-1][1]
