"""How theorem-like environments and their counters are declared, as steps."""

import re

from pfcore.latex.lexer.groups import Groups
from pfcore.latex.project.declarations import option

Declared = tuple[tuple[tuple[str, ...], ...], int]
"""The arguments of `theorem` steps and where the declaration ends.

The arguments are: environment, sibling, within, `*` if unnumbered, `alias` if its own name for
the sibling's counter is made (`format` if that gets another form), the counter's name if that is
another.
"""

_ODD = {"number format", "number freestyle"}
_SIBLINGS = ("sibling", "sharenumber", "sharecounter", "numberlike", "numbersibling")
_PARENTS = ("parent", "numberwithin", "within")
_TCB = re.compile(
    r"(?:^|,)\s*(use counter from|use counter\*?|number within|number format|number freestyle)"
    r"\s*=\s*(\{[^{}]*\}|[^,]*)"
)


def declare(name: str, groups: Groups, position: int) -> Declared:
    """Read a declaration whose command ends at a position."""
    starred = groups.text.startswith("*", position)
    position += starred
    if name in ("declaretheorem", "newkeytheorem"):
        return _thmtools(groups, position)
    if name == "newEndThm":
        return _ending(groups, position)
    if name in ("newtcbtheorem", "NewTcbTheorem"):
        return _tcolorbox(groups, position, starred=starred)
    return _classic(name, groups, position, starred=starred)


def _classic(name: str, groups: Groups, position: int, *, starred: bool) -> Declared:
    """`\\newtheorem{env}[sibling]{Name}[within]` and those that look like it."""
    if name in ("newmdtheoremenv", "mdtheorem") and (options := groups.brackets(position)):
        position = options[1] + 1
    env, position = _argument(groups, position)
    sibling, position = _option(groups, position)
    _, position = _argument(groups, position)
    if not env:
        return (), position
    within = ""
    if not sibling:
        within, position = _option(groups, position)
    made = (env, sibling, within, "*" if starred else "", "", "")
    if name == "newtheoremrep":
        return (made, (f"{env}rep", env, "", "", "", "")), position
    return (made,), position


def _argument(groups: Groups, position: int) -> tuple[str, int]:
    span = groups.braces(position)
    return (groups.text[slice(*span)].strip(), span[1] + 1) if span else ("", position)


def _option(groups: Groups, position: int) -> tuple[str, int]:
    span = groups.brackets(position)
    return (groups.text[slice(*span)].strip(), span[1] + 1) if span else ("", position)


def _thmtools(groups: Groups, position: int) -> Declared:
    first, position = _option(groups, position)
    names, position = _argument(groups, position)
    second, position = _option(groups, position)
    texts = [text for text in (first, second) if text]
    sibling = _value(texts, _SIBLINGS)
    within = "" if sibling else _value(texts, _PARENTS)
    numbered = _value(texts, ("numbered",))
    mark = {"no": "*", "false": "*", "": "", "yes": "", "true": ""}.get(numbered, "?")
    envs = [env.strip() for env in names.split(",") if env.strip()]
    return tuple((env, sibling, within, mark, "alias", "") for env in envs), position


def _ending(groups: Groups, position: int) -> Declared:
    """`\\newEndThm[options]{lemE}{lemma}` (package proof-at-the-end)."""
    _, position = _option(groups, position)
    env, position = _argument(groups, position)
    sibling, position = _argument(groups, position)
    return ((env, sibling, "", "", "", ""),) if env and sibling else (), position


def _value(texts: list[str], keys: tuple[str, ...]) -> str:
    return next((found for text in texts for key in keys if (found := option(text, key))), "")


def _tcolorbox(groups: Groups, position: int, *, starred: bool) -> Declared:
    options, position = _option(groups, position)
    env, position = _argument(groups, position)
    for _ in range(3):
        _, position = _argument(groups, position)
    if not env:
        return (), position
    found = {key: value.strip("{} ") for key, value in _TCB.findall(options)}
    sibling = found.get("use counter") or found.get("use counter*") or ""
    source = found.get("use counter from", "")
    sibling = sibling or (f"tcb@cnt@{source}" if source else "")
    within = found.get("number within", "") if not sibling or "use counter" in found else ""
    mark = "*" if "no counter" in options else "?" if {*found} & _ODD else ""
    alias = "format" if "use counter" in found else ""
    made = (env, sibling, within, mark, alias, f"tcb@cnt@{env}")
    plain = (f"{env}*", "", "", "*", "", "")
    return (made, plain) if not starred else (made,), position
