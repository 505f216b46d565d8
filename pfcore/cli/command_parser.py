"""The parser of `pf`: help in groups with an example each, and errors that say what to type.

An error precedes the usage, and names what was probably meant.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pfcore.cli.exit_status import tell, visible
from pfcore.domain.lazy_regex import regex

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

EXIT_STATUSES = (
    "exit status: 0 clean, 1 findings, 2 usage or configuration, 3 not reviewed,\n"
    "             4 internal"
)
GROUPS: dict[str, dict[str, str]] = {
    "Check": {
        "check": "pf check --base main",
        "plan": "pf plan --why thm:main",
        "recheck": "pf recheck lem:a --model NAME",
        "explain": "pf explain dangling-reference",
        "dismiss": "pf dismiss 6qcrygxd --reason 'Holds by (2).'",
        "checks": "pf checks",
    },
    "Explore": {
        "graph": "pf graph --format dot",
        "numbers": "pf numbers --latex",
        "report": "pf report --out report.html",
        "demo": "pf demo pf-demo",
        "help": "pf help writing",
    },
    "Submit": {
        "gate": "pf gate --allow-unread --bundle paper.tar.gz",
        "audit": "pf audit --sample 10 --model NAME",
    },
    "Maintain": {
        "init": "pf init --config --merge",
        "doctor": "pf doctor --model NAME",
        "upgrade": "pf upgrade --model NAME",
        "remove": "pf remove --cache",
        "schema": "pf schema check",
        "completion": "pf completion bash",
    },
    "Measure": {"bench": "pf bench --help"},
    "Serve": {"ci": "pf ci --out results", "serve": "pf serve --help"},
}
"""The commands by purpose, each with an example that runs."""
_EXAMPLES = {name: line for group in GROUPS.values() for name, line in group.items()}
_CHOICE = regex(r"(argument [^:]+: )?invalid choice: (['\"])(.*?)\2 \(choose from [\s\S]*\)")
_LACKING = regex(r"argument (?:-\w/)?(--[\w-]+): expected one argument")
_WITH_VALUE = regex(r"argument (?:-\w/)?(-[\w-]+): ignored explicit argument ('.*')")
_UNKNOWN = regex(r"unrecognized arguments: ([\s\S]*)")
_COLUMN = 12
_FREE = "TEXT"
"""The metavar of free text; the command itself reports an empty one."""


class CommandParser(argparse.ArgumentParser):
    """A parser of `pf` or of one of its commands."""

    _given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and what was probably meant, then the usage in one line; status 2."""
        tell(f"{self.prog}: {visible(self._told(message))}\n{self._short_usage()}\n")
        raise SystemExit(2)

    def parse_known_args(  # type: ignore[override]  # typeshed has three overloads
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Like the standard library, except that a command itself rejects unknown arguments."""
        self._given = list(sys.argv[1:] if args is None else args)
        found, others = super().parse_known_args(args, namespace)
        if others and not self.subcommands():
            # The standard library fills optional positionals only from the words before the first
            # option; in `pf dismiss ID --reason '…' paper`, the folder comes after one.
            free = [
                action
                for action in self.places()
                if action.nargs == "?" and getattr(found, action.dest) is action.default
            ]
            if len(others) > len(free) or any(word.startswith("-") for word in others):
                self.error(f"unrecognized arguments: {' '.join(others)}")
            for action, word in zip(free, others, strict=False):
                value = action.type(word) if callable(action.type) else word
                setattr(found, action.dest, value)
            others = []
        return found, others

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        """Like the standard library, but refuse an empty word, which an unset shell variable gives.

        As a path, it would mean the working folder; as a revision, none.
        """
        is_word = action.nargs in (None, "?")  # several words may belong to a subcommand
        is_named = bool(action.option_strings) or action.type is Path or is_word
        may_be_empty = action.default == "" or action.metavar == _FREE
        if is_named and not may_be_empty and any(not word.strip() for word in arg_strings):
            name = max(action.option_strings, key=len, default=str(action.metavar or action.dest))
            self.error(f"{name} is empty")
        return super()._get_values(action, arg_strings)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike the standard library, raise an error if the disk is full."""
        (file or sys.stdout).write(self.format_help())

    def format_help(self) -> str:
        """The help; that of `pf` itself lists the commands in groups."""
        commands = self.subcommands()
        if not commands or " " in self.prog:
            return super().format_help()
        parts = [
            f"usage: {self.prog} COMMAND [OPTION...]",
            self.description or "",
            *self._grouped(has_examples=True),
            "Each command has its own --help. Options: -h, --help; -V, --version; for some\n"
            "commands, before or after their name: -q, --quiet; -v, --verbose; --plain.",
            EXIT_STATUSES,
        ]
        return "\n\n".join(parts) + "\n"

    def short_help(self, hint: str) -> str:
        """The description, a hint what to run now, and one line for each command."""
        head = [self.description or "", hint, "Commands (pf --help has an example of each):"]
        return "\n\n".join([*head, *self._grouped(has_examples=False)])

    def _grouped(self, *, has_examples: bool) -> Iterator[str]:
        said = {name: text for name, (_, text) in self.subcommands().items()}
        for title, listed in _groups(said):
            lines = [f"{title}:"]
            for name, text in listed:
                lines.append(f"    {name:{_COLUMN}}{text}")
                shown = example(name) if has_examples else ""
                lines += [f"    {'':{_COLUMN}}  {shown}"] if shown else []
            yield "\n".join(lines)

    def subcommands(self) -> dict[str, tuple[CommandParser, str]]:
        """The subcommands of this parser, each with its help text."""
        found: dict[str, tuple[CommandParser, str]] = {}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - no public name
                said = {item.dest: item.help or "" for item in action._choices_actions}  # noqa: SLF001
                found |= {name: (one, said.get(name, "")) for name, one in action.choices.items()}
        return found

    def flags(self) -> list[str]:
        """All options as they are typed."""
        return [flag for action in self._actions for flag in action.option_strings]

    def choices_of(self, flag: str) -> list[str]:
        """The words that an option accepts; none if it accepts any word, or takes no value."""
        action = self._option_string_actions.get(flag)
        return [str(one) for one in action.choices] if action and action.choices else []

    def places(self) -> list[argparse.Action]:
        """The positional arguments, without subcommands."""
        is_command = argparse._SubParsersAction  # noqa: SLF001 - no public name
        positional = (one for one in self._actions if not one.option_strings)
        return [one for one in positional if not isinstance(one, is_command)]

    def _short_usage(self) -> str:
        names = [
            action.dest.upper() if action.nargs != "?" else f"[{action.dest.upper()}]"
            for action in self.places()
        ]
        words = ["COMMAND", *names] if self.subcommands() else names
        return f"usage: {self.prog} {' '.join(['[OPTION...]', *words])}  ({self.prog} --help)"

    def _told(self, message: str) -> str:
        """The message in our words, with what was probably meant."""
        if choice := _CHOICE.fullmatch(message):
            return self._not_chosen(choice[1] or "", choice[3])
        if lacking := _LACKING.fullmatch(message):
            action = self._option_string_actions[lacking[1]]
            value = action.metavar or "|".join(map(str, action.choices or ["VALUE"]))
            needed = [place.dest.upper() for place in self.places() if place.required]
            line = " ".join([self.prog, *needed, lacking[1], str(value)])
            return f"{lacking[1]} needs a value: {line}"
        if valued := _WITH_VALUE.fullmatch(message):
            return f"{valued[1]} takes no value, but got {valued[2]}"
        if unknown := _UNKNOWN.fullmatch(message):
            words = unknown[1].split()
            flag = next((word for word in words if word.startswith("-")), "")
            named = f"unknown option {flag}" if flag else f"unexpected argument {words[0]}"
            return named + meant(flag.partition("=")[0], self.flags())
        if self.subcommands():  # argparse reports a missing command before unknown options
            given = [word.partition("=")[0] for word in self._given if word.startswith("-")]
            for flag in set(given).difference(self.flags()):
                return f"unknown option {flag}{meant(flag, self.flags())}"
        return message

    def _not_chosen(self, argument: str, word: str) -> str:
        commands = self.subcommands()
        if commands:
            return f"unknown command '{word}'{meant(word, commands)}"
        name = argument.removeprefix("argument ").removesuffix(": ")
        actions = [one for one in self._actions if name in ("/".join(one.option_strings), one.dest)]
        choices = [str(one) for action in actions for one in action.choices or ()]
        listed = f"; expected {' or '.join(choices)}" if choices else ""
        return f"invalid {name} '{word}'{listed}{meant(word, choices)}"


def meant(word: str, known: Iterable[str]) -> str:
    """`. Did you mean check?` if a known word is similar; else ""."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(dict.fromkeys(known)), n=2, cutoff=0.6)
    return f". Did you mean {' or '.join(found)}?" if found else ""


def example(name: str) -> str:
    """An example of a command; "" if none is known."""
    return _EXAMPLES.get(name, "")


def _groups(said: Mapping[str, str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The commands with their help, by group; commands without a group come last."""
    for title, listed in GROUPS.items():
        found = [(name, said[name]) for name in listed if name in said]
        if found:
            yield title, found
    others = [(name, text) for name, text in said.items() if name not in _EXAMPLES]
    if others:
        yield "More", others
