"""Environments that print "Proof", perhaps of what: however declared, they are proofs."""

import re

from pfcore.latex.kinds import unaccented

_PROOF = re.compile(
    r"[\s{]*(?:\\(?:text(?:it|bf|sc|sl)|emph|it|bf|sc|sl|(?:it|bf|sc)(?:shape|series))[\s{]+)*"
    r"(?:(?:sketch|outline|idea)[\s~]+of[\s~]+(?:the[\s~]+)?proof|proof[\s~]+(?:sketch|outline|idea)"
    r"|proof|\\proofname|beweis(?:skizze|idee)?|preuve|d[eé]monstration|dimostrazione"
    r"|demostraci[oó]n|bewijs)(?P<of>[\s~]+(?:of|von|des?|du|di)\b.*)?[\s.:}]*",
    re.IGNORECASE | re.DOTALL,
)


def begin(printed: str) -> str:
    """What begins the proof that an environment stands for; "" if it prints something else."""
    found = _PROOF.fullmatch(unaccented(printed))
    if found is None:
        return ""
    return f"\\begin{{proof}}[{printed.strip()}]" if found["of"] else "\\begin{proof}"
