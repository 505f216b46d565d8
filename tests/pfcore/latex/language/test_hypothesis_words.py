"""What claims suppose, and where sentences end, by words of three languages."""

import pytest

from pfcore.latex.language import hypotheses
from pfcore.latex.language.hypotheses import end_of_hypothesis, fixes, prose_sentences, ranges
from pfcore.latex.language.phrases import HYPOTHESIS_WORDS, phrases_of, word_tables
from tests.other_words import other_words


def supposed(sentence: str) -> str:
    return sentence[: end_of_hypothesis(sentence)]


def is_said(role: str, example: str) -> bool:
    """Whether an example supposes what stands before its stroke, and no more; or fixes a thing.

    Or is one sentence.
    """
    if role == "fixing":
        return fixes(example)
    if role in ("shortened", "explains"):
        return len(prose_sentences(example, 0, len(example))) == 1
    if role in ("ranging", "joining"):
        before, said, after = example.split("|")
        return ranges(before + said + after) == [said]
    if role == "claiming":
        return not ranges(example)
    part, _, rest = example.partition("|")
    return supposed(part + rest) == part.rstrip()


@pytest.mark.parametrize("role", word_tables(HYPOTHESIS_WORDS))
def test_a_sentence_says_what_it_supposes_by_its_words(role: str) -> None:
    told = phrases_of(HYPOTHESIS_WORDS)[role]
    # All with their phrases first: the patterns are compiled anew after each change.
    found = {phrase: [is_said(role, example)] for phrase, example in told.items()}
    for phrase, example in told.items():
        with other_words(HYPOTHESIS_WORDS, {role: told.keys() - {phrase}}, hypotheses):
            found[phrase].append(is_said(role, example))
    assert {phrase: said for phrase, said in found.items() if said != [True, False]} == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "A set is finite if and only if it has an order $n$.",
        "In particular, there is a mean $m:=1$, and $n=1$.",
        "Then, defining $q:=p^2$, all is well.",
        "For every $p$, $f(p)=1$.",
        "If $p$ is odd, $f(p)=1$.",
        "We have $n:=1$.",
        "There is a map $f$ such that, if we let $n=1$, it is so.",
        "",
    ],
)
def test_a_claim_supposes_nothing(sentence: str) -> None:
    assert not end_of_hypothesis(sentence)


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        (
            r"Assume that $|T|\le 1$ for all $g$ where then $n=1$. Done",
            r"Assume that $|T|\le 1$ for all $g$ where then $n=1$. Done",
        ),
        (
            r"Assume that \[\|T\|\le1\text{ then}\] and then we have $n=1$.",
            r"Assume that \[\|T\|\le1\text{ then}\] and",
        ),
        ("Let $p$ be odd, $q$ even. Then $n=1$.", "Let $p$ be odd, $q$ even."),
    ],
)
def test_what_stands_in_formulas_ends_nothing(sentence: str, part: str) -> None:
    assert supposed(sentence) == part


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            r"For $x, Q\ge1$, $r\le x$, $q>1$ and $(a,q)=1$, \[f=1\]",
            [r"For $x, Q\ge1$, $r\le x$, $q>1$ and $(a,q)=1$"],
        ),
        (
            r"For each fixed $A\ge0$, \[f\ll1\] uniformly for all $x\ge2$.",
            [r"For each fixed $A\ge0$", r"for all $x\ge2$"],
        ),
        ("For every $p>0$, $f(p)=1$.", ["For every $p>0$"]),
        ("For all $x>1$, $y>1$ we have $f=1$.", ["For all $x>1$, $y>1$"]),
        ("For $p$, $f(p)=1$.", []),
        ("It holds if and only if $x=y$ or $xy=1$.", []),
        ("It holds only for $x=1$, and with $y=1$ it is so.", ["with $y=1$"]),
        ("We have $f=1$ for the sum of which $x$ is one.", []),
        ("Therefore $x>1$, and before $x=2$.", []),
        ("for $" + "x " * 9000, []),
        ("for $x=1$, " * 9000, ["for $x=1$"] * 9000),
    ],
)
def test_formulas_with_a_relation_say_for_what_a_claim_holds(
    sentence: str, parts: list[str]
) -> None:
    assert ranges(sentence) == parts
