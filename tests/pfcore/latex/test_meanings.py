from collections.abc import Mapping

from pfcore.latex.discovery import outline_of
from pfcore.latex.lexicon import Change
from pfcore.latex.macros import PRIMITIVE, Definition, Macro
from pfcore.latex.meanings import Meanings, meanings
from pfcore.latex.roots import Root
from pfcore.latex.survey import survey


def meant(
    files: dict[str, str], extra: Mapping[str, tuple[Definition, ...]] | None = None
) -> Meanings:
    surveys = {path: survey(text) for path, text in files.items()}
    outline = outline_of(Root(path="main.tex"), surveys, lambda path: surveys[path].links)
    return meanings(outline, surveys, extra or {})


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
            Change(-1, "x", None),
            Change(text.index(r"\def\x{1}"), "x", Macro((), "1")),
            Change(text.index(r"\def\x{2}"), "x", Macro((), "2")),
        )
    }
    assert sorted(found.variants) == [("x", Macro((), "1")), ("x", Macro((), "2"))]


def test_a_macro_that_changes_in_a_file_is_changed_behind_it() -> None:
    text = main(r"\def\x{1}", r"\input{a}\input{b}\input{a}")
    files = {"main.tex": text, "a.tex": r"z\def\x{2}", "b.tex": ""}
    changes = meant(files).changes
    assert changes["a.tex"] == (
        Change(-1, "x", Macro((), "1")),
        Change(1, "x", Macro((), "2")),
    )
    assert changes["b.tex"] == (Change(-1, "x", Macro((), "2")),)
    assert changes["main.tex"][-1] == Change(text.index(r"\input{a}"), "x", Macro((), "2"))


def test_what_uses_of_macros_define_counts_at_these_uses() -> None:
    extra = {"main.tex": (Definition(60, 70, "x", Macro((), "3"), False),)}
    found = meant({"main.tex": main(r"\def\x{1}", "a" * 50)}, extra)
    assert found.table["x"] == Macro((), "3")
    assert found.changes["main.tex"][-1] == Change(60, "x", Macro((), "3"))
