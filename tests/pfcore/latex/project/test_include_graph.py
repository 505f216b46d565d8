import pytest

from pfcore.latex.project.documents import Root, documents, outline_of
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.survey import Survey, survey_file

DOCUMENT = "\\documentclass{article}\\begin{document}%s\\end{document}"


def outline(files: dict[str, str], root: str = "main.tex", *attached: str) -> IncludeGraph:
    found: dict[str, Survey] = {path: survey_file(text) for path, text in files.items()}
    return outline_of(Root(path=root, attached=attached), found, lambda path: found[path].links)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (r"\input{a}", "a.tex"),
        (r"\input{a.tex}", "a.tex"),
        (r"\input a ", "a.tex"),
        (r"\include{x/a}", "x/a.tex"),
        (r"\subfile{x/a}", "x/a.tex"),
        (r"\import{x/}{a}", "x/a.tex"),
        (r"\subimport{x}{a}", "x/a.tex"),
        (r"\LTXtable{0.9\textwidth}{a}", "a.tex"),
        (r"\input{./x/../a}", "a.tex"),
        (r"\usepackage{own}", "own.sty"),
    ],
)
def test_an_input_is_followed(command: str, path: str) -> None:
    found = outline({"main.tex": DOCUMENT % command, "a.tex": "", "x/a.tex": "", "own.sty": ""})
    assert found.order == ["main.tex", path]
    assert [item.path for item in found.inclusions["main.tex"]] == [path]
    assert found.opened[path][0] == "main.tex"


def test_files_are_found_from_the_root_and_from_the_file_that_names_them() -> None:
    found = outline(
        {
            "p/main.tex": DOCUMENT % r"\import{x/}{a}\subimport{x}{d}",
            "p/x/a.tex": r"\input{b}\input{x/c}",
            "p/x/b.tex": "",
            "p/x/c.tex": "",
            "p/x/d.tex": r"\subimport{y}{e}",
            "p/x/y/e.tex": "",
        },
        "p/main.tex",
    )
    assert found.order[1:] == [f"p/x/{name}.tex" for name in ("a", "b", "c", "d", "y/e")]
    assert found.is_complete


def test_a_file_in_other_capitals_is_read_and_told() -> None:
    main = DOCUMENT % r"\include{Part/One}\input{two}"
    files = {"part/one.tex": r"\input{TWO}", "two.tex": "", "Two.tex": ""}
    found = outline({"main.tex": main, **files})
    assert found.order == ["main.tex", "part/one.tex", "two.tex"]
    problems = [(path, item.code) for path, listed in found.problems.items() for item in listed]
    assert problems == [("main.tex", "file-case"), ("part/one.tex", "missing-file")]
    assert found.problems["main.tex"][0].subject == "Part/One"


def test_a_style_in_other_capitals_is_told_by_the_command_that_loads_it() -> None:
    main = DOCUMENT.replace("\\begin", r"\usepackage[final]{Ours}\begin", 1) % "x"
    (problem,) = outline({"main.tex": main, "ours.sty": ""}).problems["main.tex"]
    assert problem.message.startswith(r"\usepackage{Ours} differs from ours.sty in upper")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours.cls", r"\LoadClass{article}\comment{Say \documentclass[a4paper]{ours}}"),
        ("ours.sty", r"\RequirePackage{ours}"),
    ],
)
def test_what_latex_loads_once_includes_itself_nowhere(name: str, text: str) -> None:
    command = r"\usepackage{ours}\begin" if name.endswith(".sty") else r"\begin"
    main = (DOCUMENT % "x").replace("\\begin", command, 1)
    main = main.replace("{article}", "{ours}", 1) if name.endswith(".cls") else main
    found = outline({"main.tex": main, name: text})
    assert (found.order, found.problems) == (["main.tex", name], {})


@pytest.mark.parametrize("target", ["../../etc/passwd", "/etc/passwd", ""])
def test_nothing_outside_of_the_snapshot_is_looked_at(target: str) -> None:
    found = outline({"main.tex": DOCUMENT % rf"\input{{{target}}}", "etc/passwd.tex": ""})
    assert found.order == ["main.tex"]


SEARCHING = [
    r"\makeatletter\def\input@path{{sub/one/}}\makeatother",
    r"\newcommand{\add}[1]{\g@addto@macro\input@path{{#1/}}}\add{sub/one}",
]


@pytest.mark.parametrize("search", SEARCHING)
def test_files_are_found_where_the_paper_lets_latex_look(search: str) -> None:
    main = DOCUMENT % r"\input{aa}\input{bb}"
    files = {"main.tex": search + main, "sub/one/aa.tex": "", "x/bb.tex": "", "y/bb.tex": ""}
    found = outline(files)
    assert found.order == ["main.tex", "sub/one/aa.tex"]
    assert [item.subject for item in found.problems["main.tex"]] == ["bb"]
    assert outline({**files, "main.tex": main}).order == ["main.tex"]


def test_a_style_in_another_folder_is_found_where_only_one_has_its_name() -> None:
    main = r"\usepackage{ours}\usepackage{amsthm}" + DOCUMENT.replace("{article}", "{my}") % "x"
    files = {"paper/main.tex": main, "lib/ours.sty": "", "x/amsthm.sty": "", "cls/my.cls": ""}
    assert outline(files, "paper/main.tex").order == [
        "paper/main.tex",
        "lib/ours.sty",
        "cls/my.cls",
    ]
    assert outline({**files, "old/ours.sty": ""}, "paper/main.tex").order[1:] == ["cls/my.cls"]


def test_what_a_program_makes_of_lean_is_said_and_read_where_it_is_committed() -> None:
    link = r"\input{../../.lake/build/blueprint/module/X.tex}"
    main = {"blueprint/src/main.tex": DOCUMENT % link}
    (problem,) = outline(main, "blueprint/src/main.tex").problems["blueprint/src/main.tex"]
    assert "`lake build :blueprint` generates" in problem.message
    made = ".lake/build/blueprint/module/X.tex"
    assert outline({**main, made: ""}, "blueprint/src/main.tex").order[1:] == [made]


@pytest.mark.parametrize("before", [r"\protect", r"\string", r"\noexpand "])
def test_a_command_that_is_only_named_reads_nothing_in(before: str) -> None:
    own = rf"\PackageError{{own}}{{remove {before}\usepackage{{own}}}}{{}}"
    found = outline({"main.tex": r"\usepackage{own}" + DOCUMENT % "", "own.sty": own})
    assert found.problems == {}


def test_files_of_tex_are_not_missing_wherever_they_are_read_in() -> None:
    own = r"\input{glyphtounicode}\input{pictex}\input{gone}"
    main = DOCUMENT.replace("{article}", "{own}") % r"\input{epsf}"
    found = outline({"main.tex": main, "own.cls": own})
    assert [item.code for item in found.problems["own.cls"]] == ["unfollowed-file"]
    assert "main.tex" not in found.problems


def test_a_missing_file_is_a_problem_with_its_place() -> None:
    text = DOCUMENT % r"\input{gone}"
    found = outline({"main.tex": text})
    (problem,) = found.problems["main.tex"]
    assert problem.code == "missing-file"
    assert problem.message == r"\input{gone} names a file that is not in the repository"
    assert text[problem.start : problem.end] == r"\input{gone}"
    assert not found.is_complete


@pytest.mark.parametrize(
    "text",
    [
        r"\documentclass{article}\input{gone}\begin{document}\end{document}",
        DOCUMENT % r"\usepackage{gone}",
        DOCUMENT % r"\InputIfFileExists{gone}{}{}",
        DOCUMENT % r"\input{fig.pdf_t}",
        DOCUMENT % r"\input{\jobname}",
        DOCUMENT % r"\Opensolutionfile{x}[gone]\input{gone}",
    ],
)
def test_what_the_installation_or_latex_itself_provides_is_not_missing(text: str) -> None:
    found = outline({"main.tex": text})
    assert found.is_complete
    assert {item.code for one in found.problems.values() for item in one} <= {"unfollowed-file"}


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (r"\documentclass{article}\input{gone}\begin{document}\end{document}", "gone"),
        (DOCUMENT % r"\input{part.txt}", "part.txt"),
        (DOCUMENT % r"\input{\dir/part}", r"\dir/part"),
    ],
)
def test_what_is_read_in_and_cannot_be_followed_is_known(text: str, target: str) -> None:
    (problem,) = outline({"main.tex": text}).problems["main.tex"]
    assert (problem.code, problem.subject) == ("unfollowed-file", target)


@pytest.mark.parametrize("name", ["fig.pdf_t", "fig.tikz", "main.bbl"])
def test_figures_and_lists_state_nothing(name: str) -> None:
    assert outline({"main.tex": DOCUMENT % rf"\input{{{name}}}"}).problems == {}


def test_a_dot_in_a_name_is_no_extension() -> None:
    (problem,) = outline({"main.tex": DOCUMENT % r"\input{chapter.1}"}).problems["main.tex"]
    assert problem.code == "missing-file"


def test_a_circle_is_cut_and_reported() -> None:
    found = outline(
        {"main.tex": DOCUMENT % r"\input{a}", "a.tex": r"\input{b}", "b.tex": r"\input{a}"}
    )
    assert found.order == ["main.tex", "a.tex", "b.tex"]
    (problem,) = found.problems["b.tex"]
    assert problem.code == "circular-input"
    assert problem.message == "a.tex includes itself: main.tex → a.tex → b.tex → a.tex"


def test_a_file_that_is_read_in_twice_is_listed_once() -> None:
    found = outline({"main.tex": DOCUMENT % r"\input{a}\input{a}", "a.tex": ""})
    assert found.order == ["main.tex", "a.tex"]
    assert len(found.inclusions["main.tex"]) == 2


def test_attached_documents_follow() -> None:
    found = outline(
        {"main.tex": DOCUMENT % "", "b.tex": DOCUMENT % ""}, "main.tex", "b.tex", "b.tex"
    )
    assert found.order == ["main.tex", "b.tex"]
    assert found.document("b.tex") == "main.tex"


XR = {
    "preamble.tex": r"\externaldocument[one-]{one}\externaldocument[two-]{two}"
    r"\externaldocument{gone}",
    "one.tex": r"\documentclass{a}\input{preamble}\begin{document}\input{in}\end{document}",
    "two.tex": r"\documentclass{a}\input{preamble}\begin{document}\end{document}",
    "in.tex": "",
    "alone.tex": DOCUMENT % "",
}


def test_documents_that_name_each_other_are_one_paper_with_prefixes() -> None:
    found, asides = documents({path: survey_file(text) for path, text in XR.items()})
    assert found == [Root(path="alone.tex"), Root(path="one.tex", attached=("two.tex",))]
    assert asides == []
    paper = outline(XR, "one.tex", "two.tex")
    assert paper.prefixes == (("one-", "one.tex"), ("two-", "two.tex"))
    assert [paper.document(path) for path in ("one.tex", "in.tex", "two.tex")] == [
        "one.tex",
        "one.tex",
        "two.tex",
    ]
    assert paper.elsewhere("two-lem:a") == [("two.tex", "lem:a")]
    assert paper.elsewhere("lem:a") == []
    assert paper.problems == {}


def test_the_longest_prefix_comes_first() -> None:
    found = IncludeGraph(root="a", prefixes=(("x-", "b"), ("x-y-", "c"), ("", "d")))
    assert found.elsewhere("x-y-z") == [("c", "z"), ("b", "y-z"), ("d", "x-y-z")]


def test_fragments_without_a_document_are_one_together() -> None:
    found, _ = documents({path: survey_file("") for path in ("b.tex", "a.tex", "c.sty")})
    assert found == [Root(path="a.tex", attached=("b.tex",))]
    assert documents({}) == ([], [])


def test_a_name_without_a_folder_is_no_file_of_a_folder_above() -> None:
    files = {"p/main.tex": DOCUMENT % r"\input{a}\input{x/b}", "a.tex": "", "x/b.tex": ""}
    found = outline(files, "p/main.tex")
    assert found.order == ["p/main.tex", "x/b.tex"]
    assert [item.subject for item in found.problems["p/main.tex"]] == ["a"]
