"""What a change of a title affects: the name of a result is printed, too."""

from collections.abc import Callable

import pytest

Affected = Callable[..., dict[str, tuple[str, ...]]]

RESULT = "\\begin{theorem}%s\\label{t} A is B. \\end{theorem}\n\\begin{proof} So. \\end{proof}\n"
READER = "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@pytest.mark.parametrize("title", ["[Cauchy]", "[Cauchy, \\cite{c}]", "[{\\cite[Theorem 2]{c}}]"])
def test_the_title_of_a_result_counts(affected: Affected, title: str) -> None:
    body = RESULT + READER % "By \\cref{t}."
    assert set(affected(body % "", body % title)) == {"a", "t"}
    assert set(affected(body % title, body % "")) == {"a", "t"}


def test_a_title_by_which_a_text_calls_the_result_affects_that_text(affected: Affected) -> None:
    body = RESULT + READER % "By the Cauchy theorem."
    own = ("statement changed",)
    named = ("it now depends on t, which it names",)
    assert affected(body % "", body % "[Cauchy]") == {"t": own, "a": named}
    lost = ("it no longer depends on t",)
    assert affected(body % "[Cauchy]", body % "") == {"t": own, "a": lost}


def test_a_text_that_calls_a_result_by_another_of_its_names(affected: Affected) -> None:
    body = RESULT + READER % "By the Cauchy theorem, or the Gauss theorem."
    found = affected(body % "[Cauchy]", body % "[Gauss]")
    assert found["a"] == ("t, which it names, changed its statement",)


@pytest.mark.parametrize("title", ["[Case $p=2$]", "[Converse of \\cref{a}]"])
def test_a_title_that_says_more_than_a_name_counts(affected: Affected, title: str) -> None:
    body = RESULT + READER % "By \\cref{t}."
    assert set(affected(body % "", body % title)) == {"a", "t"}


def test_the_title_of_a_definition_counts(affected: Affected) -> None:
    tame = "\\begin{definition}%s\\label{d} A map is so if it is bounded. \\end{definition}\n"
    body = tame + READER % "By \\cref{d}."
    assert set(affected(body % "", body % "[Tame]")) == {"a"}


def test_the_title_of_a_claim_inside_a_proof_counts(affected: Affected) -> None:
    claim = "\\begin{claim}%s C. \\end{claim} \\begin{proof} So. \\end{proof} Done."
    body = READER % f"First. {claim}"
    assert set(affected(body % "", body % "[Key]")) == {"a", "claim~key"}
