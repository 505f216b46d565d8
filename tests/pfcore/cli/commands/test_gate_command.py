"""`pf gate`: passes only what was read, says why not, writes into a folder of its own."""

import gzip
import json
import re
import shlex
import zipfile
from pathlib import Path

import jsonschema
import pytest

from pfcore.cli.commands import gate_command
from pfcore.cli.exit_status import pf_command
from pfcore.cli.main import main
from pfcore.domain.findings import finding_id
from pfcore.reporters.formats.catalogue import schema
from tests.conftest import git

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUOTE = "Dividing by $x$"
FILES = [".gitignore", "findings.sarif", "record.md", "report.html", "result.json"]


@pytest.fixture
def commit(paper):
    """Commit what is there."""

    def run():
        git(paper, "add", "--all")
        git(paper, "commit", "--quiet", "-m", "a change")
        return git(paper, "rev-parse", "HEAD")

    return run


def result(paper):
    return json.loads((paper / "pf-gate/result.json").read_text(encoding="utf-8"))


def test_a_model_reads_all_that_is_unread_and_the_paper_passes(run, paper, referee):
    status, out, err = run("gate", "--model", "m")
    assert status == 0, err
    assert "Gate passed." in out
    assert len(referee.asked) == 6
    assert sorted(path.name for path in (paper / "pf-gate").iterdir()) == FILES
    found = result(paper)
    assert found["gate"]["passed"] is True
    assert found["gate"]["commit"] == git(paper, "rev-parse", "HEAD")
    assert found["statuses"] == {"a": "checked", "b": "checked"}
    assert "\nProofs were read by m (not tested: pf doctor --model m).\n" in out
    assert "Proofs were read by m (not tested" in (paper / "pf-gate/record.md").read_text("utf-8")


def test_the_block_of_the_page_runs_as_it_stands(run, paper, referee):
    page = (Path(__file__).parents[4] / ".github/docs/submitting.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"arXiv\n\n```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    (paper / "main.tex").write_text((paper / "main.tex").read_text() + "% for arXiv\n")
    asked = []
    for line in lines:
        if line[0] == "git":
            git(paper, *line[1:])
        elif line[0] == "pf":
            asked.append((line, run(*line[1:])[0]))
    assert [status for _, status in asked] == [0, 0, 0, 0]
    assert len(referee.asked) == 6
    assert (paper / asked[-1][0][-1]).is_file()


def test_verdicts_that_pf_lock_lacks_are_counted_with_the_command_that_records_them(
    run, paper, referee
):
    _, _, err = run("gate", "--model", "m")
    said = "2 verdicts are not in pf.lock. To record them: "
    command = err.partition(said)[2].partition(", then commit pf.lock")[0]
    assert command == f"{pf_command()} check --all --model=m --update-lock"
    assert run(*shlex.split(command)[1:])[0] == 0
    assert "are not in pf.lock" in run("gate", "--model", "m")[2]  # it is not committed
    git(paper, "add", "pf.lock")
    git(paper, "commit", "--quiet", "-m", "verdicts")
    assert "are not in pf.lock" not in run("gate", "--model", "m")[2]
    assert run("gate")[0] == 0
    assert len(referee.asked) == 6


def test_a_second_gate_asks_nothing_and_writes_the_same(run, paper, referee):
    run("gate", "--model", "m")
    before = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert run("gate", "--model", "m")[0] == 0
    assert len(referee.asked) == 6
    assert (paper / "pf-gate/record.md").read_text(encoding="utf-8") == before


def test_without_a_model_unread_proofs_are_counted_and_named_with_what_to_run(run, paper):
    status, out, err = run("gate")
    assert status == 3
    words = "2 proofs to read: add --model NAME; to skip them"
    step = f"  1. {words}: {pf_command()} gate --allow-unread\n"
    assert f"{step}      main.tex:8 Lemma 1\n      main.tex:10 Lemma 2\n\n" in out
    assert out.endswith("\nGate failed.\n")
    assert "not read" not in out + err
    assert result(paper)["gate"]["passed"] is False


def test_one_screen_has_one_number_of_proofs_that_were_not_read(run, repository, document, paper):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    loose = "\\begin{proof}[Proof of the theorem of Gauss] Nothing is proved. \\end{proof}\n"
    repository({"main.tex": document(loose * 2 + lemma)})
    status, out, err = run("gate", "--allow-unread")
    assert status == 0, out
    assert "1 proof was not read  (not looked at: 2 unattached proofs)" in out
    assert out.endswith("\nGate passed; structure only.\n")
    assert (out + err).count("not read") == 1, out + err
    assert set(re.findall(r"(\d+) proofs? ", out + err)) == {"1"}
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "1 proof was not read" in told
    assert "### What was not looked at\n\n- 2 unattached proofs\n" in told


def test_no_output_calls_a_result_by_an_id_that_no_author_wrote(run, paper, edit, commit):
    edit("\\label{a}", "")
    edit("\\begin{proof} Clear. \\end{proof}", "")
    commit()
    status, out, _ = run("gate", "--allow-unread")
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert status == 1, out
    reasons = result(paper)["gate"]["papers"][0]["reasons"]
    (name,) = (item["finding"] for item in reasons if item["cause"] == "unproved")
    answer = f"{pf_command()} dismiss {name} --reason '…'"
    assert f"1. 1 result has no proof: prove or cite it, or answer: {answer}\n" in out, out
    assert f"\n      main.tex:8 Lemma 1 ({name})\n" in out
    assert "~" not in out + told


def test_what_typesets_the_formulas_of_reports_is_no_matter_of_the_gate(run, paper, monkeypatch):
    monkeypatch.setattr("pfcore.cli.commands.report_command.find_spec", lambda _: None)
    assert "formulas" not in run("gate", "--allow-unread")[2]
    assert "formulas are shown as LaTeX" in run("report")[2]


REPLY = "\\documentclass{article}\\begin{document}We thank the referee.\\end{document}\n"


def test_documents_without_results_are_left_out_and_that_is_said(run, paper, commit):
    (paper / "reply.tex").write_text(REPLY)
    commit()
    status, out, err = run("gate", "--allow-unread")
    assert status == 0, out
    words = "not judged, because no theorems were found there: reply.tex"
    command = f"{pf_command()} gate --allow-unread --paper reply.tex"
    assert f"{words}. To judge one: {command}\n" in err
    assert "Not judged: reply.tex" in (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert [item["name"] for item in result(paper)["gate"]["papers"]] == ["main.tex"]
    assert run("gate", "--allow-unread", "--paper", "reply.tex")[0] == 3
    assert run("gate", "--allow-unread", "--bundle", "out.tar.gz")[0] == 0


def test_a_document_without_results_that_is_meant_is_judged(run, paper, commit):
    (paper / "reply.tex").write_text(REPLY)
    both = '[[paper]]\nroot = "main.tex"\n[[paper]]\nroot = "reply.tex"\n'
    (paper / "pf.toml").write_text(both)
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 3
    assert "1 paper has no theorem: if theorems were not recognised, " in out
    (paper / "pf.toml").unlink()
    (paper / "main.tex").unlink()
    commit()
    assert run("gate", "--allow-unread")[0] == 3


def test_which_papers_there_are_is_said_where_several_do_not_pass(run, paper, commit):
    (paper / "other.tex").write_text((paper / "main.tex").read_text())
    text = (paper / "main.tex").read_text()
    (paper / "other.tex").write_text(text.replace("A is", "B is"))
    commit()
    _, _, err = run("gate")
    words = "2 papers were judged: main.tex, other.tex. To judge one"
    assert f"{words}: {pf_command()} gate --paper main.tex\n" in err


def test_unread_proofs_may_be_allowed_and_every_output_says_so(run, paper):
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0
    words = "structure only: 2 proofs were not read"
    assert words in out
    assert words in (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert result(paper)["gate"]["structure_only"] is True
    assert "not read" in result(paper)["read"]
    assert "not read" in (paper / "pf-gate/findings.sarif").read_text(encoding="utf-8")
    assert "not read" in (paper / "pf-gate/report.html").read_text(encoding="utf-8")


def test_a_ledger_of_the_commit_is_enough(run, paper, referee, commit):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    assert run("gate")[0] == 3
    commit()
    count = len(referee.asked)
    status, out, _ = run("gate")
    assert (status, len(referee.asked)) == (0, count)
    assert "passes" in out


def test_an_objection_does_not_pass_until_it_is_answered(run, paper, edit, referee, commit):
    edit("Clear.", f"{QUOTE} it is clear.")
    referee.objects_to(QUOTE)
    commit()
    status, out, _ = run("gate", "--model", "m")
    assert status == 1
    assert "1. 1 objection: correct the proof, or answer one by one: " in out
    assert "1 result depends only on results listed above, and will pass with them." in out
    (name,) = {r["finding"] for r in result(paper)["gate"]["papers"][0]["reasons"]} - {None}
    run("dismiss", name, "--reason", "x is positive", "--who", "Ada", "--model", "m", "--all")
    commit()
    status, out, _ = run("gate", "--model", "m")
    assert status == 0, out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert re.search(r"answered in the ledger \(committed by .+, commit \w{7}\): x is pos", told)
    assert "x is positive (Ada)" in told


def test_the_record_says_how_an_objection_is_answered_where_no_reply_is_known(
    run, paper, edit, referee, commit
):
    edit("Clear.", f"{QUOTE} it is clear.")
    referee.objects_to(QUOTE)
    commit()
    assert run("gate", "--model", "m")[0] == 1
    (name,) = {r["finding"] for r in result(paper)["gate"]["papers"][0]["reasons"]} - {None}
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    way = f"% pf: ignore[{name}] …"
    assert f"or answer one by one: `{way}`" in told and "pf dismiss" not in told
    edit(QUOTE, f"{way.replace('…', 'x is positive')}\n{QUOTE}")
    commit()
    assert run("gate", "--model", "m")[0] == 0


def test_what_is_not_committed_is_not_judged_and_that_is_said(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    _, _, err = run("gate", "--model", "m")
    assert "1 file differs from the judged commit" in err
    assert ": main.tex. Commit first" in err
    (paper / "main.tex").unlink()
    assert ": main.tex (deleted). Commit first" in run("gate", "--allow-unread")[2]
    assert not any("It is clear" in text for _, text in referee.asked)


def test_a_file_that_git_cannot_read_is_not_told_as_missing(run, paper, edit):
    edit("Clear.", "Clear, \\cite{a}.\\bibliography{refs}")
    (paper / "refs.bib").write_text("@book{a, author={A}, title={T}}\n")
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "a change")
    oid = git(paper, "rev-parse", "HEAD:refs.bib").strip()
    place = paper / ".git/objects" / oid[:2] / oid[2:]
    place.chmod(0o600)
    place.unlink()
    out = " ".join(run("gate", "--allow-unread", "-v")[1].split())
    words = f"git cannot read its content (object {oid[:8]}; see git fsck)"
    assert f"refs.bib is in the repository but was not read: {words}" in out
    status, out, _ = run("doctor")
    assert status == 2
    assert f"git cannot read refs.bib of the commit (object {oid[:8]})" in out


def test_a_clean_tree_and_a_named_revision_need_no_warning(run, paper, edit):
    assert "differ" not in run("gate")[2]
    edit("Clear.", "It is clear.")
    assert "differ" not in run("gate", "--head", "HEAD")[2]


def test_an_earlier_revision_is_judged_as_it_was(run, paper, edit, commit):
    first = git(paper, "rev-parse", "HEAD")
    edit(r"\ref{a}", r"\ref{nothing}")
    commit()
    assert run("gate", "--allow-unread")[0] == 1
    assert run("gate", "--allow-unread", "--head", first)[0] == 0


def test_in_ci_only_the_ledger_of_the_default_branch_counts(
    run, paper, referee, commit, monkeypatch
):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    git(paper, "switch", "--quiet", "--create", "topic")
    commit()
    assert run("gate")[0] == 0
    monkeypatch.setenv("CI", "true")
    status, out, _ = run("gate")
    assert status == 3
    words = "2 lines of pf.lock do not count: only those of the trusted revision do"
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert words in out
    assert words in told
    assert "those of main" in told
    assert run("gate", "--trust-lock", "topic")[0] == 0
    git(paper, "branch", "--quiet", "--delete", "--force", "main")
    assert run("gate")[0] == 3
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "none: no default branch is known" in told


def test_at_a_desk_another_ledger_can_be_named(run, paper, referee, commit):
    first = git(paper, "rev-parse", "HEAD")
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    commit()
    assert run("gate", "--trust-lock", first)[0] == 3
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert f"answers that count: those of {first[:12]}\n" in told


def test_a_gate_is_about_a_commit(run, tmp_path, monkeypatch):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/main.tex").write_text("x", encoding="utf-8")
    status, _, err = run("gate", str(tmp_path / "plain"))
    assert status == 2
    assert "the gate judges a commit" in err
    git(tmp_path, "init", "--quiet", "new")
    status, _, err = run("gate", str(tmp_path / "new"))
    assert (status, err) == (2, f"pf: no commit yet: {tmp_path}/new (the gate judges a commit)\n")
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    status, _, err = run("gate", str(tmp_path / "bare"))
    assert status == 2
    assert f"{tmp_path}/bare is a bare repository: run the gate in a clone" in err


def test_what_the_gate_writes_is_not_committed_with_everything_else(run, paper):
    run("gate", "--allow-unread")
    git(paper, "add", "--all")
    assert git(paper, "status", "--porcelain") == ""
    (paper / "pf-gate/.gitignore").unlink()  # who wants to commit it does so
    run("gate", "--allow-unread")
    assert "record.md" in git(paper, "status", "--porcelain", "--untracked-files=all")


def test_a_folder_that_somebody_else_fills_is_not_hidden_from_git(run, paper):
    (paper / "notes").mkdir()
    (paper / "notes/todo.txt").write_text("mine")
    run("gate", "--allow-unread", "--out", "notes")
    assert not (paper / "notes/.gitignore").exists()
    assert (paper / "notes/record.md").is_file()


def test_json_is_printed_where_it_is_wanted(run, paper):
    _, out, _ = run("gate", "--allow-unread", "--format", "json", "--out", "elsewhere")
    assert json.loads(out)["gate"]["passed"] is True
    assert (paper / "elsewhere/record.md").is_file()


def test_what_no_gate_has_written_is_not_overwritten(run, paper):
    (paper / "pf-gate").mkdir()
    (paper / "pf-gate/notes.txt").write_text("mine", encoding="utf-8")
    assert run("gate", "--allow-unread")[0] == 0
    (paper / "pf-gate/result.json").unlink()
    status, _, err = run("gate", "--allow-unread")
    assert status == 2
    assert "was not written by pf gate" in err
    assert (paper / "pf-gate/notes.txt").read_text(encoding="utf-8") == "mine"


def test_nothing_is_written_through_a_link_or_into_a_file(run, paper, tmp_path):
    (tmp_path / "other").mkdir()
    (paper / "pf-gate").symlink_to(tmp_path / "other")
    assert run("gate", "--allow-unread")[0] == 2
    (paper / "pf-gate").unlink()
    (paper / "pf-gate").write_text("mine", encoding="utf-8")
    assert run("gate", "--allow-unread")[0] == 2
    (paper / "pf-gate").unlink()
    (paper / "pf-gate").mkdir()
    (paper / "pf-gate/record.md").symlink_to(tmp_path / "other/record.md")
    assert run("gate", "--allow-unread")[0] == 2
    assert list((tmp_path / "other").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_no_pass(run, paper):
    status, _, err = run("gate", "--allow-unread", "--out", "main.tex/x")
    assert status == 3
    assert "cannot be written" in err


def test_the_record_says_what_was_read_and_what_it_means(run, paper, edit, referee, commit):
    edit("\\begin{lemma}\\label{b} B.", "\\begin{theorem}\\label{b} B.")
    text = (paper / "main.tex").read_text(encoding="utf-8")
    head, mark, tail = text.rpartition("\\end{lemma}")
    (paper / "main.tex").write_text(head + mark.replace("lemma", "theorem") + tail, "utf-8")
    (paper / "pf.toml").write_text(
        '[checks]\ndisable = ["two-proofs"]\nseverity = {no-proof = "warning"}\n', "utf-8"
    )
    head = commit()
    assert run("gate", "--model", "m")[0] == 0
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert told.startswith("# Gate passed\n")
    for words in (
        f"Commit: `{head}` of 2024-01-01\n",
        "2 results. 2 proofs were read.",
        "2 read without an objection, like everything they depend on",
        "2 proofs under contract `",
        "model m",
        "strictness standard",
        "3 readings of each proof; an objection needs 1 vote to count.",
        "Disabled checks: two-proofs.",
        "Severities set by the authors: no-proof is warning.",
        "Theorem 2, checked, depends on Lemma 1.",
        "those that the text names",
        "The absence of objections is not a proof",
        "SHA-256 over the paths and git objects of the sources that were judged: `",
    ):
        assert words in told, words


def test_the_digest_of_the_source_is_of_its_files_alone(run, paper, edit, commit):
    def digest():
        run("gate", "--allow-unread")
        return result(paper)["gate"]["papers"][0]["source_digest"]

    first = digest()
    (paper / "notes.txt").write_text("x", encoding="utf-8")
    commit()
    assert digest() == first
    edit("Clear.", "It is clear.")
    commit()
    assert digest() != first


def test_of_several_papers_each_has_to_pass_or_one_is_named(
    run, repository, document, tmp_path, monkeypatch
):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
    files = {
        "one/main.tex": document(lemma % "Clear."),
        "two/main.tex": document(lemma % r"By \ref{no}."),
        "pf.toml": '[[paper]]\nname="one"\nroot="one/main.tex"\n'
        '[[paper]]\nname="two"\nroot="two/main.tex"\n',
    }
    repository(files)
    monkeypatch.chdir(tmp_path / "paper")
    status, out, _ = run("gate", "--allow-unread")
    assert status == 1
    assert "one  passes" in out
    assert "two  does not pass" in out
    assert run("gate", "--allow-unread", "--paper", "one")[0] == 0
    assert result(Path())["gate"]["papers"][0]["name"] == "one"


def test_what_is_written_for_programs_keeps_to_the_published_schema(run, paper):
    run("gate", "--allow-unread")
    written = result(paper)
    published = jsonschema.Draft202012Validator(json.loads(schema("check")))
    assert [error.message for error in published.iter_errors(written)] == []
    assert list(published.iter_errors({**written, "papers": "one"}))


def test_a_paper_that_passes_is_told_what_writes_its_upload(run, paper, monkeypatch):
    status, _, err = run("gate", "--allow-unread")
    command = "gate --allow-unread --bundle arxiv.tar.gz"
    assert status == 0
    assert f"pf: to write the upload for arXiv: {pf_command()} {command}\n" in err
    assert "to write the upload" not in run("gate")[2]


def test_no_upload_is_offered_of_proofs_in_markup(capsys, repository, monkeypatch, tmp_path):
    repository(
        {
            "proof.pf": (Path(__file__).parents[3] / "data/one_theorem.pf").read_text(
                encoding="utf-8"
            )
        }
    )
    monkeypatch.chdir(tmp_path / "paper")
    assert main(["gate", "--allow-unread"]) == 0
    assert "--bundle" not in capsys.readouterr().err


def test_a_main_file_whose_name_begins_with_a_dash_is_named_so_that_it_can_be_pasted():
    assert gate_command._root_option("-rf.tex") == "--root=-rf.tex"
    assert gate_command._root_option("a b.tex") == "--root 'a b.tex'"


def test_the_command_that_writes_an_upload_names_no_file_that_exists(run, paper):
    said = "pf: to write the upload for arXiv: "
    for name in ("arxiv.tar.gz", "arxiv-2.tar.gz", "arxiv-3.tar.gz"):
        _, _, err = run("gate", "--allow-unread")
        command = err.partition(said)[2].partition("\n")[0]
        assert command.endswith(f" --bundle {name}")
        (paper / name).write_bytes(b"")


def test_of_papers_that_do_not_pass_the_one_with_most_results_is_proposed(
    run, repository, document, paper
):
    lemma = "\\begin{lemma} Fact %d.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
    sound = "".join(lemma % (n, "P.") for n in range(3))
    repository(
        {
            "main.tex": document(lemma % (7, r"By \ref{gone}.")),
            "second.tex": document(sound + lemma % (8, r"By \ref{gone}.")),
            "third.tex": document(sound + sound),
        }
    )
    _, _, err = run("gate", "--allow-unread")
    assert f"To judge one: {pf_command()} gate --allow-unread --paper second.tex\n" in err


def test_many_reasons_are_counted_and_all_of_them_written(run, repository, document, paper):
    lemma = "\\begin{lemma}\\label{l%d} Fact %d.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    repository({"main.tex": document("".join(lemma % (n, n) for n in range(50)))})
    _, out, err = run("gate")
    assert len((out + err).splitlines()) == 24
    assert len(re.findall(r"\n      main\.tex:\d+ Lemma \d+", out)) == 14
    assert re.search(r"\n      main\.tex:\d+ Lemma 14 …\n\nGate failed\.\n\Z", out)
    assert run("gate", "-v")[1].count("\n      main.tex:") == 50
    assert "1. 50 proofs to read: add --model NAME; to skip them:" in out
    assert len(result(paper)["gate"]["papers"][0]["reasons"]) == 50
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    unread = "Proofs not read (50; no model is set):\n\n- Lemma 1, 2, "
    assert unread in told and ", 49, 50 (50 in all)\n" in told
    assert "### Settings\n" in told
    assert "- 50 results. 50 proofs were not read.\n\n" in told
    assert "an objection needs" not in told


def test_the_record_has_each_reason_step_and_note_with_its_place(run, repository, document, paper):
    lemma = "\\begin{lemma} It holds for $n = %d$.\\end{lemma}\n\n"
    text = document("".join(lemma % number for number in range(44)) + "\\today\n" * 43)
    repository({"main.tex": text})
    assert run("gate")[0] == 1
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    lines = [at for at, line in enumerate(text.splitlines(), 1) if "begin{lemma}" in line]
    assert [at for at in lines if f"`main.tex:{at}`" not in told] == []
    notes = told.partition("### Notes")[2].partition("###")[0]
    assert notes.count("today") == 43
    assert " more\n" not in told


def test_the_numbers_of_the_record_agree(run, repository, document, paper):
    lemma = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n"
    proof = "\\begin{proof} %s \\end{proof}\n"
    body = lemma % ("a", "A \\emph{nice} $\\mathbb{R}$") + lemma % ("b", "B")
    body += "\\begin{theorem}[The \\emph{main} bound in $\\mathbb{R}^n$]\\label{m} M:\n"
    body += "\\begin{enumerate}\\item\\label{i} one, with \\ref{a};\\item two.\\end{enumerate}\n"
    body += "\\end{theorem}\n" + proof % "Clear."
    text = document(body)
    head = (
        ""
        if "{theorem}" in text.partition("\\begin{document}")[0]
        else "\\newtheorem{theorem}{Theorem}"
    )
    repository({"main.tex": text.replace("\\begin{document}", f"{head}\n\\begin{{document}}", 1)})
    run("dismiss", "--rule", "no-proof", "--reason", "folklore")
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answers")
    status, out, err = run("gate", "--allow-unread")
    assert status == 0, out + err
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    title = r"\(The main bound in ℝ\\\^n\), not read,"
    assert re.search(rf"Theorem \d {title} depends on Lemma 1\.", told)
    assert "which depends on 1 other result" in told
    assert "1 proof was not read." in told
    assert "without a reading of their proofs" not in told  # it is said once
    assert "- 2 without a proof in these files, so nothing to read" in told


def test_a_paper_without_results_is_told_how_it_gets_a_bundle(run, repository, document, paper):
    repository({"main.tex": document("Only words, and no theorem.")})
    status, out, _ = run("gate")
    assert status == 3
    told = " ".join(out.split())
    assert "if theorems were not recognised, name their environments in pf.toml" in told
    assert 'theorems = {NAME = "theorem"} under [latex]' in told
    assert "otherwise, nothing else is left to correct" in told
    assert f"{pf_command()} gate --bundle=arxiv.tar.gz --unpassed" in told
    assert "left to correct: rename arxiv-NOT-PASSED.tar.gz, which this command writes: " in told
    assert run("gate", "--bundle", "o.tar.gz", "--unpassed")[0] == 3
    assert (paper / "o-NOT-PASSED.tar.gz").is_file()


def test_a_bbl_that_git_ignores_is_said_not_to_be_in_the_bundle(run, repository, document, paper):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    repository({"main.tex": document(lemma), ".gitignore": "*.bbl\n"})
    (paper / "main.bbl").write_text("\\begin{thebibliography}{1}\\end{thebibliography}")
    _, _, err = run("gate", "--allow-unread", "--bundle", "o.tar.gz")
    words = "in the folder but not in the commit, so the bundle lacks it; to add it: git add"
    assert words in err
    assert words in (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "the bundle lacks it" not in run("gate", "--allow-unread")[2]


def test_the_record_names_what_may_rest_on_itself_what_is_cited_and_what_is_formal(
    run, repository, document, paper, referee
):
    lemma = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof}%s By %s. \\end{proof}\n"
    body = (
        lemma % ("a", "A", "", "the next lemma")
        + lemma % ("b", "B", "", "the previous lemma")
        + "\\newcommand{\\leanok}{}"
        + lemma % ("c", "C", "\\leanok", r"\cite[Theorem 2]{gauss} and a *bold* | guess")
        + "\\begin{theorem}[{\\cite[Satz 1]{noether}}]\\label{d} D.\\end{theorem}\n"
        + "\\begin{thebibliography}{9}\\bibitem{gauss} G.\\bibitem{noether} N."
        + "\\end{thebibliography}\n"
    )
    repository({"main.tex": document(body)})
    assert run("gate", "--model", "m")[0] == 0
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    for words in (
        "### Possible circular arguments (uncertain references)\n\n"
        "- Lemma 1, Lemma 2 depend on each other",
        "### Formal (claimed)\n\n- Lemma 3\n",
        "### Cited\n\n- Theorem 4",
        "noether",
    ):
        assert words in told, told


def test_a_ledger_that_does_not_say_how_it_asked_is_told_so(run, paper, referee, commit):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    lines = (paper / "pf.lock").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = "".join(line for line in lines if '"kind":"contract"' not in line)
    (paper / "pf.lock").write_text(kept, encoding="utf-8")
    commit()
    assert run("gate")[0] == 0
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "pf.lock has no record of its settings" in told


def test_what_an_upload_trips_over_stands_against_a_paper_until_it_is_answered(
    run, paper, edit, commit
):
    words = "It is clear. As an AI language model, I cannot say more [insert citation here]."
    edit("Clear.", words)
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 1
    assert "1 finding of model-debris: delete it" in out
    assert "1 finding of placeholder: fill it in or delete it" in out
    assert "main.tex:9 Lemma 1 (" in out
    argv = ("--rule", "model-debris", "--rule", "placeholder", "--reason", "quoted on purpose")
    assert run("dismiss", *argv)[0] == 0
    commit()
    assert run("gate", "--allow-unread")[0] == 0


def test_notes_for_an_upload_are_shown_and_recorded_and_do_not_count(run, paper, edit, commit):
    dates = " ".join(["\\today"] * 5)
    edit("Clear.", f"Clear. {dates}")
    edit("\\begin{document}", "\\usepackage{makeidx}\\makeindex\n\\begin{document}\\printindex")
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0
    _, *lines = out.partition("\nNotes (the gate does not count them): 6\n")
    assert len(re.findall("(?m)^      main.tex:", lines[1])) == 6
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    notes = told.partition("### Notes (the gate does not count them)\n")[2]
    notes = notes.partition("###")[0]
    assert notes.count("\n- ") == 6
    assert (
        "arXiv does not run makeindex; include the `.ind` or `.gls` file if it is printed" in notes
    )
    assert notes.count("changes whenever arXiv rebuilds the PDF; write the date: `main.tex:") == 5


def test_a_circle_that_may_be_an_induction_passes_and_is_shown_before_other_notes(
    run, paper, edit, commit
):
    edit("Clear.", r"By induction and Lemma~\ref{b}. \today")
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 0
    _, told = out.split("\nNotes (the gate does not count them): 2\n")
    assert re.match(r" +main\.tex:\d+:\d+ \(\w{8}\): these proofs use each other: ", told)


def test_a_warning_that_is_not_counted_is_shown_and_recorded(run, paper, edit, commit):
    edit("Clear.", "Clear.\\end{proof}\n\\begin{proof}Clear again.")
    (paper / "pf.toml").write_text('[checks.severity]\ntwo-proofs = "warning"\n')
    commit()
    status, out, _ = run("gate", "--allow-unread")
    heading = "Open warnings (the gate does not count them)"
    assert status == 0
    assert f"\n{heading}: 1\n" in out
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    assert "another proof" in told.partition(f"### {heading}\n")[2].partition("###")[0]


def zipped(place, files):
    with zipfile.ZipFile(place, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def test_an_archive_is_judged_without_git_in_a_folder_of_its_own(
    run, document, tmp_path, monkeypatch
):
    body = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} Clear. \\end{proof}\n"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    place = tmp_path / "1234.56789.zip"
    zipped(place, {"main.tex": document(body), "pf.lock": "{}", "pf.toml": "[checks]\n"})
    status, out, err = run("gate", "--source", str(place), "--allow-unread")
    assert status == 0, err
    assert "Gate passed; structure only" in out
    assert "ignored, because they come from the archive: pf.lock, pf.toml" in err
    told = (tmp_path / "pf-gate-1234.56789/record.md").read_text(encoding="utf-8")
    assert "- Archive: 1234.56789.zip, SHA-256 " in told
    assert "Commit:" not in told
    assert "none (an archive's own pf.lock does not count)" in told
    assert sorted(path.name for path in (tmp_path / "pf-gate-1234.56789").iterdir()) == FILES
    bundle = ("--bundle", "out.tar.gz")
    status, _, err = run("gate", "--source", str(place), "--allow-unread", *bundle)
    assert (status, (tmp_path / "out.tar.gz").is_file()) == (0, True), err
    assert "compiler set for arXiv: pdflatex; not compiled here" in err


def test_an_archive_that_is_refused_is_no_pass(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    zipped(tmp_path / "a.zip", {"../out.tex": "x"})
    status, _, err = run("gate", "--source", "a.zip")
    assert status == 3
    assert "a.zip is not read: the name ../out.tex leads out of the archive" in err
    assert run("gate", "--source", "gone.zip")[0] == 2
    status, _, err = run("gate", "--source", "a.zip", "--head", "HEAD")
    assert (status, "an archive has no revisions" in err) == (2, True)


def test_an_archive_without_latex_is_named_and_no_folder_of_ours(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    zipped(tmp_path / "a.zip", {"readme.txt": "x"})
    assert run("gate", "--source", "a.zip") == (3, "", "pf: a.zip: no LaTeX file found here\n")


def test_one_source_is_judged_as_an_archive_and_another_file_is_told_what_it_is(
    run, document, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    body = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} Clear. \\end{proof}\n"
    (tmp_path / "2401.01234").write_bytes(gzip.compress(document(body).encode()))
    assert run("gate", "--source", "2401.01234", "--allow-unread")[0] == 0
    (tmp_path / "paper.tar.gz").write_text("<!DOCTYPE html>\n<p>Not found</p>")
    status, _, err = run("gate", "--source", "paper.tar.gz", "--allow-unread")
    assert status == 3
    words = "paper.tar.gz is not read: it is an HTML page, perhaps from a failed download"
    assert f"pf: {words}: download it again\n" in err


def test_the_record_says_what_was_not_looked_at(run, paper, edit, commit):
    edit("Clear.", r"Clear by \ref{nowhere}. \input{gone}")
    commit()
    run("gate", "--allow-unread")
    record = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"### What was not looked at\n\n- (.*)", record)
    assert "gone (included at main.tex:" in listed and "1 unresolved reference" in listed


def test_what_the_paper_is_stands_above_the_verdict_and_in_the_record(
    run, repository, document, paper
):
    body = (
        "\\title{On Brown Graphs}\\maketitle\n"
        "\\begin{lemma}\\label{a} Fact.\\end{lemma}\\begin{proof} P. \\end{proof}\n"
        "\\begin{theorem}\\label{t} More.\\end{theorem}\\begin{proof} By \\ref{a}. \\end{proof}\n"
    )
    repository({"main.tex": document(body)})
    _, out, _ = run("gate")
    head, _, rest = out.partition("main.tex  does not pass")
    assert head.startswith("On Brown Graphs")
    assert "2 results, 1 dependency by citation." in head
    assert "Gate failed" in rest
    told = (paper / "pf-gate" / "record.md").read_text("utf-8")
    assert "Theorem with the most dependencies: Theorem 2" in told
    assert "## On Brown Graphs\n\n2 results, 1 dependency by citation." in told


def test_an_included_file_that_is_missing_is_a_problem_for_an_upload(run, paper, edit, commit):
    edit("\\end{document}", "\\include{chapter}\n\\end{document}")
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 1, out
    assert "1 finding of missing-file: add the file to the commit" in out


def test_a_reference_to_what_no_document_includes_is_a_problem_for_an_upload(
    run, paper, edit, commit
):
    edit("\\end{document}", "See Section~\\ref{away}.\n\\end{document}")
    (paper / "away.tex").write_text("\\section{Away}\\label{away}\n")
    commit()
    status, out, _ = run("gate", "--allow-unread")
    assert status == 1, out
    assert "1 finding of dangling-reference: define the label, or correct the reference\n" in out


def test_the_answer_that_is_printed_is_for_that_paper_alone(run, paper, edit, commit):
    edit("\\begin{proof} Clear. \\end{proof}", "")
    text = (paper / "main.tex").read_text()
    (paper / "other.tex").write_text(text.replace("Every A is positive", "Each C is negative"))
    commit()
    out = run("gate", "--allow-unread", "--paper", "main.tex")[1]
    (command,) = set(re.findall("pf (dismiss .*)", out))
    assert run(*shlex.split(command))[0] == 2  # it has no reason yet
    status, said, err = run(*shlex.split(command.replace("…", "folklore")))
    assert status == 0, err
    assert "is answered in pf.lock: main.tex:8 Lemma 1" in said
    commit()
    assert run("gate", "--allow-unread", "--paper", "main.tex")[0] == 0
    assert run("gate", "--allow-unread", "--paper", "other.tex")[0] == 1


def test_archives_of_one_name_do_not_overwrite_each_others_results(
    run, document, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    body = "\\begin{lemma}\\label{a} %s.\\end{lemma}\n\\begin{proof} Clear. \\end{proof}\n"
    names = ("a/paper.zip", "b/paper.zip", "2401.01234.zip", "2401.56789.zip")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        zipped(tmp_path / name, {"main.tex": document(body % name)})
    for _ in range(2):
        told = []
        for name in names:
            status, _, err = run("gate", "--source", name, "--allow-unread")
            assert status == 0, err
            told += re.findall(r"written: (\S+)/ \(findings.sarif", err)
        assert len(set(told)) == 4
        assert told[::2] == ["pf-gate-paper", "pf-gate-2401.01234"]
        assert re.fullmatch("pf-gate-paper-[0-9a-f]{8}", told[1])
    for name, folder in zip(names, told, strict=True):
        record = (tmp_path / folder / "record.md").read_text(encoding="utf-8")
        assert f"- Archive: {name.rpartition('/')[2]}, SHA-256 " in record
        found = json.loads((tmp_path / folder / "result.json").read_text(encoding="utf-8"))
        assert found["gate"]["archive"] in record


def test_the_report_of_the_gate_begins_with_its_verdict(run, paper, edit, commit):
    run("gate", "--allow-unread")
    page = (paper / "pf-gate/report.html").read_text(encoding="utf-8")
    head = page.partition("</header>")[0].partition("</h1>")[2]
    assert "<strong>Gate passed; structure only: 2 proofs were not read.</strong>" in head
    edit("Clear.", "Clear. TODO: all of it <b>")
    edit("\\end{document}", "\\begin{lemma} Bare. \\end{lemma}\n\\end{document}")
    commit()
    run("gate", "--allow-unread")
    page = (paper / "pf-gate/report.html").read_text(encoding="utf-8")
    head = page.partition("</header>")[0].partition("</h1>")[2]
    assert "<strong>Gate failed; structure only: 2 proofs were not read.</strong>" in head
    assert "<li>No proof or citation, or an omitted proof (1): main.tex:" in head
    assert "<li>Problems for an upload to arXiv (1): main.tex:9" in head


COMMAND = re.compile(rf"(?:{re.escape(pf_command())}|git) (?:gate|dismiss|-C|add)\b[^;\n]*")


@pytest.mark.acceptance
def test_each_command_that_the_gate_prints_runs_as_it_is_pasted(
    run, repository, document, paper, tmp_path, monkeypatch
):
    bare = "\\begin{lemma}\\label{%s} Fact %s.\\end{lemma}\nTODO: prove it\n"
    proved = "\\begin{lemma}\\label{p} C.\\end{lemma}\n\\begin{proof} Clear. \\end{proof}\n"
    cited = "By \\cite{gauss}.\\bibliographystyle{plain}\\bibliography{refs}\n"
    files = {
        "my paper.tex": document(bare % ("a", "A") + proved + cited),
        "second.tex": document(bare % ("b", "B")),
        "letter.tex": document("Dear all, nothing is stated here."),
        "refs.bib": "@article{gauss, author={C. F. Gauss}, title={D}, journal={J}, year={1801}}\n",
    }
    repository(files)
    (paper / "my paper.bbl").write_text("\\begin{thebibliography}{1}\\end{thebibliography}\n")
    monkeypatch.chdir(tmp_path)
    pasted: dict[str, int] = {}
    waiting = [f"{pf_command()} gate paper"]
    waiting += [f"{pf_command()} gate paper --paper 'my paper.tex' --bundle up.tar.gz"]
    while waiting:
        command = waiting.pop(0)
        if command in pasted:
            continue
        (tmp_path / "arxiv.tar.gz").unlink(missing_ok=True)  # which another command has written
        for words in command.split(" && "):
            name, *more = shlex.split(words.replace("…", "a reason of its own"))
            if name == "git":
                git(tmp_path, *more)
                status, out, err = 0, "", ""
            else:
                status, out, err = run(*more)
            pasted[command] = status
            is_done = "no unanswered finding" in err or "is already answered" in err  # before
            assert status in ((0, 1, 3) if "gate" in more else (0,)) or is_done, (command, err)
            waiting += COMMAND.findall(out) + COMMAND.findall(err)
            if "dismiss" in more and not is_done:
                git(paper, "add", "pf.lock")
                git(paper, "commit", "--quiet", "-m", "answers")
    verbs = {tuple(shlex.split(command))[:2] for command in pasted}
    assert {words[1] for words in verbs} == {"gate", "dismiss", "-C"}
    assert any("--allow-unread" in command for command in pasted)
    assert any("--paper letter.tex" in command for command in pasted)
    assert run("gate", "paper", "--paper", "my paper.tex", "--allow-unread")[0] == 0


def test_the_record_names_the_main_results_of_a_paper_without_theorems(
    run, repository, document, paper
):
    names = ("Proposition", "Corollary", "Lemma")
    head = "".join(f"\\newtheorem{{{name.lower()}x}}[lemma]{{{name}}}\n" for name in names)
    one = "\\begin{%sx}\\label{%s} It holds. \\end{%sx}\n\\begin{proof} %s \\end{proof}\n"
    told = {"lemma": "Clear.", "proposition": "By \\ref{lemma}.", "corollary": "By \\ref{lemma}."}
    body = "".join(one % (kind, kind, kind, proof) for kind, proof in told.items())
    repository({"main.tex": document(body, preamble=head)})
    run("gate", "--allow-unread")
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    depends = told.partition("### What the main results depend on\n\n")[2].partition("\n\n")[0]
    assert re.findall(r"^- (\w+) \d", depends, re.MULTILINE) == ["Proposition", "Corollary"]


def test_in_the_record_words_come_before_the_ids_of_checks_and_findings(run, paper, edit, commit):
    edit("Clear.", r"Clear by \ref{nowhere}.")
    edit("\\end{document}", "\\begin{lemma}\\label{z} Bare. \\end{lemma}\n\\end{document}")
    commit()
    run("gate", "--allow-unread")
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    reasons = told.partition("### Reasons\n\n")[2].partition("###")[0]
    assert "No proof or citation, or an omitted proof (1):\n\n- Lemma 3, `main.tex:" in reasons
    (line,) = re.findall("^- undefined label nowhere.*", reasons, re.MULTILINE)
    assert re.search(r": `main.tex:9` in Lemma 1 \(finding `\w{8}`\)$", line)
    assert "Reference to an undefined label (`dangling-reference`), 1:\n\n- undefined" in reasons
    assert not re.search(r"^- (?:\\\[|`)", reasons, re.MULTILINE)


def test_the_record_reads_as_a_document_of_titles_sentences_and_names(
    run, repository, document, paper
):
    lemma = "\\begin{lemma}%s\\label{l%d} Fact %d.\\end{lemma}\n"
    proof = "\\begin{proof} P. \\end{proof}\n"
    head = "\\newcommand{\\way}[1]{\\mathrm{W}#1}\\newcommand{\\mark}{~\\somelogo{x}}\n"
    titles = ("[From $\\way{1}$ to $\\way{2}$]", "[Known\\mark]")
    body = "".join(lemma % (title, n, n) for n, title in enumerate(titles))
    body += "".join(lemma % ("", n, n) + proof for n in range(2, 20))
    body += "TODO: say more. See \\ref{sec:a_b}. \\today\n"
    repository({"main.tex": document(body, preamble=head)})
    run("gate", "--allow-unread")
    told = (paper / "pf-gate/record.md").read_text(encoding="utf-8")
    one, two = (finding_id("no-proof", "", f"l{n}") for n in range(2))
    assert f"- Lemma 1 (From W1 to W2), `main.tex:9` (finding `{one}`)\n" in told
    assert f"- Lemma 2 (Known x), `main.tex:10` (finding `{two}`)\n" in told
    assert "- unfilled placeholder, `TODO`: `main.tex:" in told
    assert "- undefined label `sec:a_b`: `main.tex:" in told
    assert "`\\today` changes whenever" in told
    assert not re.search(r"\\\\(?:way|mark|somelogo)", told)
    assert told.count("not read") == 3, told  # the head, what was read, and the main results
    assert not re.search(r"\b0 \w", told)
    named = told.partition("### What the main results depend on\n\n")[2].partition("\n\n")[0]
    assert named.splitlines() == [
        "- Lemma 1 (From W1 to W2), Lemma 2 (Known x), without a proof here: no dependencies known",
        f"- Lemma {', '.join(map(str, range(3, 21)))} (18 in all), not read: "
        "no dependencies on other results found",
    ]


@pytest.mark.parametrize("after", range(6))
def test_a_full_disk_leaves_all_earlier_results_or_none(run, paper, edit, full_disk, after):
    out = paper / "pf-gate"
    assert run("gate", "--allow-unread")[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    edit("Clear.", "It is clear.")
    git(paper, "commit", "--quiet", "--all", "-m", "edited")
    full_disk(after)
    status, _, err = run("gate", "--allow-unread")
    left = {path.name: path.read_bytes() for path in out.iterdir()}
    if after < 5:
        assert (status, err) == (3, "pf: pf-gate cannot be written: No space left on device\n")
        assert left == before
    else:
        assert (status, left.keys()) == (0, before.keys())
        assert all(left[name] != before[name] for name in ("record.md", "result.json"))
