"""The environments that a text declares: theorem-like ones, proofs, and others."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import matches
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.definitions import specified
from pfcore.latex.project import kinds

_DECLARER = regex(
    r"\\(?P<newtheorem>(?:re)?newtheorem(?P<rep>rep)?\*?|spnewtheorem\*?|spn@wtheorem"
    r"|newsiam(?:thm|remark))\s*\{(?P<env>[^{}\n]{1,60})\}"
    r"|\\(?P<thmtools>declaretheorem|newkeytheorem)(?![A-Za-z])"
    r"|\\(?P<framed>newmdtheoremenv|newframedtheorem|newshadedtheorem|newshadetheorem)(?![A-Za-z])"
    r"|\\(?P<box>newtcbtheorem|NewTcbTheorem|DeclareTColorBoxTheorem)(?![A-Za-z])"
    r"|\\(?P<aliascnt>newaliascnt)\{[^{}]*\}\{[^{}]*\}"
    r"|\\(?P<environment>(?:re)?newenvironment(?:x(?![A-Za-z])|\*)?|(?:New|Renew|Declare|Provide)DocumentEnvironment)"
    r"\s*\{(?P<name>[^{}\n]{1,60})\}"
    r"|\\(?P<ends>newEndThm)(?![A-Za-z])"
    r"|\\(?P<titled>(?:re)?newtcolorbox|(?:New|Renew|Declare|Provide)TColorBox)(?![A-Za-z])"
    r"|\\(?P<proofs>newproof)\s*\{(?P<proof>[^{}\n]{1,60})\}"
)


class Theorem(NamedTuple):
    """A declared theorem-like environment; `takes` says how its title is given: bracket or braces.

    `prefix`, which includes a separator, precedes the key that is given in braces.
    """

    env: str
    printed: str
    takes: str
    prefix: str


class Environment(NamedTuple):
    """A `\\newenvironment`: the code of its begin and end, and the number of its arguments.

    `default` is that of an optional first argument; `is_local` says that a group ends the
    definition; `is_theorem` that `\\newtheorem` made it, which may number its content; `forms` are
    its parameters in the form of a macro's, if more than the first one is optional.
    """

    name: str
    begin: str
    end: str
    arguments: int
    has_optional: bool
    default: str = ""
    is_local: bool = False
    is_theorem: bool = False
    forms: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Its parameters in the form of a macro's."""
        if self.forms:
            return self.forms
        optional = ("O" + self.default,) if self.has_optional else ()
        return (*optional, *("m",) * (self.arguments - len(optional)))


class Declarations(NamedTuple):
    """The environments that a text declares, and the spans of their definitions."""

    theorems: tuple[Theorem, ...]
    environments: tuple[Environment, ...]
    proofs: tuple[str, ...]
    silent: tuple[tuple[int, int], ...]


def by_name(environments: Iterable[Environment]) -> dict[str, Environment]:
    """The environments by name; a definition that ends with a group counts only if it is alone."""
    return {item.name: item for item in sorted(environments, key=lambda item: not item.is_local)}


def declarations(text: str, groups: Groups, places: Sequence[int] | None = None) -> Declarations:
    """The environments that a text declares; `places` are its sites, if known."""
    theorems: list[Theorem] = []
    environments: list[Environment] = []
    proofs: list[str] = []
    silent: list[tuple[int, int]] = []
    for match in matches(_DECLARER, text, places):
        if match["proof"]:
            proofs.append(match["proof"])
        if match["environment"]:
            made = _environment(match, groups)
            if made:
                environments.append(made[0])
                silent.append((match.start(), made[1]))
        elif match["titled"] or match["ends"]:
            environments += (own := (_titled_box if match["titled"] else _ending)(match, groups))
            silent += [(match.start(), match.start())] * len(own)
        elif reader := _READERS.get(match.lastgroup or ""):
            for theorem in reader(match, groups):
                begin = kinds.begin(theorem.printed)
                if begin:
                    environments.append(_proof(theorem.env, begin, is_theorem=not match["proof"]))
                    silent.append(_unread(match, groups))
                elif not match["proof"]:
                    theorems.append(theorem)
    return Declarations(tuple(theorems), tuple(environments), tuple(proofs), tuple(silent))


def _proof(env: str, begin: str, *, is_theorem: bool) -> Environment:
    return Environment(env, begin, "\\end{proof}", 0, False, is_theorem=is_theorem)


def _unread(match: re.Match[str], groups: Groups) -> tuple[int, int]:
    """The span of a `\\newproof`; an empty span for other declarations, which may number things."""
    title = groups.braces(match.end()) if match["proof"] else None
    return match.start(), title[1] + 1 if title else match.start()


def _newproof(match: re.Match[str], groups: Groups) -> list[Theorem]:
    printed = groups.braces(match.end())
    return [Theorem(match["proof"], groups.text[slice(*printed)], "bracket", "")] if printed else []


def _newtheorem(match: re.Match[str], groups: Groups) -> list[Theorem]:
    position = match.end()
    shared = groups.brackets(position)
    printed = groups.braces(shared[1] + 1 if shared else position)
    name = groups.text[slice(*printed)] if printed else ""
    if not printed:
        return []
    names = (match["env"], f"{match['env']}rep") if match["rep"] else (match["env"],)
    return [Theorem(env, name, "bracket", "") for env in names]


def _declaretheorem(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    names = groups.braces(options[1] + 1 if options else match.end())
    if not names:
        return []
    more = groups.brackets(names[1] + 1)
    settings = [groups.text[slice(*span)] for span in (options, more) if span]
    printed = next((found for text in settings if (found := option(text, "name"))), "")
    printed = printed or next((found for text in settings if (found := option(text, "title"))), "")
    envs = [name.strip() for name in groups.text[slice(*names)].split(",")]
    return [Theorem(env, printed or env, "bracket", "") for env in envs if env]


def _framed(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    env = groups.braces(options[1] + 1 if options else match.end())
    shared = groups.brackets(env[1] + 1) if env else None
    printed = groups.braces((shared or env)[1] + 1) if env else None
    if not env or not printed:
        return []
    return [Theorem(groups.text[slice(*env)], groups.text[slice(*printed)], "bracket", "")]


def _box(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    env = groups.braces(options[1] + 1 if options else match.end())
    printed = groups.braces(env[1] + 1) if env else None
    style = groups.braces(printed[1] + 1) if printed else None
    prefix = groups.braces(style[1] + 1) if style else None
    if not env or not printed:
        return []
    text = groups.text
    separator = _separator(text, text[slice(*style)]) if style else ":"
    before = f"{text[slice(*prefix)]}{separator}" if prefix else ""
    return [Theorem(text[slice(*env)], text[slice(*printed)], "braces", before)]


_SEPARATOR = regex(r"label separator\s*=\s*\{?(?P<sign>[^,{}\[\]\n]*)")
_STYLE = regex(r"(?P<name>[A-Za-z][\w -]{0,60})/\.(?:append )?style")
_TCBSET = regex(r"\\tcbset\s*\{")


def _separator(text: str, style: str) -> str:
    r"""The separator between a box's label prefix and a key: its own, or that of `\tcbset`.

    The setting of a style in the file holds for boxes that name the style.
    """
    own = _SEPARATOR.search(style)
    if own:
        return own["sign"].strip()
    for start in _TCBSET.finditer(text):
        for match in _SEPARATOR.finditer(text, start.end(), start.end() + _SETTINGS):
            above = list(_STYLE.finditer(text, start.end(), match.start()))
            if not above or re.search(rf"(?:^|,)\s*{re.escape(above[-1]['name'])}\b", style):
                return match["sign"].strip()
    return ":"


_SETTINGS = 3_000
r"""The most characters of a `\tcbset` that are searched."""


def boxed_key(theorem: Theorem, groups: Groups, position: int) -> tuple[str, int]:
    """The label that tcolorbox makes of the argument after a title, and where that ends."""
    start = groups.skip_space(position)
    is_command = groups.text.startswith("\\", start)
    span = None if is_command or "\n\n" in groups.text[position:start] else groups.token(start)
    if span is None:
        return "", position
    key = " ".join(groups.text[slice(*span)].split())
    return f"{theorem.prefix}{key}" if key else "", groups.after(span)


def _ending(match: re.Match[str], groups: Groups) -> list[Environment]:
    """`\\newEndThm[options]{lemE}{lemma}`: a statement whose proof is at the end."""
    options = groups.brackets(match.end())
    env = groups.braces(options[1] + 1 if options else match.end())
    other = groups.braces(env[1] + 1) if env else None
    if not env or not other:
        return []
    name, inner = (groups.text[slice(*span)].strip() for span in (env, other))
    return [
        Environment(name, f"\\begin{{{inner}}}", f"\\end{{{inner}}}", 0, False, is_theorem=True)
    ]


_TITLE = regex(r"(?:^|[,\s])title\s*=\s*(?P<title>[^,]{0,160}?\\thetcbcounter)")
_LABEL = regex(r"(?:^|[,\s])label\s*=\s*\{?(?P<key>[^{},\s]*#[1-9][^{},\s]*)")
_BOLD = regex(r"^(?:\{|\\(?:textbf|bfseries|bf)(?![A-Za-z])|\s)*")


def _titled_box(match: re.Match[str], groups: Groups) -> list[Environment]:
    """`\\newtcolorbox[auto counter]{thm}[2][]{title=Theorem~\\thetcbcounter: #2}` and the like."""
    setting = groups.brackets(match.end())
    env = groups.braces(setting[1] + 1 if setting else match.end())
    if not env:
        return []
    is_xparse = "TColor" in match["titled"]
    position = env[1] + 1
    count, default, position = (_specified if is_xparse else _counted)(position, groups)
    forms = _mixed(env[1] + 1, groups) if is_xparse else ()
    options = groups.braces(position)
    code = groups.text[slice(*options)] if options else ""
    shown = _TITLE.search(code)
    if not shown:
        return []
    title = _BOLD.sub("", shown["title"].strip()).replace("\\thetcbcounter", "\\thetcb")
    labels = "".join(f"\\label{{{found['key']}}}" for found in _LABEL.finditer(code))
    rest = "#1" * (default is not None and "#1" in code)
    begin = f"\\refstepcounter{{tcb}}\\textbf{{{title}}}{labels}{rest}"
    name = groups.text[slice(*env)].strip()
    made = Environment(name, begin, "", count, default is not None, default or "", forms=forms)
    return [made._replace(is_theorem=True)]


def _environment(match: re.Match[str], groups: Groups) -> tuple[Environment, int] | None:
    command = match["environment"].rstrip("*")
    forms: tuple[str, ...] = ()
    if command.endswith("x"):
        forms, position = _indexed(match.end(), groups)
        count, default = len(forms), forms[0][1:] if forms and forms[0] != "m" else None
    else:
        is_xparse = "Document" in command
        count, default, position = (_specified if is_xparse else _counted)(match.end(), groups)
        forms = _mixed(match.end(), groups) if is_xparse else ()
    begin = groups.braces(position)
    end = groups.braces(begin[1] + 1) if begin else None
    if not begin or not end:
        return None
    text = groups.text
    made = Environment(
        match["name"],
        text[slice(*begin)],
        text[slice(*end)],
        count,
        default is not None,
        default or "",
        forms=forms,
    )
    return made, end[1] + 1


_GRABBED = regex(r"[+!]?b\s{0,9}\Z")
"""The letter of xparse for the body of an environment, which does not count as an argument."""


def _specified(position: int, groups: Groups) -> tuple[int, str | None, int]:
    """The number of arguments by xparse's letters, the first one's default, and their end."""
    specification = groups.braces(position)
    if not specification:
        return 0, None, position
    said = _GRABBED.sub("", groups.text[slice(*specification)])
    letters = re.sub(r"\{[^{}]*\}|[\s+!]", "", said)
    default = re.match(r"\s*(?:o|O\s*\{([^{}]*)\})", said)
    return len(letters), default and (default[1] or ""), specification[1] + 1


def _mixed(position: int, groups: Groups) -> tuple[str, ...]:
    """The parameters by xparse's letters; () if they are plain, with at most one default."""
    specification = groups.braces(position)
    said = _GRABBED.sub("", groups.text[slice(*specification)]) if specification else ""
    forms = specified(said)
    if not forms or {*forms[1:], forms[0][0]} <= {"m", "O"}:
        return ()
    return forms


_INDEXED = regex(r"([1-9])\s*=\s*(?:\{([^{}]*)\}|([^,{}]*))")


def _indexed(position: int, groups: Groups) -> tuple[tuple[str, ...], int]:
    """The parameters of `\\newenvironmentx{name}[2][1=,2=]`, and where they end."""
    count, _, position = _counted(position, groups, has_default=False)
    forms = ["m"] * count
    listed = groups.brackets(position)
    for index, braced, plain in _INDEXED.findall(groups.text, *listed) if listed else ():
        if int(index) <= count:
            forms[int(index) - 1] = "O" + (braced or plain.strip())
    return tuple(forms), listed[1] + 1 if listed else position


def _counted(
    position: int, groups: Groups, *, has_default: bool = True
) -> tuple[int, str | None, int]:
    number = groups.brackets(position)
    if not number:
        return 0, None, position
    digits = groups.text[slice(*number)].strip()
    count = int(digits) if re.fullmatch("[0-9]", digits) else 0
    default = groups.brackets(number[1] + 1) if has_default else None
    text = groups.text[slice(*default)] if default else None
    return count, text, (default or number)[1] + 1


_READERS: dict[str, Callable[[re.Match[str], Groups], list[Theorem]]] = {
    "env": _newtheorem,
    "proof": _newproof,
    "thmtools": _declaretheorem,
    "framed": _framed,
    "box": _box,
}


def option(text: str, name: str) -> str:
    """The value of `name=value` in a list of options, without braces; empty if absent."""
    match = re.search(rf"(?:^|,)\s*{name}\s*=\s*(\{{[^{{}}]*\}}|[^,]*)", text)
    return match[1].strip().strip("{}").strip() if match else ""
