"""Labels that stand in code that a paper lists, in its text or in a file."""

import pytest

from pfcore.checks.listing_labels import files_listed, labels_in_listings
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import find_repository
from pfcore.review.review import review
from pfcore.review.unseen import Gap, unseen_of
from tests.conftest import commit, git, write


def _found(report):
    return [(finding.rule, finding.severity.value, finding.quote) for finding in report.findings]


LISTED = r"""
\begin{lstlisting}[escapechar=|]
x = 1  # |\label{ln:a}|
\end{lstlisting}
"""


@pytest.mark.parametrize(
    "code",
    [
        LISTED,
        LISTED.replace("[escapechar=|]", ""),  # \lstset in a style that nobody has
        LISTED.replace("lstlisting}", "minted}").replace("[escapechar=|]", "{python}"),
        LISTED.replace("|", "", 1).replace("lstlisting", "Verbatim").replace("|", ""),
        LISTED.replace("lstlisting", "pseudocode"),
        LISTED.replace(r"\label{ln:a}", "+label[ln:a]").replace("lstlisting", "BVerbatim"),
        LISTED.replace("lstlisting", "tcblisting").replace("#", "%"),
        "\\newtcblisting{shown}{}" + LISTED.replace("lstlisting", "shown").replace("#", "%"),
        "\\DefineVerbatimEnvironment{verbatim}{Verbatim}{commandchars=\\\\\\{\\}}"
        + LISTED.replace("lstlisting", "verbatim"),
        "% \\begin{lstlisting}\n" + LISTED,
    ],
)
def test_a_label_in_a_listing_is_one(article, code):
    assert _found(article(code + r"See line \ref{ln:a}.")) == []
    assert _found(article(code + r"See line \ref{ln:b}."))[0][:2] == ("dangling-reference", "error")


@pytest.mark.parametrize(
    "code",
    [
        LISTED.replace("lstlisting", "verbatim"),
        "\\iffalse" + LISTED + "\\fi ",
        LISTED.replace("\n", "\n% ") + "\n",
        LISTED.replace(r"\label", r"\sublabel"),
        LISTED.replace("lstlisting", "algorithm").replace("#", "%"),
    ],
)
def test_a_label_that_no_listing_sets_is_none(article, code):
    found = article(code + r"See line \ref{ln:a}.").findings
    assert [(item.rule, item.severity) for item in found] == [("dangling-reference", "error")]


@pytest.mark.parametrize("key", ["legend to name={ln:a}", "colorbar to name = ln:a"])
def test_what_a_plot_moves_elsewhere_has_a_label(article, key):
    plot = f"\\begin{{axis}}[title=A, {key},]\\end{{axis}}\n"
    assert _found(article(plot + r"\ref{ln:a}")) == []
    assert _found(article(plot + r"\ref{ln:b}"))[0][:2] == ("dangling-reference", "error")
    assert _found(article(plot.replace("to name", "name") + r"\ref{ln:a}")) != []


CODE = "x = 1  # (*@\\label{ln:a}@*)\n"


@pytest.mark.parametrize(
    ("listing", "path"),
    [
        (r"\lstinputlisting{code/x.py}", "code/x.py"),
        (r"\lstinputlisting[language=Python, caption={A [b]}]{code/x.py}", "code/x.py"),
        (r"\lstinputlisting[firstline=1]{./code/x}", "code/x"),
        (r"\inputminted[linenos]{python}{code/x.py}", "code/x.py"),
        (r"\VerbatimInput[commandchars=\\\{\}]{x.txt}", "x.txt"),
        (r"\BVerbatimInput*{x.txt}", "x.txt"),
        (r"\tcbinputlisting{title=A, listing file={code/x.py}}", "code/x.py"),
        (r"\tcbinputlisting{listing file=code/x.py,listing only}", "code/x.py"),
        (r"\lstinputpath{src}\lstinputlisting{x.py}", "src/x.py"),
        (r"\newcommand{\src}{code}\lstinputlisting{\src/x.py}", "code/x.py"),
        (r"\newcommand{\code}[2][]{\lstinputlisting[#1]{code/#2.py}}\code{x}", "code/x.py"),
        (r"\def\code#1#2{\inputminted{#1}{code/#1/#2}}\code{python}{x.py}", "code/python/x.py"),
        (r"\newmintedfile[shown]{python}{}\shown[linenos]{x.py}", "x.py"),
        (r"\newmintedfile{python}{}\pythonfile{x.py}", "x.py"),
        (r"\newtcbinputlisting{\shown}[2][]{listing file={#2},title=A}\shown{x.py}", "x.py"),
        (r"\NewTCBInputListing{\shown}{O{} m}{listing file={#2}}\shown{x.py}", "x.py"),
        (r"\lstinputlisting{proof/Main.lean}", "proof/Main.lean"),
    ],
)
def test_a_label_in_a_file_that_is_listed_is_one(reviewed, document, listing, path):
    text = document(rf"{listing} See line \ref{{ln:a}}.")
    assert reviewed({"main.tex": text, path: CODE}).papers[0].findings == ()
    (finding,) = reviewed({"main.tex": text, path: "x = 1\n"}).papers[0].findings
    assert (finding.rule, finding.severity) == ("dangling-reference", "error")
    (finding,) = reviewed({"main.tex": text.replace("ln:a", "b"), path: CODE}).papers[0].findings
    assert finding.rule == "dangling-reference"


@pytest.mark.parametrize(
    "listing",
    [
        "% \\lstinputlisting{x.py}\n",
        r"\verbatiminput{x.py}",
        r"\iffalse\lstinputlisting{x.py}\fi",
        r"\verb|\lstinputlisting{x.py}|",
    ],
)
def test_what_is_not_listed_sets_no_label(reviewed, document, listing):
    files = {"main.tex": document(rf"{listing} See line \ref{{ln:a}}."), "x.py": CODE}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity) == ("dangling-reference", "error")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("gone.py", None),
        ("large.py", CODE.encode() + b"#" * 1_000_000),
        ("binary.py", b"\0\1\2\3" * 50 + CODE.encode()),
        ("pointer.py", b"version https://git-lfs.github.com/spec/v1\n" + CODE.encode()),
        ("link.py", "../secret"),
        ("../secret", b""),
    ],
)
def test_a_file_that_is_listed_and_cannot_be_read_may_have_the_label(
    tmp_path, document, name, data
):
    folder = tmp_path / "paper"
    folder.mkdir()
    (tmp_path / "secret").write_text(CODE)
    if isinstance(data, str):
        (folder / name).symlink_to(data)
    elif data:
        (folder / name).write_bytes(data)
    found = {}
    for escape in ("", r"\lstset{escapeinside={(*@}{@*)}}"):
        text = document(rf"\lstinputlisting{{{name}}} \ref{{ln:a}}.", preamble=escape)
        (folder / "main.tex").write_text(text)
        report = review(None, snapshot.from_folder(folder), ParseCache(MemoryCache()))
        (finding,) = report.papers[0].findings
        found[escape] = finding.severity.value, finding.message
    assert found[""][0] == "error"
    assert found[escape][0] == "note"
    assert found[escape][1].endswith(f"; it may be in {name}, which could not be read")


def test_what_a_command_is_given_beside_a_file_is_no_file_that_cannot_be_read(reviewed, document):
    own = r"\newcommand{\code}[3][]{\lstinputlisting[escapechar=|,#1]{code/#2}#3}"
    text = document(r"\code[label=l]{x.py}{Ours} \ref{l} \ref{ln:a} \ref{b}", preamble=own)
    (finding,) = reviewed({"main.tex": text, "code/x.py": CODE}).papers[0].findings
    assert (finding.severity, finding.quote) == ("error", r"\ref{b}")


def test_files_that_are_listed_are_read_from_the_moment_that_is_reviewed(tmp_path, document):
    text = document(r"\lstinputlisting{x.py} See line \ref{ln:a}.")
    git(tmp_path, "init", "-q")
    first = commit(tmp_path, {"main.tex": text, "x.py": CODE})
    write(tmp_path, {"x.py": "x = 1\n"})
    repository = find_repository(tmp_path)
    assert repository is not None
    index = snapshot.from_index(repository)
    moments = snapshot.from_revision(repository, first), index, snapshot.working_tree(repository)
    for moment, number in zip(moments, (0, 0, 1), strict=True):
        (paper,) = review(None, moment, ParseCache(MemoryCache())).papers
        assert len(paper.findings) == number


def test_labels_that_listings_give_are_not_counted_as_unresolved(article):
    option = r"\begin{lstlisting}[label=lst:a] x \end{lstlisting}"
    for text in (option + r" \ref{lst:a}", LISTED + r"\ref{ln:a}"):
        paper = article(text)
        assert [item.kind for item in unseen_of(paper) if item.kind is Gap.REFERENCE] == []
    assert [item.subject for item in article(r"\ref{a}").findings] == ["a main.tex"]


def test_what_nothing_ends_is_no_listing_however_often_it_begins():
    text = "".join(f"\\begin{{lst{'a' * (n % 19)}}}\\label{{k{n}}}" for n in range(40_000))
    assert labels_in_listings(text) == frozenset()
    text = "\\lstinputlisting[[{" * 20_000 + "\\lstinputlisting{" + "[" * 20_000
    assert list(files_listed([text])) == []


def test_a_command_of_the_paper_is_asked_for_so_many_files_only():
    own = r"\newcommand{\code}[1]{\lstinputlisting{#1}}"
    uses = "".join(f"\\code{{x{n}.py}}" for n in range(3_000))
    assert len(list(files_listed([own + uses]))) < 2_000
