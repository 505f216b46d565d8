import unicodedata

import pytest

from pfcore.domain.values import Role
from pfcore.latex.project.kinds import counted_word, kind_of, opens, role_of


@pytest.mark.parametrize(
    ("env", "printed", "kind"),
    [
        ("foo", "Lemma", "lemma"),
        ("lem", "", "lemma"),
        ("thm", "Main Theorem", "theorem"),
        ("x", "Théorème", "theoreme"),
        ("x", "Thm.", "theorem"),
        ("defn*", "", "definition"),
        ("foo*", "", "foo"),
        ("foo", "Grand Unification", "grand unification"),
        ("x", "Non-Example", "non-example"),
        ("x", "Определение", "определение"),
        ("x", "Věta", "veta"),
        ("x", "定理", "定理"),
        ("x", "보조정리", unicodedata.normalize("NFKD", "보조정리")),
    ],
)
def test_the_printed_name_says_the_kind_before_the_environments_name(
    env: str, printed: str, kind: str
) -> None:
    assert kind_of(env, printed) == kind


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("lemma", Role.RESULT),
        ("definition", Role.DEFINITION),
        ("hypothesis", Role.ASSUMPTION),
        ("convention", Role.CONVENTION),
        ("conjecture", Role.OPEN),
        ("remark", Role.ASIDE),
        ("widget", Role.ASIDE),
        ("twierdzenie", Role.RESULT),
        ("定义", Role.DEFINITION),
        ("замечание", Role.ASIDE),
    ],
)
def test_a_kind_has_a_role(kind: str, role: Role) -> None:
    assert role_of(kind) is role


@pytest.mark.parametrize(
    ("begin", "word"),
    [
        (r"\refstepcounter{trial}\par\textbf{Trial~\thetrial #1} ", "trial"),
        (r"\refstepcounter{trial}{\bfseries Trials \thetrial.} ", "trials"),
        (r"\refstepcounter{trial}{\bf Lemma \thetrial}", "lemma"),
        (r"\refstepcounter{trial}\textbf{Trial \theother}", ""),
        (r"\textbf{Trial~\thetrial}\refstepcounter{trial}", ""),
        (r"\refstepcounter{lecture}\textbf{Lecture \thelecture}", ""),
        (r"\stepcounter{trial}\textbf{Trial \thetrial}", ""),
        (" " * 600 + "\n" + r"\refstepcounter{trial}\textbf{Trial \thetrial}", "trial"),
    ],
)
def test_a_word_in_bold_with_the_number_that_is_stepped_heads_a_statement(
    begin: str, word: str
) -> None:
    assert counted_word(begin) == word


@pytest.mark.parametrize(
    ("begin", "title"),
    [
        (r"\smallskip\noindent{\bf \underline{Demonstração:}}", "Demonstração:"),
        (r"\par\textcolor{teal!60}{\uline{Proof.}}\quad", "Proof."),
        (r"\color{red}\textit{Beweis.} ", "Beweis."),
        (r"\textbf{Proof for Lemma #1.}", "Proof for Lemma #1."),
        (
            r"{\it \textbf{Proof.}}\tcolorbox[left={5mm}, west={1mm}{0pt}{red!40}]",
            "Proof.",
        ),
        (r"\begin{tcolorbox}[breakable]\textbf{Proof.}", "Proof."),
        (r"\begin{mdframed}[linewidth=1pt]{\bfseries Preuve :}", "Preuve :"),
        (r"\textit{Proof.}\tcolorbox[" + 200 * "a=b, " + "]", "Proof."),
        (r"\tcolorbox[title=Proof] What a proof is:", None),
        (r"\textbf{Proof technique.}", None),
        (r"\underline{\hspace{1cm}}", None),
    ],
)
def test_an_environment_that_prints_proof_and_frames_it_is_a_proof(
    begin: str, title: str | None
) -> None:
    assert opens(begin) == title
