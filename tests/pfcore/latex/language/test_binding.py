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
    r"Let $x\in X$ and $f(x)=x^2$.": "#f",
    r"Let $n\ge1$ and $S_n=2^n$.": "#S_n",
    r"Let $f(x)>0$ be a function.": "#f",
    r"For every object $P$ and morphism $g:P\to P$, it holds.": "#g",
    r"Für jedes Objekt $P$ und Bild $Q$ davon gilt es.": "#Q",
    r"Pour tout objet $P$ et morphisme $g$ on a.": "#g",
    r"For all $n$ and $x_1,\dots,x_n$ it holds.": "#x_1",
    r"For all $x\in X$, $\epsilon>0$ and $n\ge1$ it holds.": r"#\epsilon",
    r"For all $x\in X$, $\mathcal{U}\in T$ it holds.": r"#\mathcal{U}",
    r"The set $\{x\in X: x=1\}$.": "#x",
    r"The set $\{(x,y): x=y\}$.": "#y",
    r"The set $\{f(x): x>0\}$.": "#x",
    r"The set $\{f(x)\mid x\in X\}$.": "#x",
    r"We have $\int f\,dx$.": "#x",
    r"We have $\bigcup\limits^n_{k=1} k$.": "#k",
}
FREE = {
    r"Since $f:A\to B$ is injective, all is well.": "#f",
    r"For all $x$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"For all $x$ and $y$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"For every metric space $X$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"For every metric space $X$, $\mathrm{Aut}(X)$ is finite.": r"#\mathrm{Aut}(",
    r"For every metric space $X$, $\mathcal{F}$ is finite.": r"#\mathcal{F}",
    r"For all $x$, $\mathcal{F}>1$.": r"#\mathcal{F}",
    r"For all $x$, $a+x=1$.": "#a",
    r"Given $n$, $a_n>0$.": "#a",
    r"Given $x$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"Pour tout $x$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"Für jedes $x$, $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"Let $x,y\in X$ and $\lambda_n(x)=0$.": r"#\lambda_n",
    r"Let $\rho(A)<1$. Then it holds.": r"#\rho",
    r"Si $A$ est une matrice alors $\rho(A)>0$.": r"#\rho",
    r"Let it have dimension $d$. Then $\lambda_n(x)\ge0$.": r"#\lambda_n",
    r"We have $\sum\lambda_n(x)$.": r"#\lambda_n",
    r"We have $\sup\lambda_n(x)$.": r"#\lambda_n",
    r"The set $\{\lambda_n(x): n>0\}$.": r"#\lambda_n",
    r"The set $\{x_n: n>0\}$.": "#x_n",
    r"Every object of $\mathcal{A}$ is so.": r"#\mathcal{A}",
    r"The set $[n]$ has subsets.": "#[•]",
    r"The group $G$ is finite.": "#G",
    r"For every object $P$ and the morphism $g$ it holds.": "#g",
    r"Let $P$ be so and apply $g$.": "#g",
    r"Take $P$ and apply $g$.": "#g",
    r"For every $P$ it holds, and morphism $g$ is so.": "#g",
    r"For every $P$, and morphism $g$ is so.": "#g",
    r"For every object $P$ and morphism $g:\mathcal{B}P\to P$, it holds.": r"#\mathcal{B}",
    r"For every $P$ it holds. And morphism $g$ is so.": "#g",
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


def test_the_words_of_a_formula_part_no_term() -> None:
    terms = {"partial": (("partial", "map"),), "rank": (("rank",),)}
    assert longest_terms(r"A partial $B_{pq}$-map.", terms) == ["partial map"]
    assert longest_terms(r"A partial $\operatorname{rank}(B)$-map.", terms) == [
        "partial map",
        "rank",
    ]


def test_a_finder_looks_for_terms_and_symbols() -> None:
    finder = NeedFinder(["tame ring", r"#\mathcal{A}", "@A1"])
    assert finder.of(r"Under (A1), tame rings lie in $\mathcal{A}$.") == (
        "tame ring",
        r"#\mathcal{A}",
        "@A1",
    )
