"""Environments that print "Proof", perhaps of what: however declared, they are proofs."""

import re

from pfcore.latex.project.kinds import named_kind, unaccented

_LONGEST = 500
_PROOF = re.compile(
    r"[\s{]*(?:\\(?:text(?:it|bf|sc|sl)|emph|it|bf|sc|sl|(?:it|bf|sc)(?:shape|series))[\s{]+)*"
    r"(?:(?:sketch|outline|idea)[\s~]+of[\s~]+(?:the[\s~]+)?proof|proof[\s~]+(?:sketch|outline|idea)"
    r"|proof|\\proofname|beweis(?:skizze|idee)?|preuve|d[eé]monstration|dimostrazione"
    r"|demostraci[oó]n|bewijs)(?P<of>[\s~]+(?:of|von|des?|du|di)\b.*)?[\s.:}]*",
    re.IGNORECASE | re.DOTALL,
)

_REFERENCE = r"\\(?:[A-Za-z]*[Rr]ef|hyperref)\*?\s*\{[^{}]*\}"
_LAYOUT = re.compile(
    rf"(?P<kept>{_REFERENCE})|[{{}}\[\]]|\\[ ,;:!/]|\\(?:ref)?stepcounter\s*\{{[^{{}}]*\}}"
    r"|\\(?:[hv](?:space|skip)|addvspace)\*?\s*(?:\{[^{}]*\}|-?[\d.]+\s*[a-z]{2})?"
    r"|\\begin\s*\{(?:trivlist|list|quote|quotation|flushleft)\}(?:\s*\{[^{}]*\}){0,2}"
    r"|\\(?:(?:no)?indent|par|(?:small|med|big)skip|item|labelsep|leavevmode|ignorespaces|normalfont"
    r"|q?quad|enspace|begingroup|bgroup|text(?:it|bf|sc|sl|rm)|emph|em|it|bf|sc|sl|rm"
    r"|(?:it|bf|sc|sl|up|md)(?:shape|series)|rmfamily)(?![A-Za-z])"
)

_STATEMENT = re.compile(
    r"\s*(?P<kind>[A-Z][^\W\d_]{2,20})[\s~]*(?:\\the[A-Za-z@]+|#[1-9]|\([\s#1-9]*\))?[\s.:]*"
)


def opens(begin: str) -> str | None:
    """What an environment's begin prints, if that is "Proof", perhaps of what, and nothing more."""
    shown = _LAYOUT.sub(lambda match: match["kept"] or " ", unaccented(begin[:_LONGEST]))
    return " ".join(shown.split()) if _PROOF.fullmatch(shown) else None


def opens_statement(begin: str) -> str:
    """The kind that an environment's begin prints, with a number at most; "" if anything else.

    What is not set apart, in bold say, is no heading.
    """
    if "\\" not in begin:
        return ""
    shown = _LAYOUT.sub(lambda match: match["kept"] or " ", unaccented(begin[:_LONGEST]))
    found = _STATEMENT.fullmatch(shown)
    return named_kind(found["kind"]) if found else ""


def begin(printed: str) -> str:
    """What begins the proof that an environment stands for; "" if it prints something else."""
    found = _PROOF.fullmatch(unaccented(printed))
    if found is None:
        return ""
    return f"\\begin{{proof}}[{printed.strip()}]" if found["of"] else "\\begin{proof}"
