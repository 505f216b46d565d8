"""A model whose words are a function of what it is asked, and of how often it was asked that."""

from collections import Counter
from hashlib import sha256
from typing import Any, Self

import prompts
from tests.unchanged import inside
from tests.unchanged.inside import Reply, Request

PIECES = """<THEOREM_STATEMENT id="1" label="Theorem 1.1">
For all $x$ we have $x > 0$.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1" label="Lemma 4.3">
$x \\ge 0$.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
Clear.
</PROPOSITION_PROOF>
<THEOREM_PROOF id="1">
By Proposition 1, $x \\ge 0$. Hence $x > 0$.
</THEOREM_PROOF>
"""
"""What it takes a PDF to be."""
FLAG = (
    "<objections><objection><quote>Hence $x > 0$</quote><problem>zero</problem></objection>"
    '</objections>\n```json\n{"verdict": "flag"}\n```'
)
UPHELD = (
    '<finding id="F1"><location>Theorem 1.1</location><quote>x</quote>'
    "<objection>Zero.</objection></finding>\n"
    '```json\n{"flags": [{"id": "F1", "status": "genuine", "class": "gap", '
    '"severity": "error"}], "own": []}\n```'
)
_PDF = {"translate-paper": PIECES, "calibrate-paper": UPHELD}
_FAITHFUL = '```json\n{"verdict": "faithful"}\n```'


class FixedReader:
    """Takes the place of a client; keeps what it was asked.

    Whoever needs the second of three readings of a text gets the second thing it says of that text,
    so that votes differ; in which order texts come does not matter.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._times: Counter[str] = Counter()

    def __call__(self, *_: object, **__: object) -> Self:
        """It opens itself."""
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def complete(self, request: Request) -> Reply:
        """What it says."""
        self.requests.append(request)
        asked = "\0".join((request.model, request.instructions, request.text))
        self._times[asked] += 1
        number = sha256(f"{self._times[asked]}\0{asked}".encode()).hexdigest()
        return inside.answered(self._say(request, int(number[:8], 16)), request)

    def _say(self, request: Request, chance: int) -> str:
        stage = _stage(request.instructions)
        if stage in _PDF:
            return _PDF[stage]
        if stage == "faithfulness-paper":
            return _FAITHFUL
        if stage == "verify" and "Hence $x > 0$" in request.text.split("To be checked")[-1]:
            return FLAG
        return inside.said(stage, request, chance)

    def asked(self) -> list[dict[str, Any]]:
        """All that it was asked, in an order of its own."""
        found = [
            {
                "model": request.model,
                "endpoint": request.endpoint.value,
                "instructions": request.instructions,
                "text": request.text,
                "effort": request.effort,
                "temperature": request.temperature,
                "limit": request.limit,
            }
            for request in self.requests
        ]
        return sorted(found, key=lambda item: tuple(map(str, item.values())))


def _stage(instructions: str) -> str:
    """The stage whose prompt this is, by its begin; a prompt of one's own tries the model."""
    begin = instructions[:60]
    found = (s for s, v in prompts.RELEASED.items() if prompts.prompt(s, v)[:60] == begin)
    return next(found, "verify")
