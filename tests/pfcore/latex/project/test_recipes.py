from collections.abc import Callable

import pytest

from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project import recipes
from pfcore.latex.project.documents import Root, outline_of
from pfcore.latex.project.recipes import Inset, Joined, Recipe, SplicedSource
from pfcore.latex.project.survey import survey_file
from pfcore.latex.project.syntax import Declared, build
from pfcore.latex.reader import parse_latex_file

X = MacroChange(3, "x", Macro((), "1"))


def plain(
    paths: str, *, key: str = "syntax", changes: tuple[MacroChange, ...] = (), content: str = ""
) -> dict[str, Recipe]:
    """Recipes of files named by one letter; only the first one has changes."""
    mine = {paths[0]: changes}
    return recipes.plain_recipes(
        paths, syntax_key=key, changes=mine, content=lambda path: f"{path}{content}"
    )


def test_a_file_by_itself_is_read_with_what_changes_in_it() -> None:
    found = plain("ab", changes=(X,))
    assert (found["a"].changes, found["b"].changes) == ((X,), ())
    assert not any(item.insets or item.is_inner for item in found.values())


@pytest.mark.parametrize(
    "other",
    [
        plain("ab", key="other"),
        plain("ab", content="other"),
        plain("ab", changes=(X,)),
    ],
)
def test_whatever_changes_how_a_file_is_read_changes_its_key(other: dict[str, Recipe]) -> None:
    assert plain("ab")["a"].key != other["a"].key


@pytest.mark.parametrize(
    "change",
    [
        X._replace(offset=4),
        X._replace(name="y"),
        X._replace(macro=None),
        X._replace(macro=Macro((), "2")),
        X._replace(macro=Macro(("m",), "1")),
    ],
)
def test_every_part_of_a_change_is_in_the_key(change: MacroChange) -> None:
    assert plain("a", changes=(X,))["a"].key != plain("a", changes=(change,))["a"].key


def test_what_changes_in_one_file_is_not_in_the_key_of_another() -> None:
    assert plain("ab", changes=(X,))["b"].key == plain("ab")["b"].key


Spliced = Callable[..., dict[str, Recipe]]


@pytest.fixture
def spliced() -> Spliced:
    """The recipes of a paper; `keys` stand for the contents of its files."""

    def make(files: dict[str, str], **keys: str) -> dict[str, Recipe]:
        surveys = {path: survey_file(text) for path, text in files.items()}
        outline = outline_of(Root(path="main.tex"), surveys, lambda path: surveys[path].links)
        how = build(Declared())
        alone = recipes.plain_recipes(
            outline.order,
            syntax_key="syntax",
            changes={},
            content=lambda path: keys.get(path.removesuffix(".tex"), ""),
        )
        readings = {
            path: parse_latex_file(SplicedSource(files[path]), how).reading for path in alone
        }
        return recipes.spliced(alone, outline, readings, surveys)

    return make


FILES = {
    "main.tex": r"\documentclass{a}\begin{document}\input{a}\begin{proof}\input{b}\end{proof}",
    "a.tex": "A",
    "b.tex": r"B\input{c}",
    "c.tex": "C",
}


def test_a_file_read_in_inside_of_a_proof_is_read_with_it(spliced: Spliced) -> None:
    found = spliced(FILES)
    assert [path for path, item in found.items() if item.is_inner] == ["b.tex", "c.tex"]
    ((start, end, inner),) = found["main.tex"].insets
    assert FILES["main.tex"][start:end] == r"\input{b}"
    assert (inner.path, [item.path for _, _, item in inner.insets]) == ("b.tex", ["c.tex"])
    assert found["a.tex"].insets == ()


def test_an_inner_file_is_in_the_key_of_what_is_read_with_it(spliced: Spliced) -> None:
    before = spliced(FILES)
    for path in ("b", "c"):
        after = spliced(FILES, **{path: "changed"})
        assert after["main.tex"].key != before["main.tex"].key
        assert after["a.tex"] == before["a.tex"]
    after = spliced(FILES, a="changed")
    assert after["main.tex"].key == before["main.tex"].key
    assert after["a.tex"].key != before["a.tex"].key


def test_a_file_by_itself_has_another_key_than_the_same_file_inside_of_a_proof(
    spliced: Spliced,
) -> None:
    outside = FILES | {"main.tex": FILES["main.tex"].replace("{proof}", "{center}")}
    assert spliced(outside)["b.tex"].key != spliced(FILES)["b.tex"].key
    assert not spliced(outside)["main.tex"].insets


def test_where_the_inner_file_stands_is_in_the_key(spliced: Spliced) -> None:
    moved = FILES | {"main.tex": FILES["main.tex"].replace(r"\input{b}", r"x\input{b}")}
    assert spliced(moved)["main.tex"].key != spliced(FILES)["main.tex"].key


def test_the_source_of_a_recipe_has_the_inner_texts_put_in(spliced: Spliced) -> None:
    surveys = {path: survey_file(text) for path, text in FILES.items()}
    source = spliced(FILES)["main.tex"].source(FILES.__getitem__, surveys)
    assert source.text == FILES["main.tex"]
    ((start, end, inner, _),) = source.insets
    assert (inner.text, inner.insets) == (
        "B\\input{c}",
        [Inset(1, 10, SplicedSource("C", (), (), []))],
    )
    assert source.text[start:end] == r"\input{b}"


def test_of_a_whole_document_inside_of_a_proof_only_the_body_is_read(spliced: Spliced) -> None:
    r"""So does standalone with a picture: all before it would be the preamble otherwise."""
    picture = r"\documentclass{standalone}\usetikzlibrary{x}\begin{document}D\end{document} more"
    files = FILES | {"main.tex": FILES["main.tex"] + r"\end{document}", "b.tex": picture}
    surveys = {path: survey_file(text) for path, text in files.items()}
    source = spliced(files)["main.tex"].source(files.__getitem__, surveys)
    whole = Joined(source).text
    assert "documentclass{standalone}" not in whole
    assert "usetikzlibrary" not in whole
    assert whole.endswith(r"D\end{proof}\end{document}")
    assert not parse_latex_file(source, build(Declared())).reading.problems
