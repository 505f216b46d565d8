"""How the product is laid out, in numbers: python -m tests.layout.counting

One row for each number that is to fall. It is no part of the product: it looks at all packages from
outside, and needs the repository around it.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.layout.entered import Demo
from tests.layout.source import Product
from tests.layout.walk import Place, walk

START = Place("pfcore.review.review", "review")


def main() -> int:
    """Print all rows."""
    product = Product()
    with tempfile.TemporaryDirectory() as folder:
        first, later = of_first_runs(product, Path(folder)), of_later_runs(product, Path(folder))
    rows = {**of_text(product), **first, **later}
    width = max(map(len, rows))
    for name, number in rows.items():
        sys.stdout.write(f"{name:{width}}  {number:7,}\n")
    return 0


def of_text(product: Product) -> dict[str, int]:
    """What the text alone tells."""
    classes, names = product.classes(), product.names()
    takers = product.taking_namespaces()
    path = walk(product, START)
    return {
        "files": len(product.files),
        "classes": sum(map(len, classes.values())),
        "classes whose name stands twice": _twice(classes),
        "files whose name stands twice": _twice(names),
        "functions that take a Namespace": len(takers),
        "files of these": len(set(takers)),
        "rooms of pfcore": len(product.rooms()),
        "files in the fullest folder": product.fullest()[1],
        "files in an import circle": sum(map(len, product.circles())),
        "rooms in an import circle": sum(map(len, product.circles("pfcore.", 2))),
        "parts of latex in an import circle": sum(map(len, product.circles("pfcore.latex.", 3))),
        "review: functions": len(path.places),
        "review: files": path.files,
        "review: stays": len(path.stays),
        "review: moves between rooms": len(path.moves),
        "review: climbs": path.climbs,
    }


def of_first_runs(product: Product, folder: Path) -> dict[str, int]:
    """What `pf check --all` enters of the product, and `pf check` when it comes again."""
    demo = Demo(folder)
    first = demo.run(product, "pf", "check", "--all")
    demo.run(product, "pf", "check")
    second = demo.run(product, "pf", "check")
    return {
        "pf check, second run: files entered": second.files,
        "pf check, second run: code objects": second.codes,
        "pf check --all, first run: files entered": first.files,
        "pf check --all, first run: code objects": first.codes,
        "pf check --all, first run: functions": first.functions,
    }


def of_later_runs(product: Product, folder: Path) -> dict[str, int]:
    """What the hook and the plan load after an edit, if all was looked at before."""
    demo = Demo(folder / "later")
    demo.edit()
    _, hook = (demo.run(product, "pf-verify", "estimates.tex") for _ in range(2))
    _, plan = (demo.run(product, "pf", "plan") for _ in range(2))
    return {
        "lines loaded by the hook after an edit": hook.lines,
        "lines loaded by the warm plan": plan.lines,
    }


def _twice(found: Mapping[str, list[str]]) -> int:
    return sum(len(places) for places in found.values() if len(places) > 1)


if __name__ == "__main__":
    sys.exit(main())
