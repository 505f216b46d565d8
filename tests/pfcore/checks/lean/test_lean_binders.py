"""What a Lean declaration supposes, as its binders and the variables before it say."""

import pytest

from pfcore.checks.lean.lean_binders import binders
from pfcore.checks.lean.lean_files import commands


def shown(text: str) -> str:
    *_, last = (found for found in commands(text) if found.is_declaration)
    return " ".join(item.shown for item in binders(last))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("theorem a : True := trivial", ""),
        ("theorem a (h : 1 = 1) : True := trivial", "(h : 1 = 1)"),
        ("theorem a {x : ℕ} ⦃y : ℕ⦄ (h : x = y) : P", "{x : ℕ} {y : ℕ} (h : x = y)"),
        ("theorem a.{u, v} [Group G] [h : Finite G] : P", "[Group G] [h : Finite G]"),
        ("def f x (y : ℕ) := x", "(x) (y : ℕ)"),
        ("theorem a\n    (h :\n      1 = 1) :\n    True := x", "(h : 1 = 1)"),
        (
            "theorem a (h : ∀ x ∈ ({1} : Set ℕ), f (x) = [1]) : P",
            "(h : ∀ x ∈ ({1} : Set ℕ), f (x) = [1])",
        ),
        ("instance (priority := 100) a [Group G] : Monoid G where", "[Group G]"),
        ("structure S (α : Type) where\n  (x : α)", "(α : Type)"),
        ("theorem a (h : x", ""),
        ("theorem a (h : x] : P", ""),
    ],
)
def test_binders_are_told_as_they_are_written(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("before", "statement", "expected"),
    [
        ("variable {G : Type*} [Group G]", "(x : G) : x = x", "{G : Type*} [Group G] (x : G)"),
        ("variable {G : Type*} [Group G]", ": 1 = 1", ""),
        (
            "variable {G H : Type*} [Group G] [Group H]",
            "(x : H) : P",
            "{H : Type*} [Group H] (x : H)",
        ),
        # what a mentioned variable mentions comes along, what a proof alone mentions does not
        (
            "variable {G : Type*} [Group G] (s : Set G)",
            ": s = s",
            "{G : Type*} [Group G] (s : Set G)",
        ),
        ("variable {n : ℕ}", ": 1 = 1 := by exact n", ""),
        ("variable {R : Type*} [Ring R]", ": Rˣ → ℝ", "{R : Type*} [Ring R]"),
        ("variable (x : ℕ)\nvariable {x}", ": x = x", "{x : ℕ}"),
        ("variable (x : ℕ)\nvariable (x : ℝ)", ": x = x", "(x : ℝ)"),
        ("variable (μ : A)", "(μ : B) : μ = μ", "(μ : B)"),
        ("variable {a b : ℕ}", ": a = b", "{a b : ℕ}"),
        ("section\nvariable {n : ℕ}\nend", ": n = n", ""),
        ("section S\nvariable {n : ℕ}\nend S", ": n = n", ""),
        ("namespace N.M\nvariable {n : ℕ}\nend N.M", ": n = n", ""),
        ("section\nvariable {n : ℕ}\nsection\nend", ": n = n", "{n : ℕ}"),
        ("variable {n : ℕ} in", ": n = n", "{n : ℕ}"),
        ("variable {n : ℕ} in\ntheorem b : n = n := rfl", ": n = n", ""),
        ("variable {G : Type*} [Group G] [Ring H]", ": G = G", "{G : Type*} [Group G]"),
        # an instance about nothing is about all; one that carries its data comes with any of it
        ("variable [Params.{u}] [N.Level] {n : ℕ}", ": 1 = 1", "[Params.{u}] [N.Level]"),
        ("variable [data : Params.{u}] {n : ℕ}", ": 1 = 1", "[data : Params.{u}]"),
        (
            "variable {X : Type*} {a : ℕ} {q : ℝ} {F : Set X} [Metric X] [Data a q F]",
            "(x : X) : C a = x",
            "{X : Type*} {a : ℕ} {q : ℝ} {F : Set X} [Metric X] [Data a q F] (x : X)",
        ),
        ("variable {R : Type*} {p : ℕ} [CharP R p]", "(x : R) : P", "{R : Type*} (x : R)"),
        ("variable {R M N : Type*} [Hom R M N]", "(x : R) : P", "{R : Type*} (x : R)"),
        (
            "variable {a : ℕ} {q r : ℝ} [Data a q r] [Le q r]",
            ": a = 1",
            "{a : ℕ}",
        ),
    ],
)
def test_variables_come_along_where_a_statement_mentions_them(
    before: str, statement: str, expected: str
) -> None:
    assert shown(f"{before}\ntheorem a {statement}") == expected


def test_a_binder_that_an_earlier_one_hides_is_gone_with_what_it_supposes() -> None:
    text = "variable {R : Type*} [Ring R]\nvariable {R : Type*} [Field R]\ntheorem a (x : R) : P"
    assert shown(text) == "{R : Type*} [Field R] (x : R)"


@pytest.mark.parametrize("piece", ["variable (a : b)\n", "variable (a b : c) [d a]\n", "("])
def test_a_long_run_of_variables_is_read(piece: str) -> None:
    """This never ends where time grows faster than the length."""
    assert shown(piece * 5_000 + "\ntheorem a (h : z) : P").endswith("(h : z)")
