"""`pf gate --bundle`: only what passes goes out, cleaned, and it still says the same."""

import io
import json
import shutil
import sys
import tarfile
from types import SimpleNamespace

import pytest

from pfcore.cli import upload_bundle
from pfcore.cli.exit_status import pf_command
from pfcore.cli.upload_bundle import cleaned
from pfcore.domain.errors import IncompleteError
from pfcore.domain.findings import finding_id
from pfcore.domain.installation import install_command
from pfcore.domain.values import Role
from tests.conftest import git
from tests.pfcore.papers.test_compiled_paper import png

pytestmark = pytest.mark.acceptance

needs_tex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is absent")
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@pytest.fixture
def commit(paper):
    def run(files):
        for name, text in files.items():
            place = paper / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
        git(paper, "add", "--all")
        git(paper, "commit", "--quiet", "-m", "a change")

    return run


def bundled(run, *argv):
    status, _, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz", *argv)
    return status, err


def record_of(paper):
    return (paper / "pf-gate/record.md").read_text(encoding="utf-8")


def contents(paper):
    with tarfile.open(paper / "out.tar.gz") as tar:
        found = {item.name: tar.extractfile(item) for item in tar.getmembers()}
        return {
            name: file.read().decode("utf-8", "replace") for name, file in found.items() if file
        }


def test_comments_are_stripped_and_it_is_said_what_went_and_what_stays(
    run, paper, commit, document
):
    body = "% TODO: is this true?\n" + LEMMA % ("a", "A", "Clear. % I hope\n") + "\\input{sec/b}\n"
    second = "\\iffalse secret\\fi\n" + LEMMA % ("b", "B", r"By \ref{a}.")
    files = {"main.tex": document(body), "sec/b.tex": second, "reply.tex": "Dear referee,"}
    commit({**files, "own.sty": "% about it\n"})
    status, err = bundled(run)
    assert status == 0, err
    found = contents(paper)
    assert sorted(found) == ["00README.json", "main.tex", "sec/b.tex"]
    text = "".join(found.values())
    assert not any(word in text for word in ("TODO", "hope", "secret", "referee"))
    assert "stripped from the sources: 2 comments" in err
    assert ".bbl" not in err
    assert "left out: own.sty, reply.tex" in err
    upload = json.loads((paper / "pf-gate/result.json").read_text())["gate"]["upload"]
    assert upload["left_out"] == ["own.sty", "reply.tex"]
    assert upload["comments_stripped"] == 2
    assert "## The upload" in (paper / "pf-gate/record.md").read_text()


@needs_tex
def test_a_source_whose_code_prints_percent_signs_keeps_its_comments_and_that_is_said(
    run, paper, commit
):
    preamble = (
        "\\documentclass{article}\\usepackage{amsthm,listings}\\newtheorem{lemma}{Lemma}\n"
        "\\lstnewenvironment{program}{\\lstset{escapeinside={\\%*}{*)}}}{}\n\\begin{document}\n"
    )
    body = LEMMA % ("a", "A", "Clear.") + "\\input{code}\n% left\n\\end{document}\n"
    code = "\\begin{program}\nx + y %*$\\cup$*) z\n\\end{program}\n% stays\n"
    commit({"main.tex": preamble + body, "code.tex": code})
    status, err = bundled(run)
    assert status == 0, err
    found = contents(paper)
    assert (found["code.tex"], "% left" in found["main.tex"]) == (code, False)
    assert "code.tex would have a different text without them; remove those there by hand" in err


def test_nothing_goes_out_that_does_not_pass(run, paper):
    status, _, err = run("gate", "--bundle", "out.tar.gz")
    assert status == 3
    assert "out.tar.gz was not written: the gate failed" in err
    assert not (paper / "out.tar.gz").exists()
    assert "## The upload\n\n- out.tar.gz was not written: the gate failed\n" in record_of(paper)
    gate = json.loads((paper / "pf-gate/result.json").read_text())["gate"]
    assert gate["no_upload"] == "out.tar.gz was not written: the gate failed"
    assert run("gate", "--allow-unread")[0] == 0
    assert "The upload" not in record_of(paper)


def test_what_does_not_pass_goes_out_only_under_a_name_that_says_so(run, paper):
    status, _, err = run("gate", "--bundle", "out.tar.gz", "--unpassed")
    assert status == 3
    assert "written: out-NOT-PASSED.tar.gz, the gate failed" in err
    assert not (paper / "out.tar.gz").exists()
    assert (paper / "out-NOT-PASSED.tar.gz").is_file()
    assert run("gate", "--bundle", "out.tar.gz", "--unpassed")[0] == 2
    assert run("gate", "--unpassed")[0] == 2


CITING = "\\cite{a,b}\\cite{a}\\bibliographystyle{plain}\\bibliography{r}"
ENTRIES = "@book{a, author={A}, title={A}}\n@book{b, author={B}, title={B}}\n"


def test_a_bundle_without_the_bbl_of_what_is_cited_is_none_for_an_upload(
    run, paper, commit, document, monkeypatch
):
    monkeypatch.setattr("pfcore.review.bundle_comparison.is_installed", lambda _: False)
    monkeypatch.setattr("pfcore.review.bundle_comparison.bibtex_of", lambda *_: None)
    body = LEMMA % ("a", "A", "P.") + CITING
    commit({"main.tex": document(body), "r.bib": ENTRIES})
    status, err = bundled(run)
    assert status == 3
    assert not (paper / "out.tar.gz").exists()
    assert err.splitlines()[-1] == (
        "pf: no bundle written: 2 citations would print [?]; missing main.bbl: the paper was not "
        "compiled here; run LaTeX and bibtex main, then git add -f main.bbl and commit "
        "(--unpassed writes the bundle without a bibliography)"
    )
    assert "no bundle written: 2 citations would print \\[?\\]" in record_of(paper)
    status, err = bundled(run, "--unpassed")
    assert status == 3
    assert "the bundle is not ready for an upload: 2 citations" in record_of(paper)
    assert "written: out-NOT-PASSED.tar.gz, not ready for an upload" in err
    assert "the bundle is not ready for an upload: 2 citations" in err.splitlines()[-1]
    upload = json.loads((paper / "pf-gate/result.json").read_text())["gate"]["upload"]
    assert upload["undefined_citations"] == 2
    commit({"main.bbl": "\\bibitem{a} A.\n\\bibitem{b} B.\n"})
    assert bundled(run)[0] == 0


OWN = "\\begin{thebibliography}{9}\\bibitem{a} A.\\bibitem{b} B.\\end{thebibliography}"


@pytest.mark.parametrize("body", [r"\cite{a,b}" + OWN, "Nothing is cited."])
def test_a_paper_without_a_bbl_that_needs_none_is_ready(run, paper, commit, document, body):
    commit({"main.tex": document(LEMMA % ("a", "A", "P.") + body)})
    status, err = bundled(run)
    assert (status, ".bbl" in err) == (0, False)


@pytest.mark.parametrize(
    ("files", "count"),
    [({}, 1), ({"main.ind": "\\begin{theindex}\\item x, 1\\end{theindex}"}, 0)],
)
def test_an_index_that_is_not_there_is_said_with_the_bundle(
    run, paper, commit, document, files, count
):
    head = "\\usepackage{makeidx}\\makeindex\n\\begin{document}"
    text = document(LEMMA % ("a", "A", "P.") + "X\\index{x}. \\printindex")
    commit({"main.tex": text.replace("\\begin{document}", head), **files})
    status, err = bundled(run)
    assert status == 0, err
    line = "main.ind is missing, so arXiv prints no index: run makeindex main, then git add -f"
    assert err.count(line) == count


@needs_tex
def test_errors_of_latex_are_said_where_the_upload_is(run, paper, commit, document):
    commit({"main.tex": document(LEMMA % ("a", "A", "P.") + "\\unknowncommand")})
    status, err = bundled(run)
    assert status == 0
    assert "written: out.tar.gz, for upload to arXiv; LaTeX reports 1 error\n" in err


def test_no_plain_pass_is_said_where_citations_are_undefined(run, paper, commit, document):
    body = LEMMA % ("a", "A", "P.") + "\\cite{a,b}\\cite{c}\n\\bibliographystyle{plain}"
    commit({"main.tex": document(body + "\\bibliography{r,gone}"), "r.bib": ENTRIES})
    run("dismiss", "--rule", "missing-bibliography", "--reason", "it is elsewhere")
    commit({})
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    assert (status, "1 finding of undefined-citation" in out) == (1, True), err
    run("dismiss", "--rule", "undefined-citation", "--reason", "later")
    commit({})
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    assert (status, out.endswith("\nGate passed; 1 citation is undefined; structure only.\n")) == (
        0,
        True,
    )
    assert "written: out.tar.gz, for upload to arXiv; 1 citation is undefined" in err
    assert "# Gate passed; 1 citation is undefined; structure only" in record_of(paper)


@needs_tex
def test_keys_that_latex_alone_finds_undefined_make_no_bundle(run, paper, commit, document):
    body = LEMMA % ("a", "A", "P.") + "\\newcommand\\own[1]{\\cite{#1}}\\cite{a}\\own{b}"
    commit({"main.tex": document(body + "\\input{main.bbl}"), "main.bbl": OWN.replace("b}", "c}")})
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    assert status == 3
    assert not (paper / "out.tar.gz").exists()
    assert err.splitlines()[-1] == (
        "pf: no bundle written: 1 citation would print [?]; main.bbl has no entry for b: add it, "
        "or correct the key (--unpassed writes the bundle as it is)"
    )
    assert "1 citation is undefined" in out


def test_the_same_commit_gives_the_same_bytes(run, paper):
    assert bundled(run)[0] == 0
    first = (paper / "out.tar.gz").read_bytes()
    assert bundled(run, "--force")[0] == 0
    assert (paper / "out.tar.gz").read_bytes() == first


def test_a_pass_with_an_upload_that_was_not_compiled_says_so_in_its_verdict(
    run, paper, monkeypatch
):
    monkeypatch.setattr("pfcore.review.bundle_comparison.is_installed", lambda _: False)
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    unpack = "mkdir out-compiled && tar xzf out.tar.gz -C out-compiled && cd out-compiled"
    assert f"to compile it: {unpack} && pdflatex main && pdflatex main\n" in err
    assert "compiler set for arXiv: pdflatex; not compiled here\n" in err
    words = (
        "The upload was not compiled here: pdflatex is not installed. Compile it before you "
        "upload it."
    )
    assert status == 0
    assert f"\nGate passed; structure only. {words}\n" in out.replace(".\nThe", ". The")
    assert f"\n\n{words}\n\n" in record_of(paper)
    out = run("gate", "--allow-unread")[1]
    assert out.endswith("\nGate passed; structure only.\n")


@needs_tex
def test_a_pass_with_an_upload_that_was_compiled_says_nothing_of_it(run, paper):
    status, out, _ = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    assert (status, out.endswith("\nGate passed; structure only.\n")) == (0, True)


def test_a_file_that_is_there_is_overwritten_only_by_force(run, paper, tmp_path):
    (paper / "out.tar.gz").write_text("mine")
    status, err = bundled(run)
    again = f"{pf_command()} gate --allow-unread --bundle=out.tar.gz --force"
    assert (status, err) == (2, f"pf: out.tar.gz already exists; to overwrite it: {again}\n")
    assert (paper / "out.tar.gz").read_text() == "mine"
    assert bundled(run, "--force")[0] == 0
    (paper / "out.tar.gz").unlink()
    (paper / "out.tar.gz").symlink_to(tmp_path / "elsewhere")
    assert bundled(run, "--force")[0] == 2
    assert not (tmp_path / "elsewhere").exists()
    (paper / "out.tar.gz").unlink()
    (paper / "out.tar.gz").mkdir()
    assert bundled(run, "--force")[0] == 2


def test_a_place_that_cannot_be_is_refused_before_anything_is_read(run, paper):
    status, _, err = run("gate", "--allow-unread", "--bundle", "nowhere/out.tar.gz")
    assert status == 3
    assert "nowhere does not exist; choose another path with --bundle" in err
    assert not (paper / "pf-gate").exists()


def test_no_source_of_a_paper_is_overwritten(run, paper):
    for more in ((), ("--force",)):
        status, _, err = run("gate", "--allow-unread", "--bundle", "main.tex", *more)
        said = "pf: main.tex is a source of a paper; choose another path with --bundle\n"
        assert (status, err) == (2, said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.txt", "the upload is a .tar.gz: --bundle notes.tar.gz"),
        ("up.zip", "the upload is a .tar.gz: --bundle up.tar.gz"),
        ("up", "the upload is a .tar.gz: --bundle up.tar.gz"),
        ("-", "--bundle needs the name of a file, not -"),
        ("kept.tar.gz", "kept.tar.gz is tracked by git; choose another path with --bundle"),
    ],
)
def test_a_bundle_has_the_name_of_one_and_replaces_nothing_that_git_tracks(
    run, paper, commit, name, said
):
    commit({"notes.txt": "mine", "kept.tar.gz": "mine"})
    status, _, err = run("gate", "--allow-unread", "--force", "--bundle", name)
    assert (status, err) == (2, f"pf: {said}\n")
    assert (paper / "notes.txt").read_text() == (paper / "kept.tar.gz").read_text() == "mine"
    assert not (paper / name).exists() or name in ("notes.txt", "kept.tar.gz")


def test_only_what_is_committed_goes_out(run, paper, edit):
    edit("Clear.", "Not committed.")
    assert bundled(run)[0] == 0
    assert "Not committed" not in contents(paper)["main.tex"]


@needs_tex
def test_a_link_that_stays_inside_goes_as_the_file_that_it_means(run, paper, commit, document):
    (paper / "part").mkdir()
    (paper / "text.tex").symlink_to("part/one.tex")
    (paper / "parts").symlink_to("part")
    (paper / "figure.png").symlink_to("part/one.png")
    body = LEMMA % ("a", "A", "Clear.") + "\\input{text}\\input{parts/two}\n"
    body += "\\includegraphics{figure}\n"
    text = document(body, preamble="\\usepackage{graphicx}")
    files = {
        "main.tex": text,
        "part/one.png": png(99),
        "part/one.tex": "One.\n",
        "part/two.tex": "Two.\n",
    }
    commit(files)
    status, err = bundled(run)
    assert status == 0, err
    assert "1 page, each identical to the source's" in err
    assert "lacks" not in err
    with tarfile.open(paper / "out.tar.gz") as tar:
        files = {item.name: tar.extractfile(item) for item in tar.getmembers()}
        found = {name: file.read() for name, file in files.items() if file}
    assert (found["text.tex"], found["parts/two.tex"]) == (b"One.\n", b"Two.\n")
    assert found["figure.png"] == png(99)


@needs_tex
def test_a_paper_that_stops_at_a_line_of_its_own_is_no_bundle(run, paper, commit, document):
    ignored = "% pf: ignore[missing-file] a table\n\\input{lost}\n"
    commit({"main.tex": document(LEMMA % ("a", "A", "Clear.") + ignored)})
    status, err = bundled(run)
    assert status == 3, err
    assert "the paper does not compile here (LaTeX Error: File `lost.tex' not found.)" in err
    assert not (paper / "out.tar.gz").exists()


def test_links_and_submodules_stay_at_home(run, paper, commit, document, tmp_path):
    (tmp_path / "secret.pdf").write_text("secret")
    (paper / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    commit({"main.tex": document(LEMMA % ("a", "A", "P.") + r"\includegraphics{a}")})
    assert bundled(run)[0] == 0
    assert sorted(contents(paper)) == ["00README.json", "main.tex"]


def test_a_source_that_would_say_something_else_keeps_its_comments(run, paper, commit, document):
    proof = "Write \\verb|\\end{document}| last.\nThen it is clear. % not for all\n"
    commit({"main.tex": document(LEMMA % ("a", "A", proof) + "\\input{b}"), "b.tex": "B. % b\n"})
    status, err = bundled(run)
    assert status == 0, err
    found = contents(paper)
    assert "not for all" in found["main.tex"]
    assert "% b" not in found["b.tex"]
    assert "1 comment left: " in err
    assert "main.tex would have a different text without them; remove those there by hand" in err


def test_a_source_keeps_its_comments_where_the_proof_in_it_would_say_something_else(
    run, paper, commit, document
):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma} % shown below\n\\input{b}"
    words = "Write \\verb|\\end{document}| last.\nThen it is clear. % not for all\n"
    proof = f"\\begin{{proof}}[Proof of Lemma~\\ref{{a}}] {words}\\end{{proof}}\n"
    commit({"main.tex": document(lemma), "b.tex": proof})
    status, err = bundled(run)
    assert status == 0, err
    found = contents(paper)
    assert "not for all" in found["b.tex"]
    assert "shown below" not in found["main.tex"]
    assert "b.tex would have a different text without them; remove those there by hand" in err


def test_a_paper_that_would_say_something_else_stays_at_home(
    run, paper, commit, document, monkeypatch
):
    reads = iter(["a", "b"] * 3)
    monkeypatch.setattr(upload_bundle, "_said", lambda now: {"a": next(reads)})
    commit({"main.tex": document(LEMMA % ("a", "A", "Clear."))})
    status, err = bundled(run)
    assert status == 3, err
    assert "removing comments would change the lemma at main.tex:8" in err
    words = "out.tar.gz was not written: removing comments would change the lemma at main.tex:8"
    assert words in record_of(paper)
    assert not (paper / "out.tar.gz").exists()


PERCENT = r"""By \verb|a%b| and \lstinline!%! and \href{http://a.b/c%20d}{this} and \url{http://x/%7Ey}
it is clear: $5\%$ of it.\\% a secret
\begin{verbatim}
%x
\end{verbatim}
\begin{align} a &= b \\ % because
c &= d \end{align}%
"""


def test_a_percent_sign_that_is_no_comment_stays(run, paper, commit, document):
    commit({"main.tex": document(LEMMA % ("a", "A", PERCENT))})
    assert bundled(run)[0] == 0
    text = contents(paper)["main.tex"]
    kept = PERCENT.replace(" a secret", "").replace(" because", "")
    assert kept in text


def test_sources_in_another_encoding_keep_their_bytes(run, paper, commit, document):
    preamble = "\\usepackage[latin1]{inputenc}"
    text = document(preamble + LEMMA % ("a", "F\u00fcr alle% geh\u00f6rt weg\n", "P."))
    commit({"main.tex": text.encode("latin-1")})
    status, err = bundled(run)
    assert status == 0, err
    with tarfile.open(paper / "out.tar.gz") as tar:
        file = tar.extractfile("main.tex")
        assert file is not None
        data = file.read()
    assert b"F\xfcr alle%" in data
    assert b"weg" not in data


def test_an_upload_is_of_one_paper(run, paper, commit, document):
    text = document(LEMMA % ("a", "A", "P."))
    commit({"one.tex": text, "pf.toml": '[[paper]]\nroot="one.tex"\n[[paper]]\nroot="main.tex"\n'})
    status, err = bundled(run)
    assert status == 2
    assert "choose it with --paper (one, main)" in err
    assert bundled(run, "--paper", "one")[0] == 0
    assert sorted(contents(paper)) == ["00README.json", "one.tex"]


def test_names_never_reach_the_cleaner():
    files = {"a(b.tex": b"x % y\n", "c+d/../e.tex": b"z\n"}
    assert cleaned(files) == {"a(b.tex": b"x %\n", "c+d/../e.tex": b"z\n"}
    assert cleaned({"a.tex": b"\xff\x85\xa0 % y\n", "b.tex": "\u00e4\n".encode()}) == {
        "a.tex": b"\xff\x85\xa0 %\n",
        "b.tex": "\u00e4\n".encode(),
    }
    with pytest.raises(IncompleteError, match=r"LaTeX cannot read a.tex \(UTF-16\?\)"):
        cleaned({"a.tex": "x".encode("utf-16")})


def test_a_comment_behind_an_address_goes_and_its_percent_sign_stays():
    text = b"See \\url{a}%{b}\n  %c\n  . And \\url{d} % e\nso on.\n"
    expected = b"See \\url{a}%\n  . And \\url{d} %\nso on.\n"
    assert cleaned({"a.tex": text}) == {"a.tex": expected}


def test_an_environment_of_comments_goes_with_its_lines_and_begins_no_paragraph():
    text = b"A bound.\n\\begin{comment}\nx\n\n\\end{comment}\nIn what follows.\n"
    assert cleaned({"a.tex": text}) == {"a.tex": b"A bound.\nIn what follows.\n"}


ODD = b"\\ifdraft a \\else \\ifb b\\fi \\fi % c\n\\newcommand{\\x}{\\fi \\fi}\n"
"""Conditions that do not match, at which the cleaner stops, or that it leaves all as they are."""


@pytest.mark.parametrize("odd", [ODD, b"x % c\n\\fi\n"])
def test_conditions_that_do_not_match_stay_and_what_is_hidden_goes(odd):
    files = {"odd.tex": odd, "even.tex": b"\\iffalse secret\\fi x % y\n"}
    found = cleaned(files)
    assert found["odd.tex"] == odd.replace(b"% c", b"%")
    assert b"secret" not in found["even.tex"]
    found = cleaned({"a.tex": b"\\iffalse secret\\fi y% \\iffalse\n" + odd})
    assert found["a.tex"] == b" y%\n" + odd.replace(b"% c", b"%")


def test_what_is_hidden_by_conditions_that_are_not_clear_does_not_go_out():
    odd = b"\\fi\n\\iffalse secret\\else open\\fi\n"
    with pytest.raises(IncompleteError, match=r"a.tex has an .iffalse, and its .if and .fi"):
        cleaned({"a.tex": odd})


def test_which_sentences_readers_see_is_none_of_what_a_paper_says(
    run, paper, commit, document, monkeypatch
):
    again = upload_bundle._again

    def otherwise(own, files):
        state = again(own, files)
        chosen = (Role.NOTATION, Role.CONVENTION)
        kept = {n: m for n, m in state.document.modules.items() if m.role not in chosen}
        assert len(kept) < len(state.document.modules)
        document = SimpleNamespace(modules=kept, edges=state.document.edges)
        return SimpleNamespace(document=document, paper=state.paper)

    monkeypatch.setattr(upload_bundle, "_again", otherwise)
    text = "Let $I$ be a set of events. We write $M_i$ for the map of $I$.\n\n"
    commit({"main.tex": document(text + LEMMA % ("a", "$M_i$ is good", "Clear for $M_i$."))})
    status, err = bundled(run)
    assert status == 0, err


def test_a_text_that_would_lose_a_paragraph_keeps_its_comments(run, paper, commit, document):
    text = "First of all, \\verb|\\iffalse| is said.\n\nThis would be lost: \\verb|\\fi|.\n\n"
    commit({"main.tex": document(text + LEMMA % ("a", "A", "Clear."))})
    status, err = bundled(run)
    assert status == 0, err
    assert "This would be lost" in contents(paper)["main.tex"]
    assert "main.tex would have a different text" in err


def test_a_cleaner_that_does_not_come_to_an_end_is_not_waited_for():
    with pytest.raises(IncompleteError, match=r"did not finish within 0\.01 seconds"):
        cleaned({"a.tex": b"x"}, seconds=0.01)


def test_what_packages_keep_and_the_bibliography_are_named(run, paper, commit, document):
    body = document(LEMMA % ("a", "A", "P.") + "\\usepackage{own}")
    commit({"main.tex": body, "own.sty": "% why\n% how\n", "main.bbl": "x"})
    status, err = bundled(run)
    assert status == 0
    assert "2 comments left in own.sty: check those that are yours" in err
    assert "bibliography: main.bbl, from the commit" in err


@pytest.mark.parametrize("name", ["arxiv-latex-cleaner", "pypdf"])
def test_what_a_bundle_needs_is_told_when_one_is_due_and_the_paper_is_judged(
    run, paper, commit, document, monkeypatch, name
):
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    needs = f"--bundle needs {name}: {install_command('arxiv')}"
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz")
    assert status == 2
    assert "Gate passed" in out
    assert needs in err
    assert err.count(needs) == 1
    assert "out.tar.gz was not written" in (paper / "pf-gate/record.md").read_text()
    assert not (paper / "out.tar.gz").exists()
    assert run("gate", "--allow-unread")[0] == 0

    commit({"main.tex": document("\\begin{lemma}\\label{a} A. \\end{lemma}")})
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz", "--force")
    assert (status, needs in err) == (1, False)
    assert "Gate failed" in out
    status, out, err = run("gate", "--allow-unread", "--bundle", "out.tar.gz", "--unpassed")
    assert (status, needs in err) == (2, True)
    assert "Gate failed" in out


def test_an_archive_unpacks_below_its_folder(run, paper, tmp_path):
    assert bundled(run)[0] == 0
    with tarfile.open(fileobj=io.BytesIO((paper / "out.tar.gz").read_bytes())) as tar:
        tar.extractall(tmp_path / "there", filter="data")
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"00README.json", "main.tex"}


@pytest.fixture
def two(commit, document):
    """A paper and its supplement, which share macros."""
    body = "\\input{macros}" + LEMMA % ("a", "A", "P.")
    supplement = "\\input{macros}" + LEMMA % ("s", "S", "Q.") + "\\input{data}"
    commit(
        {
            "main.tex": document(body),
            "supplement.tex": document(supplement),
            "macros.tex": "\\newcommand{\\own}{x} % why\n",
            "data.tex": "Data.",
        }
    )


def test_a_paper_and_its_supplement_go_together_and_both_are_named(run, paper, two):
    status, err = bundled(run, "--root", "main.tex", "--root", "supplement.tex")
    assert status == 0, err
    found = contents(paper)
    names = ["00README.json", "data.tex", "macros.tex", "main.tex", "supplement.tex"]
    assert sorted(found) == names
    assert json.loads(found["00README.json"])["sources"] == [
        {"filename": "main.tex", "usage": "toplevel"},
        {"filename": "supplement.tex", "usage": "toplevel"},
    ]
    result = json.loads((paper / "pf-gate/result.json").read_text())["gate"]
    assert result["upload"]["roots"] == ["main.tex", "supplement.tex"]
    assert len(result["papers"]) == 2
    assert "left out" not in err


@pytest.fixture
def linked(commit, document):
    """A paper and its supplement, each of which refers to the other by package xr."""
    head = "\\usepackage{xr-hyper}\\externaldocument%s{%s}\n\\begin{document}"
    one = LEMMA % ("a", "A", "By Lemma \\ref{S-s} of the supplement.")
    two = LEMMA % ("s", "S", "Clear. It is used for \\ref{a}.")
    macros = "\\input{macros}\n"
    start = "\\begin{document}"
    commit(
        {
            "main.tex": document(macros + one).replace(start, head % ("[S-]", "supplement")),
            "supplement.tex": document(macros + two).replace(start, head % ("", "main")),
            "macros.tex": "\\newcommand{\\own}{x} % why\n",
            "fig.tex": "Unused.",
        }
    )


@needs_tex
@pytest.mark.parametrize("named", [(), ("main.tex", "supplement.tex")])
def test_documents_that_read_labels_of_each_other_go_together_with_these(run, paper, linked, named):
    status, err = bundled(run, *(word for root in named for word in ("--root", root)))
    assert status == 0, err
    found = contents(paper)
    labels = ["main-labels.aux", "supplement-labels.aux"]
    names = ["00README.json", "macros.tex", "main.tex", "supplement.tex"]
    assert sorted(found) == sorted([*labels, *names])
    assert "\\externaldocument[S-]{supplement-labels}" in found["main.tex"]
    assert "\\externaldocument{main-labels}" in found["supplement.tex"]
    assert found["supplement-labels.aux"].startswith("\\newlabel{s}{{")
    tops = [item["filename"] for item in json.loads(found["00README.json"])["sources"]]
    assert tops == ["main.tex", "supplement.tex"]
    assert err.count("each identical to the source's") == 2
    assert "made here for package xr: supplement-labels.aux, main-labels.aux" in err
    assert "main.tex: supplement is now supplement-labels" in record_of(paper)
    assert "lacks" not in err


@needs_tex
def test_one_of_two_linked_documents_goes_with_the_labels_of_the_other(run, paper, linked):
    status, err = bundled(run, "--root", "main.tex")
    assert status == 0, err
    names = ["00README.json", "macros.tex", "main.tex", "supplement-labels.aux"]
    assert sorted(contents(paper)) == names


@needs_tex
def test_a_linked_document_of_another_folder_stays_there_and_its_labels_go_along(
    run, paper, commit, document
):
    head = "\\usepackage{xr}\\externaldocument%s{%s}\n\\begin{document}"
    start = "\\begin{document}"
    one = document(LEMMA % ("a", "A", "By \\ref{S-s}.")).replace(start, head % ("[S-]", "si/si"))
    two = document(LEMMA % ("s", "S", "Clear."))
    commit({"main.tex": one, "si/si.tex": two})
    status, err = bundled(run)
    assert status == 0, err
    found = contents(paper)
    assert sorted(found) == ["00README.json", "main.tex", "si-labels.aux"]
    assert "\\externaldocument[S-]{si-labels}" in found["main.tex"]
    assert "identical to the source's" in err


def test_labels_that_nobody_can_make_here_are_no_bundle(run, paper, linked, monkeypatch):
    monkeypatch.setattr("pfcore.cli.upload_bundle.compiled_at_home", lambda *_: None)
    status, err = bundled(run)
    assert status == 3
    assert "package xr reads the labels of supplement.tex, which could not be made here" in err
    assert not (paper / "out.tar.gz").exists()


def test_one_of_two_goes_alone_and_what_is_no_main_file_is_refused(run, paper, two):
    assert bundled(run, "--root", "supplement.tex")[0] == 0
    assert "main.tex" not in contents(paper)
    status, err = bundled(run, "--root", "macros.tex", "--force")
    assert status == 2
    assert "macros.tex is not the main file of a paper; expected one of: main.tex" in err


def test_main_files_that_cannot_be_made_together_are_refused(run, paper, two, commit, document):
    commit({"00README.json": '{"sources": [{"filename": "main.tex"}]}'})
    both = ("--root", "main.tex", "--root", "supplement.tex")
    status, err = bundled(run, *both)
    assert (status, "does not name supplement.tex" in err) == (3, True)
    text = document(LEMMA % ("s", "S", "Q."))
    commit({"00README.json": "", "supplement.tex": "% !TEX program = xelatex\n" + text})
    status, err = bundled(run, *both)
    assert (status, "main.tex needs pdflatex and supplement.tex needs xelatex" in err) == (3, True)
    assert not (paper / "out.tar.gz").exists()


@needs_tex
def test_a_paper_that_lacks_a_package_here_has_its_bbl_all_the_same(run, paper, commit, document):
    body = LEMMA % ("a", "A", "By \\cite{gauss}.") + "\\input{more}"
    head = "\\usepackage{pf-nowhere-installed}\n\\begin{document}"
    more = "\\cite{euler}\\bibliographystyle{plain}\\bibliography{refs}"
    entry = "@book{%s, author={A. B. %s}, title={T}, publisher={P}, year={1801}}\n"
    commit(
        {
            "main.tex": document(body).replace("\\begin{document}", head),
            "more.tex": more,
            "refs.bib": "".join(
                entry % (name, name) for name in ("euler", "gauss", "other", "gauss")
            ),
            "pf-nowhere-installed.ins": "makes the package",
        }
    )
    status, err = bundled(run)
    assert status == 0, err
    assert "main.bbl was made by bibtex" in err
    found = contents(paper)
    assert "refs.bib" not in found
    assert "left out: pf-nowhere-installed.ins, refs.bib" in err
    assert "\\bibitem{euler}" in found["main.bbl"]
    assert "\\bibitem{gauss}" in found["main.bbl"]
    assert "other" not in found["main.bbl"]
    (paper / "out.tar.gz").unlink()
    commit({"more.tex": more + "\\cite{nobody}\\nocite{*}"})
    run("dismiss", "--rule", "undefined-citation", "--reason", "later")
    commit({})
    status, err = bundled(run, "--force")
    assert status == 0, err
    assert "other" in contents(paper)["main.bbl"]


@needs_tex
def test_main_files_of_different_folders_go_into_one_with_what_they_read(
    run, paper, commit, document
):
    start, head = "\\begin{document}", "\\usepackage{graphicx,own}%s\n\\begin{document}"
    body = LEMMA + "\\input{part}\\includegraphics{fig/x}\\includegraphics{%s}"
    one = document(body % ("a", "A", "P.", "b/only")).replace(start, head % "")
    two = document(body % ("s", "S", "Q.", "../b/only")).replace(start, head % "")
    figures = {"a/fig/x.png": png(99), "si/fig/x.png": png(50), "a/b/only.png": png(9)}
    commit(
        {
            "a/main.tex": one,
            "si/main.tex": two.replace("../b", "../a/b"),
            "a/part.tex": "One.",
            "si/part.tex": "Two, and \\input{../common/shared}",
            "common/shared.tex": "shared.",
            "a/own.sty": "\\newcommand{\\own}{a}",
            "si/own.sty": "\\newcommand{\\own}{s}",
            **figures,
        }
    )
    status, err = bundled(run, "--root", "a/main.tex", "--root", "si/main.tex")
    assert status == 0, err
    found = contents(paper)
    own = {name for name in found if name.startswith("si")}
    assert own == {"si-main.tex", "si/part.tex", "si/own.sty", "si/fig/x.png"}
    assert {"main.tex", "part.tex", "own.sty", "fig/x.png", "b/only.png", "common/shared.tex"} <= {
        *found
    }
    assert (
        "\\input{si/part}\\includegraphics{si/fig/x}\\includegraphics{b/only}"
        in found["si-main.tex"]
    )
    assert "\\usepackage{graphicx,si/own}" in found["si-main.tex"]
    assert "\\input{common/shared}" in found["si/part.tex"]
    assert "\\input{part}\\includegraphics{fig/x}\\includegraphics{b/only}" in found["main.tex"]
    assert err.count("identical to the source's") == 2
    sources = json.loads(found["00README.json"])["sources"]
    assert [item["filename"] for item in sources] == ["main.tex", "si-main.tex"]


@needs_tex
def test_a_figure_behind_a_folder_that_is_not_there_is_called_without_it(
    run, paper, commit, document
):
    head = "\\usepackage{graphicx}\n\\begin{document}"
    body = LEMMA % ("a", "A", "P.") + "\\includegraphics{old/../img/x}"
    text = document(body).replace("\\begin{document}", head)
    commit({"main.tex": text, "img/x.png": png(99)})
    status, err = bundled(run)
    assert status == 0, err
    assert "\\includegraphics{img/x}" in contents(paper)["main.tex"]
    assert "rewritten: main.tex: old/../img/x is now img/x" in err


def test_the_size_is_told_and_files_that_are_large(run, paper, commit, document, monkeypatch):
    body = LEMMA % ("a", "A", "P.") + "\\includegraphics{a}\\includegraphics{b}"
    commit({"main.tex": document(body), "a.png": b"x" * 2_000, "b.png": b"y" * 3_000})
    monkeypatch.setattr("pfcore.cli.upload_bundle._HEAVY", 2_500)
    status, err = bundled(run)
    assert status == 0, err
    assert "0.0 MB unpacked; arXiv's limit is about 50 MB" in err
    assert "large files: b.png (0.0 MB)" in err
    upload = json.loads((paper / "pf-gate/result.json").read_text())["gate"]["upload"]
    assert upload["large_files"] == ["b.png"]
    assert 5_000 < upload["bytes"] < 10_000
    monkeypatch.setattr("pfcore.reporters.gate_report._ARXIV_TAKES", 4_000)
    assert "more than arXiv's limit of about 0 MB" in bundled(run, "--force")[1]


def test_which_compiler_was_chosen_and_why_is_said_and_recorded(run, paper, commit, document):
    body = LEMMA % ("a", "A", "P.") + "\\includegraphics{a}"
    commit(
        {"main.tex": document(body), "a.eps": "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"}
    )
    status, err = bundled(run)
    assert status == 0, err
    words = "compiler set for arXiv: latex, then dvips (a.eps is PostScript, which pdfLaTeX does"
    assert words in err
    assert words.replace("(", "(") in record_of(paper)
    assert json.loads(contents(paper)["00README.json"])["process"] == {"compiler": "latex"}


@pytest.fixture
def rivals(commit, document):
    """One body under two main files, and a talk that is never meant."""
    body = "\\begin{document}" + LEMMA % ("a", "A is positive", "P.") + "\\end{document}\n"
    head = document("").partition("\\begin{document}")[0]
    talk = head.replace("article", "beamer") + "\\begin{document}A talk.\\end{document}\n"
    files = {"body.tex": body, "main.tex": head + "\\input{body}\n", "talk.tex": talk}
    commit(files | {"arxiv.tex": head + "\\usepackage{url}\n\\input{body}\n"})


def test_of_two_main_files_with_one_body_the_named_one_is_judged_and_the_other_said(
    run, paper, rivals
):
    status, err = bundled(run, "--root", "arxiv.tex")
    assert status == 0, err
    assert sorted(contents(paper)) == ["00README.json", "arxiv.tex", "body.tex"]
    said = "main.tex (shares body.tex with arxiv.tex)"
    assert f"other main files, not judged: {said}. To choose one: " in err
    assert f"- Not judged: {said}\n" in record_of(paper)
    (one,) = json.loads((paper / "pf-gate/result.json").read_text())["gate"]["papers"]
    assert one["name"] == "arxiv.tex"


def test_what_the_gate_of_a_named_main_file_says_to_run_runs(run, paper, commit, rivals, document):
    lemma = "\\begin{lemma}\\label{a} A. \\end{lemma}"
    commit({"body.tex": f"\\begin{{document}}{lemma}\\end{{document}}\n"})
    status, out, _ = run("gate", "--allow-unread", "--root", "arxiv.tex")
    assert status == 1
    name = finding_id("no-proof", "", "a")
    assert f"pf dismiss {name} --paper arxiv.tex --reason '…'" in " ".join(out.split())
    said = (name, "--paper", "arxiv.tex", "--reason", "Known.")
    status, _, err = run("dismiss", *said)
    assert status == 0, err
    commit({})
    assert run("gate", "--allow-unread", "--root", "arxiv.tex")[0] == 0


def test_where_none_of_two_is_named_the_one_that_is_left_out_is_said(run, paper, rivals):
    status, err = bundled(run)
    assert status == 0, err
    assert "arxiv.tex (same results as main.tex). To choose one: " in err
    assert f"{pf_command()} gate --allow-unread --root arxiv.tex" in err
    assert "- Not judged: arxiv.tex (same results as main.tex)\n" in record_of(paper)
    assert "main.tex" in contents(paper)


def test_a_broken_file_of_another_main_file_stands_against_none_that_is_named(
    run, paper, commit, rivals
):
    commit({"sub/other.tex": b"\\documentclass{article}\0\0"})
    assert run("gate", "--allow-unread")[0] == 3
    assert run("gate", "--allow-unread", "--root", "main.tex")[0] == 0


def test_the_own_readme_of_a_paper_sets_the_compiler_and_what_became_of_it_is_said(
    run, paper, commit
):
    commit({"00readme.json": '{"process": {"compiler": "latex"}, "nohyperref": true}'})
    status, err = bundled(run)
    assert status == 0, err
    said = json.loads(contents(paper)["00README.json"])
    assert (said["process"], said["nohyperref"]) == ({"compiler": "latex"}, True)
    assert "00readme.json" not in contents(paper)
    assert "compiler set for arXiv: latex, then dvips (set in 00README.json)" in err
    words = "00README.json is the paper's own; added: spec_version 1, main file main.tex"
    assert words in err
    assert words.replace("_", "\\_") in record_of(paper)


def test_the_size_that_an_upload_would_have_is_told_before_one_is_asked_for(
    run, paper, commit, document, monkeypatch
):
    body = LEMMA % ("a", "A", "P.") + "\\includegraphics{a}"
    commit({"main.tex": document(body), "a.png": b"x" * 3_000, "unused.png": b"y" * 9_000})
    assert "unpacked" not in run("gate", "--allow-unread")[2]
    monkeypatch.setattr("pfcore.reporters.gate_report._ARXIV_TAKES", 4_500)
    assert "unpacked" not in run("gate", "--allow-unread")[2]
    monkeypatch.setattr("pfcore.reporters.gate_report._ARXIV_TAKES", 3_000)
    monkeypatch.setattr("pfcore.cli.upload_bundle._HEAVY", 2_500)
    err = run("gate", "--allow-unread")[2]
    words = "a bundle would be 0.0 MB unpacked: more than arXiv's limit of about 0 MB"
    assert f"pf: {words}; large files: a.png (0.0 MB)\n" in err
    assert f"- {words}; large files: a.png (0.0 MB)\n" in record_of(paper)
    commit({"main.pf": "<THEOREM_STATEMENT>\nA.\n</THEOREM_STATEMENT>\n"})
    assert "unpacked" not in run("gate", "--allow-unread", "--paper", "main")[2]


def test_a_part_that_nothing_reads_in_stays_at_home_and_stops_no_upload(
    run, paper, commit, document
):
    part = "\\documentclass[./main.tex]{subfiles}\n\\begin{document}%s\\end{document}\n"
    body = LEMMA % ("a", "A", "Clear.") + "\\subfile{read}\n% \\subfile{idea}\n"
    files = {"main.tex": document(body, preamble="\\usepackage{subfiles}")}
    commit({**files, "read.tex": part % "Words.", "idea.tex": part % "TODO: an idea."})
    status, err = bundled(run)
    assert status == 0, err
    assert sorted(contents(paper)) == ["00README.json", "main.tex", "read.tex"]
    commit({"read.tex": part % "TODO: more."})
    assert run("gate", "--allow-unread")[0] == 1
