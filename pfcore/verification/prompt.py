"""Builds the requests of the stages, with the parts that change least first.

A paper's text is data in a prompt: it is enclosed by a line that it cannot contain, and invisible
characters are removed.

That line is computed from the text's own digest, so that equal texts make equal prompts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pfcore.domain.digest import text_digest
from pfcore.latex.lexer.mask import visible
from pfcore.llm.engine.action import Action
from pfcore.llm.protocol import Request
from pfcore.verification.contract import Contract

Prompt = Callable[[str, str], str]
"""Returns the text of a stage's prompt, given the stage and the version."""

_NO_CONVENTIONS = "They state none."
_AGAIN = "What was wrong with the last attempt"
COMPLAINT = 20_000
"""The most characters of a complaint; the rest is cut off."""

Part = tuple[str, str]
"""A title and a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionFactory:
    """Makes the actions of one contract; `generation` counts explicit rechecks."""

    contract: Contract
    prompt: Prompt

    def action(
        self,
        stage: str,
        parts: Sequence[Part],
        *,
        rollout: int,
        generation: int = 0,
        complaint: str = "",
    ) -> Action:
        """One call of a stage about some texts; a complaint about the last reply comes last."""
        contract = self.contract
        version = contract.version(stage)
        request = Request(
            endpoint=contract.endpoint,
            model=contract.model,
            instructions=self._instructions(stage, version),
            text=fenced([*parts, (_AGAIN, complaint[:COMPLAINT])]),
            effort=contract.effort,
            temperature=contract.temperature,
            limit=contract.limit,
        )
        return Action(
            stage=stage,
            prompt=f"{stage}/{version}",
            request=request,
            rollout=rollout,
            generation=generation,
        )

    def _instructions(self, stage: str, version: str) -> str:
        text = self.prompt(stage, version)
        conventions = self.contract.conventions.strip() or _NO_CONVENTIONS
        return text.replace("{strictness}", self.contract.strictness_words()).replace(
            "{conventions}", conventions
        )


def fenced(parts: Sequence[Part]) -> str:
    """The non-empty parts, each enclosed by boundary lines with its title."""
    kept = [(title, visible(text).strip()) for title, text in parts]
    kept = [(title, text) for title, text in kept if text]
    boundary = _boundary("\n".join(text for _, text in kept))
    blocks = [
        f"----- {boundary} begin: {title}\n{text}\n----- {boundary} end: {title}"
        for title, text in kept
    ]
    return "\n\n".join(blocks) + "\n"


def _boundary(text: str) -> str:
    boundary = text_digest(text)[:16]
    while boundary in text:
        boundary = text_digest(boundary + text)[:16]
    return boundary
