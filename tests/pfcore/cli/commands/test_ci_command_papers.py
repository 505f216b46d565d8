"""`pf ci` where there is no paper, several, one that cannot be read, and one that is gone."""

import pytest

from pfcore.cli.main import main
from pfcore.reporters.formats.publication import UNREVIEWED, Conclusion
from pfcore.reporters.review_outcome import APART
from tests.conftest import commit, git
from tests.pfcore.cli.commands.test_ci_command import DANGLING, LEMMA, OFF, SOUND

pytestmark = [pytest.mark.acceptance, pytest.mark.sampled(2)]

OTHER = LEMMA % ("c", "Every C is a field", "Look at it.") + LEMMA % ("d", "D", r"By \ref{c}.")
WRONG = OTHER.replace(r"\ref{c}", r"\ref{elsewhere}")
NUL = "\\documentclass{article}\0"
BOTH = "".join(f'[[paper]]\nname = "{n}"\nroot = "{n}/main.tex"\n' for n in "ab")


@pytest.fixture
def change(tmp_path, document, monkeypatch):
    """Commits files, bodies of papers among them; None removes one."""
    paper = tmp_path / "paper"

    def run(**files):
        named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
        for path in [path for path, text in named.items() if text is None]:
            git(paper, "rm", "--quiet", path)
        texts = {
            path: document(text) if "lemma" in text else text
            for path, text in named.items()
            if text is not None
        }
        return commit(paper, texts)

    paper.mkdir()
    monkeypatch.chdir(paper)
    return run


TWO = {"a__main_tex": SOUND, "b__main_tex": OTHER}


def told(job):
    """What a later job is told: how it ended, and in which words."""
    return job.publication.conclusion, job.publication.title


@pytest.mark.parametrize("path", [".", "thesis"])
@pytest.mark.parametrize("name", ["pull_request", "push", "whole"])
def test_where_no_paper_was_or_is_there_is_a_sentence_and_nothing_else(
    job,
    change,
    monkeypatch,
    path,
    name,
):
    base, head = change(README="a"), change(README="b")
    if name == "pull_request":
        job.pull_request(base, head)
    else:
        job.push(base if name == "push" else "0" * 40, head)
    assert job.run("--", path) == 0
    assert job.outputs == {"private": "false", "head": head, "proofs": "false"}
    assert not (job.folder / "out").exists(), "nobody is told anything"
    assert job.summary == "No LaTeX file here: nothing to review.\n"


def test_a_change_that_brings_the_first_paper_is_reviewed(job, change):
    job.pull_request(change(README="a"), change(main_tex=DANGLING))
    assert job.run() == 1


def test_a_change_that_takes_the_last_paper_away_is_no_pass(job, change, capsys):
    job.pull_request(change(main_tex=SOUND), change(main_tex=None, README="a"))
    assert job.run() == 2
    assert "no LaTeX file found here" in capsys.readouterr().err
    assert told(job) == (Conclusion.INCOMPLETE, UNREVIEWED)
    assert job.publication.summary.endswith("\n\nno LaTeX file found here\n")
    assert job.outputs["conclusion"] == "incomplete"


@pytest.mark.parametrize("settings", [{}, {"pf_toml": BOTH}])
@pytest.mark.parametrize("path", [".", "a", "b"])
def test_a_change_that_touches_no_paper_passes_and_says_so(
    job,
    change,
    path,
    settings,
):
    """Whatever stands in the papers, or cannot be read."""
    base = change(**TWO | {"b__main_tex": NUL}, **settings)
    job.pull_request(base, change(README="a"))
    assert job.run("--", path) == 0
    assert told(job) == (Conclusion.STRUCTURE, APART)
    assert job.outputs["proofs"] == "false"
    assert APART in job.summary


def test_a_push_that_touches_no_paper_keeps_what_is_open_in_the_issue(job, change):
    before = change(main_tex=DANGLING)
    job.push(before, change(README="a"))
    assert job.run() == 0
    assert job.publication.is_open and "from before this change" in job.publication.summary


def test_beside_a_paper_without_results_a_change_of_none_passes(job, change):
    base = change(main_tex="\\documentclass{article}\\begin{document}Words.\\end{document}")
    job.pull_request(base, change(README="a"))
    assert job.run() == 0
    assert told(job) == (Conclusion.STRUCTURE, APART)
    job.pull_request(base, change(other_tex="Words."))
    assert job.run() == 3


@pytest.mark.parametrize("is_old", [True, False])
@pytest.mark.parametrize("settings", [{}, {"pf_toml": BOTH}])
@pytest.mark.parametrize("path", [".", "a"])
def test_beside_a_paper_that_cannot_be_read_the_others_are_judged(
    job,
    change,
    path,
    settings,
    is_old,
):
    base = change(**TWO | ({"b__main_tex": NUL} if is_old else {}), **settings)
    head = change(a__main_tex=DANGLING, b__main_tex=NUL)
    job.pull_request(base, head)
    assert job.run("--", path) == 1
    assert "undefined label nowhere" in job.summary
    assert ("b/main.tex" in job.summary) is (path == ".")
    job.pull_request(base, change(a__main_tex=SOUND + LEMMA % ("x", "X", "Clear.")))
    assert job.run("--", path) == (0 if is_old or path == "a" else 3)


@pytest.mark.parametrize("settings", [{}, {"pf_toml": BOTH}])
@pytest.mark.parametrize("is_old", [True, False])
def test_a_paper_that_cannot_be_read_is_no_pass_for_the_job_that_is_about_it(
    job,
    change,
    capsys,
    settings,
    is_old,
):
    base = change(**TWO | ({"b__main_tex": NUL} if is_old else {}), **settings)
    job.pull_request(base, change(a__main_tex=DANGLING, b__main_tex=NUL))
    assert job.run("--", "b") == 3
    assert "b/main.tex: binary file (NUL bytes)" in capsys.readouterr().err
    assert told(job) == (Conclusion.INCOMPLETE, UNREVIEWED)
    assert job.run("--private", "--", "b") == 3
    assert "main.tex" not in job.publication.summary


@pytest.mark.parametrize("settings", [{}, {"pf_toml": BOTH}])
def test_of_several_papers_one_may_be_removed(job, change, settings):
    base = change(**TWO, **settings)
    job.pull_request(base, change(b__main_tex=None, a__main_tex=DANGLING))
    for path, status in ((".", 1), ("a", 1), ("b", 0)):
        assert job.run("--", path) == status, path
    assert told(job)[0] is Conclusion.STRUCTURE
    assert "This change removes the paper in b." in job.summary


@pytest.mark.parametrize("settings", [{}, {"pf_toml": BOTH}])
@pytest.mark.parametrize("place", ["b__paper_tex", "c__main_tex", "paper_tex"])
def test_a_paper_that_is_moved_is_reviewed_where_it_is_now(
    job,
    change,
    place,
    settings,
):
    base = change(**TWO, **settings)
    moved = change(b__main_tex=None, **{place: OTHER})
    job.pull_request(base, moved)
    for path in (".", "a", "b"):
        assert job.run("--", path) == 0, path
        assert not job.publication.is_open
    job.pull_request(base, change(**{place: WRONG}, pf_toml=""))
    for path, status in ((".", 1), ("a", 0), ("b", 1)):
        assert job.run("--", path) == status, path
    assert "undefined label elsewhere" in job.publication.summary
    assert "undefined label nowhere" not in job.publication.summary


def test_where_a_paper_has_moved_the_page_says_what_to_change(job, change):
    job.pull_request(change(**TWO), change(b__main_tex=None, c__main_tex=OTHER))
    assert job.run("--", "b") == 0
    assert "The paper in b is now c/main.tex: change path in the workflow." in job.summary


def test_where_two_papers_have_moved_nobody_guesses_which_is_meant(job, change, capsys):
    third = LEMMA % ("e", "Every E is a ring", "Add it up.") + LEMMA % ("f", "F", r"By \ref{e}.")
    base = change(a__main_tex=SOUND, b__one_tex=OTHER, b__two_tex=third)
    moved = {"b__one_tex": None, "b__two_tex": None, "c__one_tex": OTHER, "d__two_tex": third}
    job.pull_request(base, change(**moved))
    assert job.run("--", "b") == 3
    said = "The papers in b are now c/one.tex, d/two.tex: change path in the workflow."
    assert said in capsys.readouterr().err
    assert told(job) == (Conclusion.INCOMPLETE, UNREVIEWED)
    assert job.run("--", "a") == 0


def test_a_paper_that_is_rewritten_where_it_goes_is_reviewed_as_a_new_one(job, change):
    base = change(**TWO)
    job.pull_request(base, change(b__main_tex=None, c__main_tex=DANGLING))
    assert job.run("--", "b") == 1


def test_a_folder_that_never_had_a_paper_is_a_wrong_setting(job, change, capsys):
    job.pull_request(change(**TWO), change(a__main_tex=DANGLING))
    assert job.run("--", "thesis") == 2
    assert "no LaTeX file found in thesis (papers elsewhere: " in capsys.readouterr().err
    assert told(job) == (Conclusion.INCOMPLETE, UNREVIEWED)


def test_settings_that_name_a_paper_that_the_base_lacks_are_wrong(job, change, capsys):
    job.pull_request(change(a__main_tex=SOUND, pf_toml=BOTH), change(a__main_tex=DANGLING))
    assert job.run() == 2
    assert "paper b: file not found: b/main.tex" in capsys.readouterr().err


def test_a_paper_that_the_base_gained_meanwhile_is_no_fault_of_a_pull_request(
    job,
    change,
    tmp_path,
):
    start = change(a__main_tex=SOUND)
    heads = [change(a__main_tex=DANGLING), change(a__main_tex=SOUND + "Words.")]
    git(tmp_path / "paper", "switch", "--quiet", "--detach", start)
    tip = change(b__main_tex=OTHER, pf_toml=BOTH)
    git(tmp_path / "paper", "update-ref", "refs/remotes/origin/main", tip)
    for head, status in zip(heads, (1, 0), strict=True):
        job.pull_request(start, head)
        assert job.run() == status
        assert not (status == 0 and job.publication.is_open)


def test_a_paper_that_becomes_another_file_s_text_is_reviewed(job, change):
    """Main files may go and parts become main files: what nobody names is looked at, too."""
    base = change(**TWO, b__body_tex="Words.", pf_toml=BOTH)
    job.pull_request(base, change(b__main_tex=None, b__body_tex=WRONG))
    assert job.run() == 1


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_proofs_of_a_paper_that_is_moved_are_read_where_it_is_now(
    job,
    change,
    referee,
    monkeypatch,
):
    monkeypatch.setenv("PF_MODEL", "m")
    referee.objects_to("Divide by x")
    base = change(**TWO, pf_toml=OFF)
    gap = OTHER.replace("Look at it.", "Divide by x.")
    job.pull_request(base, change(b__main_tex=None, c__main_tex=gap))
    assert job.run("--", "b") == 0
    assert job.outputs["proofs"] == "true"
    assert job.run("--proofs", "--budget", "500k tokens", "--", "b") == 1
    assert "It may be 0." in job.publication.summary


def test_the_gate_passes_no_repository_without_a_paper(job, change):
    job.push("0" * 40, change(README="a"))
    assert job.run("--gate") == 2


@pytest.mark.parametrize("path", [".", "b"])
def test_the_gate_and_a_check_by_hand_pass_no_paper_that_is_gone(job, change, path):
    change(**TWO, pf_toml=BOTH)
    change(b__main_tex=None)
    assert main(["check", "--all", path]) == 2
