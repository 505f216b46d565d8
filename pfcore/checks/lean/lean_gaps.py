r"""The proofs marked `\leanok` whose Lean declarations are unfinished, or use an unfinished one.

For unchanged Lean files the result is one entry of the parse cache. If no file contains a word such
as `sorry`, none is scanned.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from pfcore.checks.check import block, kept
from pfcore.checks.lean.lean_files import may_lack
from pfcore.checks.lean.lean_links import lean_names_of, lean_paths, repository_names
from pfcore.checks.lean.lean_uses import FileUses, LeanGap, file_uses, gaps
from pfcore.domain.digest import digest
from pfcore.domain.errors import SourceError
from pfcore.graph.paper_state import PaperState
from pfcore.latex.codec import dump
from pfcore.papers.paper import Paper

_VERSION = 1


def lean_gaps(paper: Paper) -> Mapping[str, LeanGap]:
    """The unproved declarations, by name; {} if a file cannot be read."""
    paths = lean_paths(paper.snapshot)
    if not paths:
        return {}
    oids = {path: paper.snapshot.files[path].oid for path in paths}
    key = f"lean-gaps:{_VERSION}:{digest(oids)}"

    def make(_: str) -> tuple[dict[str, LeanGap], dict[str, str]]:
        found = _found(paper, oids)
        return found, {key: dump(found)}

    try:
        return kept(paper, {"": key}, _loaded, make)[""]
    except SourceError:  # without all files nothing is certain
        return {}


def _found(paper: Paper, oids: Mapping[str, str]) -> dict[str, LeanGap]:
    if not _may_lack(paper, oids):
        return {}
    keys = {path: f"lean-uses:{_VERSION}:{oid}" for path, oid in oids.items()}

    def make(path: str) -> tuple[FileUses, dict[str, str]]:
        found = file_uses(paper.source(path))
        return found, {keys[path]: found.dumped()}

    files = kept(paper, keys, FileUses.loaded, make)
    if not any(row.lack for found in files.values() for row in found.declared):
        return {}
    names = repository_names(paper)
    return gaps(files, cache(names.declares)) if names else gaps(files)


def _may_lack(paper: Paper, oids: Mapping[str, str]) -> bool:
    """Whether some file may contain something unfinished."""
    keys = {path: f"lean-may:{_VERSION}:{oid}" for path, oid in oids.items()}

    def make(path: str) -> tuple[bool, dict[str, str]]:
        found = may_lack(paper.source(path))
        return found, {keys[path]: dump(found)}

    paper.snapshot.foresee(keys)
    return any(kept(paper, keys, _truth, make).values())


def _truth(text: str) -> bool:
    return bool(json.loads(text))


def _loaded(text: str) -> dict[str, LeanGap]:
    try:
        return {
            str(name): LeanGap(str(lack), str(path), int(line), tuple(map(str, through)))
            for name, (lack, path, line, through) in json.loads(text).items()
        }
    except (AttributeError, TypeError) as error:
        raise ValueError("no gaps") from error


def open_proofs(state: PaperState) -> frozenset[str]:
    """The modules with a proof marked `\\leanok` and an unproved declaration."""
    claimed = {
        module.id: names
        for module in state.document.modules.values()
        if module.is_formal
        and (names := lean_names_of(state, module))
        and any("leanok" in block(state, item).marks for item in module.passages[1:])
    }
    known = lean_gaps(state.paper) if claimed else {}
    return frozenset(name for name, names in claimed.items() if not known.keys().isdisjoint(names))
