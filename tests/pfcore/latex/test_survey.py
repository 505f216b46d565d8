from pfcore.latex.survey import survey


def test_a_file_is_surveyed_without_its_comments() -> None:
    text = (
        "\\documentclass{article}% \\newtheorem{no}{No}\n"
        "\\newtheorem{lem}{Lemma}\\newcommand{\\x}{\\input{y}}\\newenvironment{e}{}{}\n"
        "\\begin{document}\\input{a}\\end{document}\\input{b}"
    )
    found = survey(text, note="as latin-1")
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
