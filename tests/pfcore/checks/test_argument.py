"""Circles, results without proof, proofs without result."""

import pytest

from pfcore.checks.registry import ALL
from pfcore.domain.values import Status
from pfcore.review.gate import ModuleStatuses
from tests.conftest import article_text

LEMMA = "\\begin{lemma}\\label{%s} A. \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


def _rules(report):
    return [finding.rule for finding in report.findings]


def test_a_circle_is_reported_whole_and_once(article):
    body = (
        LEMMA % ("a", r"By \ref{b}.")
        + LEMMA % ("b", r"By \ref{c}.")
        + LEMMA % ("c", r"By \ref{a}.")
    )
    report = article(body)
    (finding,) = report.findings
    assert finding.rule == "cycle"
    assert "Lemma 1 → Lemma 2 → Lemma 3 → Lemma 1" in finding.message
    assert finding.quote == r"\ref{b}"
    assert finding.related == ("b", "c")


INNOCENT = [
    r"By Lemma~\ref{b} in dimension $n-1$.",
    r"By Lemma~\ref{b} in lower dimension, done.",
    r"By Lemma~\ref{b} in degree less than $d$.",
    r"By Lemma~\ref{b}$_{n-1}$.",
    r"We prove this and Lemma~\ref{b} together by induction on $n$. By Lemma~\ref{b}, fine.",
    r"Suppose that Lemma~\ref{b} fails. By Lemma~\ref{b}, no.",
    r"By Lemma~\ref{b}(i).",
    r"By Lemma~\ref{b}, which we prove below independently, fine.",
    r"Take a minimal counterexample. By Lemma~\ref{b}, there is none.",
    r"Not by Lemma~\ref{b}.",
]


@pytest.mark.parametrize("words", INNOCENT)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_may_be_an_induction_is_never_said_to_be_circular(article, words, is_first):
    proofs = [("a", words), ("b", r"By Lemma~\ref{a}.")]
    if not is_first:
        swapped = words.replace("{b}", "{a}")
        proofs = [("a", r"By Lemma~\ref{b}."), ("b", swapped)]
    findings = article("".join(LEMMA % item for item in proofs)).findings
    assert [item.severity.value for item in findings] in ([], ["note"], ["warning"])
    said = {"note": "this may be an induction", "warning": "possibly circular argument"}
    assert all(said[item.severity.value] in item.message for item in findings)


def test_a_circle_that_may_be_an_induction_names_its_results_as_the_paper_does(article):
    proofs = [("a", r"By induction on $n$ and Lemma~\ref{b}."), ("b", r"By Lemma~\ref{a}.")]
    (finding,) = article("".join(LEMMA % item for item in proofs)).findings
    assert finding.severity.value == "note"
    assert finding.message.startswith("these proofs use each other: Lemma 1 → Lemma 2 → Lemma 1; ")


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        (r"By Lemma~\ref{b} for $n - 1$.", "note"),
        (r"We argue by induction on $n$. By Lemma~\ref{b}, fine.", "note"),
        (r"By recursion on $n$. By Lemma~\ref{b}, fine.", "note"),
        (r"By transfinite recursion and Lemma~\ref{b}, fine.", "note"),
        (r"By a transfinite recursion and Lemma~\ref{b}, fine.", "note"),
        (r"We proceed recursively. By Lemma~\ref{b}, fine.", "note"),
        (r"Apply Lemma~\ref{b} recursively.", "note"),
        (r"By a recursive application of Lemma~\ref{b}, fine.", "note"),
        (r"The set is recursively enumerable. By Lemma~\ref{b}, fine.", "warning"),
        (r"Apply Lemma~\ref{b} to the recursively enumerable set $S$.", "warning"),
        (r"Now $f$ is primitive recursive. By Lemma~\ref{b}, fine.", "warning"),
        (r"Solve the recursion (3). By Lemma~\ref{b}, fine.", "warning"),
        (r"We use Lemma~\ref{b}.", "warning"),
        (r"By Lemma~\ref{b} for $m$.", "warning"),
        (r"By Lemma~\ref{b}, this is a contradiction.", "warning"),
    ],
)
def test_how_grave_a_circle_is_follows_its_least_plain_use(article, words, severity):
    proofs = [("a", words), ("b", r"By Lemma~\ref{c}."), ("c", r"By Lemma~\ref{a}.")]
    (finding,) = article("".join(LEMMA % item for item in proofs)).findings
    assert (finding.rule, finding.severity.value) == ("cycle", severity)


@pytest.mark.parametrize(
    "words",
    [
        "By Lemma 1 we are done.",
        "By the previous lemma we are done.",
        "Nach Lemma 1 ist dies klar.",
        "Nach dem vorigen Lemma ist dies klar.",
        "D'après le lemme précédent, c'est clair.",
    ],
)
def test_a_circle_that_words_close_may_be_one(article, words):
    kinds = "\\newtheorem{lemme}{Lemme}" if "lemme" in words else ""
    body = kinds + LEMMA % ("a", "By %s.") + LEMMA % ("b", words)
    body = body.replace("{lemma}", "{lemme}") if kinds else body
    (finding,) = article(body % r"\ref{b}").findings
    assert (finding.rule, finding.severity.value) == ("cycle", "warning")
    assert "possibly circular argument: " in finding.message
    assert not article(body % "hand").findings


def test_a_circle_of_formal_proofs_is_a_note(article):
    words = [("a", r"\leanok This is half of Lemma~\ref{b}."), ("b", r"\leanok By Lemma~\ref{a}.")]
    (finding,) = article("".join(LEMMA % item for item in words)).findings
    assert (finding.rule, finding.severity.value) == ("cycle", "note")
    words[1] = "b", r"By Lemma~\ref{a}."
    (finding,) = article("".join(LEMMA % item for item in words)).findings
    assert (finding.rule, finding.severity.value) == ("cycle", "warning")


@pytest.mark.parametrize(
    "words",
    [
        r"Note that this is stronger than Lemma~\ref{a}.",
        r"For another proof see the remark after Lemma~\ref{a}.",
        r"Daraus wird später Lemma~\ref{a} folgen.",
        r"Dies verschärft Lemma~\ref{a}.",
        r"Dies ist stärker als Lemma~\ref{a}.",
        r"Le lemme~\ref{a} en découlera.",
        r"Ceci améliore le lemme~\ref{a}.",
        r"Ceci est plus fort que le lemme~\ref{a}.",
        "This implies Lemma 1.",
        "This completes the proof of the previous lemma.",
        "Compare the previous lemma.",
    ],
)
def test_what_is_only_spoken_of_closes_no_circle(article, words):
    proofs = [("a", r"By Lemma~\ref{b}."), ("b", f"All is clear. {words}")]
    assert not article("".join(LEMMA % item for item in proofs)).findings


def test_what_is_told_of_a_knot_is_its_plainest_circle(article):
    proofs = [
        ("a", r"By Lemma~\ref{b}. By Lemma~\ref{c}."),
        ("b", r"By induction and Lemma~\ref{a}."),
        ("c", r"We use Lemma~\ref{a}."),
    ]
    (finding,) = article("".join(LEMMA % item for item in proofs)).findings
    assert "Lemma 1 → Lemma 3 → Lemma 1" in finding.message
    assert finding.severity.value == "warning"


def test_a_proof_may_name_its_own_result(article):
    for words in (r"We prove Lemma~\ref{a}.", r"By induction, Lemma~\ref{a} holds for $n-1$."):
        assert _rules(article(LEMMA % ("a", words))) == [], words


ITSELF = (
    r"\begin{lemma}\label{a} A. \begin{equation}\label{e} x=1. \end{equation}\end{lemma}" + "\n"
)


@pytest.mark.parametrize(
    "words",
    [
        r"By Lemma~\ref{a}, all is well.",
        r"All is well. This follows from Lemma \ref{a}.",
        r"Using Lemma \ref{a} we win.",
        r"Lemma \ref{a} implies that all is well.",
    ],
)
def test_a_proof_that_plainly_uses_its_own_result_is_noted(article, words):
    body = ITSELF + rf"\begin{{proof}} {words} \end{{proof}}"
    (finding,) = article(body).findings
    assert (finding.rule, finding.severity.value, finding.module) == ("cycle", "note", "a")
    assert finding.message == "possibly circular argument: the proof of Lemma 1 uses Lemma 1"
    assert finding.quote in words


PROVES = r"\begin{proof}%s \end{proof}"
PLAINLY = r" By Lemma~\ref{a}, all is well."


@pytest.mark.parametrize(
    "proofs",
    [
        PROVES % r" This proves Lemma \ref{a}.",
        PROVES % r" We now prove Lemma \ref{a}.",
        PROVES % r" The constant in Lemma \ref{a} is sharp.",
        PROVES % r" We argue by induction. By Lemma \ref{a}, all is well.",
        PROVES % r" By Lemma \ref{a} for $n-1$ all is well.",
        PROVES % r" By the first part of Lemma \ref{a}, all is well.",
        PROVES % r" By part (i) of Lemma \ref{a}, all is well.",
        PROVES % r" By \eqref{e}, all is well.",
        PROVES % r" Suppose that Lemma \ref{a} fails; by minimality we win.",
        PROVES % r" By the assumptions of Lemma \ref{a}, all is well.",
        PROVES % r"[Proof of Lemma \ref{a}] Clear.",
        PROVES % " Clear." + "\nIf so, then all is well.\n" + PROVES % PLAINLY,
        r"\begin{lemma}\label{b} B. \end{lemma}"
        + PROVES % (r"[Proof of Lemmas \ref{a} and \ref{b}]" + PLAINLY),
    ],
)
def test_a_proof_that_speaks_of_its_own_result_is_not_circular(article, proofs):
    rules = [item.rule for item in article(ITSELF + proofs).findings]
    assert "cycle" not in rules


def test_words_about_a_result_close_no_circle(article):
    for words in (
        r"Compare Lemma~\ref{b}.",
        r"This completes the proof of Lemma~\ref{b}.",
        r"This is used in the proof of Lemma~\ref{b}.",
        r"We argue as in the proof of Lemma~\ref{b}.",
        r"We do not use Lemma~\ref{b}.",
        r"Without using Lemma~\ref{b}, this is clear.",
        r"Clear. (Lemma~\ref{b} will improve this.)",
        r"The converse is Lemma~\ref{b}.",
        r"Unlike in Lemma~\ref{b}, this is clear.",
        r"That this is sharp will be shown in Lemma~\ref{b} below.",
        r"With the notation of Lemma~\ref{b}, this is clear.",
        r"See also Lemma~\ref{b}.",
        r"It is superseded by Lemma~\ref{b}.",
        r"As we shall see in Lemma~\ref{b}, this is sharp.",
        r"In contrast to Lemma~\ref{b}, this is clear.",
        r"Clear (a stronger result is Lemma~\ref{b}).",
    ):
        body = LEMMA % ("a", words) + LEMMA % ("b", r"By Lemma~\ref{a}.")
        assert _rules(article(body)) == [], words


def test_an_equation_of_a_statement_closes_no_circle(article):
    body = (
        r"\begin{lemma}\label{a} Assume \begin{equation}\label{hyp} x>0 \end{equation} Then A."
        r"\end{lemma}\begin{proof} By Lemma~\ref{b}. \end{proof}"
        r"\begin{lemma}\label{b} B. \end{lemma}\begin{proof} By \eqref{hyp}. \end{proof}"
    )
    assert _rules(article(body)) == []


def test_a_reference_in_a_statement_closes_no_circle(article):
    body = (
        r"\begin{lemma}\label{a} As in Lemma~\ref{b}, A.\end{lemma}\begin{proof} P. \end{proof}"
        r"\begin{lemma}\label{b} B. \end{lemma}\begin{proof} By Lemma~\ref{a}. \end{proof}"
    )
    assert _rules(article(body)) == []


def test_two_separate_circles_are_two_findings(article):
    body = "".join(
        LEMMA % pair
        for pair in (
            ("a", r"By \ref{b}"),
            ("b", r"By \ref{a}"),
            ("c", r"By \ref{d}"),
            ("d", r"By \ref{c}"),
        )
    )
    assert _rules(article(body)) == ["cycle", "cycle"]


def test_a_result_without_proof_is_a_note(article):
    (finding,) = article(r"\begin{theorem}\label{t} T. \end{theorem}").findings
    assert (finding.rule, finding.severity.value) == ("no-proof", "note")


def test_a_cited_result_or_one_proved_elsewhere_is_none(article):
    assert _rules(article(r"\begin{theorem}[\cite{x}] T. \end{theorem}")) == []
    body = (
        r"\begin{theorem} T. \end{theorem} Later. \begin{theorem}\label{t} T. \end{theorem}"
        r"\begin{proof} P. \end{proof}"
    )
    assert _rules(article(body)) == []


PROVED = LEMMA % ("a", "Clear.") + "\\section{More}\n"
STATED = "\\begin{theorem}%s\\label{t} T. \\end{theorem}"


@pytest.mark.parametrize(
    ("title", "rules"),
    [
        (r"[Lemma~\ref{a}]", []),
        (r"[see Lemma \ref{a}, restated]", []),
        (r"[Restatement of \cref{a}]", []),
        (r"[Lemma \ref{a} and Remark \ref{r}]", []),
        (r"[Remark \ref{r}]", ["no-proof"]),
        (r"[Lemma \ref{a} and Theorem \ref{t}]", ["no-proof"]),
        (r"[Converse of Lemma \ref{a}]", ["no-proof"]),
        (r"[Lemma \ref{a}, general case]", ["no-proof"]),
        (r"[Theorem \ref{t}]", ["no-proof"]),
        (r"[Lemma \ref{gone}]", ["dangling-reference", "no-proof"]),
        (r"[see Definition \ref{d}]", ["no-proof"]),
        (r"[Section \ref{s}]", ["no-proof"]),
    ],
)
def test_a_result_whose_title_is_another_is_proved_there(article, title, rules):
    others = r"\section{S}\label{s}\begin{definition}\label{d} D. \end{definition}"
    others += r"\begin{remark}\label{r} R. \end{remark}" + PROVED
    report = article(others + STATED % title)
    assert sorted(_rules(report)) == rules
    document = report.state.document
    assert (report.unproved == ()) is ("no-proof" not in rules)
    if not rules:
        assert ("t", "a") in [(edge.source, edge.target) for edge in document.edges]
        later = article(STATED % title + others)
        assert (_rules(later), later.unproved) == ([], ())


def test_a_result_that_seems_to_be_stated_again_is_told_how_to_say_so(article):
    again = "\\begin{lemma}\\label{lem:a:intro} A, in short. \\end{lemma}\n"
    report = article(again + LEMMA % ("lem:a", "Fine."))
    (finding,) = report.findings
    assert finding.message == (
        "lem:a:intro has no proof or citation; Lemma 2 has a proof: "
        r"if this is the same result, title it [Lemma \ref{lem:a}]"
    )
    titled = again.replace("\\label", r"[Theorem \ref{lem:a}]\label")
    assert article(titled + LEMMA % ("lem:a", "Fine.")).findings == ()
    assert ";" not in article(again).findings[0].message


def test_two_results_that_name_each_other_are_both_without_a_proof(article):
    one, other = (STATED % rf"[Theorem \ref{{{key}}}]" for key in "tu")
    assert _rules(article(one.replace("label{t}", "label{u}") + other)) == ["no-proof"] * 2


@pytest.mark.parametrize(
    ("before", "rules"),
    [
        (r"The following is due to Gauss \cite[Theorem~2]{g}.", []),
        ("Nous rappelons le r\u00e9sultat de \\cite{g} :\n", []),
        ("As $x=1$, we have proven the following theorem.\n\n", []),
        ("This proves:", []),
        ("Damit ist bewiesen:", []),
        ("Nous avons donc d\\'emontr\\'e le th\\'eor\\`eme suivant.", []),
        (r"The following improves a result of Gauss \cite{g}.", ["no-proof"]),
        ("We want to prove the following theorem.", ["no-proof"]),
        ("This proves: \\section{B}", ["no-proof"]),
    ],
)
def test_words_before_a_result_say_whose_it_is_or_that_it_is_proved(article, before, rules):
    report = article(f"\\section{{A}} Words. {before}\n{STATED % ''}")
    assert (_rules(report), report.unproved) == (rules, ("t",) if rules else ())
    is_source = "cite" in before and not rules
    assert ModuleStatuses(report).announced == ([] if is_source or rules else ["t"])
    assert report.statuses["t"] is (Status.CITED if is_source else Status.UNREACHED)


def test_a_formal_statement_is_no_proof_of_it(article):
    theorem = r"\begin{theorem}%s T. \end{theorem}"
    assert _rules(article(theorem % r"\leanok")) == ["no-proof"]
    assert _rules(article(theorem % r"\mathlibok")) == []


def test_a_definition_wants_no_proof(article):
    assert _rules(article(r"\begin{definition} D. \end{definition}")) == []


def test_a_step_may_be_proved_by_the_proof_around_it(article):
    body = (
        r"\newtheorem{step}{Step}\begin{theorem} T. \end{theorem}\begin{proof}"
        r"\begin{step} S. \end{step} Indeed, look. \end{proof}"
    )
    assert _rules(article(body)) == []


def test_a_second_proof_is_a_note_unless_it_says_so(article):
    one = LEMMA % ("a", "P.")
    (finding,) = article(one + r"\begin{proof} Q. \end{proof}").findings
    assert finding.rule == "two-proofs"
    assert finding.message.endswith(r"something else, write \begin{proof}[Proof of ...]")
    assert _rules(article(one + r"\begin{proof}[Second proof] Q. \end{proof}")) == []


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        (r"\paragraph{Proof.} Q.", 1),
        (r"\paragraph{Proof of Lemma~\ref{a}.} Q.", 0),
        (r"\subsection{Second proof of Lemma~\ref{a}} Q.", 0),
        ("\n\n\\textbf{Proof.} Q. \\qed", 1),
    ],
)
def test_a_second_proof_under_a_heading_is_told_what_to_write_there(article, heading, told):
    found = article(LEMMA % ("a", "P.") + heading).findings
    assert [item.rule for item in found] == ["two-proofs"] * told
    assert [item.message.rpartition("; ")[2] for item in found] == [
        "if this one proves something else, name that in its heading: Proof of ..."
    ] * told


def test_a_proof_that_belongs_to_nothing_is_a_warning(article):
    (finding,) = article(r"\section{A} Words. \begin{proof} P. \end{proof}").findings
    assert (finding.rule, finding.severity.value) == ("proof-of-nothing", "note")


@pytest.mark.parametrize(
    ("heading", "called"),
    [
        (r"\paragraph{Claim.} C.", "Claim"),
        (r"\textbf{Theorem:} Let $x$. Then $y$.", "Theorem"),
        (r"\noindent{\bf Lemma 4} (Gauss). C.", "Lemma"),
        (r"\underline{\textbf{Satz 2.1}} Es gilt $x$.", "Satz"),
        (r"\textsc{Th\'eor\`eme.} On a $x$.", r"Th\'eor\`eme"),
        (r"\textbf{Note:} N. \par We show that $x$.", ""),
        (r"We recall that a famous \emph{theorem} of Euler says much.", ""),
        (r"\emph{Lemma}tic trees are old.", ""),
        (r"Words.\par \emph{Lemma 3.} Trees are old.", "Lemma"),
        (r"% \textbf{Theorem:} T." + "\nWords.", ""),
        (r"\textbf{Theorem:} T. \section{B} Words.", ""),
        (r"\textbf{Theorem:} T. \begin{proof}[Proof] Q. \end{proof} Words.", ""),
    ],
)
def test_a_proof_behind_a_statement_that_is_set_by_hand_says_so(article, heading, called):
    found = article(f"\\section{{A}}\n{heading}\n\\begin{{proof}} P. \\end{{proof}}").findings
    last = found[-1]
    assert (last.rule, last.severity.value) == ("proof-of-nothing", "note")
    assert ("no statement precedes this proof" in last.message) is not bool(called)
    assert f"the {called} before this proof (line " in last.message or not called


def test_every_check_has_an_id_a_severity_and_a_rationale():
    assert len({check.id for check in ALL}) == len(ALL)
    assert all(check.rationale and check.severity for check in ALL)


def test_a_proof_environment_under_another_title_may_be_no_proof(article):
    for title in ("Informal construction", "Note for category theorists"):
        text = rf"\section{{A}} Words. \begin{{proof}}[{title}] P. \end{{proof}}"
        assert _rules(article(text)) == [], title


def test_two_deferred_proofs_of_one_statement_are_noted(article):
    stated = r"\begin{theorem}\label{a} A. \end{theorem} Some words."
    proof = r"\begin{proof}[Proof of %s] %s \end{proof} More."
    same = proof % (r"Theorem~\ref{a}", "P.") + proof % (r"Theorem \ref{a}", "Q.")
    (finding,) = article(stated + same).findings
    assert finding.rule == "two-proofs"
    assert "a has another proof with this title at main.tex:" in finding.message
    for title in (r"Theorem~\ref{a}, upper bound", r"Theorem~\ref{a} (continued)"):
        parts = proof % (r"Theorem~\ref{a}", "P.") + proof % (title, "Q.")
        assert _rules(article(stated + parts)) == []


PROOF = "It is enough to look at the fibres, and they are finite by the hypothesis. " * 2
AFTER = "\\section{Proof of %s}\\label{sec}\n%s\n\\section{End} By Section \\ref{sec}, done."


@pytest.mark.parametrize("name", [r"Theorem~\ref{t}", "Theorem 1", "the main theorem"])
def test_a_section_may_be_the_proof_of_what_its_title_names(article, name):
    main = r"\newtheorem{mthm}{Theorem}\begin{mthm}[Main theorem]\label{t} T. \end{mthm}"
    report = article(main + (LEMMA % ("a", "Clear.")) + AFTER % (name, PROOF + r"Use \ref{a}."))
    assert _rules(report) == []
    document = report.state.document
    assert len(document.modules["t"].proofs) == 1
    assert [(edge.source, edge.target) for edge in document.edges] == [("t", "a")]


def test_a_section_with_other_results_is_no_proof_but_says_that_there_is_one(article):
    theorem = r"\begin{theorem}\label{t} T. \end{theorem}"
    body = theorem + AFTER % (r"Theorem \ref{t}", PROOF + (LEMMA % ("a", "Clear.")) + PROOF)
    report = article(body)
    assert (_rules(report), report.unproved) == ([], ())
    assert report.state.document.modules["t"].proofs == ()


@pytest.mark.parametrize(
    ("title", "is_proved"),
    [
        (r"Proof that $x$ is tame (Theorem~\ref{t})", True),
        ("Appendix: proof of Theorem 1", True),
        (r"Beweis von Satz~\ref{t}", True),
        (r"Preuve du th\'eor\`eme~\ref{t}", True),
        (r"Overview of the proof of Theorem~\ref{t}", False),
        (r"Idee des Beweises von Satz~\ref{t}", False),
        (r"Esquisse de la preuve du th\'eor\`eme~\ref{t}", False),
        (r"Proof that Theorem~\ref{t} implies Lemma~\ref{a}", False),
        ("Proof of Theorem 7", False),
        ("The proof of another thing", False),
    ],
)
def test_the_title_of_a_section_says_in_all_doors_that_a_result_is_proved(
    article, title, is_proved
):
    theorem = r"\begin{theorem}\label{t} T. \end{theorem}"
    body = f"{theorem}\\section{{{title}}} {PROOF}" + LEMMA % ("a", "Clear.") + PROOF
    report = article(body)
    told = [] if is_proved else ["t"]
    assert [one.module for one in report.findings if one.rule == "no-proof"] == told
    assert list(report.unproved) == told
    assert ModuleStatuses(report).unproved == told
    assert ModuleStatuses(report).announced == (["t"] if is_proved else [])
    assert ("t" in ModuleStatuses(report).unread) is is_proved


@pytest.mark.parametrize("name", ["the main theorem", r"Theorem \ref{nowhere}", "Theorem 17.3"])
def test_a_section_that_names_no_result_proves_none(article, name):
    report = article((LEMMA % ("a", "Clear.")) + AFTER % (name, PROOF))
    assert len(report.state.document.modules["a"].proofs) == 1
    assert "proof-of-nothing" not in _rules(report)


def test_a_result_whose_label_another_one_has_is_not_called_by_an_id(article):
    body = LEMMA % ("a", "Clear.") + r"\begin{lemma}\label{a} Another thing. \end{lemma}"
    (finding,) = [item for item in article(body).findings if item.rule == "no-proof"]
    assert finding.message == "this lemma has no proof or citation"


OWN = "\\begin{proof} Clear. \\end{proof}\n"


@pytest.mark.parametrize("words", ["Omitted.", "Exercise.", "Übungsaufgabe."])
def test_an_omitted_proof_is_noted_as_a_missing_one_is(article, words):
    (finding,) = article(LEMMA % ("a", words)).findings
    assert (finding.rule, finding.severity.value, finding.module) == ("no-proof", "note", "a")
    assert finding.message == "the proof of a is omitted"
    missing = article(r"\begin{lemma}\label{a} A. \end{lemma}").findings
    assert [item.id for item in missing] == [finding.id]


@pytest.mark.parametrize(
    "body",
    [
        LEMMA % ("a", r"See \cite{x}."),
        LEMMA % ("a", r"\leanok Omitted."),
        LEMMA % ("a", "Omitted.") + r"Later. \begin{lemma}\label{b} A. \end{lemma}" + OWN,
    ],
)
def test_what_is_cited_formal_or_proved_elsewhere_may_omit_its_proof(article, body):
    assert _rules(article(body)) == []


ASIDE = "\\begin{remark}\\label{r} R. \\end{remark}\n"


def test_a_proof_of_a_remark_is_noted(article):
    (finding,) = article(ASIDE + OWN).findings
    assert (finding.rule, finding.severity.value, finding.module) == ("proof-of-aside", "note", "r")
    assert "the remark right before it" in finding.message


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{lemma}\label{a} A. \end{lemma} " + ASIDE + OWN,
        ASIDE + r"\begin{proof}[Proof of Remark~\ref{r}] Clear. \end{proof}",
        r"\begin{exercise} X. \end{exercise}\begin{solution} Clear. \end{solution}",
        r"\begin{remark} R. " + OWN + r"\end{remark}",
        r"\newtheorem{key}{Schluessel}\begin{key} K. \end{key}" + OWN,
        r"\begin{definition} D. \end{definition}" + OWN,
    ],
)
def test_a_proof_that_is_certainly_of_what_it_follows_is_not_noted(article, body):
    assert "proof-of-aside" not in _rules(article(body))


@pytest.mark.parametrize("place", ["A.", "Omitted."])
def test_an_omission_is_answered_beside_the_statement_or_in_its_place(article, place):
    text = LEMMA % ("a", "Omitted.")
    report = article(text.replace(place, f"{place} % pf: ignore[no-proof] folklore\n"))
    assert [(item.rule, item.dismissed) for item in report.findings] == [("no-proof", "folklore")]


SUPPOSING = (
    "\\begin{theorem}\\label{t}Suppose that\n"
    "\\begin{equation}\\label{e}a<1.\\end{equation} Then\n"
    "\\begin{equation}\\label{f}b<1.\\end{equation}\\end{theorem}\n"
    "\\begin{proof}By Lemma~\\ref{l}, it is so.\\end{proof}\n"
    "\\begin{lemma}\\label{l}L.\\end{lemma}\\begin{proof}%s\\end{proof}\n"
)


@pytest.mark.parametrize(
    ("words", "circles"),
    [
        ("The strict inequality~\\eqref{e} in Theorem~\\ref{t} therefore gives $c$.", 0),
        ("The strict inequality~\\eqref{f} in Theorem~\\ref{t} therefore gives $c$.", 1),
        ("The bound~\\eqref{e} in Theorem~\\ref{t} and Theorem~\\ref{t} give $c$.", 1),
    ],
)
def test_who_names_a_result_for_what_it_supposes_does_not_use_it(article, words, circles):
    found = article(SUPPOSING % words).findings
    assert [item.rule for item in found].count("cycle") == circles


def test_a_circle_through_a_proof_that_was_matched_by_a_guess_is_a_note(article):
    mislabelled = (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof}[Proof of Lemma~\\ref{b}]\n"
    )
    body = mislabelled + "Clear. \\end{proof}\n" + LEMMA % ("b", r"By \ref{a}.")
    found = article(body + "\\begin{proof} By \\ref{b}. \\end{proof}\n").findings
    assert {item.severity.value for item in found if item.rule == "cycle"} == {"note"}


def test_a_case_within_a_proof_is_no_result_and_a_sentence_that_announces_one_no_proof(paper):
    state = paper(
        "\\documentclass{article}\\usepackage{amsthm}\\newtheorem{theorem}{Theorem}"
        "\\newtheorem{case}{Case}\\newtheorem{lemma}{Lemma}\\begin{document}\n"
        "\\begin{theorem}\\label{a}Good.\\end{theorem}\n\\begin{proof}\n"
        "\\begin{case}$x=1$.\\end{case}\n\\begin{proof}Clear.\\end{proof}\n"
        "\\begin{case}$x=2$. Then clear.\\end{case}\n\\end{proof}\n"
        "\\begin{theorem}\\label{b}Good.\\end{theorem}\n"
        "The proof follows from the two lemmas below.\n\n"
        "\\begin{lemma}\\label{c}Good.\\end{lemma}\n\\begin{proof}Clear.\\end{proof}\n"
        "\\begin{lemma}\\label{d}Good.\\end{lemma}\n\\begin{proof}Clear.\\end{proof}\n"
        "\\end{document}\n"
    )
    modules = state.document.modules
    assert {name for name, module in modules.items() if module.is_result} == {*"abcd"}
    assert [len(modules[name].proofs) for name in "abcd"] == [1, 0, 1, 1]


def test_a_circle_through_another_document_names_its_files(reviewed):
    xr = "\\usepackage{xr}\\externaldocument[%s-]{%s}"
    report = reviewed(
        {
            "main.tex": article_text(LEMMA % ("a", r"By \ref{o-b}."), preamble=xr % ("o", "other")),
            "other.tex": article_text(LEMMA % ("b", r"By \ref{m-a}."), preamble=xr % ("m", "main")),
        }
    )
    messages = [one.message for paper in report.papers for one in paper.findings]
    found = [message for message in messages if "circular" in message]
    assert found
    assert all("(main.tex) → " in one and "(other.tex)" in one for one in found)


@pytest.mark.parametrize(
    "title",
    [
        r"Proof of Proposition~\ref{a} from Lemma~\ref{b}",
        r"Proof of Proposition~\ref{a}, assuming Lemma~\ref{b}",
        r"Proof that Lemma~\ref{b} implies Proposition~\ref{a}",
        r"Beweis von Satz~\ref{a} aus Lemma~\ref{b}",
        r"Preuve de \ref{a} en admettant \ref{b}",
    ],
)
def test_what_the_title_of_a_proof_says_that_it_uses_is_used(article, title):
    body = (
        r"\newtheorem{proposition}{Proposition}\begin{proposition}\label{a} A. \end{proposition}"
        r"\begin{lemma}\label{b} B. \end{lemma}"
        rf"\begin{{proof}}[{title}] Add both. \end{{proof}}"
        r"\section{Last}\begin{proof}[Proof of Lemma~\ref{b}] By Proposition~\ref{a}. \end{proof}"
    )
    report = article(body)
    assert [len(report.state.document.modules[name].proofs) for name in "ab"] == [1, 1]
    (finding,) = report.findings
    assert finding.rule == "cycle"
    assert "→" in finding.message
