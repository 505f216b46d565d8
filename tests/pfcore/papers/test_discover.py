import subprocess
from pathlib import Path

import pytest

from pfcore.domain.errors import ConfigError, IncompleteError, NoPaperError
from pfcore.domain.values import Status
from pfcore.graph.paper_state import build_paper_state
from pfcore.papers import discover
from pfcore.papers.discover import DiscoveredPapers, discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.processes import ProcessPool
from pfcore.papers.rendered_numbers import paper_numbers
from pfcore.repository import snapshot
from pfcore.repository.git import find_repository
from pfcore.repository.snapshot import current

DOCUMENT = "\\documentclass{article}%s\\begin{document}%s\\end{document}"


def read(folder: Path, files: dict[str, str], cache: MemoryCache | None = None) -> DiscoveredPapers:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return discover_papers(current(folder), ParseCache(cache or MemoryCache()))


def paper_of(folder: Path, files: dict[str, str]) -> Paper:
    (paper,) = read(folder, files).papers
    return paper


def digests(paper: Paper) -> list[str]:
    return sorted(block.digest for item in paper.readings.values() for block in item.blocks)


PROOF = r"By \ref{x}, \begin{claim}\label{c}b\end{claim} \begin{proof}c\end{proof} done."
LEMMA = r"\begin{lemma}\label{x}a\end{lemma}"


def test_moving_a_proofs_text_into_files_changes_no_digest(tmp_path: Path) -> None:
    whole = paper_of(
        tmp_path / "a",
        {"main.tex": DOCUMENT % ("", LEMMA + rf"\begin{{proof}}{PROOF}\end{{proof}}")},
    )
    split = paper_of(
        tmp_path / "b",
        {
            "main.tex": DOCUMENT % ("", r"\input{l}\begin{proof}\input{p/main}\end{proof}"),
            "l.tex": LEMMA,
            "p/main.tex": PROOF.replace(r"\begin{claim}", r"\input{p/claim}\begin{claim}"),
            "p/claim.tex": "",
        },
    )
    assert digests(split) == digests(whole)
    assert [len(split.readings[path].blocks) for path in split.outline.order] == [3, 1, 0, 0]
    assert split.texts("main.tex")[0].startswith("By ")
    assert split.references("p/main.tex")[0].keys == ("x",)


def test_an_edit_in_a_file_inside_of_a_proof_is_an_edit_of_that_proof(tmp_path: Path) -> None:
    files = {"main.tex": DOCUMENT % ("", r"\begin{proof}\input{p}\end{proof}"), "p.tex": "one"}
    cache = MemoryCache()
    before = read(tmp_path, files, cache).papers[0]
    after = read(tmp_path, files | {"p.tex": "two"}, cache).papers[0]
    assert before.texts("main.tex") == ("one",)
    assert after.texts("main.tex") == ("two",)
    assert before.keys["main.tex"] != after.keys["main.tex"]


def test_a_file_is_read_with_the_macros_that_hold_where_it_is_read_in(tmp_path: Path) -> None:
    paper = paper_of(
        tmp_path,
        {
            "main.tex": DOCUMENT
            % (
                r"\newcommand{\theid}{}\newcommand{\fileid}[1]{\renewcommand{\theid}{#1}}"
                r"\newcommand{\mylabel}[1]{\label{\theid:#1}}"
                r"\newcommand{\myref}[2][\theid]{\cref{#1:#2}}",
                r"\input{a}\input{b}",
            ),
            "a.tex": r"\fileid{a}\begin{lemma}\mylabel{x}\myref{x}\myref[b]{x}\end{lemma}",
            "b.tex": r"\fileid{b}\begin{lemma}\mylabel{x}\myref[a]{x}\end{lemma}",
        },
    )
    labels = [label.key for item in paper.readings.values() for label in item.labels]
    keys = [key for path in paper.readings for r in paper.references(path) for key in r.keys]
    assert labels == ["a:x", "b:x"]
    assert keys == ["a:x", "b:x", "a:x"]


def test_a_macro_may_read_in_a_file(tmp_path: Path) -> None:
    paper = paper_of(
        tmp_path,
        {
            "main.tex": DOCUMENT
            % (r"\newcommand{\chap}[1]{\input{chapters/#1}}", r"\chap{a}\chap{gone}"),
            "chapters/a.tex": LEMMA,
        },
    )
    assert paper.outline.order == ["main.tex", "chapters/a.tex"]
    assert len(paper.readings["chapters/a.tex"].blocks) == 1


def test_macros_that_wrap_declarations_declare(tmp_path: Path) -> None:
    preamble = r"\newcommand{\defthm}[2]{\newtheorem{#1}{#2}}\defthm{zz}{Lemma}"
    paper = paper_of(
        tmp_path, {"main.tex": DOCUMENT % (preamble, r"\begin{zz}a\end{zz}"), "x.sty": ""}
    )
    assert [block.kind for block in paper.readings["main.tex"].blocks] == ["lemma"]


def test_documents_that_cite_each_other_are_one_paper(tmp_path: Path) -> None:
    chapter = r"\documentclass{a}\input{preamble}\begin{document}" + LEMMA + r"\end{document}"
    preamble = r"\externaldocument[one-]{one}\externaldocument[two-]{two}"
    paper = paper_of(tmp_path, {"one.tex": chapter, "two.tex": chapter, "preamble.tex": preamble})
    assert paper.root == "one.tex"
    assert [len(paper.readings[path].blocks) for path in ("one.tex", "two.tex")] == [1, 1]
    assert paper.outline.elsewhere("two-x") == [("two.tex", "x")]


def test_a_paper_that_is_named_borrows_the_labels_of_what_it_cites(tmp_path: Path) -> None:
    """What stands in there is cited, and nothing of it is to be read; of the chain, all."""
    proof = r"\begin{proof}Yes.\end{proof}"
    cited = r"\begin{lemma}\label{y}Y.\end{lemma}" + proof
    files = {
        "pf.toml": '[[paper]]\nname = "mine"\nroot = "one.tex"\n',
        "one.tex": DOCUMENT % (r"\externaldocument[two-]{two}", LEMMA + proof),
        "two.tex": DOCUMENT % (r"\externaldocument{three}", cited),
        "three.tex": DOCUMENT % ("", cited.replace("{y}", "{z}")),
        "four.tex": DOCUMENT % ("", cited.replace("{y}", "{w}")),
    }
    paper = paper_of(tmp_path, files)
    assert paper.outline.order == ["one.tex", "two.tex", "three.tex"]
    assert [paper.outline.is_borrowed(path) for path in paper.outline.order] == [False, True, True]
    modules = build_paper_state(paper).document.modules
    assert {name: module.is_claim for name, module in modules.items()} == {
        "x": True, "y": False, "z": False,
    }  # fmt: skip
    assert modules["y"].stand_in is Status.CITED


def test_a_second_reading_comes_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = LEMMA + r"\begin{proof}\input{p}\end{proof}"
    files = {"main.tex": DOCUMENT % (r"\newcommand{\d}{\newtheorem{q}{Q}}\d", body), "p.tex": "x"}
    cache = MemoryCache()
    before = read(tmp_path, files, cache).papers[0]
    texts = before.texts("main.tex")
    used = before.used_terms(["x", "y z"])
    monkeypatch.setattr("pfcore.latex.reader.parse_latex_file", None)
    monkeypatch.setattr("pfcore.papers.discover.survey_file", None)
    monkeypatch.setattr("pfcore.papers.load.declaring_macros.read_declaring_macros", None)
    after = discover_papers(current(tmp_path), ParseCache(cache)).papers[0]
    assert after.readings == before.readings
    assert after.texts("main.tex") == texts
    assert after.used_terms(["x", "y z"]) == used


def test_a_spoilt_entry_is_read_anew(tmp_path: Path) -> None:
    cache = MemoryCache()
    files = {"main.tex": DOCUMENT % ("", LEMMA)}
    before = read(tmp_path, files, cache).papers[0]
    cache.entries = dict.fromkeys(cache.entries, "{")
    assert read(tmp_path, files, cache).papers[0].readings == before.readings


def test_texts_are_made_again_where_the_cache_forgot_them(tmp_path: Path) -> None:
    cache = MemoryCache()
    files = {"main.tex": DOCUMENT % ("", LEMMA)}
    texts = read(tmp_path, files, cache).papers[0].texts("main.tex")
    cache.entries = {k: v for k, v in cache.entries.items() if not k.startswith("texts:")}
    assert (
        discover_papers(current(tmp_path), ParseCache(cache)).papers[0].texts("main.tex") == texts
    )


def test_references_are_made_again_where_the_cache_forgot_them(tmp_path: Path) -> None:
    cache = MemoryCache()
    files = {"main.tex": r"\documentclass{a}\begin{document}\cref{x,y} \ref{x}\end{document}"}
    expected = paper_of(tmp_path, files).references("main.tex")
    read(tmp_path, files, cache)
    cache.entries = {k: v for k, v in cache.entries.items() if not k.startswith("references")}
    (paper,) = read(tmp_path, files, cache).papers
    assert paper.references("main.tex") == expected
    assert [r.keys for r in expected] == [("x", "y"), ("x",)]
    assert paper.readings["main.tex"].cited == ("x", "y")


def test_blocks_use_terms(tmp_path: Path) -> None:
    body = r"\begin{lemma}all tame rings\end{lemma}\begin{lemma}none\end{lemma}"
    paper = paper_of(tmp_path, {"main.tex": DOCUMENT % ("", body)})
    assert paper.used_terms(["tame ring", "wild ring"]) == {("main.tex", 0): ("tame ring",)}


def test_pf_toml_names_the_papers(tmp_path: Path) -> None:
    files = {
        "a.tex": DOCUMENT % ("", LEMMA),
        "b.tex": DOCUMENT % ("", ""),
        "pf.toml": '[[paper]]\nname = "A"\nroot = "a.tex"\n',
    }
    found = read(tmp_path, files)
    assert [(paper.name, paper.root) for paper in found.papers] == [("A", "a.tex")]
    assert found.papers[0].source("a.tex") == files["a.tex"]
    with pytest.raises(ConfigError, match=r"file not found: c\.tex"):
        read(tmp_path, {"pf.toml": '[[paper]]\nname = "A"\nroot = "c.tex"\n'})


NAMED = '[[paper]]\nname = "A"\nroot = "a.tex"\n[[paper]]\nname = "B"\nroot = "b.tex"\n'


@pytest.mark.parametrize("is_link", [True, False])
def test_a_named_paper_that_cannot_be_read_is_told_beside_the_others(
    tmp_path: Path, is_link: bool
) -> None:
    if is_link:
        (tmp_path / "b.tex").symlink_to("elsewhere.tex")
    else:
        (tmp_path / "b.tex").write_bytes(b"\0")
    found = read(tmp_path, {"a.tex": DOCUMENT % ("", LEMMA), "pf.toml": NAMED})
    assert [paper.name for paper in found.papers] == ["A"] and list(found.unread) == ["b.tex"]
    with pytest.raises(IncompleteError, match=r"^paper B: b\.tex could not be read: "):
        read(tmp_path, {"pf.toml": '[[paper]]\nname = "B"\nroot = "b.tex"\n'})


def test_a_named_paper_that_only_the_moment_of_the_settings_has_is_absent(tmp_path: Path) -> None:
    moments = []
    for name, files in (("here", ["a.tex"]), ("there", ["a.tex", "b.tex"])):
        (tmp_path / name).mkdir()
        read(tmp_path / name, dict.fromkeys(files, DOCUMENT % ("", LEMMA)))
        moments.append(current(tmp_path / name))
    (tmp_path / "there/pf.toml").write_text(NAMED)
    here, there = moments[0], current(tmp_path / "there")
    borrowed = snapshot.with_settings_of(here, there)
    borrowed.cache.add(there.files["pf.toml"].oid, NAMED.encode())
    found = discover_papers(borrowed, ParseCache(MemoryCache()))
    assert [paper.name for paper in found.papers] == ["A"] and found.absent == ("b.tex",)
    (tmp_path / "there/b.tex").unlink()
    lacking = snapshot.with_settings_of(here, current(tmp_path / "there"))
    lacking.cache.add(there.files["pf.toml"].oid, NAMED.encode())
    with pytest.raises(ConfigError, match=r"paper B: file not found: b\.tex"):
        discover_papers(lacking, ParseCache(MemoryCache()))


def test_of_several_papers_one_alone_may_be_read(tmp_path: Path) -> None:
    read(tmp_path, {"a.tex": DOCUMENT % ("", LEMMA), "b.tex": DOCUMENT % ("", "")})
    found = discover_papers(current(tmp_path), ParseCache(MemoryCache()), only="b.tex")
    assert [paper.name for paper in found.papers] == ["b.tex"]
    assert discover_papers(current(tmp_path), ParseCache(MemoryCache()), only="c.tex").papers == ()


def test_pf_toml_adds_what_the_paper_does_not_declare(tmp_path: Path) -> None:
    toml = '[latex]\nproofs = ["why"]\nignore = ["old/*"]\n[latex.theorems]\naufgabe = "lemma"\n'
    body = r"\begin{aufgabe}a\end{aufgabe}\begin{why}b\end{why}"
    files = {"main.tex": DOCUMENT % ("", body), "old/x.tex": DOCUMENT % ("", ""), "pf.toml": toml}
    paper = paper_of(tmp_path, files)
    assert [block.kind for block in paper.readings["main.tex"].blocks] == ["lemma", "proof"]


@pytest.mark.parametrize("place", ["pf.toml", "b/pf.toml"])
def test_settings_that_cannot_be_read_are_not_passed_over(tmp_path: Path, place: str) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / place).symlink_to("elsewhere.toml")
    with pytest.raises(ConfigError, match=rf"^{place}: symbolic link"):
        read(tmp_path, {"b/main.tex": DOCUMENT % ("", LEMMA)})


def test_a_ledger_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "pf.lock").symlink_to("elsewhere")
    found = read(tmp_path, {"main.tex": DOCUMENT % ("", LEMMA)})
    assert list(found.unread) == ["pf.lock"]
    assert [paper.root for paper in found.papers] == ["main.tex"]


def test_without_latex_there_is_no_paper(tmp_path: Path) -> None:
    with pytest.raises(NoPaperError):
        read(tmp_path, {"README.md": "x"})


def test_a_file_in_another_encoding_is_read_and_noted(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_bytes((DOCUMENT % ("", "caf\xe9")).encode("latin-1"))
    assert list(discover_papers(current(tmp_path), ParseCache(MemoryCache())).notes) == ["main.tex"]


@pytest.mark.acceptance
def test_many_processes_read_what_one_reads(tmp_path: Path) -> None:
    """And they do read: the texts that the cache is given are theirs, too."""
    names = [f"part{number}" for number in range(6)]
    body = "".join(f"\\input{{{name}}}" for name in names)
    files = {"main.tex": DOCUMENT % (r"\newcommand{\ab}[1]{#1 b}", body)}
    files |= {
        f"{name}.tex": rf"\begin{{lemma}}\ab{{{name}}} \input{{in}}\end{{lemma}}" for name in names
    }
    files["in.tex"] = "inside"
    one, many = MemoryCache(), MemoryCache()
    (alone,) = read(tmp_path, files, one).papers
    parse_cache = ParseCache(many, ProcessPool(2, worth=1))
    (paper,) = discover_papers(current(tmp_path), parse_cache).papers
    assert paper.readings == alone.readings
    assert [paper.texts(path) for path in paper.keys] == [alone.texts(path) for path in paper.keys]
    assert many.entries == one.entries
    assert not parse_cache.missing({path: f"reading:{key}" for path, key in paper.keys.items()})


def test_what_one_file_excludes_is_read_in_no_file(tmp_path: Path) -> None:
    old = r"\begin{old}\begin{lemma}\label{x}b\end{lemma}\end{old}"
    files = {
        "main.tex": DOCUMENT % (r"\input{set}", LEMMA + r"\input{part}"),
        "set.tex": r"\usepackage{comment}\excludecomment{old}",
        "part.tex": old,
    }
    assert [len(item.labels) for item in paper_of(tmp_path, files).readings.values()] == [1, 0, 0]
    shown = files | {"set.tex": files["set.tex"] + r"\includecomment{old}"}
    assert [len(item.labels) for item in paper_of(tmp_path, shown).readings.values()] == [1, 0, 1]


LINKED = r"""\documentclass{article}\newtheorem{lem}{Lemma}\begin{document}
\input{one}\input{parts/two}\input{loop}\input{out}\end{document}"""


@pytest.mark.parametrize("moment", ["folder", "tree", "index", "revision"])
def test_symbolic_links_that_stay_inside_are_read(tmp_path: Path, moment: str) -> None:
    top = tmp_path / "paper"
    (top / "shared/deep").mkdir(parents=True)
    (tmp_path / "secret.tex").write_text(r"\begin{lem}\label{secret}x\end{lem}")
    (top / "shared/one.tex").write_text(r"\begin{lem}\label{a}x\end{lem}")
    (top / "shared/deep/two.tex").write_text(r"\begin{lem}\label{b}x\end{lem}")
    (top / "main.tex").write_text(LINKED)
    (top / "one.tex").symlink_to("shared/one.tex")
    (top / "parts").symlink_to("shared/deep")
    (top / "loop.tex").symlink_to("loop.tex")
    (top / "out.tex").symlink_to("../secret.tex")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    if moment != "folder":
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
            subprocess.run([*git, *command], cwd=top, check=True)
    repository = find_repository(top)
    if moment == "folder" or repository is None:
        taken = snapshot.from_folder(top)
    elif moment == "tree":
        taken = snapshot.current(top)
    elif moment == "index":
        taken = snapshot.from_index(repository)
    else:
        taken = snapshot.from_revision(repository, "HEAD")
    (paper,) = discover_papers(taken, ParseCache(MemoryCache())).papers
    assert paper.outline.order == ["main.tex", "shared/one.tex", "shared/deep/two.tex"]
    problems = [item.subject for item in paper.outline.problems["main.tex"]]
    assert problems == ["loop.tex", "out.tex"]


def test_only_inputs_that_are_never_read_are_left_out(tmp_path: Path) -> None:
    body = r"\loadglsentries{p}\input{q}\ifdraft\input{r}\fi"
    parts = {f"{name}.tex": name for name in "pqr"}
    paper = paper_of(tmp_path, {"main.tex": DOCUMENT % (r"\newif\ifdraft", body), **parts})
    assert paper.outline.order == ["main.tex", "p.tex", "q.tex"]


STYLE = "\\documentclass{article}\\usepackage{amsthm}\\newtheorem{stz}{Satz}[section]"


@pytest.mark.parametrize(
    ("line", "preamble"),
    [("%&preamble", "preamble.tex"), ('%& "fmt/head"', "fmt/head.ltx"), ("%&main", "other.tex")],
)
def test_a_preamble_that_was_compiled_before_belongs_to_the_paper(
    tmp_path: Path, line: str, preamble: str
) -> None:
    text = "\\section{A}\\begin{stz}\\label{a}x\\end{stz}"
    main = f"{line}\n\\begin{{document}}\\input{{aaa}}\\end{{document}}"
    paper = paper_of(tmp_path, {"main.tex": main, "aaa.tex": text, preamble: STYLE})
    is_known = line != "%&main"
    assert paper.root == "main.tex"
    assert paper.outline.order == ["main.tex", *([preamble] * is_known), "aaa.tex"]
    assert [block.kind for block in paper.readings["aaa.tex"].blocks] == ["satz"] * is_known


def test_documents_that_a_command_of_the_paper_names_are_joined(tmp_path: Path) -> None:
    head = (
        "\\usepackage{xr}\\newcommand*{\\link}[1]{\\externaldocument[#1-]{#1}}\\link{supp}"
        "\\newcommand*{\\myexternaldocument}[1]{\\externaldocument{#1}}\\myexternaldocument{more}"
    )
    files = {
        "main.tex": DOCUMENT % (head, LEMMA + r"See \ref{supp-y} and \ref{z}."),
        "supp.tex": DOCUMENT % ("", r"\begin{lemma}\label{y}a\end{lemma}"),
        "more.tex": DOCUMENT % ("", r"\begin{lemma}\label{z}a\end{lemma}"),
    }
    paper = paper_of(tmp_path, files)
    assert paper.outline.prefixes == (("supp-", "supp.tex"), ("", "more.tex"))


@pytest.mark.parametrize(
    ("old", "text"),
    [
        ("old_version/main.tex", "\\title{On sums}\\section{No}\\label{u}\\label{v}\\label{w}"),
        ("old_version/paper.tex", LEMMA.replace("\\label{x}", "")),
        ("archive/deep/paper.tex", LEMMA.replace("\\label{x}", "")),
        ("v1/main.tex", "\\title{On sums}\\label{u}"),
    ],
)
def test_an_older_version_is_left_aside(tmp_path: Path, old: str, text: str) -> None:
    new = "v2/main.tex" if old.startswith("v1") else "main.tex"
    text_now = f"\\title{{On sums}}{LEMMA}\\section{{One}}"
    found = read(tmp_path, {new: DOCUMENT % ("", text_now), old: DOCUMENT % ("", text)})
    assert [paper.root for paper in found.papers] == [new]
    assert [(item.path, item.reason) for item in found.asides] == [(old, "old copy")]


@pytest.mark.parametrize(
    ("one", "text"),
    [
        ("old_version/main.tex", "\\title{On more}\\label{u}\\label{v}"),
        ("v1/main.tex", "\\title{On more}\\label{u}"),
        ("v1/main.tex", LEMMA.replace("\\label{x}", "")),
        ("chapters/paper.tex", LEMMA.replace("\\label{x}", "")),
    ],
)
def test_another_text_is_no_older_version(tmp_path: Path, one: str, text: str) -> None:
    new = "v2/main.tex" if one.startswith("v1") else "main.tex"
    text_now = f"\\title{{On sums}}{LEMMA}\\section{{One}}"
    found = read(tmp_path, {new: DOCUMENT % ("", text_now), one: DOCUMENT % ("", text)})
    assert sorted(paper.root for paper in found.papers) == sorted([new, one])


def test_what_a_link_to_a_link_leads_to_is_counted(tmp_path: Path) -> None:
    (tmp_path / "q.tex").symlink_to("s/one.tex")
    (tmp_path / "p.tex").symlink_to("q.tex")
    head = "\\newtheorem{lemma}{Lemma}"
    text = r"\input{p}\begin{lemma}\label{y}b\end{lemma}"
    paper = paper_of(tmp_path, {"main.tex": DOCUMENT % (head, text), "s/one.tex": LEMMA})
    numbers = paper_numbers(paper)
    assert [getattr(numbers.of(key), "text", None) for key in "xy"] == ["1", "2"]


def test_of_what_tools_keep_in_hidden_folders_only_the_number_is_said() -> None:
    reason = "submodule not checked out"
    tools = {f".lake/packages/p{n}": reason for n in range(12)}
    own = {"main.tex": "binary file (NUL bytes)"}
    assert discover.unread_reasons(tools | own) == "main.tex: binary file (NUL bytes); and 12 more"
    many = {f"part{n}.tex": reason for n in range(5)}
    assert discover.unread_reasons(many).endswith(f"part2.tex: {reason}; and 2 more")
    alone = discover.unread_reasons(tools)
    assert alone.count(reason) == 3
    assert alone.endswith("; and 9 more")


def test_a_symbolic_link_that_nothing_includes_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(DOCUMENT % ("", LEMMA + r"\input{read}"))
    (tmp_path / "secret.txt").write_text("x")
    for name, target in {
        "other.tex": "/etc/hostname", "gone.tex": "nowhere.tex", "self.tex": "self.tex",
        "same.tex": "main.tex", "read.tex": "/etc/hostname", "old.sty": "/etc/hostname",
    }.items():  # fmt: skip
        (tmp_path / name).symlink_to(target)
    found = discover_papers(snapshot.from_folder(tmp_path), ParseCache(MemoryCache()))
    assert [(item.path, item.reason) for item in found.asides] == [
        (name, "symbolic link, skipped") for name in ("gone.tex", "other.tex", "self.tex")
    ]
    assert list(found.unread) == ["read.tex"]
    (tmp_path / "pf.toml").write_text('[latex]\nignore = ["gone.tex", "self.tex", "other.tex"]\n')
    found = discover_papers(snapshot.from_folder(tmp_path), ParseCache(MemoryCache()))
    assert found.asides == ()
