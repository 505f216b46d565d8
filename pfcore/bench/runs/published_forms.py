"""Replies in the forms that the paper's appendix publishes; what contradicts itself is none."""

import re
from collections.abc import Callable, Mapping

from pfcore.bench.runs import grading, location_judges, solution_steps, step_calibration
from pfcore.bench.runs.grading import Grades
from pfcore.bench.runs.location_judges import Matches
from pfcore.bench.runs.step_calibration import StepAudit
from pfcore.domain.values import Severity
from pfcore.verification import direct, faithful, paper_calibration, stages_verify, whole_paper
from pfcore.verification.calibrate import Judged
from pfcore.verification.direct import Listed, ReportedError
from pfcore.verification.faithful import FaithfulnessGap, FaithfulnessReply
from pfcore.verification.paper_calibration import PaperAudit
from pfcore.verification.reply_parsing import Malformed, last_json, tagged
from pfcore.verification.stages_verify import BlockObjection, Checked

_BEGIN = re.compile(r'\{\s*"verdict"')
_BLOCK = re.compile(
    r'\{\s*"verdict"\s*:\s*"(?P<verdict>[A-Z]+)"\s*'
    r'(?:,\s*"error_description"\s*:\s*(?:null|"(?P<words>.*)")\s*)?\}\s*`*\s*',
    re.DOTALL,
)
_YES = {"yes": False, "no": True}


def _count(parts: Mapping[str, str]) -> int:
    return sum(title.startswith("Step ") for title in parts)


def _block(text: str, good: str, bad: str) -> str | Malformed:
    """The words that stand with the verdict at a reply's end, LaTeX in them as it is; "" if good.

    Nothing before the last verdict counts, and what is bad says why.
    """
    begins = list(_BEGIN.finditer(text))
    found = _BLOCK.fullmatch(text, begins[-1].start()) if begins else None
    if found is None:
        return Malformed(reason="the reply does not end with a verdict")
    words = (found["words"] or "").replace('\\"', '"').strip()
    if found["verdict"] not in (good, bad) or (found["verdict"] == bad) != bool(words):
        return Malformed(reason="the verdict and its description disagree")
    return words


def _verified(text: str, _: Mapping[str, str]) -> Checked | Malformed:
    found = _block(text, "CORRECT", "INCORRECT")
    if isinstance(found, Malformed):
        return found
    return Checked(objections=(BlockObjection(quote="", problem=found),) if found else ())


def _compared(text: str, _: Mapping[str, str]) -> FaithfulnessReply | Malformed:
    found = _block(text, "FAITHFUL", "UNFAITHFUL")
    if isinstance(found, Malformed):
        return found
    told = FaithfulnessGap(original="(see there)", rewriting="(see there)", effect=found)
    return FaithfulnessReply(differences=(told,) if found else ())


def _grades(listed: str, count: int) -> Grades | Malformed:
    words = [word.strip().lower() for word in listed.strip().strip(".").split(",")]
    if len(words) != count or any(word not in _YES for word in words):
        return Malformed(reason=f'there are {count} steps, and not as many "yes" and "no"')
    return Grades(wrong=tuple(number for number, word in enumerate(words) if _YES[word]))


def _graded(text: str, parts: Mapping[str, str]) -> Grades | Malformed:
    found = re.findall(r"^\W*Verdict\W*:\s*(.+)$", text, re.MULTILINE | re.IGNORECASE)
    return _grades(found[-1], _count(parts)) if found else Malformed(reason="there is no verdict")


def _stepped(text: str, parts: Mapping[str, str]) -> StepAudit | Malformed:
    blocks = tagged(text, "calibration")
    if not blocks:
        return Malformed(reason="there is no calibration")
    block = blocks[-1]
    graded = _grades(block.inner("step_verdicts"), _count(parts))
    if isinstance(graded, Malformed):
        return graded
    first = block.inner("first_incorrect_step")
    if first != str(-1 if graded.first is None else graded.first):
        return Malformed(reason="the first incorrect step is not the first one")
    flags = tagged(block.inner("flag_audit"), "flag")
    own = tagged(block.inner("additional_errors"), "error")
    return StepAudit(
        genuine=tuple(
            _defect(f"F{number}", item.inner("original_step"), item.inner("explanation"))
            for number, item in enumerate(flags, 1)
            if item.inner("status") == "genuine"
        ),
        own=tuple(
            _defect(f"E{number}", item.inner("original_step"), item.inner("description"))
            for number, item in enumerate(own, 1)
        ),
        false_alarms=sum(item.inner("status") == "false_alarm" for item in flags),
        grades=graded,
    )


def _defect(name: str, step: str, words: str) -> step_calibration.StepDefect:
    number = int(step) if step.isdigit() else None
    return step_calibration.StepDefect(id=name, step=number, words=words)


def _listed(text: str, _: Mapping[str, str]) -> Listed | Malformed:
    """A list of errors without a count behind it; it has to close the reply."""
    lists = tagged(text, "errors")
    if not lists or not text.rstrip().rstrip("`").rstrip().endswith("</errors>"):
        return Malformed(reason="there is no list of errors at the end")
    count = len(tagged(lists[-1].body, "error"))
    return direct.parse_reported_errors(f'{text}\n```json\n{{"errors": {count}}}\n```')


def _calibrated(text: str, parts: Mapping[str, str]) -> PaperAudit | Malformed:
    found = _listed(text, parts)
    if isinstance(found, Malformed):
        return found
    defects = (
        paper_calibration.PaperDefect(location=item.location, judged=_judged(item))
        for item in found.errors
    )
    return PaperAudit(defects=tuple(defects))


def _judged(item: ReportedError) -> Judged:
    """An error without a class: it counts as a gap."""
    return Judged(
        flags=(), rule="gap", severity=Severity.ERROR, quote="", objection=item.words, reason=""
    )


def _matched(text: str, parts: Mapping[str, str]) -> Matches | Malformed:
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    count = len(parts.get("Known errors", "").splitlines())
    return location_judges.matches(choice.get("matched_gt_indices"), count)


FORMS: Mapping[str, Callable[[str, Mapping[str, str]], object]] = {
    grading.DIRECT: _graded,
    stages_verify.STAGE: _verified,
    solution_steps.FAITHFUL: _compared,
    whole_paper.FAITHFUL: _compared,
    faithful.FAITHFUL: _compared,
    step_calibration.STAGE: _stepped,
    direct.DIRECT_PAPER: _listed,
    paper_calibration.CALIBRATE_PAPER: _calibrated,
    whole_paper.INCLUSIVE: _matched,
    location_judges.STRICT: _matched,
}
"""How a reply of each stage is read, from its text and the parts of its question."""
