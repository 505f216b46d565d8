"""What a result supposes, in words and in Lean: the table, and the doors that show it."""

import json

import pytest

from pfcore.checks.lean.lean_table import lean_rows
from pfcore.reporters.formats.json_report import graph_json
from pfcore.reporters.html.page import Assets, report_page
from pfcore.reporters.printing import Style
from pfcore.reporters.terminal import why

PLAIN = Style(is_whole=True)

BODY = r"""\begin{lemma}\label{a}\lean{Foo.a, Foo.gone}\leanok
Let $G$ be a finite group, see Lemma~\ref{b}. Suppose that $x<y$ in $G$. Then $x=1$.\end{lemma}
\begin{proof} P. \end{proof}
\begin{lemma}\label{b} Let $G$ be a group. B.\end{lemma}\begin{proof} P. \end{proof}
\begin{lemma}\label{c}\lean{Foo.c} C.\end{lemma}\begin{proof} P. \end{proof}"""
LEAN = """namespace Foo
variable {G : Type*} [Group G] [Fintype G]
theorem a (x y : G) (h : x < y ∧ "<b>" = "") : x = 1 := sorry
theorem c : True := trivial
end Foo
"""


@pytest.fixture
def report(reviewed, document):
    return reviewed({"main.tex": document(BODY), "Foo/A.lean": LEAN})


def test_a_result_has_its_words_and_its_binders(report) -> None:
    (paper,) = report.papers
    rows = lean_rows(paper.state, paper.state.document.modules)
    assert set(rows) == {"a", "c"}
    assert rows["a"].supposes == (
        "Let $G$ be a finite group, see […].",
        "Suppose that $x<y$ in $G$.",
    )
    (found,) = rows["a"].declarations
    assert (found.name, found.path) == ("Foo.a", "Foo/A.lean")
    assert [item.shown for item in found.binders] == [
        *("{G : Type*}", "[Group G]", "[Fintype G]", "(x y : G)", '(h : x < y ∧ "<b>" = "")')
    ]
    assert rows["c"].declarations[0].binders == ()


def test_the_table_is_not_a_finding(report) -> None:
    assert {item.rule for item in report.papers[0].findings} <= {"unknown-declaration"}


def test_why_tells_both(report) -> None:
    text = why(report.papers[0], "a", PLAIN)
    table = text[text.index("words and Lean side by side") :]
    assert table.splitlines()[:7] == [
        "words and Lean side by side (nothing here is a finding):",
        "  the words assume: Let $G$ be a finite group, see […].",
        "  the words assume: Suppose that $x<y$ in $G$.",
        "  Foo.a (Foo/A.lean)",
        '    explicit: (x y : G) (h : x < y ∧ "<b>" = "")',
        "    implicit: {G : Type*}",
        "    instances: [Group G] [Fintype G]",
    ]
    assert "to be compared" not in why(report.papers[0], "b", PLAIN)
    bare = why(report.papers[0], "c", PLAIN)
    assert "  the words assume: nothing that was recognised\n  Foo.c (Foo/A.lean)\n" in bare
    assert "    no binders" in bare


def test_json_has_both_where_there_is_a_declaration(report) -> None:
    modules = {item["id"]: item for item in json.loads(graph_json(report))["modules"]}
    assert modules["a"]["supposes"][1] == "Suppose that $x<y$ in $G$."
    (found,) = modules["a"]["lean"]
    assert found["binders"][1] == {"kind": "instance", "text": "Group G"}
    assert "lean" not in modules["b"]


def test_the_report_shows_both_and_nothing_of_them_is_markup(report) -> None:
    page = report_page(report, Assets(style="", script=""), lambda text, display: None)
    entry = page[page.index('<article id="r:a"') :]
    entry = entry[: entry.index("</article>")]
    assert '<details class="in-lean">' in entry
    assert "(h : x &lt; y ∧ &quot;&lt;b&gt;&quot; = &quot;&quot;)" in entry
    assert "2 results with their assumptions, in words and in Lean" in page
    assert (
        '<details class="in-lean">'
        not in page[page.index('<article id="r:b"') :].split("</article>")[0]
    )


@pytest.mark.parametrize(
    ("kind", "words", "supposes"),
    [
        (
            "lemma",
            r"For each fixed $A\ge0$ and $x>1$, \\[x>A.\\]",
            [r"For each fixed $A\ge0$ and $x>1$"],
        ),
        ("lemma", r"It holds uniformly for $x>1$.", ["for $x>1$"]),
        ("definition", "We put $f:=1$ for $x>1$.", ["for $x>1$"]),
        ("definition", "We put $f:=1$.", []),
        ("definition", "Let $G$ be a group. We call it \\emph{odd}.", ["Let $G$ be a group."]),
    ],
)
def test_what_a_statement_holds_for_is_supposed(
    reviewed, document, kind: str, words: str, supposes: list[str]
) -> None:
    body = f"\\begin{{{kind}}}\\label{{a}}\\lean{{Foo.a}} {words}\\end{{{kind}}}"
    (paper,) = reviewed({"main.tex": document(body), "Foo/A.lean": LEAN}).papers
    assert list(lean_rows(paper.state, ["a"])["a"].supposes) == supposes
