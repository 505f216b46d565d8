"""What stands right before a claim and speaks of what the claim leaves open."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import render
from pfcore.latex.language.continuations import CONTINUATION_WORDS, says_something
from pfcore.latex.language.leads import LED, Lead, Leads, PlacedLead, Spoken, stretches_above
from pfcore.latex.language.phrases import phrases_of

Paper = Callable[..., PaperState]
PROVED = r"\begin{proof} An exercise. \end{proof}"


def claim(text: str, key: str = "t") -> str:
    return rf"\begin{{theorem}}\label{{{key}}} {text} \end{{theorem}} {PROVED} "


def given(moment: PaperState, name: str = "t") -> str:
    return render(moment.document, name, moment.paper.texts).partition("# To be checked")[0]


@pytest.mark.parametrize(
    ("before", "theorem"),
    [
        ("Next come the numbers $s(n,k)$, which count cycles.", "We have $s(n,n)=1$."),
        ("The group $D_{2m}$ acts on a polygon.", "The group $D_{2k}$ is finite."),
        (r"L'ordre $\preccurlyeq$ compare les mots.", r"L'ordre $\preccurlyeq$ est total."),
        ("Picture a torus $T$ of square section.", "The volume of $T$ is finite."),
        (r"Die Werte von $\beta$ stehen in der Tafel.", r"Dann ist $\beta$ positiv."),
        ("Some walks, it turns out, are \\emph{lazy}.", "Each lazy walk stops."),
    ],
)
def test_the_first_sentence_before_a_claim_that_has_its_symbol_is_given(
    paper: Paper, before: str, theorem: str
) -> None:
    moment = paper(f"{before} {before.replace('.', ' again.')}\n\n{claim(theorem)}")
    told = given(moment)
    assert before.split("$", maxsplit=1)[0].strip()[:20] in told
    assert "again" not in told


@pytest.mark.parametrize(
    ("heading", "is_given"),
    [("", True), (r"\subsection{Volumes} ", True), (r"\section{Volumes} ", False)],
)
def test_it_answers_for_the_claims_below_its_heading_alone(
    paper: Paper, heading: str, is_given: bool
) -> None:
    moment = paper(
        r"\section{Surfaces} Picture a torus $T$ of square section. "
        + claim("Time will tell.")
        + heading
        + claim("The surface of $T$ is smooth.", "s")
    )
    assert ("square section" in given(moment, "s")) is is_given


def test_what_stands_nearer_comes_before_it(paper: Paper) -> None:
    moment = paper(
        "Picture a torus $T$ of square section. "
        + claim("The volume of $T$ is finite.")
        + "Now picture $T$ in a field. "
        + claim("The surface of $T$ is smooth.", "s")
    )
    assert "in a field" in given(moment, "s")
    assert "square section" not in given(moment, "s")


def test_what_stands_behind_a_claim_says_nothing_of_it(paper: Paper) -> None:
    moment = paper(claim("The volume of $T$ is finite.") + "Picture $T$ in a field.")
    assert "in a field" not in given(moment)


def test_the_stretches_above_a_place_stand_right_under_its_headings() -> None:
    headings = [(0, 1), (10, 2), (20, 2), (30, 3), (40, 1), (50, 2)]
    assert list(stretches_above(headings, 35)) == [(30, 35), (20, 30), (0, 10)]
    assert list(stretches_above(headings, 55)) == [(50, 55), (40, 50)]
    assert list(stretches_above([], 55)) == [(0, 55)]


@pytest.mark.parametrize(
    "stated",
    ["Let $T$ be a tree.", r"We write $T$ for a tree.", r"Put $T:=\mathbb{N}$."],
)
def test_what_states_names_or_takes_a_symbol_comes_before_it(paper: Paper, stated: str) -> None:
    moment = paper(
        f"{stated} Picture $T$ as it grows in a field. " + claim("The height of $T$ is finite.")
    )
    assert "in a field" not in given(moment)
    assert "# " in given(moment)


@pytest.mark.parametrize(
    "theorem",
    [
        "For each tree $T$ the height of $T$ is finite.",
        "Trees are finite.",
        r"Let $T$ be a torus. Then $T$ is compact.",
    ],
)
def test_what_a_claim_binds_or_does_not_have_is_not_looked_for(paper: Paper, theorem: str) -> None:
    assert "in a field" not in given(paper("Picture $T$ in a field. " + claim(theorem)))


def test_a_letter_that_other_sections_take_is_not_guessed(paper: Paper) -> None:
    moment = paper(
        r"\section{One} Let $T$ be a tree. "
        + claim("All is well.", "one")
        + r"\section{Two} Let $T$ be a torus. "
        + claim("All is well.", "two")
        + r"\section{Three} Picture $T$ in a field. "
        + claim("The height of $T$ is finite.")
    )
    assert "in a field" not in given(moment)


def test_a_remark_or_a_definition_between_does_not_part_them(paper: Paper) -> None:
    remark = r"\begin{remark} Picture $T$ in a field. \end{remark}"
    theorem = claim("The height of $T$ is finite.")
    definition = r"\begin{definition} A \emph{tree} has no cycle. \end{definition}"
    assert "in a field" in given(paper(f"{remark} Some words. {theorem}"))
    assert "in a field" in given(paper(f"{remark} {definition} {theorem}"))


def test_the_options_of_drawings_are_no_letters() -> None:
    drawn = r"\[\begin{tikzcd} A \arrow[r,\"w\"] & B \end{tikzcd}\]"
    assert spoken_of(
        f"The square {drawn} commutes, and $u$ is a unit.", f"See {drawn} and $u$."
    ) == (f"{LED}#u",)


def test_a_letter_is_not_what_a_family_with_indices_is() -> None:
    assert spoken_of("Then $B_{n}=1$.", "The ball $B$ is round.") == ()
    assert spoken_of("Then $B_{n}=1$.", "The ball $B_0$ is round.") == (f"{LED}#B_•",)


def test_what_introduces_something_else_says_nothing_of_the_letters_it_takes(paper: Paper) -> None:
    told = given(
        paper(r"We write $\nu(n)$ for the number of primes in $n$. " + claim("Then $n>1$."))
    )
    assert "number of primes" not in told


def spoken_of(theorem: str, sentence: str) -> tuple[str, ...]:
    return Lead(theorem).first_spoken_of(Spoken(sentence), is_about_others=False)


WORDS = (
    ("Hedgerows are trees in a line.", "Every hedgerow is finite.", True),
    ("Ein Hedgerow besteht aus Bäumen in einer Reihe.", "Jeder Hedgerow ist endlich.", True),
    ("Un hedgerow consiste en arbres alignés.", "Tout hedgerow est fini.", True),
    ("Because hedgerows lean, trees stand in a line.", "Every hedgerow is finite.", False),
    (r"Hedgerows were drawn in \cite{x}.", "Every hedgerow is finite.", False),
    ("It is easy to draw a hedgerow.", "Every hedgerow is finite.", False),
)


@pytest.mark.parametrize(("before", "theorem", "expected"), WORDS)
def test_a_word_that_stands_for_the_first_time_before_a_claim_brings_its_sentence(
    paper: Paper, before: str, theorem: str, expected: bool
) -> None:
    told = given(paper(f"{before}\n\n{claim(theorem)}"))
    assert (before[:14] in told) is expected


def test_a_word_that_the_text_had_before_brings_nothing(paper: Paper) -> None:
    before = "Hedgerows are trees in a line."
    body = f"{before}\n\n{claim('Every hedgerow is finite.')}"
    moment = paper(f"{claim('Some hedgerow leans.', 's')}\n{body}")
    assert "trees in a line" not in given(moment)


def test_only_two_sentences_come_by_words_alone(paper: Paper) -> None:
    before = "Hedgerows are very tall. Palisades are very wide. Ramparts are very deep."
    told = given(paper(f"{before}\n\n{claim('A rampart has hedgerows and palisades.')}"))
    assert ("tall" in told, "wide" in told, "deep" in told) == (True, True, False)


@pytest.mark.parametrize(("heading", "is_given"), [("", True), (r"\section{Two}", False)])
def test_new_words_serve_the_claims_below_their_heading(
    paper: Paper, heading: str, is_given: bool
) -> None:
    before = "Hedgerows are trees in a line."
    moment = paper(
        f"{before}\n\n{claim('Every hedgerow is finite.')}\n{heading}\n"
        + claim("No hedgerow leans.", "s")
    )
    assert "trees in a line" in given(moment)
    assert ("trees in a line" in given(moment, "s")) is is_given


def test_what_argues_says_nothing_of_its_words() -> None:
    examples = phrases_of(CONTINUATION_WORDS)["argues"].values()
    assert [one for one in examples if says_something(one)] == []
    assert [one for one in examples if not says_something("Here and there " + one)] == []


def test_a_word_of_everybody_s_sentences_brings_nothing() -> None:
    def keys(claimed: str, example: str) -> tuple[str, ...]:
        return Lead(claimed).first_spoken_of(Spoken(example), is_about_others=False)

    entries = phrases_of(CONTINUATION_WORDS)["everyday"].items()
    assert [word for word, example in entries if f" {word} " not in example] == []
    assert [word for word, example in entries if keys(word, example)] == []
    assert [word for word, example in entries if not keys(example.split()[-3], example)] == []


class CountedLead(Lead):
    """A lead that counts how many sentences it was held against."""

    def __init__(self, claimed: str) -> None:
        super().__init__(claimed)
        self.asked = 0

    def first_spoken_of(self, sentence: Spoken, *, is_about_others: bool) -> tuple[str, ...]:
        self.asked += 1
        return super().first_spoken_of(sentence, is_about_others=is_about_others)


NAMES = ("hedgerow", "palisade", "rampart", "causeway", "towpath", "bridleway", "lazy walk")
TAILS = (
    "leans on {symbol}.",
    r"is an \emph{{{name}}} of {symbol} and stands in a line.",
    r"was drawn in \cite{{x}} with {symbol}.",
)
SYMBOLS = ("$T$", r"$\mathcal{B}_{n}$", "$s(n,k)$", "$B_{2}$", r"$\beta$")


def placed_text(number: int, seed: int) -> tuple[list[str], list[str]]:
    """As many sentences as claims, the sentence of each right before it."""
    chance = Random(seed)
    sentences, claims = [], []
    for _ in range(number):
        name, symbol, tail = chance.choice(NAMES), chance.choice(SYMBOLS), chance.choice(TAILS)
        sentences.append(f"One {chance.choice(NAMES)} {tail.format(name=name, symbol=symbol)}")
        claims.append(f"Every {chance.choice(NAMES)} with {chance.choice(SYMBOLS)} is finite.")
    return sentences, claims


def placed_leads(claims: Sequence[str], seed: int, make: type[Lead]) -> list[PlacedLead]:
    """Sentence $n$ stands at $10n$ and ends seven characters behind, claim $n$ at $10n+8$."""
    chance = Random(seed)
    found = []
    for number, text in enumerate(claims):
        found.append(PlacedLead(max(0, 10 * number - 25), 10 * number + 8, make(text)))
        heading = 10 * chance.randrange(number + 1) if seed else 0
        early = make(text)
        found.append(PlacedLead(heading, max(0, 10 * number - chance.randrange(40)), early))
        found.append(PlacedLead(0, min(heading, 50), early))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_all_leads_together_say_what_each_asked_in_turn_says(seed: int) -> None:
    sentences, claims = placed_text(40, seed)
    together = Leads(placed_leads(claims, seed, Lead))
    apart = placed_leads(claims, seed, Lead)
    apart.reverse()
    apart.sort(key=lambda one: one.start)
    told = 0
    for number, text in enumerate(sentences):
        for span in ((10 * number, 10 * number + 7), (10 * number + 3, 10 * number + 18)):
            is_about_others = number % 3 == 0
            one_by_one = [
                lead.first_spoken_of(Spoken(text), is_about_others=is_about_others)
                for start, end, lead in apart
                if start <= span[0] < end and span[1] <= end
            ]
            found = together.first_spoken_of(span, Spoken(text), is_about_others=is_about_others)
            assert found == tuple(dict.fromkeys(key for keys in one_by_one for key in keys))
            told += len(found)
    assert told > 20


@pytest.mark.parametrize("number", [50, 400])
def test_a_claim_is_held_against_few_sentences_however_many_stand_under_its_heading(
    number: int,
) -> None:
    sentences, claims = placed_text(number, 0)
    placed = placed_leads(claims, 0, CountedLead)
    leads = Leads(placed)
    for place, text in enumerate(sentences):
        leads.first_spoken_of((10 * place, 10 * place + 7), Spoken(text), is_about_others=False)
    counted = {id(one.lead): one.lead for one in placed if isinstance(one.lead, CountedLead)}
    assert sum(lead.asked for lead in counted.values()) < 8 * number
