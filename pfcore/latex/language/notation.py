r"""Symbols of formulas as keys: `\mathcal{D}_n` has keys for its exact form, family and head.

A key begins with "#". Letters and numbers in scripts are kept in the exact form; in the family an
index that varies is a bullet: `T_{\mathfrak{p}}` is one of `T_•`. A head is a key by itself if it
is decorated: by a font, an accent, a name. A single letter is a plain key, and so are common
signs. A shape is also a key: brackets around anything, `\langle•\rangle`, and a decoration of any
letter, `•^\vee`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.normal_form import normal_form

_GROUP = r"\{(?:[^{}$]|\{(?:[^{}$]|\{[^{}$]{0,30}\}){0,40}\}){1,60}\}"
_FONT = (
    r"\\(?:mathcal|mathbb|mathfrak|mathrm|mathsf|mathbf|mathscr|mathit|mathtt|boldsymbol|bm|mathds"
    r"|mathnormal|mathbold|bold|pmb|mathbfsl|mathbbm|mathbbmss|mathpzc|EuScript|Bbb|frak|operatorname"
    r"|text(?:rm|sf|sc|bf|it|tt|normal)?|mbox)\*?(?![A-Za-z])"
)
_ACCENT = (
    r"\\(?:widetilde|widehat|overline|underline|tilde|hat|bar|vec|ddot|dot|check|breve|acute|grave"
    r"|mathring|overrightarrow)(?![A-Za-z])"
)
_THING = (
    rf"{_FONT}\s*(?:{_GROUP}|[A-Za-z](?![A-Za-z]))|\\[A-Za-z]+|\\[#|]|[^\W\d_]|[=<>](?=\s*[_^])"
)
_CORE = rf"(?:{_THING}|(?<![_^{{])\*(?!\s?\{{))"
_SCRIPT = (
    rf"(?:\s*[_^]\s*(?:{_GROUP}|\\[A-Za-z]+(?:\s*\{{[^{{}}$]{{1,20}}\}})?|[^\s{{}}\\$])|'{{1,5}})"
)
_SWITCHED = r"\{\s*\\(?:cal|frak|bf|sf|tt|rm|it)(?![A-Za-z])\s*[A-Za-z]{1,12}\s*\}"
_BRACED = rf"(?<![\w}}_^])(?:\{{\s*{_CORE}\s*\}}|{_SWITCHED})"
_ENSURED = rf"\\ensuremath\s*\{{\s*{_CORE}\s*\}}"
_SYMBOL = regex(
    rf"(?P<base>{_ENSURED}(?=\s*[_^])|{_ACCENT}\s*(?:{_GROUP}|{_CORE})|{_CORE}|{_BRACED}|(?<![\w}})\]])\[[A-Za-z]\]|[|)\]])"
    rf"(?P<scripts>(?:{_SCRIPT}){{0,4}})(?P<open>\s*(?:\\left|\\[bB]igg?l?)?\s*[(\[])?"
)
_SCRIPTS = regex(_SCRIPT)
_FENCES = regex(
    r"\$(?<!\\\$)(?:\$(?P<a>[^$\\]*(?:(?:\\.|\$(?!\$))[^$\\]*)*)\$\$"
    r"|(?P<b>[^$\\]*(?:\\.[^$\\]*)*)\$)"
    r"|\\(?<!\\\\)(?:\[(?P<c>[^\\]*(?:\\[^\[\]][^\\]*)*)\\\]"
    r"|\((?P<p>[^\\]*(?:\\[^()][^\\]*)*)\\\)"
    r"|begin\{(?P<env>equation|align|gather|multline|eqnarray|alignat|flalign|displaymath"
    r"|math)(?P<star>\*?)\}"
    r"(?P<d>[^\\]*(?:\\(?!begin\{(?P=env)(?P=star)\}|end\{(?P=env)(?P=star)\})[^\\]*)*)"
    r"\\end\{(?P=env)(?P=star)\}"
    r"|ensuremath\s*\{(?P<e>(?:[^{}$]|\{(?:[^{}$]|\{(?:[^{}$]|\{[^{}$]*+\})*+\})*+\})*+)\})",
    re.DOTALL,
)
_GREEK = frozenset(
    """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu
    xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta
    Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell aleph hbar imath jmath
    """.split()
)
_SIGNS = frozenset(
    """
    sim simeq approx asymp prec preceq succ succeq ll gg lesssim gtrsim perp circ cdot star ast
    bullet otimes oplus times wedge vee vdash models leadsto partial nabla dagger sharp flat
    natural triangle square le leq ge geq equiv cong propto parallel
    """.split()
)
_IDLE = frozenset(
    """
    in ni notin subset subseteq cap cup subsetneq supset supseteq to mapsto
    cdots ldots dots dotsc dotsb dotsm vdots ddots
    sum prod coprod int iint oint left right middle frac dfrac tfrac cfrac sqrt infty
    quad qquad forall exists nexists neq ne bigcap bigcup setminus emptyset varnothing
    Rightarrow Leftarrow implies impliedby iff Leftrightarrow rightarrow leftarrow
    leftrightarrow longrightarrow longmapsto hookrightarrow twoheadrightarrow xrightarrow
    uparrow downarrow nearrow searrow mid colon lim sup inf max min log ln exp sin cos tan cot
    sinh cosh tanh arctan arcsin arccos det dim ker deg gcd lcm limsup liminf varlimsup
    varliminf arg Pr hom mod pmod bmod big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl
    Biggr begin end tag label lVert rVert lvert rvert Vert vert langle rangle lfloor rfloor
    lceil rceil lbrace rbrace lbrack rbrack bigoplus bigotimes pm mp bigwedge bigvee neg lnot
    land lor prime binom dbinom tbinom displaystyle textstyle scriptstyle limits nolimits
    nonumber notag substack underbrace overbrace stackrel overset underset mathbin mathrel
    mathop mathopen mathclose mathord mathpunct mathinner phantom hphantom vphantom item emph
    coloneqq eqqcolon triangleq therefore because not ref eqref cref cite hfill hspace vspace
    par hline cline multicolumn allowbreak boxed cases array rm bf it sf tt cal
    scriptscriptstyle smash mathstrut strut nobreak relax linebreak thinspace medspace
    thickspace negthinspace hskip kern mkern mskip raisebox scalebox small footnotesize
    normalsize tiny large color textcolor qedhere url href top bot xleftarrow overleftarrow
    dotsi ensuremath protect upharpoonright restriction backslash smallsetminus lvert shortmid
    nmid leqslant geqslant supsetneq subsetneqq rVert intertext text textrm textsf textsc
    textbf textit texttt textnormal mbox hbox mathrm mathsf mathbf mathit mathtt mathcal mathbb
    mathfrak mathscr operatorname vbox fbox macro operatornamewithlimits shortintertext hfil
    vfil noindent footnote index textsuperscript textsubscript else fi raise lower moveleft
    moveright oalign ooalign hfil hss vcenter kern nulldelimiterspace tikz cr llbracket
    if ifx ifmmode mathchoice mathpalette vcentcolon xspace detokenize expandafter csname
    endcsname arrow ar node draw path coordinate fill filldraw xymatrix mathbbm mathpzc
    choose brace brack atop over joinrel relbar nicefrac sfrac { }
    """.split()
) | {"", *":<>["}
_STANDARD = frozenset(
    r"\mathbb{N} \mathbb{Z} \mathbb{Q} \mathbb{R} \mathbb{C} \mathbf{N} \mathbf{Z} \mathbf{Q} "
    r"\mathbf{R} \mathbf{C} \mathrm{d} \mathrm{e} \mathrm{i} \text{d} \mathrm{T}".split()
)
_CONSTANT = regex(
    r"(?:\\(?:mathrm|mathsf|mathbf|mathtt|text[a-z]*|operatorname|mathit|rm"
    r"|mbox)\*?\s*\{?\s*[^{}]*\}?"
    r"|\\(?:infty|ast|star|times|circ|perp|vee|wedge|flat|sharp|bullet|dagger|top|bot|natural"
    r"|prime)"
    r"|[*+\-]|[A-Za-z]{2,}|\d+)"
)
ARROW = regex(r"\\(?:to(?!p)|gets|mapsto|(?:long)?(?:left|right)arrow)")
_NUMBER = regex(r"\^[-+]?\d+")
_SINGLE = regex(r"\{([A-Za-z])\}")
_CLOSING = frozenset(["|", ")", "]", r"\|", r"\rrbracket", "=", "<", ">"])
"""Signs that are symbols only with a script."""
_SCRIPTED = frozenset([r"\rrbracket", "=", "<", ">"])
_MOST_KNOWN = 100_000
_TEXTS = 4_096
"""The size of the caches: each text is asked about several times in one reading."""


class FencedFormula(NamedTuple):
    """A formula or display of a text: its span with its fences, and the body between these.

    In the body, which begins at `inside`, commands that only affect sizes and spaces are blanked.
    """

    start: int
    end: int
    inside: int
    body: str


class NotationUse(NamedTuple):
    """A symbol in a formula: its keys, the most special first, and its span in the formula."""

    keys: tuple[str, ...]
    start: int
    end: int


@lru_cache(maxsize=_TEXTS)
def formulas(text: str) -> tuple[FencedFormula, ...]:
    """The formulas of a canonical text, in order."""
    listed: list[FencedFormula] = []
    for found in _FENCES.finditer(text):
        group = (found["env"] and "d") or found.lastgroup or 0
        body = found[group]
        if "\\" in body:
            body = _IDLE_COMMAND.sub(_blanks, _UNPRINTED.sub(_symbols_alone, body))
            body = _BRACED_SIGN.sub(_sign_alone, body)
        listed.append(FencedFormula(*found.span(), found.start(group), body))
    return tuple(listed)


_SCRIPTED_LETTERS = regex(
    r"(?:_\s*(?=\{|[A-Za-z])|\^\s*(?=\{|[a-z]))(?:([A-Za-z])|\{([^{}]{1,12})\})"
)
_LETTER_ALONE = regex(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_IDLE_COMMAND = regex(
    r"\\\\|\\(?:[,;:!> ]|(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])(?:\s*\.)?"
    r"|(?:(?:display|text|script)style|limits|nonumber|notag|nobreak|(?:after)?[be]group|aftergroup"
    r"|q?quad)(?![A-Za-z])|math(?:open|close)\s*\{\}|m(?:space|kern|skip)(?![A-Za-z])\s*\{?-?[\d.]{0,9}\s?mu\}?)"
)


_GROUP_OF = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){0,2000}\}"
_IN_BRACKETS = r"(?:\s*\[[^\[\]$]{0,80}\])"
_UNPRINTED = regex(
    r"\\(?:"
    rf"begin\s*\{{[A-Za-z]*(?:array|tabular|alignedat)\*?\}}{_IN_BRACKETS}?\s*{_GROUP_OF}"
    rf"|(?:begin|end)\s*\{{[A-Za-z]+\*?\}}{_IN_BRACKETS}?"
    rf"|(?:tag|label|[cC]?ref|eqref|autoref|pageref|[cC]ite[a-z]*|color|[hv]space|[hv]?phantom|todo"
    rf"|footnote|index)(?![A-Za-z])\*?{_IN_BRACKETS}{{0,2}}\s*{_GROUP_OF}"
    rf"|(?:textcolor|colorbox|raisebox|scalebox|includegraphics|hyperref|hyperlink)(?![A-Za-z])"
    rf"\*?{_IN_BRACKETS}?\s*{_GROUP_OF}"
    rf"|(?:rule|resizebox|hypertarget)(?![A-Za-z])\*?{_IN_BRACKETS}?\s*{_GROUP_OF}\s*{_GROUP_OF}"
    r"|(?:[hm]skip|kern)\s*-?[\d.]{1,8}\s*(?:em|ex|pt|cm|mm|in|mu)"
    r"|(?:re)?intro(?![A-Za-z])\*?|cmdkl(?![A-Za-z])|macro\s*\{[0-9a-f]{8}\}"
    rf"|kl(?![A-Za-z])(?:\s*\([^()$]{{0,40}}\))?{_IN_BRACKETS}?|withkl(?![A-Za-z])\s*{_GROUP_OF}"
    r"|(?P<words>(?:short)?intertext|[hf]box|(?:make|frame|par)box|text(?:up|sl|md)|emph|shortstack"
    r"|(?:text(?:rm|sf|it|bf|tt|normal)?|mbox)(?=\s*\{[^{}$]*\$))"
    rf"(?![A-Za-z]){_IN_BRACKETS}{{0,2}}(?P<sized>(?<=box)\s*\{{[\d.]{{1,6}}\s?[a-z\\]{{2,10}}\}})?"
    rf"\s*{_GROUP_OF}"
    r"|(?:node|coordinate)(?![A-Za-z])\s*(?:\[[^\[\]]{0,200}\]\s*)?(?:\([^()]{0,40}\)\s*)?"
    r"(?:at\s*\([^()]{0,60}\)\s*)?"
    r"|(?:draw|path|fill(?:draw)?|shade|clip)(?![A-Za-z])[^;{}$\\]{0,400};"
    r"|xymatrix(?:row|col)?(?:sep)?(?![A-Za-z])(?:\s*@[^{}\s]{1,12})?(?:\s*\{[\d.]{1,6}[a-z]{2}\})?"
    r"|(?P<arrow>ar(?:row)?)(?:@(?:\{[^{}]{0,20}\}|/[^/]{0,12}/|[A-Za-z<>(][^\[\s]{0,12})){0,3}"
    rf"\s*\[(?:[^\[\]\"]|\"[^\"]{{0,80}}\"){{0,120}}\]"
    r")"
)
"""Text without symbols: names of environments, columns, lengths, colours, tags and words."""
_WORDS_OR_FORMULA = regex(r"\$(?P<formula>[^$]*)\$|[^$]+|\$")
_LABEL_OF_ARROW = regex(r"\"(?P<formula>[^\"]*)\"|[^\"]+|\"")
_ENGLISH = regex(r"[^\W\d_]{2}")


def _symbols_alone(match: re.Match[str]) -> str:
    """Blanks in place of text without symbols; formulas among words, and labels, are kept."""
    whole = match[0]
    if match["words"] and not _ENGLISH.search(whole, match.end("words") - match.start()):
        return whole
    if not match["words"] and not match["arrow"]:
        return " " * len(whole)
    parts = _WORDS_OR_FORMULA if match["words"] else _LABEL_OF_ARROW
    pieces = parts.finditer(whole)
    return "".join(f" {one['formula']} " if one["formula"] else " " * len(one[0]) for one in pieces)


_BRACED_SIGN = regex(r"(?:\\math(?:rel|bin|op|ord)\s?|(?<![}\]]))\{\s?(?P<sign>[:=<>]|:=)\s?\}")
"""A sign in its own braces, which remove the space around it: `f{:}X`."""


def _sign_alone(match: re.Match[str]) -> str:
    return match["sign"].center(len(match[0]))


def _blanks(match: re.Match[str]) -> str:
    return match[0] if match[0] == r"\\" else " " * len(match[0])


_ORDER = regex(
    r"(?<![A-Za-z\\])(?:(?P<letter>[Oo])|\\(?:tilde|widetilde)\s*\{?\s*O\s*\}?"
    r"|\\(?:Omega|Theta|omega))(?=\s*(?:\\left|\\[bB]igg?l?)?\s*\((?P<amount>"
    r"(?:[nmkdN\d^/{}\s+()|*-]|\\(?:log|ln|sqrt|frac|(?:var)?epsilon|cdot|left|right"
    r"|[bB]igg?[lr]?)(?![A-Za-z])){1,80}?\))?)"
)
"""A Landau symbol, which may also be an author's own letter, and the amount after it."""
_GROWS = regex(r"[\^/]|\\(?:log|ln|sqrt|frac)|\A\s*1\s*\)\Z")
_COMPARED = regex(
    r"(?:[=+<-]|\\(?:l|g)eq?(?:slant)?(?![A-Za-z])|\\(?:ll|gg|cdot)(?![A-Za-z]))\s*\Z"
)
_NEAR_SIGN = 16


def _without_orders(line: str) -> str:
    """Formulas without Landau symbols: `= O(x^2)`."""
    return _ORDER.sub(_no_order, line) if "(" in line else line


def _no_order(match: re.Match[str]) -> str:
    amount, start = match["amount"], match.start()
    is_order = amount is not None
    if match["letter"]:
        is_order = amount is not None and _GROWS.search(amount) is not None
        is_order |= _COMPARED.search(match.string, max(0, start - _NEAR_SIGN), start) is not None
    return " " * len(match[0]) if is_order else match[0]


@lru_cache(maxsize=8 * _TEXTS)
def symbols_in(body: str) -> tuple[NotationUse, ...]:
    """The symbols of a formula that may be an author's notation, in order."""
    found: list[NotationUse] = []
    for match in _SYMBOL.finditer(_without_orders(_in_line(body))):
        keys = _KEYS[match["base"], match["scripts"], bool(match["open"])]
        if keys:
            found.append(NotationUse(keys, match.start(), match.end("scripts")))
    return tuple(found)


SHAPED = "#•"
"""The prefix of the key of a shape."""


def fences_in(body: str) -> Iterator[NotationUse]:
    r"""The brackets in a formula: `\langle x,y\rangle` has only the key of its shape.

    Round brackets and braces are not notation; neither are square ones around a single thing or
    numbers, or after something of which they are arguments.
    """
    if not _FENCE.search(body):
        return
    opened: list[tuple[str, int, list[str]]] = []
    for token in _FENCE_TOKEN.finditer(body):
        sign = _FENCE_NAMES.get(token[0], token[0])
        if sign in _PAIRS and not (opened and opened[-1][0] == sign == _PAIRS[sign]):
            opened.append((sign, token.end(), []))
        elif sign in _CLOSERS:
            while opened and _PAIRS[opened[-1][0]] != sign:
                opened.pop()
            if opened:
                first, inside, parts = opened.pop()
                if first == "{" and opened and not body[opened[-1][1] : inside - 1].strip():
                    opened[-1][2].extend(parts)  # braces around all that is in brackets
                key = _fence_key(body, first, slice(inside, token.start()), parts)
                if key:
                    yield NotationUse((key,), inside - len(first), token.end())
        elif sign in _PARTS and opened:
            opened[-1][2].append(sign)


def _fence_key(body: str, sign: str, where: slice, parts: list[str]) -> str:
    """The key of brackets around a part of a formula; "" if they are not notation."""
    inside = body[where].strip()
    if (
        sign in "({"
        or not 0 < len(inside) <= _LONGEST_INSIDE
        or not _RELATED_INSIDE.isdisjoint(parts)
    ):
        return ""
    if sign == "[" and not _is_bracket(body[: where.start - 1], inside, parts):
        return ""
    if sign in _INDEXED_ELSEWHERE and _INDEX_BEHIND.match(body, where.stop):
        return ""
    of = ("A" if _CAPITAL.match(inside) else "a") if sign == "|" else ""
    return f"{SHAPED}{sign}{of}•{''.join(f'{part}•' for part in parts)}{_PAIRS[sign]}"


def _is_bracket(before: str, inside: str, parts: list[str]) -> bool:
    """Whether square brackets are notation, rather than an argument or an interval."""
    is_free = not _APPLIED_BEFORE.search(before[-2:])
    return is_free and bool(parts) and not _NUMBER_INSIDE.search(inside)


_PAIRS = {
    "(": ")", "{": "}", "[": "]", "|": "|", r"\|": r"\|", r"\langle": r"\rangle",
    r"\lfloor": r"\rfloor", r"\lceil": r"\rceil",
}  # fmt: skip
_CLOSERS = frozenset(_PAIRS.values())
_FENCE_NAMES = {
    r"\lVert": r"\|", r"\rVert": r"\|", r"\Vert": r"\|", r"\lvert": "|", r"\rvert": "|",
    r"\vert": "|",
}  # fmt: skip
_PARTS = frozenset(",:;=<>")
_RELATED_INSIDE = frozenset("=<>")
_INDEX_BEHIND = regex(r"(?:\\[A-Za-z]+|\\?.)\s*_")
_CAPITAL = regex(r"(?:\\(?:math[a-z]+|text[a-z]*|operatorname)\b)?[\s{]*(?:\\?[A-Z])")
_INDEXED_ELSEWHERE = ("|", r"\|", "[")
_FENCE = regex(r"\||\[|\\(?:langle|lfloor|lceil|l?[vV]ert)(?![A-Za-z])")
_FENCE_TOKEN = regex(r"\\(?:[A-Za-z]+|.)|[|\[\](){},:;=<>]", re.DOTALL)
_APPLIED_BEFORE = regex(r"[\w}\])^_]\s?\Z")
_NUMBER_INSIDE = regex(r"(?:\A|[,:;])\s*(?:[-+]?\d|[-+]?\\infty)")
_LONGEST_INSIDE = 60


def decorated_in(body: str) -> Iterator[NotationUse]:
    r"""The decorated letters of a formula: `M^\vee`, `G'`, `\bar z`.

    The keys are that of the shape, then those of the symbol.
    """
    for use in symbols_in(body):
        shape = _SHAPES[use.keys[0]]
        if shape:
            yield use._replace(keys=(shape, *use.keys))


def applied_in(body: str) -> Iterator[NotationUse]:
    r"""The letters of a formula that have arguments and no scripts: `\nu(n)`.

    The first key is the one under which it is named, which is not a plain letter; then come those
    of the symbol.
    """
    for use in symbols_in(body):
        head = head_of(use.keys[-1])
        if use.keys[0] == f"{head}(" and is_letter(head):
            yield use._replace(keys=(f"{SHAPED}{head[1:]}(", *use.keys))


def applied_letter(key: str) -> tuple[str, ...]:
    """The keys of a letter, with arguments and bare, if a key names one with arguments."""
    if not (key.startswith(SHAPED) and key.endswith("(")):
        return ()
    letter = key.removeprefix(SHAPED)
    return f"#{letter}", f"#{letter[:-1]}"


class _Shapes(dict[str, str]):
    """From the key of a symbol to that of its shape; "" where it has none."""

    def __missing__(self, key: str) -> str:
        accent = _ACCENTED.fullmatch(key)
        if accent:
            found = f"{SHAPED}{accent[1]}"
        else:
            head = head_of(key)
            script = key.removeprefix(head)
            is_shape = is_letter(head) and _POSTFIX.fullmatch(script) is not None
            found = f"{SHAPED}{script}" if is_shape else ""
        if len(self) < _MOST_KNOWN:
            self[key] = found
        return found


_SHAPES = _Shapes()
_ACCENTED = regex(rf"#({_ACCENT})\{{?(?:[A-Za-z]|\\(?:{'|'.join(sorted(_GREEK))}))\}}?")
_POSTFIX = regex(
    r"'{1,3}|\^(?:[*+-]|\\(?:vee|wedge|circ|dagger|times|ast|star|perp|flat|sharp|bullet|natural|top)"
    r"|\\(?:mathrm|mathsf|text|operatorname)\{[a-z]{2,8}\})"
)


def _in_line(text: str) -> str:
    r"""A text of the same length without `\\`, whose second backslash does not begin a command."""
    return text.replace("\\\\", "  ") if "\\\\" in text else text


def is_plain(key: str) -> bool:
    """Whether a key is a single letter or a common sign."""
    name = key[1:]
    return len(name) == 1 or name[1:] in _GREEK or name[1:] in _SIGNS or name == "[•]"


def heads_of(*texts: str) -> frozenset[str]:
    """The heads of all symbols of some texts; an unclosed formula ends with its text."""
    maths = _in_line("\n".join(map(joined_formulas, texts)))
    return frozenset(_HEADS[raw] for raw in set(_BASES.findall(maths))) - {""}


@lru_cache(maxsize=_TEXTS)
def joined_formulas(text: str, between: str = " ") -> str:
    """All formulas of a text joined by `between`, perhaps with a little more; fast."""
    if "\\[" in text or "\\(" in text or "\\begin{" in text or "\\ensuremath" in text:
        return between.join([formula.body for formula in formulas(text)])
    joined = between.join(text.replace(r"\$", " ").replace("$$", "$").split("$")[1::2])
    return _UNPRINTED.sub(_symbols_alone, joined) if "\\" in joined else joined


@lru_cache(maxsize=_TEXTS)
def keys_of_uses(text: str) -> tuple[tuple[str, ...], ...]:
    """The keys of each symbol of a text, the most special first, without duplicates."""
    found: dict[tuple[str, ...], None] = {}
    line = _without_orders(_in_line(joined_formulas(text)))
    for base, scripts, opened in dict.fromkeys(_SYMBOL.findall(line)):
        keys = _KEYS[base, scripts, bool(opened)]
        if keys:
            found[keys] = None
    return tuple(found)


def script_letters(text: str) -> tuple[str, ...]:
    r"""The keys of letters in indices and exponents: a reader of $\mathcal{O}_X$ needs $X$.

    Capital exponents are left out: most are signs, such as that of a transposed matrix.
    """
    found: dict[str, None] = {}
    for alone, several in dict.fromkeys(_SCRIPTED_LETTERS.findall(joined_formulas(text))):
        found |= {f"#{letter}": None for letter in alone or _LETTER_ALONE.findall(several)}
    return tuple(found)


def script_symbols(text: str) -> tuple[tuple[str, ...], ...]:
    r"""The keys of symbols in fonts in scripts: $\mathcal{H}$ of $\|x\|_{\mathcal{H}}$."""
    found: dict[tuple[str, ...], None] = {}
    for script in dict.fromkeys(_SCRIPTED_FONTS.findall(joined_formulas(text))):
        found |= dict.fromkeys(
            use.keys for use in symbols_in(script) if _IN_FONT.match(use.keys[0])
        )
    return tuple(found)


_IN_FONT = regex(
    rf"#(?:\\(?:math(?:cal|frak|scr|bf|bb)|boldsymbol)\{{|(?:[A-Za-z]|\\(?:{'|'.join(sorted(_GREEK))}))_)"
)
_SCRIPTED_FONTS = regex(rf"[_^]\s*({_GROUP})")


def rare_keys(text: str) -> list[str]:
    """The exact keys of the decorated symbols of a text, each once."""
    found: dict[str, None] = {}
    is_decorated = any(map(text.__contains__, _DECORATING))
    for raw in filter(None, dict.fromkeys(_RARE.findall(text) if is_decorated else ())):
        match = _SYMBOL.fullmatch(raw)
        keys = _KEYS[match["base"], match["scripts"], False] if match else ()
        if keys and not is_plain(keys[0]):
            found[keys[0]] = None
    return list(found)


class FirstSymbols:
    """Finds where a text has a decorated symbol, as written, for the first time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._seen: set[str] = {""}

    def has_fresh(self, start: int, end: int) -> bool:
        """Whether a stretch has a symbol that no earlier one has; call it in the text's order."""
        if all(self._text.find(sign, start, end) < 0 for sign in _DECORATING):
            return False
        found = {*_RARE.findall(self._text, start, end), ""}
        if found <= self._seen:
            return False
        self._seen |= found
        return True


def head_of(key: str) -> str:
    """A key without its scripts and arguments."""
    found = _HEAD.match(key)
    return found[0] if found else key


class _Heads(dict[str, str]):
    """Maps a base as written to the key of its head; "" if it is not notation."""

    def __missing__(self, base: str) -> str:
        keys = tuple(_keys(base, "", False)) or tuple(_keys(base, "_x", False))
        found = head_of(f"#{keys[-1]}") if keys else ""
        if len(self) < _MOST_KNOWN:
            self[base] = found
        return found


_HEADS = _Heads()
_BASES = regex(
    rf"{_ENSURED}(?=\s*[_^])|{_ACCENT}\s*(?:{_GROUP}|{_CORE})|{_THING}|\*|{_BRACED}"
    r"|(?<![\w})\]])\[[A-Za-z]\]|[|)\]]"
)
_DECORATING = "_", "^", "\\"
"""Every decorated symbol contains one of these."""
_RARE = regex(
    r"(\\(?:mathcal|mathbb|mathfrak|mathsf|mathscr|operatorname|widetilde|widehat|tilde|hat|bar"
    r"|overline|vec)"
    r"\s*(?:\{[^{}$]{1,20}\}|\\[A-Za-z]{2,10}|[A-Za-z])(?:[_^](?:\{[^{}$]{1,20}\}|\w))?"
    rf"|(?:[A-Za-z]|\\(?:{'|'.join(sorted(_GREEK, key=len, reverse=True))}))"
    r"(?:_(?:\{\\?[a-z]*\s?(?:[A-Za-z]{1,12}|[0-9])\}|[A-Za-z0-9])"
    r"|\^(?:\{(?:\\[a-z]{2,8}|\*)\}|\\[a-z]{2,8}|\*)))|\\(?:[A-Za-z]+|.)"
)
_HEAD = regex(rf"#(?:{_ACCENT}\s*(?:{_GROUP}|{_CORE})|{_CORE}|\[•\]|[|)\]])")


def is_letter(key: str) -> bool:
    """Whether a key is a Latin or Greek letter."""
    return (len(key) == 2 and key[1] != "*") or key[2:] in _GREEK


_OPERATORS = frozenset(
    "circ cdot star ast bullet otimes oplus times wedge vee triangle square sqcup sqcap boxplus"
    " boxtimes odot ominus oslash uplus amalg diamond lhd rhd".split()
)


def is_operator(key: str) -> bool:
    """Whether a key is an operator, which combines things, rather than a relation."""
    return key[2:] in _OPERATORS


class _Keys(dict[tuple[str, str, bool], tuple[str, ...]]):
    """Maps a symbol as written to its keys."""

    def __missing__(self, written: tuple[str, str, bool]) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(f"#{key}" for key in _keys(*written)))
        if len(self) < _MOST_KNOWN:
            self[written] = found
        return found


def _keys(base: str, scripts: str, is_applied: bool) -> Iterator[str]:  # noqa: FBT001 - of `_Keys`
    head = _tidy(base)
    if not head or (head.startswith("[") and len(head) == 3):
        yield from ["[•]"] if head else ()  # a phantom leaves no head
        return
    listed = [item for item in map(_tidy, _SCRIPTS.findall(scripts)) if item not in ("", "_", "^")]
    if head in _CLOSING:
        if head not in _SCRIPTED:
            listed = [item for item in listed if item.startswith("_")]
        if not listed:
            return
    name = head[1:] if head.startswith("\\") else head
    if name in ARROWS:
        yield from _scripted(head, [item for item in listed if _OF_ARROW.match(item)])
        return
    if _is_idle(name, head, listed):
        return
    head, listed = _upright(head), [*map(_upright, listed)]
    if head == "e" and any(item[0] == "^" for item in listed):
        return
    yield from _scripted(head, listed)
    if head in _CLOSING or head in _STANDARD:
        return
    if is_applied:
        yield f"{head}("
    yield head


def _is_idle(name: str, head: str, listed: list[str]) -> bool:
    """Whether something is not notation: a TeX command, a sign that sets, words."""
    if name in _IDLE or ":=" in name or name.endswith("font") or _SAID.fullmatch(head):
        return True
    return head in _RELATING and any(map(_DEFINES.fullmatch, listed))


def _upright(written: str) -> str:
    r"""A name in an upright font, in uniform notation: `\operatorname{LT}` is `\mathrm{LT}`."""
    return _UPRIGHT.sub(_as_roman, written) if "{" in written else written


def _as_roman(match: re.Match[str]) -> str:
    return match["symbol"] or f"\\mathrm{{{match['inner'] or match['word']}}}"


_UPRIGHT = regex(
    r"\\(?:operatorname\*?|text(?:rm|normal|up)?|mbox|mathrm)\{(?:(?P<word>[A-Za-z]{2,})"
    r"|\\(?:mathrm|textrm)\{(?P<inner>[A-Za-z]{2,})\}|(?P<symbol>\\math[a-z]+\{[A-Za-z]\}))\}"
)
ARROWS = frozenset(
    "to rightarrow longrightarrow leftrightarrow Rightarrow Leftrightarrow implies iff".split()
)
_OF_ARROW = regex(r"_(?!.*(?:\\infty|\\to(?![a-z])|\d))")
"""A script that names an author's arrow, `\\to_\\beta`, rather than a limit."""
_RELATING = frozenset(["=", "<", ">"])
_DEFINES = regex(
    r"[_^]\{?\\(?:math(?:rm|sf|it)|text(?:rm|sf|it|normal)?|mbox|rm)\{[Dd]ef[a-z]*\.?\}?\}?"
)
_SAID = regex(
    r"\\(?:text(?:rm|normal|it)?|mbox)\{(?:if|and|or|else|otherwise|for(?:all|every|each|some)?|where"
    r"|with|so|such(?:that)?|that|in|is|are|on|of|to|by|as|at|when(?:ever)?|iff|then|some|all|subjectto"
    r"|[^{}]*[.,;:])\}"
)
"""Words of a sentence inside a formula, without their blanks."""


def _scripted(head: str, listed: list[str]) -> Iterator[str]:
    """Keys of a symbol: with all scripts, without powers, its family, its constant scripts."""
    kept = sorted(item for item in listed if not _NUMBER.fullmatch(item))
    if kept != sorted(listed):
        yield head + "".join(sorted(listed))
    if kept:
        yield head + "".join(kept)
        yield head + "".join(sorted(_in_family(item) for item in kept))
        if any(item[1:].isdigit() for item in kept):
            yield head + "".join(
                sorted(f"{item[0]}•" if item[1:].isdigit() else _in_family(item) for item in kept)
            )
        constant = [item for item in kept if _in_family(item) == item]
        if 0 < len(constant) < len(kept):
            yield head + "".join(constant)


def _tidy(written: str) -> str:
    """A symbol or script in uniform notation: without blanks and outer braces."""
    text = "".join(normal_form(f"${written}$")[1:-1].split())
    start = text[:1] in ("_", "^")
    if text[start : start + 1] == "{" and text.endswith("}"):
        text = text[:start] + text[start + 1 : -1]
    return text


def _in_family(script: str) -> str:
    r"""A script in the key of a family: a constant stays, an index becomes a bullet."""
    if script[0] == "'" or _CONSTANT.fullmatch(script, 1):
        return script
    is_bracketed = script[1:2] == "(" and script[-1] == ")"
    arrow = ARROW.search(script)
    if arrow:  # a substitution, $w_{e\leftarrow c}$, is not an index
        return f"{script[0]}•{arrow[0]}•"
    return f"{script[0]}(•)" if is_bracketed else f"{script[0]}•"


_KEYS = _Keys()


_SENTENCE_END = regex(
    r"(?=[.!?\\])"
    r"(?:(?<![A-Z])(?<!\b[a-z])(?<!\be\.g)(?<!\bi\.e)(?<!\b[Cc]f)(?<!\bresp)(?<!\bd\.h)(?<!\bd\. h)"
    r"(?<!\bbzw)(?<!\b[Vv]gl)(?<!\bggf)(?<!\bsog)(?<!\bbel)(?<!\bp\.ex)(?<!\bp\. ex)"
    r"(?<!à-d)(?<!à\.d)[.!?](?=[\s~)']|\Z)|\\item(?![A-Za-z]))"
)


def sentences(text: str) -> Iterator[str]:
    """A canonical text cut into sentences; formulas are never cut."""
    start = 0
    inside = iter(formulas(text))
    formula = next(inside, None)
    for stop in _SENTENCE_END.finditer(text):
        while formula and formula.end <= stop.start():
            formula = next(inside, None)
        if formula and formula.start < stop.start():
            continue
        yield text[start : stop.end()]
        start = stop.end()
    if text[start:].strip():
        yield text[start:]
