"""`pf bench cost`: what reading a paper takes, with a simulated reader; nobody is asked."""

import re

from matplotlib.image import imread


def test_a_paper_is_set_beside_the_reference_and_against_its_size(run, paper, edit, tmp_path):
    edit("Clear.", "Clear. " * 200)
    status, out, _ = run("bench", "cost", "--out", str(tmp_path / "out"))
    assert status == 0
    assert re.match(
        r"Simulated reader: no model was used\. \d{4}-\d\d-\d\d, k = 1 rollout of n modules\.\n",
        out,
    )
    for way in ("author", "fine", "auto"):
        assert re.search(
            rf"^  {way}: contract [0-9a-f]{{8}}, as gpt-5\.4-mini would be asked$", out, re.M
        )
    lines = [line.split() for line in out.splitlines()]
    rows = {line[1]: line for line in lines if line[:1] == ["main.tex"] and len(line) == 14}
    assert rows["reference"][3] == "6"
    assert rows["author"][3] in "234"
    assert float(rows["author"][9]) < 1
    assert rows["reference"][-2:] == [rows["reference"][6], "1.000"]
    assert rows["author"][-2:] == [rows["author"][6], rows["author"][11]]
    assert float(rows["fine"][-1]) < float(rows["fine"][11])
    assert "$ by length is an estimate" in " ".join(out.split())
    assert "Beside the reference implementation" in out
    assert "grow like" in out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"contexts.png", "contexts.svg"}


def test_where_pictures_cannot_be_written_that_is_told(run, paper, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run("bench", "cost", "--out", str(tmp_path / "file"))
    assert status == 3
    assert "cannot be written" in err


def test_the_picture_of_one_paper_is_not_cut_off_at_its_edge(run, paper, tmp_path):
    run("bench", "cost", "--out", str(tmp_path / "out"))
    pixels = imread(tmp_path / "out" / "contexts.png")
    assert (pixels[:, :3, :3] == 1).all()


def test_a_paper_without_a_proof_costs_nothing_that_could_be_counted(run, repository, tmp_path):
    repository({"main.tex": "\\documentclass{article}\\begin{document}A.\\end{document}"})
    status, _, err = run("bench", "cost", str(tmp_path / "paper"))
    assert status == 3
    assert "no proof here can be read, so nothing is counted" in err
