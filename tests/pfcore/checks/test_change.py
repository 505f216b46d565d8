"""What a change leaves standing on words that are gone."""

import pytest

BASE = (
    r"\begin{lemma}\label{a}%s For $x>0$, A.\end{lemma}\begin{proof} P. \end{proof}"
    r"\begin{lemma}\label{b} B.\end{lemma}\begin{proof} By Lemma~\ref{a}.%s \end{proof}"
)


def _found(report, *, introduced=True):
    return [f for f in report.findings if f.introduced is introduced]


def test_a_changed_statement_names_the_proofs_that_were_not_touched(article):
    report = article(BASE.replace("x>0", "x>1") % ("", ""), BASE % ("", ""))
    (finding,) = _found(report)
    assert (finding.rule, finding.module, finding.related) == ("statement-changed", "a", ("b",))
    assert "the proof of Lemma 2 cites it and was not touched" in finding.message


PROVED = r"\begin{lemma}\label{%s} %s\end{lemma}" + "\n\\begin{proof} %s \\end{proof}\n"
USING = r"\begin{lemma}\label{c} C.\end{lemma}\begin{proof} By \ref{d}. \end{proof}"
DISPLAY = "Recall that\n\\begin{equation}\\label{d} x^2 = %s \\end{equation}\nholds."
ROWS = (
    "Recall that\n\\begin{align} y &= %s \\label{n} \\\\ z &= 1 \\\\ &= %s \\label{d} \\\\"
    " u &= %s \\label{l}\\end{align}\nholds."
)


@pytest.mark.parametrize(
    ("now", "then", "name", "quote"),
    [
        (
            r"\begin{definition}\label{d} A tree is tame if it stands.\end{definition}",
            r"\begin{definition}\label{d} A tree is tame if it grows.\end{definition}",
            "Definition 1",
            r"\begin{definition}\label{d} A tree is tame if it stands.\end{definition}",
        ),
        (
            r"\begin{assumption}\label{d} We have $x>0$.\end{assumption}",
            r"\begin{assumption}\label{d} We have $x>1$.\end{assumption}",
            "Assumption d",
            r"\begin{assumption}\label{d} We have $x>0$.\end{assumption}",
        ),
        (DISPLAY % "1", DISPLAY % "2", "Equation 1", None),
        (ROWS % ("1", "2", "3"), ROWS % ("1", "4", "3"), "Equation 1", None),
        (
            PROVED % ("p", "P.", DISPLAY % "1 + 1"),
            PROVED % ("p", "P.", DISPLAY % "1 - 1"),
            "Equation 1",
            None,
        ),
    ],
)
def test_a_changed_definition_or_display_names_the_proofs_that_were_not_touched(
    article, now, then, name, quote
):
    (finding,) = _found(article(now + USING, then + USING))
    assert (finding.rule, finding.severity.value) == ("statement-changed", "warning")
    start, end = finding.message.split(" now says something else; ")
    assert start == name
    assert end.startswith("the proof of Lemma ")
    assert end.endswith(" cites it and was not touched")
    assert finding.related == ("c",)
    assert quote in (None, finding.quote)


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (ROWS % ("1", "2", "3"), ROWS % ("9", "2", "3")),
        (ROWS % ("1", "2", "3"), ROWS % ("1", "2", "9")),
        (DISPLAY % "1", DISPLAY.replace("Recall that", "We know that") % "1"),
        (DISPLAY % "1", DISPLAY.replace("equation}", "align}").replace("=", "&=") % "1"),
        (DISPLAY % r"1 \le 2", DISPLAY % r"1 \leq 2"),
        (DISPLAY % "1", "Nothing."),
    ],
)
def test_a_display_that_says_the_same_is_not_told(article, now, then):
    rules = [f.rule for f in _found(article(now + USING, then + USING))]
    assert "statement-changed" not in rules


def test_of_a_definition_that_no_proof_cites_a_note_counts_who_uses_its_words(article):
    tame = r"\begin{definition} A \emph{tame tree} is a tree that %s.\end{definition}" + "\n"
    one = PROVED % ("a", "A tame tree is green.", "Clear.")
    two = PROVED % ("b", "No tame tree is red.", "A tame tree is green.")
    (finding,) = _found(article(tame % "stands" + one, tame % "grows" + one))
    assert (finding.rule, finding.severity.value) == ("statement-changed", "note")
    start, end = finding.message.split("; ")
    assert start == "Definition 1 now says something else"
    assert end == "1 result uses its terms, and the proof was not touched"
    (finding,) = _found(article(tame % "stands" + one + two, tame % "grows" + one + two))
    assert finding.message.endswith("; 2 results use its terms, and their proofs were not touched")
    assert finding.related == ("a", "b")
    assert _found(article(tame % "stands" + one.replace("Clear", "So"), tame % "grows" + one)) == []


FIRST = r"\begin{proposition} A.\end{proposition}\begin{proof} Clear. \end{proof}"
NEW = r"\begin{proposition} N.\end{proposition}\begin{proof} Easy. \end{proof}"
TYPED = (
    r"\begin{theorem}\label{t} T, as in Proposition 1.\end{theorem}"
    r"\begin{proof} By Proposition 1, we win; see Proposition 1.%s \end{proof}"
)
NUMBERED = r"\newtheorem{proposition}{Proposition}"


def test_a_typed_number_that_another_result_has_now_is_a_warning(article):
    then = NUMBERED + FIRST + TYPED % ""
    found = _found(article(NUMBERED + NEW + FIRST + TYPED % "", then))
    assert [(item.rule, item.severity.value, item.module) for item in found] == [
        ("typed-number-moved", "warning", "t")] * 2  # fmt: skip
    assert {item.quote for item in found} == {"Proposition 1"}
    assert found[0].message == "Proposition 1 used to be another result, now Proposition 2"
    assert len({item.id for item in found}) == 2
    for other in (
        NUMBERED + FIRST + NEW + TYPED % "",  # behind it
        NUMBERED + NEW + TYPED % "",  # what had the number is gone
        NUMBERED + NEW + FIRST + TYPED.replace("Proposition 1", "Proposition 2") % "",
        NUMBERED + FIRST.replace("A.", "B.") + TYPED % "",  # it says something else
        NUMBERED + TYPED % "" + FIRST,
        r"\input{gone}" + NUMBERED + NEW + FIRST + TYPED % "",  # no number is certain
    ):
        rules = [item.rule for item in _found(article(other, then))]
        assert "typed-number-moved" not in rules, other


def test_a_typed_number_is_told_only_in_text_that_the_change_left_alone(article):
    then = NUMBERED + FIRST + TYPED % ""
    found = _found(article(NUMBERED + NEW + FIRST + TYPED % " More.", then))
    assert [item.location.line for item in found if item.rule == "typed-number-moved"] == [
        found[0].location.line]  # fmt: skip


LONG = "\\begin{lemma}\\label{a}\n  For $x>0$, %s\n  it holds that %s.\n\\end{lemma}\n"
USER = r"\begin{lemma}\label{b} B.\end{lemma}\begin{proof} By \ref{a}. \end{proof}"


@pytest.mark.parametrize(
    ("now", "quote"),
    [
        (("A", "C"), "it holds that C."),
        (("D", "B"), "For $x>0$, D"),
        (("A % why?", "C"), "it holds that C."),
        (("A", "B.\n  And more"), "And more."),
        (("A", "B \\% so"), "it holds that B \\% so."),
    ],
)
def test_a_changed_statement_is_quoted_where_it_changed(article, now, quote):
    (finding,) = _found(article(LONG % now + USER, LONG % ("A", "B") + USER))
    assert (finding.rule, finding.quote) == ("statement-changed", quote)


def test_a_statement_that_says_less_is_quoted_where_words_are_missing(article):
    then = LONG % ("A", "B.\n  More") + USER
    (finding,) = _found(article(LONG % ("A", "B") + USER, then))
    assert finding.quote == "it holds that B."


def test_a_statement_whose_macro_changed_is_quoted_at_its_beginning(article):
    macro = r"\newcommand{\m}{%s}" + "\n" + LONG % ("A", r"$\m$") + USER
    (finding,) = _found(article(macro % "1", macro % "2"))
    assert finding.quote == r"\begin{lemma}\label{a}"


def test_a_changed_title_changes_nothing_that_is_said(article):
    titled = BASE.replace(r"\begin{lemma}\label{a}", r"\begin{lemma}[Title]\label{a}")
    assert _found(article(titled % ("", ""), BASE % ("", ""))) == []
    more = titled.replace("x>0", "x>1")
    (finding,) = _found(article(more % ("", ""), BASE % ("", "")))
    assert finding.rule == "statement-changed"


def test_a_proof_that_was_touched_too_is_not_named(article):
    report = article(BASE.replace("x>0", "x>1") % ("", " And more."), BASE % ("", ""))
    assert _found(report) == []


def test_a_changed_proof_leaves_those_who_cite_the_result_in_peace(article):
    report = article(BASE.replace("P.", "Q.") % ("", ""), BASE % ("", ""))
    assert _found(report) == []


def test_what_the_base_has_is_not_introduced(article):
    report = article(r"\ref{no} \ref{new}", r"\ref{no}")
    assert {(f.quote, f.introduced) for f in report.findings} == {
        (r"\ref{no}", False), (r"\ref{new}", True)}  # fmt: skip


def test_without_a_base_it_is_unknown_what_is_new(article):
    assert [f.introduced for f in article(r"\ref{no}").findings] == [None]


def test_a_finding_keeps_its_id_when_the_paper_moves_around_it(article):
    (one,) = article(BASE % ("", r" And \ref{no}.")).findings
    (two,) = article(
        "Prose.\n\n" + BASE.replace("A.", "C.") % ("", "\n % c\n So \\ref{no}.")
    ).findings
    assert one.id == two.id
    assert one.location.line != two.location.line


def test_an_unlabelled_module_that_moves_keeps_its_old_findings_old(article):
    lemma = r"\begin{lemma} A. \end{lemma}"
    report = article(r"\begin{lemma} New. \end{lemma}" + lemma, lemma)
    assert [(f.rule, f.introduced) for f in report.findings] == [
        ("no-proof", True),
        ("no-proof", False),
    ]


def test_formulas_of_files_that_did_not_change_are_not_looked_at_again(reviewed, document):
    slip = "$(a+b)^2 + c = a^2+2ab-b^2 + c = (a+b)(a+b) + c$"
    files = {"main.tex": document(r"\input{old}\input{new}"), "old.tex": slip, "new.tex": "x"}
    (whole,) = reviewed(files).papers
    assert [f.location.path for f in whole.findings] == ["old.tex"]
    (changed,) = reviewed({**files, "new.tex": slip}, files).papers
    assert [(f.location.path, f.introduced) for f in changed.findings] == [("new.tex", True)]


ONE, TWO = PROVED % ("a", "A.", "P. So A."), PROVED % ("b", "B.", "Q. So B.")
MISPLACED = TWO.partition("\n")[2]


def test_a_proof_whose_statement_is_removed_is_not_silently_that_of_another(article):
    kept = TWO.partition("\n")[2]
    (finding,) = [f for f in _found(article(ONE + kept, ONE + TWO)) if f.rule == "orphaned-proof"]
    assert (finding.module, finding.severity.value) == ("a", "warning")
    assert finding.message == (
        "this proof belonged to Lemma 2, which this change removes; "
        "it is now attached to Lemma 1 as a second proof"
    )
    assert finding.quote.startswith(r"\begin{proof} Q.")


def test_a_proof_may_come_to_stand_after_a_statement_that_had_none(article):
    open_one = r"\begin{lemma}\label{a} A.\end{lemma}" + "\n"
    report = article(open_one + TWO.partition("\n")[2], open_one + TWO)
    (finding,) = [f for f in _found(report) if f.rule == "orphaned-proof"]
    assert finding.message.endswith("it is now attached to Lemma 1")


PROSE = "\n\\section{Two}\nSome words.\n"
LATER = "\nMore words.\n" + PROVED % ("c", "C.", "R. So C.")


@pytest.mark.parametrize(
    ("now", "then", "message"),
    [
        (MISPLACED, TWO, "Lemma 1, which this change removes; no statement precedes it"),
        (
            ONE + PROSE + MISPLACED + LATER,
            ONE + PROSE + TWO + LATER,
            "Lemma 2, which this change removes; no statement precedes it",
        ),
        (
            ONE + PROSE + "It holds that B.\n" + MISPLACED,
            ONE + PROSE + TWO,
            "Lemma 2, which this change removes; no statement precedes it",
        ),
        (
            ONE
            + PROSE
            + "\n".join("% " + line for line in TWO.splitlines()[:1])
            + "\n"
            + MISPLACED,
            ONE + PROSE + TWO,
            "Lemma 2, which this change removes; no statement precedes it",
        ),
    ],
)
def test_a_proof_that_is_left_where_no_statement_precedes_it_is_a_warning(
    article, now, then, message
):
    found = [f for f in _found(article(now, then)) if f.severity.value == "warning"]
    assert [(f.rule, f.message) for f in found] == [
        ("orphaned-proof", f"this proof belonged to {message}")
    ]
    assert found[0].quote.startswith(r"\begin{proof} Q.")


@pytest.mark.parametrize(
    "now",
    [
        ONE + PROSE,
        ONE + PROSE + MISPLACED.replace("Q.", "Q, again."),
        ONE + PROSE + TWO.replace("B.", "Something else."),
        ONE + PROSE + r"\begin{theorem} B.\end{theorem}" + MISPLACED,
        ONE + TWO + PROSE + MISPLACED,
    ],
)
def test_a_proof_that_is_gone_changed_or_has_a_statement_is_not_left(article, now):
    found = [f.rule for f in _found(article(now, ONE + PROSE + TWO))]
    assert "orphaned-proof" not in found


def test_a_proof_that_was_left_before_the_change_is_not_told(article):
    then = ONE + PROSE + MISPLACED
    assert "orphaned-proof" not in [f.rule for f in _found(article(then + LATER, then))]


def test_a_proof_that_goes_with_its_statement_is_no_orphan(article):
    for body in (ONE, ONE + TWO.replace("{b}", "{c}"), TWO + ONE, ONE + TWO.replace("B.", "C.")):
        rules = [f.rule for f in _found(article(body, ONE + TWO))]
        assert "orphaned-proof" not in rules, body


def test_words_that_several_proofs_have_tell_nothing(article):
    base = ONE.replace("P. So A.", "Clear.") + TWO.replace("Q. So B.", "Clear.")
    open_one = PROVED % ("c", "C.", "Clear.")
    body = ONE.replace("P. So A.", "Clear.") + open_one
    assert "orphaned-proof" not in [f.rule for f in _found(article(body, base + open_one))]


LOST = "Lemma 2 has lost its proof"


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (ONE + TWO.partition("\n")[0], LOST),
        (ONE + MISPLACED + TWO.partition("\n")[0], f"{LOST}, which is now attached to Lemma 1"),
        (
            ONE + TWO.partition("\n")[0] + "\n\\section{Omitted proofs}\n" + MISPLACED,
            f"{LOST}, which is now at main.tex:12, without a statement",
        ),
    ],
)
def test_a_statement_that_loses_its_proof_is_a_warning(article, now, message):
    (finding,) = [f for f in _found(article(now, ONE + TWO)) if f.severity.value == "warning"]
    assert (finding.rule, finding.module, finding.message) == ("lost-proof", "b", message)
    assert finding.quote == TWO.partition("\n")[0]


CITED = r"\begin{lemma}\label{b} B.\end{lemma} \begin{proof} See \cite[p.~3]{k}. \end{proof}"


@pytest.mark.parametrize(
    "now",
    [
        ONE + TWO.replace("Q. So B.", "R."),
        ONE + r"\begin{conjecture}\label{b} B.\end{conjecture}",
        ONE + TWO.partition("\n")[0] + ONE.replace("{a} A", "{c} C").replace("P. So A", "So")
        + MISPLACED.replace("{proof} Q", r"{proof}[Proof of Lemma \ref{b}] Q"),
        ONE + CITED,
        TWO + ONE,
        ONE,
    ],
)  # fmt: skip
def test_no_proof_is_lost_that_was_rewritten_moved_or_cited_instead(article, now):
    rules = [f.rule for f in _found(article(now, ONE + TWO))]
    assert "lost-proof" not in rules
    assert "orphaned-proof" not in rules


def test_a_proof_that_goes_to_another_result_is_told_where_its_own_has_one_still(article):
    now = ONE.replace("P. So A.", "Q. So B.") + TWO.replace("Q. So B.", "P. So A.")
    found = [f for f in _found(article(now, ONE + TWO)) if f.rule == "orphaned-proof"]
    assert [(f.module, f.message) for f in found] == [
        ("a", "this proof belonged to Lemma 2; it is now attached to Lemma 1"),
        ("b", "this proof belonged to Lemma 1; it is now attached to Lemma 2"),
    ]


def test_of_two_copies_of_a_result_one_may_go(article):
    copies = ONE + TWO + "\n\\section{Again}\n" + TWO
    for now in (ONE + TWO, ONE + "\n\\section{Again}\n" + TWO.replace("Q. So", "Q. And so")):
        rules = [f.rule for f in _found(article(now, copies))]
        assert rules == []


FACT = r"\begin{fact} F. \end{fact} \begin{proof} Clear. \end{proof}"
HEAD = "\\documentclass{amsart}\n%s\n\\begin{document}\n%s\n\\end{document}\n"
DECLARED = "\\newtheorem{theorem}{Theorem}\n\\newtheorem{fact}[theorem]{Fact}"


def _lost(reviewed, now, then=DECLARED, files=()):
    both = dict(files)
    (paper,) = reviewed(
        {"main.tex": HEAD % (now, FACT), **both}, {"main.tex": HEAD % (then, FACT), **both}
    ).papers
    return [item for item in paper.findings if item.rule == "undefined-environment"]


@pytest.mark.parametrize(
    "now",
    [
        r"\newtheorem{theorem}{Theorem}",
        "\\newtheorem{theorem}{Theorem}\n%\\newtheorem{fact}[theorem]{Fact}",
        "\\newtheorem{theorem}{Theorem}\n\\newtheorem{lem}[theorem]{Lemma}",
        "\\newtheorem{theorem}{Theorem}\n\\newcommand{\\R}{R}",
    ],
)
def test_an_environment_whose_declaration_is_deleted_stops_latex(reviewed, now):
    (finding,) = _lost(reviewed, now)
    assert (finding.severity.value, finding.quote) == ("error", r"\begin{fact}")
    assert finding.message == "environment fact is no longer defined, so LaTeX stops here"


@pytest.mark.parametrize(
    "now",
    [
        DECLARED,
        "\\newtheorem{theorem}{Theorem}\n\\declaretheorem{fact}",
        "\\newtheorem{theorem}{Theorem}\n\\newenvironment{fact}{}{}",
        "\\newtheorem{theorem}{Theorem}\n\\makefacts{fact}",
        "\\newtheorem{theorem}{Theorem}\n\\usepackage{facts}",
        "\\newtheorem{theorem}{Theorem}\n\\input{facts}",
        "\\newtheorem{theorem}{Theorem}\n\\newtheorem{lem}{Lemma}\\let\\fact\\lem",
    ],
)
def test_where_anything_may_declare_an_environment_nothing_is_said(reviewed, now):
    assert _lost(reviewed, now) == []


@pytest.mark.parametrize(
    "then",
    [
        DECLARED.replace(r"\newtheorem{fact}", r"\ifx\fact\undefined\newtheorem{fact}"),
        "\\let\\fact\\relax\n" + DECLARED,
        DECLARED.replace("newtheorem{fact}", "renewtheorem{fact}"),
    ],
)
def test_what_a_class_may_have_declared_before_is_not_missed(reviewed, then):
    assert _lost(reviewed, r"\newtheorem{theorem}{Theorem}", then) == []
