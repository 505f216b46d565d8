"""A context as one text, and its digest: equal digests mean equal prompts.

Also what a result rests on besides its own proof, as digests independent of labels and places.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from pfcore.domain.digest import text_digest
from pfcore.domain.values import Module, Passage, Role
from pfcore.graph.context import (
    BINDING,
    Context,
    ContextText,
    context,
    followed,
    members,
    names_beyond,
    slot,
)
from pfcore.graph.document import FIRST, ProofDocument
from pfcore.latex.language.worded_references import WORDED
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import (
    ANCHOR,
    MENTION,
    bare,
    first_form,
    fold,
    printed,
    second_form,
)

Texts = Callable[[str], tuple[str, ...]]
"""The canonical texts of a file's blocks."""

DEFINITIONS, NOTATION = "Definitions", "Notation: nothing here is established"
"""Titles of the sections with definitions, and with sentences that introduce words and symbols."""

_DEFINITIONS = frozenset({Role.DEFINITION})


class Rendered(NamedTuple):
    """A context in parts: titled sections of given material, the statement, the proofs."""

    given: tuple[tuple[str, str], ...]
    statement: str
    proofs: tuple[str, ...]

    def text(self) -> str:
        """The whole context as one text."""
        blocks = [block for title, body in self.given for block in (f"# {title}", body)]
        return "\n\n".join([*blocks, "# To be checked", self.statement, *self.proofs]) + "\n"


def render(document: ProofDocument, name: str, texts: Texts) -> str:
    """The context of a module as a verifier reads it."""
    return rendered_context(document, name, texts).text()


def rendered_context(document: ProofDocument, name: str, texts: Texts) -> Rendered:
    """The context of a module in its parts."""
    found = context(document, name)
    using = _FormTexts(texts, document.form)
    module = document.modules[name]
    sections = (
        ("Setting", _section(document, found, using, _is_setting)),
        ("In force elsewhere", _section(document, found, using, _is_elsewhere)),
        (NOTATION, _section(document, found, using, _is_notation)),
        (DEFINITIONS, _section(document, found, using, _is_definition)),
        ("What may be used", _section(document, found, using, _is_usable)),
        ("Proofs that the proof below follows", _followed(document, found, using)),
        ("Known by name", _named(document, found)),
    )
    listed = ((title, "\n\n".join(blocks)) for title, blocks in sections)
    return Rendered(
        given=tuple((title, body) for title, body in listed if body),
        statement=f"{module.kind.capitalize()}. {_fill(document, found, module, 0, using)}",
        proofs=tuple(
            f"{'Proof' if number == 1 else f'Proof {number}'}. "
            f"{_fill(document, found, module, number, using)}"
            for number in range(1, len(module.proofs) + 1)
        ),
    )


def statement_in(document: ProofDocument, name: str, other: str, texts: Texts) -> str:
    """The statement of another module as it would read in the context of one, with its kind.

    References to modules outside of the context become "[elsewhere]".
    """
    module = document.modules[other]
    using = _FormTexts(texts, document.form)
    text = _fill(document, context(document, name), module, 0, using)
    return f"{module.kind}. {text}"


def paragraph(text: str) -> str:
    """The canonical form of running text, with every reference as "[elsewhere]"."""
    return MENTION.sub("[elsewhere]", _in_current_form(text, has_anchors=False))


def context_digest(document: ProofDocument, name: str, texts: Texts) -> str:
    """The digest of the rendered context."""
    return text_digest(f"{document.form}\n{render(document, name, texts)}")


def deep_digest(document: ProofDocument, name: str) -> str:
    """The digest of all statements that terms lead to, independent of labels and places.

    It distinguishes modules with the same context that differ in what the context only names.
    """
    modules = (document.modules[one] for one in members(document.deep, name))
    return text_digest("\n".join(sorted(f"{one.kind} {one.statement.digest}" for one in modules)))


def _named(document: ProofDocument, found: Context) -> Iterator[str]:
    """The terms that the texts above use and whose definitions are not among them."""
    listed = names_beyond(document, found.levels) if document.form != FIRST else ()
    if listed:
        yield f"{', '.join(listed)}."


def _is_setting(found: Context, module: Module) -> bool:
    is_binding = module.role in BINDING and module.id not in found.elsewhere | found.keyed
    return is_binding or module.id in found.above


def _is_notation(found: Context, module: Module) -> bool:
    if module.id in found.elsewhere:
        return False
    is_keyed = module.id in found.keyed and module.id not in found.above
    return module.role is Role.NOTATION or is_keyed


def _is_elsewhere(found: Context, module: Module) -> bool:
    return module.id in found.elsewhere


def _is_definition(found: Context, module: Module) -> bool:
    is_placed = _is_setting(found, module) or _is_elsewhere(found, module)
    return module.role in _DEFINITIONS and not is_placed


def _is_usable(found: Context, module: Module) -> bool:
    is_given = module.role in _DEFINITIONS or module.role in BINDING or module.role is Role.NOTATION
    return not is_given and not _is_setting(found, module)


def _section(
    document: ProofDocument,
    found: Context,
    using: "_FormTexts",
    belongs: Callable[[Context, Module], bool],
) -> Iterator[str]:
    for name in found.members:
        module = document.modules[name]
        if belongs(found, module):
            yield _member(document, found, module, using)


def _member(document: ProofDocument, found: Context, module: Module, using: "_FormTexts") -> str:
    text = _fill(document, found, module, 0, using)
    under = _under(found, module)
    if module.role is Role.FRAGMENT:
        about = f" ({under})" if under else ""
        return f"{found.equations[module.id, '']}{about} {text}"
    is_told = module.kind == found.slots[module.id].split()[0].lower()
    names = [f'called "{name}"' for name in found.names.get(module.id, ())]
    names += [under] if under else []
    about = ", ".join(names if is_told else [module.kind, *names])
    kind = f" ({about})" if about else ""
    inside = " — its proof contains what is to be checked" if module.id in found.ancestors else ""
    return f"{found.slots[module.id]}{kind}{inside}. {text}"


def _under(found: Context, module: Module) -> str:
    """The conventions over a member, in words, if they are not those of the setting; else ""."""
    if module.id not in found.under:
        return ""
    named = ", ".join(found.slots[one] for one in found.under[module.id])
    return f"under {named}" if named else "under no convention"


def _followed(document: ProofDocument, found: Context, using: "_FormTexts") -> Iterator[str]:
    for name in found.followed:
        text = _fill(document, found, document.modules[name], 1, using)
        where = found.slots.get(name) or found.equations.get((name, ""), "")
        yield f"Proof of {where}. {text}"


def _fill(
    document: ProofDocument, found: Context, module: Module, number: int, using: "_FormTexts"
) -> str:
    """A canonical text with its marks filled in; its white space is already folded."""
    passage = module.proofs[number - 1] if number else module.statement
    links = document.proofs[module.id][number - 1] if number else document.statements[module.id]
    has_anchors = any((module.id, label) in found.equations for label in passage.anchors)
    text = using.text(passage, has_anchors=has_anchors)
    item = ContextText(module.id, number, passage.mentions, passage.anchors, links)
    text = MENTION.sub(lambda match: _slots(document, found, item, int(match[1])), text)
    if "\x04" not in text:
        return text
    return fold(ANCHOR.sub(lambda match: _anchor(document, found, item, int(match[1])), text))


def _slots(document: ProofDocument, found: Context, text: ContextText, index: int) -> str:
    targets = text.links.mentions[index]
    is_worded = text.mentions[index].note in WORDED
    named = [
        t.word if is_worded and not t.module else slot(found, document, t.module, t.anchor, t.word)
        for t in targets
    ]
    is_range = text.mentions[index].form == "range" and len(targets) == 2
    joint = " to " if is_range else ", "
    return joint.join(dict.fromkeys(named))


def _anchor(document: ProofDocument, found: Context, text: ContextText, index: int) -> str:
    """A number in place of a label, if any text of the context mentions it."""
    label = text.anchors[index]
    number = found.equations.get((text.module, label), "")
    places = document.labels.get(label, ()) if number else ()
    # A bare number inside a formula would read as a factor.
    if any(place.holder == "equation" and place.module == text.module for place in places):
        return rf" \tag{{{number.strip('()')}}} "
    return f" {number} "


class _FormTexts(NamedTuple):
    """The canonical texts of a paper in a form of contexts, with their marks."""

    texts: Texts
    form: str

    def text(self, passage: Passage, *, has_anchors: bool) -> str:
        """The text of a passage, without its anchors if none is mentioned."""
        text = self.texts(passage.location.path)[passage.block]
        if self.form != FIRST:
            return _in_current_form(text, has_anchors)
        text = first_form(text)
        return printed(text if has_anchors else bare(text))


@lru_cache(maxsize=8_192)
def _in_current_form(text: str, has_anchors: bool) -> str:  # noqa: FBT001 - a key of a cache
    text = second_form(text)
    return printed(normal_form(text if has_anchors else bare(text)))


class Grounds:
    """Digests of statements, each with its setting and everything that its words refer to."""

    def __init__(self, document: ProofDocument, texts: Texts) -> None:
        self._document = document
        self._texts = texts
        self._known: dict[str, str] = {}

    def statement(self, name: str) -> str:
        """The digest of a statement, independent of proofs and their references."""
        if name not in self._known:
            self._known[name] = context_digest(self._stated, name, self._texts)
        return self._known[name]

    def rests(self, name: str) -> frozenset[str]:
        """The digests of what a module's proofs add to its context, and of proofs they follow."""
        others = members(self._document, name) - members(self._stated, name)
        proofs = (self._proof(other) for other in followed(self._document, name))
        return frozenset((*(self.statement(other) for other in others), *proofs))

    @cached_property
    def known_texts(self) -> frozenset[str]:
        """All digests that `rests` can contain in this paper, whatever proofs refer to."""
        modules = self._document.modules
        found = {self.statement(name) for name in modules}
        followed_somewhere = {other for name in modules for other in followed(self._document, name)}
        return frozenset(found) | {self._proof(name) for name in followed_somewhere}

    def _proof(self, name: str) -> str:
        parts = rendered_context(self._document, name, self._texts)
        return text_digest("proof\n" + "\n\n".join((*parts.proofs, self.statement(name))))

    @cached_property
    def _stated(self) -> ProofDocument:
        """The document as if nothing were proved."""
        document = self._document
        return replace(
            document,
            modules={name: item._replace(proofs=()) for name, item in document.modules.items()},
            proofs=dict.fromkeys(document.modules, ()),
            uses=dict.fromkeys(document.modules, ()),
            known_edges={},
        )
