"""The walk of a reader who follows `review` through every call to its end.

It is counted in the text alone. From a function the reader goes to what it calls or names as a
function, in the order in which the words stand, to each function once and at once, and back. A word
leads somewhere if it is a function or a class of the same module, is imported from ours (`f`,
`module.f`, late imports too), or is a method of the same object (`self.f`) or of a class that the
word before names. A class leads to its own `__init__` and `__post_init__`. What only the type of a
value could tell (`paper.texts`) leads nowhere.

A stay is a row of functions of one file; a move goes on in another room of pfcore; a climb is a
move to a room that stands higher in the contract of the layers.
"""

import ast
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tests.layout.source import File, Function, Product

_MADE = ("__init__", "__post_init__")


class Place(NamedTuple):
    """A function by its module and its name there (`f`, `Class.f`)."""

    module: str
    name: str


@dataclass(frozen=True)
class Walk:
    """Where the reader was, in order."""

    places: tuple[Place, ...]
    product: Product

    @property
    def files(self) -> int:
        """How many files."""
        return len({place.module for place in self.places})

    @property
    def stays(self) -> list[str]:
        """The modules, one after the other."""
        found: list[str] = []
        for place in self.places:
            if found[-1:] != [place.module]:
                found.append(place.module)
        return found

    @property
    def moves(self) -> list[tuple[str, str]]:
        """The rooms between which the reader went."""
        rooms = [self.product.modules[name].room for name in self.stays]
        return [(one, other) for one, other in pairwise(rooms) if one != other]

    @property
    def climbs(self) -> int:
        """How many moves went up."""
        heights = self.product.layers()
        return sum(heights.get(other, 0) > heights.get(one, 0) for one, other in self.moves)


def walk(product: Product, start: Place) -> Walk:
    """Follow all calls from a function."""
    seen: dict[Place, None] = {}

    @cache
    def text_of(module: str) -> _Text:
        return _Text(product.modules[module], product)

    def follow(place: Place) -> None:
        if place in seen or place.module not in product.modules:
            return
        text = text_of(place.module)
        node = text.functions.get(place.name)
        if node is None:
            for made in _MADE:
                if f"{place.name}.{made}" in text.functions:
                    follow(Place(place.module, f"{place.name}.{made}"))
            return
        seen[place] = None
        for target in text.called(place.name, node):
            follow(target)

    follow(start)
    return Walk(tuple(seen), product)


class _Text:
    """What the words of one file lead to."""

    def __init__(self, file: File, product: Product) -> None:
        self._module, self._product = file.module, product
        self.functions: dict[str, Function] = {}
        self._words: dict[str, Place] = {}
        for node in file.tree.body:
            self._define(node)
        for found in file.nodes:
            if isinstance(found, ast.ImportFrom) and found.module:
                for alias in found.names:
                    self._import(found.module, alias)

    def _define(self, node: ast.stmt) -> None:
        if isinstance(node, Function):
            self.functions[node.name] = node
            self._words[node.name] = Place(self._module, node.name)
        elif isinstance(node, ast.ClassDef):
            self._words[node.name] = Place(self._module, node.name)
            for item in node.body:
                if isinstance(item, Function):
                    self.functions[f"{node.name}.{item.name}"] = item

    def _import(self, module: str, alias: ast.alias) -> None:
        word = alias.asname or alias.name
        if f"{module}.{alias.name}" in self._product.modules:
            self._words[word] = Place(f"{module}.{alias.name}", "")
        elif module in self._product.modules:
            self._words[word] = Place(module, alias.name)

    def called(self, name: str, node: Function) -> list[Place]:
        """What a function's words lead to, in their order."""
        found: list[tuple[int, int, Place]] = []
        own = name.rpartition(".")[0]
        for item in ast.walk(node):
            target = self._target(item, own)
            if target is not None and isinstance(item, ast.expr):
                found.append((item.lineno, item.col_offset, target))
        return [target for _, _, target in sorted(found)]

    def _target(self, item: ast.AST, own: str) -> Place | None:
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            known = self._words.get(item.id)
            return known if known and known.name else None
        if not (isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name)):
            return None
        if item.value.id == "self":
            return Place(self._module, f"{own}.{item.attr}")
        known = self._words.get(item.value.id)
        if known is None:
            return None
        return known._replace(name=f"{known.name}.{item.attr}".lstrip("."))
