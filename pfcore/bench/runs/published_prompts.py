"""Runs prompts published by others unchanged, with their fields and forms of reply.

A prompt with fields in braces, such as `{problem}`, gets the texts inserted there, and becomes one
message; texts without a field follow it, fenced. `{{` stands for a brace. Replies are valid in our
form or in that of the paper's appendix; a contradictory reply is valid in neither.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pfcore.bench.runs import location_judges, solution_steps
from pfcore.bench.runs.location_judges import Matches
from pfcore.bench.runs.solution_steps import Grades, StepAudit
from pfcore.domain.values import Severity
from pfcore.llm.engine.action import Action
from pfcore.verification import translate, verify, whole_paper
from pfcore.verification.calibrate import Judged
from pfcore.verification.prompt import ActionFactory, Part, fenced
from pfcore.verification.reply_parsing import Malformed, last_json, tagged
from pfcore.verification.translate import FaithfulnessGap, FaithfulnessReply
from pfcore.verification.verify import BlockObjection, Checked, ModuleVerifier, Run, Unread
from pfcore.verification.whole_paper import Listed, PaperAudit, ReportedError

Value = TypeVar("Value")
Parts = Sequence[Part]

_FIELD = re.compile(r"(?<!\{)\{([a-z_]+)\}(?!\})|\[PASTE THEOREM AND PROOF HERE\]")
_PIECE = re.compile(r"\A(?P<assertion>.*?)\n\nProof\. (?P<proof>.*)\Z", re.DOTALL)
_REWRITTEN = "The rewriting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(ActionFactory):
    """Makes actions from prompts that may have fields."""

    def action(
        self,
        stage: str,
        parts: Parts,
        *,
        rollout: int,
        generation: int = 0,
        complaint: str = "",
    ) -> Action:
        """One call, with the fields of its prompt filled."""
        made = ActionFactory.action(
            self, stage, parts, rollout=rollout, generation=generation, complaint=complaint
        )
        prompt = made.request.instructions
        values = _values(parts)
        wanted = {found[1] or "proof_text" for found in _FIELD.finditer(prompt)} & set(values)
        if not wanted:
            return made
        left = [part for part in parts if _fields_of(part[0]).isdisjoint(wanted)]
        behind = fenced([*left, ("What was wrong with the last attempt", complaint)])
        text = f"{_filled(prompt, values)}\n\n{behind}".rstrip() + "\n"
        return replace(made, request=replace(made.request, instructions="", text=text))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedReading(ModuleVerifier):
    """Reads replies in our form, or else in the published one.

    `rewritten` keeps the latest rewriting of this reading, because a published calibrator sees all
    of it.
    """

    rewritten: list[str] = field(default_factory=list)

    async def answer(
        self, stage: str, parts: Parts, rollout: int, complaint: str = ""
    ) -> str | Unread:
        """The text of a reply, or why there is none."""
        text = await ModuleVerifier.answer(self, stage, parts, rollout, complaint)
        self.rewritten[:] = [text] if isinstance(text, str) else []
        return text

    async def asked(
        self,
        stage: str,
        parts: Parts,
        rollout: int,
        parse: Callable[[str], Value | Malformed],
        *,
        second: Callable[[Value], str] = lambda value: "",
    ) -> Value | Unread:
        """A stage's value."""

        def either(text: str) -> Value | Malformed:
            found = parse(text)
            other = FORMS.get(stage) if isinstance(found, Malformed) else None
            known: Any = other(text, dict(parts)) if other else found
            return found if isinstance(known, Malformed) else known

        if stage == whole_paper.CALIBRATE_PAPER:
            parts = [*parts, (_REWRITTEN, "\n".join(self.rewritten))]
        return await ModuleVerifier.asked(self, stage, parts, rollout, either, second=second)


def published_reader(run: Run, asking: ActionFactory, generation: int = 0) -> ModuleVerifier:
    """A reader under a contract, with our prompts or with published ones."""
    made = PublishedReading if isinstance(asking, Published) else ModuleVerifier
    return made(run=run, asking=asking, generation=generation)


def _filled(prompt: str, values: Mapping[str, str]) -> str:
    """A prompt with its fields filled; braces in the inserted texts are left alone."""
    made, at = "", 0
    for found in _FIELD.finditer(prompt):
        made += _plain(prompt[at : found.start()]) + values.get(found[1] or "proof_text", found[0])
        at = found.end()
    return made + _plain(prompt[at:])


def _plain(words: str) -> str:
    """Words of a prompt, in which braces outside fields are doubled."""
    return words.replace("{{", "{").replace("}}", "}")


def _fields_of(title: str) -> set[str]:
    """The fields that a part may fill."""
    if title.startswith("Step "):
        return {"steps"}
    return {name for name, titles in _TITLES.items() if title in titles}


_TITLES: Mapping[str, tuple[str, ...]] = {
    "problem": ("Problem",),
    "problem_statement": ("Problem",),
    "num_steps": ("The steps",),
    "steps": ("The steps",),
    "proof_text": ("Problem", "Solution"),
    "contexts": ("Setting", "The rewriting so far"),
    "established_results": ("What may be used",),
    "assertion": ("To be checked", "The piece"),
    "proof": ("To be checked", "The piece"),
    "rewritten_proof": ("Rewriting",),
    "rewritten_paper": ("Pieces", _REWRITTEN),
    "errors": ("Objections",),
    "title": ("The paper",),
    "gt_list": ("Known errors",),
    "pred_loc": ("The place that is named",),
    "pred_desc": ("What is said of it",),
}


def _values(parts: Parts) -> dict[str, str]:
    """The values of the fields; fields without a text among the parts are left out."""
    known = dict(parts)
    values = {
        name: "\n\n".join(known[title] for title in titles if title in known) or "(none)"
        for name, titles in _TITLES.items()
        if any(title in known for title in titles)
    }
    steps = [(title, text) for title, text in parts if title.startswith("Step ")]
    if steps:
        values["num_steps"] = str(len(steps))
        values["steps"] = "\n".join(
            f"<step>[{number}] {text}</step>" for number, (_, text) in enumerate(steps)
        )
    if "assertion" in values:
        found = _PIECE.match(values["assertion"])
        values["assertion"] = found["assertion"] if found else values["assertion"]
        values["proof"] = found["proof"] if found else "(none)"
        values.setdefault("established_results", "(none)")
        values.setdefault("contexts", "(none)")
    return values


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
    """The description with the verdict at a reply's end, with LaTeX as it is; "" if it is good.

    Only the last verdict counts; a bad one must have a description, a good one must not.
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


def _defect(name: str, step: str, words: str) -> solution_steps.StepDefect:
    number = int(step) if step.isdigit() else None
    return solution_steps.StepDefect(id=name, step=number, words=words)


def _listed(text: str, _: Mapping[str, str]) -> Listed | Malformed:
    """A list of errors without a count after it; it must be at the end of the reply."""
    lists = tagged(text, "errors")
    if not lists or not text.rstrip().rstrip("`").rstrip().endswith("</errors>"):
        return Malformed(reason="there is no list of errors at the end")
    count = len(tagged(lists[-1].body, "error"))
    return whole_paper.parse_reported_errors(f'{text}\n```json\n{{"errors": {count}}}\n```')


def _calibrated(text: str, parts: Mapping[str, str]) -> PaperAudit | Malformed:
    found = _listed(text, parts)
    if isinstance(found, Malformed):
        return found
    defects = (
        whole_paper.PaperDefect(location=item.location, judged=_judged(item))
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
    solution_steps.DIRECT: _graded,
    verify.STAGE: _verified,
    solution_steps.FAITHFUL: _compared,
    whole_paper.FAITHFUL: _compared,
    translate.FAITHFUL: _compared,
    solution_steps.STAGE: _stepped,
    whole_paper.DIRECT_PAPER: _listed,
    whole_paper.CALIBRATE_PAPER: _calibrated,
    whole_paper.INCLUSIVE: _matched,
    location_judges.STRICT: _matched,
}
"""How to parse a reply of each stage, from its text and the parts of its question."""
