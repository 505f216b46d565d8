"""Prompts that others have published, used as they stand: their fields and their forms of reply.

A prompt with fields in braces, `{problem}` say, gets the texts put where it wants them, and is one
message; what no field asks for comes behind it, fenced. `{{` stands for a brace. Replies count in
our form or in that of the paper's appendix; whatever contradicts itself counts in neither.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pfcore.bench.runs.published_forms import FORMS
from pfcore.llm.engine.action import Action
from pfcore.verification import paper_calibration
from pfcore.verification.fence import Part, fenced
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.reply_parsing import Malformed
from pfcore.verification.verify import ModuleVerifier, Run, Unread

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
        """One call; its prompt filled, if it has fields."""
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
    """Reads replies in our form, else in the published one.

    `rewritten` keeps the last rewriting of this reading: a published calibrator sees all of it.
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

        if stage == paper_calibration.CALIBRATE_PAPER:
            parts = [*parts, (_REWRITTEN, "\n".join(self.rewritten))]
        return await ModuleVerifier.asked(self, stage, parts, rollout, either, second=second)


def published_reader(run: Run, asking: ActionFactory, generation: int = 0) -> ModuleVerifier:
    """Who reads under a contract, with our prompts or with others."""
    made = PublishedReading if isinstance(asking, Published) else ModuleVerifier
    return made(run=run, asking=asking, generation=generation)


def _filled(prompt: str, values: Mapping[str, str]) -> str:
    """A prompt with its fields filled; what fills them is left as it is, braces and all."""
    made, at = "", 0
    for found in _FIELD.finditer(prompt):
        made += _plain(prompt[at : found.start()]) + values.get(found[1] or "proof_text", found[0])
        at = found.end()
    return made + _plain(prompt[at:])


def _plain(words: str) -> str:
    """Words of a prompt, in which a brace that is no field's is doubled."""
    return words.replace("{{", "{").replace("}}", "}")


def _fields_of(title: str) -> set[str]:
    """The fields that a part of ours may fill."""
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
    """What fills the fields; those whose texts are not among the parts are left alone."""
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
