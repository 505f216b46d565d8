r"""Terms and symbols that definitions introduce, names of results, and which texts use them.

A symbol begins with a dollar sign, which distinguishes it from a term.

Symbols identify a definition: `\mathcal{M}^2`, `N^{int}`, `d[`.

A symbol is a base with its decoration. Plain letters and common signs do not count: only a font, a
constant script, or a bracket makes one of them a symbol. A Greek letter with arguments is a symbol
if the text itself does not say what the letter is: `\omega(`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.phrases import word_tables
from pfcore.latex.lexer.letters import with_letters

_GROUP = r"\{((?:[^{}]|\{[^{}]*\}){1,200})\}"
_EMPHASIS = ("emph", "textit", "textbf", "textsl", "defn", "dfn", "define", "term", "newterm")
_SWITCH = regex(
    r"\{\s*\\(?:em|it|bf|sl|itshape|bfseries|slshape)(?![A-Za-z])\s*((?:[^{}]|\{[^{}]*\}){1,200})\}"
)
_MATHS = regex(r"\$[^$]*\$|\\\(.*?\\\)|\x02\d+\x03|\x04\d+\x05")
_WORD = regex(r"\\[A-Za-z@]+|([^\W\d_]{2,})")
_LETTERS = bytes(code if chr(code) == "\\" or chr(code).isalpha() else 32 for code in range(128))
_COMMAND = regex(r"\\[A-Za-z@]+")
_LONGEST = 6
_ANY_SYMBOL = "$"
_STOP = frozenset(
    """and the not any all only every each exactly unique then there exist exists such that other
    with for from this these where when let proof claim case step remark note example definition
    theorem lemma proposition corollary notation first second third one two three same iff must
    may does itself always never strictly finite infinite countable positive negative following
    true false left right upper lower also here some both new old set map point number function
    left-hand right-hand statement hypothesis assumption conjecture warning base
    inductive suppose assume consider include includes""".split()
)


class _Normal(dict[str, str]):
    """Maps a word to its normal form: lower case, without accents and the ending of a plural."""

    def __missing__(self, word: str) -> str:
        low = word.lower()
        if not low.isascii():
            letters = unicodedata.normalize("NFKD", low)
            low = "".join(letter for letter in letters if not unicodedata.combining(letter))
        if len(low) > 3 and low.endswith("ies"):
            low = low[:-3] + "y"
        elif len(low) > 4 and low.endswith(("sses", "xes", "ches", "shes")):
            low = low[:-2]
        elif len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
            low = low[:-1]
        if len(self) < 200_000:
            self[word] = low
        return low


class _Uncommanded(dict[str, str]):
    """Maps a word with the commands after it to its normal form; "" without a word."""

    def __missing__(self, found: str) -> str:
        word = found.partition("\\")[0]
        normal = _NORMAL[word] if len(word) > 1 else ""
        if len(self) < 200_000:
            self[found] = normal
        return normal


_NORMAL = _Normal()
_UNCOMMANDED = _Uncommanded()


def normal_words(text: str) -> list[str]:
    """The normal forms of a text's words without commands; then its numbered abbreviations."""
    text = _COLOUR.sub(" ", text) if "color" in text else text
    text, short = _without_numbered(with_letters(text))
    if text.isascii() and "@" not in text:
        return [*filter(None, map(_UNCOMMANDED.__getitem__, _pieces(text))), *short]
    return [*(_NORMAL[word] for word in _WORD.findall(text) if word), *short]


def words_of_prose(text: str) -> list[str]:
    """The normal forms of a text's words, with those of inline formulas after all others.

    So "a partial $B_{pq}$-map" contains "partial map".
    """
    if "$" in text:
        listed = normal_words(f"{_MATHS.sub(' ', text)} . {' . '.join(_MATHS.findall(text))}")
    else:
        listed = normal_words(text)
    if "(" in text:
        for match in _MAYBE.finditer(text):
            listed += (".", *normal_words(match["words"]))
    if "-" in text:
        for compound in compounds(text):
            listed += (".", *compound, ".", compound[0])
            if compound[0][0] != "-":  # a 2-tame thing is $n$-tame for some $n$
                listed += (".", compound[0].lstrip("0123456789"), *compound[1:])
    return listed


_MAYBE = regex(r"\((?:[^\W\d_]|-){3,20}\)[\s~]+(?P<words>[^\W\d_]{2,}(?:[\s~]+[^\W\d_]{2,}){0,3})")
"""Words after an optional one in brackets: "(weakly) tame stone" also means a tame stone."""


def compounds(text: str) -> Iterator[tuple[str, ...]]:
    """Words that a hyphen joins to a formula or a number: `-tame ring`, `2-tame ring`."""
    for match in _COMPOUND.finditer(text):
        words = normal_words(match["words"])
        if words:
            number = match["number"] or (match["formula"] or "").strip()
            yield (f"{number if number.isdigit() else ''}-{words[0]}", *words[1:])


def words_of_key(key: str) -> list[str]:
    """The words of a key, without what a hyphen joins to the first."""
    bare = key.lstrip("0123456789")
    return (bare[1:] if bare[:1] == "-" else key).split(" ")


_COMPOUND = regex(
    r"(?:(?<!\\)\$(?=\S)(?P<formula>[^$]{1,60})\$|\\xspace\s?\}?\s?|(?<![\w$.-])(?P<number>\d{1,2}))-"
    r"(?:\\(?:emph|text[a-z]{2})\s?\{)?(?P<words>[^\W\d_]{2,}[\w-]*+(?:[\s~]+[^\W\d_][\w-]*+){0,4})"
)


_COLOUR = regex(r"\\(?:text)?color ?(?:\[\w{0,20}\])? ?\{[^{}]{0,60}+\}")
_NUMBERED = regex(r"[A-Z](?<![A-Za-z\\][A-Z])[A-Z]{1,8}\d{1,2}(?![A-Za-z\d])")
_ABBREVIATED = regex(r"\s*(?P<short>[A-Z]{3}|[A-Z]{2,9}\d{1,2})\s*")


def _without_numbered(text: str) -> tuple[str, list[str]]:
    """A text without numbered abbreviations, and these: `ef1` for EF1, which is not an EF."""
    found = _NUMBERED.findall(text)
    return (_NUMBERED.sub(" ", text) if found else text), [word.lower() for word in found]


def _pieces(text: str) -> list[str]:
    """The words of an ASCII text, with the commands after them; faster than a pattern."""
    return text.encode("ascii").translate(_LETTERS + bytes(128)).decode("ascii").split()


def vocabulary(text: str) -> frozenset[str]:
    """The normal forms of all words of a text, and its symbols."""
    whole = with_letters(text)
    text, short = _without_numbered(whole)
    if text.isascii() and "@" not in text:
        found = set(filter(None, map(_UNCOMMANDED.__getitem__, set(_pieces(text)))))
    else:
        found = {_NORMAL[word] for word in set(_WORD.findall(text)) if word}
    found.update(short)
    return symbols(whole) | found if "\\" in whole or "$" in whole else frozenset(found)


@lru_cache(maxsize=16)
def _emphasis(extra: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join((*_EMPHASIS, *map(re.escape, extra)))
    return re.compile(rf"\\(?:{names})\s*{_GROUP}")


_SAID = regex(
    r"\b(?:is|are|be)\s+(?:called|said\s+to\s+be|said|named|termed)\s+(?:an?\s+|the\s+)?(?P<a>[^.,;:$]{3,60})"
    r"|\b(?:is|are)\s+(?:an?\s+)?(?P<b>[a-z][a-z -]{2,40}?)\s+(?:if|when|iff|whenever)\b"
    r"|\b[Ww]e\s+call\s+(?:(?:it|this|them|\$[^$]*\$)\s+)?(?:an?\s+|the\s+)?(?P<c>[^.,;:$]{3,60})"
    r"|\b(?:satisf(?:y|ies)|fulfill?s?|ha(?:s|ve))\s+(?:the\s+)?(?P<d>(?:condition|property"
    r"|assumption|hypothesis|axiom)\s+(?:\\text\w+\s*\{)?\([A-Z][A-Za-z]{1,9}\))\}?\s*(?:\\\s)?"
    r"\s*(?:if|when|iff|whenever)\b",
)
_BREAK = regex(r"\b(?:if|when|of|for|with|on|in|over|to|at|by|and|or|where|such|that|iff)\b")
_GENERIC = frozenset(
    """function process set map space measure class property sequence family element operator number
    group ring field object type structure system condition relation time""".split()
)

_OPENING = regex(
    r"^\s*(?:\([^()]*\)\s*)?(?:An?|The)\s+([A-Za-z][a-z-]+(?:\s+[a-z-]+){0,3}?)\s+"
    r"(?:(?:\$[^$(]+\([^$]+\$\s+)?(?:of|on|in|over|between|from|for)\b[^.]{0,80}?)?\s*"
    r"(?:is|are|consists|means)\b"
)
_DEFINING = regex(
    r"\b(?:[Dd]efine|[Ii]ntroduce)\s+(?:an?|the)\s+([a-z][a-z-]+(?:\s+[a-z-]+){0,3}?)\s+"
    r"(?:\$[^$]*\$\s+)?(?:of|on|in|over|between|from|for|by|as|to)\b"
)
_SAYING = regex(
    r"[Ww]e\s+say\s+(?:that\s+)?[^.$]{0,40}\$[^$]*\$\s+(?:(?:is|are)\s+(?:an?\s+)?)?"
    r"([a-z][a-z-]+(?:\s+[a-z-]+)?)"
)
_BEING = regex(
    r"\$\s+is\s+(?:an?\s+)?([a-z][a-z-]+(?:\s+[a-z-]+){0,2}?)\s+"
    r"(?:if|when|with|\$|on|of|for|in|with\s+respect)\b"
)
_PIECES = regex(r"[,;/()]|\b(?:and|or)\b")
_EVERYDAY = _STOP | _GENERIC | {""}
_ASIDE = regex(r"\([^()$\\]*\)")
"""An optional part of a term: "a \\emph{(weakly) tame stone}"."""


def introduced(text: str, title: str, extra: Iterable[str] = ()) -> tuple[str, ...]:
    """The terms of a definition: those that its text emphasises or defines in words, and its title.

    "We say that x is tame if" introduces "tame" if nothing is emphasised. The title "Tame function"
    also introduces "tame": a text may say "f is tame". A title may be an abbreviation.
    """
    shown = _shown(text, extra)
    found = [term for inner in shown if (term := _term(inner))]
    found += [term for inner in shown if (term := special_term(_ASIDE.sub(" ", inner)))]
    pieces = _PIECES.split(title) if title else []
    short = [match["short"].lower() for match in map(_ABBREVIATED.fullmatch, pieces) if match]
    found += [term for term in short if term not in _EVERYDAY]
    if short and _ABBREVIATED.fullmatch(pieces[0]):
        title, pieces = "", []
    if title and (term := _term(title)):
        found += [term, *_without_generic(term)]
    said = [] if shown else _said(text)
    found += [term for inner in (*pieces, *said) if (term := special_term(inner))]
    return tuple(dict.fromkeys(found))


def hinted(text: str, extra: Iterable[str] = ()) -> tuple[str, ...]:
    """Symbols and words that a definition introduces if they were not used before it."""
    found = said_to_be(text, extra)
    fresh = {symbol for symbol in symbols(text) if symbol[-1] != "("} - bound(text)
    return (*dict.fromkeys(found), *sorted(fresh | functions(text)))


def said_to_be(text: str, extra: Iterable[str] = ()) -> list[str]:
    """The terms that a definition defines in words, if nothing is emphasised."""
    if _shown(text, extra):
        return []
    patterns = (_OPENING, _SAYING, _BEING, _DEFINING)
    said = [match[1] for pattern in patterns for match in pattern.finditer(text)]
    return [term for inner in said if (term := special_term(inner))]


def result_names(title: str, kind: str) -> tuple[str, ...]:
    """The name of a result: "Gauss's lemma", "weak duality", "Lückenlemma"."""
    term = _term(title)
    if not term:
        return ()
    words, (first, last, endings) = term.split(" "), _naming()
    letters = unicodedata.normalize("NFKD", with_letters(title).lower())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    typed = _TYPED.findall(plain) or [""]
    is_name = len(typed) > 1 and (typed[0] in first or typed[-1] in last)
    is_name = (is_name and typed[0] != "universal") or any(map(endings.fullmatch, words))
    kinds = {_NORMAL[kind], "theorem", "lemma", "proposition", "corollary", "inequality", "formula"}
    if is_name or not kinds.isdisjoint(words):
        return (term,)
    return (f"{term} {_NORMAL[kind]}",)


_TYPED = regex(r"[a-z]+")


@lru_cache
def _naming() -> tuple[frozenset[str], frozenset[str], re.Pattern[str]]:
    """Nouns with which names of results begin, those with which they end; endings of compounds."""
    tables = [*word_tables("pointing_words").values()]
    first, last, ends = (
        frozenset(
            _NORMAL[noun] for table in tables if table["names"] in at for noun in table["nouns"]
        )
        for at in (("first", "compound"), ("last", "compound"), ("compound",))
    )
    return first, last, re.compile(rf"(?!hilfs)[a-z]{{3,}}(?:{'|'.join(sorted(ends))})")


def name_in_heading(printed: str, kind: str) -> str:
    """An environment's printed name if it names a result: "Main Theorem", never "Theorem"."""
    term = _term(printed)
    return term if " " in term and _NORMAL[kind] in term.split(" ") else ""


def _shown(text: str, extra: Iterable[str]) -> list[str]:
    """The emphasised texts of a text."""
    return [*_emphasis(tuple(extra)).findall(text), *_SWITCH.findall(text)]


def _without_generic(term: str) -> list[str]:
    """`tame` of `tame function`."""
    head, _, last = term.rpartition(" ")
    is_short = head and last in _GENERIC and " " not in head
    return [head] if is_short and head not in _STOP | _GENERIC and len(head) > 3 else []


def _said(text: str) -> list[str]:
    """The phrases that a definition defines in words."""
    found = []
    for match in _SAID.finditer(text):
        phrase = match["a"] or match["b"] or match["c"] or match["d"]
        cut = _BREAK.search(phrase)
        found.append(phrase[: cut.start()] if cut else phrase)
    return found


def _term(text: str) -> str:
    """The normal form of a term; "" if it is too short, too long or too common to look for."""
    text = _COLOUR.sub(" ", text) if "color" in text else text
    listed = normal_words(_COMMAND.sub(" ", _MATHS.sub(" ", with_letters(text))))
    if not listed or len(listed) > _LONGEST or all(word in _STOP for word in listed):
        return ""
    if len(listed) == 1 and len(listed[0]) < 4:
        return ""
    return " ".join(listed)


def short_term(text: str) -> str:
    """The normal form of a term of a single word of three letters; else ""."""
    listed = normal_words(_COMMAND.sub(" ", _MATHS.sub(" ", with_letters(text))))
    is_one = len(listed) == 1 and len(listed[0]) == 3
    return listed[0] if is_one and listed[0] not in _EVERYDAY else ""


def special_term(text: str) -> str:
    """The normal form of a term; "" if it consists of words that every paper has."""
    term = _term(text)
    return "" if _EVERYDAY.issuperset(term.split(" ")) else term


def used(text: str, heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Which terms and symbols a text uses; `heads` lists them by their first word."""
    found: list[str] = []
    if any(item in text for item in heads.get(_ANY_SYMBOL, ())):
        found += heads.keys() & symbols(text)
    listed = normal_words(text)
    there = set(listed)
    terms = [term for head in heads.keys() & there for term in heads[head]]
    found += [term for term in terms if " " not in term]
    phrases = [term for term in terms if " " in term and there.issuperset(term.split(" "))]
    if phrases:
        line = f" {' '.join(listed)} "
        found += [phrase for phrase in phrases if f" {phrase} " in line]
    return tuple(sorted(found))


def by_head(terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Terms by their first word, symbols by themselves; under "$" the bases of the symbols."""
    made: dict[str, list[str]] = {}
    for term in sorted(set(terms)):
        made.setdefault(term.partition(" ")[0], []).append(term)
    within = {piece for head in made if head.startswith("$") for piece in bases(head)}
    if within:
        made[_ANY_SYMBOL] = sorted(within)
    return {head: tuple(listed) for head, listed in made.items()}


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
_SYMBOL = regex(_DECORATED % r"[^\W\d_]")
_ASCII_SYMBOL = regex(_DECORATED % "[A-Za-z]")  # faster, and enough for almost all formulas
_BASE = regex(rf"{_FONT}|\\[A-Za-z]+|.", re.DOTALL)
_BRACED = regex(rf"({_FONTS})\{{([A-Za-z])\}}")
_SCRIPTS = regex(_SCRIPT)
_CONSTANT = regex(
    r"(?:\\(?:mathrm|mathsf|text\w*|operatorname|mathit|rm)\{?\s*[A-Za-z]+\}?|\\infty|\\ast|[*+-]"
    r"|[A-Za-z]{2,}|\\(?:times|circ|perp|vee|wedge|flat|sharp|bullet|dagger|top)|\d)"
)
_NUMBERS = regex(r"\\mathbb\{[NZQRC]\}|\\mathrm\{[a-z]\}")
_DISPLAYS = regex(
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
    """Maps a symbol as written to the forms by which it can be found, the plainest first."""

    def __missing__(self, raw: str) -> tuple[str, ...]:
        found = tuple(f"${item}" for item in _forms(raw) if " " not in item)
        if len(self) < _MOST_KNOWN:
            self[raw] = found
        return found


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
    """A base in uniform notation: `\\mathcal{T}` for `\\mathcal T`."""
    parts = written.split()
    return written if "{" in written or len(parts) < 2 else f"{parts[0]}{{{parts[1]}}}"


def _script(raw: str) -> str:
    """A constant script in uniform notation; "" for an index."""
    if raw[0] == "'":
        return raw
    inside = raw[1:].removeprefix("{").removesuffix("}") if raw[1:2] == "{" else raw[1:]
    return raw[0] + "".join(inside.split()) if _CONSTANT.fullmatch(inside) else ""


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
    """The symbol without decoration, as written; a text with the symbol contains one of these."""
    found = _BASE.match(symbol, 1)
    if found is None:
        return (symbol,)
    letter = _BRACED.fullmatch(found[0])
    return (found[0], f"{letter[1]} {letter[2]}") if letter else (found[0],)


def _formulas(text: str) -> str:
    """All formulas of a text, joined; splitting is several times faster than matching."""
    plain = text.replace(r"\$", " ") if r"\$" in text else text
    pieces = (plain.replace("$$", "$") if "$$" in plain else plain).split("$")[1::2]
    if r"\[" in text or r"\(" in text or r"\begin{" in text:
        pieces += [match[match.lastindex or 0] for match in _DISPLAYS.finditer(text)]
    return " ".join(pieces)


_ARBITRARY = regex(
    r"\b(?:[Ll]et|[Gg]iven|[Ff]or|[Aa]ll|[Aa]ny|[Ee]very|[Ee]ach|some|[Ss]uppose|[Ff]ix|[Cc]onsider"
    r"|[Aa]ssume(?:\s+that)?)\s*\$\$?([^$]+)\$(?!\s+(?:denotes?|stands?\s+for|be\s+the)\b)"
)
_APPLIED = rf"\\[A-Za-z]+(?:{_SCRIPT})*(?:\\left)?\("
_BY = r"\b(?:[Dd]enoted?(?:\b[^.]{0,80}?\s+by)?|[Ww]rite)"
_SYMBOL_SAID = regex(
    rf"(?:{_BY}|\\[a-z]+\{{[^{{}}]{{1,60}}\}})\s*\$(?P<a>{_APPLIED})"
    rf"|\$(?P<b>{_APPLIED})[^$]*\$\s+(?:denotes?|stands?\s+for)\b"
    rf"|(?P<c>{_APPLIED})[^$()]*\)\s*(?::=|\\coloneqq|\\triangleq)"
)
_MAP = regex(rf"(\\[A-Za-z]+)(?:{_SCRIPT})*\s*(?::(?!=)|\\colon(?![A-Za-z]))")
_SETS = regex(r"\s*(?::=|\\coloneqq(?![A-Za-z])|\\triangleq(?![A-Za-z]))")


def bound(text: str) -> frozenset[str]:
    """The symbols that a text takes as arbitrary: "Let $\\mathcal{A}$ be"."""
    found: set[str] = set()
    for match in _ARBITRARY.finditer(text):
        first = _SYMBOL.search(match[1])
        is_set = first and _SETS.match(match[1], first.end())
        found.update(_FORMS[first[0]] if first and not is_set else ())
    return frozenset(form for form in found if form[-1] != "(")


def functions(text: str) -> frozenset[str]:
    """The Greek letters with arguments that denote something according to a text."""
    raw = (match["a"] or match["b"] or match["c"] for match in _SYMBOL_SAID.finditer(text))
    return frozenset(form for item in raw for form in _FORMS[item] if form[-1] == "(")


def _own(applied: Iterable[str], text: str) -> set[str]:
    """The given letters with arguments that a text takes as arbitrary, or as its own maps."""
    letters = set(_MAP.findall(text))
    for match in _ARBITRARY.finditer(text):
        first = _BASE.match(match[1].lstrip())
        letters.update({first[0]} if first else ())
    return {form for form in applied if not letters.isdisjoint(bases(form))}
