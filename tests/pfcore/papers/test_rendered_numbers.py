from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.bench.quality import numbers as bench
from pfcore.latex.numbering.counter_state import Number
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.rendered_numbers import Numbers, has_same_numbers, paper_numbers
from pfcore.repository import snapshot

MAIN = r"""\documentclass{article}
\newtheorem{lem}{Lemma}[section]
\begin{document}
\section{A}
\begin{lem}\label{a}x\end{lem}
\begin{lem}x\end{lem}
\begin{lem}\label{b}x\end{lem}
\end{document}
"""

Reading = Callable[..., Paper]


@pytest.fixture
def paper(tmp_path: Path) -> Reading:
    def run(files: Mapping[str, str], cache: MemoryCache | None = None) -> Paper:
        for name, text in files.items():
            (tmp_path / name).write_text(text, "utf-8")
        return discover_papers(
            snapshot.from_folder(tmp_path), ParseCache(cache or MemoryCache())
        ).papers[0]

    return run


def test_a_statement_without_label_has_a_number(paper: Reading) -> None:
    found = paper_numbers(paper({"main.tex": MAIN}))
    start = MAIN.index("\\begin{lem}x")
    assert found.places["main.tex", start] == Number("1.2", "lem", True)


DISPLAYS = r"""\documentclass{article}
\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}
\begin{document}
\begin{equation}a\end{equation}
\begin{align}a\label{a}\\b\notag\\c\end{align}
\begin{align*}a\\b\end{align*}
\be d\ee
\begin{multline}a\\b\tag{A}\end{multline}
\begin{eqnarray}a\\b\nonumber\end{eqnarray}
\setcounter{equation}{\unknown}
\begin{gather}a\\b\end{gather}
\end{document}
"""


def test_the_rows_of_displays_have_numbers_with_and_without_a_label(paper: Reading) -> None:
    cache = MemoryCache()
    for _ in range(2):  # once counted, once kept
        found = paper_numbers(paper({"main.tex": DISPLAYS}, cache))
        assert list(found.rows.values()) == [
            ("1",), ("2", "", "3"), ("4",), ("A",), ("5", ""), (None, None),
        ]  # fmt: skip
    assert found.rows["main.tex", DISPLAYS.index("\\be d")] == ("4",)


def test_what_is_read_twice_with_other_numbers_has_none_for_certain(paper: Reading) -> None:
    one = "\\begin{equation}a\\end{equation}\\begin{equation*}a\\end{equation*}"
    text = "\\documentclass{article}\\begin{document}\\input{a}\\input{a}\\end{document}"
    found = paper_numbers(paper({"main.tex": text, "a.tex": one}))
    assert list(found.rows.values()) == [(None,)]


NUMBERLESS = MAIN.replace("\\section{A}", "\\section{A}\\setcounter{lem}{\\unknown}")


def test_a_current_aux_file_says_what_the_source_leaves_open(paper: Reading) -> None:
    aux = "\\@input{part.aux}\\@input{main.aux}\\@input{gone.aux}\\newlabel{a}{{1.7}{1}}"
    part = "\\newlabel{b}{{1.9}{1}{}{theorem.8}{}}"
    files = {"main.tex": NUMBERLESS, "main.aux": aux, "part.aux": part}
    found = paper_numbers(paper(files))
    assert found.labels["a"] == Number("1.7", "lem", True)
    assert found.labels["b"] == Number("1.9", "theorem", True)


@pytest.mark.parametrize(
    ("source", "aux"),
    [
        (MAIN, "\\newlabel{a}{{7}{1}}\\newlabel{b}{{1.3}{1}}"),
        (NUMBERLESS, "\\newlabel{a}{{1.7}{1}}"),
        (NUMBERLESS, "\\newlabel{a}{{1.7}{1}}\\newlabel{b}{{1.9}{1}}\\newlabel{c}{{2}{1}}"),
    ],
    ids=["contradicts a result", "lacks a label", "has a label too many"],
)
def test_a_stale_aux_file_says_nothing(paper: Reading, source: str, aux: str) -> None:
    alone = paper_numbers(paper({"main.tex": source}))
    assert paper_numbers(paper({"main.tex": source, "main.aux": aux})) == alone


UNNUMBERED = r"""\documentclass{amsart}
\newtheorem*{thm}{Theorem}
\begin{document}
\section{A}
\begin{thm}\label{a}x\end{thm}
\end{document}
"""


@pytest.mark.parametrize("said", ["{1}{1}", "{1}{1}{A}{section.1}{}", "{1}{1}{A}{Item.7}{}"])
def test_a_label_in_a_result_without_number_has_none_whatever_the_aux_says_of_its_place(
    paper: Reading, said: str
) -> None:
    aux = f"\\newlabel{{a}}{{{said}}}"
    assert paper_numbers(paper({"main.tex": UNNUMBERED, "main.aux": aux})).of("a") is None


def test_an_aux_file_that_numbers_results_of_an_environment_is_trusted(paper: Reading) -> None:
    aux = "\\newlabel{a}{{3}{1}{A}{thm.3}{}}"
    found = paper_numbers(paper({"main.tex": UNNUMBERED, "main.aux": aux}))
    assert found.of("a") == Number("3", "thm", True)


def test_proofs_that_are_declared_as_theorems_take_numbers_as_these_do(paper: Reading) -> None:
    text = MAIN.replace("\\begin{document}", "\\newtheorem{pf}[lem]{Proof}\n\\begin{document}")
    text = text.replace("\\end{lem}\n", "\\end{lem}\n\\begin{pf}y\\end{pf}\n")
    assert paper_numbers(paper({"main.tex": text})).of("b") == Number("1.5", "lem", True)


def test_an_uncertain_number_is_not_given(paper: Reading) -> None:
    found = paper_numbers(paper({"main.tex": MAIN.replace("\\section{A}", "\\input{gone}")}))
    assert found.of("a") is None
    assert paper_numbers(paper({"main.tex": MAIN})).of("a") == Number("1.1", "lem", True)
    assert found.of("nothing") is None


def test_steps_are_read_once(paper: Reading) -> None:
    cache = MemoryCache()
    before = paper_numbers(paper({"main.tex": MAIN}, cache))
    known = dict(cache.entries)
    assert paper_numbers(paper({"main.tex": MAIN}, cache)) == before
    assert cache.entries == known


def test_environments_that_macros_define_are_known(paper: Reading) -> None:
    macro = r"\newcommand{\frame@}[1]{\newenvironment{f#1}{\begin{#1}}{\end{#1}}}\frame@{lem}"
    text = MAIN.replace("\\begin{document}", macro + "\\begin{document}")
    text = text.replace("\\begin{lem}x\\end{lem}", "\\begin{flem}x\\end{flem}")
    assert paper_numbers(paper({"main.tex": text})).labels["b"].text == "1.3"


def test_labels_are_scored_by_what_bears_them() -> None:
    truth = {
        "a": {"number": "1", "kind": "lemma"},
        "b": {"number": "2", "kind": "equation"},
        "c": {"number": "3", "anchor": "section.3"},
        "d": {"number": "4", "kind": "enumi"},
    }
    labels = {"a": Number("1", "lem", True), "b": Number("1", "", True), "c": Number("", "", False)}
    found = bench.score("x", truth, Numbers(labels=labels, places={}))
    assert found.counts == Counter(
        {
            ("theorem", "right"): 1,
            ("equation", "wrong"): 1,
            ("section", "uncertain"): 1,
            ("other", "uncertain"): 1,
        }
    )
    assert [miss.key for miss in found.misses] == ["b", "c", "d"]


@pytest.mark.corpus
def test_real_papers_have_their_numbers(corpus: Path) -> None:
    total: Counter[tuple[str, str]] = Counter()
    for _, made in bench.scores(corpus):
        total += made.counts
    assert not any(total[group, "wrong"] for group in bench.GROUPS)
    for group in ("theorem", "equation", "section"):
        every = sum(count for (other, _), count in total.items() if other == group)
        assert total[group, "right"] >= 0.99 * every


@pytest.mark.corpus
def test_the_bench_prints_a_row_for_each_paper(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main([str(corpus), "-v"]) == 0
    assert "total" in capsys.readouterr().out


COUNTED = r"""\documentclass{article}
\usepackage{thm-restate}
\newtheorem{lem}{Lemma}[section]
\begin{document}
\section{A}
\begin{lem}\label{a} All. \end{lem}
Words. \[ 1 = 1 \]
\begin{restatable}{lem}{again}\label{b} Some. \end{restatable}
\input{more}
\end{document}
"""
MORE = "\\begin{lem}\\label{c} None. \\end{lem}"
FILES = {"main.tex": COUNTED, "more.tex": MORE}
SAME = {
    "nothing": {},
    "words": {"main.tex": COUNTED.replace("Words.", "Some more words.")},
    "a formula": {"main.tex": COUNTED.replace("Words.", "Words, $x = 1$.")},
    "a comment": {"main.tex": COUNTED.replace("Words.", "Words. % \\section{No}\n")},
    "words in a statement": {"more.tex": MORE.replace("None", "None at all")},
}
OTHER = {
    "a section": {"main.tex": COUNTED.replace("Words.", "\\section{B}")},
    "a statement": {"main.tex": COUNTED.replace("Words.", "\\begin{lem} More. \\end{lem}")},
    "a statement said again": {"main.tex": COUNTED.replace("Words.", "\\again")},
    "a label that moved": {
        "main.tex": COUNTED.replace("\\label{a} All.", "All.").replace("Words.", "\\label{a}")
    },
    "a counter": {"more.tex": f"\\setcounter{{lem}}{{4}}{MORE}"},
    "how numbers look": {"main.tex": COUNTED.replace("\\section", "\\def\\thelem{x}\\section")},
    "a declaration": {"main.tex": COUNTED.replace("[section]", "")},
    "a file that is read in": {"main.tex": COUNTED.replace("\\input{more}", "")},
    "an .aux file": {"main.aux": "\\newlabel{a}{{7}{1}}"},
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_not_counted_leaves_all_numbers(paper: Reading, name: str) -> None:
    then, now = paper(FILES), paper(SAME[name])
    assert has_same_numbers(then, now)
    assert paper_numbers(then).labels == paper_numbers(now).labels


@pytest.mark.parametrize("name", OTHER)
def test_numbers_are_not_told_to_be_the_same_where_something_else_is_counted(
    paper: Reading, name: str
) -> None:
    then = paper(FILES)
    now = paper(OTHER[name])
    assert not has_same_numbers(then, now)
    assert not has_same_numbers(now, then)


def test_to_compare_what_is_counted_looks_only_at_files_that_differ(paper: Reading) -> None:
    cache = MemoryCache()
    then = paper(FILES, cache)
    assert has_same_numbers(then, then)
    cache.entries = {k: v for k, v in cache.entries.items() if not k.startswith("steps:")}
    now = paper({"more.tex": MORE.replace("None", "No one")}, cache)
    earlier = paper({"more.tex": MORE}, cache)
    assert has_same_numbers(earlier, now)
    assert len([key for key in cache.entries if key.startswith("steps:")]) == 2


def test_what_was_counted_once_is_not_counted_again(paper: Reading) -> None:
    cache = MemoryCache()
    made = paper_numbers(paper(FILES, cache))
    cache.entries = {k: v for k, v in cache.entries.items() if not k.startswith("steps:")}
    assert paper_numbers(paper(FILES, cache)) == made
    assert not [key for key in cache.entries if key.startswith("steps:")]
    assert paper_numbers(paper(OTHER["a section"], cache)) != made


@pytest.mark.parametrize("text", ["7", "[1, 2]", "[[[1]], []]", "{}"])
def test_an_entry_that_holds_no_numbers_is_a_miss(paper: Reading, text: str) -> None:
    cache = MemoryCache()
    made = paper_numbers(paper(FILES, cache))
    (key,) = (key for key in cache.entries if key.startswith("numbers:"))
    cache.entries[key] = text
    assert paper_numbers(paper(FILES, cache)) == made
