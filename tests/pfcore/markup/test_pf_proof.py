"""The laws of a pseudo-formal proof: what belongs together, and what may cite what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.markup.pf_proof import PfProof, citations, outline
from pfcore.markup.tagged_sections import read_sections


def section(tag: str, number: str, body: str = "Words.") -> str:
    opening = f'<{tag} id="{number}">' if number else f"<{tag}>"
    return f"{opening}\n{body}\n</{tag}>\n"


def statement(kind: str, number: str = "", body: str = "Words.") -> str:
    return section(f"{kind}_STATEMENT", number, body)


def proof(kind: str, number: str = "", body: str = "Words.") -> str:
    return section(f"{kind}_PROOF", number, body)


PARTS = {
    "t": statement("THEOREM"),
    "p1": statement("PROPOSITION", "1"),
    "l11": statement("LEMMA", "1.1"),
    "l11p": proof("LEMMA", "1.1", "Clear."),
    "l12": statement("LEMMA", "1.2"),
    "l12p": proof("LEMMA", "1.2", "By Lemma 1.1."),
    "p1p": proof("PROPOSITION", "1", "By Lemmas 1.1 and 1.2."),
    "p2": statement("PROPOSITION", "2"),
    "p2p": proof("PROPOSITION", "2", "By Proposition 1."),
    "tp": proof("THEOREM", "", "By Propositions 1--2."),
}
ONE = "\n".join(PARTS.values())
SEVERAL = (
    statement("THEOREM", "1") + statement("THEOREM", "2") + statement("PROPOSITION", "1")
    + proof("PROPOSITION", "1") + proof("THEOREM", "1", "By Proposition 1.")
    + proof("THEOREM", "2", "By Theorem 1 and Proposition 1.")
)  # fmt: skip


def made(text: str) -> PfProof:
    return outline(read_sections(text))


def codes(text: str) -> list[str]:
    return [fault.code for fault in made(text).faults]


def test_a_component_is_called_as_its_statement_is() -> None:
    text = ONE.replace('_STATEMENT id="1"', '_STATEMENT id="1" label="Lemma 4.3"')
    labels = {name: item.label for name, item in made(text).components.items()}
    assert labels["Proposition 1"] == "Lemma 4.3"
    assert labels["Proposition 2"] == ""


def test_one_theorem_with_propositions_and_lemmas() -> None:
    found = made(ONE)
    assert found.faults == ()
    assert {name: item.parent for name, item in found.components.items()} == {
        "Theorem": None,
        "Proposition 1": None,
        "Lemma 1.1": "Proposition 1",
        "Lemma 1.2": "Proposition 1",
        "Proposition 2": None,
    }
    assert {name: item.cites for name, item in found.components.items()} == {
        "Theorem": ("Proposition 1", "Proposition 2"),
        "Proposition 1": ("Lemma 1.1", "Lemma 1.2"),
        "Lemma 1.1": (),
        "Lemma 1.2": ("Lemma 1.1",),
        "Proposition 2": ("Proposition 1",),
    }


def test_several_theorems_share_a_pool_of_propositions() -> None:
    found = made(SEVERAL)
    assert found.faults == ()
    assert found.components["Theorem 2"].cites == ("Theorem 1", "Proposition 1")


def swap(old: str, new: str) -> str:
    assert old in ONE, old
    return ONE.replace(old, new)


FAULTS = {
    "duplicate-id": ONE + statement("PROPOSITION", "2"),
    "missing-proof": swap(PARTS["p2p"], ""),
    "missing-statement": swap(PARTS["l12"], ""),
    "no-parent": ONE + statement("LEMMA", "7.1") + proof("LEMMA", "7.1"),
    "no-theorem": swap(PARTS["t"], ""),
    "empty": swap(PARTS["p2"], statement("PROPOSITION", "2", " ")),
    "bad-id": swap('<LEMMA_STATEMENT id="1.1">', '<LEMMA_STATEMENT id="one">'),
    "dollar": swap(PARTS["p2"], statement("PROPOSITION", "2", r"Then $x$ is \$2, $y.")),
    "order": swap(PARTS["l11"], "") + PARTS["l11"],
}


@pytest.mark.parametrize(
    "words", ["Let $x$.", "$$x$$ and $y$", r"It costs \$2.", "% $\nA.", r"$a \text{ if $x$}$"]
)
def test_a_formula_that_is_closed_is_quiet(words: str) -> None:
    assert codes(swap(PARTS["p2"], statement("PROPOSITION", "2", words))) == []


@pytest.mark.parametrize("code", FAULTS)
def test_a_broken_law_is_told(code: str) -> None:
    assert code in codes(FAULTS[code])


@pytest.mark.parametrize(
    ("number", "words", "objection"),
    [
        ("1", "By Proposition 2.", "which comes later"),
        ("1", "By Proposition 1.", "which it proves"),
        ("2", "By Lemma 1.1.", "which belongs to Proposition 1"),
        ("2", "By the Theorem 5 of Gauss.", ""),
        ("2", "By Proposition 1 of [3].", ""),
    ],
)
def test_a_proposition_may_cite_what_is_before_it_and_in_its_sight(
    number: str, words: str, objection: str
) -> None:
    old = PARTS[f"p{number}p"]
    faults = made(swap(old, proof("PROPOSITION", number, words))).faults
    assert [fault.code for fault in faults] == (["citation"] if objection else [])
    assert all(objection in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("words", "objection"),
    [
        ("By Lemma 1.2.", "which comes later"),
        ("By Proposition 1.", "which it is a part of"),
        ("By Proposition 2.", "which comes later"),
    ],
)
def test_a_lemma_may_cite_what_is_before_it(words: str, objection: str) -> None:
    (fault,) = made(swap(PARTS["l11p"], proof("LEMMA", "1.1", words))).faults
    assert (fault.code, objection in fault.message) == ("citation", True)


def test_a_theorem_cites_no_lemma_and_no_later_theorem() -> None:
    (fault,) = made(swap(PARTS["tp"], proof("THEOREM", "", "By Lemma 1.1."))).faults
    assert "not their lemmas" in fault.message
    text = SEVERAL.replace("By Proposition 1.", "By Theorem 2.")
    assert codes(text) == ["citation"]


def test_theorems_have_ids_all_or_none() -> None:
    assert "bad-id" in codes(SEVERAL.replace('<THEOREM_STATEMENT id="2">', "<THEOREM_STATEMENT>"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("By Lemmas 1.1--1.3", ["Lemma 1.1", "Lemma 1.2", "Lemma 1.3"]),
        ("Lemma 1.1, 1.2, and 1.3", ["Lemma 1.1", "Lemma 1.2", "Lemma 1.3"]),
        ("lemma 1.1 and Proposition~1", ["Lemma 1.1", "Proposition 1"]),
        ("Lemma 9.9", []),
        ("Lemma 1.1 of [Ta]", []),
    ],
)
def test_citations_are_read_from_words(text: str, found: list[str]) -> None:
    known = dict.fromkeys(("Lemma 1.1", "Lemma 1.2", "Lemma 1.3", "Proposition 1"))
    assert [name for item in citations(text, known) for name in item.names] == found


_ORDER = st.permutations(list(PARTS)).map(lambda keys: "\n".join(PARTS[key] for key in keys))


@given(_ORDER)
def test_sections_in_any_order_are_read_and_judged(text: str) -> None:
    found = made(text)
    assert len(found.components) == 5
    assert all(0 <= fault.start <= fault.end <= len(text) for fault in found.faults)


@given(st.text(alphabet='<>/_="ELMAPROFTSNI 12.\n', max_size=200))
def test_any_text_has_an_outline(text: str) -> None:
    found = made(text)
    assert all(fault.message for fault in found.faults)


@pytest.mark.parametrize("words", ["By the Theorem", "by our main theorem", "By Theorem"])
def test_the_one_theorem_of_a_file_is_cited_without_a_number(one, words):
    for place in ("Multiply", "Apply Lemma 1.1"):
        found = outline(read_sections(one.replace(place, f"{words}, {place}", 1)))
        (fault,) = found.faults
        assert fault.message.endswith("cites Theorem, which rests on it")
        assert one.replace(place, f"{words}, {place}", 1)[fault.start : fault.end] in words
    assert not outline(read_sections(one.replace("This is what", f"{words}, this is"))).faults


def test_of_several_theorems_none_is_meant_without_its_number(several):
    text = several.replace('<PROPOSITION_PROOF id="1">', '<PROPOSITION_PROOF id="1">By the Theorem')
    assert not outline(read_sections(text)).faults


def test_the_numbers_of_a_list_may_be_tied():
    known = {"Lemma 1": None, "Lemma 2": None, "Lemma 3": None}
    (found,) = citations("By Lemmas~1,~2 and~3 it holds.", known)
    assert found.names == ("Lemma 1", "Lemma 2", "Lemma 3")
