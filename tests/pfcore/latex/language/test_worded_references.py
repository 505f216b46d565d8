"""References in words: found where they stand, and what they say."""

import re
from typing import Any

import pytest

from pfcore.latex.language.phrases import word_tables
from pfcore.latex.language.worded_references import (
    NUMBER,
    PHRASE,
    Pointer,
    cues,
    find_worded_references,
    kinds_alone,
    main_theorem_uses,
    numbered,
    pointer,
    pointing_words,
)


def found(text: str) -> list[tuple[str, str]]:
    return [(item.note, item.words) for item in find_worded_references(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By the previous lemma,", [(PHRASE, "the previous lemma")]),
        ("By the preceding\n  Proposition", []),
        ("by the preceding\n  proposition", [(PHRASE, "the preceding proposition")]),
        ("the two lemmas above", [(PHRASE, "the two lemmas above")]),
        ("the above two theorems", [(PHRASE, "the above two theorems")]),
        ("the lemma below shows", [(PHRASE, "the lemma below")]),
        ("the next lemma", [(PHRASE, "the next lemma")]),
        ("the two previous theorems", [(PHRASE, "the two previous theorems")]),
        ("the previous two lemmas", [(PHRASE, "the previous two lemmas")]),
        ("the last two propositions", [(PHRASE, "the last two propositions")]),
        ("the theorem just proved.", [(PHRASE, "the theorem just proved")]),
        ("the lemma that we have just shown", [(PHRASE, "the lemma that we have just shown")]),
        ("the theorem just proved in \\cite{x}", []),
        ("the above results", []),
        ("two previous theorems of Gauss", []),
        ("Fermat's last theorem", []),
        ("the previous section", []),
        ("as bounded above. Lemma", []),
        ("by Lemma~4.3 and", [(NUMBER, "Lemma 4.3")]),
        ("by Theorem A.2", [(NUMBER, "Theorem A.2")]),
        ("by Prop. (2.1)", [(NUMBER, "Prop. (2.1)")]),
        ("by Lemma 4.3 of \\cite{tao}", []),
        ("by \\cite{tao}, Lemma 4.3", []),
        ("in [Tao, Lemma 4.3]", []),
        ("in [Ta05, Lemma 4.3]", []),
        ("By Lemma 4.3, \\[F(x) = y.\\]", [(NUMBER, "Lemma 4.3")]),
        ("\\begin{proof}[Proof] By Lemma 4.3", [(NUMBER, "Lemma 4.3")]),
        ("[Proof of the claim] By Lemma 4.3", [(NUMBER, "Lemma 4.3")]),
        ("By Lemmas 1 and 2,", [(NUMBER, "Lemmas 1 and 2")]),
        ("by Lemmas 1.1--1.3", [(NUMBER, "Lemmas 1.1--1.3")]),
        ("by Lemma 1, 2 divides $n$", [(NUMBER, "Lemma 1")]),
        ("by Lemma 1--3.", [(NUMBER, "Lemma 1--3")]),
        ("By Theorem B.", [(NUMBER, "Theorem B")]),
        ("By Theorem~A and more", [(NUMBER, "Theorem A")]),
        ("By Theorems A and B.", [(NUMBER, "Theorems A and B")]),
        ("Theorems~A, B, and~C' hold", [(NUMBER, "Theorems A, B")]),
        ("by Theorems A and Bx", [(NUMBER, "Theorems A")]),
        ("by Theorem A and B", [(NUMBER, "Theorem A")]),
        ("Corollaries A, B and C", [(NUMBER, "Corollaries A, B and C")]),
        ("By Theorem B.2.", [(NUMBER, "Theorem B.2")]),
        ("By Theorem B' we", []),
        ("By Theorem Bx", []),
        ("By equation~(2)", [(NUMBER, "equation (2)")]),
        ("Equation (2.1) gives", [(NUMBER, "Equation (2.1)")]),
        ("By eq.\\ (2)", []),
        ("By eq. (2)", [(NUMBER, "eq. (2)")]),
        ("We add. By (2) we get", [(NUMBER, "(2)")]),
        ("By (2) of that", []),
        ("By (2) in \\cite{x}", []),
        ("\\begin{enumerate}\\item A.\\end{enumerate} By (2) we get", []),
        ("\\begin{enumerate}\\item A.\\end{enumerate} By (2.1) we get", [(NUMBER, "(2.1)")]),
        ("In case (1) all is well. By (2) we get", []),
        ("The value at (2) is", []),
        ("By Lemmas \\ref{x} and 2.", []),
        ("Nach Satz 1.2 gilt", [(NUMBER, "Satz 1.2")]),
        ("Nach Hilfssatz~2 gilt", [(NUMBER, "Hilfssatz 2")]),
        ("le lemme 1 donne", [(NUMBER, "lemme 1")]),
        ("le th\\'eor\\`eme 1.2 donne", [(NUMBER, "th\\'eor\\`eme 1.2")]),
        ("nach dem vorigen Hilfssatz gilt", [(PHRASE, "dem vorigen Hilfssatz")]),
        ("aus dem obigen Satz", [(PHRASE, "dem obigen Satz")]),
        ("par le théorème précédent,", [(PHRASE, "le théorème précédent")]),
        ("le lemme ci-dessus", [(PHRASE, "le lemme ci-dessus")]),
        ("le chapitre précédent", []),
        ("For the last remark in the theorem statement, note that", []),
        ("By the last claim of the lemma", []),
        ("the preceding assumption of Theorem~\\ref{x}", []),
        ("By the last remark", [(PHRASE, "the last remark")]),
        ("By the last remark in this section", [(PHRASE, "the last remark")]),
        ("the previous corollary of the theorem", [(PHRASE, "the previous corollary")]),
        ("Nach der vorigen Behauptung des Satzes", []),
        ("Nach der vorigen Bemerkung", [(PHRASE, "der vorigen Bemerkung")]),
        ("nach dem vorigen Lemma des Abschnitts", [(PHRASE, "dem vorigen Lemma")]),
        ("D'après la dernière remarque de l'énoncé", []),
        ("D'après la remarque précédente", [(PHRASE, "la remarque précédente")]),
        ("there are 3 lemmas", []),
        ("Lemma 2020 is a year", []),
    ],
)
def test_references_in_words_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_only_the_span_that_is_asked_for_is_searched() -> None:
    text = "the previous lemma and the next lemma"
    assert [item.words for item in find_worded_references(text, 19, len(text))] == [
        "the next lemma"
    ]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the previous lemma", Pointer("lemma", 1, False)),
        ("the two lemmata above", Pointer("lemma", 2, False)),
        ("the following three corollaries", Pointer("corollary", 3, True)),
        ("the previous result", Pointer("", 1, False)),
        ("the two previous theorems", Pointer("theorem", 2, False)),
        ("the three following lemmas", Pointer("lemma", 3, True)),
        ("the previous two lemmas", Pointer("lemma", 2, False)),
        ("the last two propositions", Pointer("proposition", 2, False)),
        ("the corollary just stated", Pointer("corollary", 1, False)),
    ],
)
def test_a_phrase_says_how_many_of_a_kind_on_which_side(words: str, meant: Pointer) -> None:
    assert pointer(words) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Lemma 4.3", ["lemma 4.3"]),
        ("Thm. 2", ["theorem 2"]),
        ("Prop. (2.1)", ["proposition 2.1"]),
        ("Lemmas 1 and 2", ["lemma 1", "lemma 2"]),
        ("Corollaries 1.1--1.3, 2.2 and A.1", [
            "corollary 1.1", "corollary 1.2", "corollary 1.3", "corollary 2.2", "corollary A.1",
        ]),
    ],
)  # fmt: skip
def test_a_number_comes_with_its_kind(words: str, meant: list[str]) -> None:
    assert [" ".join(pair) for pair in numbered(words)] == meant


def test_other_words_say_nothing() -> None:
    assert pointer("a lemma") is None
    assert numbered("a lemma") == ()


@pytest.mark.parametrize(
    "words",
    [
        "the previous lemma",
        "the two theorems below",
        "by Lemma 4.3",
        "by lemma~(2)",
        "Theorem\nA.1",
        "Lemma ٣",
        "Step 2",
        "Étape 1",
        "by the claim",
        "the last result",
        "the two last lemmas",
        "the lemma we just proved",
    ],
)
def test_whatever_is_found_stands_at_a_cue(words: str) -> None:
    text = f"We see this {words} at once."
    found = find_worded_references(text, 0, len(text), with_steps=True)
    assert found
    for item in found:
        assert any(item.start <= cue < item.end for cue in cues(text))


def test_plain_words_have_no_cue() -> None:
    assert cues("Let $x_1$ be a point of the plane with 2 neighbours.") == [39]
    assert cues("Let $x_1$ be a point of the plane.") == []


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Theorem B", (("theorem", "B"),)),
        ("Lemma 1--3", (("lemma", "1"), ("lemma", "2"), ("lemma", "3"))),
        ("eq. (2)", (("equation", "2"),)),
        ("(2.1)", (("equation", "2.1"),)),
        ("Hilfssatz 2", (("hilfssatz", "2"),)),
        ("th\\'eor\\`eme 1.2", (("theoreme", "1.2"),)),
    ],
)
def test_numbers_are_read_in_several_forms(words: str, meant: tuple[tuple[str, str], ...]) -> None:
    assert numbered(words) == meant


@pytest.mark.parametrize(
    ("words", "kind"),
    [("dem vorigen Hilfssatz", "hilfssatz"), ("la proposition ci-dessus", "proposition")],
)
def test_what_stands_before_is_pointed_to_in_other_languages(words: str, kind: str) -> None:
    assert pointer(words) == Pointer(kind, 1, False)


def test_a_list_that_begins_with_a_label_goes_on_with_a_number() -> None:
    text = "By Lemmas~\\ref{x} and 2 we are done."
    (found,) = find_worded_references(text, text.index(" and 2"), len(text))
    assert (text[found.start : found.end], found.note, found.words) == ("2", NUMBER, "Lemma 2")
    assert (
        find_worded_references(text.replace("Lemmas", "Lemma"), text.index(" and 2") - 1, len(text))
        == []
    )


def test_letters_that_number_a_result_are_cues() -> None:
    assert cues("by Theorem B it is so") != []
    assert cues("by Theorem but so it is") == []


POINTING = word_tables("pointing_words")


@pytest.mark.parametrize(
    ("language", "entry"),
    [(language, entry) for language, table in POINTING.items() for entry in table["where"]],
)
def test_words_for_a_place_find_their_example(language: str, entry: dict[str, Any]) -> None:
    (one,) = found(entry["example"])
    assert cues(one[1])
    meant = pointer(one[1])
    assert meant is not None
    assert (one[0], meant.onward) == (PHRASE, entry.get("onward", False))
    less = [other for other in POINTING[language]["where"] if other is not entry]
    alone = re.compile(pointing_words({**POINTING[language], "where": less}))
    assert not alone.fullmatch(one[1])


@pytest.mark.parametrize("language", POINTING)
@pytest.mark.parametrize("kind", ["lists", "ranges"])
def test_numbers_are_listed_in_every_language(language: str, kind: str) -> None:
    ((_, words),) = found(POINTING[language][kind]["example"])
    assert [number for _, number in numbered(words)] == ["1.1", "1.2"]


@pytest.mark.parametrize("language", POINTING)
def test_the_one_theorem_is_used_in_every_language(language: str) -> None:
    example = POINTING[language]["main"]["example"]
    ((start, end),) = main_theorem_uses(f"{example}, it holds.")
    assert re.search(r"heorem|satz|éorème", example[start:end])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("By the Theorem, it holds.", "the Theorem"),
        ("by\n  the~theorem it holds", "the~theorem"),
        ("This follows from the main theorem.", "the main theorem"),
        ("To prove the theorem, use this. By our main theorem", "our main theorem"),
        ("By Theorem, it holds.", "Theorem"),
        ("By the theorem of Lagrange, it holds.", None),
        ("By the theorem on primes, it holds.", None),
        ("By the Theorem 2", None),
        ("By the theorem \\ref{a}", None),
        ("By Theorem A, it holds.", None),
        ("By Lagrange's theorem, it holds. By the theorem, $n$ is even.", None),
        ("As in Theorem 3 of \\cite{x}, it holds. By the theorem, $n$ is even.", None),
        ("Let $G$ be the group from the theorem.", None),
        ("We have to prove the theorem.", None),
        ("By the theorem prover.", None),
    ],
)
def test_only_a_plain_use_is_one_of_the_main_theorem(text: str, words: str | None) -> None:
    assert [text[slice(*span)] for span in main_theorem_uses(text)] == ([words] if words else [])


IN_A_ROW = """
the lemmas above
the previous lemmas
the above lemmas
the foregoing lemmas
den obigen Lemmata
den vorangehenden Lemmata
den vorstehenden Hilfssätzen
den eben bewiesenen Lemmata
des lemmes précédents
des lemmes ci-dessus
des lemmes qui précèdent
"""
COUNTED = """
the two lemmas just proved
the preceding pair of lemmas
the two above lemmas
den beiden vorigen Lemmata
den letzten beiden Lemmata
den zwei vorhergehenden Sätzen
den beiden obigen Hilfssätzen
den zwei Lemmata oben
des deux lemmes précédents
des deux derniers lemmes
des deux lemmes qui précèdent
des deux théorèmes ci-dessus
des deux lemmes que nous venons de démontrer
den vorigen zwei Ergebnissen
des deux résultats précédents
"""
VAGUE = """
the two lemmas
both lemmas
both of the lemmas
both of these lemmas
these two lemmas
den beiden Lemmata
beiden Lemmas
diesen beiden Lemmata
des deux lemmes
de ces deux lemmes
"""
NOTHING = """
two lemmas
the two lemmas of Gauss
the two lemmas in \\cite{x}
the two lemmas that follow
both sections
the above results
these results
these definitions
the above observations
the two claims
zwei Lemmata
den beiden Lemmata von Gauß
den beiden Lemmata in \\cite{x}
den folgenden Überlegungen
den letzten beiden Abschnitten
den obigen Ergebnissen
de deux lemmes
des deux lemmes de Gauss
des deux lemmes de \\cite{x}
des deux dernières sections
des résultats précédents
"""


@pytest.mark.parametrize(
    ("words", "several", "vague"),
    [(words, 0, False) for words in IN_A_ROW.strip().splitlines()]
    + [(words, 2, False) for words in COUNTED.strip().splitlines()]
    + [(words, 2, True) for words in VAGUE.strip().splitlines()],
)
def test_several_are_pointed_to_in_every_language(words: str, several: int, *, vague: bool) -> None:
    (one,) = found(f"This follows: {words}.")
    meant = pointer(one[1])
    assert meant is not None
    assert (meant.several, meant.onward, meant.is_vague) == (several, False, vague)
    assert cues(one[1])


@pytest.mark.parametrize("words", NOTHING.strip().splitlines())
def test_what_is_elsewhere_or_plainly_none_is_not_pointed_to(words: str) -> None:
    assert found(f"This follows: {words}.") == []


LISTS = {
    "Lemma 1.1 und 1.2": "1.1 1.2",
    "Satz 1 und 2": "1 2",
    "Lemma 1.1 sowie 1.2": "1.1 1.2",
    "den Lemmata 1.1, 1.2 und 2.3": "1.1 1.2 2.3",
    "den Sätzen 1 bis 3": "1 2 3",
    "den Korollaren 1.1 und 1.2": "1.1 1.2",
    "des lemmes 1.1 et 1.2": "1.1 1.2",
    "les théorèmes 1, 2 et 3": "1 2 3",
    "les lemmes 1.1 à 1.3": "1.1 1.2 1.3",
    "Lemma 1.1 and 1.2": "1.1 1.2",
    "Lemma 1 und 2 Punkte": "1",
    "Lemma 1 and 2": "1",
}


@pytest.mark.parametrize("words", LISTS)
def test_a_list_of_numbers_is_read_in_every_language(words: str) -> None:
    ((_, one),) = found(f"Dies: {words}.")
    assert " ".join(number for _, number in numbered(one)) == LISTS[words]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("the lemma gives it", ["lemma"]),
        ("By the\n  Proposition, and with the theorem", ["proposition", "theorem"]),
        ("the lemma~2 of", []),
        ("the Theorem A", []),
        ("the theorem (ii)", []),
        ("by the lemma \x020\x03", []),
        ("the theorem in \\cite{x}", []),
        ("the lemma of Zorn", []),
        ("the divergence theorem", []),
        ("wegen des Satzes", ["theorem"]),
        ("der Satz von Lagrange", []),
        ("par le théorème,", ["theorem"]),
        ("le lemme de Zorn", []),
        (r"the proposition $P\lor Q$", []),
        (r"the proposition \[P\]", []),
        (r"the proposition~\(P\)", []),
        (r"the proposition \emph{it rains}", []),
        (r"la proposition $P\to Q$", []),
        ("the proposition letters p", []),
        ("the proposition variable", []),
        ("the theorem prover", []),
        ("the theorem environments", []),
        ("the proposition, $P$", ["proposition"]),
        (r"the lemma \emph", ["lemma"]),
    ],
)
def test_kinds_that_an_article_names_with_no_word_more(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in kinds_alone(text)] == kinds


@pytest.mark.parametrize("language", POINTING)
def test_the_words_for_a_part_of_a_statement_leave_nothing_of_their_example(language: str) -> None:
    example = POINTING[language]["part"]["example"]
    assert found(example) == []
    assert found(" ".join(example.split()[:4])) != []
