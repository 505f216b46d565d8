"""Proof documents made by hand: modules with the results that their proofs cite."""

from collections.abc import Callable, Collection, Mapping, Sequence

import pytest

from pfcore.domain.values import Location, Mention, Module, Passage, Role
from pfcore.graph.document import NO_LINKS, LabelIndex, LinkTarget, ProofDocument, ResolvedLinks


def _passage(name: str, targets: Sequence[str] = (), form: str = "used") -> Passage:
    mentions = tuple(Mention(form, (target,), "ref", 0, 0) for target in targets)
    return Passage(
        location=Location("main.tex", 0, 0, 1, 1, 1, 1),
        block=0,
        digest=name,
        length=len(name),
        mentions=mentions,
        anchors=(),
    )


def _links(targets: Sequence[str]) -> ResolvedLinks:
    return ResolvedLinks(tuple((LinkTarget(target, "", ""),) for target in targets), ())


def _module(
    name: str, position: int, role: Role, proof: Passage | None, *, is_formal: bool
) -> Module:
    return Module(
        id=name,
        kind=str(role),
        role=role,
        title="",
        label=name,
        labels=(name,),
        statement=_passage(name),
        proofs=(proof,) if proof else (),
        parent=None,
        position=position,
        section=(),
        terms=(),
        hints=(),
        scope=None,
        is_cited=False,
        cites=(),
        is_formal=is_formal,
    )


@pytest.fixture(scope="session")
def argument() -> Callable[..., ProofDocument]:
    """From names to what their proofs cite (None: no proof), roles other than result, marks."""

    def make(
        cited: Mapping[str, Sequence[str] | None],
        roles: Mapping[str, Role] | None = None,
        formal: Collection[str] = (),
    ) -> ProofDocument:
        modules = {
            name: _module(
                name,
                position,
                (roles or {}).get(name, Role.RESULT),
                _passage(f"proof of {name}", targets) if targets is not None else None,
                is_formal=name in formal,
            )
            for position, (name, targets) in enumerate(cited.items())
        }
        return ProofDocument(
            name="main.tex",
            root="main.tex",
            modules=modules,
            statements=dict.fromkeys(modules, NO_LINKS),
            proofs={
                name: () if targets is None else (_links(targets),)
                for name, targets in cited.items()
            },
            uses=dict.fromkeys(modules, ()),
            cited={
                name: () if targets is None else (_links(targets).mentions,)
                for name, targets in cited.items()
            },
            may_use=lambda: {
                name: set(targets)
                for name, targets in cited.items()
                if targets is not None and modules[name].role is Role.RESULT
            },
            scope=dict.fromkeys(modules, ()),
            labels=LabelIndex({}, lambda _path, _block: ""),
            headings=(),
            loose=(),
        )

    return make
