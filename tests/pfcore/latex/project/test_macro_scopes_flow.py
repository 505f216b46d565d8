from collections.abc import Mapping

from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound, bounds_around
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.documents import Root, outline_of
from pfcore.latex.project.macro_scopes import flow
from pfcore.latex.project.survey import survey_file

BEGIN = r"\documentclass{a}\begin{document}"


def flown(
    files: dict[str, str], extra: Mapping[str, MacroDeclarations] | None = None
) -> tuple[list[str], list[tuple[str, bool]]]:
    """The moments of a paper in short, and which files' groups were asked for, and how."""
    surveys = {path: survey_file(text) for path, text in files.items()}
    outline = outline_of(Root(path="main.tex"), surveys, lambda path: surveys[path].links)
    asked: list[tuple[str, bool]] = []

    def limits(path: str, is_whole: bool) -> tuple[GroupBound, ...]:
        asked.append((path, is_whole))
        found = surveys[path]
        text = mask(files[path]).text
        return bounds_around(text, found.places, hidden=found.silent, is_whole=is_whole)

    steps = list(flow(outline, surveys, extra or {}, limits))
    return [f"{step.kind} {step.name or step.path}" for step in steps], asked


def test_all_moments_come_in_reading_order() -> None:
    files = {
        "main.tex": BEGIN + r"{\def\x{}\input{a}}\gdef\y{}\providecommand\z{}\input{b}\input{a}",
        "a.tex": r"\let\w\x",
        "b.tex": "b",
    }
    assert flown(files)[0] == [
        "enter main.tex", "begin {", "define x", "enter a.tex", "define w", "leave a.tex", "end {",
        "global y", "provide z", "enter b.tex", "leave b.tex", "leave main.tex",
    ]  # fmt: skip


def test_what_a_use_defines_comes_inside_of_what_begins_there() -> None:
    text = BEGIN + r"\begin{e}\end{e}"
    start = text.index(r"\begin{e}")
    made = MacroDeclarations(
        macros=(Definition(start, start + 9, "x", Macro((), ""), False),),
        bounds=(GroupBound(start, "use", False), GroupBound(start + 9, "use", True)),
    )
    moments, _ = flown({"main.tex": text + r"\def\y{}"}, {"main.tex": made})
    assert moments[1:4] == ["begin use", "define x", "end use"]


def test_groups_are_looked_for_only_where_something_may_change() -> None:
    files = {"main.tex": BEGIN + r"\input{a}\input{b}", "a.tex": "{}", "b.tex": r"\def\x{}"}
    assert flown(files)[1] == [("main.tex", False), ("b.tex", False)]


def test_where_a_file_leaves_a_group_open_all_that_follow_may_end_it() -> None:
    files = {"main.tex": BEGIN + r"\input{a}\input{b}", "a.tex": r"{\def\x{}", "b.tex": "}"}
    moments, asked = flown(files)
    assert asked == [("main.tex", False), ("a.tex", False), ("b.tex", True)]
    assert moments[moments.index("enter b.tex") + 1] == "end {"
