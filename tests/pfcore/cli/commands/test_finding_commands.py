"""`pf explain` and `pf recheck`: one finding, one module."""

import json
import re

import pytest

from pfcore.cli.exit_status import pf_command
from pfcore.domain.findings import finding_id
from tests.conftest import git
from tests.pfcore.cli.conftest import ACCEPT

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUOTE = "Dividing by $x$"


@pytest.fixture
def name(run, paper, edit, referee):
    """The id of an objection."""
    edit("Clear.", f"{QUOTE} it is clear.")
    referee.objects_to(QUOTE)
    _, out, _ = run("check", "--model", "m", "--format", "json")
    return json.loads(out)["findings"][0]["id"]


def test_a_finding_is_explained_with_what_the_readers_saw(run, paper, name):
    status, out, _ = run("explain", name, "--model", "m")
    assert status == 0
    assert "Take 0." in out
    assert "What the readers saw:" in out
    assert f"Proof. {QUOTE} it is clear." in out
    assert f"New since {git(paper, 'rev-parse', 'HEAD')[:12]}." in out
    assert f"pf dismiss {name}" in out


def test_an_unknown_finding_is_wrong_usage(run, name):
    status, _, err = run("explain", "zzzzzzzz", "--model", "m")
    assert status == 2
    assert "unknown finding 'zzzzzzzz' (fixed, or from another version); " in err
    _, _, err = run("explain", "bb")
    assert (
        "unknown finding 'bb'; pf check --notes lists all findings, pf numbers all results" in err
    )


def test_a_finding_of_a_check_can_be_explained(run, paper, edit):
    edit(r"\ref{a}", r"\ref{nothing}")
    _, out, _ = run("check", "--format", "json")
    name = json.loads(out)["findings"][0]["id"]
    status, out, _ = run("explain", name)
    assert status == 0
    assert "dangling-reference" in out
    assert "undefined label nothing" in out
    assert "Fix it:" in out


def test_explain_says_with_which_version_a_finding_was_compared_as_check_has_done(
    run, paper, edit, repository
):
    def found() -> tuple[str, bool, str]:
        (one,) = json.loads(run("check", "--format", "json")[1])["findings"]
        return one["id"], one["introduced"], git(paper, "rev-parse", "HEAD")[:12]

    edit(r"\ref{a}", r"\ref{nothing}")
    name, is_new, base = found()
    assert is_new
    assert f"New since {base}." in run("explain", name)[1]
    repository({"main.tex": (paper / "main.tex").read_text()})
    edit("Clear.", "Plain.")
    name, is_new, base = found()
    assert not is_new
    assert f"Older: {base} has it too." in run("explain", name)[1]
    assert "New since HEAD~1." in run("explain", name, "--base", "HEAD~1")[1]
    told = run("explain", name, "--all")[1]
    assert "New since" not in told
    assert "Older" not in told


def test_a_recheck_rolls_again_and_counts_from_then_on(run, name, referee):
    referee.say = lambda stage, text: ACCEPT
    count = len(referee.asked)
    assert run("check", "--model", "m")[0] == 1
    assert len(referee.asked) == count
    status, _, _ = run("recheck", "a", "--model", "m")
    assert status == 0
    assert len(referee.asked) == count + 3
    assert run("check", "--model", "m")[0] == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("recheck", "a"), "needs --model NAME"),
        (("recheck", "zzz", "--model", "m"), "unknown result 'zzz'"),
    ],
)
def test_what_cannot_be_rechecked_is_wrong_usage(run, name, argv, words):
    status, _, err = run(*argv)
    assert status == 2
    assert words in err


OPEN = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n"


@pytest.fixture
def unproved(repository, document, paper):
    """A paper of 120 results that nothing proves, under git: more than are shown of one check."""
    body = "\\section{One}\n" + "".join(OPEN % (f"l{n}", f"Fact {n}") for n in range(120))
    return repository({"main.tex": document(body + "\\section{Two}\n" + OPEN % ("z", "Last"))})


def test_one_answer_is_enough_for_all_results_without_a_proof(run, paper, unproved):
    assert run("gate", "--allow-unread")[0] == 1
    status, out, err = run("dismiss", "--rule", "no-proof", "--reason", "folklore", "--who", "Ada")
    assert status == 0, err
    assert "121 findings of no-proof answered in pf.lock: folklore" in out
    assert run("gate", "--allow-unread")[0] == 1  # the gate judges what is committed
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0, out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "- 121 answers, all of them in bulk" in told
    assert "\n\n121 of 121 results have an answer from the authors instead of a proof.\n\n" in told
    name, commit = git(paper, "log", "-1", "--format=%an %h", "--abbrev=7").rsplit(" ", 1)
    by = f"by Ada (committed by {name}, commit {commit})"
    words = f"Answered in bulk in pf.lock {by}, 121 findings of no-proof: folklore. At `main.tex`"
    assert f"{words} (lines 9, 10, 11, 12, 13 and 116 more)" in told


def test_one_answer_is_enough_for_a_conjecture_too_on_which_a_result_depends_silently(
    run, paper, repository, document
):
    body = "\\newtheorem{conjecture}{Conjecture}\n" + "".join(
        f"\\begin{{conjecture}}\\label{{{label}}} Open {label}.\\end{{conjecture}}\n"
        for label in ("used", "unused")
    )
    proof = "\\begin{proof} By Conjecture \\ref{used}.\\end{proof}\n"
    repository({"main.tex": document(body + OPEN % ("a", "A") + proof + OPEN % ("b", "B"))})
    status, out, _ = run("gate", "--allow-unread")
    assert (status, "1 result depends on an open result" in out) == (1, True)
    status, out, _ = run("dismiss", "--rule", "no-proof", "--reason", "assumed throughout")
    assert "2 findings of no-proof answered" in out
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0, out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "2 findings of no-proof: assumed throughout. At `main.tex` (lines 9, 13)" in told
    assert "1 of 2 results have an answer" in told


def test_where_git_ignores_the_ledger_it_is_said_how_it_is_added(run, paper, unproved):
    (paper / ".gitignore").write_text("*.lock\n")
    status, out, err = run("dismiss", "--rule", "no-proof", "--reason", "known")
    assert (status, err) == (0, "")
    assert out.endswith("git ignores pf.lock: add it with git add -f pf.lock\n")
    git(paper, "add", "-f", "pf.lock")
    assert "git ignores" not in run("dismiss", "--rule", "no-proof", "--reason", "new")[1]


def test_an_answer_stays_with_its_statement_and_one_to_another_statement_is_counted(
    run, paper, repository, document
):
    body = OPEN % ("z", "Last") + "\\begin{lemma} Nameless [insert citation here].\\end{lemma}\n"
    repository({"main.tex": document(body)})
    rules = ("--rule", "no-proof", "--rule", "placeholder")
    assert run("dismiss", *rules, "--reason", "folklore")[0] == 0
    place = paper / "main.tex"
    text = place.read_text()
    new = "\\begin{lemma} Another.\\end{lemma}\\begin{proof} Clear.\\end{proof}\n"
    place.write_text(text.replace("\\begin{lemma}\\label{z}", new + "\\begin{lemma}\\label{y}"))
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "another lemma before both, one with another label")
    status, out, _ = run("gate", "--allow-unread")
    assert (status, "no longer count" in out) == (0, False), out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "- 3 answers, 2 in bulk" in told
    assert "unfilled placeholder. At `main.tex:10" in told
    assert "; answered in pf.lock (committed by " in told
    place.write_text(place.read_text().replace("Nameless", "Renamed"))
    git(paper, "commit", "--quiet", "-am", "another statement")
    status, out, _ = run("gate", "--allow-unread")
    assert status == 1
    words = (
        "2 answers in pf.lock no longer count: their statements have changed, are read differently"
    )
    assert words in out.replace("\n", " ")
    assert words in (paper / "pf-gate/record.md").read_text(encoding="utf-8")


def test_an_answer_stays_where_pf_toml_tells_which_command_gives_labels(
    run, paper, repository, document
):
    body = "\\begin{lemma}\\mylabel{z} Last [insert citation here].\\end{lemma}\n"
    repository({"main.tex": document(body), "own.sty": "% of ours"})
    rules = ("--rule", "no-proof", "--rule", "placeholder")
    assert run("dismiss", *rules, "--reason", "folklore")[0] == 0
    (paper / "pf.toml").write_text('[latex]\nlabels = ["mylabel"]\n')
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "settings")
    assert json.loads(run("graph", "--format", "json")[1])["modules"][0]["id"] == "z"
    status, out, _ = run("gate", "--allow-unread")
    assert (status, "no longer count" in out) == (0, False), out


def test_an_answer_in_the_source_has_the_author_of_its_comment(run, paper, repository, document):
    repository({"main.tex": document("% pf: ignore[no-proof] folklore\n" + OPEN % ("z", "Last"))})
    assert run("gate", "--allow-unread")[0] == 0
    name = git(paper, "log", "-1", "--format=%an")
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert f"answered in the source (committed by {name}, commit " in told
    assert ": folklore" in told


def test_the_record_counts_of_bulk_answers_what_they_still_answer_and_says_where(
    run, repository, document, paper
):
    body = OPEN % ("a", "Fact a") + "\\input{two}\n"
    two = OPEN % ("b", "Fact b") + "\nThis is shown in [insert citation here].\n"
    repository({"main.tex": document(body), "two.tex": two + OPEN % ("c", "Fact c")})
    argv = ("dismiss", "--rule", "no-proof", "--rule", "placeholder", "--reason")
    assert run(*argv, "as is known")[0] == 0
    proof = "\\begin{proof} It is clear. \\end{proof}\n"
    text = (paper / "main.tex").read_text(encoding="utf-8")
    (paper / "main.tex").write_text(text.replace("\\input", f"{proof}\\input"), encoding="utf-8")
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered, and one proved")
    assert run("gate", "--allow-unread")[0] == 0
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "- 3 answers, 2 in bulk" in told
    assert "2 findings of no-proof: as is known. At `two.tex` (lines 1, 4)" in told
    assert re.search(r"unfilled placeholder\. At `two\.tex:3:\d+`; answered in pf\.lock", told)


def test_a_section_is_answered_alone_and_what_is_answered_is_not_answered_again(run, unproved):
    argv = ("dismiss", "--rule", "no-proof", "--reason", "folklore")
    assert "1 finding of no-proof" in run(*argv, "--section", "Two")[1]
    assert "120 findings of no-proof" in run(*argv)[1]
    status, _, err = run(*argv)
    assert status == 2
    assert "no unanswered finding of no-proof" in err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--rule", "aimed-text"), "aimed-text cannot be answered in bulk: text addressed"),
        (("--rule", "no-such"), "unknown check 'no-such'"),
        (
            ("--rule", "no-proof", "--file", "mian.tex"),
            "unknown file 'mian.tex'. Did you mean main.tex?",
        ),
        (
            ("--rule", "no-proof", "--file", "sections/zzz.tex"),
            "unknown file 'sections/zzz.tex'. Expected one of: main.tex",
        ),
        (
            ("--rule", "no-proof", "--section", "Three"),
            "unknown section 'Three'; expected one of: One",
        ),
        ((), "give a finding, or --rule CHECK"),
        (("abcdefgh", "--file", "main.tex"), "give a finding, or --rule CHECK"),
        (("a", "b", "--rule", "no-proof"), "not both"),
        (("abcdefgh", "--rule", "no-proof"), "give a finding or --rule, not both"),
    ],
)
def test_what_is_not_answered_in_bulk_is_wrong_usage(run, unproved, argv, words):
    status, _, err = run("dismiss", *argv, "--reason", "known")
    assert status == 2
    assert words in err


def test_with_a_rule_the_first_word_is_the_folder(run, paper, unproved):
    status, out, err = run("dismiss", ".", "--rule", "no-proof", "--reason", "folklore")
    assert (status, "121 findings" in out) == (0, True), err


def test_a_result_that_a_heading_says_to_prove_can_be_answered_too(
    run, repository, document, paper
):
    body = OPEN % ("a", "A") + "\\section{Proof of \\ref{a}}\nIt is clear.\n"
    repository({"main.tex": document(body)})
    assert run("gate")[0] == 3
    assert run("dismiss", "--rule", "no-proof", "--reason", "it stands in that section")[0] == 0
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    assert run("gate")[0] == 0


def test_a_result_that_nobody_has_read_is_explained_as_far_as_it_is_known(run, paper):
    status, out, _ = run("explain", "b")
    assert status == 0
    lines = out.splitlines()
    assert lines[:2] == ["b  Lemma 2", "status: not read yet"]
    assert "What a reader would see:" in lines
    assert "Proof. By Lemma 1." in out or "By" in out
    assert lines[-1] == f"What it depends on, and why: {pf_command()} plan --why b"


def test_what_is_not_read_is_explained_by_its_dependencies(run, paper, edit):
    edit(
        "\\end{document}",
        "\\begin{definition}\\label{d} A \\emph{cake}.\\end{definition}\\end{document}",
    )
    status, out, _ = run("explain", "d")
    assert (status, "would see" in out) == (0, False)
    assert out.splitlines()[-1].endswith(" plan --why d")


@pytest.mark.parametrize("what", [("zzzzzzzz",), ("--rule", "no-proof")])
@pytest.mark.parametrize("reason", [" ", "…", "...", " '…' ", "[...]", "x"])
def test_an_answer_without_a_reason_is_wrong_usage(run, paper, what, reason):
    status, _, err = run("dismiss", *what, "--reason", reason)
    assert (status, err) == (2, "pf: --reason has no words: say why this needs no change\n")


MARKED = "\\newtheorem{conjecture}{Conjecture}\n\\usepackage{showkeys}\n"


def test_each_id_that_the_gate_prints_can_be_answered_and_then_it_passes(
    run, paper, repository, document
):
    body = (
        OPEN % ("z", "Last")
        + "\\begin{conjecture}\\label{c} Open.\\end{conjecture}\n"
        + OPEN % ("d", "D")
        + "\\begin{proof} By Conjecture \\ref{c}.\\end{proof}\n"
        + OPEN % ("a", "A")
        + "\\begin{proof} By \\ref{gone}.\\end{proof}\n"
    )
    repository({"main.tex": document(body, preamble=MARKED)})
    status, out, _ = run("gate", "--allow-unread", "-v")
    ids = dict.fromkeys(re.findall(r"\((\w{8})\)", out))
    assert (status, len(ids)) == (1, 4), out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert set(ids) <= set(re.findall(r"finding `(\w{8})`", told))
    for name in ids:
        assert run("explain", name)[0] == 0
        status, out, err = run("dismiss", name, "--reason", f"for reason {name}")
        assert status == 0, err
        assert out.startswith(f"{name} is answered in pf.lock: ")
        assert out.endswith("commit this change: the gate judges only committed files\n")
        status, _, err = run("dismiss", name, "--reason", "again")
        assert status == 2
        assert f"{name} is already answered: for reason {name}" in err
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0, out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "bulk" not in told
    assert "- 4 answers\n" in told
    assert "\n- Lemma 1 has no proof or citation. At `main.tex:" in told
    assert "1 of 3 results have an answer from the authors instead of a proof." in told


def test_what_may_not_be_waved_through_is_refused_with_its_reason(run, paper, edit):
    edit("Clear.", "By \\ref{b}.")
    found = json.loads(run("check", "--all", "--format", "json")[1])["findings"]
    (name,) = (item["id"] for item in found if item["rule"] == "cycle")
    status, _, err = run("dismiss", name, "--reason", "an induction")
    assert status == 2
    assert "pf.lock cannot answer cycle: answer each circular argument separately, in the" in err
    assert f'at main.tex:9, write "% pf: ignore[{name}] reason"' in err


def test_bulk_answers_list_what_they_answer_and_skip_what_is_answered(run, paper, unproved):
    place = paper / "main.tex"
    text = place.read_text().replace("Fact 0.", "Fact 0. % pf: ignore[no-proof] folklore\n")
    place.write_text(text)
    name = finding_id("no-proof", "", "l1")
    assert run("dismiss", name, "--reason", "shown elsewhere")[0] == 0
    status, out, _ = run("dismiss", "--rule", "no-proof", "--reason", "folklore")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "119 findings of no-proof answered in pf.lock: folklore"
    assert lines[1] == "  main.tex:12 Lemma 3"
    assert lines[10:12] == ["  main.tex:21 Lemma 12", "  … and 109 more"]
    assert "shown elsewhere" in (paper / "pf.lock").read_text()


def test_a_note_about_many_findings_names_an_answer_that_counts(run, paper, edit):
    edit(r"\ref{a}", "".join(rf"\ref{{def:{number}}} " for number in range(7)))
    git(paper, "commit", "--quiet", "--all", "-m", "a change")
    found = json.loads(run("check", "--all", "--format", "json")[1])["findings"]
    (note,) = (item["id"] for item in found if item.get("alike"))
    status, _, err = run("dismiss", note, "--reason", "known")
    assert (status, "ignore[" in err) == (2, False)
    assert "this note is about 7 findings and does not fail the gate; " in err
    assert "gate -v lists those that fail the gate, with their ids" in err
    assert run("dismiss", "--rule", "dangling-reference", "--reason", "known")[0] == 0


def test_results_may_be_called_as_they_are_printed(run, paper, referee):
    for name in ("Lemma 2", "lemma  2", "2", "b"):
        assert "b  Lemma 2" in run("explain", name)[1]
        assert "b  Lemma 2" in run("plan", "--why", name)[1]
        assert run("recheck", name, "--model", "m")[0] == 0
    assert all("By " in text for _, text in referee.asked)


def test_a_name_that_several_results_have_lists_their_ids(run, paper, document):
    kinds = "\\newtheorem{claim}{Claim}\n\\newtheorem{fact}{Fact}\n"
    body = ""
    for kind, name in (("lemma", "a"), ("claim", "b"), ("fact", "c")):
        body += f"\\begin{{{kind}}}\\label{{{name}}} {name}.\\end{{{kind}}}\n"
        body += "\\begin{proof} Clear. \\end{proof}\n"
    (paper / "main.tex").write_text(document(body, preamble=kinds), encoding="utf-8")
    for command in (("explain", "1"), ("plan", "--why", "1"), ("recheck", "1", "--model=m")):
        status, out, err = run(*command)
        assert (status, out) == (2, ""), command
        assert "is ambiguous; choose one of: a, b, c" in err, command
