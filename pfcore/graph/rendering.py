"""A context as one text, and its digest: equal digests mean equal prompts."""

from collections.abc import Callable, Iterator

from pfcore.digest import text_digest
from pfcore.graph.context import Context, Text, context, slot
from pfcore.graph.document import ProofDocument
from pfcore.latex.folding import ANCHOR, MENTION, bare, fold, printed
from pfcore.latex.pointers import WORDED
from pfcore.model import Module, Role

VERSION = "pf-context/1"
"""Version of the canonical form; part of every asking contract."""

Texts = Callable[[str], tuple[str, ...]]
"""The canonical texts of a file's blocks."""

_DEFINITIONS = frozenset({Role.DEFINITION})
_SETTING = frozenset({Role.CONVENTION, Role.ASSUMPTION})


def render(document: ProofDocument, name: str, texts: Texts) -> str:
    """The context of a module as a verifier reads it."""
    found = context(document, name)
    return "\n\n".join(_parts(document, found, texts)) + "\n"


def context_digest(document: ProofDocument, name: str, texts: Texts) -> str:
    """The digest of the rendered context."""
    return text_digest(f"{VERSION}\n{render(document, name, texts)}")


def _parts(document: ProofDocument, found: Context, texts: Texts) -> Iterator[str]:
    module = document.modules[found.module]
    yield from _section("Setting", document, found, texts, _is_setting)
    yield from _section("Definitions", document, found, texts, _is_definition)
    yield from _section("What may be used", document, found, texts, _is_usable)
    yield from _followed(document, found, texts)
    yield "# To be checked"
    yield f"{module.kind.capitalize()}. {_fill(document, found, module, 0, texts)}"
    for number in range(1, len(module.proofs) + 1):
        title = "Proof" if number == 1 else f"Proof {number}"
        yield f"{title}. {_fill(document, found, module, number, texts)}"


def _is_setting(found: Context, module: Module) -> bool:
    return module.role in _SETTING or module.id in found.ancestors


def _is_definition(found: Context, module: Module) -> bool:
    return module.role in _DEFINITIONS and not _is_setting(found, module)


def _is_usable(found: Context, module: Module) -> bool:
    return not _is_setting(found, module) and module.role not in _DEFINITIONS


def _section(
    title: str,
    document: ProofDocument,
    found: Context,
    texts: Texts,
    belongs: Callable[[Context, Module], bool],
) -> Iterator[str]:
    listed = [m for name in found.members if belongs(found, m := document.modules[name])]
    if listed:
        yield f"# {title}"
    for module in listed:
        yield _member(document, found, module, texts)


def _member(document: ProofDocument, found: Context, module: Module, texts: Texts) -> str:
    text = _fill(document, found, module, 0, texts)
    if module.role is Role.FRAGMENT:
        return f"{found.equations[module.id, '']} {text}"
    kind = "" if module.kind == found.slots[module.id].split()[0].lower() else f" ({module.kind})"
    inside = " — its proof contains what is to be checked" if module.id in found.ancestors else ""
    return f"{found.slots[module.id]}{kind}{inside}. {text}"


def _followed(document: ProofDocument, found: Context, texts: Texts) -> Iterator[str]:
    if found.followed:
        yield "# Proofs that the proof below follows"
    for name in found.followed:
        text = _fill(document, found, document.modules[name], 1, texts)
        where = found.slots.get(name) or found.equations.get((name, ""), "")
        yield f"Proof of {where}. {text}"


def _fill(
    document: ProofDocument, found: Context, module: Module, number: int, texts: Texts
) -> str:
    """A canonical text with its marks filled in; white space is folded already."""
    passage = module.proofs[number - 1] if number else module.statement
    links = document.proofs[module.id][number - 1] if number else document.statements[module.id]
    text = texts(passage.location.path)[passage.block]
    if not any((module.id, label) in found.equations for label in passage.anchors):
        text = bare(text)
    text = printed(text)
    item = Text(module.id, number, passage.mentions, passage.anchors, links)
    text = MENTION.sub(lambda match: _slots(document, found, item, int(match[1])), text)
    if "\x04" not in text:
        return text
    return fold(ANCHOR.sub(lambda match: _anchor(document, found, item, int(match[1])), text))


def _slots(document: ProofDocument, found: Context, text: Text, index: int) -> str:
    targets = text.links.mentions[index]
    if text.mentions[index].note in WORDED and not targets[0].module:
        return targets[0].word
    named = [slot(found, document, t.module, t.anchor, t.word) for t in targets]
    is_range = text.mentions[index].form == "range" and len(targets) == 2
    joint = " to " if is_range else ", "
    return joint.join(dict.fromkeys(named))


def _anchor(document: ProofDocument, found: Context, text: Text, index: int) -> str:
    """A number where a label stood, if any text of the context mentions it."""
    label = text.anchors[index]
    number = found.equations.get((text.module, label), "")
    places = document.labels.get(label, ()) if number else ()
    # A bare number inside a formula would read as a factor.
    if any(place.holder == "equation" and place.module == text.module for place in places):
        return rf" \tag{{{number.strip('()')}}} "
    return f" {number} "
