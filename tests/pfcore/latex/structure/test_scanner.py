from collections.abc import Callable

import pytest

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure.scanner import CommandScanner

How = Callable[..., Syntax]


def scanner(how: How, text: str) -> CommandScanner:
    found = how(text)
    return CommandScanner(found, Lexicon(found.macros))


@pytest.mark.parametrize(
    ("text", "kind", "keys", "note"),
    [
        (r"\begin{a}", "begin", (), ""),
        (r"\end{a}", "end", (), ""),
        (r"\proof", "begin", (), ""),
        (r"\endproof", "end", (), ""),
        (r"\label{a}", "label", ("a",), ""),
        (r"\label<2>{a}", "label", ("a",), ""),
        (r'\input "a b.tex"', "input", ("a b.tex",), ""),
        (r"\ref{a}", "reference", ("a",), ""),
        (r"\ref*{a}", "reference", ("a",), ""),
        (r"\cref{a, b}", "reference", ("a", "b"), ""),
        (r"\cref{a,,b}", "reference", ("a", "b"), ""),
        (r"\hyperref[a]", "reference", ("a",), "a"),
        (r"\hyperref[{a, b}]", "reference", ("a, b",), ""),
        (r"\crefrange{a}{b}", "range", ("a", "b"), ""),
        (r"\crefrange{a}", "range", ("a",), ""),
        (r"\pageref{a}", "page", ("a",), ""),
        (r"\cite[p. 1]{K}", "cite", ("K",), "p. 1"),
        (r"\cite[see][p. 1]{K,L}", "cite", ("K", "L"), "p. 1"),
        (r"\uses{a,b}", "uses", ("a", "b"), ""),
        (r"\leanok", "uses", (), ""),
        (r"\section[s]{Long}", "section", (), "Long"),
        (r"\section", "silent", (), ""),
        (r"\ref", "silent", (), ""),
        (r"\label{}", "label", (), ""),
        (r"\input{a}", "input", ("a",), ""),
        (r"\input a", "input", ("a",), ""),
        (r"\subimport{x}{a}", "input", ("x/a",), ""),
        (r"\LTXtable{\textwidth}{a}", "input", ("a",), ""),
        (r"\item", "item", (), ""),
        (r"\appendix", "appendix", (), ""),
        (r"\qed", "qed", (), ""),
        (r"\index{a}", "silent", (), ""),
        (r"\setcounter{a}{1}", "silent", (), ""),
        (r"\setcounter{a}", "silent", (), ""),
    ],
)
def test_a_command_is_read_with_its_arguments(
    how: How, text: str, kind: str, keys: tuple[str, ...], note: str
) -> None:
    event, *_ = scanner(how, text).scan(Groups(text + " x"))
    assert (event.start, event.end, event.kind, event.keys) == (0, len(text), kind, keys)
    assert kind == "reference" or event.note == note


@pytest.mark.parametrize("text", [r"\input{}", "\\input\n", r"\hyperref{a}{b}", r"\cite[a"])
def test_a_command_that_names_nothing_has_no_keys(how: How, text: str) -> None:
    assert not any(key for event in scanner(how, text).scan(Groups(text)) for key in event.keys)


def test_an_escaped_backslash_begins_no_command(how: How) -> None:
    text = r"\\ref{a} \\\ref{b}"
    assert [event.keys for event in scanner(how, text).scan(Groups(text))] == [("b",)]


def test_what_is_hidden_is_left_out(how: How) -> None:
    text = r"\ref{a}\ref{b}"
    found = scanner(how, text).scan(Groups(text), Spans([(0, 7)]))
    assert [event.keys for event in found] == [("b",)]


def test_active_macros_are_replaced_by_what_they_stand_for(how: How) -> None:
    text = r"\newcommand{\bl}[1]{\begin{lemma}\label{#1}}\newcommand{\two}{\bl{x}\bl}"
    use = r"\two{y}\bl{z}\bl"
    groups = Groups(use)
    found = scanner(how, text)
    events = list(found.flatten(groups, found.scan(groups)))
    assert [(e.kind, e.name, e.keys) for e in events] == [
        ("begin", "lemma", ()),
        ("label", "label", ("x",)),
        ("begin", "lemma", ()),
        ("label", "label", ("y",)),
        ("begin", "lemma", ()),
        ("label", "label", ("z",)),
        ("active", "bl", ()),
    ]
    assert [use[e.start : e.end] for e in events[:4]] == [r"\two{y}"] * 4
    assert use[events[4].start : events[4].end] == r"\bl{z}"


def test_commands_inside_of_an_argument_are_not_read_twice(how: How) -> None:
    text = r"\newcommand{\w}[1]{\ref{p}#1}"
    use = r"\w{\ref{a}}"
    groups = Groups(use)
    found = scanner(how, text)
    assert [e.keys for e in found.flatten(groups, found.scan(groups))] == [("p",), ("a",)]


def test_when_nothing_is_left_to_spend_active_macros_stay(how: How) -> None:
    text = r"\newcommand{\bl}{\begin{lemma}}"
    found = CommandScanner(how(text), Lexicon(how(text).macros), spare=20)
    groups = Groups(r"\bl\bl\bl\bl")
    kinds = [event.kind for event in found.flatten(groups, found.scan(groups))]
    assert kinds == ["begin", "begin", "active", "active"]


@pytest.mark.parametrize(
    ("definition", "kind"),
    [(r"\let\r\ref", "reference"), (r"\let\r\unknown", "macro")],
)
def test_a_command_under_another_name_is_that_command(how: How, definition: str, kind: str) -> None:
    groups = Groups(r"\r{a}")
    assert scanner(how, definition).scan(groups)[0].kind == kind


def test_what_grows_too_long_is_not_expanded(how: How) -> None:
    text = r"\newcommand{\r}[1]{\ref{a}" + "#1" * 300 + "}"
    groups = Groups(r"\r{" + "x" * 300 + "}")
    found = scanner(how, text)
    assert [event.kind for event in found.flatten(groups, found.scan(groups))] == ["active"]


MIXED = r"""\newcommand{\lem}{\begin{lemma}}\newcommand{\x}{y}\newcommand{\x@y}{\label{a}}
\newcommand{\lem@x}{y}\newcommand{\*}{z}"""


@pytest.mark.parametrize(
    ("text", "structure", "passive"),
    [
        (r"\x \lem \x* \label{\x}", ["lem", "label"], ["x", "x", "x"]),
        (r"\lem@x \lem \x@y \x", ["lem", "x@y"], ["lem@x", "x"]),
        (r"\begin{\x}\end{\x}\x \\x", ["\\x", "\\x"], ["x"]),
        (r"\* \\* \lem**", ["lem"], ["*"]),
        ("no command", [], []),
    ],
)
def test_structure_is_found_apart_from_macros_that_lead_to_none(
    how: How, text: str, structure: list[str], passive: list[str]
) -> None:
    found = scanner(how, MIXED)
    groups, nowhere = Groups(text), Spans([])
    apart = found.structure(groups, nowhere), found.passive(groups, nowhere)
    assert [event.name for event in apart[0]] == structure
    assert [event.name for event in apart[1]] == passive
    assert found.scan(groups) == sorted(apart[0] + apart[1])


def test_nothing_passive_is_looked_for_without_macros(how: How) -> None:
    assert scanner(how, "").passive(Groups(r"\x"), Spans([])) == []
