r"""Names that a blueprint gives by `\lean` and no Lean file declares."""

from collections.abc import Callable

import pytest

from pfcore.checks.lean import lean_links
from pfcore.domain.values import Finding

BODY = r"""\begin{lemma}\label{a}\lean{%s}%s For $x>0$, A.\end{lemma}
\begin{proof} P. \end{proof}"""
LEAN = "namespace Foo\nstructure S where\n  x : Nat\ntheorem a : 1 = 1 := rfl\nend Foo\n"

Found = Callable[..., list[Finding]]


@pytest.fixture
def found(reviewed, document) -> Found:
    """The findings of the check in a paper with Lean files, and perhaps with an earlier version."""

    def run(names: str, lean=None, *, marks="", before=None, preamble="") -> list[Finding]:
        paper = {"main.tex": document(BODY % (names, marks), preamble=preamble)}
        files = {"Foo/A.lean": LEAN} if lean is None else lean
        (report,) = reviewed(
            {**paper, **files}, None if before is None else {**paper, **before}
        ).papers
        return [item for item in report.findings if item.rule == "unknown-declaration"]

    return run


@pytest.mark.parametrize("names", ["Foo.a", "Foo.S.x, Foo.a", "_root_.Foo.a", "Foo.S.mk"])
def test_a_name_that_is_declared_is_quiet(found: Found, names: str) -> None:
    assert found(names) == []


def test_a_name_whose_owner_is_declared_and_that_is_not_is_a_warning(found: Found) -> None:
    (item,) = found("Foo.S.y")
    assert (item.severity.value, item.module, item.subject) == ("warning", "a", "Foo.S.y")
    assert item.message == r"\lean names Foo.S.y, which no Lean file of this repository declares"
    assert r"\lean{Foo.S.y}" in item.quote


def test_a_name_that_a_dependency_may_have_is_a_note_that_says_so(found: Found) -> None:
    for name in ("Finset.sum", "b"):
        (item,) = found(name)
        assert item.severity.value == "note"
        assert item.message == (
            f"\\lean names {name}, which no Lean file of this repository declares; Mathlib or "
            r"another dependency may have it (mark it \mathlibok)"
        )


def test_what_code_uses_and_no_file_declares_comes_from_a_dependency(found: Found) -> None:
    for use in ("Finset.sum_comm", "open Finset in sum_comm x", "h.sum_comm"):
        assert found("Finset.sum_comm", {"A.lean": f"{LEAN}example : True := by exact {use}"}) == []
    mentions = ("-- sum_comm", "#check sum_comm'", '#eval "sum_comm"')
    for text in (*mentions, "example : True := by have sum_comm : True := x"):
        (item,) = found("Finset.sum_comm", {"A.lean": f"{LEAN}{text}"})
        assert item.severity.value == "note"


def test_the_use_of_another_declaration_that_ends_alike_says_nothing(found: Found) -> None:
    (item,) = found("Bar.a", {"A.lean": LEAN + "example : 1 = 1 := Foo.a"})
    assert item.severity.value == "note"


def test_a_name_that_is_declared_elsewhere_is_offered(found: Found) -> None:
    (item,) = found("Bar.a")
    assert item.message.endswith("; did you mean Foo.a?")


def test_a_name_that_differs_in_case_alone_is_a_warning(found: Found) -> None:
    (item,) = found("Foo.A")
    assert item.severity.value == "warning"
    assert item.message == (
        r"\lean names Foo.A, which no Lean file of this repository declares; did you mean Foo.a?"
    )


def test_each_name_is_told_once_where_it_stands(found: Found) -> None:
    listed = found("Foo.S.y, Foo.a,\n  Foo.S.z")
    assert [item.subject for item in listed] == ["Foo.S.y", "Foo.S.z"]
    assert [item.location.line - listed[0].location.line for item in listed] == [0, 1]


def test_what_is_no_name_is_a_warning(found: Found) -> None:
    (item,) = found("???")
    assert (item.severity.value, item.message) == (
        "warning",
        r"\lean names ???, which is not a valid Lean name",
    )


@pytest.mark.parametrize(("body", "told"), [("{\\ttfamily #1}", 0), ("", 1)])
def test_a_command_of_the_paper_that_prints_what_it_is_given_names_nothing(
    found: Found, body: str, told: int
) -> None:
    own = f"\\newcommand{{\\lean}}[1]{{{body}}}"
    assert len(found("???", preamble=own)) == told


@pytest.mark.parametrize(("names", "told"), [("Foo.a, Foo.S.y", 1), ("Bar.x, Foo.S.y", 0)])
def test_a_command_that_prints_names_is_that_of_lean_where_a_file_declares_one(
    found: Found, names: str, told: int
) -> None:
    own = r"\newcommand{\lean}[1]{\footnote{Lean: \texttt{#1}}}"
    assert [item.subject for item in found(names, preamble=own)] == ["Foo.S.y"] * told


def test_a_name_with_commas_is_told_once_and_why(found: Found) -> None:
    (item,) = found("Foo.a, «up(_,_,_)_Int», Foo.a")
    assert (item.subject, item.severity.value) == ("«up(_", "warning")
    assert item.message == r"\lean names «up(_, …: leanblueprint splits names at commas"


def test_what_is_marked_as_that_of_mathlib_is_quiet(found: Found) -> None:
    assert found("Finset.sum", marks=r"\mathlibok") == []


@pytest.mark.parametrize(
    "lean",
    [
        {},
        {".lake/packages/mathlib/A.lean": "theorem b : True := trivial"},
        {"lake-packages/std/A.lean": "theorem b : True := trivial"},
    ],
)
def test_a_repository_without_lean_files_is_quiet(found: Found, lean) -> None:
    assert found("Foo.S.y", lean) == []


def test_files_of_a_dependency_declare_nothing(found: Found) -> None:
    lean = {"A.lean": LEAN, "lake-packages/std/B.lean": "theorem Foo.b : True := trivial"}
    (item,) = found("Foo.b", lean)
    assert item.severity.value == "note"


def test_what_lean_3_declares_is_not_known(found: Found) -> None:
    proof = "namespace Foo\nlemma a : true :=\nbegin\n  trivial,\nend\nend Foo\n"
    assert found("Foo.S.y", {"A.lean": LEAN, "B.lean": proof}) == []


def test_a_file_that_cannot_be_seen_may_declare_anything(reviewed, document, tmp_path) -> None:
    files = {"main.tex": document(BODY % ("Foo.S.y", "")), "A.lean": LEAN}
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    (report,) = reviewed({**files, "B.lean": pointer}).papers
    assert "unknown-declaration" not in {item.rule for item in report.findings}
    (report,) = reviewed({**files, "B.lean": ""}).papers
    assert "unknown-declaration" in {item.rule for item in report.findings}


def test_a_declaration_that_a_change_removes_is_a_new_warning(found: Found) -> None:
    renamed = LEAN.replace("theorem a", "theorem a'")
    (item,) = found("Foo.a", {"A.lean": renamed}, before={"A.lean": LEAN})
    assert (item.severity.value, item.introduced) == ("warning", True)
    assert item.message == (
        r"\lean names Foo.a, which no Lean file of this repository declares any more"
    )
    (item,) = found("Foo.b", {"A.lean": renamed}, before={"A.lean": LEAN})
    assert (item.severity.value, item.introduced) == ("note", False)


def test_a_file_is_scanned_once_for_all_reviews(
    found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pfcore.checks.lean import lean_names

    seen: list[str] = []
    scan = lean_names.lean_names

    def scan_once(text: str) -> lean_names.LeanNames:
        seen.append(text)
        return scan(text)

    monkeypatch.setattr(lean_names, "lean_names", scan_once)
    found("Foo.S.y", {"A.lean": LEAN}, before={"A.lean": LEAN})
    assert seen == [LEAN]


def test_a_paper_without_names_reads_no_lean_file(reviewed, document, monkeypatch) -> None:
    def refuse(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(lean_links, "repository_names", refuse)
    body = r"\begin{lemma}\label{a} A.\end{lemma}\begin{proof} P. \end{proof}"
    (report,) = reviewed({"main.tex": document(body), "A.lean": LEAN}).papers
    assert report.state.document.modules
    assert not report.state.paper.faults.listed


OWN = "namespace Foo.Bar\ntheorem plain_and_simple : 1 = 1 := rfl\nend Foo.Bar\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Foo.Bar.plian_and_simple", "; did you mean Foo.Bar.plain_and_simple?"),
        ("Foo.plain_and_simple", "; did you mean Foo.Bar.plain_and_simple?"),
        ("Foo.other", ""),
    ],
)
def test_a_name_in_the_namespace_of_the_own_library_is_a_warning(
    found: Found, name: str, hint: str
) -> None:
    scratch = f"open Foo\nexample : True := by exact {name}\n#eval [`Foo]"
    (item,) = found(name, {"Foo/A.lean": OWN, "scratch/B.lean": scratch})
    said = f"\\lean names {name}, which no Lean file of this repository declares{hint}"
    assert (item.severity.value, item.message) == ("warning", said)


@pytest.mark.parametrize("library", ["Foo", "«Foo»"])
def test_a_library_that_the_build_file_names_is_the_own_one(found: Found, library: str) -> None:
    build = f"import Lake\nopen Lake DSL\npackage x\n\n@[default_target]\nlean_lib {library}\n"
    (item,) = found("Foo.other", {"Foo/A.lean": OWN, "lakefile.lean": build})
    assert item.severity.value == "warning"


@pytest.mark.parametrize(
    "lean",
    [
        {"Foo/A.lean": OWN, "Foo/B.lean": "theorem x (n : Foo) : True := trivial"},
        {"A.lean": OWN},
        {"src/Foo/A.lean": OWN},
        {"Mathlib/A.lean": OWN.replace("Foo", "Mathlib")},
        {"Foo/A.lean": OWN.replace("Foo.", "")},
    ],
)
def test_a_namespace_that_may_be_that_of_a_dependency_is_not_the_own_one(
    found: Found, lean: dict[str, str]
) -> None:
    (item,) = found("Foo.other", lean)
    assert item.severity.value == "note"


@pytest.mark.parametrize("path", ["A.lean", "src/Foo/A.lean"])
def test_a_misspelt_name_in_a_namespace_of_the_repository_is_a_warning(
    found: Found, path: str
) -> None:
    scratch = "import A\nopen Foo\nexample : True := by exact Foo.Bar.plain_and_simple\n"
    (item,) = found("Foo.Bar.plian_and_simple", {path: OWN, "B.lean": scratch})
    said = "which no Lean file of this repository declares; did you mean "
    assert (item.severity.value, item.message) == (
        "warning",
        f"\\lean names Foo.Bar.plian_and_simple, {said}Foo.Bar.plain_and_simple?",
    )


@pytest.mark.parametrize(
    "scratch",
    [
        "example (x : Foo) : True := trivial",
        "example : True := Foo.other",
        "example : True := Foo.Other.x",
        "import Mathlib.Foo.Basic",
        "import Mathlib.A\npublic import Mathlib.B\nopen A Foo",
        "open scoped Foo\nnamespace Foo\nend Foo",
    ],
)
def test_a_name_like_one_that_is_added_to_a_namespace_of_a_dependency_is_a_note(
    found: Found, scratch: str
) -> None:
    (item,) = found("Foo.Bar.plian_and_simple", {"A.lean": OWN, "B.lean": scratch})
    assert item.severity.value == "note"


def test_a_library_may_lie_beside_the_file_of_its_name(found: Found) -> None:
    (item,) = found("Foo.other", {"src/Foo/A.lean": OWN, "src/Foo.lean": "import Foo.A"})
    assert item.severity.value == "warning"


def test_a_name_that_goes_on_from_a_declared_one_is_a_warning(found: Found) -> None:
    (item,) = found("Foo.Bar.plain_and_simple_really", {"A.lean": OWN})
    assert item.severity.value == "warning"
    assert item.message.endswith("; did you mean Foo.Bar.plain_and_simple?")


@pytest.mark.parametrize(
    ("name", "severity", "hint"),
    [
        ("plain_and_simple_really", "warning", "; did you mean plain_and_simple?"),
        ("plian_and_simple", "note", "; did you mean plain_and_simple?"),
        ("Plain_and_simple", "warning", "; did you mean plain_and_simple?"),
        ("T_other", "note", ""),
    ],
)
def test_a_name_without_a_namespace_is_compared_as_others_are(
    found: Found, name: str, severity: str, hint: str
) -> None:
    lean = "@[blueprint (uses := [T])] theorem plain_and_simple : 1 = 1 := rfl\n"
    (item,) = found(name, {"A.lean": lean + "@[blueprint]\ntheorem T : 1 = 1 := rfl"})
    doubt = "; Mathlib or another dependency may have it (mark it \\mathlibok)"
    said = f"\\lean names {name}, which no Lean file of this repository declares"
    assert item.severity.value == severity
    assert item.message == said + (doubt if severity == "note" else "") + hint


def test_a_declaration_that_a_change_renames_is_told_though_it_is_still_used(found: Found) -> None:
    used = {"B.lean": "example : 1 = 1 := plain"}
    now = {"A.lean": "theorem plainer : 1 = 1 := rfl", **used}
    (item,) = found("plain", now, before={"A.lean": "theorem plain : 1 = 1 := rfl", **used})
    assert item.severity.value == "warning"
