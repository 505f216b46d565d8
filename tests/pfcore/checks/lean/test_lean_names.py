"""The names that a Lean file makes, and what is known of a name that a blueprint gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.checks.lean.lean_names import (
    LeanNames,
    NameStanding,
    RepositoryNames,
    lean_names,
    skeleton,
)

STRUCTURE = """
structure Point (α : Type*) extends Base α where
  mk' ::
  /-- The first. -/
  x y : α
  (z : α) {w : α}
  protected norm (a : α) : α := a
  [inst' : Group α]
class Norm where (size : Nat) (bound : Nat)
"""
INDUCTIVE = """
inductive Tree (α : Type)
  | leaf : Tree α
  | node (l r : Tree α) | both
inductive Colour | red | green deriving DecidableEq
"""


def standing(text: str, name: str) -> NameStanding:
    return RepositoryNames([lean_names(text)]).standing(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("theorem a : True := trivial", "a"),
        ("theorem a : True := trivial", "_root_.a"),
        ("namespace X.Y\ntheorem a : True := trivial", "X.Y.a"),
        ("namespace X\ntheorem _root_.a : True := trivial", "a"),
        ("private theorem a : True := trivial", "a"),
        ("open Nat in theorem a : True := trivial", "a"),
        ("set_option x 1 in @[simp] protected lemma a : True := trivial", "a"),
        ("open Nat in open Real in theorem a : True := trivial", "a"),
        ("theorem «a b».c : True := trivial", "«a b».c"),
        ("namespace N\nalias a := b", "N.a"),
        ("namespace N\nalias ⟨a, b.c⟩ := d", "N.a"),
        ("namespace N\nalias ⟨a, b.c⟩ := d", "N.b.c"),
        ('@[deprecated (since := "x")] alias ⟨_, b⟩ := d', "b"),
        *((STRUCTURE, f"Point.{field}") for field in ("x", "y", "z", "w", "norm", "toBase", "mk")),
        *((STRUCTURE, name) for name in ("Norm.size", "Norm.bound", "Norm.rec")),
        *((INDUCTIVE, f"Tree.{name}") for name in ("leaf", "node", "both", "casesOn", "rec")),
        (INDUCTIVE, "Colour.green"),
        (INDUCTIVE, "instDecidableEqColour"),
        ("def f (n : Nat) : Nat := go n where go : Nat → Nat := id", "f.go"),
        ("def f (n : Nat) : Nat := 1", "f.eq_1"),
        ("irreducible_def f : Nat := 1", "f_def"),
        ("@[to_additive] theorem A.mul_one : True := trivial", "A.add_zero"),
        ("@[to_additive] theorem dissociated : True := trivial", "addDissociated"),
        ("namespace A\n@[to_additive (attr := simp) add_it] theorem b : True := x", "A.add_it"),
        ('namespace A\n@[simp, to_additive B.add_it "doc"] theorem b : True := x', "B.add_it"),
        ("@[simps] def f : Nat ≃ Nat := e", "f_apply"),
        ("@[simps!] def f : Nat ≃ Nat := e", "f_symm_apply"),
        ("@[ext] structure S where x : Nat", "S.ext_iff"),
        ("@[mk_iff] class C : Prop where x : True", "C_iff"),
        ("@[blueprint] class C : Prop where x : True", "C.x"),
        ("@[blueprint] def f (n : Nat) : Nat := 1", "f.eq_1"),
        ("@[blueprint (title := /-- (f) -/), simps!] def f : Nat ≃ Nat := e", "f_apply"),
        ("theorem f : True := x\nattribute [to_additive g] f", "g"),
        ("theorem f.mul : True := x\nattribute [to_additive] f.mul", "f.add"),
        ('elab "equation " n:num : command => pure ()', "Equation12"),
        ('macro "law" n:ident : command =>\n  `(theorem $n : True := trivial)', "lawOfSum"),
    ],
)
def test_what_a_file_makes_is_known(text: str, name: str) -> None:
    assert standing(text, name) is NameStanding.KNOWN


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("def F : Nat := 1", "F.lost", NameStanding.MISSING),
        ("structure S where\n  x : Nat", "S.y", NameStanding.MISSING),
        ("namespace N\nstructure S where\n  x : Nat", "N.S.y.z", NameStanding.MISSING),
        ("inductive T | a | b", "T.c", NameStanding.MISSING),
        # `MeasureTheory` may be Mathlib's, whoever adds to it
        ("namespace MeasureTheory\ntheorem a : True := x", "MeasureTheory.b", None),
        ("open MeasureTheory\ntheorem a : True := x", "MeasureTheory.b", None),
        ("theorem a : True := x", "b", None),
        ("theorem a : True := x", "Other.a", None),
        ("-- theorem b : True", "b", None),
        ("example : True := trivial\ntheorem c : True := b", "b", None),
        ("theorem mul_one : True := trivial", "add_zero", None),
        ('elab "equation " n:num : tactic => pure ()', "Equation12", None),
        ("structure S extends B where\n  x : Nat", "S.y", NameStanding.KNOWN),  # B may have it
        ('@[blueprint "def:sset"] def f : Nat := 1', "sset", None),
        ("@[blueprint] theorem T : True := x", "T_bound", None),
        ("@[blueprint] theorem T : True := x", "T.bound", None),
        ('@[simp, blueprint? "t" (latexEnv := "lemma")] theorem T : True := x', "T_bound", None),
        ("attribute [blueprint] T", "T_bound", None),
        ("@[blueprint] def T : Nat := 1", "T.bound", NameStanding.MISSING),
        ("@[blueprint (uses := [ext, typo])] theorem T : True := x", "typo", None),
        ("@[blueprint (uses := [ext, typo])] theorem T : True := x", "T_bound", None),
        ("theorem a : True := x", "???", NameStanding.IMPOSSIBLE),
        ("theorem a : True := x", "a b", NameStanding.IMPOSSIBLE),
        ("theorem a : True := x", r"foo\_bar", NameStanding.IMPOSSIBLE),
        ("theorem a : True := x", "a.", NameStanding.IMPOSSIBLE),
        ("theorem a : True := x", "", NameStanding.IMPOSSIBLE),
    ],
)
def test_what_no_file_makes_is_told_from_what_a_dependency_may_have(
    text: str, name: str, expected: NameStanding | None
) -> None:
    assert standing(text, name) is (expected or NameStanding.ELSEWHERE)


def test_names_that_end_alike_are_offered() -> None:
    known = RepositoryNames([lean_names("namespace A\ntheorem foo_bar : True := x")])
    assert known.alike("B.foo_Bar") == ["A.foo_bar"]
    assert known.alike("B.foo") == []


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("mul_inv_cancel", "add_neg_cancel", True),
        ("Finset.prod_pow", "Finset.sum_nsmul", True),
        ("MonoidHom.ker", "AddMonoidHom.ker", True),
        ("mul_one", "add_assoc", False),
        ("entropy_inv", "entropy_add", False),
    ],
)
def test_a_name_and_its_additive_one_have_one_skeleton(
    one: str, other: str, *, is_same: bool
) -> None:
    assert (skeleton(one) == skeleton(other)) is is_same


def test_names_of_a_file_survive_being_kept() -> None:
    found = lean_names(STRUCTURE + INDUCTIVE + "@[to_additive] theorem «ä b».c : True := x")
    assert LeanNames.loaded(found.dumped()) == found


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1,2,3,4,5]", '[["a"],[],[],[],[1]]'])
def test_what_was_not_kept_by_us_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no names|Expecting value"):
        LeanNames.loaded(text)


@given(st.text(alphabet="ab.«»|({[]})@:= \nstructurewhdf", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    names = lean_names(text)
    assert RepositoryNames([names]).standing("zzz") is NameStanding.ELSEWHERE
    assert all(isinstance(name, str) for name in names.declared)


@pytest.mark.parametrize(
    "piece",
    [
        "(a ",
        "| ",
        "@[to_additive ",
        'macro "a"\n ',
        "extends A ",
        "a : ",
        "  x y",
        "«",
        "variable (a : ",
    ],
)
def test_a_long_run_in_a_structure_is_read(piece: str) -> None:
    """This never ends where time grows faster than the length."""
    found = lean_names("theorem z : True := x\nstructure S where\n" + piece * 20_000)
    assert {"z", "S"} <= set(found.declared)
