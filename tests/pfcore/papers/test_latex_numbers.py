"""LaTeX's own word, said by a program in its place: what is copied, read, and kept."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.graph.paper_state import build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.latex_numbers import LatexWord, ask_latex, kept_word, latex_numbers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from tests.conftest import commit
from tests.pfcore.papers.tex_double import AUX, LOG, Engine

pytestmark = pytest.mark.acceptance

MAIN = r"""\documentclass{article}
\newtheorem{lem}{Lemma}
\newtheorem*{rem}{Remark}
\begin{document}
\begin{lem}\label{a}x\end{lem} \begin{lem}y\end{lem}
\begin{rem}z\end{rem}
\input{part}
\end{document}
"""
PART = "\\begin{lem}\\label{b}x\\end{lem}\n"
FILES = {"main.tex": MAIN, "part.tex": PART}


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return Engine(tmp_path / "bin", monkeypatch)


Reading = Callable[..., Paper]


@pytest.fixture
def paper(tmp_path: Path) -> Reading:
    """Commit files and read the paper; all papers share a cache."""
    cache = MemoryCache()

    def run(files: Mapping[str, str] = FILES, *, at: str | None = None) -> Paper:
        commit(tmp_path / "paper", files)
        found = snapshot.current(tmp_path / "paper")
        if at is not None:
            assert found.repository is not None
            found = snapshot.from_revision(found.repository, at)
        papers = discover_papers(found, ParseCache(cache)).papers
        return next(item for item in papers if item.root.endswith("main.tex"))

    return run


def numbers(paper: Paper, word: LatexWord) -> dict[tuple[str, int, str], str]:
    modules = build_paper_state(paper).document.modules
    found = latex_numbers(word, paper, modules.values())
    return {
        (where.path, where.line, modules[name].kind + str(where.column)): number
        for name, number in found.items()
        for where in (modules[name].statement.location,)
    }


def test_each_statement_has_the_number_that_latex_gave_it(paper: Reading, engine: Engine) -> None:
    item = paper()
    word = ask_latex(item)
    assert word.labels == {"a": "7.1", "b": "7.3"}
    assert (word.errors, word.first) == (1, "main.tex:6: Undefined control sequence.")
    assert numbers(item, word) == {
        ("main.tex", 5, "lemma1"): "7.1",
        ("main.tex", 5, "lemma32"): "7.2",
        ("part.tex", 1, "lemma1"): "7.3",
    }


def test_tex_runs_twice_without_a_shell_and_the_hook_comes_first(
    paper: Reading, engine: Engine
) -> None:
    ask_latex(paper())
    first, second = engine.calls
    assert first == second
    assert first.startswith("pdflatex -interaction=batchmode -no-shell-escape ")
    assert first.endswith(r'-jobname=main \input{pf-verify-hook.tex}\input{"main.tex"}')
    assert r"\AddToHook{env/lem/begin}" in engine.given()["pf-verify-hook.tex"]


def test_what_asks_for_xetex_gets_it_and_nothing_gets_lualatex(
    paper: Reading, engine: Engine
) -> None:
    for line in ("% !TeX program = xelatex", "\\usepackage[no-math]{fontspec}"):
        ask_latex(paper({"main.tex": f"{line}\n{MAIN}"}))
    ask_latex(paper({"main.tex": f"% !TeX program = lualatex\n% \\usepackage{{fontspec}}\n{MAIN}"}))
    assert [call.partition(" ")[0] for call in engine.calls] == ["xelatex"] * 4 + ["pdflatex"] * 2


@pytest.mark.parametrize(
    "line", ["% !TeX program = lualatex", "\\usepackage{luacode}", "\\directlua{tex.print(1)}"]
)
def test_where_tex_does_not_come_to_an_end_it_is_said_that_luatex_is_not_run(
    paper: Reading, engine: Engine, line: str
) -> None:
    engine.says("log", "@pf-verify@|P\n! Undefined control sequence.\n")
    with pytest.raises(IncompleteError, match="needs LuaLaTeX, which pf numbers does not run"):
        ask_latex(paper({"main.tex": f"{line}\n{MAIN}"}))
    with pytest.raises(IncompleteError, match="compile from a fresh clone"):
        ask_latex(paper({"main.tex": MAIN}))


def test_only_texts_of_the_snapshot_are_copied(
    paper: Reading, engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x.cfg").write_text("secret")
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "link.cfg").symlink_to(tmp_path / "secret.tex")
    (folder / "sub").symlink_to(tmp_path / "outside")
    more = {"own.cfg": "c", "fig/a.tikz": "t", "own.sty": "s", "data.csv": "1", "run.py": "p"}
    ask_latex(paper({**FILES, **more}))
    expected = {"main.tex", "part.tex", "own.cfg", "own.sty", "fig/a.tikz", "pf-verify-hook.tex"}
    assert set(engine.given()) == expected


def test_a_revision_is_copied_as_it_was(paper: Reading, engine: Engine) -> None:
    paper({**FILES, "own.cfg": "then"})
    paper({**FILES, "own.cfg": "now"})
    ask_latex(paper(at="HEAD~1", files={**FILES, "own.cfg": "now"}))
    assert engine.given()["own.cfg"] == "now"
    ask_latex(paper(at="HEAD~3", files={**FILES, "own.cfg": "later"}))
    assert engine.given()["own.cfg"] == "then"


def test_names_that_lead_upwards_are_found_from_the_folders_above(
    paper: Reading, engine: Engine
) -> None:
    text = MAIN.replace("\\input{part}", "\\input{../common/part}\\input ./../x y../z")
    ask_latex(paper({"doc/main.tex": text, "common/part.tex": PART}))
    given = engine.given()["doc/main.tex"]
    assert "\\input{common/part}\\input x y../z" in given
    assert given.count("\n") == text.count("\n")


def test_an_answer_is_kept_for_exactly_these_texts_and_this_engine(
    paper: Reading, engine: Engine
) -> None:
    assert kept_word(paper()) is None
    word = ask_latex(paper())
    calls = len(engine.calls)
    assert kept_word(paper()) == word
    assert kept_word(paper({"part.tex": PART.replace("x", "y")})) is None
    assert kept_word(paper({"part.tex": PART, "own.cfg": "c"})) is None
    assert len(engine.calls) == calls
    engine.says("version", "pdfTeX 2")
    engine.says("log", LOG.replace("7.3", "8.3"))
    again = ask_latex(paper())
    assert again != word
    assert kept_word(paper()) == again


def test_a_kept_answer_that_cannot_be_read_is_none(paper: Reading, engine: Engine) -> None:
    item = paper()
    ask_latex(item)
    cache = item.parse_cache.cache
    assert isinstance(cache, MemoryCache)
    (key,) = [name for name in cache.entries if name.startswith("latex-numbers:")]
    for text in ("", "[1]", json.dumps([[], [], 0, ""]), json.dumps([{}, [1], 0, ""])):
        cache.entries[key] = text
        assert kept_word(item) is None


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("", "no error message"),
        ("! LaTeX Error: File `own.sty' not found.\n! Emergency stop.\n", "not found: own.sty"),
        ("./main.tex:3: Emergency stop.\n", "main.tex:3: Emergency stop"),
    ],
)
def test_without_the_end_of_the_paper_there_is_no_answer(
    paper: Reading, engine: Engine, log: str, said: str
) -> None:
    engine.says("log", LOG.replace("@pf-verify@|E\n", "").replace("./main.tex:6: U", "U") + log)
    with pytest.raises(IncompleteError, match=r"did not reach the end of main\.tex") as caught:
        ask_latex(paper())
    assert said in caught.value.message
    assert kept_word(paper()) is None


def test_a_paper_that_reads_a_file_of_the_users_has_no_answer(
    paper: Reading, engine: Engine
) -> None:
    engine.says("fls", "PWD /x\nINPUT /home/somebody/secret.tex\n")
    with pytest.raises(IncompleteError, match=r"reads /home/somebody/secret\.tex, outside"):
        ask_latex(paper())
    assert kept_word(paper()) is None


def test_what_cannot_be_asked_is_told(
    paper: Reading, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.says("log", "@pf-verify@|O\n")
    item = paper()
    with pytest.raises(UsageError, match="older than October 2020"):
        ask_latex(item)
    with pytest.raises(UsageError, match="rename"):
        ask_latex(paper({"p}q/main.tex": MAIN.replace("\\input{part}", ""), "main.tex": "x"}))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="pdflatex is not installed; install TeX Live"):
        ask_latex(item)


def test_a_number_that_is_none_is_not_taken(paper: Reading, engine: Engine) -> None:
    engine.says("log", LOG.replace("7.3", "\\foo").replace("7.1", "x" * 50))
    engine.says("aux", AUX.replace("7.3", "$x$") + "\\newlabel{a}{{7.4}{1}}\n\\@input{/etc/x.aux}")
    word = ask_latex(paper())
    assert word.labels == {}
    assert word.statements["part.tex", 1, "lem"] == ("",)
    assert word.statements["main.tex", 5, "lem"] == ("", "7.2")


def test_an_environment_that_begins_another_one_has_its_number(
    paper: Reading, engine: Engine
) -> None:
    text = "\\newenvironment{thm}{\\begin{lem}}{\\end{lem}}\\newtheorem{thm}{Theorem}\n"
    log = """@pf-verify@|B|1|0|6|lem|main.tex
@pf-verify@|B|2|1|6|rem|main.tex
@pf-verify@|R|2|lem|lem|4
@pf-verify@|B|3|0|7|lem|main.tex
@pf-verify@|B|4|3|8|lem|main.tex
@pf-verify@|R|4|lem|lem|5
@pf-verify@|E
"""
    engine.says("log", log)
    word = ask_latex(paper({**FILES, "main.tex": text + MAIN}))
    assert word.statements["main.tex", 6, "lem"] == ("4",)
    assert word.statements["main.tex", 7, "lem"] == ("",)


def test_a_line_that_is_read_twice_with_two_numbers_has_none(
    paper: Reading, engine: Engine
) -> None:
    item = paper()
    again = "@pf-verify@|B|9|0|1|lem|part.tex\n@pf-verify@|R|9|lem|lem|%s\n@pf-verify@|E"
    engine.says("log", LOG.replace("@pf-verify@|E", again % "8"))
    assert ("part.tex", 1, "lemma1") not in numbers(item, ask_latex(item))
    engine.says("log", LOG.replace("@pf-verify@|E", again % "7.3"))
    assert numbers(item, ask_latex(item))["part.tex", 1, "lemma1"] == "7.3"


def test_a_statement_may_be_logged_a_line_later(paper: Reading, engine: Engine) -> None:
    text = "%s{lem}x\\end{lem}\n%s{lem}\ny\\end{lem}\n\n\n%s{lem}\\label{b}z\\end{lem}\n"
    text = text.replace("%s", "\\begin")
    item = paper({**FILES, "part.tex": text})
    log = LOG.replace("|1|lem|part.tex", "|2|lem|part.tex").replace(
        "@pf-verify@|E",
        "@pf-verify@|B|8|0|4|lem|part.tex\n@pf-verify@|R|8|lem|lem|7.4\n@pf-verify@|E",
    )
    engine.says("log", log)
    engine.says("aux", AUX.replace("7.3", "7.5"))
    found = numbers(item, ask_latex(item))
    parts = {line: number for (path, line, _), number in found.items() if path == "part.tex"}
    assert parts == {2: "7.3", 6: "7.5"}


def test_a_file_is_known_by_the_name_under_which_tex_found_it(
    paper: Reading, engine: Engine
) -> None:
    files = {"doc/main.tex": MAIN.replace("{part}", "{Sub/Part}"), "doc/sub/part.tex": PART}
    for name in ("Sub/Part.tex", "sub/part.tex", "./sub/part.tex", "doc/sub/part.tex", "part.tex"):
        item = paper(files)
        engine.says("log", LOG.replace("|part.tex", f"|{name}"))
        assert ("doc/sub/part.tex", 1, "lem") in ask_latex(item).statements
    engine.says("log", LOG.replace("|part.tex", "|/usr/share/part.tex"))
    assert len(ask_latex(paper(files)).statements) == 2


def test_what_a_hostile_paper_writes_is_read_with_care(paper: Reading, engine: Engine) -> None:
    digits = "9" * 6_000
    lines = (f"B|{digits}|0|1|lem|part.tex", f"B|9|0|{digits}|lem|x", "R|8", "B|5|0|1|a|b|c|d")
    engine.says("log", "".join(f"@pf-verify@|{line}\n" for line in lines) + LOG)
    engine.says("aux", AUX + "\\@input{a\0b}\\@input{../../x}\\@input{main.aux}" + "{" * 5_000)
    engine.says("fls", "INPUT /a\0b\n")
    word = ask_latex(paper())
    assert word.labels == {"a": "7.1", "b": "7.3"}
    assert word.statements["part.tex", 1, "lem"] == ("7.3",)


def test_a_file_of_the_paper_that_is_not_copied_is_named(paper: Reading, engine: Engine) -> None:
    engine.says("log", "! LaTeX Error: File `own.kl' not found.\n")
    with pytest.raises(
        IncompleteError, match=r"LaTeX cannot find own\.kl: only files of these types are copied"
    ):
        ask_latex(paper({**FILES, "sub/own.kl": "x"}))
