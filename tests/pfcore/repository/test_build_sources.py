"""What a repository may make a missing file of, and how much of it is looked at."""

import pytest

from pfcore.repository import snapshot
from pfcore.repository.build_sources import BuildSources
from tests.conftest import write

WRITES = "open('words.tex', 'w')\n"


def _maker(folder, files, there=(), name="words.tex"):
    write(folder, files)
    made = BuildSources(snapshot.from_folder(folder))
    return made.maker_of(name, lambda paths: next((p for p in there if p in paths), None))


def test_a_source_of_the_same_name_comes_before_a_script(tmp_path):
    files = {"make.py": WRITES, "part/words.org": "* Words"}
    assert _maker(tmp_path, files, ["part/words.tex"]) == "part/words.org"
    assert _maker(tmp_path, files, ["words.tex"]) == "make.py"


def test_a_script_that_is_too_long_is_not_looked_at(tmp_path):
    assert _maker(tmp_path, {"make.py": WRITES + "#" * 256_000}) == ""


def test_of_very_many_scripts_only_the_first_are_looked_at(tmp_path):
    files = {f"a{number:03}.py": "" for number in range(200)}
    assert _maker(tmp_path, {**files, "z.py": WRITES}) == ""
    assert _maker(tmp_path, {"a007.py": WRITES}) == "a007.py"


def test_a_script_behind_a_link_is_not_looked_at(tmp_path):
    (tmp_path / "outside.py").write_text(WRITES)
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "make.py").symlink_to(tmp_path / "outside.py")
    assert _maker(folder, {"main.tex": ""}) == ""


IGNORED = ["_gen", "**/_gen", "/_gen/", "_g*", "proofs/_gen/**", "words.tex", "*.tex", "# it\n_gen"]
KEPT = ["", "#_gen", "*", "**", "gen", "words.aux", "_gen\n!_gen", "!_gen"]


@pytest.mark.parametrize("lines", IGNORED)
def test_what_git_ignores_is_made(tmp_path, lines):
    files = {"proofs/.gitignore": lines}
    assert _maker(tmp_path, files, name="../_gen/words.tex") == "proofs/.gitignore"


@pytest.mark.parametrize("lines", KEPT)
def test_what_git_does_not_ignore_is_not(tmp_path, lines):
    assert _maker(tmp_path, {".gitignore": lines}, name="../_gen/words.tex") == ""


MAKING = [
    "%-plot.tex: %.gp\n\tgnuplot $< > $@", "fig/%-plot.tex: %.gp", "%-plot.aux %-plot.tex:: a",
    "$(OUT)/%-plot.tex: %.gp | $(OUT)", "%.aux \\\n  %-plot.tex: a", "$(ALL): %-plot.tex: %.gp",
]  # fmt: skip
NOT_MAKING = [
    "%.tex: %.x", "%: %.o", "%.pdf: %-plot.tex", "\tcat %-plot.tex: a", "# %-plot.tex: a",
    "A := %-plot.tex", "A = b: %-plot.tex:", "%-plots.tex: a", "%x-plot.tex: a", "all: a",
]  # fmt: skip


@pytest.mark.parametrize("rule", MAKING)
def test_what_a_pattern_of_a_makefile_makes_is_made(tmp_path, rule):
    for path in ("Makefile", "etc/rules.mk"):
        assert _maker(tmp_path / path[0], {path: rule}, name="fig/a-plot.tex") == path


@pytest.mark.parametrize("rule", NOT_MAKING)
def test_what_no_pattern_of_a_makefile_makes_is_not(tmp_path, rule):
    assert _maker(tmp_path, {"Makefile": rule}, name="fig/a-plot.tex") == ""
    assert _maker(tmp_path, {"run.sh": "%-plot.tex: a"}, name="fig/a-plot.tex") == ""


NAMING = [
    "open(f'{name}-plot.tex', 'w')", "open('%s-plot.tex' % name, 'w')",
    "'fig/{}-plot.tex'.format(x)", 'cat(x, file = paste0(name, "-plot.tex"))',
    'File.write("#{name}-plot.tex", x)',
    "f'{folder}/{name:>3}-plot.tex'", "f'{a}{b}{c}{d}{e}{f}{g}{h}plot.tex'",
    "f'a-pl{kind}.tex'", "`${name}-plot.tex`",
    "name + '-plot.tex'",
]  # fmt: skip
NOT_NAMING = [
    "open(f'{name}.tex', 'w')", "'%s.tex' % name", "f'{name}-plots.tex'", "'-plot.text'",
    "-plot.tex",
    "name + 'plot.tex'", "f'{name}t.tex'", "f'{name}-plot.tex.in'",
]  # fmt: skip


@pytest.mark.parametrize("code", NAMING)
def test_what_a_program_names_in_part_is_made(tmp_path, code):
    assert _maker(tmp_path, {"make.py": code}, name="fig/a-plot.tex") == "make.py"


@pytest.mark.parametrize("code", NOT_NAMING)
def test_what_no_program_names_in_part_is_not(tmp_path, code):
    assert _maker(tmp_path, {"make.py": code}, name="fig/a-plot.tex") == ""
