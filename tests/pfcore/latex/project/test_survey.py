from pfcore.latex.project.survey import survey_file


def test_a_file_is_surveyed_without_its_comments() -> None:
    text = (
        "\\documentclass{article}% \\newtheorem{no}{No}\n"
        "\\newtheorem{lem}{Lemma}\\newcommand{\\x}{\\input{y}}\\newenvironment{e}{}{}\n"
        "\\begin{document}\\input{a}\\end{document}\\input{b}"
    )
    found = survey_file(text, note="as latin-1")
    assert [item.env for item in found.theorems] == ["lem"]
    assert [item.name for item in found.macros] == ["x"]
    assert [item.name for item in found.environments] == ["e"]
    assert [(item.relation, item.target) for item in found.links] == [
        ("class", "article"),
        ("input", "a"),
    ]
    assert [text[slice(*span)][:15] for span in found.silent] == [
        r"\newcommand{\x}",
        r"\newenvironment",
    ]
    assert (found.document_class, found.note) == ("article", "as latin-1")
    assert text[: found.body].endswith(r"\begin{document}")


def test_what_an_environment_defines_at_its_begin_is_no_definition_of_the_file() -> None:
    text = r"\newenvironment{e}{\def\x{1}}{}\global\long\def\y{2}"
    found = survey_file(text)
    assert [item.name for item in found.macros] == ["y"]
    assert [text[slice(*span)] for span in found.silent][1:] == [r"\global\long\def\y{2}"]


def test_the_groups_around_definitions_and_inputs_are_noted() -> None:
    text = (
        r"{\def\x{}}{\input{a}}{b}\begin{proof}\newenvironment{e}{}{}\end{proof}"
        r"\newenvironment{f}{}{}"
    )
    found = survey_file(text)
    assert [bound.kind for bound in found.bounds] == ["{", "{", "{", "{", "env proof", "env proof"]
    assert [(item.name, item.is_local) for item in found.environments] == [
        ("e", True),
        ("f", False),
    ]


def test_a_loop_over_numbers_reads_in_the_files_whose_names_it_gives_to_a_macro() -> None:
    found = survey_file(
        "\\foreach \\i in {0, 1, ..., 12} {%\n  \\edef\\FileName{lectures/lecture\\i}%\n"
        "  \\IfFileExists{\\FileName}{%\n    \\input{\\FileName}%\n  }\n}\n"
        "\\foreach \\i in {1,3,...,11} {\\draw (\\i,0);}"
    )
    assert [item.target for item in found.links] == [f"lectures/lecture{n}" for n in range(13)]
    assert {item.option for item in found.links} == {"InputIfFileExists"}


def test_loops_within_loops_are_followed_up_to_a_length() -> None:
    text = "\\foreach \\i in {1,...,40}{" * 2_000 + "\\input{x\\i}" + "}" * 2_000
    assert len(survey_file(text).links) < 20_000


def test_a_loop_over_odd_numbers_reads_in_every_second_file() -> None:
    found = survey_file(r"\foreach \n in {1,3,...,11} {\input{part\n}}")
    assert [item.target for item in found.links] == [f"part{n}" for n in (1, 3, 5, 7, 9, 11)]
