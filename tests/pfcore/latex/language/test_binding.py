"""What a text binds itself, and what it needs."""

import pytest

from pfcore.latex.language.binding import NeedFinder, bound, is_bound, longest_terms, needs
from pfcore.latex.language.notation import head_of

BOUND = {
    r"Let $f$ be a map.": "#f",
    r"For every open $U$ it holds.": "#U",
    r"A group $G$ is finite.": "#G",
    r"If $p$ is a prime, so be it.": "#p",
    r"For $n\ge 1$ it holds.": "#n",
    r"We have $\sum_{k=1}^n k$.": "#k",
    r"Put $S:=1$.": "#S",
    r"Sei $K$ ein Körper.": "#K",
    r"Pour tout $x$ on a.": "#x",
    r"The map $x\mapsto 2x$.": "#x",
}
FREE = {
    r"Every object of $\mathcal{A}$ is so.": r"#\mathcal{A}",
    r"The set $[n]$ has subsets.": "#[•]",
    r"The group $G$ is finite.": "#G",
    r"Jedes Polynom über $K$ zerfällt.": "#K",
    r"Every such $R$ is so.": "#R",
}


@pytest.mark.parametrize("text", BOUND)
def test_a_text_binds(text: str) -> None:
    assert BOUND[text] in bound(text)


@pytest.mark.parametrize("text", FREE)
def test_a_text_leaves_free(text: str) -> None:
    assert FREE[text] not in bound(text)


def test_what_is_indexed_binds_its_members_and_no_decoration() -> None:
    assert is_bound(("#x_n", "#x_•", "#x"), {"#x"})
    assert not is_bound((r"#B^\ast", "#B"), {"#B"})


def test_needs_are_the_free_keys_and_what_is_bound_is_told() -> None:
    wanted = {r"#\mathcal{A}", "#x_•", "#x"}
    heads = {head_of(key) for key in wanted}
    assert needs(r"Let $x$ be in $\mathcal{A}$.", wanted, heads) == (r"#\mathcal{A}", "!#x")
    assert needs(r"Then $x_k$.", wanted, heads) == ("#x_•\t#x",)


def test_of_two_terms_the_longer_one_counts() -> None:
    terms = {"outer": (("outer", "measure"),), "measure": (("measure",),)}
    assert longest_terms("An outer measure.", terms) == ["outer measure"]
    assert longest_terms("Outer measures and a measure.", terms) == ["measure", "outer measure"]


def test_a_finder_looks_for_terms_and_symbols() -> None:
    finder = NeedFinder(["tame ring", r"#\mathcal{A}", "@A1"])
    assert finder.of(r"Under (A1), tame rings lie in $\mathcal{A}$.") == (
        "tame ring",
        r"#\mathcal{A}",
        "@A1",
    )
