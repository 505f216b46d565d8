from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound, bounds_around
from pfcore.latex.macros.macro import PRIMITIVE, Macro
from pfcore.latex.macros.macro_table import Lexicon, MacroChange
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.documents import Root, outline_of
from pfcore.latex.project.macro_scopes import Meanings, meanings
from pfcore.latex.project.survey import survey_file


def meant(files: dict[str, str], extra: Mapping[str, MacroDeclarations] | None = None) -> Meanings:
    surveys = {path: survey_file(text) for path, text in files.items()}
    outline = outline_of(Root(path="main.tex"), surveys, lambda path: surveys[path].links)
    masked = {path: mask(text).text for path, text in files.items()}

    def limits(path: str, is_whole: bool) -> tuple[GroupBound, ...]:
        found = surveys[path]
        made = [item.start for item in (extra or {}).get(path, MacroDeclarations()).macros]
        return bounds_around(
            masked[path], [*found.places, *made], hidden=found.silent, is_whole=is_whole
        )

    return meanings(outline, surveys, extra or {}, limits)


def main(preamble: str, body: str) -> str:
    return f"\\documentclass{{a}}{preamble}\\begin{{document}}{body}\\end{{document}}"


def test_of_several_definitions_in_the_preamble_the_last_one_holds() -> None:
    found = meant({"main.tex": main(r"\def\x{1}\def\x{2}\providecommand{\x}{3}", "")})
    assert found.table == {"x": Macro((), "2")}
    assert found.changes == {}


def test_a_package_of_the_paper_defines_where_it_is_loaded() -> None:
    files = {"main.tex": main(r"\def\x{1}\usepackage{own}\def\y{\x}", ""), "own.sty": r"\def\x{2}"}
    assert meant(files).table["x"] == Macro((), "2")


def test_let_copies_what_a_macro_is_at_that_moment() -> None:
    found = meant({"main.tex": main(r"\def\x{1}\let\y\x\def\x{2\y}\let\z\q\let\w=a", "")})
    assert found.table["y"] == Macro((), "1")
    assert found.table["z"] == Macro(PRIMITIVE, r"\q")
    assert found.table["w"] == Macro(PRIMITIVE, "a")


def test_two_commands_may_change_places() -> None:
    found = meant({"main.tex": main(r"\let\t\phi\let\phi\varphi\let\varphi\t", "")})
    assert {name: macro.body for name, macro in found.table.items()} == {
        "t": r"\phi",
        "phi": r"\varphi",
        "varphi": r"\phi",
    }


def test_a_macro_that_changes_in_the_body_changes_from_there_on() -> None:
    body = r"a \def\x{2} b"
    text = main(r"\def\x{1}\def\y{0}", body)
    found = meant({"main.tex": text})
    assert found.changes == {
        "main.tex": (
            MacroChange(-1, "x", None),
            MacroChange(text.index(r"\def\x{1}"), "x", Macro((), "1")),
            MacroChange(text.index(r"\def\x{2}"), "x", Macro((), "2")),
        )
    }
    assert sorted(found.variants) == [("x", Macro((), "1")), ("x", Macro((), "2"))]


def test_a_macro_that_changes_in_a_file_is_changed_behind_it() -> None:
    text = main(r"\def\x{1}", r"\input{a}\input{b}\input{a}")
    files = {"main.tex": text, "a.tex": r"z\def\x{2}", "b.tex": ""}
    changes = meant(files).changes
    assert changes["a.tex"] == (
        MacroChange(-1, "x", Macro((), "1")),
        MacroChange(1, "x", Macro((), "2")),
    )
    assert changes["b.tex"] == ()
    assert changes["main.tex"][-1] == MacroChange(text.index(r"\input{a}"), "x", Macro((), "2"))


def test_what_uses_of_macros_define_counts_at_these_uses() -> None:
    made = MacroDeclarations(macros=(Definition(60, 70, "x", Macro((), "3"), False),))
    text = main(r"\def\x{1}", "a" * 50)
    found = meant({"main.tex": text}, {"main.tex": made})
    assert found.table["x"] == Macro((), "3")
    assert found.changes["main.tex"][-1] == MacroChange(60, "x", Macro((), "3"))
    ended = made._replace(bounds=(GroupBound(60, "use", False), GroupBound(70, "use", True)))
    found = meant({"main.tex": text}, {"main.tex": ended})
    assert found.table["x"] == Macro((), "1")
    assert [change.offset for change in found.changes["main.tex"]][2:] == [60, 70]


def listed(text: str) -> list[tuple[int, str]]:
    """Where the one macro of a text changes, and what it becomes."""
    changes = meant({"main.tex": text}).changes.get("main.tex", ())
    return [(item.offset, item.macro.body if item.macro else "nothing") for item in changes]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (r"{\def\x{2} a}b", "}b"),
        (r"\begingroup\def\x{2} a\endgroup", r"\endgroup"),
        (r"\bgroup\renewcommand{\x}{2} a\egroup", r"\egroup"),
        (r"\begin{proof}\let\x=2 a\end{proof}", r"\end{proof}"),
        (r"\begin{a}\begin{b}\def\x{2}\end{a}\end{b}", r"\end{a}"),
        (r"\[\def\x{2}\]", r"\]"),
        (r"{\providecommand{\x}{3}\def\x{2}}!", "}!"),
        (r"\text{\long\def\x{2}}!", "}!"),
    ],
)
def test_a_definition_ends_with_the_group_or_environment_around_it(body: str, end: str) -> None:
    text = main(r"\def\x{1}", body)
    found = listed(text)
    assert [meaning for _, meaning in found][-2:] == ["2", "1"]
    assert text.startswith(end, found[-1][0])
    assert meant({"main.tex": text}).table["x"] == Macro((), "1")


def test_what_nothing_means_outside_of_a_group_means_nothing_there_again() -> None:
    text = main("", r"{\def\x{1}}")
    assert meant({"main.tex": text}).table == {}
    assert meant({"main.tex": text}).variants == (("x", Macro((), "1")),)
    assert [meaning for _, meaning in listed(text)] == ["1", "nothing"]


@pytest.mark.parametrize(
    "definition",
    [r"\gdef\x{2}", r"\xdef\x{2}", r"\global\def\x{2}", r"\global\long\def\x{2}",
     r"\long\global\edef\x{2}", r"\global\let\x=2"],
)  # fmt: skip
def test_a_global_definition_outlives_all_groups(definition: str) -> None:
    body = rf"{{\def\x{{3}}\begin{{proof}}{definition}\end{{proof}}}}"
    found = meant({"main.tex": main(r"\def\x{1}", body)})
    assert found.table["x"].body == "2"


def test_inner_groups_end_before_outer_ones() -> None:
    body = r"{\def\x{2}{\def\x{3}}a}b"
    assert [meaning for _, meaning in listed(main(r"\def\x{1}", body))][1:] == list("12321")


def test_the_document_is_no_group_and_neither_is_a_group_that_nothing_ends() -> None:
    assert meant({"main.tex": main("", r"\def\x{1}")}).table["x"].body == "1"
    assert meant({"main.tex": main("", r"{\def\x{1}")}).table["x"].body == "1"


def test_what_a_file_defines_ends_with_the_group_in_which_it_is_read_in() -> None:
    text = main(r"\def\x{1}", r"\begin{proof}\input{a}\end{proof}\input{b}")
    files = {"main.tex": text, "a.tex": r"\def\x{2}\input{c}", "b.tex": "", "c.tex": ""}
    changes = meant(files).changes
    assert changes["a.tex"] == (MacroChange(0, "x", Macro((), "2")),)
    assert changes["c.tex"] == (MacroChange(-1, "x", Macro((), "2")),)
    assert changes["b.tex"] == ()
    assert changes["main.tex"][2:] == (
        MacroChange(text.index(r"\input{a}"), "x", Macro((), "2")),
        MacroChange(text.index(r"\end{proof}"), "x", Macro((), "1")),
    )


def test_a_group_may_end_in_another_file() -> None:
    text = main(r"\def\x{1}", r"{\def\x{2}\input{a}\input{b}")
    changes = meant({"main.tex": text, "a.tex": "y}z", "b.tex": "{}"}).changes
    assert changes["a.tex"] == (
        MacroChange(-1, "x", Macro((), "2")),
        MacroChange(1, "x", Macro((), "1")),
    )
    assert changes["b.tex"] == ()
    assert changes["main.tex"][-1] == MacroChange(text.index(r"\input{a}"), "x", Macro((), "1"))


def test_what_a_file_changes_and_takes_back_changes_nothing_behind_it() -> None:
    text = main(r"\def\x{1}", r"\input{a}b")
    changes = meant({"main.tex": text, "a.tex": r"{\def\x{2}}"}).changes
    assert [change.offset for change in changes["main.tex"]] == [-1, text.index(r"\def")]
    assert len(changes["a.tex"]) == 2


def test_definitions_of_a_group_in_the_preamble_never_reach_the_document() -> None:
    found = meant({"main.tex": main(r"\def\x{1}{\def\x{2}\gdef\y{3}\def\z{4}}", "a")})
    assert found == Meanings({"x": Macro((), "1"), "y": Macro((), "3")}, ())
    assert found.changes == {}


def test_let_copies_what_a_macro_is_in_the_group() -> None:
    found = meant({"main.tex": main(r"\def\x{1}", r"{\def\x{2}\global\let\y\x}\let\z\x")})
    assert (found.table["y"].body, found.table["z"].body) == ("2", "1")


GROUPS = st.sampled_from(
    [
        ("{", "}"),
        (r"\begingroup ", r"\endgroup "),
        (r"\bgroup ", r"\egroup "),
        (r"\begin{a}", r"\end{a}"),
    ]
)
LEAVES = st.sampled_from("?") | st.builds(
    "{}{}{{{}}}".format,
    st.sampled_from([r"\def", r"\gdef", r"\global\def", r"\long\def"]),
    st.sampled_from([r"\x", r"\y"]),
    st.sampled_from("123"),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.tuples(GROUPS, st.lists(inner, max_size=4)),
    max_leaves=30,
)
Tree = str | tuple[tuple[str, str], list["Tree"]]


def spelt(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    (begin, end), inner = tree
    return begin + "".join(map(spelt, inner)) + end


def probed(trees: list[Tree], levels: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """What the macros mean at each question mark, as TeX has it: the innermost level counts."""
    for tree in trees:
        if not isinstance(tree, str):
            yield from probed(tree[1], [*levels, {}])
        elif tree == "?":
            yield {name: body for level in levels for name, body in level.items()}
        else:
            name, body = tree[-4], tree[-2]
            for level in levels if "g" in tree.removeprefix(r"\long") else []:
                level.pop(name, None)
            target = levels[0] if "g" in tree.removeprefix(r"\long") else levels[-1]
            target[name] = body


@given(st.lists(TREES, max_size=6))
def test_a_macro_means_what_tex_has_it_mean(trees: list[Tree]) -> None:
    text = main(r"\def\x{0}", "".join(map(spelt, trees)))
    found = meant({"main.tex": text})
    lexicon = Lexicon(found.table, found.changes.get("main.tex", ()))
    places = [place for place, letter in enumerate(text) if letter == "?"]
    wanted = probed(trees, [{"x": "0"}])
    for place, expected in zip(places, wanted, strict=True):
        for name in "xy":
            macro = lexicon.meaning(name, place)
            if name in expected or name in varying(found):
                assert (macro.body if macro else None) == expected.get(name)


def varying(found: Meanings) -> set[str]:
    """The names that mean something else somewhere: others mean one thing everywhere."""
    return {name for name, _ in found.variants}
