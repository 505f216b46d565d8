"""What whoever types something wrong, or nothing, is told."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pfcore.cli.command_parser import GROUPS
from pfcore.cli.main import ANYWHERE, main, whole_parser
from pfcore.cli.options import is_coloured, link_host


@pytest.fixture
def typed(capsys):
    """Run words: the status, what is printed, what is said beside."""

    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as stopped:
            status = int(str(stopped.code or 0))
        found = capsys.readouterr()
        return status, found.out, found.err

    return run


def test_the_bare_command_lists_the_commands_behind_what_may_be_run(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = typed()
    assert (status, err) == (0, "")
    whole = typed("--help")[1]
    assert whole.startswith("usage: pf COMMAND [OPTION...]\n\nChecks the structure")
    assert "\n\nTo review a small sample: pf demo pf-demo\n\n" in out
    assert len(out.splitlines()) < 45 < len(whole.splitlines())
    assert set(re.findall(r"^    (\w+)", whole, re.M)) == set(re.findall(r"^    (\w+)", out, re.M))


@pytest.mark.parametrize(
    ("name", "is_told"),
    [("a.tex", True), ("blueprint/src/print.tex", True), ("a/b/c/d.tex", False), ("a.txt", False)],
)
def test_the_bare_command_begins_with_what_to_run_where_a_paper_is(
    typed, tmp_path, monkeypatch, name, is_told
):
    place = tmp_path / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x")
    monkeypatch.chdir(tmp_path)
    _, out, _ = typed()
    assert ("To check them: pf check\n\nCommands" in out) is is_told
    assert "To check them" not in typed("--help")[1]


def test_every_command_is_in_a_group_with_a_line_that_parses(typed):
    parser, commands = whole_parser()
    listed = {name: line for group in GROUPS.values() for name, line in group.items()}
    assert set(commands.choices) == set(listed)
    out = typed("--help")[1]
    for title, group in GROUPS.items():
        assert f"\n{title}:\n" in out
        assert all(f"  {line}\n" in out for line in group.values())
    for line in listed.values():
        words = re.findall(r"'[^']*'|\S+", line)[1:]
        if "--help" not in words:
            parser.parse_args([word.strip("'") for word in words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "pf: unknown command 'chek'. Did you mean check or checks?"),
        (["zzz"], "pf: unknown command 'zzz'"),
        (["check", "--bass", "x"], "pf check: unknown option --bass. Did you mean --base?"),
        (["check", "--bass=x"], "pf check: unknown option --bass=x. Did you mean --base?"),
        (["graph", "--format", "dots"],
         "pf graph: invalid --format 'dots'; expected text or json or dot or mermaid. "
         "Did you mean dot?"),
        (["check", "a", "b"], "pf check: unexpected argument b"),
        (["plan", "--why"], "pf plan: --why needs a value: pf plan --why RESULT"),
        (["graph", "--format"],
            "pf graph: --format needs a value: pf graph --format text|json|dot|mermaid"),
        (["explain", "--head"], "pf explain: --head needs a value: pf explain FINDING --head REV"),
        (["bench", "arxv"], "pf bench: unknown command 'arxv'. Did you mean arxiv?"),
    ],
)  # fmt: skip
def test_an_error_says_what_was_meant_before_the_usage(typed, words, said):
    status, out, err = typed(*words)
    assert (status, out) == (2, "")
    error, usage = err.splitlines()
    assert error == said
    assert usage.startswith(f"usage: {said.partition(':')[0]} ") and usage.endswith(" --help)")


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version_has_a_short_name(typed, flag):
    assert typed(flag)[1].startswith("pf-verify ")


@pytest.mark.parametrize(
    ("environment", "is_terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colours_follow_the_environment(environment, is_terminal, expected):
    assert is_coloured(environment, is_terminal=is_terminal) is expected


@pytest.mark.parametrize(
    ("environment", "is_linking"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "dumb", "VTE_VERSION": "7600"}, False),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "5000"}, False),
        ({"VTE_VERSION": "x"}, False),
        ({"WT_SESSION": "1"}, True),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.0"}, True),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.0.9"}, False),
        ({"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809-5046fc22"}, True),
        ({"TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.96.0-insider"}, True),
        ({"TERM_PROGRAM": "vscode"}, False),
        ({"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.0.0"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM_PROGRAM_VERSION": "455"}, False),
        ({"TERM": "tmux-256color", "VTE_VERSION": "7600"}, False),
        ({"TERM": "xterm", "TMUX": "/tmp/1", "WT_SESSION": "1"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "1", "NO_COLOR": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"}, False),
        ({"NO_COLOR": "1", "TERM": "xterm-kitty"}, False),
        ({"CI": "true", "FORCE_HYPERLINK": "1", "TERM": "xterm-kitty"}, False),
        ({"PRE_COMMIT": "1", "FORCE_HYPERLINK": "1", "TERM": "xterm-kitty"}, False),
        ({"CI": "0", "TERM": "xterm-kitty"}, True),
    ],
)
def test_links_are_for_terminals_that_are_known_to_show_them(environment, is_linking):
    assert (link_host(environment) is not None) is is_linking


def test_links_name_the_machine_and_in_a_subsystem_its_share(monkeypatch):
    forced = {"FORCE_HYPERLINK": "1"}
    assert link_host(forced) == HERE
    assert link_host(forced | {"WSL_DISTRO_NAME": "My Linux/\x1b"}) == "wsl$/My%20Linux%2F%1B"
    monkeypatch.delattr(os, "uname", raising=False)
    assert link_host(forced) == ""


HERE = os.uname().nodename if hasattr(os, "uname") else ""
"""The name of this machine, where a system has one for links."""
CALL = [sys.executable, "-c", "from pfcore.cli.main import script; script()"]


def in_terminal(words: list[str], environment: dict[str, str]) -> str:
    """What a command prints on a terminal of its own."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    shown = os.environ | environment
    with subprocess.Popen([*CALL, *words], stdout=theirs, stderr=theirs, env=shown) as process:
        os.close(theirs)
        found = b""
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # as Linux says that the other side is closed
                part = b""
            if not part:
                break
            found += part
        os.close(ours)
        process.wait()
    return found.decode().replace("\r\n", "\n")


LINK = re.compile(r"\x1b\]8;;(file://[!-~]*)\x1b\\([^\x1b]*)\x1b\]8;;\x1b\\")
OTHERS = "CI PRE_COMMIT NO_COLOR FORCE_HYPERLINK TERM_PROGRAM VTE_VERSION WT_SESSION TMUX"
KITTY = dict.fromkeys(OTHERS.split(), "") | {"TERM": "xterm-kitty"}


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "words", [["check", "--all"], ["plan"], ["plan", "--why", "b"], ["explain", "{finding}"]]
)
def test_places_are_links_on_a_terminal_and_nowhere_else(typed, paper, edit, words):
    edit(r"By \ref{a}.", r"By \ref{lost}.")
    (finding,) = re.findall(r"dangling-reference (\w+)\]", typed("check")[1])
    words = [finding if word == "{finding}" else word for word in words]
    said = in_terminal(words, KITTY)
    links = LINK.findall(said)
    place = (paper / "main.tex").absolute().as_uri().removeprefix("file://")
    assert links
    for address, text in links:
        assert address == f"file://{HERE}{place}"
        assert re.fullmatch(r"main\.tex:\d+(:\d+)?", text)
    if words[0] != "plan":
        assert re.search(r"\n +\| +\x1b\[31m\^~~~~~~~~~\x1b\[0m\n", said)
    if words != ["plan"]:  # of one command all environments
        without = {"check": {"CI": "1"}, "plan": {"NO_COLOR": "1"}, "explain": {"TERM": "xterm"}}
        assert "\x1b]" not in in_terminal(words, KITTY | without[words[0]])
        return
    for one in ({"TERM": "xterm"}, {"CI": "1"}, {"PRE_COMMIT": "1"}, {"NO_COLOR": "1"}):
        assert "\x1b]" not in in_terminal(words, KITTY | one)
    assert "\x1b]" not in in_terminal([*words, "--plain"], KITTY)
    piped = subprocess.run(
        [*CALL, *words],
        env=os.environ | KITTY | {"FORCE_HYPERLINK": "1"},
        capture_output=True,
        check=False,
    )
    assert b"\x1b]" not in piped.stdout + piped.stderr


def test_what_is_not_on_disk_as_it_was_read_has_no_link(paper, edit):
    edit(r"By \ref{a}.", r"By \ref{lost}.")
    subprocess.run(["git", "add", "."], check=True)
    assert "\x1b]" in in_terminal(["check"], KITTY)
    said = in_terminal(["check", "--staged"], KITTY)
    assert "dangling-reference" in said and "\x1b]" not in said


def test_quiet_and_verbose(typed, paper, edit):
    status, out, err = typed("check", "-q")
    assert (status, out.strip(), err) == (0, "", "")
    edit(r"By \ref{a}.", "By some lemma.")
    edit("Every A is positive", "Each A is positive")
    quiet, verbose = typed("check", "-q"), typed("check", "-v")
    assert quiet[0] == verbose[0]
    assert len(verbose[1].splitlines()) > len(quiet[1].splitlines())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-q check", "check -q"),
        ("--quiet check .", "check . --quiet"),
        ("-v check --all", "check --all -v"),
        ("--plain check --notes", "check --notes --plain"),
        ("--plain -q check", "check --plain -q"),
        ("--plain plan --why b", "plan --why b --plain"),
        ("-q check -- .", "check -q -- ."),
        ("--plain", ""),
        ("-q --help", "--help"),
        ("--plain --version", "--version"),
    ],
)
def test_some_flags_may_come_before_the_command(typed, paper, edit, before, after):
    edit(r"By \ref{a}.", r"By some lemma, $\alpha$.")
    edit("Every A is positive", "Each A is positive")
    assert typed(*before.split()) == typed(*after.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-q graph", "pf graph: unknown option -q"),
        ("numbers --latex=1", "pf numbers: --latex takes no value, but got '1'"),
        ("-q -v check", "pf check: argument -v/--verbose: not allowed with argument -q/--quiet"),
        ("--notes check", "pf: unknown option --notes"),
        ("-q zzz", "pf: unknown command 'zzz'"),
        ("--plian check", "pf: unknown option --plian. Did you mean --plain?"),
    ],
)
def test_a_flag_that_a_command_lacks_is_refused_before_it_too(typed, words, said):
    status, out, err = typed(*words.split())
    assert (status, out, err.splitlines()[0]) == (2, "", said)


def test_the_flags_that_may_come_before_are_those_of_commands(typed):
    _, commands = whole_parser()
    flags = commands.choices["check"].flags()
    assert all(flag in flags for listed in ANYWHERE for flag in listed)
    assert all(flag in typed("--help")[1] for listed in ANYWHERE for flag in listed)


def test_the_names_of_papers_and_modules_are_proposed(typed, paper):
    assert typed("check", "--paper", "mian.tex")[2] == (
        "pf: unknown paper 'mian.tex'. Did you mean main.tex? Papers here: main.tex.\n"
    )
    assert typed("plan", "--why", "zzz")[2] == (
        "pf: unknown result 'zzz'; pf graph --format json lists all\n"
    )


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("> /dev/full", "pf: cannot write output: no space left\n"),
        (">&-", "pf: cannot write output: stdout is closed\n"),
    ],
)
def test_an_output_that_is_full_or_closed_is_a_sentence(paper, target, said):
    code = "from pfcore.cli.main import script; script()"
    done = subprocess.run(
        f'"{sys.executable}" -c "{code}" check --all {target}',
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, said)


FULL = Path("/dev/full")
NEEDS_FULL = pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")


@NEEDS_FULL
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--help", "pf: cannot write output: no space left\n"),
        ("--version", "pf: cannot write output: no space left\n"),
        ("check --help", "pf: cannot write output: no space left\n"),
        ("help writing", "pf: cannot write output: no space left\n"),
        ("completion fish", "pf: cannot write output: no space left\n"),
        ("schema check", "pf: cannot write output: no space left\n"),
        ("check --format json", "pf: cannot write output: no space left\n"),
    ],
)
def test_whatever_is_printed_to_a_full_output_is_no_success(paper, words, said):
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*CALL, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (3, said)


@NEEDS_FULL
@pytest.mark.parametrize(
    ("words", "status"),
    [("zzz", 2), ("check --zzz", 2), ("check --paper zzz", 2), ("check --head zzz", 2)],
)
def test_an_error_that_nobody_can_be_told_keeps_its_status(paper, words, status):
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run([*CALL, *words.split()], stderr=full, check=False)
    assert done.returncode == status


def test_a_folder_behind_an_option_is_where_a_command_works():
    parser, _ = whole_parser()
    for words in (
        ["dismiss", "6qcrygxd", "paper", "--reason", "Holds."],
        ["dismiss", "6qcrygxd", "--reason", "Holds.", "paper"],
        ["dismiss", "--reason", "Holds.", "6qcrygxd", "paper"],
    ):
        found = parser.parse_args(words)
        assert (found.finding, str(found.path), found.reason) == ("6qcrygxd", "paper", "Holds.")
    with pytest.raises(SystemExit):
        parser.parse_args(["dismiss", "6qcrygxd", "--reason", "Holds.", "paper", "more"])


@pytest.mark.parametrize("value", ["", "  "])
@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("report", "--out"), "--out"),
        (("check", "--config-from"), "--config-from"),
        (("check", "--base"), "--base"),
        (("check", "--model"), "--model"),
        (("check", "--paper"), "--paper"),
        (("plan", "--why"), "--why"),
        (("gate", "--out"), "--out"),
        (("gate", "--bundle"), "--bundle"),
        (("gate", "--head"), "--head"),
        (("gate", "--trust-lock"), "--trust-lock"),
        (("gate", "--root"), "--root"),
        (("gate", "--source"), "--source"),
        (("ci", "--out"), "--out"),
        (("dismiss", "x", "--reason", "known", "--who"), "--who"),
        (("audit", "--sample", "1", "--seed"), "--seed"),
        (("init", "--from"), "--from"),
        (("doctor", "--model"), "--model"),
    ],
)
def test_an_empty_value_of_an_option_is_refused(typed, words, option, value):
    for given in ((*words, value), (*words[:-1], f"{words[-1]}={value}")):
        status, _, err = typed(*given)
        assert (status, err.split("\n")[0]) == (2, f"pf {' '.join(words[:1])}: {option} is empty")


@pytest.mark.parametrize("words", [("check", ""), ("report", " "), ("demo", "")])
def test_an_empty_name_of_a_folder_is_refused(typed, words):
    status, _, err = typed(*words)
    assert (status, " is empty\n" in err) == (2, True)


ESCAPES = "\\u001b]0;owned\\u0007\\u001b[31m\\u009b2J\\u202e\\nGate passed."
"""As a TOML text has it: a title, a colour, a cleared screen, a turned line, and a line of ours."""


@pytest.mark.parametrize(
    "text",
    [
        'publish="{}"',
        '"{}"=1',
        '[checks]\ndisable=["{}"]',
        '[checks]\nseverity={{no-proof="{}"}}',
        '[checks]\nseverity={{"{}"="error"}}',
        '[checks]\nthreshold="{}"',
        '[[paper]]\nroot="{}.tex"',
        '[[paper]]\nname="{0}"\nroot="a.tex"\n[[paper]]\nname="{0}"\nroot="a.tex"',
        '[reading]\ngranularity="{}"',
        '[reading]\naccept=["{}"]',
        '[latex]\ntheorems={{"{}"=1}}',
        '[latex]\n"{}"=1',
    ],
)
@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_nothing_of_a_file_reaches_the_terminal_as_a_sequence(
    typed, tmp_path, monkeypatch, text, options
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.tex").write_text("\\documentclass{article}\\begin{document}\\end{document}")
    (tmp_path / "pf.toml").write_text(text.format(ESCAPES))
    status, out, err = typed("check", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.rstrip("\n").isprintable()


def test_nothing_that_is_typed_reaches_the_terminal_as_a_sequence(typed):
    for words in (("check", "a\nb\x1b[31m"), ("check\x1b[31m",), ("check", "--\x1b[31m")):
        _, out, err = typed(*words)
        assert (out + err).replace("\n", "").isprintable()
