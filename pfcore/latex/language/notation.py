"""Symbols of formulas by which a definition can be known: `\\mathcal{M}^2`, `N^{int}`, `d[`.

A symbol is a base with what decorates it. Letters and signs that everybody uses are none: only a
font, a constant script, or a bracket makes one of them a symbol. A Greek letter with arguments is
one where the text does not itself say what the letter is: `\\omega(`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_SHORT_GROUP = r"\{(?:[^{}]|\{[^{}]*\}){1,30}\}"
_FONTS = (
    r"\\(?:mathcal|mathbb|mathfrak|mathrm|mathsf|mathbf|mathscr|mathit|mathtt|boldsymbol|bm"
    r"|operatorname\*?|widetilde|widehat|overline|underline|tilde|hat|bar|vec|dot|check|breve)"
)
_FONT = rf"{_FONTS}(?:{_SHORT_GROUP}|\s+[A-Za-z](?![A-Za-z]))"
_SCRIPT = rf"[_^](?:{_SHORT_GROUP}|\\[A-Za-z]+(?:\{{[^{{}}]{{1,20}}\}})?|[^\s{{}}\\])|'+"
_DECORATED = (
    rf"(?:{_FONT}|\\[A-Za-z]+)(?:{_SCRIPT})*(?:(?:\\left)?[\[(])?"
    rf"|%s(?=[_^'\[\\])(?:(?:{_SCRIPT})+(?:(?:\\left)?\[)?|(?:\\left)?\[)"
)
_SYMBOL = re.compile(_DECORATED % r"[^\W\d_]")
_ASCII_SYMBOL = re.compile(_DECORATED % "[A-Za-z]")  # faster, and hardly a formula needs more
_BASE = re.compile(rf"{_FONT}|\\[A-Za-z]+|.", re.DOTALL)
_BRACED = re.compile(rf"({_FONTS})\{{([A-Za-z])\}}")
_SCRIPTS = re.compile(_SCRIPT)
_CONSTANT = re.compile(
    r"(?:\\(?:mathrm|mathsf|text\w*|operatorname|mathit|rm)\{?\s*[A-Za-z]+\}?|\\infty|\\ast|[*+-]"
    r"|[A-Za-z]{2,}|\\(?:times|circ|perp|vee|wedge|flat|sharp|bullet|dagger|top)|\d)"
)
_NUMBERS = re.compile(r"\\mathbb\{[NZQRC]\}|\\mathrm\{[a-z]\}")
_DISPLAYS = re.compile(
    r"\\\((.(?:[^\\]++|\\(?!\)))*+)\\\)|\\\[(.(?:[^\\]++|\\(?!\]))*+)\\\]"
    r"|\\begin\{((?:equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math)\*?)\}"
    r"(.(?:[^\\]++|\\(?!end\{\3\}))*+)\\end\{\3\}",
    re.DOTALL,
)
_GREEK = frozenset(
    f"\\{name}"
    for name in """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa
    lambda mu nu xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma
    Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split()
)
_COMMON = _GREEK | frozenset(
    f"\\{name}"
    for name in """ell aleph hbar imath jmath le ge leq geq leqslant geqslant in ni notin
    subset subseteq subsetneq supset supseteq to mapsto times cdot cdots ldots dots dotsc dotsb
    sum prod coprod int iint oint left right middle frac dfrac tfrac sqrt infty quad qquad
    forall exists nexists neq ne equiv sim simeq cong approx propto cap cup bigcap bigcup
    setminus emptyset varnothing Rightarrow Leftarrow implies impliedby iff Leftrightarrow
    rightarrow leftarrow leftrightarrow longrightarrow longmapsto hookrightarrow
    twoheadrightarrow xrightarrow uparrow downarrow nearrow searrow mid colon lim sup inf max
    min log ln exp sin cos tan det dim ker deg gcd lcm limsup liminf arg Pr hom mod pmod bmod
    big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr text textrm textnormal textit textbf
    mathrm mathbb mathcal begin end tag label lVert rVert lvert rvert Vert vert langle rangle
    lfloor rfloor lceil rceil lbrace rbrace otimes oplus bigoplus bigotimes circ partial nabla
    pm mp wedge vee bigwedge bigvee neg lnot land lor vdots ddots prime star ast bullet binom
    displaystyle textstyle scriptstyle limits nolimits nonumber notag substack underbrace
    overbrace stackrel overset underset mathbin mathrel mathop mathopen mathclose phantom
    hphantom vphantom item emph coloneqq triangleq operatorname ll gg lesssim gtrsim prec succ
    preceq succeq perp top bot vdash models therefore because not dagger sharp flat natural ref
    eqref cref hfill hspace vspace par and or hline cline multicolumn sb sp mathpunct allowbreak
    boxed cases array mathfrak mathsf mathbf mathscr mathit mathtt boldsymbol bm widetilde
    widehat overline underline tilde hat bar vec dot check breve""".split()
)
_MOST_KNOWN = 200_000


class _Forms(dict[str, tuple[str, ...]]):
    """From a symbol as written to what it can be known by; the plainest first."""

    def __missing__(self, raw: str) -> tuple[str, ...]:
        found = tuple(f"${item}" for item in _forms(raw) if " " not in item)
        if len(self) < _MOST_KNOWN:
            self[raw] = found
        return found


_FORMS = _Forms()


@lru_cache(maxsize=2)
def symbols(text: str) -> frozenset[str]:
    """The symbols in the formulas of a canonical text; each begins with a dollar sign."""
    formulas = _formulas(text)
    raw = set((_ASCII_SYMBOL if formulas.isascii() else _SYMBOL).findall(formulas))
    found = frozenset([form for item in raw for form in _FORMS[item]])
    applied = [form for form in found if form[-1] == "("]
    return found - _own(applied, text) if applied else found


def bases(symbol: str) -> tuple[str, ...]:
    """A canonical text with this symbol contains one of these: what is left without decoration."""
    found = _BASE.match(symbol, 1)
    if found is None:
        return (symbol,)
    letter = _BRACED.fullmatch(found[0])
    return (found[0], f"{letter[1]} {letter[2]}") if letter else (found[0],)


def _formulas(text: str) -> str:
    """All formulas of a text, joined: splitting is several times faster than matching them."""
    plain = text.replace(r"\$", " ") if r"\$" in text else text
    pieces = (plain.replace("$$", "$") if "$$" in plain else plain).split("$")[1::2]
    if r"\[" in text or r"\(" in text or r"\begin{" in text:
        pieces += [match[match.lastindex or 0] for match in _DISPLAYS.finditer(text)]
    return " ".join(pieces)


_ARBITRARY = re.compile(
    r"\b(?:[Ll]et|[Gg]iven|[Ff]or|[Aa]ll|[Aa]ny|[Ee]very|[Ee]ach|some|[Ss]uppose|[Ff]ix|[Cc]onsider"
    r"|[Aa]ssume(?:\s+that)?)\s*\$\$?([^$]+)\$(?!\s+(?:denotes?|stands?\s+for|be\s+the)\b)"
)
_APPLIED = rf"\\[A-Za-z]+(?:{_SCRIPT})*(?:\\left)?\("
_BY = r"\b(?:[Dd]enoted?(?:\b[^.]{0,80}?\s+by)?|[Ww]rite)"
_SYMBOL_SAID = re.compile(
    rf"(?:{_BY}|\\[a-z]+\{{[^{{}}]{{1,60}}\}})\s*\$(?P<a>{_APPLIED})"
    rf"|\$(?P<b>{_APPLIED})[^$]*\$\s+(?:denotes?|stands?\s+for)\b"
    rf"|(?P<c>{_APPLIED})[^$()]*\)\s*(?::=|\\coloneqq|\\triangleq)"
)
_MAP = re.compile(rf"(\\[A-Za-z]+)(?:{_SCRIPT})*\s*(?::(?!=)|\\colon(?![A-Za-z]))")
_SETS = re.compile(r"\s*(?::=|\\coloneqq(?![A-Za-z])|\\triangleq(?![A-Za-z]))")


def bound(text: str) -> frozenset[str]:
    """The symbols that a text takes as arbitrary: "Let $\\mathcal{A}$ be"."""
    found: set[str] = set()
    for match in _ARBITRARY.finditer(text):
        first = _SYMBOL.search(match[1])
        is_set = first and _SETS.match(match[1], first.end())
        found.update(_FORMS[first[0]] if first and not is_set else ())
    return frozenset(form for form in found if form[-1] != "(")


def functions(text: str) -> frozenset[str]:
    """The Greek letters with arguments that a text says to denote something."""
    raw = (match["a"] or match["b"] or match["c"] for match in _SYMBOL_SAID.finditer(text))
    return frozenset(form for item in raw for form in _FORMS[item] if form[-1] == "(")


def _own(applied: Iterable[str], text: str) -> set[str]:
    """Those of some letters with arguments that a text takes as arbitrary, or as its own maps."""
    letters = set(_MAP.findall(text))
    for match in _ARBITRARY.finditer(text):
        first = _BASE.match(match[1].lstrip())
        letters.update({first[0]} if first else ())
    return {form for form in applied if not letters.isdisjoint(bases(form))}


def _forms(raw: str) -> list[str]:
    found = _BASE.match(raw)
    name = _name(found[0]) if found else ""
    if found and raw[-1] == "(" and name in _GREEK:
        scripts = [_script(item) for item in _SCRIPTS.findall(raw, found.end())]
        return [f"{name}{''.join(scripts)}("] if all(scripts) else []
    if found is None or name in _COMMON or _NUMBERS.fullmatch(name):
        return []
    scripts = [_script(item) for item in _SCRIPTS.findall(raw, found.end())]
    constant = sorted({script for script in scripts if script})
    forms = [name] if len(name) > 1 else []
    forms += [name + script for script in constant]
    if len(constant) > 1:
        forms.append(name + "".join(constant))
    if raw.endswith("["):
        forms += [f"{item}[" for item in (name, *(name + script for script in constant))]
    return forms


def _name(written: str) -> str:
    """A base in one way of writing it: `\\mathcal{T}` for `\\mathcal T`."""
    parts = written.split()
    return written if "{" in written or len(parts) < 2 else f"{parts[0]}{{{parts[1]}}}"


def _script(raw: str) -> str:
    """A script that is a constant, in one way of writing it; nothing for an index."""
    if raw[0] == "'":
        return raw
    inside = raw[1:].removeprefix("{").removesuffix("}") if raw[1:2] == "{" else raw[1:]
    return raw[0] + "".join(inside.split()) if _CONSTANT.fullmatch(inside) else ""
