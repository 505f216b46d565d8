"""How a result is called before people: what it is, its number, its title."""

from pfcore.domain.values import Module
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.reporters.printing import safe
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport


def module_name(module: Module, paper: PaperReport, style: Style) -> str:
    """Kind, number where it is certain, and title: `Lemma 3.2 (uniform bound)`.

    Where there is only ASCII, the title's LaTeX says more.
    """
    kind = safe(module.kind).capitalize()
    number = paper.numbering.of(module) if paper.numbering.is_quick else None
    name = f"{kind} {safe(number)}" if number else kind
    title = module.title if style.ascii else plain_text(module.title)
    return f"{name} ({safe(title)})" if title and not is_number(module.title, number) else name


def is_number(title: str, number: str | None) -> bool:
    """Whether a title says only the number, which an environment may take by hand: `{1.7'}`."""
    return bool(number) and plain_text(title) == number
