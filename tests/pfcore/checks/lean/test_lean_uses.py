"""What of a repository's Lean code is left open, and what is proved by means of that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.checks.lean.lean_uses import FileUses, file_uses, gaps


def told(files: dict[str, str] | str) -> dict[str, str]:
    """What lacks something: by its name the word, or the declarations that lead to one."""
    files = {"A.lean": files} if isinstance(files, str) else files
    read = {path: file_uses(text) for path, text in files.items()}
    return {
        name: gap.lack if not gap.through else " < ".join(gap.through)
        for name, gap in gaps(read).items()
    }


OPEN = "theorem open_one : 1 = 1 := by sorry\n"


def test_what_lacks_something_itself_is_told_with_its_file() -> None:
    found = gaps({"F/A.lean": file_uses("namespace N\n" + OPEN + "axiom ax : False\nend N\n")})
    assert {name: (gap.lack, gap.path) for name, gap in found.items()} == {
        "N.open_one": ("sorry", "F/A.lean"),
        "N.ax": ("axiom", "F/A.lean"),
    }


@pytest.mark.parametrize(
    "proof",
    [
        "by exact open_one",
        "by\n  rw [open_one]",
        "by\n  have h := open_one\n  simp",
        "open_one.symm",
        "@open_one",
        "_root_.open_one",
        "by\n  have h : 2 = 2 := rfl\n  exact foo h (open_one)",
        "fun x => open_one",
        "by\n  obtain ⟨x, y⟩ := open_one\n  simp",
    ],
)
def test_a_proof_that_uses_what_is_open_is_told(proof: str) -> None:
    assert told(f"{OPEN}theorem a : 1 = 1 := {proof}\n").get("a") == "open_one"


@pytest.mark.parametrize(
    "proof",
    [
        "by exact open_one'",
        "by exact h.open_one",
        "by\n  simp [open_one]",  # may not have been of use
        "by\n  simp [-open_one]",
        "by\n  try rw [open_one]",
        "by\n  first | exact open_one | rfl",
        "by\n  exact open_one <|> rfl",
        "by\n  have open_one : 1 = 1 := rfl\n  exact open_one",
        "by\n  intro open_one\n  exact open_one",
        "fun open_one => open_one",
        "by\n  obtain ⟨open_one, h⟩ := h\n  exact open_one",
        "by\n  rcases h with ⟨open_one, h⟩\n  exact open_one",
        "by\n  cases h with\n  | inl open_one => exact open_one",
        "∀ open_one : Nat, open_one = 1",
        "∃ x open_one, open_one = 1",
        "{ open_one := rfl }",
        "f (open_one := rfl)",
        "`open_one",
        '"open_one"',
        "rfl -- by open_one",
        "by\n  let ⟨open_one, _⟩ := h\n  exact open_one",
        "by\n  exact Other.open_one",
    ],
)
def test_what_is_not_certainly_a_use_is_not(proof: str) -> None:
    assert "a" not in told(f"{OPEN}theorem a : 1 = 1 := {proof}\n")


def test_binders_and_variables_hide_what_is_declared() -> None:
    assert "a" not in told(OPEN + "theorem a (open_one : 1 = 1) : 1 = 1 := open_one\n")
    assert "a" not in told(OPEN + "variable {open_one : 1 = 1}\ntheorem a : 1 = 1 := open_one\n")
    assert "a" not in told(OPEN + "theorem a : ∑ open_one ∈ s, open_one = 1 := rfl\n")


def test_a_chain_is_told_from_its_next_link_on() -> None:
    text = OPEN + "lemma b : 1 = 1 := open_one\nlemma c : 1 = 1 := b\nlemma d : 1 = 1 := rfl\n"
    assert told(text) == {"open_one": "sorry", "b": "open_one", "c": "b < open_one"}


def test_names_are_looked_up_in_the_namespaces_that_are_open() -> None:
    text = f"namespace N\n{OPEN}theorem a : 1 = 1 := open_one\nend N\n"
    text += "theorem b : 1 = 1 := N.open_one\ntheorem c : 1 = 1 := open_one\n"
    text += "theorem N.d : 1 = 1 := open_one\n"
    text += "section\nopen N\ntheorem e : 1 = 1 := open_one\nend\ntheorem f : 1 = 1 := open_one\n"
    text += "open N in\ntheorem g : 1 = 1 := open_one\ntheorem h : 1 = 1 := open_one\n"
    text += "open scoped N\ntheorem i : 1 = 1 := open_one\n"
    text += "open N (open_one)\ntheorem j : 1 = 1 := open_one\n"
    assert told(text).keys() == {"N.open_one", "N.a", "b", "N.d", "e", "g"}


def test_the_nearest_of_two_names_is_meant() -> None:
    text = f"{OPEN}namespace N\ntheorem open_one : 1 = 1 := rfl\n"
    assert "N.a" not in told(f"{text}theorem a : 1 = 1 := open_one\nend N\n")
    assert told(f"{text}theorem a : 1 = 1 := _root_.open_one\nend N\n")["N.a"] == "open_one"
    both = f"namespace M\n{OPEN}end M\n{text}end N\n"
    assert "a" not in told(f"{both}open M N\ntheorem a : 1 = 1 := open_one\n")


def test_what_is_protected_or_private_is_not_meant_by_its_short_name_or_elsewhere() -> None:
    text = "namespace N\n" + OPEN.replace("theorem", "protected theorem")
    assert "N.a" not in told(f"{text}theorem a : 1 = 1 := open_one\nend N\n")
    assert told(f"{text}theorem a : 1 = 1 := N.open_one\nend N\n")["N.a"] == "N.open_one"
    private = OPEN.replace("theorem", "private theorem")
    files = {"A.lean": private, "B.lean": "import A\ntheorem b : 1 = 1 := open_one\n"}
    assert told(files).keys() == {"open_one"}
    assert "b" in told(private + files["B.lean"])


def test_a_name_counts_that_comes_before_or_is_imported() -> None:
    use = "theorem a : 1 = 1 := open_one\n"
    assert "a" not in told(use + OPEN)
    assert "a" not in told({"A.lean": OPEN, "B.lean": use})
    files = {"src/F/A.lean": OPEN, "src/F/B.lean": "import F.A\n", "F.lean": "import F.B\n" + use}
    assert "a" in told(files)
    assert "a" in told({"A.lean": OPEN, "B.lean": "module\npublic import A\n" + use})
    assert "a" not in told({"x/A.lean": OPEN, "y/A.lean": "", "B.lean": "import A\n" + use})


def test_what_is_declared_twice_is_not_told() -> None:
    assert told({"A.lean": OPEN, "B.lean": OPEN}) == {}
    assert "a" not in told(f"{OPEN}{OPEN}theorem a : 1 = 1 := open_one\n")


def test_an_opaque_constant_makes_no_proof_open() -> None:
    text = "opaque n : Nat\naxiom ax : 1 = 1\ntheorem a : n = n := rfl\ntheorem b : 1 = 1 := ax\n"
    assert told(text) == {"n": "opaque", "ax": "axiom", "b": "ax"}


def test_a_name_that_is_made_beside_the_declarations_may_be_the_nearer_one() -> None:
    read = {"A.lean": file_uses(f"{OPEN}namespace N\ntheorem a : 1 = 1 := open_one\nend N\n")}
    assert "N.a" in gaps(read)
    assert "N.a" not in gaps(read, lambda name: name == "N.open_one")


def test_a_definition_that_is_open_is_used_by_what_is_said_of_it() -> None:
    text = "def two : Nat := sorry\ntheorem a : two = two := rfl\n"
    text += "structure S where\n  h : two = 1\n"
    assert told(text) == {"two": "sorry", "a": "two", "S": "two"}


def test_what_was_read_is_kept_as_json() -> None:
    found = file_uses(f"import X\nnamespace N\n{OPEN}private theorem a : 1 = 1 := open_one\nend N")
    assert FileUses.loaded(found.dumped()) == found
    for wrong in ("[]", "{}", '["x", 1]', "null", '[["a"], [[1]]]', "x"):
        with pytest.raises(ValueError, match=r".+"):
            FileUses.loaded(wrong)


@given(st.text(alphabet="ab.:=⟨⟩(){}[]\n ∀,theorem sorry open namespace", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert FileUses.loaded(file_uses(text).dumped()) == file_uses(text)
    gaps({"A.lean": file_uses(text)})
