"""Symbols that one proof introduces and another uses."""

from collections.abc import Callable

import pytest

from pfcore.domain.values import Finding
from pfcore.reporters.printing import safe

FIRST = r"\begin{lemma}\label{a} A.\end{lemma}\begin{proof}%s Hence $y \le 3%s$. \end{proof}"
SECOND = r"\begin{lemma}\label{b} B.\end{lemma}\begin{proof}%s Hence $z \le 2%s$. \end{proof}"
SET = r"Let $\tilde{\varepsilon}_0 := 1$."
USE = r"\tilde\varepsilon_0"

Found = Callable[..., list[Finding]]


@pytest.fixture
def found(article) -> Found:
    """The findings of this check in an article of two lemmas, and what may stand around them."""

    def run(
        first: str = SET, second: str = "", *, use: str = USE, before: str = "", after: str = ""
    ) -> list[Finding]:
        body = before + FIRST % (first, use) + SECOND % (second, use) + after
        report = article(body)
        return [item for item in report.findings if item.rule == "out-of-scope-symbol"]

    return run


def test_a_symbol_of_another_proof_is_a_note(found: Found) -> None:
    (finding,) = found()
    assert (finding.severity.value, finding.module, finding.related) == ("note", "b", ("a",))
    assert finding.quote == USE
    assert finding.message == (
        r"\tilde\varepsilon_0 is used here but defined only in the proof of a"
    )
    assert safe(finding.message) == finding.message


@pytest.mark.parametrize(
    ("setting", "use"),
    [
        (r"Put $C_{\mathrm{BDG}} = 4$.", r"C_{BDG}"),
        (r"We have $\hat f(t) \coloneqq t$.", r"\hat{f}(1)"),
        (r"Define $N_{\text{bad}} = \# X$.", r"N_{\text{bad}}^2"),
        (r"Let $\mathfrak Q_\star$ be maximal.", r"\mathfrak{Q}_{\star}"),
        (r"Let $\tilde x$ be a point.", r"\tilde x"),
        (r"Denote by $\widetilde{X}$ the cover.", r"\tilde X"),
    ],
)
def test_so_it_is_for_all_that_is_distinctive(found: Found, setting: str, use: str) -> None:
    assert len(found(setting, use=use)) == 1


@pytest.mark.parametrize(
    ("setting", "use"),
    [
        (r"Let $x := 1$.", "x"),
        (r"Let $x_0 := 1$.", "x_0"),
        (r"Let $\tilde x_n := 1$.", r"\tilde x_n"),
        (r"Let $\varepsilon_0 := 1$.", r"\varepsilon_0"),
        (r"Let $\mathcal F$ be a sheaf.", r"\mathcal F"),
    ],
)
def test_letters_and_members_of_families_may_be_anybodys(
    found: Found, setting: str, use: str
) -> None:
    assert found(setting, use=use) == []


@pytest.mark.parametrize(
    "second",
    [
        SET,  # set again
        r"Let $\tilde\varepsilon_0 > 0$ be small.",
        r"Choose $\delta$ and $\tilde\varepsilon_0$.",
        r"For $\tilde\varepsilon_0$ small,",
        r"Let $(\tilde\varepsilon_n)$ be a sequence.",  # the family
        r"Let \ref{eq} hold, and $y\le \tilde\varepsilon_0$.",
        r"With the notation of the last proof,",
        r"As before, all is well.",
        r"We argue as in the proof of \ref{a}.",
        r"By \eqref{eq},",
    ],
)
def test_a_proof_that_may_introduce_it_or_follows_the_other_is_in_order(
    found: Found, second: str
) -> None:
    first = SET + r" \begin{equation}\label{eq} 1 = 1 \end{equation}"
    assert found(first, second) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"Let $\tilde\varepsilon_0 > 0$.", ""),
        ("", r"Here $\tilde{\varepsilon}_0$ is small."),
        ("", r"\begin{lemma} $\tilde\varepsilon_n\to 0$ \end{lemma}"),
        (r"\begin{definition} $\tilde\varepsilon$. \end{definition}", ""),
        (r"\newcommand{\teps}{\tilde\varepsilon}", ""),
        ("", r"\begin{lemma} C. \end{lemma}\begin{proof}" + SET + r"\end{proof}"),  # set twice
        (r"\input{missing}", ""),
    ],
)
def test_a_symbol_that_others_know_is_in_order(found: Found, before: str, after: str) -> None:
    assert found(before=before, after=after) == []


def test_citing_the_result_brings_in_no_symbol_of_its_proof(found: Found) -> None:
    assert len(found(second=r"By \ref{a} all is well.")) == 1


def test_two_proofs_of_one_result_and_claims_inside_belong_together(article) -> None:
    use = rf"Hence $y \le 2{USE}$."
    again = r"\begin{proof}[Second proof]" + use + r"\end{proof}"
    inside = r"\begin{lemma} C. \end{lemma}\begin{proof}" + use + r"\end{proof}"
    lemma = r"\begin{lemma}\label{a} A.\end{lemma}\begin{proof}%s%s\end{proof}"
    for body in (lemma % (SET, "") + again, lemma % (SET, inside), lemma % (inside, SET)):
        assert article(body).findings == () or "scope" not in article(body).findings[0].rule


def test_what_is_not_maths_or_hidden_counts_for_nothing(found: Found) -> None:
    assert len(found(after="% $\\tilde\\varepsilon_0$\n")) == 1
    assert len(found(before="\\iffalse $\\tilde\\varepsilon_0$ \\fi")) == 1
