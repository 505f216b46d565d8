import subprocess
import sys
from dataclasses import fields, replace

import pytest

from pfcore.domain.errors import ConfigError
from pfcore.domain.paper_settings import (
    Blueprint,
    CheckSettings,
    Latex,
    ModuleBounds,
    PaperEntry,
    PaperSettings,
    ReadingSettings,
    parse_paper_settings,
    settings_for,
    syntax_key,
)

FULL = r"""
[latex]
theorems = {claim = "lemma", "thm*" = "theorem"}
proofs = ["prf"]
references = ["\\fullref", "rref"]
labels = ["lbl"]
definitions_by = ["\\term"]
ignore = ["old/**", "slides.tex"]

[checks]
disable = ["two-proofs"]
severity = {cycle = "note", drift = "error"}
threshold = "warning"

[bounds]
length = 4000
depth = 3

[blueprint]
trust_leanok = false

[reading]
strictness = "as for a survey"
conventions = '''
Rings are commutative.
Graphs are finite.
'''
rollouts = 5
min_votes = 2
blocking_votes = 4
granularity = "fine"
progressive = true
attempts = 0
accept = ["0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]
budget = 0.5
budget_per_day = 20
ask_above = 0

[[paper]]
name = "main"
root = "paper/main.tex"
budget = 1.5
strictness = "pedantic"

[[paper]]
root = "notes.tex"
budget = 0
strictness = "as a referee of a logic journal"
"""


def fault(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_paper_settings(text, path="sub/pf.toml")
    assert caught.value.path == "sub/pf.toml"
    assert caught.value.exit_status == 2
    return caught.value.message.removeprefix("sub/pf.toml: ")


def test_an_empty_file_gives_the_defaults() -> None:
    assert parse_paper_settings("", path="pf.toml") == replace(
        PaperSettings.default(), path="pf.toml"
    )
    assert PaperSettings.default() == PaperSettings(
        latex=Latex(),
        checks=CheckSettings(disable=(), severity=(), threshold="error"),
        bounds=ModuleBounds(length=6000, depth=4),
        blueprint=Blueprint(trust_leanok=True),
        reading=ReadingSettings(
            strictness="standard",
            conventions="",
            rollouts=3,
            min_votes=1,
            blocking_votes=None,
            granularity="auto",
            progressive=False,
            attempts=3,
            accept=(),
            budget=2.0,
            budget_per_day=5.0,
            ask_above=1.0,
        ),
        papers=(),
        path=None,
    )


def test_every_setting_is_read() -> None:
    assert parse_paper_settings(FULL, path="sub/pf.toml") == PaperSettings(
        latex=Latex(
            theorems=(("claim", "lemma"), ("thm*", "theorem")),
            proofs=("prf",),
            references=("fullref", "rref"),
            labels=("lbl",),
            definitions_by=("term",),
            ignore=("old/**", "slides.tex"),
        ),
        checks=CheckSettings(
            disable=("two-proofs",),
            severity=(("cycle", "note"), ("drift", "error")),
            threshold="warning",
        ),
        bounds=ModuleBounds(length=4000, depth=3),
        blueprint=Blueprint(trust_leanok=False),
        reading=ReadingSettings(
            strictness="as for a survey",
            conventions="Rings are commutative.\nGraphs are finite.",
            rollouts=5,
            min_votes=2,
            blocking_votes=4,
            granularity="fine",
            progressive=True,
            attempts=0,
            accept=("0123456789abcdef" * 4,),
            budget=0.5,
            budget_per_day=20.0,
            ask_above=0.0,
        ),
        papers=(
            PaperEntry(name="main", root="paper/main.tex", budget=1.5, strictness="pedantic"),
            PaperEntry(
                name="notes",
                root="notes.tex",
                budget=0.0,
                strictness="as a referee of a logic journal",
            ),
        ),
        path="sub/pf.toml",
    )


def test_settings_can_be_compared_and_hashed() -> None:
    assert (
        len(
            {parse_paper_settings(FULL, path="pf.toml"), parse_paper_settings(FULL, path="pf.toml")}
        )
        == 1
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[latx]\n", "'latx' is not a setting; did you mean 'latex'?"),
        (
            "zzz = 'x'\n",
            "'zzz' is not a setting; expected one of: latex, checks, bounds, blueprint, reading, "
            "paper",
        ),
        ("[reading]\nrolouts = 2\n", "'rolouts' in [reading] is not a setting; did you mean"),
        (
            "[blueprint]\ntrust_lean = true\n",
            "'trust_lean' in [blueprint] is not a setting; did you mean",
        ),
        (
            "[latex]\ntheorem = {}\n",
            "'theorem' in [latex] is not a setting; did you mean 'theorems'",
        ),
        ("[checks]\ntreshold = 'note'\n", "'treshold' in [checks] is not a setting; did you mean"),
        (
            "[bounds]\nzzz = 1\n",
            "'zzz' in [bounds] is not a setting; expected one of: length, depth",
        ),
        ("[[paper]]\nroot = 'a'\nbuget = 1\n", "'buget' in [paper] is not a setting; did you mean"),
    ],
)
def test_an_unknown_key_is_named_with_what_it_may_have_meant(text: str, sentence: str) -> None:
    assert fault(text).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("latex = 3", "'latex' must be a table"),
        ("paper = 3", "'paper' must be written [[paper]]"),
        ("paper = [3]", "'paper' must be written [[paper]]"),
        ("[paper]\nroot = 'a.tex'", "'paper' must be written [[paper]]"),
        ("[latex]\nproofs = 'prf'", "'proofs' in [latex] must be a list of strings"),
        ("[latex]\nproofs = [1]", "'proofs' in [latex] must hold quoted strings, not 1"),
        ("[latex]\nlabels = ['']", "'labels' in [latex] has an empty string: write"),
        ("[latex]\ntheorems = ['a']", "'theorems' in [latex] must be a table"),
        ("[latex]\ntheorems = {'' = 'theorem'}", "'theorems' in [latex] has an empty string"),
        ("[latex.theorems]\na = 1", "'theorems' in [latex] must hold quoted strings, not 1"),
        ("[checks]\nthreshold = true", "'threshold' in [checks] must be a quoted string"),
        ("[checks]\nthreshold = 'bad'", "'threshold' in [checks] must be one of error, warning"),
        ("[checks.severity]\nx = 'fatal'", "'severity.x' in [checks] must be one of error"),
        ("[bounds]\nlength = 1.5", "'length' in [bounds] must be a whole number above 0"),
        ("[bounds]\nlength = true", "'length' in [bounds] must be a whole number above 0"),
        ("[bounds]\ndepth = 0", "'depth' in [bounds] must be a whole number above 0"),
        ("blueprint = true", "'blueprint' must be a table"),
        ("[blueprint]\ntrust_leanok = 1", "'trust_leanok' in [blueprint] must be true or false"),
        ("[blueprint]\ntrust_leanok = 'no'", "'trust_leanok' in [blueprint] must be true or"),
        ("[[paper]]\nname = 'a'", "'root' in [paper] is missing"),
        ("[[paper]]\nroot = '../a.tex'", "'root' in [paper] must be a path below"),
        ("[[paper]]\nroot = '/a.tex'", "'root' in [paper] must be a path below"),
        ("[[paper]]\nroot = 'a\\b.tex'", "'root' in [paper] must be a path below"),
        ("[[paper]]\nroot = 'a'\nbudget = -1", "'budget' in [paper] must be a number, 0 or more"),
        ("[[paper]]\nroot = 'a'\nbudget = inf", "'budget' in [paper] must be a number, 0 or more"),
        ("[[paper]]\nroot = 'a'\nbudget = nan", "'budget' in [paper] must be a number, 0 or more"),
        ("[[paper]]\nroot = 'a'\nbudget = '1'", "'budget' in [paper] must be a number, 0 or more"),
        ("[reading]\nform = 'pf-context/9'", "'form' in [reading] must be one of pf-context/1, pf"),
        ("[reading]\nstrictness = 'strict'", "'strictness' in [reading] must be lenient, standard"),
        ("[[paper]]\nroot = 'a'\nstrictness = 'hard'", "'strictness' in [paper] must be lenient"),
        ("[reading]\nconventions = ['a']", "'conventions' in [reading] must be a quoted string"),
        ("[reading]\nrollouts = 0", "'rollouts' in [reading] must be a whole number above 0"),
        ("[reading]\nmin_votes = 4", "'min_votes' in [reading] is 4, more than the 3 rollouts"),
        (
            "[reading]\nblocking_votes = 4",
            "'blocking_votes' in [reading] must lie between min_votes and rollouts (1 to 3); it is",
        ),
        ("[reading]\nmin_votes = 3\nblocking_votes = 2", "'blocking_votes' in [reading] must lie"),
        ("[reading]\ngranularity = 'block'", "'granularity' in [reading] must be one of auto, "),
        ("[reading]\nprogressive = 1", "'progressive' in [reading] must be true or false"),
        ("[reading]\nattempts = 4", "'attempts' in [reading] must be a whole number from 0 to 3"),
        ("[reading]\nattempts = -1", "'attempts' in [reading] must be a whole number from 0 to"),
        ("[reading]\naccept = 'a'", "'accept' in [reading] must be a list of strings"),
        ("[reading]\naccept = ['AB']", "'accept' in [reading] must hold digests of contracts"),
        ("[reading]\nbudget = -1", "'budget' in [reading] must be a number, 0 or more"),
        (
            "[reading]\nbudget_per_day = nan",
            "'budget_per_day' in [reading] must be a number, 0 or more",
        ),
        ("[reading]\nask_above = '1'", "'ask_above' in [reading] must be a number, 0 or more"),
        (
            "[[paper]]\nroot = 'a'\nstrictness = ''",
            "'strictness' in [paper] has an empty string: write a word, or delete it",
        ),
        (
            "[[paper]]\nroot = 'a'\n[[paper]]\nroot = 'b/a.tex'",
            "'name' in [paper] 'a' is the name of two papers: rename one of them",
        ),
        (
            "[[paper]]\nname = 'a'\nroot = 'a.tex'\n[[paper]]\nname = 'b'\nroot = './a.tex'",
            "'root' in [paper] './a.tex' occurs twice",
        ),
        ("[latex", "invalid TOML:"),
        (f"[bounds]\ndepth = {'9' * 5000}", "invalid TOML: a number has too many digits"),
        ("x = " + "[" * 5000, "nested too deeply"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_wanted(text: str, sentence: str) -> None:
    assert fault(text).startswith(sentence)


@pytest.mark.parametrize("key", ["model", "base_url", "key_env", "prompts", "endpoint"])
@pytest.mark.parametrize("table", ["", "[reading]\n", "[[paper]]\nroot = 'a'\n"])
def test_a_repository_cannot_choose_who_reads_and_is_told_who_does(table: str, key: str) -> None:
    sentence = fault(f"{table}{key} = 'https://elsewhere.example'")
    assert sentence.startswith(f"'{key}'")
    assert "cannot be set in a repository" in sentence
    assert "PF_MODEL" in sentence


def test_a_fault_of_syntax_says_where() -> None:
    assert "line 2" in fault("\n[latex\n")


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("", "pf.toml"),
        ("a", "a/pf.toml"),
        ("a/b/c", "a/pf.toml"),
        ("a/b/c/", "a/pf.toml"),
        ("ab", "pf.toml"),
        ("d/e", "pf.toml"),
    ],
)
def test_the_nearest_file_wins(folder: str, path: str) -> None:
    files = {"pf.toml": "", "a/pf.toml": "[bounds]\ndepth = 9", "a/z/pf.toml": ""}
    settings = settings_for(files, files.__getitem__, folder)
    assert settings.path == path
    assert settings.folder == path.removesuffix("pf.toml").rstrip("/")
    assert (settings.bounds.depth == 9) == (path == "a/pf.toml")


def test_without_a_file_the_defaults_hold() -> None:
    assert settings_for((), "".join, "a/b") == PaperSettings.default()
    assert PaperSettings.default().folder == ""


def test_whatever_changes_the_reading_of_latex_changes_the_syntax_key() -> None:
    other: dict[str, tuple[object, ...]] = {"theorems": (("claim", "lemma"),)}
    for field in fields(Latex):
        value = other.get(field.name, ("x",))
        changed = PaperSettings(latex=replace(Latex(), **{field.name: value}))  # type: ignore[arg-type]
        is_same = syntax_key(changed) == syntax_key(PaperSettings.default())
        assert is_same == (field.name == "ignore")


def test_the_syntax_key_ignores_order_and_all_other_tables() -> None:
    one = parse_paper_settings("[latex]\nproofs = ['a', 'b']\n[bounds]\ndepth = 2", path="pf.toml")
    other = parse_paper_settings("[latex]\nproofs = ['b', 'a', 'a']", path="x/pf.toml")
    assert syntax_key(one) == syntax_key(other)


def test_starting_does_not_load_what_only_a_file_needs() -> None:
    late = "{'tomllib', 'difflib', 'subprocess'}"
    code = f"import sys, pfcore.domain.paper_settings; print({late} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


@pytest.mark.parametrize(
    ("text", "publish"), [("", "findings"), ('publish = "private"', "private")]
)
def test_a_paper_may_keep_its_findings_private(text, publish):
    assert parse_paper_settings(text, path="pf.toml").publish == publish


def test_there_are_two_ways_to_publish():
    with pytest.raises(ConfigError, match="'publish' must be findings or private, not 'secret'"):
        parse_paper_settings('publish = "secret"', path="pf.toml")


def test_the_app_may_be_asked_for_more():
    text = "[app]\nrequired = true\nevery_branch = true"
    found = parse_paper_settings(text, path="pf.toml").app
    assert found.required and found.every_branch
    assert not parse_paper_settings("", path="pf.toml").app.required
