"""What is wrong with the LaTeX itself."""

import pytest

from pfcore.domain.errors import IncompleteError
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot, source_files
from pfcore.review.review import every_finding, review
from pfcore.review.unseen import unseen_of
from tests.conftest import commit, git


def _review(folder, parse_cache=None):
    return review(None, snapshot.from_folder(folder), parse_cache or ParseCache(MemoryCache()))


def _found(report):
    return [
        (finding.rule, finding.severity.value, finding.location.line) for finding in report.findings
    ]


def test_an_environment_that_is_not_closed_is_reported_where_it_begins(article):
    report = article("\\begin{itemize}\n\\begin{proof}\\end{itemize}\n")
    assert _found(report)[0] == ("unbalanced-environment", "error", 9)
    assert "\\begin{proof} is not closed before \\end{itemize}" in report.findings[0].message


def test_a_proof_that_a_command_begins_needs_no_end(article):
    lemma = "\\newtheorem{lem}{Lemma}\\begin{lem} A. \\end{lem}\n"
    body = f"{lemma}\\proof Clear. \\hfill $\\Box$\n\n{lemma}\\proof Yes. \\qed\n\nText."
    assert not _found(article(body))
    assert [name for name, _, _ in _found(article(f"{body}\\begin{{proof}}"))] == [
        "unbalanced-environment"
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "\\section{A section \\label{s}\n\nWords.",
            "\\section{ is not closed before its paragraph",
        ),
        ("\\label{x words\n\nMore.", "\\label{ is not closed before its paragraph"),
        (
            "\\begin{center}Every \\emph{May is.\\end{center}",
            "\\emph{ is not closed before \\end{c",
        ),
        ("\\begin{equation*} {a + {b} \\end{equation*}", "{ is not closed before \\end{equation*}"),
        (
            "\\begin{center}\\begin{quote}{a\\end{quote}}\\end{center}{",
            "{ is not closed before \\end{q",
        ),
        ("Words \\textbf{of weight.\n\nMore.", "\\textbf{ is not closed before \\end{document}"),
    ],
)
def test_a_brace_at_which_latex_stops_is_an_error(article, body, said):
    (finding,) = [item for item in article(body).findings if item.rule == "unclosed-brace"]
    assert finding.severity.value == "error"
    assert finding.message.startswith(said)


@pytest.mark.parametrize(
    "body",
    [
        "\\section{A section \\label{s}}\n\n{\\bf Words.\n\nMore.}",
        "{\\sloppy \\noindent{Words.\n\nMore.}",
        "\\footnote{Words.\n\nMore.} \\{ and \\verb|{| % {\n",
        "\\begin{verbatim}{\\end{verbatim}",
        "\\begin{lstlisting}{\\end{lstlisting}",
        "\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}",
        "\\newenvironment{x}{\\begin{quote}\\bgroup}{\\egroup\\end{quote}}",
        "\\begin{center}{\\ifnum0=`}\\fi x{\\ifnum0=`{\\fi}\\end{center}",
        "\\begin{center}\\catcode`\\{=12 {\\end{center}",
        "\\begin{center}\\if x{ a\\else b\\fi\\end{center}",
    ],
)
def test_a_brace_that_may_be_closed_is_none(article, body):
    assert "unclosed-brace" not in {rule for rule, _, _ in _found(article(body))}


def test_a_list_of_packages_that_is_not_closed_is_an_error(reviewed, document):
    files = {
        "main.tex": document("Words.").replace("\\begin{doc", "\\usepackage{own}\n\\begin{doc"),
        "own.sty": "\\ProvidesPackage{own}\n\\usepackage{amssymb\n\\newcommand{\\R}{\\mathbb{R}}\n",
    }
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.location.path, finding.location.line) == (
        "unclosed-brace",
        "own.sty",
        2,
    )
    assert finding.message == "\\usepackage{ is not closed"
    files["own.sty"] = files["own.sty"].replace("amssymb\n", "amssymb,\n amsmath}\n")
    assert reviewed(files).papers[0].findings == ()


def test_a_brace_counts_only_in_what_a_document_includes(reviewed, document):
    files = {
        "main.tex": document("\\input{part}").replace(
            "\\begin{doc", "\\input{set-up}\n\\begin{doc"
        ),
        "set-up.tex": "\\newtheorem{thing}{Thing}\n\\usepackage{amssymb\n\\renewcommand{\\a}{b}\n",
        "part.tex": "\\begin{center}{a \\end{center}",
        "left.tex": "\\begin{center}{a \\end{center}",
    }
    found = reviewed(files).papers[0].findings
    braces = {item.location.path for item in found if item.rule == "unclosed-brace"}
    assert braces == {"part.tex", "set-up.tex"}


def test_what_patches_the_beginning_of_proofs_begins_none(article):
    assert _found(article(r"\xpatchcmd{\proof}{\itshape}{\bfseries}{}{} Words.")) == []


def test_an_end_without_a_begin_is_reported(article):
    (finding,) = article("\n\\end{lemma}").findings
    assert finding.message == "\\end{lemma} closes nothing"


def test_the_rest_of_a_broken_paper_is_still_checked(article):
    body = "\\end{lemma}\n\\begin{theorem}\\label{t} T.\\end{theorem} \\ref{no} \\begin{itemize}"
    found = {rule for rule, _, _ in _found(article(body))}
    assert found == {"unbalanced-environment", "dangling-reference", "no-proof"}


def test_what_one_file_opens_and_another_closes_is_no_fault(reviewed, document):
    files = {
        "main.tex": document(r"\input{a}\input{b}"),
        "a.tex": r"\begin{center} x",
        "b.tex": r"y \end{center}",
    }
    assert reviewed(files).papers[0].findings == ()


def test_the_document_that_a_preamble_begins_may_end_in_each_of_its_files(reviewed, document):
    files = {
        "head.tex": document("").partition("\\end{document}")[0],
        "main.tex": r"\input{head}\input{one} x \end{document}",
        "one.tex": r"y \end{document}",
    }
    (paper,) = reviewed(files).papers
    assert (paper.state.paper.root, paper.findings) == ("main.tex", ())


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{theorem} A. \end{thoerem}",
        r"\begin{proof} By \emph{this}. \end{lemma}",
        r"\begin{lemma} $x_{1}$ \begin{itemize} \item A \end{lemma}",
        "\\section{A}\n\\begin{proof} A. \\end{proof}\n\\end{proof}",
        r"\begin{align*} x \end{align}",
        "Words.\n\\iffalse\n\\begin{lemma} A.",
        r"\begin{verbatim} \end{x}",
        r"\begin{remark} A. \section{B} \ifx\a\b C. \fi",
    ],
)
def test_what_plain_text_leaves_open_is_an_error(article, body):
    found = [item for item in article(body).findings if item.rule == "unbalanced-environment"]
    assert "error" in {item.severity.value for item in found}


@pytest.mark.parametrize(
    ("preamble", "body"),
    [
        ("", r"\begin{proof} A. \ifx\a\b\end{proof}\else B. \fi \begin{lemma} C. \end{lemma}"),
        ("", r"\begin{snippet} \begin{proof} \end{snippet}"),
        ("", r"\begin{snippet} \begin{quote}\begin{proof} \end{quote} \end{snippet}"),
        ("", r"\begin{proof} A. \csname endproof\endcsname \begin{lemma} B. \end{lemma}"),
        ("", r"\wrap{\begin{proof}} A. \begin{lemma} B. \end{lemma}"),
        ("", r"\section{A} Words. \shut{\end{proof}}"),
        ("", r"\begin{tip} A. \end{hint}"),
        (
            r"\newcommand{\stop}[1]{\csname #1\endcsname}",
            r"\begin{proof} A. \stop{endproof} \begin{lemma} B. \end{lemma}",
        ),
        (
            r"\newenvironment{both}{\begin{proof}\bgroup}{\egroup\end{proof}}",
            r"\begin{both} A. \end{proof}",
        ),
        (r"\newcommand{\be}{\begin{equation}}", r"\be x = y"),
        ("", r"\let\csname ifx\endcsname\iffalse Words."),
    ],
)
def test_what_something_may_open_or_close_is_a_note(reviewed, document, preamble, body):
    (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
    found = {f.severity.value for f in paper.findings if f.rule == "unbalanced-environment"}
    assert found <= {"note"}


def test_in_a_paper_with_a_missing_file_what_the_rest_does_not_close_is_a_note(reviewed, document):
    body = r"\begin{center} A."
    (paper,) = reviewed({"main.tex": document(r"\input{a}"), "a.tex": body}).papers
    assert [f.severity.value for f in paper.findings] == ["error"]
    files = {"main.tex": document(r"\input{a}\input{gone}"), "a.tex": body}
    (paper,) = reviewed(files).papers
    found = {f.rule: f.severity.value for f in paper.findings}
    assert found == {"missing-file": "error", "unbalanced-environment": "note"}


def test_a_missing_file_that_lies_in_another_folder_is_told_with_its_place(reviewed, document):
    files = {"a/main.tex": document(r"\input{one}\input{two}"), "b/one.tex": "x"}
    found = [item.message for item in reviewed(files).papers[0].findings]
    assert found == [
        r"\input{one} names a file that does not exist; b/one.tex has that name",
        r"\input{two} names a file that is not in the repository",
    ]


def test_a_file_that_is_read_in_may_end_the_document_before_its_own_end(reviewed, document):
    files = {"main.tex": document(r"x \input{tail}"), "tail.tex": r"y \end{document}"}
    assert reviewed(files).papers[0].findings == ()


OPENING = r"\newcommand{\be}{\begin{equation}}"
OPTIONAL = r"\newenvironment{own}{}{\ifhmode\end{equation}\fi}"


@pytest.mark.parametrize(("preamble", "told"), [(OPENING, 1), (OPENING + OPTIONAL, 0)])
def test_what_a_macro_begins_stays_open_only_where_some_code_may_end_it(
    reviewed, document, preamble, told
):
    files = {"main.tex": document(r"\be x = y", preamble=preamble)}
    found = reviewed(files).papers[0].findings
    assert [item.rule for item in found] == ["unbalanced-environment"] * told


CONFLICT = "\n<<<<<<< HEAD\nLet $x$ be odd.\n=======\nLet $x$ be even.\n>>>>>>> main\n"


def test_what_a_merge_leaves_in_a_file_is_an_error_at_its_place(article):
    report = article(CONFLICT)
    assert _found(report) == [("merge-conflict", "error", 9)]
    assert report.findings[0].message == "merge conflict markers are left in the file"


def test_markers_behind_the_end_of_a_comment_are_told(article):
    text = CONFLICT.replace("odd.", "odd. % or so").replace("even.", "even. % or so")
    report = article(f"% first\n{text.lstrip()}")
    assert _found(report) == [("merge-conflict", "error", 9)]


def test_markers_behind_the_comment_with_which_a_file_begins_are_told(reviewed, document):
    files = {"main.tex": document(r"\input{a}"), "a.tex": f"% a first comment{CONFLICT}"}
    found = reviewed(files).papers[0].findings
    assert [(f.rule, f.location.line) for f in found] == [("merge-conflict", 2)]


def test_each_conflict_is_told_in_the_file_where_it_stands(reviewed, document):
    proof = r"\begin{lemma}\label{a}A\end{lemma}\begin{proof}\input{a}\end{proof}"
    files = {"main.tex": document(proof), "a.tex": CONFLICT + CONFLICT}
    found = reviewed(files).papers[0].findings
    assert [(f.rule, f.location.path, f.location.line) for f in found] == [
        ("merge-conflict", "a.tex", 2),
        ("merge-conflict", "a.tex", 8),
    ]


@pytest.mark.parametrize("line", [">>>>>>> theirs", "<<<<<<< HEAD", ">>>>>>> 1a2b3c (a change)"])
def test_a_marker_that_was_left_alone_is_told(article, line):
    report = article(f"\nLet $x$ be odd.\n{line}\n")
    assert _found(report) == [("merge-conflict", "error", 10)]
    assert article(f"\\begin{{verbatim}}\n{line}\n\\end{{verbatim}}").findings == ()
    assert article(f"\nsee % or\n%\n%{line}\n").findings == ()


@pytest.mark.parametrize("text", ["=======", ">>>>>>>>> x", ">>>>>>>x", " >>>>>>> x", ">>>>>>>"])
def test_what_is_no_marker_of_git_alone_is_not_told(article, text):
    assert article(f"\na\n{text}\n").findings == ()


ITEM = "@book{a, author={A. A.}, title={T}, publisher={P}, year=2000}\n"
CITED = "As in \\cite{a}.\\bibliographystyle{plain}\\bibliography{refs}"


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("own.sty", f"\\newcommand{{\\R}}{{R}}{CONFLICT}", 2),
        ("own.sty", f"% first{CONFLICT}", 2),
        ("own.sty", "\\newcommand{\\R}{R}\n>>>>>>> other\n", 2),
        ("refs.bib", ITEM + CONFLICT, 3),
        ("refs.bib", ITEM.replace(", year", ",\n>>>>>>> other\n year"), 2),
        ("main.bbl", f"\\begin{{thebibliography}}{{1}}\n\\bibitem{{a}} A.{CONFLICT}", 3),
    ],
)
def test_markers_in_a_style_and_in_a_bibliography_are_told(reviewed, document, path, text, line):
    main = document(CITED, preamble="\\usepackage{own}")
    files = {"main.tex": main, "own.sty": "", "refs.bib": ITEM, path: text}
    report = reviewed(files)
    found = [f for f in report.papers[0].findings if f.rule == "merge-conflict"]
    assert [(f.location.path, f.location.line, f.severity.value) for f in found] == [
        (path, line, "error")
    ]


def test_markers_in_files_that_the_paper_does_not_use_are_no_concern(reviewed, document):
    files = {"main.tex": document(CITED), "refs.bib": ITEM, "old.bib": CONFLICT}
    found = reviewed(files | {"old.sty": CONFLICT, "old.bbl": CONFLICT}).papers[0].findings
    assert [f for f in found if f.rule == "merge-conflict"] == []


@pytest.mark.parametrize("around", ["\\begin{verbatim}%s\\end{verbatim}", "\\iffalse%s\\fi"])
def test_markers_that_are_shown_or_hidden_are_no_conflict(article, around):
    assert article(around % CONFLICT).findings == ()


def test_markers_in_comments_are_no_conflict(article):
    assert article(CONFLICT.replace("\n", "\n% ")).findings == ()


def test_a_missing_file_is_reported_where_it_is_wanted(article):
    (finding,) = article("\n\n\\input{chapters/one}").findings
    assert (finding.rule, finding.location.line) == ("missing-file", 10)
    assert "\\input{chapters/one}" in finding.message


MAKERS = {
    "part/one.lhs": "> x = 1",
    "one.Rnw": "Let it be.",
    "part/one.md": "# One",
    "part/one.tex.in": "Built on @DATE@.",
    "builder.sh": "sort words > $out/one.tex\n",
    "Makefile": "all: main.pdf\n\npart/one.tex: words.txt\n\tsort $< > $@\n",
    "copying.mk": "words:\n\tcp words.txt part/one.tex\n",
    "figures.py": "with open('out/one.tex', 'w') as page:\n    page.write('x')\n",
    "flake.nix": "echo $WORDS > $out/one.tex",
}


@pytest.mark.parametrize("path", MAKERS)
def test_a_missing_file_that_something_in_the_repository_makes_is_only_noted(
    reviewed, document, path
):
    files = {"main.tex": document(r"\input{part/one}"), path: MAKERS[path]}
    if path == "one.Rnw":
        files["main.tex"] = document(r"\input{one}")
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "note")
    assert finding.message.endswith(f"; {path} may make it: run the build before the check")


def test_a_missing_file_in_a_folder_that_git_ignores_is_only_noted(reviewed, document):
    files = {"main.tex": document(r"\input{_gen/one}"), ".gitignore": "*.aux\n_gen/\n"}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "note")
    end = "; .gitignore keeps it out of git: run the build before the check"
    assert finding.message.endswith(end)


def test_a_missing_file_that_a_shell_writes_for_the_paper_is_only_noted(reviewed, document):
    body = r"\iexec[maybe]{tool explain > gen/rules.tex}\input{gen/rules.tex}\input{gen/others}"
    told, noted = reviewed({"main.tex": document(body)}).papers[0].findings
    assert (noted.rule, noted.severity.value) == ("missing-file", "note")
    assert noted.message.endswith("; a command in the paper makes it if LaTeX may run programs")
    assert (told.rule, told.severity.value) == ("missing-file", "error")


@pytest.mark.parametrize(("name", "is_told"), [("gen", True), ("gen.tex", True), ("other", False)])
def test_a_missing_file_whose_text_the_paper_holds_is_unread_and_has_to_be_there(
    reviewed, document, name, is_told
):
    body = f"\\begin{{filecontents}}[overwrite]{{{name}}}\nX\n\\end{{filecontents}}\n\\input{{gen}}"
    (finding,) = reviewed({"main.tex": document(body)}).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "error")
    assert ("filecontents writes it when LaTeX runs" in finding.message) is is_told


OTHERS = {
    "other/one.md": "# One",
    "one.txt": "one.tex",
    "Makefile": "main.pdf: main.tex part/one.tex\n\tpdflatex main.tex part/one.tex\n",
    "run.sh": "spell part/one.tex\n",
    "tidy.py": "open('everyone.tex'); open('one.tex.bak')",
}


@pytest.mark.parametrize("path", OTHERS)
def test_a_missing_file_that_is_only_named_or_like_another_stays_an_error(reviewed, document, path):
    files = {"main.tex": document(r"\input{part/one}"), path: OTHERS[path]}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "error")


@pytest.mark.parametrize(("kept", "severity"), [("one, two", "note"), ("one, three", "warning")])
def test_a_missing_chapter_that_includeonly_leaves_out_is_only_noted(
    reviewed, document, kept, severity
):
    text = document(r"\include{one}\include{three}", preamble=rf"\includeonly{{{kept}}}")
    (finding,) = reviewed({"main.tex": text, "one.tex": "x"}).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", severity)
    assert ("includeonly leaves it out" in finding.message) == (severity == "note")


def test_a_file_in_other_capitals_is_only_noted(reviewed, document):
    files = {"main.tex": document(r"\input{One}"), "one.tex": "x"}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "note")
    assert "in upper and lower case" in finding.message


@pytest.mark.parametrize("target", ["one", "one.tex"])
@pytest.mark.parametrize("inside", ["one.tex/note.tex", "one.tex/note.txt", None])
def test_a_folder_is_no_file_and_is_called_a_folder(tmp_path, document, target, inside):
    (tmp_path / "one.tex").mkdir()
    if inside:
        (tmp_path / inside).write_text("x")
    (tmp_path / "main.tex").write_text(document(rf"\input{{{target}}}"))
    (finding,) = _review(tmp_path).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "error")
    assert finding.message == rf"\input{{{target}}} names one.tex, which is a folder"


@pytest.mark.parametrize("data", [b"\0" * 50, b"\x7fELF\2\1\1" + b"\0" * 9, b"Le\0\1\2\3\4"])
def test_a_file_that_is_no_text_is_named_and_not_passed(tmp_path, document, data):
    (tmp_path / "main.tex").write_text(document(r"\input{one}"))
    (tmp_path / "one.tex").write_bytes(data)
    parse_cache = ParseCache(MemoryCache())
    for _ in range(2):  # the second time from the cache
        report = _review(tmp_path, parse_cache)
        (finding,) = report.papers[0].findings
        assert (finding.rule, finding.severity.value) == ("unread-file", "error")
        assert finding.quote == r"\input{one}"
        assert "one.tex is included here but cannot be read: binary file" in finding.message
        assert list(report.library.unread) == ["one.tex"]


def test_a_document_that_is_no_text_cannot_be_reviewed(tmp_path, document):
    text = document("x").encode("utf-16-le") + b"\0"
    (tmp_path / "main.tex").write_bytes(text)
    words = "broken UTF-16: save it as UTF-8"
    with pytest.raises(IncompleteError, match=rf"main\.tex: {words}"):
        _review(tmp_path)
    (tmp_path / "pf.toml").write_text('[[paper]]\nname = "one"\nroot = "main.tex"\n')
    with pytest.raises(IncompleteError, match=rf"paper one: main\.tex could not be read: {words}"):
        _review(tmp_path)
    (tmp_path / "main.tex").write_bytes(b"\0\1" * 50)
    with pytest.raises(IncompleteError, match="binary file"):
        _review(tmp_path)


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_source_that_pdflatex_does_not_read_is_read_here_and_not_passed(tmp_path, document, name):
    body = "\\begin{theorem}A \\ref{x}.\\end{theorem}"
    (tmp_path / "main.tex").write_bytes(document(body).encode(name))
    found = {item.rule: item for item in _review(tmp_path).papers[0].findings}
    assert {"encoding", "dangling-reference"} <= found.keys()
    assert found["encoding"].severity.value == "error"
    assert found["encoding"].message == (
        f"the file main.tex is in {name[:6].upper()}, which pdfLaTeX does not read; "
        "save it as UTF-8"
    )


def test_packages_of_the_installation_are_not_missing(reviewed, document):
    text = document("x", preamble=r"\usepackage{tikz}\input{glyphtounicode}\include{}")
    assert reviewed({"main.tex": text}).papers[0].findings == ()


def test_files_that_read_themselves_in_are_reported_and_read_once(reviewed, document):
    files = {
        "main.tex": document(r"\input{a}"),
        "a.tex": r"\begin{lemma}[\cite{x}]\label{l} L. \end{lemma} \input{b}",
        "b.tex": r"\input{a}",
    }
    report = reviewed(files).papers[0]
    (finding,) = report.findings
    assert finding.rule == "circular-input"
    assert "a.tex → b.tex → a.tex" in finding.message
    assert (finding.location.path, finding.quote) == ("b.tex", r"\input{a}")
    assert list(report.state.document.modules) == ["l"]


def test_a_file_that_is_too_large_is_named_and_not_passed(tmp_path, document):
    (tmp_path / "main.tex").write_text(document(r"\input{big}"))
    (tmp_path / "big.tex").write_text("x" * 2_000)
    limits = source_files.FolderLimits(file_bytes=1_000)
    report = review(None, snapshot.from_folder(tmp_path, limits=limits), ParseCache(MemoryCache()))
    (finding,) = report.papers[0].findings
    assert (finding.rule, finding.severity.value) == ("unread-file", "error")
    assert "big.tex is included here but cannot be read: " in finding.message
    assert "big.tex" in report.library.unread


def test_a_link_that_the_paper_reads_in_is_refused_and_named(tmp_path, document):
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "main.tex").write_text(document(r"\input{a} \ref{x}"))
    (folder / "a.tex").symlink_to(tmp_path / "secret")
    report = review(None, snapshot.from_folder(folder), ParseCache(MemoryCache()))
    found = {f.rule: (f.severity.value, f.message) for f in report.papers[0].findings}
    assert found["unread-file"][0] == "error"
    assert "symbolic link" in found["unread-file"][1]
    assert found["dangling-reference"][0] == "note"


BEHIND = {
    "lib": r"\input{lib/x} names a file in lib (submodule not checked out: run git submodule "
    "update --init lib)",
    "nested": r"\input{nested/x} names a file in nested (a repository inside this one: make it a "
    "submodule)",
    "link": r"\input{link/x} names a file in link (symbolic link that leads outside this "
    "folder or is absolute: put the file itself here)",
}


@pytest.mark.parametrize("folder", BEHIND)
def test_a_file_that_nobody_can_look_for_is_missing_with_the_reason(tmp_path, document, folder):
    (tmp_path / "out").mkdir()
    top = tmp_path / "paper"
    made = {"main.tex": document(rf"\input{{{folder}/x}}"), "Makefile": f"{folder}/x.tex: y\n\tz\n"}
    oid = commit(top, made)
    commit(top / "nested", {"x.tex": "x"})
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{oid},lib")
    (top / "lib").mkdir()
    (top / "link").symlink_to("../out")
    (paper,) = review(None, snapshot.current(top), ParseCache(MemoryCache())).papers
    (finding,) = (item for item in paper.findings if item.rule == "missing-file")
    assert (finding.severity, finding.message) == ("error", BEHIND[folder])
    (gap,) = (item for item in unseen_of(paper) if item.path == f"{folder}/x")
    said = BEHIND[folder].partition("(")[2].partition(":")[0]
    assert gap.reason == f"included at main.tex:8, {said}"


def test_a_style_in_a_submodule_that_is_not_here_is_said_to_be_there(tmp_path, document):
    top = tmp_path / "paper"
    preamble = "\\usepackage{lib/own}\\input{lib/macros}"
    oid = commit(top, {"main.tex": document("Text.", preamble=preamble)})
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{oid},lib")
    (top / "lib").mkdir()
    (paper,) = review(None, snapshot.current(top), ParseCache(MemoryCache())).papers
    found = [item.message for item in every_finding(paper) if item.rule == "missing-source"]
    why = "is in lib, a submodule not checked out: run git submodule update --init lib"
    assert found == [f"lib/own.sty {why}", f"lib/macros {why}"]


def test_a_file_that_is_missing_behind_a_link_that_stays_inside_is_only_missing(tmp_path, document):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "main.tex").write_text(document(r"\input{link/x}"))
    (finding,) = _review(tmp_path).papers[0].findings
    assert finding.message == r"\input{link/x} names a file that is not in the repository"


def test_a_guessed_encoding_is_a_note(tmp_path, document):
    text = document("Poincar\u00e9")
    (tmp_path / "main.tex").write_bytes(text.encode("latin-1"))
    parse_cache = ParseCache(MemoryCache())
    for _ in range(2):  # the second time from the cache
        report = review(None, snapshot.from_folder(tmp_path), parse_cache)
        (finding,) = report.papers[0].findings
        assert (finding.rule, finding.severity.value) == ("encoding", "note")
        assert "Windows-1252" in finding.message


def test_environments_that_cross_are_not_closed(article):
    report = article(
        "\\begin{theorem} A. \\begin{proof} X \\end{theorem} \\end{proof}\n"
        "\\begin{lemma} B. \\end{lemma}\\begin{proof} Y. \\end{proof}"
    )
    (found,) = (item for item in report.findings if item.rule == "unbalanced-environment")
    assert found.severity.value == "error"
    assert found.message == "\\begin{proof} is not closed before \\end{theorem}"


def test_what_is_not_shown_is_counted(reviewed, document):
    toml = '[checks.severity]\nunbalanced-environment = "error"\n'
    text = document("\\begin{lemma} A. " * 150)
    found = reviewed({"main.tex": text, "pf.toml": toml}).papers[0].findings
    unclosed = [item for item in found if item.rule == "unbalanced-environment"]
    assert len(unclosed) == 101
    assert "50 more findings of unbalanced-environment" in " ".join(i.message for i in unclosed)
    assert sorted({item.left for item in unclosed}) == [0, 50]


def test_what_lies_too_deep_is_told(article):
    depth = 40
    body = "\\begin{theorem} A. " * depth + "\\end{theorem}" * depth
    (found,) = (item for item in article(body).findings if item.rule == "unread-file")
    assert found.message == (
        "this theorem, and 23 more behind it, is nested too deeply and was not read"
    )


WRAPPED = (
    r"\newif\ifhc\NewDocumentCommand{\newthm}{mm}{\newenvironment{#1}[1][]{\textbf{#2.}}"
    r"{\ifhc\end{adjustwidth}\fi\hcfalse}}\newthm{res}{Th\'eor\`eme -- D\'efinition}"
    r"\newcommand{\Hyp}{\hctrue\begin{adjustwidth}{3em}{}}"
)


def test_what_code_begins_and_other_code_may_end_is_no_fault(reviewed, document):
    body = r"\begin{res}\Hyp H.\end{res}\begin{proof}P.\end{proof} \begin{res}X.\end{res}"
    (paper,) = reviewed({"main.tex": document(body, preamble=WRAPPED)}).papers
    assert [item.rule for item in paper.findings] == ["no-proof"]
    assert paper.plan.total == 2


OWN_PROOF = r"\newif\ifproofs\proofstrue\newcommand{\proof}{\ifproofs\textit{Proof.}}"
PROVED = r"""\begin{lemma}\label{a} A. \end{lemma}

\proof By \ref{b}. \QED\fi

Now to the rest, by \ref{c}.

\begin{lemma}\label{b} B. \end{lemma}

\proof Clear. \QED\fi
\begin{lemma}\label{c} C.\end{lemma}\begin{proof} By \ref{a}. \end{proof}"""


def test_a_command_of_that_name_which_the_paper_defines_begins_no_environment(article):
    report = article(OWN_PROOF + r"\newcommand{\QED}{$\square$\fi}" + PROVED)
    assert report.findings == ()
    modules = report.state.document.modules
    assert [len(module.proofs) for module in modules.values()] == [1, 1, 1]
    assert [mention.keys for mention in modules["a"].proofs[0].mentions] == [("b",)]


def test_a_proof_that_is_begun_and_ended_by_commands_of_a_package_is_closed(article):
    both = OWN_PROOF + r"\def\endproof{\fi}"
    assert article(both + PROVED.replace(r"\QED\fi", r"\endproof")).findings == ()
    found = article(both + PROVED.replace(r"\QED\fi", "")).findings
    assert any(item.message.startswith(r"\begin{proof} is not closed") for item in found)


@pytest.mark.parametrize(
    "branches",
    [
        r"\IfGivenTF{#1}{\begin{lemma}[#1]}{\begin{lemma}\label{#2}}",
        r"\ifx\a#1\begin{lemma}[#1]\else\begin{lemma}\label{#2}\fi",
        r"\ifthenelse{\equal{#1}{}}{\begin{lemma}\label{#2}}{\begin{lemma}[#1]\label{#2}}",
    ],
)
def test_what_each_branch_of_a_command_begins_is_begun_once(article, branches):
    own = rf"\newcommand{{\Lem}}[3]{{{branches} #3 \end{{lemma}}}}"
    report = article(own + r"\Lem{T}{a}{Let.}\begin{proof} Clear. \end{proof} By \ref{a}.")
    assert report.findings == ()
    twice = own.replace(r"\end{lemma}", "", 1)
    found = article(twice + r"\Lem{T}{a}{Let.}").findings
    assert "unbalanced-environment" in {item.rule for item in found}


@pytest.mark.parametrize(
    "body",
    [
        r"Let \input: a set. So \input. And \input, too",
        r"\begin{algorithm}\SetKwData{input}{in} Take \input here.\end{algorithm}",
        r"\begin{algorithm}\SetKwFunction{input}{in} \If{\input is x}{y}\end{algorithm}",
    ],
)
def test_a_word_of_an_algorithm_or_a_point_names_no_file(article, body):
    found = [item.severity.value for item in article(body + r" By \ref{no}.").findings]
    assert found == ["error"]
    found = article(r"\SetKwData{input}{in} \input{gone}").findings
    assert [item.rule for item in found] == ["missing-file"]


def test_what_a_command_reads_that_the_paper_defines_anew_is_not_certain(article):
    own = r"\let\old\input \renewcommand{\input}[1]{\old{chapters/#1}}"
    (finding,) = article(own + r"\input{one}").findings
    assert (finding.rule, finding.severity.value) == ("missing-file", "note")
    assert finding.message.endswith(r"; the paper redefines \input")


@pytest.mark.parametrize(
    ("display", "said"),
    [
        (r"\[x \\[2pt] y \end{equation*}", r"\end{equation*} closes a \["),
        (r"\begin{equation*} x \]", r"\] closes \begin{equation*}"),
    ],
)
def test_a_display_that_is_closed_by_its_other_name_is_a_note_that_says_so(article, display, said):
    (finding,) = article(r"\[z\] Let " + display + r" So \[z\] it is.").findings
    assert (finding.severity.value, finding.message) == ("note", said)


def test_an_end_behind_a_display_that_is_closed_is_an_error(article):
    found = article(r"\[z\] x\\[2pt] \end{equation*} % \[").findings
    assert [(item.severity.value, item.message) for item in found] == [
        ("error", r"\end{equation*} closes nothing")
    ]


_OWN_CODE = [
    (r"\newtcblisting{code}{listing only}", "code"),
    (r"\newtcblisting[use counter=figure]{code}[2][]{title=#2,#1}", "code"),
    (r"\DeclareTCBListing{code}{O{} m}{title=#2,#1}", "code"),
    (r"\lstnewenvironment{code}{}{}", "code"),
    (r"\newminted{tex}{}", "texcode"),
    (r"\newminted[code]{tex}{}", "code"),
    (r"\newenvironment{code}{\verbatim}{\endverbatim}", "code"),
    (r"\DefineVerbatimEnvironment{code}{Verbatim}{}", "code"),
    ("", "tcbverbatimwrite"),
    ("", "tcblisting"),
    ("", "VerbatimOut"),
    ("", "SaveVerbatim"),
    ("", "verbatimtab"),
    ("", "filecontentsdef"),
    ("", "scontents"),
]


@pytest.mark.parametrize(("preamble", "name"), _OWN_CODE)
def test_what_holds_code_may_hold_half_of_an_environment(reviewed, document, preamble, name):
    body = f"\\begin{{{name}}}{{x}}\n\\begin{{theorem}} A\n\\end{{{name}}}\nWords."
    (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
    assert [f.rule for f in paper.findings if f.severity.value != "note"] == []
    body = f"{body} \\begin{{theorem}} A\n\\begin{{quote}} B \\end{{theorem}}"
    (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
    assert [f.rule for f in paper.findings if f.severity.value != "note"] == [
        "unbalanced-environment"
    ]


def test_code_between_short_signs_may_hold_half_of_an_environment(reviewed, document):
    preamble = "\\usepackage{shortvrb}\\MakeShortVerb{\\|}"
    (paper,) = reviewed(
        {"main.tex": document("Write |\\begin{theorem}| first.", preamble=preamble)}
    ).papers
    assert [f.rule for f in paper.findings if f.severity.value != "note"] == []
