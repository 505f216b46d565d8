r"""Labels that a paper's own environments and commands make of an argument, even indirectly.

Examples: `\NewDocumentEnvironment{eq}{o}{\labelled{#1}}{…}` with
`\NewEnviron{labelled}[1]{…\label{#1}…}`, boxes with `label={thm:#4}`, an environment called as a
command. Also labels that LaTeX computes, `\label{\thesection}`; labels in options of listings and
in the paper's own keys; labels in hooks, and by computed commands: `\csname label\endcsname`.

It also finds the labels to which the code of environments and of hooks in the preamble refers.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import SINGLE, alternatives
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros import macro
from pfcore.latex.macros.macro import NO_VALUE, Macro
from pfcore.latex.project.declarations import Environment

_DEFINED = regex(
    r"\\(?:(?:(?:New|Renew|Declare|Provide)(?:Total)?T(?:Color|CB)Box|(?:re)?newtcolorbox"
    r"|(?:re)?newtcbtheorem)"
    r"\s*(?:\[[^\[\]]*\])?|(?:(?:(?:re)?new|lstnew)environment\*?|(?:Ren|N)ewEnviron"
    r"|(?:New|Renew|Declare|Provide)Document(?:Environment|Command)|(?:re)?newcommand\*?))"
    r"\s*(?:\{\s*\\?(?P<name>[A-Za-z@*]+)\s*\}|\\(?P<bare>[A-Za-z@]+))"
    r"|\\[gex]?def\\(?P<by_def>[A-Za-z@]+)[^{}\\\n]{0,60}(?=\{)"
)
_WORDS_OF_DEFINITIONS = (
    *("newcommand", "newenvironment", "ewEnviron", "DocumentEnvironment", "DocumentCommand"),
    *("TColorBox", "TCBBox", "newtcolorbox", "newtcbtheorem", "def\\"),
)
"""Every match of `_DEFINED` has one of these, but few files do: searching them is far faster."""
_LABEL = regex(
    r"\\(?:new)?label\s*(?:\[[^\[\]{}#]{0,60}\]\s*)?\{([^{}]{0,100}#[1-9][^{}]{0,100})\}"
)
_OPTION = regex(
    r"[{,\s](?:phantom)?label\s*=\s*\{?([^{},\[\]\n]{0,100}#[1-9][^{},\[\]\n]{0,100})\}?"
)
_COMPUTED_OPTION = regex(
    r"[{,\s](?:phantom)?label\s*=\s*"
    r"(?:\{\s*((?:[^{}]|\{[^{}]{0,60}\}){0,200}?)\s*\}|([^{},\[\]\s][^{},\[\]\n]{0,100}))"
)
_IS_BOX = regex(r"\\\w{0,20}(?:[Bb]ox|tcbtheorem)(?![A-Za-z])")
_ENTRY = regex(
    r"(?:(?:[gex]?def|let)\s{0,9}\\csname\s{0,9}r@(?P<spelt>[^{}\\\n]{1,100}?)\s{0,9}\\endcsname"
    r"|\\(?:@namedef|cs(?:[gex]?def|g?let)|(?:cs|tl)_(?:new|g?set)\w{0,20}:c\w{0,4})"
    r"\s{0,9}\{\s{0,9}r@(?P<named>[^{}\\\n]{1,100}?)\s{0,9}\})"
)
"""LaTeX's internal record of a label, set directly: `\\@namedef{r@#1}{{4}{1}}`."""
_LEGEND = regex(r"(?:legend|colorbar) to name\s*=\s*\{?\s*([^{},\[\]\n]{1,100})")
_SLOT = regex(r"#[1-9]")
_CALLED = regex(r"\\([A-Za-z@_:]+)")
_SPELT = regex(
    r"\\(?:newlabel|csname\s{0,9}label\s{0,9}\\endcsname|(?:csuse|@nameuse)\s{0,9}\{label\})"
    r"\s{0,9}\{([^{}#\\\n]{1,100})\}"
)
_HOOK = regex(
    r"\\(?:At(?:Begin|End|Every)[A-Za-z]{1,30}|(?:Before|After)(?:Begin|End)[A-Za-z]{1,30}|AddToHook"
    r"|(?:app|pre)tocmd|patchcmd|[gex]?(?:app|pre)to|addto(?:@hook)?|g@addto@macro)(?![A-Za-z@])"
    r"\s{0,9}(?:\\[A-Za-z@]{1,40})?"
)
_PLAIN_LABEL = regex(r"\\label\s{0,9}\{([^{}#\\\n]{1,100})\}")
_KEY = regex(
    r"(?P<pgf>[A-Za-z][A-Za-z -]{0,40})/\.(?:(?:code|style)(?: \d args)?|e?store in)\s{0,9}="
    r"|(?P<expl>[A-Za-z][A-Za-z-]{0,40}?)\s{0,9}\.(?:code:n|tl_g?set:N)\s{0,9}="
    r"|\\define@key\s{0,9}\{[^{}]{1,60}\}\s{0,9}\{\s{0,9}(?P<plain>[^{}\n]{1,60}?)\s{0,9}\}"
    r"\s{0,9}(?:\[[^\[\]]{0,60}\])?"
)
"""The definition of a key, up to its code or to the macro with its value."""
_WORDS_OF_KEYS = (
    *("/.code", "/.style", "/.store in", "/.estore in"),
    *(".code:n", ".tl_set:N", ".tl_gset:N"),
    "\\define@key",
)
"""Every match of `_KEY` has one of these: searching for them is far faster than the pattern."""
_HOLDER = regex(r"\s{0,9}\{?\s{0,9}\\(?P<name>[A-Za-z@_:]{1,60})\s{0,9}(?=[,}\s])")
_HOLDS = regex(
    r"\\(?:[gex]?def|(?:re)?newcommand\*?|tl_g?set:Nn)\s{0,9}\{?\s{0,9}\\"
    r"(?P<name>[A-Za-z@_:]{1,60})\s{0,9}\}?\s{0,9}\{\s{0,9}#1\s{0,9}\}"
)
_LISTED = regex(
    r"\\(?:begin\s{0,20}\{(?P<code>[A-Za-z]{0,4}[Vv]erbatim\*?|lstlisting|minted)\}"
    r"|lstinputlisting(?![A-Za-z]))"
)
_LABELLED = regex(r"(?<!\w)label\s*=\s*(?:\{([^{}#\\\n]{1,100})\}|([^\s,\]{}#\\]{1,100}))")
_NAMED = r"(?:\s*\{[^{}]*\}){0,2}"
_COMPUTED = regex(
    r"\\csname.*?\\endcsname"
    rf"|(?P<counted>\\(?:arabic|[Rr]oman|[Aa]lph|fnsymbol|number|value|the(?:[A-Za-z@]+|\s*(?=\\))))"
    rf"(?:\s*\\(?:value|c@[A-Za-z@]+))?{_NAMED}"
    rf"|\\[A-Za-z@]+{_NAMED}\s?|#+[1-9]",
    re.DOTALL,
)
_ANYTHING = r"[\w.:-]+"
_DIGITS = r"\d+|[A-Za-z]|[ivxlcdm]+|[IVXLCDM]+"
_NUMBER = rf"(?:{_DIGITS})(?:[.:-](?:{_DIGITS}))*"
_OWN_NUMBER = rf"{_NUMBER}|[\w.:-]*\d[\w.:-]*"
"""The printed form of a counter in LaTeX's classes, and in a form defined by a paper."""
_SET = regex(r"\\label\s*(?=\{)")
_MOST_GROUPS, _MOST_HANDED, _MOST_MAKERS = 6, 8, 200


class _Defined(NamedTuple):
    """A name that a text defines, with the text of its definition."""

    name: str
    body: str
    is_box: bool


class LabelArguments:
    """The labels that the texts of a paper make in these ways, found lazily."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._computed: list[re.Pattern[str]] | None = None

    def may_compute(self, key: str, labels: Iterable[str]) -> bool:
        """Whether this label may result from one that LaTeX computes in part.

        `labels` are those in the paper's text, and those that its commands set there.
        """
        if self._computed is None:
            keys = dict.fromkeys([*(key for key in labels if "\\" in key), *self._begun])
            held = (one for one in keys if not self._keys[1].issuperset(_CALLED.findall(one)))
            self._computed = [self._shape(one) for one in held]
        return any(shape.fullmatch(key) for shape in self._computed)

    @cached_property
    def _begun(self) -> list[str]:
        """The labels set by the code or box options of environments that some text begins."""
        held = [one for one in self._defined if "\\label" in one.body or one.is_box]
        names = list(dict.fromkeys(one.name for one in held))
        begun = {name for groups in self._groups for name, *_ in _uses(groups, names)}
        found: list[str] = []
        for _, body, is_box in (one for one in held if one.name in begun):
            if is_box:
                options = _COMPUTED_OPTION.findall(body)
                found += [key for pair in options for key in pair if _counts(key)]
            groups = Groups(body)
            spans = (groups.braces(match.end()) for match in _SET.finditer(body))
            keys = (body[slice(*span)].strip() for span in spans if span)
            found += [key for key in keys if "\\" in key]
        return found

    def _shape(self, key: str) -> re.Pattern[str]:
        """A pattern for the results of a label that LaTeX computes in part."""
        pieces: list[str] = []
        done = 0
        for match in _COMPUTED.finditer(key):
            number = match["counted"]
            made = self._number(number) if number else _ANYTHING
            pieces += [re.escape(key[done : match.start()]), f"(?:{made})"]
            done = match.end()
        return re.compile("".join((*pieces, re.escape(key[done:]))))

    def _number(self, command: str) -> str:
        """A pattern for the output of a command that prints the number of a counter."""
        own = re.compile(rf"(?:ommand\*?|def|let)\s*\{{?\s*{re.escape(command)}(?![A-Za-z@])")
        texts = (groups.text for groups in self._groups)
        is_own = any(command in text and own.search(text) for text in texts)
        return _OWN_NUMBER if is_own else _NUMBER

    def makes(self, key: str) -> bool:
        """Whether an environment, command or key is used with an argument that makes this label."""
        if key in self._legends or key in self._spelt or self._is_given_to_a_key(key):
            return True
        for name, forms in self._forms.items():
            for form in forms:
                before, _, behind = form.partition("#")
                is_like = key.startswith(before) and key.endswith(behind)
                value = key[len(before) : len(key) - len(behind)]
                if is_like and value and value in self._given.get(name, ()):
                    return True
        return False

    def follows(self, key: str) -> bool:
        r"""Whether all labels of a form, `thm:#1`, are known, in the paper's text or to `makes`.

        They are if definitions alone set them, and if all uses of these have plain arguments.
        """
        form = _SLOT.sub("#", key).strip()
        names = [name for name, forms in self._forms.items() if form in forms]
        bodies = [body for name, body, _ in self._defined if name in names]
        if not names or form.count("#") != 1:
            return False
        if _count(key, (one.text for one in self._groups)) != _count(key, bodies):
            return False
        values = [value for name in names for value in self._given.get(name, ())]
        if any(re.search(r"[#\\]", value) and not _SLOT.fullmatch(value) for value in values):
            return False
        slot = int(key[key.index("#") + 1])
        makers = [name for name, body, _ in self._defined if key in _LABEL.findall(body)]
        uses = (use for groups in self._groups for use in _uses(groups, makers))
        if any(0 < len(use.values) < slot for use in uses):
            return False
        listed = alternatives(names)
        called, begun = rf"(?:{listed})(?![A-Za-z@*])", rf"\\begin\s*\{{\s*(?:{listed})\s*\}}"
        named = re.compile(rf"(?:\\|csname\s*|(?:csuse|@nameuse)\s*\{{\s*){called}|{begun}")
        meant = re.compile(
            rf"(?:\\{called}|{begun})(?=\s*[\[{{])|ommand\*?\s*\{{\s*\\{called}(?=\s*\}})"
        )
        return all(len(named.findall(g.text)) == len(meant.findall(g.text)) for g in self._groups)

    @cached_property
    def _spelt(self) -> frozenset[str]:
        """The labels in hooks, by computed commands, or by the command of an .aux file."""
        found: set[str] = set()
        for groups in self._groups:
            found.update(_SPELT.findall(groups.text))
            found.update(key for key in _entries(groups.text) if "#" not in key)
            for hook in _HOOK.finditer(groups.text) if "\\label" in groups.text else ():
                for span in groups.side_by_side(hook.end(), _MOST_GROUPS):
                    found.update(_PLAIN_LABEL.findall(groups.text, *span))
        return frozenset(key.strip() for key in found)

    def _is_given_to_a_key(self, label: str) -> bool:
        """Whether a key of the paper that sets labels is given a value that makes this one."""
        for name, form in self._keys[0]:
            before, _, behind = form.partition("#")
            value = label[len(before) : len(label) - len(behind)]
            if not (value and label.startswith(before) and label.endswith(behind)):
                continue
            given = re.compile(
                rf"(?<![\w-]){re.escape(name)}\s{{0,9}}=\s{{0,9}}(?:\{{[^{{}}]{{0,300}}\}}\s{{0,9}})?"
                rf"\{{?\s{{0,9}}{re.escape(value)}\s{{0,9}}[,}}\]]"
            )
            if any(given.search(groups.text) for groups in self._groups):
                return True
        return False

    @cached_property
    def _keys(self) -> tuple[list[tuple[str, str]], frozenset[str]]:
        """The keys that set labels, each with the label's form, and macros with values of keys."""
        found: list[tuple[str, str]] = []
        holders: set[str] = set()
        for groups in self._groups:
            if not any(map(groups.text.__contains__, _WORDS_OF_KEYS)):
                continue
            for match in _KEY.finditer(groups.text):
                name = " ".join((match["pgf"] or match["expl"] or match["plain"]).split())
                span = groups.braces(match.end())
                code = groups.text[slice(*span)] if span else ""
                made = (*_LABEL.findall(code), *_OPTION.findall(code))
                found += [(name, _SLOT.sub("#", form).strip()) for form in made]
                holder = _HOLDS.search(code) or _HOLDER.match(groups.text, match.end())
                if holder and (held := self._with_value_of(holder["name"])):
                    holders.add(holder["name"])
                    found += [(name, form) for form in held]
        return found, frozenset(holders)

    def _with_value_of(self, macro: str) -> list[str]:
        """The labels that contain the value of a macro, with "#" for it."""
        held = re.compile(
            rf"\\label\s*\{{([^{{}}]{{0,100}})\\{re.escape(macro)}(?![A-Za-z@_:])\s*([^{{}}]{{0,100}})\}}"
        )
        return [f"{m[1]}#{m[2]}" for g in self._groups for m in held.finditer(g.text)]

    @cached_property
    def _legends(self) -> frozenset[str]:
        """The names that plots give to their legends, which are labels (package pgfplots)."""
        named = (
            name
            for groups in self._groups
            if " to name" in groups.text
            for name in _LEGEND.findall(groups.text)
        )
        return frozenset(" ".join(name.split()) for name in named)

    @cached_property
    def _groups(self) -> list[Groups]:
        return [Groups(mask(text).text) for text in self._texts]

    @cached_property
    def _forms(self) -> Mapping[str, frozenset[str]]:
        """The labels that each name makes, with "#" for an argument."""
        bodies: dict[str, str] = {}
        found: dict[str, set[str]] = {}
        for name, body, _ in self._defined:
            bodies[name] = f"{bodies.get(name, '')} {body}"
            keys = (*_LABEL.findall(body), *_OPTION.findall(body), *_entries(body))
            forms = {_SLOT.sub("#", key).strip() for key in keys} | self._keyed(body)
            found.setdefault(name, set()).update(form for form in forms if form.count("#") == 1)
        for _ in range(_MOST_HANDED):
            known = list(islice((name for name, forms in found.items() if forms), _MOST_MAKERS))
            handed = {name: self._handed(body, known, found) for name, body in bodies.items()}
            if all(forms <= found[name] for name, forms in handed.items()):
                break
            for name, forms in handed.items():
                found[name] |= forms
        return {name: frozenset(forms) for name, forms in found.items() if forms}

    def _keyed(self, body: str) -> set[str]:
        """The labels made by a body that passes an argument to a key that sets labels."""
        keys = [(name, form) for name, form in self._keys[0] if name in body]
        groups = Groups(body) if keys else None
        found: set[str] = set()
        for name, form in keys:
            for match in re.finditer(rf"(?<![\w-]){re.escape(name)}\s{{0,9}}=", body):
                spans = groups.side_by_side(match.end(), _MOST_GROUPS) if groups else ()
                if any(_SLOT.fullmatch(body[slice(*span)].strip("{} ")) for span in spans):
                    found.add(form)
        return found

    @cached_property
    def _defined(self) -> list["_Defined"]:
        """The names that the texts define, each with the text of its definition."""
        found: list[_Defined] = []
        for groups in self._groups:
            if not any(map(groups.text.__contains__, _WORDS_OF_DEFINITIONS)):
                continue
            for match in _DEFINED.finditer(groups.text):
                most = 1 if match["by_def"] else _MOST_GROUPS
                ends = list(groups.side_by_side(match.end(), most))
                end = ends[-1][1] if ends else match.end()
                name = match["name"] or match["bare"] or match["by_def"]
                is_box = _IS_BOX.match(match[0]) is not None
                found.append(_Defined(name, groups.text[match.end() : end], is_box))
        return found

    @staticmethod
    def _handed(body: str, known: Sequence[str], found: Mapping[str, set[str]]) -> set[str]:
        r"""The labels made by a body that passes an argument on to names whose labels are known.

        One that ends with such a name passes on what follows it: `{\theoremlike{Lemma}}`.
        """
        makers = [name for name in known if name in body]
        groups = Groups(body)
        return {
            form
            for name, values, is_last in _uses(groups, makers)
            if (is_last and "#" not in body) or any(_SLOT.fullmatch(value) for value in values)
            for form in found[name]
        }

    @cached_property
    def _given(self) -> Mapping[str, frozenset[str]]:
        """The arguments with which each name that makes labels is used."""
        given: dict[str, set[str]] = {}
        for groups in self._groups:
            for name, values, _ in _uses(groups, list(self._forms)):
                given.setdefault(name, set()).update(values)
        return {name: frozenset(values) for name, values in given.items()}


_NOT_DEFINED = r"(?<!def\\)(?<!command\\)(?<!command\*\\)"
"""Follows the backslash of a command that is used, rather than defined."""


def _count(key: str, texts: Iterable[str]) -> int:
    """How often texts set a label with arguments in it."""
    return sum(_LABEL.findall(text).count(key) for text in texts)


def _counts(key: str) -> bool:
    """Whether a key contains the number of a counter."""
    return any(match["counted"] for match in _COMPUTED.finditer(key))


def _entries(text: str) -> Iterator[str]:
    """The labels that a text sets in LaTeX's internal way, like an .aux file."""
    for match in _ENTRY.finditer(text) if "r@" in text else ():
        yield match["spelt"] or match["named"]


class _NameUse(NamedTuple):
    """The use of a name with its arguments, and whether nothing follows it in its text."""

    name: str
    values: list[str]
    is_last: bool


def _uses(groups: Groups, names: list[str]) -> Iterator[_NameUse]:
    """The uses of some names in a text, as environments or commands, with their arguments."""
    if not names:
        return
    listed = alternatives(names)
    used = (
        rf"\\{_NOT_DEFINED}(?:begin\s*\{{\s*(?P<begun>{listed})\s*\}}"
        rf"|(?P<called>{listed})(?![A-Za-z@*]))"
    )
    for match in re.finditer(used, groups.text):
        spans = list(groups.side_by_side(match.end(), _MOST_GROUPS))
        values = [groups.text[slice(*span)].strip() for span in spans]
        end = spans[-1][1] + 1 if spans else match.end()
        is_last = match["called"] is not None and not groups.text[end:].strip()
        yield _NameUse(match["begun"] or match["called"], values, is_last)


def labels_of_listings(text: str) -> tuple[tuple[int, str], ...]:
    """The labels in options of listings, each with its offset: `[caption=A, label=lst:a]`.

    A listing inside verbatim code does not count.
    """
    masked = mask(text)
    groups = Groups(masked.printed)
    found: list[tuple[int, str]] = []
    done = 0
    for match in _LISTED.finditer(groups.text):
        is_read = match["code"] or masked.text.startswith("\\", match.start())
        if match.start() < done or not is_read:
            continue
        done = groups.text.find(f"\\end{{{match['code']}}}", match.end())
        is_labelled = match["code"] in (None, "lstlisting")
        span = groups.brackets(match.end()) if is_labelled else None
        if option := _LABELLED.search(groups.text, *span) if span else None:
            found.append((option.start(), (option[1] or option[2]).strip()))
    return tuple(found)


class AskedInCode(NamedTuple):
    """A label to which code refers, and the span of the command that runs the code."""

    key: str
    start: int
    end: int


_BEGUN = regex(r"\\begin\s{0,9}\{([^{}\n]{1,80})\}")
_AT_AN_END = regex(r"\\At(?:Begin|End)Document\s{0,9}(?=\{)")
_ASKING = regex(r"\\([A-Za-z]{1,40})\*?\s{0,9}(?:\[[^\[\]]{0,200}\]\s{0,9})?\{([^{}\\#]{1,200})\}")
_DECIDING = regex(r"\\(?:if|[gex]?def(?![A-Za-z])|(?:re)?newcommand|let(?![A-Za-z]))|\\If[A-Z]")


def asked_by_environments(
    text: str, environments: Mapping[str, Environment], names: Container[str]
) -> Iterator[AskedInCode]:
    """The labels to which the code of environments refers, wherever a text begins them.

    `names` are the commands that refer. Code with conditions or definitions is skipped.
    """
    groups = Groups(mask(text).text)
    for match in _BEGUN.finditer(groups.text):
        item = environments.get(match[1])
        if item is None:
            continue
        code = Macro(item.parameters, f"{item.begin} {item.end}")
        taken = macro.arguments(code, groups, match.end())
        if taken is None or _DECIDING.search(code.body):
            continue
        values = [NO_VALUE if one is None else text[slice(*one)] for one in taken[0]]
        for key in _asked(macro.substitute(code, values), names):
            yield AskedInCode(key, match.start(), taken[1])


def asked_by_hooks(text: str, names: Container[str]) -> Iterator[AskedInCode]:
    """The labels to which hooks for the document's beginning or end refer."""
    groups = Groups(mask(text).text)
    for match in _AT_AN_END.finditer(groups.text):
        span = groups.braces(match.end())
        code = groups.text[slice(*span)] if span else ""
        if span and not _DECIDING.search(code):
            yield from (AskedInCode(key, match.start(), span[1] + 1) for key in _asked(code, names))


def _asked(code: str, names: Container[str]) -> Iterator[str]:
    for name, keys in _ASKING.findall(code):
        if name in names:
            listed = [keys] if name in SINGLE else keys.split(",")
            yield from filter(None, (" ".join(key.split()) for key in listed))
