"""Checks of references and labels: undefined labels and labels defined twice.

Also finds the label that was probably meant among very many, comparing only a few of them.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks.check import Check, CheckInput, block, may_hold_code
from pfcore.domain.errors import SourceError
from pfcore.domain.findings import finding_id
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import count_before
from pfcore.domain.values import Finding, Location, Module, Severity
from pfcore.graph.document import LabelPlace
from pfcore.graph.paper_state import LABELS_OF_PACKAGES, PaperState
from pfcore.latex.language.worded_references import NUMBER, numbered
from pfcore.latex.lexer.commands import OF_PACKAGES, REFERENCES
from pfcore.latex.lexer.mask import leaves_a_branch, mask
from pfcore.latex.macros.macro import PRIMITIVE
from pfcore.latex.parsed_file import Reference
from pfcore.latex.project.documents import UNINCLUDED, documents_with, readers_by_stem
from pfcore.latex.project.include_graph import resolve, tex_live_files
from pfcore.latex.project.survey import NODE, FileLink
from pfcore.papers.paper import Paper
from pfcore.repository.snapshot import GENERATED
from pfcore.repository.source_files import decode

if TYPE_CHECKING:
    from pfcore.checks.conditional_code import ReadPlaces
    from pfcore.checks.listing_labels import ListingLabels
    from pfcore.latex.project.declarations import Environment
    from pfcore.latex.project.label_arguments import AskedInCode

_SHARING = frozenset({"xr", "xr-hyper", "zref-xr", "subfiles", "standalone", "docmute", "combine"})
"""Packages and classes that give one document the labels of another."""
_OF_A_PART = "sub@"
"""The prefix of the second label that subfig and subcaption set for a subfigure."""
_UNCERTAIN = regex(r"[\\#{}^$]")
_COMPUTED = regex(r"\\label\s*\{([^{}\n]{0,200}[#\\][^{}\n]{0,200})\}")
_WORDS_OF_LISTINGS = ("lst", "minted", "verbatim", "listing")
_LABEL_OPTION, _NAME_OPTION = regex(r"label\s*="), regex(r"to name\s*=")
_LISTING = regex(r"\\begin\s*\{(?:pseudo|code)")
"""Each begins with fixed text, which is found fast; the searched text is in lower case."""
_EMPTY = regex(
    r"\\(?P<name>ref|eqref|pageref|autoref|nameref|[cCvV]ref)\*?[ \t]{0,9}\{[ \t]{0,9}\}"
)
_OWN_REFERENCE = regex(
    r"\\(?:(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?|[gex]?def)\s*"
    rf"\\({'|'.join(sorted(REFERENCES - OF_PACKAGES))})(?![A-Za-z])"
)
_COMMAND_NAME = regex(r"\\([A-Za-z@]+)")
_ENDINGS = {"class": ".cls", "package": ".sty"}
_LABELLER = regex(
    r"\\((?!(?:make|caption|description|z|phantom)label)[A-Za-z]{1,20}label)(?![A-Za-z@])"
)
_LABEL = regex(r"\\label\{((?:[^{}]|\{[^{}]{0,200}\}){0,500})\}")
_ARGUMENT = regex(r"\{([^{}]{1,2000})\}")
_BEGUN_WITH = regex(
    r"\\begin\s*\{(?P<env>[A-Za-z]{1,40}\*?)\}(?:\s*\[[^\[\]]{0,200}\])?"
    r"(?P<given>(?:\s{0,9}\{[^{}]{1,200}\}){1,3})"
)
_COMPUTES = regex(r"#+[1-9]|\\[A-Za-z@]+\s*")
_IS_BEGUN = regex(r"[{,]\s*\Z")
_NEAR = 80
"""The most white space between a word and the character before it."""


def dangling(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """References to undefined labels; in PF markup also to numbers that no statement has."""
    if scene.paper.is_markup:
        yield from _unnumbered(scene, check)
    yield from _empty(scene, check)
    found = [*_unknown(scene), *_unknown_in_code(scene)]
    if not found:
        return
    owners = scene.owners()
    known = _Elsewhere(scene)
    numbers: Counter[tuple[str, str]] = Counter()
    told: set[tuple[str, int, int, str]] = set()
    for path, reference, key in found:
        if known.is_made(key) or known.leads_as_written(path, reference, key):
            continue
        module = owners.get((path, reference.block))
        place = (module or path, key)
        numbers[place] += 1
        at = (path, reference.start, reference.end, key)
        if at in told:  # a macro refers to it twice: `\hyperref[#1]{Lemma \ref*{#1}}`
            continue
        told.add(at)
        severity, hint = (None, "") if scene.is_base else known.told(path, reference, key)
        made = check.finding(
            f"undefined label {key}{hint}",
            subject=_subject(key, path if module is None else "", numbers[place]),
            module=module,
            place=scene.at(path, reference.start, reference.end),
            severity=severity or check.severity,
        )
        is_first = module is None and numbers[place] == 1
        earlier = frozenset({finding_id(check.id, key, None)}) if is_first else frozenset()
        yield replace(made, aliases=earlier)


def _empty(scene: CheckInput, check: Check) -> Iterator[Finding]:
    r"""References without a key, `\ref{}`: LaTeX prints question marks for them."""
    numbers: Counter[str] = Counter()
    for path in scene.paper.readings:
        if _EMPTY.search(scene.paper.source(path)) is None:
            continue
        for match in _EMPTY.finditer(scene.printed(path), max(scene.paper.surveys[path].body, 0)):
            if match["name"] in scene.paper.syntax.macros:
                continue
            module = scene.around(path, match.start())
            place = module or path
            numbers[place] += 1
            yield check.finding(
                f"\\{match['name']}{{}} has no label and prints ??",
                subject=_subject("{}", "" if module else path, numbers[place]),
                module=module,
                place=scene.at(path, match.start(), match.end()),
            )


def _unnumbered(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Numbers cited in PF markup that no statement of the file has.

    In PF markup the number is the id, so that only another work could be meant.
    """
    document = scene.document
    known = {(one.kind, one.number) for one in document.modules.values() if one.number}
    for name, module in document.modules.items():
        links = (document.statements[name], *document.proofs[name])
        told: set[str] = set()
        for passage, found in zip((module.statement, *module.proofs), links, strict=True):
            for mention, targets in zip(passage.mentions, found.mentions, strict=True):
                key = " ".join(mention.keys)
                is_told = mention.note != NUMBER or all(item.module for item in targets)
                lost = [] if is_told else [one for one in numbered(key) if one not in known]
                if lost and key not in told:
                    told.add(key)
                    yield check.finding(
                        _absent_numbers(lost, document.modules.values()),
                        subject=key,
                        module=name,
                        place=scene.at(passage.location.path, mention.start, mention.end),
                    )


_IN_MARKUP = frozenset({"theorem", "proposition", "lemma"})
_OWN_ALONE = "but a .pf file cites only its own results: add the cited result to it"
_BY_NUMBER = "; add the label, or cite a result by kind and number, for example Proposition 2"
_LISTED = 3
"""How many numbers of a list are named."""


def _absent_numbers(lost: Sequence[tuple[str, str]], modules: Iterable[Module]) -> str:
    """The message on missing numbers; it names a result that has one of them as its label."""
    names = [" ".join(one).capitalize() for one in lost]
    more = len(names) - _LISTED
    shown = [*names[:_LISTED], f"{more} others"] if more > 1 else names
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    said = f"{listed} {'does' if len(names) == 1 else 'do'} not exist in this file"
    for module in modules:
        if module.title in names:
            name = f"{module.kind.capitalize()} {module.number or ''}".strip()
            name = name if module.number else f"the {name}"
            return f"{said}: {name} has the label {module.title}; cite it as {name}"
    if any(kind not in _IN_MARKUP for kind, _ in lost):
        return f"{said}; its results are theorems, propositions and lemmas"
    one, its = ("number", "its statement") if len(names) == 1 else ("numbers", "their statements")
    return f"{said}; correct the {one} or add {its}"


def _subject(key: str, path: str, number: int) -> str:
    """The subject of a reference: its key, in running text its file, and its running number."""
    return " ".join(filter(None, (key, path, str(number) if number > 1 else "")))


class _Elsewhere:
    """Where else an undefined label may be defined: the hint and the severity that follow."""

    def __init__(self, scene: CheckInput) -> None:
        self._scene = scene
        self._listings = labels_by_listings(scene.paper)
        self._makers = _LabelMakers(scene)
        self._arguments = self._makers.arguments
        self._absent = _absent(scene)
        self._near = Nearest(scene.document.labels)
        self._found: dict[str, list[str]] = {}

    def is_made(self, key: str) -> bool:
        """Whether a listing sets the label, or the paper's own code sets or may compute it."""
        is_listed = self._listings is not None and key in self._listings
        is_listed = is_listed or any(f"{{{key}}}" in text for text in self._unfollowed.values())
        labels = self._scene.document.labels
        return is_listed or self._arguments.makes(key) or self._arguments.may_compute(key, labels)

    def leads_as_written(self, path: str, reference: Reference, key: str) -> bool:
        r"""Whether the key as written is a label, while a doubtful macro made another key of it.

        Doubtful are redefined commands of packages, and macros with several definitions. Also true
        if the reference itself defines the command whose argument the key is, such as `\lemref`.
        """
        written = self._scene.paper.source(path)[reference.start : reference.end]
        own = _OWN_REFERENCE.search(written)
        if own and f"\\{own[1]}{{{key}}}" in written:
            return True
        name = _COMMAND_NAME.match(written)
        if not name or key in written or not self._is_doubtful(name[1]):
            return False
        keys = [one.strip() for group in _ARGUMENT.findall(written) for one in group.split(",")]
        return any(one in self._scene.document.labels for one in keys)

    def told(self, path: str, reference: Reference, key: str) -> tuple[Severity | None, str]:
        """A lower severity for a reference, None without reason for one, and a hint."""
        severity, hint = self.says(key)
        if unread := self.unread_as(path, reference, key):
            severity, hint = Severity.NOTE, f"{hint}; {unread}"
        if not hint and self._scene.paper.source(path).startswith("\\uses", reference.start):
            hint = self.in_lean(key)
        like = (self.renamed(key) or self._near.to(key)) if not hint else ""
        otherwise = _BY_NUMBER if self._scene.paper.is_markup else ""
        return severity, hint or (f"; did you mean {like}?" if like else otherwise)

    def unread_as(self, path: str, reference: Reference, key: str) -> str:
        """Why LaTeX may skip the reference: a condition, or a command that drops it; or ""."""
        if self._is_plain(path, reference):
            return ""
        from pfcore.checks.conditional_code import Standing  # late: few papers ask

        standing = self._places.of_reference(path, reference, key)
        return {
            Standing.UNREAD: "LaTeX does not print this reference",
            Standing.DOUBTFUL: "a condition decides whether LaTeX reads this reference",
        }.get(standing, "")

    def _is_plain(self, path: str, reference: Reference) -> bool:
        """Whether a reference is one of LaTeX's own commands, outside of other arguments."""
        paper = self._scene.paper
        text = mask(paper.source(path), paper.syntax.dead).text
        start, written = reference.start, text[reference.start : reference.end]
        name = _COMMAND_NAME.match(written)
        is_own = name is None or name[1] in paper.syntax.macros
        is_open = count_before(text, "{", start) != count_before(text, "}", start)
        is_inside = is_open or text.endswith("\\string", 0, start)
        return not (is_own or is_inside or self._may_hold_code)

    @cached_property
    def _may_hold_code(self) -> bool:
        return may_hold_code(self._scene.paper)

    @cached_property
    def _places(self) -> "ReadPlaces":
        from pfcore.checks.conditional_code import ReadPlaces  # late: few papers ask

        return ReadPlaces(self._scene.paper)

    def _is_doubtful(self, name: str) -> bool:
        paper = self._scene.paper
        surveys = (paper.surveys[path] for path in paper.outline.order if path in paper.surveys)
        defined = sum(item.name == name for survey in surveys for item in survey.macros)
        return name in OF_PACKAGES or defined > 1

    def says(self, key: str) -> tuple[Severity | None, str]:
        """A lower severity, None without reason for one, and the end of the sentence."""
        if maker := self._maker_of(key):
            return Severity.NOTE, maker
        for prefix, name in self._absent.items():
            if key.startswith(prefix):
                return Severity.NOTE, f"; it may be in the document {name}, which is missing"
        unread = self._unread or (self._listings.unread if self._listings else "")
        if unread and not (gone := self._gone_with(key)):
            return Severity.NOTE, f"; it may be in {unread}, which could not be read"
        if unread:
            return None, f"; this change removed {gone}, which defined it"
        if place := self._switched_off(key):
            return None, f"; {place} defines it in a part that is switched off"
        other = self._other(key)
        return self._defined_in(other) if other else (None, "")

    def _gone_with(self, key: str) -> str:
        """The file that set the label before the change and is no longer in the paper; or ""."""
        before, here = self._scene.before, self._scene.paper.readings
        places = before.document.labels.get(key, ()) if before is not None else ()
        return next((place.path for place in places if place.path not in here), "")

    def _defined_in(self, other: str) -> tuple[Severity | None, str]:
        """The same for a label in a file that this document does not read."""
        paper, before = self._scene.paper, self._scene.before
        if before is not None and other in before.paper.readings:
            return None, f"; {other} defines it, which this change no longer includes"
        found = self._documents_with(other)
        if not found or other.startswith(GENERATED):
            why = UNINCLUDED if not found else f"no \\{NODE} prints it"
            return Severity.WARNING, f"; {other} defines it, but {why}"
        severity = Severity.WARNING if self._may_share_labels(other) else None
        document = next((path for path in found if path != paper.root), "")
        if not document:
            return severity, f"; {other} defines it, but this document does not read that part"
        named = posixpath.relpath(document, posixpath.dirname(paper.root) or ".")
        asked = f"\\externaldocument{{{posixpath.splitext(named)[0]}}}"
        belongs = "is" if document == other else "belongs to"
        why = f"but {belongs} another document (add {asked})"
        return severity, f"; {other} defines it, {_OWN_ALONE if paper.is_markup else why}"

    def _maker_of(self, key: str) -> str:
        """The code that may set the label, as the end of the sentence; "" if there is none."""
        if self._makers.may_make(key) or self._is_another_name(key):
            return "; a macro may define it when LaTeX runs"
        if env := self._undeclared(key):
            return f"; {env} may set it, but nothing that is loaded declares {env}"
        if command := self._foreign_labeller:
            return f"; {command} may set it, but its declaration is not here"
        return ""

    def renamed(self, key: str) -> str:
        """The present label of a statement that had this one before the change; else ""."""
        before, plan = self._scene.before, self._scene.plan
        if before is None or plan is None:
            return ""
        modules, then = self._scene.document.modules, before.document
        had = {
            place.module
            for place in then.labels.get(key, ())
            if place.module and key in then.modules[place.module].labels
        }
        labels = {modules[new].label for new, old in plan.pairs.items() if old in had}
        fresh = [label for label in labels if label and label not in then.labels]
        return fresh[0] if len(fresh) == 1 else ""

    def _undeclared(self, key: str) -> str:
        """An undeclared environment with the key, maybe without prefix, as an argument; or ""."""
        words = (key, key.rpartition(":")[2])
        return next((self._given[word] for word in words if word in self._given), "")

    @cached_property
    def _foreign_labeller(self) -> str:
        """A command of a missing class or style that sets labels, judging by its name; or ""."""
        paper = self._scene.paper
        here = {posixpath.basename(path).lower() for path in paper.snapshot.paths}
        links = (link for path in paper.outline.order for link in paper.surveys[path].links)
        names = (
            f"{posixpath.basename(link.target)}{_ENDINGS[link.relation]}".lower()
            for link in links
            if link.relation in _ENDINGS
        )
        if all(name in here or name in tex_live_files() for name in names):
            return ""
        called = (name for text in self._makers.texts for name in _LABELLER.findall(text))
        return next((f"\\{name}" for name in called if name not in paper.syntax.macros), "")

    @cached_property
    def _given(self) -> Mapping[str, str]:
        """The arguments of undeclared environments, each with its environment."""
        paper = self._scene.paper
        surveys = (paper.surveys[path] for path in paper.outline.order)
        own = {item.name for survey in surveys for item in survey.environments}
        known = own | paper.syntax.theorems.keys()
        return {
            word: match["env"]
            for text in self._makers.texts
            for match in _BEGUN_WITH.finditer(text)
            if match["env"] not in known
            for word in _ARGUMENT.findall(match["given"])
        }

    def in_lean(self, key: str) -> str:
        r"""A hint if `\uses` has a `\lean` name of a result instead of its label; else ""."""
        module = self._by_lean.get(key)
        if module is None:
            return ""
        label = self._scene.document.modules[module].label
        if label:
            return f"; did you mean {label}, which has this name in \\lean?"
        return f"; {self._scene.name(module)} has this name in \\lean, but no \\label"

    @cached_property
    def _by_lean(self) -> dict[str, str]:
        state = self._scene.state
        return {
            name: module.id
            for module in state.document.modules.values()
            for passage in module.passages
            for name in block(state, passage).lean
        }

    def _is_another_name(self, key: str) -> bool:
        r"""Whether the paper redefines `\label` and the key contains one of its labels."""
        own = self._scene.paper.syntax.macros.get("label")
        if own is None or own.parameters == PRIMITIVE:
            return False
        return any(label in key for label in self._scene.document.labels)

    @cached_property
    def _unread(self) -> str:
        """An input file that may set labels but is missing, unreadable or not LaTeX; or ""."""
        codes = ("missing-file", "unread-file", "uncertain-file", "unfollowed-file")
        named = (name for code, name in self._problems if code in codes)
        return next((name for name in named if name not in self._unfollowed), "")

    @property
    def _problems(self) -> Iterator[tuple[str, str]]:
        outline = self._scene.paper.outline
        listed = (problem for path in outline.order for problem in outline.problems.get(path, ()))
        return ((problem.code, problem.subject) for problem in listed)

    @cached_property
    def _unfollowed(self) -> Mapping[str, str]:
        """The texts of input files whose names are not those of LaTeX files, by these names."""
        paper = self._scene.paper
        moment, root = paper.snapshot, paper.root
        paths: dict[str, str] = {}
        for name in self._not_latex if not self._scene.is_base else ():
            link = FileLink("input", name, "input", 0)
            if found := resolve(link, root, (root,), moment.paths, moment.links):
                paths[name] = found
        texts = moment.contents(paths.values(), limit=_LONGEST) if paths else {}
        codes = {path: decode(data) for path, data in texts.items()}
        return {
            name: codes[path].text
            for name, path in paths.items()
            if path in codes and not codes[path].is_binary
        }

    @property
    def _not_latex(self) -> Iterator[str]:
        """The names of input files without an extension of LaTeX files."""
        yield from (name for code, name in self._problems if code == "unfollowed-file")
        for path in self._scene.paper.outline.order:
            links = self._scene.paper.surveys[path].links
            yield from (link.target for link in links if link.target.endswith(_OF_FIGURES))

    def _may_share_labels(self, other: str) -> bool:
        """Whether the paper or the other file may share labels with other documents.

        With `\\externaldocument`, or with packages and classes such as subfiles.
        """
        surveys = self._scene.paper.surveys
        if other not in surveys:
            return True
        files = [surveys[path] for path in (*self._scene.paper.outline.order, other)]
        return any(
            link.relation == "external" or posixpath.basename(link.target) in _SHARING
            for survey in files
            for link in survey.links
        ) or any(posixpath.basename(survey.document_class) in _SHARING for survey in files)

    def _switched_off(self, key: str) -> str:
        """The place of a label in the paper's own text that LaTeX never reads; "" without one."""
        paper = self._scene.paper
        for path in paper.readings:
            if key not in self._written[path]:
                continue
            text = paper.source(path)
            at = text.index(f"\\label{{{key}}}")
            masked = mask(text)
            is_shown = masked.printed[at] == "\\"
            is_gone = paper.syntax.never_read(text, (at,)) and (
                masked.text[at] == "\\" if is_shown else not _is_behind(text, at)
            )
            if is_gone:
                return f"{path}:{text.count(chr(10), 0, at) + 1}"
        return ""

    @cached_property
    def _written(self) -> Mapping[str, frozenset[str]]:
        paper = self._scene.paper
        return {path: _labels_in(paper.source(path)) for path in paper.readings}

    def _documents_with(self, path: str) -> list[str]:
        """The documents that a file is or that may include it; the file itself if not surveyed."""
        surveys = self._scene.paper.surveys
        if path not in self._found:
            found = documents_with(path, surveys, self._readers) if path in surveys else [path]
            self._found[path] = found
        return self._found[path]

    @cached_property
    def _readers(self) -> Mapping[str, set[str]]:
        return readers_by_stem(self._scene.paper.surveys)

    def _other(self, key: str) -> str:
        """A file of the repository, outside of this paper, that sets the label; or ""."""
        return next((path for path, labels in self._others.items() if key in labels), "")

    @cached_property
    def _others(self) -> Mapping[str, frozenset[str]]:
        """The labels of the other LaTeX files; none if findings are only compared by id.

        Files in the paper's folder come first, and files in hidden folders after others.
        """
        if self._scene.is_base:
            return {}
        paper = self._scene.paper
        paths = [
            path
            for path, entry in paper.snapshot.files.items()
            if path.lower().endswith((".tex", ".ltx"))
            and path not in paper.readings
            and (entry.size or 0) <= _LONGEST
        ]
        home = paper.root[: paper.root.rfind("/") + 1]
        paths.sort(key=lambda path: (not path.startswith(home), "/." in f"/{path}"))
        found: dict[str, frozenset[str]] = {}
        paper.snapshot.foresee(paths[:_MOST])
        for path in paths[:_MOST]:
            with suppress(SourceError):  # outside of this paper, so not reported
                found[path] = _labels_in(paper.source(path))
        return found


def _is_behind(text: str, at: int) -> bool:
    """Whether a place is after the end of the document, or in a comment."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return "\\end{document}" in text[:at] or "%" in line


def _labels_in(text: str) -> frozenset[str]:
    """The labels written out in a text, outside of comments."""
    if "\\label{" not in text:
        return frozenset()
    return frozenset(
        label[1]
        for line in text.split("\n")
        for label in _LABEL.finditer(line)
        if line.find("%", 0, label.start()) < 0
    )


def _styles(paper: Paper) -> list[str]:
    """The sources of a paper's classes and styles, which may set labels but are not reviewed."""
    order = paper.outline.order
    parts = [path for path in order if path not in paper.readings and path in paper.surveys]
    return [paper.source(path) for path in parts]


_OF_FIGURES = (".tikz", ".pgf", ".pdf_tex", ".eps_tex", ".svg_tex", ".pdf_t", ".pstex_t")
"""Extensions of figures that are code and may set labels."""
_MOST, _LONGEST = 500, 2_000_000
"""How many other files are read, and their greatest size in bytes."""


class UnresolvedKey(NamedTuple):
    """An undefined key, and where a paper refers to it."""

    key: str
    path: str
    reference: Reference


def unresolved(state: PaperState) -> Iterator[UnresolvedKey]:
    """The keys that a paper refers to without defining them."""
    found = state.lost_keys
    listings = labels_by_listings(state.paper) if found else None
    in_styles = frozenset[str]().union(*map(_labels_in, _styles(state.paper) if found else ()))
    for path, keys_lost in found.items():
        lost = set(keys_lost) - in_styles
        for reference in state.paper.references(path):
            keys = (key for key in reference.keys if key in lost)
            known = (key for key in keys if listings is None or key not in listings)
            yield from (UnresolvedKey(key, path, reference) for key in known)


def labels_by_listings(paper: Paper) -> "ListingLabels | None":
    """The labels that a paper's listings set; None if nothing in it looks like a listing."""
    sources = paper.snapshot.read_many(paper.outline.order).values()
    texts = tuple(source.text for source in sources)
    if not _has_listings(texts):
        return None
    from pfcore.checks.listing_labels import ListingLabels  # late: few papers ask

    return ListingLabels(paper, texts)


@lru_cache(maxsize=4)  # a paper and its earlier version, several times each
def _has_listings(texts: tuple[str, ...]) -> bool:
    """Whether something in some texts looks like a listing with a label."""
    whole = "\0".join(texts).lower()
    is_named = any(map(whole.__contains__, _WORDS_OF_LISTINGS))
    patterns = (_LABEL_OPTION, _NAME_OPTION, _LISTING)
    return is_named or any(pattern.search(whole) for pattern in patterns)


class _LabelMakers:
    """Code of a paper that may set labels that are not written out anywhere.

    That is `\\label` with arguments or macros in it, and tests whether a label exists.
    """

    def __init__(self, scene: CheckInput) -> None:
        from pfcore.latex.project.label_arguments import LabelArguments  # late: few papers ask

        self.texts = [scene.paper.source(path) for path in scene.paper.readings]
        styles = _styles(scene.paper)
        self._in_styles = frozenset[str]().union(*map(_labels_in, styles))
        self.texts += styles
        self._whole = "\0".join(self.texts)
        keys = sorted({key for text in self.texts for key in _COMPUTED.findall(text)})
        self._patterns = {key: _pattern(key) for key in keys if _COMPUTES.sub("", key).strip()}
        self.arguments = LabelArguments(self.texts)
        self._asking = [text for text in self.texts if "r@" in text]

    def may_make(self, key: str) -> bool:
        """Whether some code may set a label, or the paper tests whether it exists."""
        if any(f"r@{key}" in text for text in self._asking) or key in self._in_styles:
            return True
        return any(
            all(map(self._is_given, match.groups())) and not self.arguments.follows(made)
            for made, pattern in self._patterns.items()
            if (match := pattern.fullmatch(key))
        )

    def _is_given(self, word: str) -> bool:
        """Whether some command has a word as an argument, alone or in a list."""
        given = re.compile(rf"{re.escape(word)}\s*[,}}]")  # fast: it begins with fixed text
        return any(
            _IS_BEGUN.search(self._whole, max(0, match.start() - _NEAR), match.start())
            for match in given.finditer(self._whole)
        )


def _pattern(key: str) -> re.Pattern[str]:
    """The labels that a key with arguments and macros may become; its arguments are groups.

    If the key has fixed letters, these are enough, and there are no groups.
    """
    is_telling = re.search(r"[^\W\d_]", _COMPUTES.sub("", key)) is not None
    pieces = []
    done = 0
    for match in _COMPUTES.finditer(key):
        is_argument = match[0].startswith("#") and not is_telling
        pieces += [re.escape(key[done : match.start()]), "(.+)" if is_argument else ".+"]
        done = match.end()
    return re.compile("".join((*pieces, re.escape(key[done:]))), re.DOTALL)


def _unknown(scene: CheckInput) -> Iterator[tuple[str, Reference, str]]:
    """The undefined keys that a paper refers to, each with its file and reference."""
    known: Container[str] = scene.document.labels
    for path in scene.paper.outline.order:
        reading = scene.paper.readings.get(path)
        cited = reading.cited if reading else ()
        lost = {
            key
            for key in cited
            if key.removeprefix(_OF_A_PART) not in known
            and not _is_made(key)
            and not _is_elsewhere(scene, key)
        }
        for reference in scene.paper.references(path) if lost else ():
            for key in reference.keys:
                if key in lost:
                    yield path, reference, key


def _unknown_in_code(scene: CheckInput) -> Iterator[tuple[str, Reference, str]]:
    """The same for references in the code of the paper's environments and in document hooks."""
    defined: Counter[str] = Counter()
    refer: dict[str, Environment] = {}
    for path in scene.paper.outline.order:
        for item in scene.paper.surveys[path].environments:
            defined[item.name] += 1
            if "ref" in f"{item.begin}{item.end}".lower():
                refer[item.name] = item
    names = (REFERENCES | scene.paper.syntax.references) - scene.paper.syntax.macros.keys()
    names -= {"hyperref"}
    for path in scene.paper.readings:
        text, body = scene.paper.source(path), max(scene.paper.surveys[path].body, 0)
        is_begun = bool(refer) and any(f"{{{name}}}" in text for name in refer)
        is_hooked = body > 0 and "Document" in text[:body]
        if not is_begun and not is_hooked:
            continue
        from pfcore.latex.project import label_arguments  # late: few papers ask

        known = {name: item for name, item in refer.items() if defined[name] == 1}
        found = [
            *(label_arguments.asked_by_environments(text, known, names) if is_begun else ()),
            *(label_arguments.asked_by_hooks(text[:body], names) if is_hooked else ()),
        ]
        yield from _lost_of(scene, path, found, body)


def _lost_of(
    scene: CheckInput, path: str, found: Sequence["AskedInCode"], body: int
) -> Iterator[tuple[str, Reference, str]]:
    """Those keys in such code of a file that are undefined and not already read as references."""
    lost = [
        one
        for one in found
        if one.key not in scene.document.labels
        and not _is_made(one.key)
        and not _is_elsewhere(scene, one.key)
    ]
    if not lost:
        return
    text = scene.paper.source(path)
    never = scene.paper.syntax.never_read(text, (one.start for one in lost))
    read = {(key, item.start) for item in scene.paper.references(path) for key in item.keys}
    blocks = scene.paper.readings[path].blocks
    for one in lost:
        is_hook = text.startswith("\\At", one.start)
        is_known = any((one.key, at) in read for at in range(one.start, one.end))
        if one.start in never or is_known or (one.start < body) != is_hook:
            continue
        around = [
            (item.place.start, index)
            for index, item in enumerate(blocks)
            if item.place.start <= one.start < item.place.end
        ]
        block = max(around)[1] if around else -1
        yield path, Reference((one.key,), "ref", one.start, one.end, block), one.key


class Nearest:
    """Finds the close matches of difflib, skipping labels whose letters rule them out."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._labels = labels
        self._masks: list[tuple[str, int, int]] = []
        self._compared = 0

    def to(self, key: str) -> str:
        """The label most similar to a key; "" if none is or too many were compared."""
        if self._compared > _MOST_COMPARED:
            return ""
        from difflib import get_close_matches

        found = get_close_matches(key, self._possible(key), n=1, cutoff=_CUTOFF)
        return found[0] if found else ""

    def _possible(self, key: str) -> Iterator[str]:
        """The labels that may be similar: letters in only one of two texts match nothing."""
        if not self._masks:
            self._masks = [(label, len(label), _letters(label)) for label in self._labels]
        mine, size = _letters(key), len(key)
        self._compared += len(self._masks) // _MASKS_A_COMPARISON
        for label, length, theirs in self._masks:
            wanted = _CUTOFF * (size + length) / 2 - _ROUNDING
            if (
                min(size, length) >= wanted
                and size - (mine & ~theirs).bit_count() >= wanted
                and length - (theirs & ~mine).bit_count() >= wanted
            ):
                self._compared += 1
                yield label


def _is_made(key: str) -> bool:
    """Whether a key contains macros, or is a label that packages set."""
    return key in LABELS_OF_PACKAGES or _UNCERTAIN.search(key) is not None


def _is_elsewhere(scene: CheckInput, key: str) -> bool:
    """Whether a key is a prefix of another document of the paper and a label."""
    found = scene.paper.outline.elsewhere(key) if scene.paper.outline.prefixes else ()
    labels = scene.document.labels
    return any(bare in labels for _, bare in found)


def _absent(scene: CheckInput) -> dict[str, str]:
    """Missing documents whose labels are read, by the prefix of these labels."""
    outline = scene.paper.outline
    here = {prefix for prefix, _ in outline.prefixes}
    links = (link for path in outline.order for link in scene.paper.surveys[path].links)
    return {
        link.option: link.target
        for link in links
        if link.relation == "external" and link.option not in here
    }


_IN_A_LOOSE_FILE = regex(rf"; (?P<path>[^;]+) defines it, but {UNINCLUDED}\Z")


def loose_files(findings: Iterable[Finding]) -> list[str]:
    """The files of no document that define labels which a paper lacks, each once."""
    found: dict[str, None] = {}
    for item in findings:
        if match := _IN_A_LOOSE_FILE.search(item.message):
            found[match["path"]] = None
    return list(found)


def duplicates(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Labels that are defined twice; an error if they are cited."""
    labels = scene.document.labels
    certain = (key for key in labels.repeated() if not _UNCERTAIN.search(key))
    found = [(key, rival) for key in certain if (rival := _rival(scene, labels[key]))]
    found += _listed_twice(scene)
    if not found:
        return
    cited, read = _cited(scene), _ReadLabels(scene)
    for key, rival in found:
        first, second = loud = read.rival(key) or rival
        line = scene.at(first.path, first.offset, first.offset)[0].line
        severity = check.severity if key in cited else Severity.WARNING
        is_certain = read.are_certain(key, loud)
        yield check.finding(
            f"label {key} is already defined at {first.path}:{line}"
            + ("; references are ambiguous" if key in cited else "")
            + ("" if is_certain else "; a condition decides whether LaTeX reads both"),
            subject=key,
            module=second.module or None,
            place=_label(scene, second, key),
            severity=severity if is_certain else Severity.NOTE,
        )


class _ReadLabels:
    """Decides which definitions of a label LaTeX certainly reads, so that two of them collide."""

    def __init__(self, scene: CheckInput) -> None:
        from pfcore.checks.conditional_code import ReadPlaces  # late: few papers ask

        self._scene = scene
        self._read = ReadPlaces(scene.paper)

    def rival(self, key: str) -> tuple[LabelPlace, LabelPlace] | None:
        """Two places of a label that are certainly read; None without two."""
        places = self._scene.document.labels.get(key, ())
        return _rival(self._scene, [one for one in places if self._is_certain(key, one)])

    def are_certain(self, key: str, places: Iterable[LabelPlace]) -> bool:
        """Whether all of some places are certainly read."""
        return all(self._is_certain(key, one) for one in places)

    def _is_certain(self, key: str, place: LabelPlace) -> bool:
        names = {"label", "zlabel", *self._scene.paper.syntax.labels}
        return self._read.has_label(place.path, place.offset, key, names)


def _listed_twice(scene: CheckInput) -> Iterator[tuple[str, tuple[LabelPlace, LabelPlace]]]:
    """The labels that options of listings set and that are also defined elsewhere."""
    labels = scene.document.labels
    found: dict[str, list[LabelPlace]] = {}
    order: list[str] = []
    for path in scene.paper.outline.order:
        order.append(path)
        for offset, key in scene.paper.surveys[path].listed:
            found.setdefault(key, [*labels.get(key, ())]).append(LabelPlace(path, offset, "", ""))
    for key, places in found.items():
        places.sort(key=lambda place: (order.index(place.path), place.offset))
        rival = _rival(scene, places) if len(places) > 1 else None
        if rival and not _rival(scene, labels.get(key, ())):
            yield key, rival


def _cited(scene: CheckInput) -> frozenset[str]:
    """All keys that the paper refers to."""
    readings = scene.paper.readings.values()
    return frozenset(key for item in readings for key in item.cited)


def _rival(scene: CheckInput, places: Sequence[LabelPlace]) -> tuple[LabelPlace, LabelPlace] | None:
    """Two places of a label, unless they may be alternatives of which only one is read.

    Alternatives are the branches of a condition, and files that may not be in the same document.
    Documents that cite each other under prefixes have separate labels.
    """
    own: dict[str, list[LabelPlace]] = {}
    for place in places:
        own.setdefault(_document(scene, place.path), []).append(place)
    found = (_rival_in(scene, listed) for listed in own.values())
    return next(filter(None, found), None)


def _document(scene: CheckInput, path: str) -> str:
    """The document whose labels a file shares; with prefixes each document has its own."""
    outline = scene.paper.outline
    start = outline.starts.get(path, outline.root)
    survey = scene.paper.surveys.get(start)
    is_whole = survey is not None and survey.body >= 0
    is_part = survey is not None and posixpath.basename(survey.document_class) == "subfiles"
    return start if outline.prefixes and is_whole and not is_part else outline.document(path)


def _rival_in(
    scene: CheckInput, places: Sequence[LabelPlace]
) -> tuple[LabelPlace, LabelPlace] | None:
    """The first place of a label in one document, and a second one."""
    first = places[0]
    starts = scene.paper.outline.starts
    for other in places[1:]:
        if (other.path, other.offset) == (first.path, first.offset):
            continue  # one use of a macro with its argument in both branches
        if _is_of_zref(scene, first) != _is_of_zref(scene, other):
            continue  # zref's labels are separate and may have the names of LaTeX's
        if _is_of_a_note(scene, first) or _is_of_a_note(scene, other):
            continue
        if other.path == first.path:
            text = mask(scene.paper.source(first.path), scene.paper.syntax.dead).text
            if not leaves_a_branch(text[first.offset : other.offset]):
                return first, other
        elif scene.is_complete or starts[other.path] == starts[first.path]:
            return first, other
    return None


_OPTION = regex(r"\\begin\s*\{[^{}]+\}\s*\[[^\[\]]*(?<!\w)label\s*=")
_READ_OPTIONS = ("thmtools", "keytheorems", "thm-restate", "tcolorbox", "mdframed")


def _is_of_a_note(scene: CheckInput, place: LabelPlace) -> bool:
    r"""Whether a label is an option of a statement, and no loaded package reads such options.

    For amsthm, `[label=x]` is a note that it prints.
    """
    if not _OPTION.match(scene.paper.source(place.path), place.offset):
        return False
    surveys = (scene.paper.surveys[path] for path in scene.paper.outline.order)
    loaded = {posixpath.basename(link.target) for one in surveys for link in one.links}
    return loaded.isdisjoint(_READ_OPTIONS)


def _is_of_zref(scene: CheckInput, place: LabelPlace) -> bool:
    return scene.paper.source(place.path).startswith("\\zlabel", place.offset)


def _label(scene: CheckInput, place: LabelPlace, key: str) -> tuple[Location, str]:
    source = scene.paper.source(place.path)
    limit = place.offset + len(key) + 40
    written = re.compile(rf"[{{=]\s*{re.escape(key)}\s*\}}?")
    found = written.search(source, place.offset, limit)
    end = found.end() if found else source.find("}", place.offset, limit) + 1
    return scene.at(place.path, place.offset, end or place.offset + 1)


_FLOATED = regex(r"\\(?P<how>begin|end)\s{0,9}\{(?P<env>(?:wrap|sideways)?(?:figure|table)\*?)\}")
_LONGEST_FLOAT = 20_000
_IN_A_FLOAT = regex(
    r"\\label\s*\{(?P<label>[^{}]{1,200})\}|\\caption\s*(?P<caption>[\[{])"
    r"|\\(?:refstepcounter|captionof|caption\*|phantomcaption|[A-Za-z]*box|captionbeside)(?P<other>)"
    r"|\\begin\s*\{(?P<begin>[^{}]{1,60})\}|\\end\s*\{(?P<end>[^{}]{1,60})\}|\\.|[{}]",
    re.DOTALL,
)
_NO_PARTS = ("center", "flushleft", "flushright", "small", "footnotesize")
_OF_OTHER_THINGS = frozenset({"pageref", "cpageref", "autopageref", "nameref", "Nameref"})
"""Commands that refer to a label without printing its number."""


def early_labels(scene: CheckInput, check: Check) -> Iterator[Finding]:
    r"""Labels of figures and tables before their `\caption`, which steps the counter.

    Such a label gets the number of the section; it is reported only if its number is printed.
    """
    found: list[tuple[str, int, int, str]] = []
    for path in scene.paper.readings:
        if any(_early_labels(scene.paper.source(path))):
            found += ((path, *label) for label in _early_labels(scene.printed(path)))
    counted = _counted(scene) if found else frozenset()
    for path, start, end, key in found:
        if key in counted and len(scene.document.labels.get(key, ())) == 1:
            yield check.finding(
                f"\\label{{{key}}} precedes \\caption, so references to it print the number of the "
                "section; put it after the caption",
                subject=key,
                module=scene.around(path, start),
                place=scene.at(path, start, end),
            )


def _early_labels(text: str) -> Iterator[tuple[int, int, str]]:
    """The labels in the outermost part of a float before its first caption; none if unsure."""
    for begin, end in pairwise(_FLOATED.finditer(text)):
        is_one = (begin["how"], end["how"], begin["env"]) == ("begin", "end", end["env"])
        if not is_one or end.start() - begin.end() > _LONGEST_FLOAT:
            continue
        label: re.Match[str] | None = None
        depth = 0
        for sign in _IN_A_FLOAT.finditer(text, begin.end(), end.start()):
            if sign["caption"] or sign["other"] is not None:
                break
            if sign["label"]:
                label = label or (None if depth else sign)
            elif sign[0] in "{}" or (sign["begin"] or sign["end"] or _NO_PARTS[0]) not in _NO_PARTS:
                depth += 1 if sign[0] == "{" or sign["begin"] else -1
        else:
            continue
        if label and sign["caption"] and not depth:
            yield (*label.span(), " ".join(label["label"].split()))


def _counted(scene: CheckInput) -> frozenset[str]:
    """The keys whose numbers the paper prints."""
    references = (
        reference for path in scene.paper.readings for reference in scene.paper.references(path)
    )
    wanted = (one for one in references if one.command not in _OF_OTHER_THINGS | {"hyperref"})
    return frozenset(key for one in wanted for key in one.keys)


_MOST_COMPARED, _MASKS_A_COMPARISON = 100_000, 50
"""The most comparisons, and how many labels are ruled out by letters in the time of one."""
_CUTOFF = 0.8
_ROUNDING = 1e-6


def _letters(text: str) -> int:
    """A bit for each letter that occurs; few letters share one."""
    found = 0
    for letter in set(text):
        found |= 1 << (ord(letter) & 127)
    return found


CHECKS = (
    Check(
        id="dangling-reference",
        severity=Severity.ERROR,
        rationale="reference to an undefined label",
        run=dangling,
    ),
    Check(
        id="duplicate-label",
        severity=Severity.ERROR,
        rationale="label defined twice",
        run=duplicates,
    ),
    Check(
        id="label-before-caption",
        severity=Severity.WARNING,
        rationale="label before the caption of its figure",
        run=early_labels,
    ),
)
