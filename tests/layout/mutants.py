"""Whether tests see errors in the file that they mirror.

python -m tests.layout.mutants [COUNT [SEED]]

Draws places of the product at which one sign can be turned round (`<` into `<=`, `and` into `or`, a
number into the next one), turns one round in a copy of the repository, and runs the test files that
mirror its file: `test_NAME.py` and `test_NAME_….py` in the same folder of the tests. A mutant is
killed if one of them fails or takes too long. Equal seeds draw the same places in equal trees.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.layout.source import MARKER, PRODUCT, REPO

_SECONDS = 180
_COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A file with one part of its text replaced."""

    path: str
    line: int
    old: str
    new: str
    text: str


def main() -> int:
    """Print each mutant that lives, then how many were killed."""
    count, seed = (int(word) for word in (*sys.argv[1:], "100", "1")[:2])
    drawn = draw(count, seed)
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "repository"
        shutil.copytree(REPO, copy, ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
        for mutant in drawn:
            if is_killed(mutant, copy):
                killed += 1
            else:
                sys.stdout.write(f"{mutant.path}:{mutant.line}: {mutant.old} -> {mutant.new}\n")
    sys.stdout.write(f"{killed} of {len(drawn)} killed (seed {seed})\n")
    return 0


def draw(count: int, seed: int) -> list[Mutant]:
    """So many mutants of files that are mirrored by a test file, each place as likely."""
    paths = [path for path in sorted(_paths()) if mirrors(path)]
    found = [mutant for path in paths for mutant in mutants(path)]
    return random.Random(seed).sample(found, min(count, len(found)))


def mirrors(path: str) -> list[str]:
    """The test files of a file of the product."""
    place = Path(path)
    folder = REPO / "tests" / place.parent
    listed = [folder / f"test_{place.stem}.py", *folder.glob(f"test_{place.stem}_*.py")]
    return sorted(str(item.relative_to(REPO)) for item in listed if item.exists())


def mutants(path: str) -> Iterator[Mutant]:
    """All mutants of a file, in functions alone."""
    text = (REPO / path).read_text("utf-8")
    data = text.encode("utf-8")
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, new in _turned(ast.parse(text)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = data[start:end].decode()
        made = data[:start].decode() + new + data[end:].decode()
        yield Mutant(path, node.lineno, old, new, made)


def is_killed(mutant: Mutant, copy: Path) -> bool:
    """Whether the mirroring tests fail in a copy of the repository."""
    place = copy / mutant.path
    whole = place.read_text("utf-8")
    place.write_text(mutant.text, encoding="utf-8")
    words = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mirrors(mutant.path)]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        place.write_text(whole, encoding="utf-8")
    return done.returncode != 0


def _paths() -> Iterator[str]:
    for name in PRODUCT:
        for path in (REPO / name).rglob("*.py"):
            if path.name != MARKER:
                yield path.relative_to(REPO).as_posix()


def _turned(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Expressions of functions, and what may stand in their place."""
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    seen = {id(part) for node in texts for part in ast.walk(node)}  # Python 3.11 misplaces these
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for statement in function.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.expr) and id(node) not in seen:
                    seen.add(id(node))
                    new = _other(node)
                    if new is not None:
                        yield node, new


def _other(node: ast.expr) -> str | None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = _COMPARED[type(node.ops[0])]
        return f"({ast.unparse(node.left)} {sign} {ast.unparse(node.comparators[0])})"
    if isinstance(node, ast.BoolOp):
        sign = " or " if isinstance(node.op, ast.And) else " and "
        return "(" + sign.join(f"({ast.unparse(value)})" for value in node.values) + ")"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"bool({ast.unparse(node.operand)})"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return str(node.value + 1)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return str(not node.value)
    return None


if __name__ == "__main__":
    sys.exit(main())
