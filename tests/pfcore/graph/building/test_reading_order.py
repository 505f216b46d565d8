from collections.abc import Callable

from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]


def lemma(name: str) -> str:
    return f"\\begin{{lemma}}\\label{{{name}}} {name}. \\end{{lemma}}\n"


def test_modules_come_in_the_order_in_which_latex_reads_them(paper: Paper) -> None:
    moment = paper(
        {
            "main.tex": f"{lemma('a')}\\input{{one}}{lemma('d')}\\include{{two}}",
            "one.tex": f"{lemma('b')}\\input{{three}}",
            "two.tex": lemma("e"),
            "three.tex": lemma("c"),
        }
    )
    assert list(moment.document.modules) == ["a", "b", "c", "d", "e"]
    assert [module.position for module in moment.document.modules.values()] == [0, 1, 2, 3, 4]


def test_a_file_read_twice_counts_once(paper: Paper) -> None:
    files = {"main.tex": "\\input{one}\\input{one}", "one.tex": lemma("a")}
    assert list(paper(files).document.modules) == ["a"]


def test_files_that_read_one_another_end(paper: Paper) -> None:
    files = {
        "main.tex": "\\input{one}",
        "one.tex": f"{lemma('a')}\\input{{two}}",
        "two.tex": f"\\input{{one}}{lemma('b')}",
    }
    assert list(paper(files).document.modules) == ["a", "b"]


def test_headings_know_their_parent_and_what_they_cover(paper: Paper) -> None:
    document = paper(
        {
            "main.tex": f"\\section{{A}}{lemma('a')}\\input{{sub}}\n"
            f"\\section{{C \\ref{{a}}}}{lemma('c')}",
            "sub.tex": f"\\subsection{{B}}{lemma('b')}",
        }
    ).document
    found = [(h.title, h.level, h.parent, h.first, h.last) for h in document.headings]
    assert found == [("A", 2, -1, 0, 2), ("B", 3, 0, 1, 2), ("C \\ref{a}", 2, -1, 2, 3)]
    assert document.headings[1].path == "sub.tex"
    assert document.headings[2].refers == ("a",)
    assert [module.section for module in document.modules.values()] == [(0,), (0, 1), (2,)]
