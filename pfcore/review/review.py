"""The one use case: for every paper, what a change affects, what is wrong, and what was read.

Also finds accepted results with faults in their structure, which readers do not judge. By DESIGN §3
a status follows from verdicts alone, so that this is separate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain.containment import Failure, Fault, attempt, unreadable
from pfcore.domain.errors import ConfigError, IncompleteError, NoPaperError, UsageError
from pfcore.domain.findings import finding_id, is_blocking, is_id, is_told
from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import FILE_NAME, LEDGER_NAME
from pfcore.domain.values import Finding, Location, Module, Role, Severity, Status, Unreached
from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import MeasuredBounds, good_pf_bounds
from pfcore.graph.paper_state import (
    Numbering,
    PaperState,
    ShownNumbers,
    build_paper_state,
)
from pfcore.graph.status import ModuleVerdict, statuses
from pfcore.impact.plan import Plan, make_plan
from pfcore.latex.project import kinds
from pfcore.latex.structure.headings import STEPS
from pfcore.markup.pf_paper import SUFFIX, is_markup
from pfcore.papers.discover import (
    UNNAMED,
    DiscoveredPapers,
    Failed,
    discover_papers,
    unread_reasons,
)
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import printable

if TYPE_CHECKING:
    from pfcore.checks.references import UnresolvedKey
    from pfcore.llm.engine.action import UsageTally
    from pfcore.papers.latex_numbers import LatexWord
    from pfcore.review.paper_verdicts import PaperVerdicts
    from pfcore.review.verification_setup import VerificationSetup

_NO_MODEL = "not read: no model is set"
_LOST = "dangling-reference"
NOTHING_TO_READ = "without a proof"
"""The reason of an unreached module that nobody could read."""
NO_PROOF = "no-proof"
"""The check whose answered findings also count as answers for results."""
_SOURCES = (".tex", ".ltx", SUFFIX)
_MOST_NAMES = 3
"""How many papers an error names; the others are counted."""


@dataclass(frozen=True, kw_only=True)
class PaperReport:
    """All results of a review of one paper; rarely used ones are computed on demand.

    `sheet` has the verdicts on its proofs; None without a model and a ledger.
    Findings below `least` may be left out, unless the threshold includes them.
    `is_guarded`: an answer in the source does not count for a finding that is new in this change.
    `answers` are answers from elsewhere to findings of checks, by their ids.
    `is_displayed`: for people on this machine, with LaTeX's own numbers if LaTeX was run.
    `is_upload`: with the checks that run only before an upload.
    """

    state: PaperState
    before: PaperState | None
    plan: Plan
    threshold: Severity
    sheet: PaperVerdicts | None = None
    least: Severity = Severity.NOTE
    is_guarded: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)
    is_displayed: bool = False
    is_upload: bool = False

    @property
    def is_change(self) -> bool:
        """Whether there is an earlier moment, so that findings are new or old."""
        return self.before is not None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, most severe first, with the answers of the source."""
        return self._found()

    @cached_property
    def lost(self) -> tuple[Finding, ...]:
        """The findings on references to undefined labels."""
        return self._of_check(_LOST)

    def _of_check(self, name: str) -> tuple[Finding, ...]:
        """The findings of one check, without running the others.

        Whether they are new is set if all findings are known already. Otherwise the base is checked
        only if that matters: if very many are capped (new ones come first) or joined (only if not
        new), or if answers to new ones do not count.
        """
        if "findings" in vars(self):
            found = self.findings
        else:
            found = self._found(only=name, is_compared=self.is_guarded)
            if not (self.is_guarded or set(map(attrgetter("left", "alike"), found)) <= {(0, 0)}):
                found = self._found(only=name)
        return tuple(item for item in found if item.rule == name)

    @cached_property
    def unfinished(self) -> tuple[Finding, ...]:
        """The placeholders such as TODO or ???, which only the gate counts; () if there are none.

        Notes to the authors are included if some text has such a placeholder.
        """
        texts = map(self.state.paper.source, self.state.paper.readings)
        if not any(map(_has_placeholder, texts)):
            return ()
        paper = replace(self, is_upload=True)
        found = _findings(
            paper, Severity.NOTE, is_capped=False, only=PLACEHOLDER, is_compared=False
        )
        answers = {**self.answers_to(found), **self.answers}
        return tuple(
            item
            for item in found
            if item.rule == PLACEHOLDER
            and item.severity is not Severity.NOTE
            and _answered(item, answers).dismissed is None
        )

    @cached_property
    def unresolved(self) -> tuple[UnresolvedKey, ...]:
        """The undefined keys that the paper refers to."""
        if not self.state.lost_keys:
            return ()
        from pfcore.checks.references import unresolved  # late: few papers have any

        return tuple(unresolved(self.state))

    def _found(self, *, only: str = "", is_compared: bool = True) -> tuple[Finding, ...]:
        """The findings of all checks, or of one by its id, with the answers of the source."""
        least = min(self.least, self.threshold, key=lambda item: item.rank)
        found = _findings(self, least, only=only, is_compared=is_compared)
        read = self.sheet.findings if self.sheet else ()
        if self.is_guarded:
            from pfcore.checks.suppressions import withdrawn

            found = tuple(withdrawn(found, read, is_change=self.is_change))
        spared = {name for item in read for name in (item.id, *item.aliases)}
        known = {**self.answers_to(found), **self.answers}
        answers = {name: said for name, said in known.items() if name not in spared}
        found = tuple(_answered(item, answers) for item in found) if answers else found
        return _by_cause(found) if self.is_upload else found

    @cached_property
    def check_answers(self) -> Mapping[str, str]:
        """The ledger's answers to findings of checks, by the ids of the findings."""
        return self.answers_to(())

    def answers_to(self, found: Iterable[Finding]) -> Mapping[str, str]:
        """The same, including answers to these given under another id of their statement."""
        if self.sheet is None or not self.sheet.objections.dismissals:
            return {}
        from pfcore.review.bulk_answers import answers_in_force, carried_dismissals

        known = self.sheet.objections.dismissals
        carried = carried_dismissals(self.state, known, found)
        return answers_in_force(self.state, (*known, *(item.answer for item in carried)))

    @cached_property
    def answered_for(self) -> frozenset[str]:
        """The modules without a proof for which the authors have given a reason instead."""
        if not self._has_answers:
            return frozenset()
        named = {item.module for item in self._of_check(NO_PROOF) if item.dismissed is not None}
        known = self.check_answers
        return frozenset(
            name
            for name, module in self.state.document.modules.items()
            if not module.proofs
            and (name in named or (known and finding_id(NO_PROOF, "", name) in known))
        )

    @property
    def _has_answers(self) -> bool:
        """Whether there are any answers: in the source, in the ledger, or elsewhere."""
        is_on_record = self.sheet is not None and bool(self.sheet.objections.dismissals)
        readings = self.state.paper.readings.values()
        return bool(self.answers) or is_on_record or any(map(attrgetter("ignores"), readings))

    @cached_property
    def unproved(self) -> tuple[str, ...]:
        """The results without a proof, source, formal proof as claimed, or answer.

        A step is proved in the proof around it, a restated result where it is proved.
        """
        modules = self.state.document.modules
        proved = {module.statement.digest for module in modules.values() if module.proofs}
        return tuple(
            name
            for name, module in modules.items()
            if module.role is Role.RESULT
            and module.kind not in STEPS
            and module.is_asserted
            and module.statement.digest not in proved
            and name not in self.answered_for
            and not self.state.counts_as_formal(module)
            and not module.is_settled
            and not is_from_elsewhere(module)
        )

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """The findings that make the review fail."""
        return tuple(
            item
            for item in self.findings
            if is_blocking(item, self.threshold, is_change=self.is_change)
        )

    def is_loud(self, finding: Finding) -> bool:
        """Whether a finding is more than a note, or notes make the review fail."""
        return finding.severity is not Severity.NOTE or self.threshold is Severity.NOTE

    def is_shown(self, finding: Finding) -> bool:
        """Whether a finding is shown by default; one that makes a review fail always is."""
        return self.is_loud(finding) or is_told(finding)

    @cached_property
    def objections(self) -> tuple[Finding, ...]:
        """The findings that come from reading proofs, with the authors' answers."""
        ids = {item.id for item in self.sheet.findings} if self.sheet else set()
        return tuple(item for item in self.findings if item.id in ids)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The parts that a fault of ours kept from being reviewed, as far as they were needed."""
        found = dict(self.state.paper.faults.listed)
        for item in self.before.paper.faults.listed if self.before else ():
            if item not in found:
                found[item._replace(what=f"{item.what} of the earlier version")] = None
        return tuple(found)

    @cached_property
    def _broken(self) -> Mapping[str, str]:
        """The modules with an unreadable part, and why: there is no verdict on them."""
        return {name: unreadable(cause) for name, cause in self.state.broken().items()}

    @cached_property
    def statuses(self) -> Mapping[str, Status]:
        """The status of every module."""
        trust = self.state.paper.settings.blueprint.trust_leanok
        beyond = self.plan.unread_beyond
        return statuses(
            self.state.document,
            self._verdicts,
            trust_leanok=trust,
            open_in_lean=self.state.open_in_lean,
            unread_beyond=beyond,
        )

    @cached_property
    def _verdicts(self) -> Mapping[str, ModuleVerdict]:
        """The verdicts on the modules that were read."""
        if self.sheet is None:
            return {}
        unread = self.sheet.unread()
        known = self.sheet.readings.keys() - unread.keys() - self._broken.keys()
        found = {name: ModuleVerdict.ACCEPTED for name in self.sheet.readings if name in known}
        for item in self.objections:
            if item.module is not None and found.get(item.module) is not ModuleVerdict.FLAGGED:
                is_answered = item.dismissed is not None
                found[item.module] = (
                    ModuleVerdict.DISMISSED if is_answered else ModuleVerdict.FLAGGED
                )
        return found

    @cached_property
    def at_fault(self) -> frozenset[str]:
        """The modules with an accepted proof and a fault of structure: not a plain pass."""
        if self.sheet is None:
            return frozenset()

        ids = {item.id for item in self.objections}
        found = (item for item in self.findings if item.id not in ids)
        return at_fault(self.state.document, found, self.statuses, self.threshold)

    @cached_property
    def unreached(self) -> tuple[Unreached, ...]:
        """Every module without a verdict, and why; never to be shown as a pass."""
        reasons = {**(self.sheet.unread() if self.sheet else {}), **self._broken}
        return tuple(_unreached(self.state, self.statuses, reasons))

    @cached_property
    def bounds(self) -> MeasuredBounds:
        """The Good-PF bounds of the paper."""
        return good_pf_bounds(self.state.document)

    @cached_property
    def numbering(self) -> ShownNumbers:
        """The numbers that the PDF shows."""
        return ShownNumbers(Numbering(self.state.paper), self.latex_numbers)

    @cached_property
    def latex_numbers(self) -> Mapping[str, str]:
        """LaTeX's own numbers of modules, by id; {} unless displayed."""
        if self.latex_word is None:
            return {}
        from pfcore.papers.latex_numbers import latex_numbers

        modules = self.state.document.modules.values()
        return latex_numbers(self.latex_word, self.state.paper, modules)

    @cached_property
    def latex_word(self) -> LatexWord | None:
        """LaTeX's output for exactly this text on this machine; None if not displayed."""
        if not self.is_displayed:
            return None
        from pfcore.papers.tex_engine import asked_engines

        if not asked_engines(self.state.paper.parse_cache.cache):
            return None  # the reader of LaTeX's output is slow to load
        from pfcore.papers.latex_numbers import kept_word

        found = attempt(partial(kept_word, self.state.paper))
        return None if isinstance(found, Failure) else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The papers of a snapshot, reviewed; `before` and `after` are the names of the moments.

    `model` is the one that the user named; `spent` the cost of a run, if there was one;
    `is_offline`: the model was not to be asked. `failed` are papers that a fault of ours kept from
    being reviewed; `long_unread` the files that could not be read at the earlier moment either;
    `changed` those that differ from it, None without an earlier moment.
    """

    papers: tuple[PaperReport, ...]
    library: DiscoveredPapers
    before: str | None
    after: str
    model: str | None = None
    spent: UsageTally | None = None
    is_offline: bool = False
    failed: tuple[Failed, ...] = ()
    long_unread: frozenset[str] = frozenset()
    changed: frozenset[str] | None = None


class Where(NamedTuple):
    """A file or folder of the snapshot, "" for its top; `is_named`: the user named it.

    Documents in `roots` count as papers even if they would be left out; so does a requested one.
    """

    folder: str = ""
    is_named: bool = False
    roots: tuple[str, ...] = ()


_ANYWHERE = Where()


def review(
    before: Snapshot | None,
    after: Snapshot,
    parse_cache: ParseCache,
    *,
    only: str | None = None,
    where: Where = _ANYWHERE,
    desk: VerificationSetup | None = None,
) -> Report:
    """Review the papers of a snapshot against an earlier moment, without asking a model.

    `only` names one paper; `where` restricts to the papers of a place: UsageError if there is none
    and the user named it. `desk` has the model, whose replies in the store count; without it the
    ledger's lines do.
    """
    found = discover_papers(after, parse_cache)
    rivals = {item.path for item in found.asides}.intersection((*where.roots, only))
    if found.absent and before is not None:
        rivals |= _in_place_of(found, before, after)
    if rivals:
        found = discover_papers(after, parse_cache, also=sorted(rivals))
    if found.absent and not found.papers and not found.failed:
        raise NoPaperError(f"found none of the LaTeX files that {FILE_NAME} names")
    papers = papers_meant(found, after, only, where)
    now = what_concerns(found, papers, only, where)
    then, long_unread = _earlier(before, after, parse_cache, [paper.root for paper in found.papers])
    earlier = _continued(papers, found.papers, then)
    reports: list[PaperReport] = []
    failed = list(now.failed)
    for paper in papers:
        _require_known(paper)
        made = attempt(partial(_reviewed, paper, earlier.get(paper.name), desk))
        if isinstance(made, Failure):
            failed.append(Failed(paper.name, paper.root, made.cause))
        else:
            reports.append(made)
    return Report(
        papers=tuple(reports),
        library=now,
        before=before.name if before else None,
        after=after.name,
        model=desk.choice.model if desk and desk.choice else None,
        failed=tuple(failed),
        long_unread=long_unread,
        changed=_changed(before, after) if before else None,
    )


def _in_place_of(found: DiscoveredPapers, before: Snapshot, after: Snapshot) -> frozenset[str]:
    """New or changed documents that may replace one that settings name and that is gone."""
    if before.paths.isdisjoint(found.absent):
        return frozenset()
    unnamed = {item.path for item in found.asides if item.reason.startswith(UNNAMED)}
    return _changed(before, after) & unnamed


def _changed(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """The paths that differ between two moments."""
    then, now = before.files, after.files
    differing = {path for path in then.keys() & now.keys() if then[path].oid != now[path].oid}
    marks = [{item.path: item.mark for item in one.skipped} for one in (before, after)]
    left_out = {path for path in marks[0] | marks[1] if marks[0].get(path) != marks[1].get(path)}
    return frozenset(differing | (then.keys() ^ now.keys()) | left_out)


def only_papers(report: Report, papers: Sequence[PaperReport]) -> Report:
    """The same review for some of its papers only."""
    own = [paper.state.paper for paper in papers]
    names = {paper.name for paper in own}
    failed = tuple(item for item in report.failed if item.name in names)
    library = what_concerns(report.library, own, "", _ANYWHERE)
    return replace(report, papers=tuple(papers), library=library, failed=failed)


def guarded(report: Report) -> Report:
    """The same review, in which a change cannot answer its own new findings."""
    if report.before is None:
        return report
    papers = tuple(replace(paper, is_guarded=True) for paper in report.papers)
    return replace(report, papers=papers)


def displayed(report: Report) -> Report:
    """The same review for people on this machine: see `PaperReport.is_displayed`."""
    return replace(
        report, papers=tuple(replace(paper, is_displayed=True) for paper in report.papers)
    )


def before_upload(report: Report) -> Report:
    """The same review with the checks that run only before an upload."""
    papers = tuple(replace(paper, is_upload=True) for paper in report.papers)
    return replace(report, papers=papers)


def with_answers(report: Report, answers: Mapping[str, str]) -> Report:
    """The same review with answers to findings of checks, by their ids."""
    papers = tuple(replace(paper, answers=answers) for paper in report.papers)
    return replace(report, papers=papers)


def _answered(found: Finding, answers: Mapping[str, str]) -> Finding:
    """A finding with its answer, which may have been given under an earlier id."""
    names = (found.id, *sorted(found.aliases))
    name = next((name for name in names if name in answers), None)
    return found if name is None else replace(found, dismissed=answers[name])


def papers_meant(
    found: DiscoveredPapers, moment: Snapshot, only: str | None, where: Where
) -> list[Paper]:
    """The requested papers of a snapshot; UsageError if the name is not that of a paper."""
    if only is not None:
        papers = [paper for paper in found.papers if only in (paper.name, paper.root)]
        if not papers and not any(only in (item.name, item.root) for item in found.failed):
            from difflib import get_close_matches

            known = [paper.name for paper in found.papers]
            near = get_close_matches(only, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"unknown paper '{only}'.{hint} Papers here: {_nearest(only, known)}.")
        return papers
    folder, is_named, _ = where
    if not folder:
        return list(found.papers)
    _require_read(found, folder)
    inside = [paper for paper in found.papers if _lies_in(paper.root, folder)]
    inside = inside or [
        paper
        for paper in found.papers
        if any(_lies_in(path, folder) for path in paper.outline.order)
    ]
    if not inside and is_named and not any(_lies_in(one.root, folder) for one in found.failed):
        below = {path: why for path, why in found.unread.items() if _lies_in(path, folder)}
        if any(path.lower().endswith(_SOURCES) for path in below):
            raise IncompleteError(f"no readable LaTeX file in {folder}: {unread_reasons(below)}")
        raise UsageError(_no_paper_in(found, moment, folder))
    return inside or ([] if is_named else list(found.papers))


def what_concerns(
    found: DiscoveredPapers, papers: list[Paper], only: str | None, where: Where
) -> DiscoveredPapers:
    """The part of a snapshot that concerns the chosen papers."""
    if only is None and not where.folder:
        return found
    if only is None and len(papers) == len(found.papers) and not _is_lost_elsewhere(found, where):
        return found
    read = {path for paper in papers for path in paper.outline.order}

    def is_meant(path: str) -> bool:
        return path in read or (only is None and _lies_in(path, where.folder))

    unread = {
        path: why
        for path, why in found.unread.items()
        if is_meant(path) or path.rpartition("/")[2] in (FILE_NAME, LEDGER_NAME)
    }
    failed = (one for one in found.failed if only in (one.name, one.root) or is_meant(one.root))
    asides = (item for item in found.asides if is_meant(item.path))
    return replace(found, unread=unread, asides=tuple(asides), failed=tuple(failed))


def _is_lost_elsewhere(found: DiscoveredPapers, where: Where) -> bool:
    """Whether a source outside of the folder that the user named could not be read."""
    if not where.is_named or where.folder.lower().endswith(_SOURCES):
        return False
    lost = (path for path in found.unread if path.lower().endswith(_SOURCES))
    return any(not _lies_in(path, where.folder) for path in lost)


def _lies_in(path: str, folder: str) -> bool:
    """Whether a path is `folder` itself, or is in it."""
    return path == folder or path.startswith(f"{folder}/")


def _require_read(found: DiscoveredPapers, path: str) -> None:
    """IncompleteError where the one file that is asked for could not be read."""
    path = printable(path)
    if path in found.unread:
        raise IncompleteError(f"{path} could not be read: {found.unread[path]}")
    for item in found.asides:
        if item.path == path and is_markup(path):
            raise IncompleteError(f"{path} was not reviewed: {item.reason}")


def _no_paper_in(found: DiscoveredPapers, moment: Snapshot, folder: str) -> str:
    """Why a file or folder that the user named is not a paper."""
    dropped = [item for item in found.asides if _lies_in(item.path, folder)]
    if dropped:
        listed = "; ".join(f"{item.path} ({item.reason})" for item in dropped[:6])
        return f"{folder} was not reviewed: {listed}; [[paper]] in {FILE_NAME} can set a root"
    papers = _nearest(folder, [paper.name for paper in found.papers])
    if folder in moment.files:
        return (
            f"{folder} does not belong to a paper: no document here includes it (papers: {papers})"
        )
    if any(_lies_in(path, folder) and path.lower().endswith(_SOURCES) for path in moment.files):
        return f"{folder} has no paper: no document here includes its files (papers: {papers})"
    return f"no LaTeX file found in {folder} (papers elsewhere: {papers})"


def _nearest(place: str, names: Sequence[str]) -> str:
    """A few papers in words, those first that share the most folders with a place."""
    own = place.split("/")

    def shared(name: str) -> int:
        pairs = zip(own, name.split("/"), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    listed = sorted(names, key=shared, reverse=True)
    more = f" and {len(listed) - _MOST_NAMES:,} more" if len(listed) > _MOST_NAMES else ""
    return f"{', '.join(listed[:_MOST_NAMES])}{more}"


def _earlier(
    before: Snapshot | None, after: Snapshot, parse_cache: ParseCache, roots: Iterable[str]
) -> tuple[list[PaperState], frozenset[str]]:
    """The papers of an earlier moment, and the files that were unread then.

    They include documents with a present root that were not papers then. If the settings were wrong
    then, the present ones are used. A paper that a fault of ours made unreadable counts as new.
    """
    if before is None or not any(path.lower().endswith(_SOURCES) for path in before.files):
        return [], frozenset()
    try:
        found = discover_papers(before, parse_cache, also=roots)
    except NoPaperError:
        return [], frozenset()
    except ConfigError:
        found = _library_with(before, after, parse_cache)
    made = [attempt(partial(_state, paper)) for paper in found.papers]
    return [item for item in made if isinstance(item, PaperState)], frozenset(found.unread)


def _continued(
    papers: Iterable[Paper], all_now: Iterable[Paper], then: Sequence[PaperState]
) -> dict[str, PaperState]:
    """The earlier version of each paper, by its name: that with its name, root, or most text."""
    known = {item.paper.root: item for item in then} | {item.paper.name: item for item in then}
    left = dict(zip(map(id, then), then, strict=True))
    found: dict[str, PaperState] = {}
    for paper in all_now:
        state = known.get(paper.name) or known.get(paper.root)
        if state:
            found[paper.name] = state
            left.pop(id(state), None)
    for paper in papers:
        if paper.name not in found and left:
            texts = _texts(paper)
            shares = {name: _share(texts, _texts(item.paper)) for name, item in left.items()}
            most = max(shares, key=lambda name: shares[name])
            if shares[most] > _MOST_OF_IT:
                found[paper.name] = left.pop(most)
    return found


_MOST_OF_IT = 0.5
"""The least share of texts that a paper has in common with its earlier version."""


def _texts(paper: Paper) -> frozenset[str]:
    """Digests of a paper's files, and of its statements and proofs."""
    blocks = (block.digest for item in paper.readings.values() for block in item.blocks)
    files = paper.snapshot.files
    return frozenset(blocks).union(files[path].oid for path in paper.outline.order if path in files)


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / max(1, min(len(some), len(others)))


def _library_with(before: Snapshot, after: Snapshot, parse_cache: ParseCache) -> DiscoveredPapers:
    """The papers of an earlier moment with the settings of a later one."""
    files = {path: entry for path, entry in before.files.items() if not _is_settings(path)}
    for path, entry in after.files.items():
        if _is_settings(path):
            files[path] = entry
            before.cache.add(entry.oid, after.read(path).text.encode())
    try:
        return discover_papers(replace(before, files=dict(sorted(files.items()))), parse_cache)
    except (ConfigError, NoPaperError):
        return DiscoveredPapers(papers=(), asides=(), unread={}, notes={})


def _is_settings(path: str) -> bool:
    return path.rpartition("/")[2] == FILE_NAME


def _reviewed(paper: Paper, then: PaperState | None, desk: VerificationSetup | None) -> PaperReport:
    return _review(_state(paper, then), then, desk)


def _state(paper: Paper, then: PaperState | None = None) -> PaperState:
    """A paper's state, with its formal proofs that are open in Lean, if such proofs count."""
    state = build_paper_state(paper, then)
    if not (
        paper.settings.blueprint.trust_leanok
        and any(module.is_formal for module in state.document.modules.values())
        and any(path.endswith(".lean") for path in paper.snapshot.files)
    ):
        return state
    from pfcore.checks.lean.lean_gaps import open_proofs  # not for papers without Lean

    return replace(state, open_in_lean=open_proofs(state))


def _review(
    now: PaperState, then: PaperState | None, desk: VerificationSetup | None
) -> PaperReport:
    planned = make_plan(then, now)
    known = _known(now, then, planned, desk)
    return PaperReport(
        state=now,
        before=then,
        plan=_unread(planned, known),
        threshold=Severity(now.paper.settings.checks.threshold),
        sheet=known,
    )


def is_from_elsewhere(module: Module) -> bool:
    """Whether a result has no proof here and cites its source."""
    return not module.proofs and (module.is_cited or module.stand_in is Status.CITED)


def without_lesser(report: Report, least: Severity) -> Report:
    """The same review, spending no time on findings that are less severe."""
    return replace(report, papers=tuple(replace(paper, least=least) for paper in report.papers))


def refreshed(report: Report, desk: VerificationSetup) -> Report:
    """The same review with the present content of the store."""
    papers = tuple(_refreshed(paper, desk) for paper in report.papers)
    return replace(report, papers=papers)


def _refreshed(paper: PaperReport, desk: VerificationSetup) -> PaperReport:
    known = _known(paper.state, paper.before, paper.plan, desk)
    return replace(paper, plan=_unread(paper.plan, known), sheet=known)


def _known(
    now: PaperState, then: PaperState | None, planned: Plan, desk: VerificationSetup | None
) -> PaperVerdicts | None:
    """The verdicts in ledger and store; their code is loaded only if one of them exists."""
    moments = (now, then) if then else (now,)
    if desk is None and not any(
        moment.paper.settings.ledger in moment.paper.snapshot.files for moment in moments
    ):
        return None
    from pfcore.review.paper_verdicts import paper_verdicts
    from pfcore.review.verification_setup import VerificationSetup

    return paper_verdicts(now, then, planned, desk or VerificationSetup())


def _unread(planned: Plan, known: PaperVerdicts | None) -> Plan:
    """The plan, updated with what has been read."""
    if known is None:
        return planned
    unread = known.unread()
    affected = tuple(replace(item, unread=item.id in unread) for item in planned.affected)
    found = replace(planned, affected=affected, reopened=known.reopened())
    return replace(found, backlog=len(unread.keys() - set(found.under_review)))


def _require_known(paper: Paper) -> None:
    """ConfigError if settings name an unknown kind of theorem or an unknown check."""
    for env, kind in paper.settings.latex.theorems:
        if not kinds.is_known(kind):
            named = f"'{env}' in [latex.theorems] has the unknown kind '{kind}'"
            message = f"{named}; expected one of: {', '.join(kinds.IN_ENGLISH)}"
            raise ConfigError(message, path=paper.settings.path or FILE_NAME)
    settings = paper.settings.checks
    if settings.disable or settings.severity:
        from pfcore.checks import registry

        registry.require_known(settings, path=paper.settings.path)


def every_finding(paper: PaperReport) -> tuple[Finding, ...]:
    """The findings of checks with their answers, however many there are of one kind in a file."""
    found = _findings(replace(paper, is_upload=True), Severity.NOTE, is_capped=False)
    answers = {**paper.answers_to(found), **paper.answers}
    return _by_cause(tuple(_answered(item, answers) for item in found))


def _by_cause(found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings without citations that lack an entry because a bibliography is missing.

    If that one is answered, they stay, because they still print [?].
    """
    from pfcore.checks import preflight

    if all(item.rule != preflight.NO_BIBLIOGRAPHY or item.dismissed is not None for item in found):
        return found
    return tuple(item for item in found if item.rule != preflight.UNCITED)


PLACEHOLDER = "placeholder"
"""The check that finds unfilled placeholders."""
_UNFILLED = regex(r"TODO|\?\?\?|\\todo")


def _has_placeholder(text: str) -> bool:
    """Whether a source may have a placeholder outside of comments."""
    for match in _UNFILLED.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "%" not in line.replace("\\%", ""):
            return True
    return False


def _findings(
    paper: PaperReport,
    least: Severity,
    *,
    is_capped: bool = True,
    only: str = "",
    is_compared: bool = True,
) -> tuple[Finding, ...]:
    """The findings of checks; without `is_compared` it is left unknown which of them are new."""
    from pfcore.checks import registry
    from pfcore.checks.check import CheckInput

    now, then, known = paper.state, paper.before, paper.sheet
    spared = _spared(now, then)
    is_read = known is not None and not known.unread()
    plan = paper.plan if then else None
    scene = CheckInput(state=now, before=then, spared=spared, plan=plan, is_read=is_read, only=only)
    base = then if is_compared else None
    earlier = CheckInput(state=base, spared=spared, is_base=True, only=only) if base else None
    objections = known.findings if known else ()
    return registry.run_checks(
        scene, earlier, objections, least=least, is_capped=is_capped, is_upload=paper.is_upload
    )


def _spared(now: PaperState, then: PaperState | None) -> frozenset[str]:
    """The files that read the same at both moments."""
    if then is None:
        return frozenset()
    keys = then.paper.keys
    return frozenset(path for path, key in now.paper.keys.items() if keys.get(path) == key)


def _unreached(
    state: PaperState, known: Mapping[str, Status], reasons: Mapping[str, str]
) -> Iterator[Unreached]:
    for name, status in known.items():
        if status is Status.UNREACHED or (name in reasons and status is Status.FLAGGED):
            module = state.document.modules[name]
            reason = reasons.get(name, _NO_MODEL) if module.proofs else NOTHING_TO_READ
            if module.is_claim and module.role.stands_alone:
                yield Unreached(module=name, reason=reason)


AIMED = "aimed-text"
"""The check for text addressed to the model, which makes its verdicts doubtful at any severity."""
_ACCEPTED = frozenset({Status.CHECKED, Status.CONDITIONAL})


def at_fault(
    document: ProofDocument,
    found: Iterable[Finding],
    statuses: Mapping[str, Status],
    threshold: Severity,
) -> frozenset[str]:
    """The accepted modules with an unanswered finding of a check that counts, old or new.

    `found` are only findings of checks.
    """
    grave = [item for item in found if item.dismissed is None and _counts(item, threshold)]
    named = {name for item in grave for name in _modules(document, item)}
    return frozenset(name for name in named if statuses.get(name) in _ACCEPTED)


def _counts(item: Finding, threshold: Severity) -> bool:
    return item.severity.rank >= threshold.rank or item.rule == AIMED


def _modules(document: ProofDocument, item: Finding) -> Iterator[str]:
    """The module of a finding, or the one around it; for an equation also its result."""
    name = item.module or _around(document, item.location)
    seen: set[str] = set()
    while name is not None and name not in seen and name in document.modules:
        yield name
        seen.add(name)
        module = document.modules[name]
        name = module.parent if module.role is Role.FRAGMENT else None


def _around(document: ProofDocument, place: Location) -> str | None:
    """The module with the smallest passage around a place."""
    sizes = [
        (where.end - where.start, module.id)
        for module in document.modules.values()
        for where in (passage.location for passage in module.passages)
        if where.path == place.path and where.start <= place.start < where.end
    ]
    return min(sizes)[1] if sizes else None


def find_by_id(
    report: Report, name: str, otherwise: str = "pf check --notes lists all"
) -> tuple[PaperReport, Finding]:
    """A finding by one of its ids, with its paper; UsageError with a hint if there is none."""
    for paper in report.papers:
        for finding in paper.findings:
            if name == finding.id or name in finding.aliases:
                return paper, finding
    why = " (fixed, or from another version)" if is_id(name) else ""
    raise UsageError(f"unknown finding '{name}'{why}; {otherwise}")
