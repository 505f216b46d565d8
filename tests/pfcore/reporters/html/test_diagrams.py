"""Diagrams as tables of objects and arrows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.reporters.html.diagrams import redrawn
from pfcore.reporters.html.mathml import formula_mathml


def _cd(body, options=""):
    return rf"\begin{{tikzcd}}{options}{body}\end{{tikzcd}}".replace("^", "'")


@pytest.mark.parametrize(
    ("body", "cells"),
    [
        (r'A\arrow[r,"f"]&B', [["A", r"\xrightarrow{f}", "B"]]),
        (r'A\ar[r,"f"^]&B', [["A", r"\xrightarrow[f]{}", "B"]]),
        (r"A\ar[r]&B", [["A", r"\longrightarrow", "B"]]),
        (r'A&B\ar[l,"f"]', [["A", r"\xleftarrow[f]{}", "B"]]),
        (r'A&B\ar[l,swap,"f"]', [["A", r"\xleftarrow{f}", "B"]]),
        (r'A\ar[r,hook,"i"]&B', [["A", r"\overset{i}{\hookrightarrow}", "B"]]),
        (r"A\ar[r,two heads]&B", [["A", r"\twoheadrightarrow", "B"]]),
        (r"A\ar[r,equal]&B", [["A", "=", "B"]]),
        (r"A\ar[r,Rightarrow,no head]&B", [["A", "=", "B"]]),
        (r"A\ar[r,dashed]&B", [["A", r"\dashrightarrow", "B"]]),
        (r"A\ar[r,mapsto]&B", [["A", r"\mapsto", "B"]]),
        (r'A\ar[d,"f"]\\B', [["A"], [r"\Big\downarrow{\scriptstyle f}"], ["B"]]),
        (r'A\ar[d,"f"^]\\B', [["A"], [r"{\scriptstyle f}\Big\downarrow"], ["B"]]),
        (r'A\\B\ar[u,"f"]', [["A"], [r"{\scriptstyle f}\Big\uparrow"], ["B"]]),
        (r"A\ar[d,equal]\\B", [["A"], [r"\Big\|"], ["B"]]),
        (r"A\ar[d,Rightarrow]\\B", [["A"], [r"\Big\Downarrow"], ["B"]]),
        (
            r'A\ar[d,dashed,"f"]\\B',
            [["A"], [r"\Big\downarrow{\scriptstyle f\text{ (dashed)}}"], ["B"]],
        ),
        (
            r'A\ar[dr,"f"]&\\&B',
            [["A", "", ""], ["", r"\searrow{\scriptstyle f}", ""], ["", "", "B"]],
        ),
        (r"A\ar[r]&[2em]B\\[1ex]", [["A", r"\longrightarrow", "B"]]),
        (r"A\ar[r]&B\\", [["A", r"\longrightarrow", "B"]]),
        (r"{A & B}\ar[r]&\{ C", [["{A & B}", r"\longrightarrow", r"\{ C"]]),
        (r"A\ar[r,phantom,very near end]&B", [["A", "", "B"]]),
        (r"A&B\arrow[from=l,crossing over]", [["A", r"\longrightarrow", "B"]]),
        (r"A&B\arrow[from=l,to=1-2]", [["A", r"\longrightarrow", "B"]]),
        (r'A&B\arrow["f",from=1-1,to=1-2]', [["A", r"\xrightarrow{f}", "B"]]),
        (
            r'A\ar[r,shift left,"f"]\ar[r,"g"^]&B',
            [["A", r"\begin{matrix}\xrightarrow{f}\\\xrightarrow[g]{}\end{matrix}", "B"]],
        ),
    ],
)
def test_neighbours_are_joined_by_their_arrows(body, cells):
    table = r"\\".join("&".join(row) for row in cells)
    assert redrawn(_cd(body)) == rf"\begin{{matrix}}{table}\end{{matrix}}"
    assert formula_mathml(redrawn(_cd(body)), display=True) is not None


def test_arrows_that_go_farther_are_told_below():
    made = redrawn(_cd(r'A\ar[rr,bend left,"h"]\ar[r]&B\ar[r]&C'))
    assert made == (
        r"\begin{matrix}\begin{matrix}A&\longrightarrow&B&\longrightarrow&C\end{matrix}\\"
        r"A\xrightarrow{h} C\end{matrix}"
    )


def test_ampersands_may_be_replaced():
    made = redrawn(_cd(r"A\ar[r]\&B", r"[ampersand replacement=\&, sep=small]"))
    assert made == r"\begin{matrix}A&\longrightarrow&B\end{matrix}"


def test_what_stands_around_stays():
    made = redrawn("x=" + _cd("A") + ".")
    assert made == r"x=\begin{matrix}A\end{matrix}."


@pytest.mark.parametrize(
    "text",
    [
        "x",
        r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}",
        _cd(r"A\ar[r"),
        _cd(r"A\ar{r}{f}&B"),
        _cd(r"A\ar[rrr]&B"),
        _cd(r"A\ar[r,dash]&B"),
        _cd(r"A\ar[to=X]&B"),
        _cd(r"A\ar[from=X]&B"),
        _cd(r"\begin{tikzpicture}\end{tikzpicture}"),
        _cd(r"A\ar[from=0-9,to=1-1]"),
        _cd("A&" * 200),
    ],
)
def test_what_is_not_understood_is_left(text):
    assert redrawn(text) is None


_PIECES = st.sampled_from(
    [*r'A & \\ \ar[r] \ar[d,"f"] \arrow[dr,"g"^ ] { } [ ] " , from=1-1 to=2-2 \ar \& $'.split()]
)


@given(st.lists(_PIECES, max_size=16).map("".join))
def test_any_diagram_is_redrawn_or_left(body):
    made = redrawn(_cd(body))
    assert made is None or "tikzcd" not in made
