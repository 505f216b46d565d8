"""A blueprint's marks against its text."""

BODY = (
    r"\begin{lemma}\label{a} A.\end{lemma}\begin{proof} P.\end{proof}"
    r"\begin{lemma}\label{b} B.\end{lemma}\begin{proof}\uses{a} By \ref{a}.\end{proof}"
    r"\begin{lemma}\label{c} C.\end{lemma}\begin{proof}%s By \ref{a}.\end{proof}"
)
D = r"\begin{lemma}\label{d} D.\end{lemma}"
DRIFT = "uses-drift"


def test_a_citation_that_uses_leaves_out_is_a_note(article):
    body = BODY + r"\begin{lemma}\label{d} D.\end{lemma}\begin{proof} P.\end{proof}"
    (finding,) = article(body % r"\uses{d}").findings
    assert (finding.rule, finding.severity.value, finding.module) == ("uses-drift", "note", "c")
    assert finding.related == ("a",)


def test_what_uses_implies_is_not_missing(article):
    assert article(BODY % r"\uses{b}").findings == ()


def test_a_proof_without_uses_is_no_blueprint(article):
    assert article(BODY % "").findings == ()


def test_uses_of_nothing_is_a_dangling_reference(article):
    (finding,) = article(BODY % r"\uses{b, nobody}").findings
    assert (finding.rule, finding.subject) == ("dangling-reference", "nobody")


def test_a_statement_is_held_against_its_uses_too(article):
    body = (
        r"\begin{lemma}\label{a} A.\end{lemma}\begin{lemma}\label{b} B.\end{lemma}"
        r"\begin{lemma}\label{c}\uses{a} With \ref{b}, C.\end{lemma}\begin{proof}%s\end{proof}"
    )
    (one,) = [f for f in article(body % "").findings if f.rule == DRIFT]
    assert one.message == "the statement of c cites b, which its \\uses does not list"
    (two,) = [f for f in article(body % r"By \ref{d}." + D).findings if f.rule == DRIFT]
    assert two.message == "c cites b, d, which its \\uses does not list"
    assert (two.module, two.related) == ("c", ("b", "d"))
