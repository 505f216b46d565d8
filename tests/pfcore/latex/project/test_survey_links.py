import pytest

from pfcore.domain.spans import Spans
from pfcore.latex.project.survey import links, survey_file


@pytest.mark.parametrize(
    ("text", "link"),
    [
        (r"\input{a}", ("input", "a", "input")),
        (r"\input a.tex ", ("input", "a.tex", "input")),
        (r'\input{"a b"}', ("input", "a b", "input")),
        (r'\input "a b.tex"', ("input", "a b.tex", "input")),
        (r"\include{a}", ("input", "a", "include")),
        (r"\subfile{a}", ("input", "a", "subfile")),
        (r"\import{x/}{a}", ("input", "x//a", "import")),
        (r'\import{"x y/"}{"a"}', ("input", "x y//a", "import")),
        (r"\subimport{x}{a}", ("input", "x/a", "subimport")),
        (r"\LTXtable{\textwidth}{a}", ("input", "a", "LTXtable")),
        (r"\usepackage[o]{a}", ("package", "a", "o")),
        (r"\RequirePackage{a}", ("package", "a", "")),
        (r"\LoadClass{a}", ("class", "a", "")),
        (r"\externaldocument[p-]{a}", ("external", "a", "p-")),
        (r"\externaldocument{a}", ("external", "a", "")),
        (r"\zexternaldocument{a}", ("external", "a", "")),
        (r"\zexternaldocument*[p-]{a}", ("external", "a", "p-")),
        (r"\Opensolutionfile{x}[a]", ("generated", "a", "")),
        (r"\Opensolutionfile{x}", ("generated", "x", "")),
    ],
)
def test_a_link_is_found_from_its_start_to_its_end(text: str, link: tuple[str, str, str]) -> None:
    (found,) = links("x" + text, Spans([])).links
    assert (found.relation, found.target, found.option) == link
    assert (found.offset, found.end) == (1, len(text.rstrip()) + 1)


def test_several_packages_may_be_named_at_once() -> None:
    assert [item.target for item in links(r"\usepackage{a, b}", Spans([])).links] == ["a", "b"]


def test_the_class_and_the_body_are_the_first() -> None:
    text = r"\documentclass[x]{a}\begin{document}\documentclass{b}\begin{document}"
    found = links(text, Spans([]))
    assert (found.document_class, found.class_options) == ("a", "x")
    assert found.body == text.index(r"\documentclass{b}")


def test_links_inside_of_definitions_do_not_count() -> None:
    assert links(r"\input{a}", Spans([(0, 9)])).links == ()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (r"\IfFileExists{a.tex}{\input{a}}{\input{b}}", ["InputIfFileExists", "input"]),
        ("\\IfFileExists{x/a}\n  {Text. {\\include{x/a}}}", ["InputIfFileExists"]),
        (r"\IfFileExists{a.tex}{\usepackage[o]{a}}{}\input{a}", ["o", "input"]),
        (r"\IfFileExists{a.tex}\input{a}", ["input"]),
        (r"\IfFileExists{x/a.tex}{\subimport{x}{a}}{}", ["subimport"]),
    ],
)
def test_what_is_read_only_if_it_is_there_is_marked(text: str, options: list[str]) -> None:
    assert [item.option for item in links(text, Spans([])).links] == options


@pytest.mark.parametrize(
    ("text", "document_class", "options"),
    [
        (r"\newcommand{\Class}[1]{\documentclass[11pt]{#1}}\Class{own}", "own", "11pt"),
        (r"\newcommand{\Class}[2][b]{\documentclass[#1]{#2}}\Class{own}", "own", "b"),
        (r"\def\Class#1#2{\documentclass[#1]{#2}}\Class{a}{own}", "own", "a"),
        (r"\newcommand\Class{\documentclass{own}}\Class", "own", ""),
        (r"\newcommand\Class{\documentclass{own}}\documentclass{other}", "other", ""),
        (r"\newcommand\Class{\documentclass{own}}", "", ""),
        (r"\newcommand{\Class}[1]{\documentclass[11pt]{#1}}\newcommand\x{\Class{own}}", "", ""),
    ],
)
@pytest.mark.parametrize("end", ["", r"\begin{document}"])
def test_a_class_that_a_macro_loads_is_the_documents_where_it_is_called(
    text: str, document_class: str, options: str, end: str
) -> None:
    found = survey_file(text + end)
    assert (found.document_class, found.class_options) == (document_class, options)
    classes = [link.target for link in found.links if link.relation == "class"]
    assert classes == [document_class] * bool(document_class)
