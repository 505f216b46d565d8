r"""Commands that print a statement: `\newcommand{\thm}[1]{\par\textbf{Theorem \thet.} #1}`.

If a command's code sets the word of a kind apart, perhaps with a number and a title, and then
prints an argument and nothing more, its use is a statement: the command is read as if it began
an environment of the same name. In the presence of such commands, those for remarks and proofs
are read as well.

A command that refers, or prints only a heading, is not one: the text after it may be a statement.
"""

import re
from collections.abc import Container, Mapping
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.macro import NO_VALUE, PRIMITIVE, PROOF_IF_ANY, Macro, expanded
from pfcore.latex.project.declarations import Theorem
from pfcore.latex.project.kinds import in_english, named_kind, opens, unaccented

_LONGEST = 3_000
_MAIN = frozenset({"theorem", "lemma", "proposition", "corollary", "definition"})
"""Kinds that only statements have; notes and questions to an author look like the others."""
_NEVER = frozenset({"step", "etape", "schritt", "task", "case", "part", "problem"})
_CUE = regex(r"\\(?:textbf|bf|bfseries|textsc|sc|scshape|underline|uline)(?![A-Za-z])")
_TOKEN = regex(
    r"(?P<gap>\s+|~|\\[ ,;:!/\\]|\\(?:(?:no)?indent|par|(?:small|med|big)(?:skip|break)|newline"
    r"|linebreak|leavevmode|ignorespaces|unskip|null|hfill|quad|qquad|enspace|normalsize|large|Large"
    r"|small|sffamily|rmfamily|phantomsection|centering|raggedright|begingroup|endgroup|bgroup"
    r"|egroup|relax|strut|tcblower|goodbreak|maketitle|global|long|protect|nobreak|sf|tt)(?![A-Za-z@])"
    r"|\\(?:[hv](?:space|skip)|addvspace|vskip|hskip)\*?\s*(?:\{[^{}]*\}|-?[\d.]+\s*[a-z]{2})?"
    r"|\\(?:pagebreak|nopagebreak|linebreak|newline)\s*\[[^\[\]]*\]"
    r"|\\(?:text)?color\s*(?:\[\w{1,9}\]\s*)?\{[^{}]{1,60}\}|\\(?:col|f)box\s*(?:\{[^{}]{1,60}\})?"
    r"|\\(?:setlength|hypertarget|addcontentsline)\s*\{[^{}]*\}\s*\{[^{}]*\}(?:\s*\{[^{}]*\})?"
    r"|\\(?:begin|end)\s*\{(?:tcolorbox|mdframed|leftbar|framed|shaded|quote|quotation|center"
    r"|flushleft|minipage)\*?\}(?:\s*\[[^\[\]]*\])?)"
    r"|(?P<open>\{)|(?P<close>\})"
    r"|(?P<set>\\(?:textbf|bf|bfseries|textsc|sc|scshape|underline|uline)(?![A-Za-z]))"
    r"|(?P<plain>\\(?:textnormal|textrm|textit|textsl|emph|normalfont|rm|it|itshape|sl|slshape|em"
    r"|upshape|mdseries|textup|textmd)(?![A-Za-z]))"
    r"|(?P<count>\\(?:ref)?stepcounter\s*\{[^{}]*\}|\\addtocounter\s*\{[^{}]*\}\s*\{[^{}]*\})"
    r"|(?P<label>\\label\s*\{[^{}]*\})"
    r"|(?P<number>\\(?:the[A-Za-z@]+|(?:arabic|[Rr]oman|[Aa]lph)\s*\{[^{}]*\})|\d+)"
    r"|(?P<slot>#[1-9])|(?P<sign>[.:;])|(?P<mark>[-(),\[\]!'\u2013\u2014]+)"
    r"|(?P<word>[^\W\d_]+)|(?P<rest>.)",
    re.DOTALL,
)
_STARTS = regex(
    r"\\(?:(?:no)?indent|par|(?:small|med|big)(?:skip|break)|vspace|vskip|begin|newline|addvspace)"
    r"|\\\\"
)
"""Commands that begin a paragraph or line, where a word is not a reference in a sentence."""
_END = regex(
    r"\\(?:qed(?:here|symbol)?|hfill|square|blacksquare|Box|fi)(?![A-Za-z])|\$[^$]{1,40}\$"
)
_BRANCHES = regex(
    r"\\(?:ifthenelse\s*\{\s*\\(?:equal\s*\{[^{}]*\}\s*\{[^{}]*\}|isempty\s*\{[^{}]*\})\s*\}"
    r"|(?:IfNoValueTF|IfBlankTF|ifblank|ifstrempty|IfValueTF)\s*\{[^{}]*\})"
)
_TESTED = regex(r"\\if[a-z]{0,10}(?![A-Za-z])[^\n]{0,40}?\\else(?![A-Za-z])")
"""A test whether an argument is empty; the code after it is printed if it is not."""


class StatingMacros(NamedTuple):
    """The expansions of commands that print statements, and the kinds that they declare."""

    macros: dict[str, Macro]
    theorems: tuple[Theorem, ...]


def stating_macros(table: Mapping[str, Macro], known: Container[str]) -> StatingMacros:
    """The stating macros of a paper; `known` are names of its environments."""
    heads = {
        name: head
        for name in table
        if name not in known and f"end{name}" not in table and (head := _head(name, table))
    }
    whole = {name: head for name, head in heads.items() if head.body}
    if not any(head.is_main for head in whole.values()):
        return StatingMacros({}, ())
    made: dict[str, Macro] = {}
    theorems: list[Theorem] = []
    for name, head in whole.items():
        env = name if head.kind else "proof"
        made[name] = Macro(table[name].parameters, head.code(env))
        if head.kind:
            theorems.append(Theorem(name, head.word, "bracket", ""))
    return StatingMacros(made, tuple(theorems))


def headings_alone(table: Mapping[str, Macro]) -> dict[str, str]:
    """The macros that print just the word of a main kind without a statement, with that word."""
    found = ((name, _head(name, table)) for name in table)
    return {name: head.word for name, head in found if head and head.is_main and not head.body}


def unread_statements(
    table: Mapping[str, Macro], theorems: Mapping[str, Theorem], text: str
) -> list[tuple[str, str]]:
    r"""The commands of a text that look like statements but are not, each with its word.

    They print only a heading, or are `\thm{...}` where `\begin{thm}` would begin a theorem.
    """
    found = headings_alone(table)
    found |= {
        name: item.printed
        for name, item in theorems.items()
        if named_kind(item.printed) and re.search(rf"\\{re.escape(name)}\s?\{{", text)
    }
    return [(n, word) for n, word in found.items() if len(_uses(n, text)) > 1 or n in theorems]


def _uses(name: str, text: str) -> list[str]:
    """The occurrences of a command in a text, including its definition."""
    return re.findall(rf"\\{re.escape(name)}(?![A-Za-z@])", text)


class _StatementHead(NamedTuple):
    """What a command prints: a word, "" as its kind for a proof's, and the arguments around it."""

    word: str
    kind: str
    titles: tuple[str, ...] = ()
    labels: str = ""
    body: str = ""
    proof: str = ""
    counts: str = ""

    @property
    def is_main(self) -> bool:
        return in_english(self.kind) in _MAIN

    def code(self, env: str) -> str:
        """The code of an environment with the same content."""
        title = f"[{' '.join(self.titles)}]" if self.titles else ""
        proof = f"{PROOF_IF_ANY}{self.proof}\\end{{proof}}" if self.proof else ""
        begin = f"{self.counts}\\begin{{{env}}}"
        return f"{begin}{title}{self.labels} {self.body}\\end{{{env}}}{proof}"


def _head(name: str, table: Mapping[str, Macro]) -> _StatementHead | None:
    """What a macro prints, if that is the word of a kind, set apart, and what belongs to it."""
    macro = table[name]
    if macro.parameters == PRIMITIVE or len(macro.body) > _LONGEST:
        return None
    if not _CUE.search(macro.body) and not _calls_cue(macro.body, table):
        return None
    code = expanded(macro.body, lambda one: None if one == name else _helper(one, table), _LONGEST)
    code = _with_arguments(code)
    return _Reader(code).head() if _CUE.search(code) else None


_CALLED = regex(r"\\([A-Za-z@]+)")


def _calls_cue(body: str, table: Mapping[str, Macro]) -> bool:
    called = (table[name] for name in _CALLED.findall(body) if name in table)
    return any(_CUE.search(macro.body) for macro in called)


def _helper(name: str, table: Mapping[str, Macro]) -> Macro | None:
    """The macro of a helper command; commands that print the paper's counters are not expanded."""
    macro = table.get(name)
    is_own = macro is not None and macro.parameters != PRIMITIVE and not name.startswith("the")
    return macro if is_own else None


def _with_arguments(code: str) -> str:
    """Code in which tests for empty arguments are decided as if the arguments were given."""
    for _ in range(6):
        match = _BRANCHES.search(code)
        if match is None:
            break
        groups = Groups(code)
        yes = groups.braces(match.end())
        no = groups.braces(yes[1] + 1) if yes else None
        if yes is None or no is None:
            break
        spans = sorted((yes, no), key=lambda span: "#" in code[slice(*span)])
        chosen = code[slice(*spans[-1])]
        code = f"{code[: match.start()]}{chosen}{code[no[1] + 1 :]}"
    return code


_ARGUMENT_FONTS = ("\\text", "\\underline", "\\uline", "\\emph")
_MOST_WORDS = 2


class _Reader:
    """Reads what a command prints, token by token."""

    def __init__(self, code: str) -> None:
        self._code = unaccented(code).replace(NO_VALUE, " ")
        self._tokens = list(_TOKEN.finditer(self._code))
        self._set = [False]
        self._next: bool | None = None
        self._labels = ""
        self._is_certain = False

    def head(self) -> _StatementHead | None:
        """The word and what it prints; None where that is anything else."""
        for at, token in enumerate(self._tokens):
            if token["word"]:
                return self._named(at)
            if token.lastgroup in ("slot", "rest", "number", "mark", "sign"):
                return None
            self._step(token)
        return None

    def _step(self, token: re.Match[str]) -> None:
        """Follow fonts and groups; a font with an argument applies to the next group."""
        if token["open"]:
            self._set.append(self._set[-1] if self._next is None else self._next)
        elif token["close"] and len(self._set) > 1:
            self._set.pop()
        if not token["gap"]:
            self._next = None
        if token["set"] or token["plain"]:
            if token[0].startswith(_ARGUMENT_FONTS):
                self._next = bool(token["set"])
            else:
                self._set[-1] = bool(token["set"])
        elif token["label"] and "#" in token[0]:
            self._labels += token[0]
        if token.lastgroup in ("count", "number", "sign") or _STARTS.match(token[0]):
            self._is_certain = True

    def _named(self, at: int) -> _StatementHead | None:
        """The same from the first word on: it names a kind, or a proof, which may be in italics."""
        end = at + 1
        while end < len(self._tokens) and (self._tokens[end]["word"] or self._joins(end)):
            end += 1
        words = [token[0] for token in self._tokens[at:end] if token["word"]]
        is_proof = len(words) == 1 and opens(words[0]) is not None
        kind = "" if is_proof else named_kind(words[-1])
        is_set = self._set[-1] or (is_proof and "\\" in self._code[: self._tokens[at].start()])
        if not is_set or len(words) > _MOST_WORDS or kind in _NEVER or not (kind or is_proof):
            return None
        return self._behind(end, _StatementHead(" ".join(words), kind))

    def _joins(self, at: int) -> bool:
        """Whether this token is white space between two words."""
        following = self._tokens[at + 1]["word"] if at + 1 < len(self._tokens) else None
        return self._tokens[at][0] in (" ", "~") and bool(following)

    def _behind(self, at: int, head: _StatementHead) -> _StatementHead | None:
        """Titles and the statement behind a word; None where anything else is printed."""
        slots: list[str] = []
        is_body = False
        while at < len(self._tokens):
            token = self._tokens[at]
            if token["slot"]:
                slots.append(token[0])
                is_body = not self._set[-1]
            elif token["word"] or token["rest"]:
                break
            self._step(token)
            at += 1
        proof = self._tail(at) if is_body else "" if at == len(self._tokens) else None
        if proof is None or (is_body and not self._is_certain):
            return None
        body = slots.pop() if is_body else ""
        counts = "".join(token[0] for token in self._tokens if token["count"])
        head = head._replace(labels=self._labels, body=body, proof=proof, counts=counts)
        return head._replace(titles=tuple(slots)) if body else head

    def _tail(self, at: int) -> str | None:
        """The argument that is a proof after a statement, "" if none; None if anything else."""
        start = self._tokens[at].start() if at < len(self._tokens) else len(self._code)
        rest = _TESTED.sub("", _END.sub("", self._code[start:]))
        tokens = [one for one in _TOKEN.finditer(rest) if one.lastgroup not in _LAYOUT]
        found = [one[0] for one in tokens]
        if not found:
            return ""
        is_proof = len(found) == 2 and opens(found[0]) is not None and tokens[1]["slot"]
        return found[1] if is_proof else None


_LAYOUT = ("gap", "open", "close", "set", "plain", "sign")
