"""Completion: the shells themselves say what they would complete."""

import shutil
import subprocess

import pytest

from pfcore.cli.commands.completion_command import SHELLS, completion
from pfcore.cli.main import main, whole_parser

ASK = """
source "$1"
COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2))
spec=$(complete -p pf)
"${spec##*-F }" 2>/dev/null || eval "$(sed 's/.*-F \\([^ ]*\\) .*/\\1/' <<< "$spec")"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(tmp_path, *words: str) -> set[str]:
    """What bash proposes for the last of these words."""
    script = tmp_path / "pf.bash"
    script.write_text(completion("bash", whole_parser()[0]), encoding="utf-8")
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        (["pf", "che"], {"check", "checks"}, {"plan"}),
        (["pf", ""], {"check", "gate", "serve", "bench"}, {"--version"}),
        (["pf", "-"], {"--version", "-V", "--help"}, {"--base"}),
        (["pf", "check", "--b"], {"--base", "--budget"}, {"--all", "--bundle"}),
        (["pf", "check", "--all", "--q"], {"--quiet"}, {"--base"}),
        (["pf", "graph", "--format", "d"], {"dot"}, {"json"}),
        (["pf", "schema", ""], {"check", "plan", "graph"}, {"gate"}),
        (["pf", "bench", "arx"], {"arxiv"}, {"check"}),
        (["pf", "completion", ""], set(SHELLS), {"sh"}),
    ],
)
def test_bash_completes_commands_options_and_their_words(tmp_path, words, some, none):
    found = completed(tmp_path, *words)
    assert some <= found
    assert not none & found


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    parser, commands = whole_parser()
    assert all(name in script for name in commands.choices)
    for one, _ in parser.subcommands().values():
        assert all(flag.lstrip("-") in script for flag in one.flags())


@pytest.mark.parametrize(("shell", "flag"), [("zsh", "-n"), ("fish", "--no-execute")])
def test_the_other_shells_can_read_their_script(tmp_path, shell, flag):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / shell
    script.write_text(completion(shell, whole_parser()[0]), encoding="utf-8")
    done = subprocess.run([program, flag, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
