from collections.abc import Callable

from pfcore.graph.paper_state import PaperState
from pfcore.impact.comparison import match_modules

Paper = Callable[..., PaperState]


def pairs(before: PaperState, after: PaperState) -> dict[str, str]:
    return match_modules(
        before.document,
        after.document,
        texts_before=before.paper.texts,
        texts_after=after.paper.texts,
    )


def lemma(label: str, words: str, proof: str = "", env: str = "lemma") -> str:
    mark = f"\\label{{{label}}}" if label else ""
    text = f"\\begin{{{env}}}{mark} {words} \\end{{{env}}}\n"
    return text + (f"\\begin{{proof}} {proof} \\end{{proof}}\n" if proof else "")


def test_what_is_unchanged_stays_itself(paper: Paper) -> None:
    body = lemma("a", "One.", "Clear.") + lemma("", "Two.") + lemma("", "Two.")
    found = pairs(paper(body), paper(body))
    assert all(name == old for name, old in found.items())
    assert len(found) == 3


def test_a_renamed_module_is_known_by_its_content(paper: Paper) -> None:
    before = lemma("a", "One.", "Clear.") + lemma("b", "Two.", "Clear.")
    after = lemma("c", "Two.", "Clear.") + lemma("a", "One.", "Clear.")
    assert pairs(paper(before), paper(after)) == {"a": "a", "c": "b"}


def test_labels_that_change_hands_follow_the_content(paper: Paper) -> None:
    before = lemma("a", "One.", "Clear.") + lemma("b", "Two.", "Plain.")
    after = lemma("b", "One.", "Clear.") + lemma("a", "Two.", "Plain.")
    assert pairs(paper(before), paper(after)) == {"b": "a", "a": "b"}


def test_an_edited_module_is_known_by_its_label(paper: Paper) -> None:
    before = lemma("a", "One.", "Clear.")
    assert pairs(paper(before), paper(lemma("a", "Other words altogether.", "New proof."))) == {
        "a": "a"
    }
    changed_kind = lemma("a", "New words.", "A proof.", env="theorem")
    assert pairs(paper(before), paper(changed_kind)) == {"a": "a"}


def test_a_module_without_a_label_survives_an_insertion_and_an_edit(paper: Paper) -> None:
    before = lemma("", "Every ring has a unit.", "See Lang.") + lemma("", "Every field is a ring.")
    after = lemma("", "New.") + lemma("", "Every ring has a unit.", "See Bourbaki.") + lemma(
        "", "Every field is a commutative ring."
    )  # fmt: skip
    assert pairs(paper(before), paper(after)) == {
        "lemma~main~2": "lemma~main~1",
        "lemma~main~3": "lemma~main~2",
    }


def test_a_reworded_statement_is_known_by_its_proof(paper: Paper) -> None:
    before = lemma("a", "One.", "A proof that stays.")
    after = lemma("b", "Something else.", "A proof that stays.")
    assert pairs(paper(before), paper(after)) == {"b": "a"}


def test_unlike_modules_are_not_paired(paper: Paper) -> None:
    before = lemma("a", "Every ring has a unit element.")
    assert pairs(paper(before), paper(lemma("b", "Two points span one line."))) == {}
    definition = lemma("d", "Every ring has a unit element, yes.", env="definition")
    assert pairs(paper(before), paper(definition)) == {}


def test_the_more_alike_are_paired_first(paper: Paper) -> None:
    before = lemma("a", "Every small ring has a unit element.") + lemma(
        "b", "Every small ring has a zero element."
    )
    after = lemma("c", "Every tiny ring has a zero element.") + lemma(
        "d", "Every tiny ring has a unit element."
    )
    assert pairs(paper(before), paper(after)) == {"c": "b", "d": "a"}


def test_copies_are_paired_in_reading_order_where_they_are_equally_many(paper: Paper) -> None:
    before = lemma("", "Same.", "Same.") * 2 + lemma("x", "Other.", "Other.")
    after = lemma("x", "Other.", "Other.") + lemma("", "Same.", "Same.") * 2
    assert pairs(paper(before), paper(after)) == {
        "x": "x",
        "lemma~main~1": "lemma~main~1",
        "lemma~main~2": "lemma~main~2",
    }


def test_very_many_unknown_modules_are_not_compared_word_by_word(paper: Paper) -> None:
    names = ["".join(chr(97 + int(digit)) for digit in f"{number:03}") for number in range(410)]
    before = "".join(lemma("", f"Every ring {name} has a unit.") for name in names)
    after = "".join(lemma("", f"Every ring {name} has one unit.", env="theorem") for name in names)
    assert pairs(paper(before), paper(after)) == {}
