"""An action: one pure call of a stage, and the key that everything in it makes."""

from dataclasses import dataclass

from pfcore.domain.digest import digest
from pfcore.llm.protocol import Request

_FORM = "action/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A request of one stage for one rollout.

    `prompt` names the prompt's version ("verify/v1"); `generation` counts explicit rechecks.
    """

    stage: str
    prompt: str
    request: Request
    rollout: int = 1
    generation: int = 0

    def key(self) -> str:
        """The digest of all that can change the result, and of nothing else."""
        request = self.request
        return digest(
            {
                "form": _FORM,
                "stage": self.stage,
                "prompt": self.prompt,
                "rollout": self.rollout,
                "generation": self.generation,
                "endpoint": request.endpoint.value,
                "model": request.model,
                "instructions": request.instructions,
                "text": request.text,
                "effort": request.effort,
                "temperature": request.temperature,
                "limit": request.limit,
                "document": request.document.digest if request.document else None,
            }
        )
