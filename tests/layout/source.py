"""The product as text: its files, classes, functions and imports, without running any of it."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PRODUCT = ("pfcore", "bot", "hooks", "prompts")
MARKER = "__init__.py"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class File:
    """A file of the product, by its path from the repository's root."""

    path: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Its definitions and imports, however deep: to walk all of the product takes a while."""
        kinds = (ast.ClassDef, ast.Import, ast.ImportFrom, Function)
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, kinds))

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        """What of pfcore it belongs to; another package is one room."""
        top, *rest = self.module.split(".")
        return rest[0] if top == "pfcore" and rest else top

    @property
    def is_marker(self) -> bool:
        """Whether it is there to make a folder a package, and no more."""
        return self.path.endswith(MARKER) and all(
            isinstance(node, ast.Expr) for node in self.tree.body
        )


class Product:
    """All files of the product as they are."""

    @cached_property
    def files(self) -> Mapping[str, File]:
        """By their paths."""
        paths = (path for name in PRODUCT for path in (REPO / name).rglob("*.py"))
        return {
            (name := path.relative_to(REPO).as_posix()): File(
                name, ast.parse(path.read_text("utf-8"))
            )
            for path in sorted(paths)
        }

    @cached_property
    def modules(self) -> Mapping[str, File]:
        """By the names that they are imported by."""
        return {file.module: file for file in self.files.values()}

    def classes(self) -> dict[str, list[str]]:
        """The files that define a class, by its name without an underscore at its begin."""
        found: dict[str, list[str]] = {}
        for path, file in self.files.items():
            for node in file.nodes:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name.lstrip("_"), []).append(path)
        return found

    def names(self) -> dict[str, list[str]]:
        """The paths of a file's name, without those that make packages."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            name = path.rpartition("/")[2]
            if name != MARKER:
                found.setdefault(name, []).append(path)
        return found

    def taking_namespaces(self) -> list[str]:
        """The files of functions with an argument that is a Namespace: one entry for each."""
        return [
            path
            for path, file in self.files.items()
            for node in file.nodes
            if isinstance(node, Function) and any(map(_is_namespace, _arguments(node)))
        ]

    def rooms(self) -> set[str]:
        """What stands directly in pfcore."""
        return {file.room for file in self.files.values() if file.path.startswith("pfcore/")} - {
            "pfcore"
        }

    def fullest(self) -> tuple[str, int]:
        """The folder with most files directly in it, and how many."""
        folders = Counter(
            path.rpartition("/")[0] for path in self.files if not path.endswith(MARKER)
        )
        return folders.most_common(1)[0]

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """The modules of the product that each module imports, early, late or for types."""
        return {
            name: frozenset(self._imported(file)) - {name} for name, file in self.modules.items()
        }

    def _imported(self, file: File) -> Iterator[str]:
        for node in file.nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    if whole in self.modules:
                        yield whole
                    elif node.module in self.modules:
                        yield node.module

    def circles(self, part: str = "", depth: int | None = None) -> list[list[str]]:
        """Import circles: between files, or between the parts of a package at a depth.

        `part` is the package, `depth` how many words of a module's name make a part.
        """
        arrows: dict[str, set[str]] = {}
        for name, targets in self.imports.items():
            for target in targets:
                if not all(f"{one}.".startswith(part) for one in (name, target)):
                    continue
                one, other = (".".join(word.split(".")[:depth]) for word in (name, target))
                if one != other:
                    arrows.setdefault(one, set()).add(other)
        return circles(arrows)

    def layers(self) -> dict[str, int]:
        """How high each room of pfcore stands, by the contract of the layers."""
        text = (REPO / "pyproject.toml").read_text("utf-8")
        contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
        (listed,) = (item["layers"] for item in contracts if item["id"] == "core")
        return {
            room.strip(" ()"): -place
            for place, line in enumerate(listed)
            for room in line.replace("|", ":").split(":")
        }

    def lines(self, paths: Iterable[str]) -> int:
        """How many lines some files have."""
        return sum(len((REPO / path).read_text("utf-8").splitlines()) for path in paths)


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of things that lead to one another (Tarjan's components with two or more)."""
    reached = {name: _reach(arrows, name) for name in arrows}
    found = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in reached
    }
    return sorted(list(group) for group in found if len(group) > 1)


def _reach(arrows: Mapping[str, set[str]], start: str) -> set[str]:
    """All that a thing leads to."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for name in arrows.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _arguments(node: Function) -> list[ast.arg]:
    given = node.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _is_namespace(argument: ast.arg) -> bool:
    note = argument.annotation
    return note is not None and "Namespace" in ast.unparse(note)
