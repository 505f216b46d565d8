"""The arguments of the commands and environments that numbering listens to."""

import re

from pfcore.latex.lexer import commands
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.project.declarations import Environment, Theorem
from pfcore.latex.project.syntax import LISTS

Span = tuple[int, int]
_COMMAND = re.compile(r"\s*\{?\s*\\[A-Za-z@]+\s*\}?")
_BARE = re.compile(r"[ \t]*([^\s{}\\%\[\]]{1,200})")


def argument_spans(form: str, groups: Groups, position: int) -> tuple[list[Span | None], int]:
    """Spans of arguments, `m`andatory or `o`ptional; None where one is missing.

    A mandatory argument may be a single command.
    """
    found: list[Span | None] = []
    for kind in form:
        if groups.text.startswith("*", position):
            position += 1
        span = groups.brackets(position) if kind == "o" else groups.braces(position)
        if span is None and kind == "m":
            bare = groups.token(position)
            is_command = bare is not None and groups.text.startswith("\\", bare[0])
            span = bare if is_command else None
        found.append(span)
        position = groups.after(span) if span else position
    return found, position


def read_arguments(form: str, groups: Groups, position: int) -> tuple[list[str], int]:
    """The texts of arguments, empty where one is missing."""
    found, position = argument_spans(form, groups, position)
    return [groups.text[slice(*span)].strip() if span else "" for span in found], position


def of_environment(own: Environment, groups: Groups, position: int) -> tuple[list[str], int]:
    """The arguments of an environment that the paper defines."""
    values: list[str] = []
    for index in range(own.arguments):
        is_optional = index == 0 and own.has_optional
        span = groups.brackets(position) if is_optional else groups.token(position)
        values.append(groups.text[slice(*span)] if span else "")
        position = groups.after(span) if span else position
    return values, position


def of_display(name: str, groups: Groups, position: int) -> tuple[str, int]:
    """The display that an environment is, and where its arguments end."""
    if name == "empheq":
        (_, inner), position = read_arguments("om", groups, position)
        return inner.partition("=")[0], position
    if name.rstrip("*") in ("alignat", "xalignat", "xxalignat", "IEEEeqnarray", "numcases"):
        _, position = read_arguments("om" if name.startswith("IEEE") else "m", groups, position)
    return name, position


def of_plain(
    name: str, groups: Groups, position: int, theorem: Theorem | None
) -> tuple[tuple[str, ...], int]:
    """What else to know of an environment's begin, and where to read on."""
    if name.rstrip("*") in ("restatable", "thmrestate"):
        (_, env, macro), position = read_arguments("omm", groups, position)
        return (env, macro), position
    if name.rstrip("*") == "theoremEnd":
        (options, env), position = read_arguments("om", groups, position)
        return (env, "") if "all end" not in options else (), position
    if name.rstrip("*") in LISTS:
        (options,), after = read_arguments("o", groups, position)
        return (options or ("[]" if after > position else ""),), position
    if theorem is not None and theorem.takes == "braces":
        (_, _, key), after = read_arguments("omm", groups, position)
        joined = f"{theorem.prefix}:{key}" if theorem.prefix else key
        return (joined,) if key else (), after
    return (), position


def of_input(name: str, groups: Groups, position: int) -> tuple[str, int]:
    """The file that a command reads in."""
    if groups.text.startswith("{", groups.skip_space(position)):
        values, position = read_arguments(
            "mm" if name in commands.FOLDERS else "m", groups, position
        )
        return values[-1].strip('"'), position
    match = _BARE.match(groups.text, position)
    return (match[1], match.end()) if match else ("", position)


def past_command(text: str, position: int) -> int:
    """Behind the command that is an argument here."""
    match = _COMMAND.match(text, position)
    return match.end() if match else position
