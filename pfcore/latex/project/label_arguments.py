r"""Labels that a paper's own environments and commands make of an argument, however it gets there.

`\NewDocumentEnvironment{eq}{o}{\labelled{#1}}{…}` over `\NewEnviron{labelled}[1]{…\label{#1}…}`,
boxes with `label={thm:#4}`, an environment that is called as a command. Labels whose names LaTeX
computes: `\label{\thesection}`. Labels that options give to listings.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask

_DEFINED = regex(
    r"\\(?:(?:(?:New|Renew|Declare|Provide)(?:Total)?T(?:Color|CB)Box|(?:re)?newtcolorbox)"
    r"\s*(?:\[[^\[\]]*\])?|(?:(?:re)?newenvironment\*?|(?:Ren|N)ewEnviron"
    r"|(?:New|Renew|Declare|Provide)Document(?:Environment|Command)|(?:re)?newcommand\*?))"
    r"\s*\{\s*\\?(?P<name>[A-Za-z@*]+)\s*\}"
)
_LABEL = regex(r"\\(?:new)?label\s*\{([^{}]{0,100}#[1-9][^{}]{0,100})\}")
_OPTION = regex(r"[{,\s]label\s*=\s*\{?([^{},]{0,100}#[1-9][^{},]{0,100})\}?")
_LEGEND = regex(r"(?:legend|colorbar) to name\s*=\s*\{?\s*([^{},\[\]\n]{1,100})")
_SLOT = regex(r"#[1-9]")
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
"""What a counter prints, as LaTeX's classes do, and where a paper says how."""
_SET = regex(r"\\label\s*(?=\{)")
_MOST_GROUPS, _MOST_HANDED, _MOST_MAKERS = 6, 8, 200


class LabelArguments:
    """The labels that some texts of a paper make so, found once they are asked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._computed: list[re.Pattern[str]] | None = None

    def may_compute(self, key: str, labels: Iterable[str]) -> bool:
        """Whether a label that the paper sets may become this one, of which LaTeX computes a part.

        `labels` are those that stand in its text and that its commands set there.
        """
        if self._computed is None:
            keys = dict.fromkeys([*(key for key in labels if "\\" in key), *self._begun])
            self._computed = [self._shape(one) for one in keys]
        return any(shape.fullmatch(key) for shape in self._computed)

    @cached_property
    def _begun(self) -> list[str]:
        """The labels that the code of environments sets which are begun somewhere."""
        bodies = [(name, body) for name, body in self._defined() if "\\label" in body]
        names = list(dict.fromkeys(name for name, _ in bodies))
        begun = {name for groups in self._groups for name, _ in _uses(groups, names)}
        found: list[str] = []
        for body in (body for name, body in bodies if name in begun):
            groups = Groups(body)
            spans = (groups.braces(match.end()) for match in _SET.finditer(body))
            keys = (body[slice(*span)].strip() for span in spans if span)
            found += [key for key in keys if "\\" in key]
        return found

    def _shape(self, key: str) -> re.Pattern[str]:
        """What a label may become, of which LaTeX computes a part."""
        pieces: list[str] = []
        done = 0
        for match in _COMPUTED.finditer(key):
            number = match["counted"]
            made = self._number(number) if number else _ANYTHING
            pieces += [re.escape(key[done : match.start()]), f"(?:{made})"]
            done = match.end()
        return re.compile("".join((*pieces, re.escape(key[done:]))))

    def _number(self, command: str) -> str:
        """What a command may print that prints the number of a counter."""
        own = re.compile(rf"(?:ommand\*?|def|let)\s*\{{?\s*{re.escape(command)}(?![A-Za-z@])")
        is_own = any(own.search(groups.text) for groups in self._groups)
        return _OWN_NUMBER if is_own else _NUMBER

    def makes(self, key: str) -> bool:
        """Whether an environment or a command that makes such a label is given what it needs."""
        if key in self._legends:
            return True
        for name, forms in self._forms.items():
            for form in forms:
                before, _, behind = form.partition("#")
                is_like = key.startswith(before) and key.endswith(behind)
                value = key[len(before) : len(key) - len(behind)]
                if is_like and value and value in self._given.get(name, ()):
                    return True
        return False

    @cached_property
    def _legends(self) -> frozenset[str]:
        """The names that plots give to their legends, which are labels (package pgfplots)."""
        named = (name for groups in self._groups for name in _LEGEND.findall(groups.text))
        return frozenset(" ".join(name.split()) for name in named)

    @cached_property
    def _groups(self) -> list[Groups]:
        return [Groups(mask(text).text) for text in self._texts]

    @cached_property
    def _forms(self) -> Mapping[str, frozenset[str]]:
        """The labels that each name makes, with "#" for an argument."""
        bodies: dict[str, str] = {}
        found: dict[str, set[str]] = {}
        for name, body in self._defined():
            bodies[name] = f"{bodies.get(name, '')} {body}"
            keys = (*_LABEL.findall(body), *_OPTION.findall(body))
            forms = {_SLOT.sub("#", key).strip() for key in keys}
            found.setdefault(name, set()).update(form for form in forms if form.count("#") == 1)
        for _ in range(_MOST_HANDED):
            handed = {name: self._handed(body, found) for name, body in bodies.items()}
            if all(forms <= found[name] for name, forms in handed.items()):
                break
            for name, forms in handed.items():
                found[name] |= forms
        return {name: frozenset(forms) for name, forms in found.items() if forms}

    def _defined(self) -> Iterator[tuple[str, str]]:
        """The names that the texts define, each with all that its definition holds."""
        for groups in self._groups:
            for match in _DEFINED.finditer(groups.text):
                ends = list(groups.side_by_side(match.end(), _MOST_GROUPS))
                yield match["name"], groups.text[match.end() : ends[-1][1] if ends else match.end()]

    @staticmethod
    def _handed(body: str, found: Mapping[str, set[str]]) -> set[str]:
        """The labels that come of what a body hands on to others."""
        known = islice((name for name, forms in found.items() if forms), _MOST_MAKERS)
        makers = [name for name in known if name in body]
        groups = Groups(body)
        return {
            form
            for name, values in _uses(groups, makers)
            if any(_SLOT.fullmatch(value) for value in values)
            for form in found[name]
        }

    @cached_property
    def _given(self) -> Mapping[str, frozenset[str]]:
        """The arguments that each of these names is given somewhere."""
        given: dict[str, set[str]] = {}
        for groups in self._groups:
            for name, values in _uses(groups, list(self._forms)):
                given.setdefault(name, set()).update(values)
        return {name: frozenset(values) for name, values in given.items()}


def _uses(groups: Groups, names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Where a text begins or calls one of some names, with the arguments there."""
    if not names:
        return
    listed = alternatives(names)
    used = rf"\\(?:begin\s*\{{\s*(?P<begun>{listed})\s*\}}|(?P<called>{listed})(?![A-Za-z@*]))"
    for match in re.finditer(used, groups.text):
        spans = groups.side_by_side(match.end(), _MOST_GROUPS)
        values = [groups.text[slice(*span)].strip() for span in spans]
        yield match["begun"] or match["called"], values


def labels_of_listings(text: str) -> tuple[tuple[int, str], ...]:
    """The labels that options give to listings, each with its offset: `[caption=A, label=lst:a]`.

    In code of which only the letters are printed, nothing is a listing.
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
