"""Recognises omitted, cited and constructing proofs, by the words of `proof_words.toml`.

It also reads what the sentence right before a proof says is proved: "We now prove Theorem 2."; what
the sentence right before a statement says about its proof: "The following is due to Gauss [3].",
"This proves:"; and which results a title restates: "[Restatement of Theorem 2]".
"""

import itertools
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences
from pfcore.latex.language.hypotheses import prose_sentences
from pfcore.latex.language.phrases import word_tables
from pfcore.latex.parsed_file import CITED, CONSTRUCTION, OMITTED, PROVED

WORDS = "proof_words"

LONGEST = 200
"""The most characters of a text that only says that a proof is left out, or is elsewhere."""

_BEGINNING = 300  # characters: the first sentences
_CITATION = regex(
    r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,12}\*?(?:\s?\[[^\[\]]{0,80}\]){0,2}\s?\{[^{}]{1,120}\}"
    r"|\\url\s?\{[^{}]{1,150}\}|(?<!\\)\[(?![a-z]+ [a-z]+ [a-z]+\])[^\[\]\\$]{1,80}\]"
)
_ACCENT = regex(r"\\[`'^\"]\s?\{?(?=[A-Za-z])")
_LAYOUT = regex(
    r"\\(?:textit|textbf|textsc|emph|mbox|hfill|qed|qedhere|noindent)(?![A-Za-z])|\\[ ,;/]|[{}~\s]"
)
_NUMBER = r"(?:[a-z§]{1,14}+\.? ?)?\(?[a-z]?\.?\d[\w.:'-]{0,12}+\)?"
_PLACES = rf"(?:{_NUMBER}(?:, | and | und | et )){{0,2}}{_NUMBER}"
_IN = rf"(?:{_PLACES},? (?:of|in|from|von|aus|de|dans) )?"
_WORKS = rf"@(?:(?:,|,? (?:and|or|und|oder|et|ou|see also))? @){{0,4}}(?:,? {_PLACES})?"
_ITEM = r"\(?(?:i{1,3}|iv|vi{0,3}|ix|[a-h]|[1-9])['*]?\)?"
_ARROW = r"(?:\\(?:long)?(?:left|right|leftright)arrow|\\implie(?:s|dby)|\\iff|=>|\u21d2|\u21d0)"
_ITEMS = (
    rf"(?:{_ITEM}(?:(?: ?(?:,|-{{1,3}}|\u2013) ?|,? (?:and|und|et|to|bis|a) ){_ITEM}){{0,4}}"
    rf"|\$?(?:{_ITEM})?[ $]{{0,3}}{_ARROW}[ $]{{0,3}}(?:{_ITEM})?\$?)"
)
_BLANKS = {
    "{items}": _ITEMS,
    "{source}": rf"{_IN}(?:[a-z][a-z.'-]{{0,20}}+,? ){{0,4}}{_WORKS}",
    "{place}": _IN + _WORKS,
}


_ARGUES = regex(r"[$<>\x00-\x08\x0e-\x1f]")
"""Formulas and marks of references: a text with these says more, so its words are not checked."""
_MARK = regex(r"\x02\d{1,4}\x03")
"""The mark of a reference; a text may say that the proof is like the one there."""


_OF_MARKED = regex(
    r"((?i:proofs?|beweis(?:es)?|preuve|d[eé]monstration))[\s~]+(?:of|von|des|der|du|de(?:[\s~]+la)?)"
    rf"[\s~]*{_MARK.pattern}"
)
"""A word for a proof, with the mark of the result that it proves."""


def nature_of(text: str, *, called: str | None = None) -> str:
    """The nature of a proof by its canonical text: omitted, cited, a construction; else "".

    An empty proof is omitted.

    `called` is its environment and title if it is right after a definition, which it may construct;
    None elsewhere.
    """
    if not text.strip():
        return OMITTED
    is_marked = _MARK.search(text) is not None and _OF_PROOF.search(text) is not None
    words = _MARK.sub(" # ", _OF_MARKED.sub(r"\1", text)) if is_marked else text
    if len(text) <= LONGEST and not _ARGUES.search(words):
        said = plain_words(words)
        if pattern_of("omitted").fullmatch(said):
            return OMITTED
        if "@" in said and not is_marked and pattern_of("cited").fullmatch(said):
            return CITED
    if called is None:
        return ""
    begins = plain_words(f"{called} {text[:_BEGINNING]}")
    return CONSTRUCTION if pattern_of("constructs").search(begins) else ""


def says_part(title: str) -> bool:
    """Whether the title of a proof says that it proves a part of what is stated."""
    return bool(title) and pattern_of("part").fullmatch(plain_words(title)) is not None


def omission(text: str, start: int, *, is_proved: bool) -> tuple[int, int]:
    """The span of the sentence right after a statement that says that its proof is left out.

    Or where the proof can be found; `start` twice if there is no such sentence. If no proof follows
    (`is_proved`), the sentence may be later in the paragraph, provided that it names the result.
    """
    found = _FIRST_SENTENCE.match(text, start)
    if found is not None and not _ARGUES.search(found["said"]):
        is_of_proof = _OF_PROOF.search(found["said"]) is not None
        if is_of_proof or _OF_SOURCE.match(found["said"]):
            nature = nature_of(found["said"])
            if nature == CITED or (is_of_proof and nature == OMITTED):
                return start, found.end()
    first = _LEADING.match(text, start)
    begin = first.end() if first else start
    behind = _PARAGRAPH.match(text, begin, begin + _MOST_BEHIND)
    if is_proved or behind is None or not _OF_PROOF.search(behind[0]):
        return start, start
    for one, end in prose_sentences(text, begin, behind.end())[:_SENTENCES]:
        said = argued_words(" ".join(text[one:end].split()))
        if _joined("its_proof").search(said) and pattern_of("omitted").fullmatch(said):
            return one, end
    return start, start


def end_of_argument(text: str, start: int) -> int:
    """The end of sentences right after a result that prove it, such as "This follows from [3]".

    0 if there are none. They end with their paragraph, and before a sentence that introduces
    something, because that concerns more than a proof.
    """
    if not _MAY_ARGUE.match(text, start):
        return 0
    first = _LEADING.match(text, start)
    begin = first.end() if first else start
    found = _PARAGRAPH.match(text, begin)
    listed = prose_sentences(text, begin, found.end() if found else begin)
    end = 0
    for number, (one, last) in enumerate(listed):
        said = text[one:last]
        words = argued_words(" ".join(said.split()))
        is_said = pattern_of("argued").fullmatch(words) if not number else _further().match(words)
        if not is_said or not said.endswith((".", "]", "$", "}")) or _MARKED.search(said):
            break
        if len(words) > _LONGEST_ARGUMENT or _joined("unargued").search(words):
            break
        end = last
    return end


def argued_words(text: str) -> str:
    """A text in plain words; # stands for a reference."""
    return plain_words(_REFERENCE.sub(" # ", text.replace("#", " ")))


@cache
def _joined(name: str) -> re.Pattern[str]:
    """The patterns of all languages under a name, as one pattern."""
    return re.compile("|".join(table[name] for table in word_tables(WORDS).values()))


@cache
def _further() -> re.Pattern[str]:
    return re.compile(rf"(?:{_joined('further').pattern})(?!\w)")


_FIRST_SENTENCE = regex(
    r"\s{0,40}(?P<said>[^\s\\%.](?:[^.\n]|\.\d){0,120}(?:\n(?:[^.\n]|\.\d){1,120})?"
    r"(?:\{[^{}\n]{1,80}\})?)\.(?=\s|\Z)"
)
_LONGEST_ARGUMENT = 600
_MOST_BEHIND = 1_000
"""Characters after a statement in which a sentence may say that its proof is left out."""
_LEADING = regex(r"\s*+")
_PARAGRAPH = regex(
    r"(?:[^\n\\]|\n(?![ \t]*+\n)|\\(?!(?:(?:end|item|par|section|subsection)(?![A-Za-z])"
    r"|begin\s*\{(?!(?:equation|align|gather|multline|eqnarray)\*?\}))).){0,4000}",
    re.DOTALL,
)
"""A paragraph, up to what begins or ends a block."""
_MARKED = regex(r"\\(?:emph|text(?:bf|it|sl)|defn?|index)(?![A-Za-z])|:=|\\coloneqq")
_MAY_ARGUE = regex(r"\s*+(?:The|This|Its|That|D(?:ies|as|er|ie)|La|C(?:el|ec|'e)|L(?:e|'))")
_OF_PROOF = regex(r"(?i:proof|beweis|preuve|monstration)")
_OF_SOURCE = regex(r"(?:(?:This|That)\s+(?:is|was)|D(?:ies|as)\s+(?:ist|steht|wurde)|C'est)\s")
"""The beginning of "This is Theorem 2 of [3]"."""


def plain_words(text: str) -> str:
    """A text in lower case without accents and layout; @ stands for a citation."""
    bare = _CITATION.sub(" @ ", _ACCENT.sub("", text.replace("@", " ")))
    small = unicodedata.normalize("NFKD", _LAYOUT.sub(" ", bare).replace("’", "'").casefold())
    words = "".join(letter for letter in small if not unicodedata.combining(letter)).split()
    return " ".join(words).replace("@ ,", "@,").replace("@ .", "@.").strip(" .,;:!()")


@cache
def pattern_of(name: str) -> re.Pattern[str]:
    """The words of all languages in the table with this name, as one pattern."""
    return re.compile(_any_of(name, words_of))


def _any_of(name: str, write: Callable[[str, Mapping[str, Any]], str]) -> str:
    """The entries of all languages under a name as alternatives, each turned into a pattern."""
    return "|".join(
        write(entry["words"], table)
        for table in word_tables(WORDS).values()
        for entry in table[name]
    )


def words_of(words: str, table: Mapping[str, Any]) -> str:
    """The pattern of an entry of a language."""
    own = {f"{{{name}}}": table[name] for name in ("what", "kind")}
    for blank, pattern in (own | _BLANKS).items():
        words = words.replace(blank, pattern)
    return words


_REFERENCE = regex(r"\\(?:[A-DF-Za-df-z][A-Za-z]{0,11})?[Rr]ef\*?\s?\{[^{}]{1,200}\}")
_LETTER = regex(r"\\[`'^\"]\s?(?:\{([A-Za-z])\}|([A-Za-z]))")
_FONTS = regex(
    r"\\(?:text(?:it|bf|sc|sl)|emph|noindent|indent|(?:small|med|big)skip|par)(?![A-Za-z])"
    r"|\\label\s?\{[^{}]{0,120}\}|[{}~\s]"
)
_BREAK = regex(r"\\(?:end|(?:sub)*section\*?|chapter\*?)\s?\{[^{}]{0,200}\}|\n\s*\n")
_SENTENCE = regex(r"(?<=[.!?:;]) (?=[A-Z])")
FURTHEST = 400
"""Characters before a proof that may announce it."""
_SENTENCES = 3  # a full stop may be that of an abbreviation
_NUMBERED = (
    r"(?:{kind}s?|thms?|lem|props?|cor)\.? \(?(?:(?:(?-i:[A-Z])\.)?\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}"
    r"|(?-i:[A-Z])(?!\w))\)?(?!\w)"
)
_NO_KIND = r"(?!(?:that|dass|que|in|by|why|how) )"
_NEVER = r"(?!.*(?:proof|prov[ei]|beweis|preuve|demonstr| if | implies|\bof @|\bin @))"


def announced(before: str) -> str:
    r"""The title of a proof according to the words right before it: `Proof of Theorem \ref{a}`.

    "" if they do not say what is proved.
    """
    before = before[-FURTHEST:].rstrip()
    again = _SAID_AGAIN.search(before)
    if again:
        return f"Proof of {again['result']}"
    if not _MAY_ANNOUNCE.search(before):
        return ""
    plain, references = _last_words(before)
    starts = [0, *(match.end() for match in _SENTENCE.finditer(plain))]
    low = plain.lower()
    patterns = [
        _announcing(language)
        for language, table in word_tables(WORDS).items()
        if any(map(low.__contains__, table["announces"]))
    ]
    for start in reversed(starts[-_SENTENCES:]):
        found = next(filter(None, (one.fullmatch(plain, start) for one in patterns)), None)
        if found:
            target = next(text for text in found.groups() if text)
            of = "Proof of " if re.search(r"#|\d|[A-Z]\)?\Z", target) else "Proof of the "
            return of + re.sub(r"#(\d)", lambda number: references[int(number[1])], target)
    return ""


_SAID_AGAIN = regex(
    r"(?:\A|\n[ \t]*\n|\\end\{\w{1,20}\*?\})\s*(?:\\(?:noindent|(?:small|med|big)skip)\s*)*+"
    r"\\text(?:sc|bf|it|sf|sl)\s?\{\s*(?:[A-Z]\w{2,15}[\s~]+)?"
    r"(?P<result>\\[A-Za-z]{0,6}[rR]ef\*?\{[^{}]{1,100}\})[^{}]{0,40}\}(?:[^\n]|\n(?![ \t]*\n))*\Z"
)
"""A paragraph that restates a result, with its number as a heading."""


def _last_words(before: str) -> tuple[str, list[str]]:
    """The last words of a text without layout, with `#0` for a reference, and the references."""
    breaks = [match.end() for match in _BREAK.finditer(before)]
    references: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        references.append(match[0])
        return f" #{len(references) - 1} " if len(references) <= 10 else " "

    said = _REFERENCE.sub(numbered, before[max(breaks, default=0) :].replace("#", " "))
    said = _CITATION.sub(" @ ", _LETTER.sub(lambda match: match[1] or match[2], said))
    plain = unicodedata.normalize("NFKD", _FONTS.sub(" ", said))
    plain = " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())
    return re.sub(r"(?<=#\d) (?=[.,:;!?)])", "", plain), references


def settled(before: str) -> str:
    """What the words right before a statement say about its proof.

    `CITED`: the result is another's, with a citation; `PROVED`: the words prove it; else "".
    """
    before = before[-FURTHEST:].rstrip()
    if not _MAY_SETTLE.search(before):
        return ""
    plain = re.sub(r"\\[A-Za-z]+ ?", "", _last_words(before)[0]).replace("(@", "( @")
    starts = [0, *(match.end() for match in _SENTENCE.finditer(plain))]
    for start in reversed(starts[-_SENTENCES:]):
        if not all(_SHORTENED.search(plain, start, end - 1) for end in starts if end > start):
            break
        said = plain[start:].lower().strip(_STOPS)
        name = "sourced" if "@" in said else "shown"
        if _says(name, said):
            return CITED if name == "sourced" else PROVED
        if _says("concluded", said):
            return PROVED
    return CITED if _is_located(plain, starts) else ""


def _says(name: str, said: str) -> bool:
    """Whether a sentence matches the patterns of a name, without a word that excludes it."""
    found = _settling(name).fullmatch(said)
    return found is not None and not _joined(f"un{name}").search(said)


def _is_located(plain: str, starts: Sequence[int]) -> bool:
    """Whether the last sentence says in which work the proof of the coming statement is.

    It could also be about an earlier one, so words in or right before it must point ahead.
    """
    if "@" not in plain:
        return False
    ends = [end for end in starts if end and not _SHORTENED.search(plain, 0, end - 1)]
    said = [
        plain[one:other].lower().strip(_STOPS)
        for one, other in itertools.pairwise((0, *ends, len(plain)))
    ]
    is_led = len(said) > 1 and _settling("leading").fullmatch(said[-1]) is not None
    if is_led:
        said.pop()
    is_ahead = is_led or any(map(_settling("ahead").search, said[-_SENTENCES:]))
    return is_ahead and _says("located", said[-1])


_STOPS = " .:;,\\"
_MAY_SETTLE = regex(
    r"[Ff]ollowing|[Tt]his|suivant|[Cc]e(?:ci|la)|[Ff]olgende|[Rr]e(?:call|mind)|[Rr]appel|[Dd]amit"
    r"|[Ss]omit|[Ww]ir|[Hh]aben|[Ww]e have|avons|[Oo]n a|[Pp]roof|[Bb]eweis|[Nn]achweis|[Pp]reuve"
    r"|monstration|nach(?:zu)?lesen|ombining|utting|[Aa]ssembl|ombin(?:ier|ant)"
)
_SHORTENED = regex(r"(?:\b(?:cf|see|[Tt]hm|[Ll]em|[Pp]rop|vgl|[A-Z])\.|:)\Z")
"""The end of an abbreviation or a colon, which looks like the end of a sentence."""


@cache
def _settling(name: str) -> re.Pattern[str]:
    """The sentences of all languages that say that a statement is proved, or whose it is."""
    return re.compile(_any_of(name, settling_words))


def settling_words(words: str, table: Mapping[str, Any]) -> str:
    """The pattern of an entry of a language."""
    blanks = {
        "{lead}": r"(?:[^!?;@]{1,250} )?",
        "{adverb}": rf"(?:{table['adverb']},? ){{0,2}}",
        "{few}": r"(?:[^\s.!?;@]{1,30} ){0,4}",
        "{source}": r"(?:(?:[^.!?;@]|\.\d){1,60} )?\(? ?@[^!?;]{0,200}",
        "{kind}": rf"(?:[^\s.!?;@#]{{1,30}} ){{0,2}}{table['kind']}s?",
        "{proof}": table["proof"],
        "{work}": rf"(?:[^.!?;@#]{{1,60}} )?\(? ?{_WORKS}(?:,? [^!?;@#]{{1,60}}?)?",
        "{given}": r"[^!?;]{1,300}",
    }
    for blank, pattern in blanks.items():
        words = words.replace(blank, pattern)
    return words


class SectionPromise(NamedTuple):
    """A sentence that says in which section results are proved; both are given by labels."""

    start: int
    end: int
    results: tuple[str, ...]
    section: str


def promises(text: str) -> list[SectionPromise]:
    r"""Sentences that say where results are proved: `The proof of \ref{a} is in \ref{s}`."""
    found: dict[int, SectionPromise] = {}
    for start, end in _around_proving(text):
        for match in _promising().finditer(text, start, end):
            if _says_less(text, *match.span()):
                continue
            groups = match.groupdict()
            target, place = (
                next(said for name, said in groups.items() if said and name.startswith(part))
                for part in ("target", "place")
            )
            results = tuple(key for one in _REFERENCE.findall(target) for key in _keys(one))
            (section, *_) = (key for one in _REFERENCE.findall(place) for key in _keys(one))
            found[match.start()] = SectionPromise(*match.span(), results, section)
    return list(found.values())


def _around_proving(text: str) -> list[tuple[int, int]]:
    """Disjoint stretches of a text that may promise a proof: they have two references or more.

    Each is searched once, however many words of proving are in it.
    """
    found: list[tuple[int, int]] = []
    for cue in occurrences(text, _PROVING):
        start, end = max(0, cue - _PROMISE), cue + _PROMISE
        if text.count("ref{", start, end) < 2:
            continue
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _says_less(text: str, start: int, end: int) -> bool:
    """Whether words around a promise take it back: "a special case of", "the outline of", "if"."""
    before = _ENDS.split(text[max(0, start - _PROMISE) : start])[-1]
    behind = _PAUSES.split(text[end : end + _PROMISE], maxsplit=1)[0]
    said = f"{argued_words(before)} | {argued_words(text[start:end] + behind)}"
    return _joined("unpromised").search(" ".join(said.split())) is not None


_ENDS = regex(r"[.!?;:](?=[\s~}])|\n[ \t]*\n|\\(?:footnote|begin|end|section)(?![A-Za-z])")
_PAUSES = regex(r"[.,!?;:)](?=[\s~}]|\Z)|\n[ \t]*\n|\\(?:footnote|begin|end|section)(?![A-Za-z])")

_PROVING = ("roof", "roved", "roven", "prove ", "shown in", "established in", "eweis", "ewies",
            "gezeigt", "zeigen", "reuve", "monstration", "montr", "prouv")  # fmt: skip
_PROMISE = 200  # characters around such a word


@cache
def _promising() -> re.Pattern[str]:
    """The sentences of all languages that say in which section results are proved."""
    entries = [entry for table in word_tables(WORDS).values() for entry in table["promised"]]
    return re.compile(
        "|".join(promising_words(one["words"], str(at)) for at, one in enumerate(entries))
    )


def promising_words(words: str, name: str) -> str:
    """The pattern of an entry; its groups `target` and `place` end in a name."""
    kind = r"(?:(?:[Tt]he|[Oo]ur|[Ll][ea]|[Dd](?:er|ie|as|es|em)) )?(?:[^\W\d_]{2,20}\.? )?"
    one = rf"{kind}\\[A-Za-z]{{0,6}}[Rr]ef\*?\s?\{{[^{{}}]{{1,100}}\}}"
    several = rf"{one}(?:(?: ?,| ?,? (?:and|und|et)) {one}){{0,3}}"
    section = (
        r"(?:(?:the|dem|der|la|le) |l['’])?(?:(?:[Ss]ections?|[Aa]ppendix|[Cc]hapter|[Ss]ubsection"
        r"|Abschnitt|Anhang|Kapitel|[Aa]nnexe|[Aa]ppendice|[Cc]hapitre) |§ ?)?"
    )
    place = rf"{section}\\[A-Za-z]{{0,6}}[Rr]ef\*?\s?\{{[^{{}},]{{1,100}}\}}"
    filled = words.replace(" ", _BLANK).replace(
        "{target}", rf"(?P<target{name}>{several.replace(' ?', _MAYBE).replace(' ', _BLANK)})"
    )
    return filled.replace(
        "{place}", rf"(?P<place{name}>{place.replace(' ?', _MAYBE).replace(' ', _BLANK)})"
    )


_BLANK, _MAYBE = r"[\s~]{1,20}", r"[\s~]{0,20}"


def restated(title: str) -> tuple[str, ...]:
    r"""The labels of the results that a statement restates according to its title.

    `Theorem \ref{a}`, `Restatement of \cref{a}`; none if it says more: `Converse of \cref{a}`.
    """
    if "ef" not in title:
        return ()
    plain, references = _last_words(title)
    if not references or not _restating().fullmatch(re.sub(r"[()]", "", plain).strip(" .:")):
        return ()
    return tuple(key for one in references for key in _keys(one))


def _keys(reference: str) -> list[str]:
    return [key.strip() for key in reference[reference.index("{") + 1 : -1].split(",")]


@cache
def _restating() -> re.Pattern[str]:
    """The titles of all languages that name a restated result."""
    return re.compile(_any_of("restated", restating_words), re.IGNORECASE)


_SHORT_KIND = r"thms?\.?|prop\.?|lem\.?|cor\.?|rem\.?|remarks?|remarques?|bemerkung"


def restating_words(words: str, table: Mapping[str, Any]) -> str:
    """The pattern of an entry of a language."""
    one = rf"(?:(?:{table['article']} )?(?:{table['kind']}s?|{_SHORT_KIND}) )?#\d"
    page = r"(?: ?,? (?:on |auf |a la )?(?:p\.|pp\.|page|seite|s\.) ?(?:#\d|\d{1,4}))?"
    return words.replace("{results}", rf"{one}(?: ?(?:,|,? (?:and|und|et|&)) {one}){{0,3}}{page}")


_MAY_ANNOUNCE = regex(
    r"[Pp]ro(?:of|v)|[Ss]how|[Ee]stablish|[Bb]ew|[Zz]eig|gr.nd|[Pp]r(?:euv|ouv)|[Dd].{0,4}mon|montr"
)


@cache
def _announcing(language: str) -> re.Pattern[str]:
    """The sentences of a language that announce a proof; the groups are what is proved.

    Cached, because compiling them takes longer than reading a file.
    """
    table = word_tables(WORDS)[language]
    found = (announcing_words(entry["words"], table) for entry in table["announced"])
    return re.compile("|".join(found), re.IGNORECASE)


def announcing_words(words: str, table: Mapping[str, Any]) -> str:
    """The pattern of an entry of a language; one of its groups is what is proved."""
    one = rf"(?:(?:{_NO_KIND}[a-z-]{{2,20}}\.? )?#\d|{_NUMBERED.format(kind=table['kind'])})"
    several = rf"{one}(?:(?:,|,? (?:and|und|et)) (?:{one}|#\d)){{0,3}}"
    main = rf"(?:{table['main']} ){{0,2}}"
    named = rf"(?:{table['article']} )?{main}({several})"
    bare = rf"{table['article']} ({main}{table['kind']})"
    adverbs = rf"(?:{table['adverb']},? ){{0,2}}"
    lead = rf"(?:[^.!?;:]{{1,80}}, (?:{table['adverb']} )?|{adverbs})"
    tail = rf"(?:(?:\s?[,:(;]|\s(?=[a-z(])){_NEVER}[^.!?]{{0,200}})?[.:!]?\s?"
    own = words.replace("{adverb}", adverbs).replace("{target}", f"(?:{named}|{bare})")
    return rf"{lead}(?:{own}){tail}"
