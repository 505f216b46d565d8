"""LaTeX's own commands as events, each with its arguments, and those that the settings add."""

import re

from pfcore.latex.lexer import commands
from pfcore.latex.lexer.event import CommandEvent, event_of
from pfcore.latex.lexer.groups import Groups

_QUOTED = re.compile(r'"([^"{}\\%\n]{1,200})"')
_OVERLAY = re.compile(r"<[^<>{}\n]{0,40}>")


def own(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    """The event of one of LaTeX's own commands, whose name ends at `end`."""
    return _OWN.get(name, _keyed)(groups, start, end, name)


def configured(groups: Groups, start: int, end: int, name: str, *, is_label: bool) -> CommandEvent:
    """The event of a command that the settings name: a label, or else a reference."""
    while bracket := groups.brackets(end):
        end = bracket[1] + 1
    argument = groups.braces(end)
    if not argument:
        return event_of((start, end, "silent", name, (), ""))
    inside = groups.text[slice(*argument)]
    kind, keys = ("label", _key(inside)) if is_label else ("reference", _keys(inside))
    return event_of((start, argument[1] + 1, kind, name, keys, ""))


def _silent(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    for _ in range(commands.SILENT[name]):
        bracket = groups.brackets(end)
        argument = groups.braces(bracket[1] + 1 if bracket else end)
        if not argument:
            break
        end = argument[1] + 1
    return event_of((start, end, "silent", name, (), ""))


def _alone(_: Groups, start: int, end: int, name: str) -> CommandEvent:
    return event_of((start, end, name, name, (), ""))


def _proof(_: Groups, start: int, end: int, name: str) -> CommandEvent:
    return event_of((start, end, "begin" if name == "proof" else "end", "proof", (), ""))


def _mark(_: Groups, start: int, end: int, name: str) -> CommandEvent:
    return event_of((start, end, "uses", name, (), ""))


def _section(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    short = groups.brackets(end)
    title = groups.braces(short[1] + 1 if short else end)
    if not title:
        return event_of((start, end, "silent", name, (), ""))
    return event_of((start, title[1] + 1, "section", name, (), groups.text[slice(*title)]))


def _input(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    text = groups.text
    first = groups.braces(end) if text[end : end + 1] == "{" else None
    if first is None:
        return _bare_input(text, start, end, name)
    target, end = text[slice(*first)].strip().strip('"'), first[1] + 1
    second = groups.braces(end) if name in commands.FOLDERS else None
    if second:
        target, end = f"{target}/{text[slice(*second)].strip()}", second[1] + 1
    return event_of((start, end, "input", name, (target,), ""))


def _bare_input(text: str, start: int, end: int, name: str) -> CommandEvent:
    """`\\input file`, which ends at white space; a name in quotes may hold some."""
    stop = end
    while text[stop : stop + 1] == " ":
        stop += 1
    begin = stop
    if quoted := _QUOTED.match(text, begin):
        return event_of((start, quoted.end(), "input", name, (quoted[1].strip(),), ""))
    while stop < len(text) and stop < begin + 200 and text[stop] not in " \n\t{}\\%[]":
        stop += 1
    target = text[begin:stop]
    return event_of(
        (start, stop, "input" if target else "silent", name, (target,) * bool(target), "")
    )


def _keyed(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    """Labels, references, citations and `\\uses`: options, then keys."""
    text = groups.text
    if overlay := _OVERLAY.match(text, end):  # beamer's `\\label<2>{a}`
        end = overlay.end()
    option = groups.brackets(end)
    note = text[slice(*option)] if option else ""
    end = option[1] + 1 if option else end
    while name in commands.CITES and option and (option := groups.brackets(end)):
        note, end = text[slice(*option)], option[1] + 1
    if name == "hyperref" and note:
        return event_of((start, end, "reference", name, _key(note), ""))
    argument = groups.braces(end)
    if argument is None or name == "hyperref":
        return event_of((start, end, "silent", name, (), note))
    inside, end = text[slice(*argument)], argument[1] + 1
    if name in commands.RANGES:
        second = groups.braces(end)
        if second:
            inside, end = f"{inside},{text[slice(*second)]}", second[1] + 1
        return event_of((start, end, "range", name, _keys(inside), ""))
    kind = commands.KIND_OF.get(name, "reference")
    keys = _key(inside) if name in commands.SINGLE else _keys(inside)
    return event_of((start, end, kind, name, keys, note))


def _key(text: str) -> tuple[str, ...]:
    """The one key of a command whose key may hold a comma."""
    return (" ".join(text.split()),) if text.strip() else ()


def _keys(text: str) -> tuple[str, ...]:
    if "," not in text and " " not in text and "\n" not in text:
        return (text,) if text else ()
    return tuple(" ".join(key.split()) for key in text.split(",") if key.strip())


_OWN = (
    dict.fromkeys(commands.MARKS, _mark)
    | dict.fromkeys(commands.INPUTS, _input)
    | dict.fromkeys(commands.SECTIONS, _section)
    | dict.fromkeys(("proof", "endproof"), _proof)
    | dict.fromkeys(("item", "appendix", "qed"), _alone)
    | dict.fromkeys(commands.SILENT, _silent)
)
"""What reads each of them, those with keys aside."""
