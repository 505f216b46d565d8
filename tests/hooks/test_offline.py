"""`pf-verify`: which commits it blocks, what it says, and which moments it compares."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hooks import offline
from pfcore.cli.exit_status import pf_command
from tests.hooks.conftest import git

BROKEN = (r"By \ref{a}", r"By \ref{c}")
ERROR = re.compile(
    r"^main\.tex:11:18: error \[dangling-reference [a-z2-7]{8}\] .*\bc\b", re.MULTILINE
)
QUIET = "main.tex: no new errors or warnings"
PASSED = f"{QUIET}\n"
OLDER = f"{QUIET}; older: 1 error ({pf_command()} check --all)\n"


def commit(message="a change"):
    git("commit", "--quiet", "--all", "--message", message)


def test_nothing_staged_is_nothing_to_say(paper, verify):
    assert verify() == (0, "", "")


def test_a_sound_change_passes(stage, verify):
    stage("P.", "Q.")
    assert verify() == (0, PASSED, "")


def test_an_error_that_the_commit_introduces_blocks_and_says_what_to_do(stage, verify):
    stage(*BROKEN)
    status, out, err = verify()
    assert (status, err) == (1, "")
    head, first, *rest = out.splitlines()
    assert head == "main.tex: 1 error"
    assert ERROR.match(first)
    (found,) = re.findall(r"\[dangling-reference (\w+)\]", first)
    assert rest[0].startswith('blocked by 1 finding: fix it, or write "% pf: ignore[ID]')
    assert rest[1:] == [f"run: {pf_command()} explain {found}"]


def test_several_errors_are_spoken_of_as_several(stage, verify):
    stage(r"By \ref{a}", r"By \ref{c} and \ref{d}")
    said = verify()[1].splitlines()[-2]
    assert said.startswith("blocked by 2 findings: fix them, or write ")
    assert said.endswith(" on their lines")


def test_what_it_proposes_to_run_runs_as_it_stands(stage, verify):
    stage(*BROKEN)
    line = verify()[1].splitlines()[-1].removeprefix("run: ")
    done = subprocess.run(line, shell=True, check=True, capture_output=True, text=True)
    assert "New since " in done.stdout


@pytest.mark.acceptance
@pytest.mark.parametrize("is_unstaged", [False, True])
def test_what_it_proposes_runs_after_all_was_committed_at_once_and_after_a_part(
    stage, verify, is_unstaged
):
    stage(*BROKEN)
    line = verify()[1].splitlines()[-1].removeprefix("run: ")
    if is_unstaged:
        git("reset", "--quiet")  # as git does where a hook has blocked a commit with -a
    else:
        Path("main.tex").write_text(f"{git('show', 'HEAD:main.tex')}\n", encoding="utf-8")
    done = subprocess.run(line, shell=True, check=True, capture_output=True, text=True)
    assert "New since " in done.stdout


def test_a_hook_names_pf_itself_only_where_the_user_has_it(tmp_path, monkeypatch):
    own = str(Path(sys.executable).parent)
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PATH", own)
    monkeypatch.setenv("HOME", "/elsewhere")
    assert pf_command() == f"{own}/pf"
    monkeypatch.setenv("HOME", str(Path(own).parent))
    assert pf_command() == f"~/{Path(own).name}/pf"
    for name in ("pf", "pf-verify"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{own}:{tmp_path}")
    assert pf_command() == "pf"
    (tmp_path / "pf-verify").unlink()
    assert pf_command() == f"~/{Path(own).name}/pf"


def test_an_older_error_does_not_block_and_is_counted(stage, verify):
    stage(*BROKEN)
    commit()
    stage("P.", "Q.")
    assert verify()[:2] == (0, OLDER)


def test_an_unfinished_draft_passes_and_is_a_note(stage, verify):
    stage(r"\end{document}", r"\begin{lemma}\label{n} N.\end{lemma}" "\n\\end{document}")
    assert verify()[:2] == (0, PASSED)
    status, out, _ = verify("--notes")
    assert status == 0
    assert re.match(r"main\.tex:13:1: note \[no-proof \w{8}\] ", out.splitlines()[1])


def test_a_proof_that_is_lost_is_told_and_passes(stage, verify):
    stage(r"\begin{proof} P. \end{proof}", "")
    status, out, _ = verify()
    head, line = out.splitlines()
    assert (status, head) == (0, "main.tex: 1 warning")
    assert re.fullmatch(
        r"main\.tex:8:1: warning \[lost-proof \w{8}\] Lemma 1 has lost its proof", line
    )


@pytest.fixture
def thesis(repository, document, tmp_path, monkeypatch):
    """Two documents that share a chapter, and have others of their own; and one of no result."""
    chapter = r"\begin{lemma}\label{a} A.\end{lemma}\begin{proof} P. \end{proof}"
    files = {
        "one.tex": document("One. \\input{a}\\input{c}"),
        "two.tex": document("Two. \\input{a}\\input{b}"),
        "a.tex": chapter,
        "b.tex": chapter.replace("{a}", "{b}").replace("A", "B"),
        "c.tex": chapter.replace("{a}", "{c}").replace("A", "C"),
        "talk.tex": document("Words."),
    }
    repository(files)
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def _append(place, words):
    place.write_text(place.read_text() + words)
    git("add", place.name)


def test_what_several_documents_share_is_told_once(thesis, verify):
    _append(thesis / "a.tex", r" By \ref{no}.")
    status, out, _ = verify()
    head, line, answer, _ = out.splitlines()
    assert (status, head) == (1, "one.tex and two.tex: 1 error")
    assert line.startswith("a.tex:1:")
    assert answer.startswith("blocked by 1 finding: ")


def test_a_number_that_documents_do_not_share_is_said_to_be_that_of_the_first(thesis, verify):
    _append(thesis / "a.tex", r"\begin{lemma}\label{d} By \ref{a}.\end{lemma}")
    place = thesis / "two.tex"
    place.write_text(place.read_text().replace("Two.", r"Two. \begin{lemma} D. \end{lemma}"))
    git("add", "two.tex")
    commit()
    place = thesis / "a.tex"
    place.write_text(place.read_text().replace(r"\begin{proof} P. \end{proof}", ""))
    git("add", "a.tex")
    head, line = verify()[1].splitlines()
    assert head == "one.tex and two.tex: 1 warning"
    assert line.endswith("Lemma 1 has lost its proof (as numbered in one.tex)")


def test_what_one_of_them_has_alone_is_told_of_it(thesis, verify):
    _append(thesis / "a.tex", r" By \ref{no}.")
    _append(thesis / "b.tex", r" By \ref{nor}.")
    lines = verify()[1].splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "one.tex and two.tex", "a.tex", "two.tex", "b.tex"]  # fmt: skip
    assert lines[2] == "two.tex: 1 error"
    assert lines[4].startswith("blocked by 2 findings: ")


def test_what_is_quiet_in_several_documents_is_one_line(thesis, verify):
    _append(thesis / "a.tex", " Words.")
    _append(thesis / "talk.tex", "% Words.")
    assert verify()[:2] == (0, "one.tex and two.tex: no new errors or warnings\n")


def test_older_errors_of_several_documents_are_counted_by_their_places(thesis, verify):
    _append(thesis / "a.tex", r" By \ref{no}.")
    commit()
    _append(thesis / "b.tex", r" By \ref{nor}.")
    assert verify()[1].splitlines()[2] == f"older: 1 error ({pf_command()} check --all)"


def test_where_pf_is_hidden_it_says_how_to_fix_what_blocks(stage, verify, monkeypatch):
    own = str(Path(sys.executable).parent)
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PATH", f"{own}:/usr/bin:/bin")
    stage(*BROKEN)
    assert verify()[1].splitlines()[-1].startswith("dangling-reference: Correct the key")
    commit()
    stage("P.", "Q.")
    hint = "older: 1 error (pre-commit run pf-verify --all-files)"
    assert verify()[1] == f"{QUIET}; {hint}\n"


def test_a_circle_that_a_commit_closes_is_told_also_where_it_may_be_an_induction(stage, verify):
    stage("P.", r"By induction and Lemma~\ref{b}.")
    status, out, _ = verify()
    head, note = out.splitlines()
    assert (status, head) == (0, f"{QUIET}, 1 note")
    assert re.match(r"main\.tex:\d+:\d+: note \[cycle \w{8}\] these proofs use each other: ", note)
    commit()
    stage("By induction", "By a new induction")
    assert verify()[:2] == (0, PASSED)


def test_a_warning_is_shown_and_passes(stage, verify):
    stage("A.", "A always.")
    status, out, _ = verify()
    assert status == 0
    assert re.match(
        r"main\.tex:\d+:\d+: warning \[statement-changed \w{8}\] Lemma 1 now says something else",
        out.splitlines()[1],
    )
    assert "blocks" not in out


def test_the_threshold_of_the_paper_counts(stage, verify, paper):
    (paper / "pf.toml").write_text('[checks]\nthreshold = "warning"\n')
    git("add", "pf.toml")
    stage("A.", "A always.")
    assert verify()[0] == 1


def test_a_note_that_blocks_is_shown(stage, verify, paper):
    (paper / "pf.toml").write_text('[checks]\nthreshold = "note"\n')
    git("add", "pf.toml")
    end = "\\end{document}"
    stage(end, f"\\begin{{lemma}} So it is.\\end{{lemma}}\n{end}")
    status, out, _ = verify()
    assert status == 1 and "note [no-proof " in out and "blocked by 1 finding: " in out


def test_an_answer_in_the_source_lets_it_pass(stage, verify):
    stage(*BROKEN)
    stage(r"By \ref{c}.", "By \\ref{c}. % pf: ignore[dangling-reference] comes later\n")
    assert verify()[0] == 0


def test_the_index_counts_and_not_the_file_on_disk(stage, verify, paper):
    stage(*BROKEN)
    text = (paper / "main.tex").read_text()
    (paper / "main.tex").write_text(text.replace(r"\ref{c}", r"\ref{a}"))
    assert verify()[0] == 1
    git("add", "main.tex")
    (paper / "main.tex").write_text(text)
    assert verify() == (0, "", "")


def test_an_error_in_a_part_that_is_not_staged_does_not_block(stage, verify, paper):
    stage("P.", "Q.")
    text = (paper / "main.tex").read_text()
    (paper / "main.tex").write_text(text.replace(*BROKEN))
    assert verify("main.tex")[0] == 0


def test_another_index_is_looked_at_where_git_names_one(stage, verify, paper, monkeypatch):
    shutil.copy(paper / ".git/index", paper / ".git/other")
    stage(*BROKEN)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    assert verify() == (0, "", "")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert verify()[0] == 1


def test_a_renamed_file_is_the_same_paper(stage, verify):
    stage("P.", "P.")
    git("mv", "main.tex", "article.tex")
    assert verify("article.tex")[0] == 0


def test_a_file_that_is_deleted_and_still_read_in_blocks(verify, paper, document):
    (paper / "part.tex").write_text("Words.\n")
    (paper / "main.tex").write_text(document("\\input{part}\n"))
    git("add", ".")
    commit()
    git("rm", "-q", "part.tex")
    status, out, _ = verify()
    assert status == 1
    assert re.search(r"^main\.tex:\d+:\d+: error \[missing-file \w{8}\] .*part", out, re.MULTILINE)


def test_a_file_mode_is_no_change_of_a_paper_so_older_errors_stay_old(stage, verify):
    stage(*BROKEN)
    commit()
    git("update-index", "--chmod=+x", "main.tex")
    assert verify()[0] == 0


def test_the_first_commit_is_held_against_nothing(tmp_path, text, verify, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    assert verify() == (0, "pf-verify: nothing is staged: git add the files of the paper\n", "")
    (tmp_path / "main.tex").write_text(text)
    git("add", "main.tex")
    assert verify("main.tex")[0] == 0
    (tmp_path / "main.tex").write_text(text.replace(*BROKEN))
    assert verify("main.tex")[0] == 0
    git("add", "main.tex")
    status, out, _ = verify("main.tex")
    assert status == 1
    assert ERROR.search(out)


def test_a_repository_without_latex_is_not_blocked(tmp_path, repository, verify, monkeypatch):
    repository({"README": "Words"})
    monkeypatch.chdir(tmp_path / "paper")
    (tmp_path / "paper/README").write_text("More words")
    git("add", "README")
    assert verify() == (0, "", "")
    (tmp_path / "paper/refs.bib").write_text("@book{a}")
    git("add", "refs.bib")
    assert verify("refs.bib") == (0, "pf-verify: no LaTeX file found here\n", "")


def test_outside_of_git_there_is_nothing_staged(tmp_path, verify, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = verify()
    assert (status, err) == (2, f"pf-verify: not a git repository: {tmp_path}\n")


def test_a_wrong_setting_is_one_sentence_with_file_and_key(paper, verify):
    (paper / "pf.toml").write_text("[checks]\nthresold = 'error'\n")
    git("add", "pf.toml")
    status, out, err = verify()
    assert (status, out) == (2, "")
    assert err.startswith("pf-verify: pf.toml: ")
    assert "thresold" in err


def test_a_wrong_setting_can_be_corrected_by_the_next_commit(stage, paper, verify):
    stage(*BROKEN)
    (paper / "pf.toml").write_text("[chekcs]\n")
    git("add", ".")
    commit()
    (paper / "pf.toml").write_text("[checks]\n")
    git("add", ".")
    assert verify()[0] == 0


def _merging(paper, ours, theirs):
    """A merge that is not yet committed, of a branch on which `theirs` was replaced."""
    place, text = paper / "main.tex", (paper / "main.tex").read_text()
    git("switch", "--quiet", "--create", "side")
    place.write_text(text.replace(*theirs))
    commit()
    git("switch", "--quiet", "main")
    place.write_text(text.replace(*ours))
    commit()
    git("merge", "--quiet", "--no-commit", "side")


def test_an_error_that_a_merge_brings_from_the_other_branch_does_not_block(paper, verify):
    _merging(paper, ours=("P.", "Q."), theirs=BROKEN)
    status, out, _ = verify("main.tex")
    assert status == 0
    assert ERROR.search(out)
    assert "blocks" not in out


def test_an_error_that_only_the_merge_has_blocks(paper, verify):
    _merging(paper, ours=("P.", "Q."), theirs=("By", "Now, by"))
    place = paper / "main.tex"
    place.write_text(place.read_text().replace(r"\ref{a}", r"\ref{c}"))
    git("add", "main.tex")
    assert verify("main.tex", "README")[0] == 1


def test_files_that_are_not_staged_ask_for_the_paper_as_it_stands(stage, verify, paper):
    stage(*BROKEN)
    commit()
    assert verify("main.tex")[0] == 1
    (paper / "main.tex").write_text((paper / "main.tex").read_text().replace("{c}", "{a}"))
    assert verify("main.tex")[0] == 0


def test_a_range_is_reviewed_from_where_its_ends_parted(stage, verify, monkeypatch):
    stage(*BROKEN)
    commit()
    git("branch", "old", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "old")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "main")
    status, out, _ = verify("main.tex")
    assert status == 1
    base = git("rev-parse", "old")
    assert re.search(
        rf"^run: {pf_command()} explain \w{{8}} --base {base} --head main$", out, re.MULTILINE
    )
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "main")
    assert verify() == (0, "", "")


def test_one_of_several_papers_can_be_chosen(stage, verify, paper, document):
    (paper / "other.tex").write_text(document(r"\ref{no}"))
    git("add", "other.tex")
    assert verify()[0] == 1
    assert verify("--paper", "main.tex", "other.tex")[0] == 0
    status, _, err = verify("--paper", "x")
    assert (status, err.count("\n")) == (2, 1)


@pytest.mark.parametrize("name", ["-hx.tex", "--locked.tex", "-.tex"])
def test_a_file_whose_name_looks_like_an_option_is_a_file(paper, verify, document, name):
    (paper / name).write_text(document("Words."))
    git("add", ".")
    assert verify(name)[0] == 0


def test_what_is_no_option_is_wrong_usage(paper, capsys):
    with pytest.raises(SystemExit) as stopped:
        offline.main(["--lock"])
    assert stopped.value.code == 2
    assert "unrecognized arguments: --lock" in capsys.readouterr().err


def test_a_key_and_a_model_in_the_environment_change_nothing(stage, verify, monkeypatch):
    stage("P.", "Q.")
    monkeypatch.setenv("PF_MODEL", "m")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert verify()[:2] == (0, PASSED)


def test_a_ledger_that_is_older_than_a_proof_is_a_warning_unless_it_is_locked(
    stage, verify, read_all
):
    read_all()
    git("add", "pf.lock")
    commit()
    stage("P.", "Q.")
    words = "1 result is newer than pf.lock: a (proof)\nto read them: "
    words += f"{pf_command()} check --model NAME --update-lock\n"
    status, out, _ = verify()
    assert (status, out.endswith(words)) == (0, True)
    status, out, _ = verify("--locked")
    assert (status, out.endswith(words)) == (1, True)


def test_a_stale_module_is_named_with_the_premise_that_changed(stage, verify, read_all):
    read_all()
    git("add", "pf.lock")
    commit()
    stage("A.", "A always.")
    out = verify()[1]
    assert "2 results are newer than pf.lock: a (statement), b (premise a)\n" in out


def test_a_new_module_is_named_as_new(stage, verify, read_all):
    read_all()
    git("add", "pf.lock")
    commit()
    stage(r"\end{document}", r"\begin{lemma}\label{n} N.\end{lemma}\begin{proof} P.\end{proof}"
          "\n\\end{document}")  # fmt: skip
    assert "1 result is newer than pf.lock: n (new)\n" in verify()[1]


def test_a_ledger_that_is_up_to_date_says_nothing(stage, verify, read_all):
    stage("P.", "Q.")
    read_all()
    git("add", "pf.lock")
    assert "newer" not in verify("--locked")[1]
    assert verify("--locked")[0] == 0


def test_without_a_ledger_only_locked_asks_for_one(stage, verify):
    stage("P.", "Q.")
    assert "pf.lock" not in verify()[1]
    status, out, _ = verify("--locked")
    assert status == 1
    assert "1 result is not recorded (no pf.lock): a (proof)\n" in out


def test_a_ledger_with_marks_of_a_conflict_is_told_with_its_line(stage, verify, paper):
    (paper / "pf.lock").write_text("<<<<<<< HEAD\n")
    git("add", "pf.lock")
    stage("P.", "Q.")
    status, out, _ = verify()
    assert status == 0
    assert "pf.lock:1:1: warning [pf.lock] git conflict marker" in out


def test_nothing_of_a_paper_can_break_out_of_a_line(stage, verify):
    stage(*BROKEN)
    stage(r"\ref{c}", "\\ref{\u202ec\x1b[31m}")
    status, out, _ = verify()
    assert status == 1
    assert "\x1b" not in out
    assert "\u202e" not in out


CITING = "By \\cite{gauss}. \\includegraphics{a}\n\\bibliography{refs}\n"
ENTRY = "@article{gauss, author = {G.}, title = {D.}}\n"
UNTOUCHED = "the change does not touch the text of a paper"


@pytest.fixture
def citing(repository, document, tmp_path, monkeypatch):
    """A paper that cites an entry and includes a figure, beside another bibliography."""
    names = ("refs.bib", "other.bib")
    repository(
        {"main.tex": document(CITING), "a.png": "", "b.png": "", **dict.fromkeys(names, ENTRY)}
    )
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


def test_a_deleted_entry_that_the_paper_cites_is_told_and_passes(citing, verify):
    (citing / "refs.bib").write_text("")
    git("add", "--all")
    status, out, _ = verify("refs.bib")
    head, line = out.splitlines()
    assert (status, head) == (0, "main.tex: 1 warning")
    assert "warning [undefined-citation " in line


def test_a_deleted_figure_that_the_paper_includes_is_told(citing, verify):
    git("rm", "--quiet", "a.png")
    status, out, _ = verify()
    assert (status, out.splitlines()[0]) == (0, "main.tex: 1 warning")
    assert out.splitlines()[1].endswith("figure not found: a")


def test_a_change_of_no_text_is_not_said_to_affect_no_paper(citing, verify):
    (citing / "refs.bib").write_text(ENTRY + ENTRY.replace("gauss", "noether"))
    git("add", "--all")
    assert verify("refs.bib")[:2] == (0, "main.tex: no results found\n")
    git("checkout", "--quiet", "HEAD", ".")
    (citing / "other.bib").write_text("")
    git("add", "--all")
    assert verify("other.bib")[:2] == (0, f"{UNTOUCHED}\n")
    git("reset", "--quiet", "--hard")
    git("rm", "--quiet", "b.png")
    assert verify()[:2] == (0, f"{UNTOUCHED}\n")


def test_a_changed_figure_is_nothing_to_look_at(citing, verify):
    (citing / "a.png").write_text("other")
    git("add", "--all")
    assert verify("a.png") == (0, "", "")


def test_an_index_with_conflicts_is_no_pass(stage, verify):
    git("switch", "--quiet", "--create", "side")
    stage("P.", "R.")
    commit()
    git("switch", "--quiet", "main")
    stage("P.", "Q.")
    commit()
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "side")
    status, out, err = verify("main.tex")
    assert (status, out) == (3, "")
    assert err == "pf-verify: unresolved merge conflict in main.tex: resolve it and git add it\n"
