"""Declarations of a Lean file, found by a plain scan."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.checks.lean.lean_files import commands, declarations


def names(text: str) -> list[str]:
    return [found.name for found in declarations(text)]


@pytest.mark.parametrize(
    "line",
    [
        "theorem a : True := trivial",
        "lemma a {x : ℕ} (h : x = x) : True := by simp",
        "def a := 1",
        "noncomputable def a.{u} : Type u := sorry",
        "abbrev a := 1",
        "structure a where",
        "class a (G : Type*) extends Group G where",
        "class inductive a : Prop",
        "inductive a | x | y",
        "axiom a : False",
        "opaque a : Nat",
        "instance a : Inhabited Nat := ⟨0⟩",
        "instance (priority := 100) a [Group G] : Monoid G where",
        "@[simp, to_additive (attr := simps!) b] theorem a : True := trivial",
        "@[simp]\nprivate\nprotected theorem a : True := trivial",
        "/-- theorem b is /- nested -/ -/ theorem a : True := trivial",
        "open Nat in\nset_option autoImplicit true in\ntheorem a : True := trivial",
        "  theorem a: True := trivial",
        "open Nat in theorem a : True := trivial",
        "open Nat in set_option autoImplicit true in @[simp] private theorem a : True := trivial",
        "omit [Group G] in lemma a : True := trivial",
        "-- theorem b : True\ntheorem a : True := trivial",
        "Statement a (x : ℕ) : x = x := by rfl",
    ],
)
def test_a_declaration_is_found_by_its_name(line: str) -> None:
    assert names(line) == ["a"]


@pytest.mark.parametrize(
    "line",
    [
        "instance : Inhabited Nat := ⟨0⟩",
        "instance [Group G] : Monoid G where",
        "example : True := trivial",
        "Statement (a : ℕ) : a = a := by rfl",
        "Statement : a := trivial",
        "theorems a",
        "-- theorem a : True",
        "/- theorem a : True -/",
        "/- never closed\ntheorem a : True",
        'def b := "\ntheorem a : True"',
        "",
    ],
)
def test_what_has_no_name_or_is_no_code_is_not(line: str) -> None:
    assert "a" not in names(line)


def test_names_are_full_names() -> None:
    text = """
theorem a : True := trivial
namespace X.Y
theorem b : True := trivial
noncomputable section
theorem _root_.c : True := trivial
theorem Z.d' : True := trivial
end
mutual
def e := f
def f := e
end
section tools
namespace W
theorem g₁ : True := trivial
end W
end tools
end X.Y
theorem «h i» : True := trivial
namespace V
namespace U
theorem j : True := trivial
end V.U
namespace P.«q.r».S
end «q.r».S
theorem l : True := trivial
end P
end too
end many
theorem k : True := trivial
"""
    assert names(text) == [
        *("a", "X.Y.b", "c", "X.Y.Z.d'", "X.Y.e", "X.Y.f", "X.Y.W.g₁", "«h i»", "V.U.j", "P.l", "k")
    ]


def test_an_end_without_a_name_leaves_no_namespace() -> None:
    text = "namespace N\nlemma a : true :=\nbegin\n  trivial,\nend\nlemma b : true := trivial\n"
    assert names(text) == ["N.a", "N.b"]


def test_a_text_ends_where_the_next_command_begins() -> None:
    one, two = declarations("""theorem a : True := by
  -- a comment
  have h : 1 = 1 := rfl
  open Nat in trivial

/-- About b. -/
@[simp]
theorem b : True :=   trivial
variable (x : ℕ)
#check x
""")
    assert one.text == "theorem a : True := by have h : 1 = 1 := rfl open Nat in trivial"
    assert two.text == "@[simp] theorem b : True := trivial"


def test_comments_and_white_space_change_no_declaration() -> None:
    one = declarations("theorem a : True := -- x\n  trivial")
    other = declarations("theorem a :\n    True := /- sorry -/ trivial\n\n\ndef b := 1")
    assert other[0] == one[0]


@pytest.mark.parametrize(
    ("body", "lack"),
    [
        ("by sorry", "sorry"),
        ("by\n  simp\n  · sorry", "sorry"),
        ("⟨sorry, h⟩", "sorry"),
        ("sorryAx _ false", "sorry"),
        ("by admit", "admit"),
        ("by\n  simp\n  · admit\n  · rfl", "admit"),
        ("by (intro x; admit)", "admit"),
        ("by\n  intro x\n  stop\n  exact h x", "stop"),
        ("by\n  intro x\n  · stop", "stop"),
        ("trivial -- sorry", ""),
        ("trivial /- sorry -/", ""),
        ('f "sorry admit"', ""),
        ("sorry_free", ""),
        ("no.sorry'", ""),
        ("Sorry", ""),
        ("admit x", ""),
        ("h.admit", ""),
        ("Iter.stop", ""),
        ("f stop", ""),
    ],
)
def test_what_a_proof_lacks_is_told(body: str, lack: str) -> None:
    (found,) = commands(f"theorem a : True := {body}")
    assert found.lack == lack


@pytest.mark.parametrize(
    ("line", "lack"),
    [
        ("axiom a : False", "axiom"),
        ("private axiom a (n : Nat) : n = n", "axiom"),
        ("opaque a : Nat", "opaque"),
        ("opaque a : Nat := 3", ""),
        ("opaque a (n : Nat) : Nat\n  := n", ""),
        ("opaque a (h : f (n := 3)) : Nat", "opaque"),
        ("structure a where\n  h : 1 = 1 := by sorry", "sorry"),
        ("def stop := 1\ndef a := f\n  stop", ""),
        ("theorem a : True := trivial\naxiom b : False", ""),
        ("theorem axiom_of_choice : True := trivial", ""),
        ("example : True := by sorry", ""),
        ("alias a := sorry", "sorry"),
    ],
)
def test_what_a_declaration_lacks_is_told(line: str, lack: str) -> None:
    found = {item.name: item.lack for item in commands(line)}
    assert found.get("a", "") == lack


@given(st.text(alphabet="ab./-\"'\n @[]theorem end", max_size=200))
def test_any_text_can_be_scanned(text: str) -> None:
    for found in declarations(text):
        assert found.name
        assert found.text


@pytest.mark.parametrize(
    "piece", ["/-", "-/", '"', "@[", "theorem a ", "\n@[simp]\n", "\nprivate ", "namespace a\n"]
)
def test_what_stands_before_a_long_run_is_found(piece: str) -> None:
    """This never ends where time grows faster than the length."""
    assert next(iter(declarations("def z := 1\n" + piece * 50_000))).name == "z"
