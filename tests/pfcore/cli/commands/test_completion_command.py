"""Completion: the shells themselves say what they would complete.

zsh and fish are no part of most machines: their tests are of the acceptance suite, before which
`.ci/run` installs both.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pfcore.cli.commands.completion_command import completion
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


SHELLS = ("bash", "zsh", "fish")
WANTED = pytest.mark.parametrize(
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


@WANTED
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


def program(shell: str) -> str:
    """Where a shell is; a test without it is skipped with the reason."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    return found


@pytest.mark.acceptance
@pytest.mark.parametrize(("shell", "flag"), [("zsh", "-n"), ("fish", "--no-execute")])
def test_the_other_shells_can_read_their_script(tmp_path, shell, flag):
    script = tmp_path / shell
    script.write_text(completion(shell, whole_parser()[0]), encoding="utf-8")
    done = subprocess.run(
        [program(shell), flag, str(script)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    script.write_text("if true; then\n", encoding="utf-8")
    broken = subprocess.run(
        [program(shell), flag, str(script)], capture_output=True, text=True, check=False
    )
    assert broken.returncode != 0, "a script that cannot be read would be noticed"


@pytest.mark.acceptance
@WANTED
def test_fish_completes_commands_options_and_their_words(tmp_path, words, some, none):
    script = tmp_path / "pf.fish"
    script.write_text(completion("fish", whole_parser()[0]), encoding="utf-8")
    line = " ".join(words)
    ask = 'source $argv[1]; complete -C "$argv[2]"'
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [program("fish"), "-N", "-c", ask, str(script), line],
        capture_output=True, text=True, check=True, cwd=tmp_path, env=os.environ | home,
    )  # fmt: skip
    found = {row.partition("\t")[0] for row in done.stdout.splitlines()}
    assert done.stderr == ""
    assert some <= found
    assert not none & found


ZSHRC = """
PS1='READY> '
autoload -Uz compinit; compinit -u -D
source "$SCRIPT"
compadd() {
  [[ ${@[1,(i)(-|--)]} == *-[OAD]* ]] && { builtin compadd "$@"; return }
  local -a found
  builtin compadd -A found "$@"
  print -rl -- "${found[@]}" >> "$FOUND"
  builtin compadd "$@"
}
"""


@pytest.mark.acceptance
@WANTED
def test_zsh_completes_commands_options_and_their_words(tmp_path, words, some, none):
    script, found = tmp_path / "pf.zsh", tmp_path / "found"
    script.write_text(completion("zsh", whole_parser()[0]), encoding="utf-8")
    (tmp_path / ".zshrc").write_text(ZSHRC, encoding="utf-8")
    found.touch()
    zsh = [program("zsh"), "-i", "-d"]
    said = typed(zsh, " ".join(words), tmp_path, {"SCRIPT": str(script), "FOUND": str(found)})
    listed = set(found.read_text(encoding="utf-8").split())
    assert some <= listed, said
    assert not none & listed


def typed(zsh: list[str], line: str, home: Path, more: dict[str, str]) -> str:
    """What a shell shows on a terminal of its own, where somebody types a line and a tab."""
    ours, theirs = os.openpty()
    own = {"HOME": str(home), "ZDOTDIR": str(home), "TERM": "dumb", "PATH": os.environ["PATH"]}
    seen = b""
    with subprocess.Popen(
        zsh, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home, env=own | more,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        while b"READY> " not in seen:
            seen += os.read(ours, 4096)
        os.write(ours, line.encode() + b"\t\x15exit\n")
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # as Linux says that the other side is closed
            pass
        os.close(ours)
        process.wait()
    return seen.decode(errors="replace")
