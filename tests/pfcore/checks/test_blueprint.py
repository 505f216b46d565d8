"""What the marks of a Lean blueprint claim, against the words and the Lean files."""

from collections.abc import Callable, Mapping

import pytest

from pfcore.checks.lean import lean_links
from pfcore.domain.values import Finding
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import find_repository
from pfcore.review.review import PaperReport, review

BODY = (
    r"\begin{lemma}\label{a}%s For $x>0$, A.\end{lemma}\begin{proof}%s P. \end{proof}"
    r"\begin{definition}\label{d}%s A \emph{tame} thing.\end{definition}"
)
LEAN = r"\lean{Foo.a}"
SORRY = "namespace Foo\ntheorem a : 1 = 1 := by\n  sorry\nend Foo\n"
PROVED = SORRY.replace("sorry", "rfl")

Changed = Callable[..., list[Finding]]


@pytest.fixture
def changed(reviewed, document) -> Changed:
    """The new findings of a change: body and Lean file before, then after."""

    def run(
        before: str | tuple[str, str, str],
        after: str | tuple[str, str, str],
        lean: tuple[str | None, str | None] = (None, None),
        words: tuple[str, str] = ("", ""),
    ) -> list[Finding]:
        files = []
        for marks, code in zip((before, after), lean, strict=True):
            found = {"main.tex": document(marks if isinstance(marks, str) else BODY % marks)}
            files.append(found if code is None else {**found, "Foo/A.lean": code})
        files[1]["main.tex"] = files[1]["main.tex"].replace(*words)
        (report,) = reviewed(files[1], files[0]).papers
        return [found for found in report.findings if found.introduced]

    return run


def rules(findings: list[Finding]) -> list[str]:
    return [found.rule for found in findings]


EDIT = ("x>0", "x>1")


@pytest.mark.parametrize(
    "marks",
    [
        (r"\leanok", "", ""),
        (r"\mathlibok", "", ""),
        ("", r"\leanok", ""),
        (LEAN + r"\leanok", r"\leanok", ""),
    ],
)
def test_words_that_change_under_a_mark_are_reported(changed: Changed, marks) -> None:
    (found,) = changed(marks, marks, words=EDIT)
    assert (found.rule, found.module, found.severity.value) == ("leanok-stale", "a", "warning")
    assert "the statement of Lemma 1 has changed since" in found.message


def test_a_definition_is_formal_too(changed: Changed) -> None:
    marks = ("", "", r"\leanok")
    (found,) = changed(marks, marks, words=("thing", "ring"))
    assert (found.rule, found.module) == ("leanok-stale", "d")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((r"\leanok", "", ""), ("", "", "")),
        (("", r"\leanok", ""), ("", "", "")),
        ((LEAN + r"\leanok", "", ""), (r"\lean{Foo.b}\leanok", "", "")),
        (("", "", ""), (r"\leanok", "", "")),
        ((r"\notready", r"\notready", ""), (r"\notready", r"\notready", "")),
    ],
)
def test_words_that_change_with_their_mark_or_their_link_are_not(
    changed: Changed, before, after
) -> None:
    assert rules(changed(before, after, words=EDIT)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[Title (T)]"),
        ("[Old]", "[New (]"),
        ("[Old]", ""),
        ("[Old $p$]", "[New $q$]"),
        ("[Old $p$]", "[New $q$ (]"),
    ],
)
def test_a_new_title_changes_no_words(changed: Changed, before: str, after: str) -> None:
    marks = (r"\leanok", "", "")
    lemma = r"\begin{lemma}%s\label{a}"
    old = (BODY % marks).replace(r"\begin{lemma}\label{a}", lemma % before)
    new = (BODY % marks).replace(r"\begin{lemma}\label{a}", lemma % after)
    assert rules(changed(old, new)) == (["leanok-stale"] if "$ (]" in after else [])


def test_words_that_change_with_their_lean_declaration_are_not(changed: Changed) -> None:
    marks = (LEAN + r"\leanok", r"\leanok", "")
    assert changed(marks, marks, (PROVED, PROVED.replace("1", "2")), EDIT) == []
    (found,) = changed(marks, marks, (PROVED, "-- new\n" + PROVED), EDIT)
    assert found.message.endswith("but the Lean declaration Foo.a has not")


TYPED = """namespace Foo
variable {K : Type*} [Field K] (N : K)
/-- For all $q > 0$. -/
@[blueprint]
theorem a (q : ℕ) (hq : 0 < q) (x : K) : x * N = N * x := by
  ring
end Foo
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(hq : 0 < q)", "(hq : 1000 < q)"),
        ("(hq : 0 < q)", "(hq : 0 < q) (hx : x < 1)"),
        (" (hq : 0 < q)", ""),
        ("x * N = N * x", "x * N = x * N"),
        ("(q : ℕ)", "(q : ℤ)"),
        ("(N : K)", "(N : ℕ)"),
        ("[Field K]", "[Ring K]"),
        (":= by\n  ring", "\n    |x| = 1 := by\n  simp"),
    ],
)
@pytest.mark.parametrize("marks", [(r"\leanok", ""), ("", r"\leanok"), (r"\leanok", r"\leanok")])
def test_lean_that_states_something_else_under_the_same_words_is_told(
    changed: Changed, old: str, new: str, marks: tuple[str, str]
) -> None:
    marked = (LEAN + marks[0], marks[1], "")
    (found,) = changed(marked, marked, (TYPED, TYPED.replace(old, new)))
    assert (found.rule, found.module, found.severity.value) == ("leanok-stale", "a", "warning")
    assert found.message == (
        "the type of the Lean declaration Foo.a has changed, but the text of Lemma 1, marked "
        "\\leanok, has not"
    )
    assert found.quote.startswith(r"\begin{lemma}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("For all", "For each"),
        ("@[blueprint]", "@[blueprint, simp]"),
        ("@[blueprint]\n", "-- a comment\n"),
        ("  ring", "  simp [mul_comm]"),
        ("theorem", "lemma"),
        ("(hq : 0 < q)", "(hq : 0<q /- positive -/)"),
        ("(hq : 0 < q)", "\n    (h : 0 < q)"),
        ("(q : ℕ)", "{q : ℕ}"),
        ("(N : K)", "(N : K) (M : K)"),
        ("[Field K]", "[inst : Field K]"),
        ("(q : ℕ) (hq : 0 < q) (x : K)", "(x : K) (q : ℕ) (hq : 0 < q)"),
        ("(q : ℕ) (hq : 0 < q)", "(p : ℕ) (hp : 0 < p)"),
        ("theorem a", "theorem b : True := trivial\n\ntheorem a"),
        (" (x : K) :", " : ∀ x : K,"),
    ],
)
def test_lean_that_states_the_same_is_not_told(changed: Changed, old: str, new: str) -> None:
    marked = (LEAN + r"\leanok", r"\leanok", "")
    is_moved = old.startswith(" (x")  # the same to Lean, not to a plain scan
    told = ["leanok-stale"] if is_moved else []
    assert rules(changed(marked, marked, (TYPED, TYPED.replace(old, new)))) == told


def test_lean_that_states_something_else_is_told_under_marks_of_old_words_alone(
    changed: Changed,
) -> None:
    lean = TYPED, TYPED.replace("0 < q", "1 < q")
    marked, plain = (LEAN + r"\leanok", "", ""), (LEAN, "", "")
    assert rules(changed(plain, plain, lean)) == []
    assert rules(changed(plain, marked, lean)) == []
    assert rules(changed(marked, plain, lean)) == []
    assert rules(changed(marked, marked, lean, EDIT)) == []
    assert rules(changed(marked, marked, (lean[0], lean[1] * 2))) == []
    other = (r"\lean{Foo.b}\leanok", "", "")
    assert "leanok-stale" not in rules(changed(marked, other, lean))


def test_the_value_of_a_definition_is_told_as_a_note(changed: Changed) -> None:
    lean = "namespace Foo\ndef a (n : Nat) : Nat :=\n  n + 1\nend Foo"
    marked = ("", "", LEAN + r"\leanok")
    assert (
        rules(changed(marked, marked, (lean, lean.replace("n :", "m :").replace("n +", "m +"))))
        == []
    )
    (found,) = changed(marked, marked, (lean, lean.replace("+ 1", "+ 2")))
    assert (found.rule, found.module, found.severity.value) == ("leanok-stale", "d", "note")
    assert found.message.startswith("the value of the Lean declaration Foo.a has changed")


def test_a_structure_states_its_fields(changed: Changed) -> None:
    lean = "namespace Foo\n/-- S -/\nstructure a (n : Nat) where\n  /-- x -/\n  x : n < 3\nend Foo"
    marked = ("", "", LEAN + r"\leanok")
    assert rules(changed(marked, marked, (lean, lean.replace("/-- x -/", "/-- y -/")))) == []
    (found,) = changed(marked, marked, (lean, lean.replace("n < 3", "n < 4")))
    assert (found.rule, found.module) == ("leanok-stale", "d")


def test_a_proof_marked_without_its_declaration_changing_is_a_note(changed: Changed) -> None:
    (found,) = changed((LEAN, "", ""), (LEAN, r"\leanok", ""), (PROVED, PROVED))
    assert (found.rule, found.severity.value, found.module) == ("leanok-added", "note", "a")
    assert found.message == (
        "the proof of a was marked \\leanok, but the Lean declaration Foo.a did not change in "
        "this pull request"
    )
    assert found.quote.startswith(r"\begin{proof}\leanok")


def test_a_statement_marked_without_its_declaration_changing_is_a_note(changed: Changed) -> None:
    (found,) = changed((LEAN, "", ""), (LEAN + r"\leanok", "", ""), (SORRY, SORRY))
    assert (found.rule, found.severity.value) == ("leanok-added", "note")
    assert found.message.startswith("the statement of a was marked")


def test_a_declaration_still_open_contradicts_the_mark(changed: Changed) -> None:
    edited = SORRY.replace("by", "by --")
    for lean in ((SORRY, SORRY), (PROVED, SORRY), (None, SORRY), (SORRY, edited)):
        (found,) = changed((LEAN, "", ""), (LEAN, r"\leanok", ""), lean)
        assert (found.rule, found.severity.value) == ("leanok-added", "warning")
        assert found.message == (
            "the proof of a was marked \\leanok, but the Lean declaration Foo.a still contains "
            "sorry (Foo/A.lean:2)"
        )


def test_an_open_definition_contradicts_the_mark_of_its_statement(changed: Changed) -> None:
    before, after = ("", "", LEAN), ("", "", LEAN + r"\leanok")
    (found,) = changed(before, after, (SORRY, SORRY.replace("1 = 1", "2 = 2")))
    assert found.message.startswith("d was marked \\leanok, but the Lean declaration Foo.a still")


@pytest.mark.parametrize("proof", [" Left to the reader.", "", " P."])
def test_a_mark_of_a_statement_claims_no_proof(changed: Changed, proof: str) -> None:
    body = BODY.replace(" P. ", proof)
    before, after = (body % (marks, "", "") for marks in (LEAN, LEAN + r"\leanok"))
    opened = SORRY.replace("1 = 1", "2 = 2")
    assert rules(changed(before, after, (SORRY, opened))) == []
    (found,) = changed(before, body % (LEAN + r"\leanok", r"\leanok", ""), (SORRY, opened))
    assert found.message.startswith("the proof of a was marked")


def test_an_assumption_in_lean_may_be_open(changed: Changed) -> None:
    body = r"\begin{assumption}\label{h}\lean{Foo.a}%s For $x>0$, A.\end{assumption}"
    assert rules(changed(body % "", body % r"\leanok", (PROVED, SORRY))) == []


def test_an_open_declaration_under_a_marked_proof_is_told_without_a_change(
    reviewed, document
) -> None:
    files = {"main.tex": document(BODY % (LEAN + r"\leanok", r"\leanok", "")), "A.lean": SORRY}
    (found,) = (item for item in reviewed(files).papers[0].findings if "leanok" in item.rule)
    assert (found.rule, found.severity.value, found.module) == ("leanok-added", "warning", "a")
    assert found.message == (
        "the proof of a is marked \\leanok, but the Lean declaration Foo.a contains sorry "
        "(A.lean:2)"
    )
    for marks, lean in (((LEAN + r"\leanok", "", ""), SORRY), ((LEAN, r"\leanok", ""), PROVED)):
        files = {"main.tex": document(BODY % marks), "A.lean": lean}
        assert not any("leanok" in item.rule for item in reviewed(files).papers[0].findings)


@pytest.mark.parametrize(
    ("lean", "said"),
    [
        ("/- theorem\na -/\naxiom Foo.a : 1 = 2", "Foo.a is an axiom (A.lean:3)"),
        ("opaque Foo.a : 1 = 1", "Foo.a is opaque and has no value (A.lean:1)"),
        ("theorem Foo.a : 1 = 1 := by admit", "Foo.a contains admit (A.lean:1)"),
        (
            "namespace Foo\ntheorem h : 1 = 1 := by\n  sorry\ntheorem a : 1 = 1 := h\nend Foo",
            "Foo.a uses Foo.h, which contains sorry (A.lean:2)",
        ),
        (
            "axiom Foo.x : 1 = 2\ndef Foo.h := Foo.x\ntheorem Foo.a : 1 = 2 := Foo.h\n",
            "Foo.a depends on Foo.x, which is an axiom (A.lean:1)",
        ),
        (
            "theorem Foo.a : 1 = 1 := sorry\naxiom Foo.b : 1 = 2",
            "Foo.a contains sorry (A.lean:1), and Foo.b is an axiom (A.lean:2)",
        ),
        (
            "axiom Foo.b : 1 = 2\ntheorem Foo.a : 1 = 2 := Foo.b\n",
            "Foo.b is an axiom (A.lean:1)",
        ),
    ],
)
def test_what_is_missing_in_lean_is_told_with_its_place(
    reviewed, document, lean: str, said: str
) -> None:
    marked = BODY % (r"\lean{Foo.a, Foo.b}\leanok", r"\leanok", "")
    (report,) = reviewed({"main.tex": document(marked), "A.lean": lean}).papers
    (found,) = (item for item in report.findings if item.rule == "leanok-added")
    assert found.message == f"the proof of a is marked \\leanok, but the Lean declaration {said}"
    stated = BODY % (r"\lean{Foo.a, Foo.b}\leanok", "", "")
    (report,) = reviewed({"main.tex": document(stated), "A.lean": lean}).papers
    assert "leanok-added" not in rules(report.findings)


def test_a_declaration_that_a_change_opens_under_a_marked_proof_is_new(
    changed: Changed, reviewed, document
) -> None:
    marks = (LEAN + r"\leanok", r"\leanok", "")
    (found,) = changed(marks, marks, (PROVED, SORRY))
    assert (found.rule, found.introduced) == ("leanok-added", True)
    files = {"main.tex": document(BODY % marks), "Foo/A.lean": SORRY}
    (report,) = reviewed(files, {**files, "Foo/A.lean": SORRY + "-- old"}).papers
    assert [item.introduced for item in report.findings if "leanok" in item.rule] == [False]


def test_a_new_result_may_rest_on_old_lean_but_not_on_an_open_proof(
    changed: Changed, document, reviewed
) -> None:
    old = {"main.tex": document("Words."), "A.lean": PROVED}
    new = {"main.tex": document(BODY % (LEAN + r"\leanok", r"\leanok", "")), "A.lean": PROVED}
    assert rules(reviewed(new, old).papers[0].findings) == []
    new["A.lean"] = SORRY
    assert "leanok-added" in rules(reviewed(new, old).papers[0].findings)


@pytest.mark.parametrize(
    ("marks", "lean"),
    [
        (LEAN, (None, None)),  # no Lean file
        (LEAN, (SORRY, PROVED)),  # proved now
        (LEAN, (None, PROVED)),  # written now
        ("", (PROVED, PROVED)),  # names nothing
        (r"\lean{Foo.b}", (PROVED, PROVED)),  # not found
        (r"\lean{Foo.a, Foo.b}", (PROVED, PROVED)),  # the other one may have changed
        (LEAN, (PROVED * 2, PROVED * 2)),  # which one is not clear
    ],
)
def test_what_is_not_certain_is_not_reported(changed: Changed, marks: str, lean) -> None:
    assert rules(changed((marks, "", ""), (marks, r"\leanok", ""), lean)) == []


def test_a_declaration_may_become_formal_by_one_that_it_mentions(changed: Changed) -> None:
    theorem = "theorem Foo.a : 1 = 1 := by\n  exact Foo.h\n"
    helper = "namespace Foo\ntheorem h : 1 = 1 := by sorry\nend Foo\n"
    other = helper.replace(" h ", " other ")
    marks = (LEAN, "", ""), (LEAN, r"\leanok", "")
    assert changed(*marks, (helper + theorem, helper.replace("sorry", "rfl") + theorem)) == []
    unrelated = (other + theorem, other.replace("sorry", "rfl") + theorem)
    assert rules(changed(*marks, unrelated)) == ["leanok-added"]


def test_a_mark_that_was_there_is_no_news(changed: Changed) -> None:
    marks = (LEAN + r"\leanok", r"\leanok", "")
    assert rules(changed(marks, marks, (PROVED, PROVED))) == []
    assert rules(changed(marks, marks, (SORRY, SORRY), (" P.", " Q."))) == []


def test_lean_files_are_read_only_where_a_mark_asks_for_them(
    repository, tmp_path, monkeypatch
) -> None:
    """Names that no file declares are looked up by another check, once for each content."""
    monkeypatch.setattr(lean_links, "repository_names", lambda paper: None)

    def opened(before: Mapping[str, str], after: Mapping[str, str]) -> set[bool]:
        revisions = [repository(before), repository(after)]
        found = find_repository(tmp_path / "paper")
        assert found
        one, other = (snapshot.from_revision(found, revision) for revision in revisions)
        (paper,) = review(one, other, ParseCache(MemoryCache())).papers
        list(paper.findings)  # they are made when somebody asks
        return {moment.files["A.lean"].oid in moment.cache for moment in (one, other)}

    from_tests = r"\documentclass{article}\newtheorem{lemma}{Lemma}\begin{document}%s\end{document}"
    lemma = from_tests % (r"\begin{lemma}\lean{Foo.a}%s A. \end{lemma}\begin{proof}%s\end{proof}")
    marked = lemma % (r"\leanok", "")
    assert opened(
        {"main.tex": marked, "A.lean": SORRY},
        {"main.tex": marked.replace("A.", "A. %"), "A.lean": SORRY},
    ) == {False}
    assert opened(
        {"main.tex": lemma % ("", ""), "A.lean": SORRY},
        {"main.tex": lemma % ("", ""), "A.lean": PROVED},
    ) == {False}
    assert opened(
        {"main.tex": marked, "A.lean": SORRY},
        {"main.tex": lemma % (r"\leanok", r"\leanok"), "A.lean": PROVED},
    ) == {True}


NODE = r"\begin{lemma}\label{%s}\uses{%s}\lean{%s}\leanok Node %s.\end{lemma}"
HEAD = (
    r"\providecommand{\newleannode}[2]{\expandafter\gdef\csname leannode@#1\endcsname{#2}}"
    r"\providecommand{\inputleannode}[1]{\csname leannode@#1\endcsname}"
)
FOLDER = ".lake/build/blueprint"


def blueprint(printed: str, *uses: tuple[str, str]) -> dict[str, str]:
    """The files of a blueprint in which Lean defines nodes that use others, in this order."""
    made = {f"{FOLDER}/{name}.tex": NODE % (name, used, name, name) for name, used in uses}
    nodes = "\n".join(rf"\newleannode{{{name}}}{{\input{{{FOLDER}/{name}}}}}" for name, _ in uses)
    listed = "\n\n".join(rf"\inputleannode{{{name}}}" for name, _ in uses)
    module = f"{HEAD}\n{nodes}\n\\newleanmodule{{M}}{{\n{listed}\n}}"
    main = (
        r"\documentclass{article}\newtheorem{lemma}{Lemma}\begin{document}"
        rf"\input{{{FOLDER}/M}}{printed}\end{{document}}"
    )
    return {"main.tex": main, f"{FOLDER}/M.tex": module, **made}


@pytest.fixture
def printed(repository, tmp_path) -> Callable[..., PaperReport]:
    """A blueprint that prints nodes, as it is committed."""

    def run(text: str, *uses: tuple[str, str]) -> PaperReport:
        revision = repository(blueprint(text, *uses))
        found = find_repository(tmp_path / "paper")
        assert found
        moment = snapshot.from_revision(found, revision)
        return review(None, moment, ParseCache(MemoryCache())).papers[0]

    return run


def numbers(report: PaperReport) -> dict[str, str | None]:
    modules = report.state.document.modules
    return {name: report.state.numbering.of(modules[name]) for name in modules}


def test_nodes_are_counted_where_they_are_printed(printed) -> None:
    uses = ("a", "b"), ("b", ""), ("c", "")
    report = printed(r"\inputleannode{b} % \inputleannode{c}" + "\n" + r"\inputleannode{a}", *uses)
    assert numbers(report) == {"b": "1", "a": "2"}
    assert {edge.target for edge in report.state.document.edges} == {"b"}
    assert "dangling-reference" not in rules(report.findings)
    report = printed(r"\inputleanmodule{M}", *uses)
    assert numbers(report) == {"a": "1", "b": "2", "c": "3"}


def test_a_node_that_nobody_prints_is_no_part_of_the_document(printed) -> None:
    report = printed(r"\inputleannode{a}", ("a", "b"), ("b", ""))
    assert list(report.state.document.modules) == ["a"]
    (found,) = (item for item in report.findings if item.rule == "dangling-reference")
    assert found.message == (
        f"undefined label b; {FOLDER}/b.tex defines it, but no \\inputleannode prints it"
    )


def test_a_node_that_nothing_defines_is_told(printed) -> None:
    report = printed(r"\inputleannode{a}\inputleannode{typo}", ("a", ""))
    (found,) = (item for item in report.findings if item.rule == "missing-file")
    assert (found.severity.value, found.location.path) == ("error", "main.tex")
    assert found.message == "\\inputleannode{typo} names a node that no Lean file generates"
