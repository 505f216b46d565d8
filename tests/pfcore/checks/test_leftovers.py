"""Kinds of leftovers and their look-alikes that were written before the rules were looked at.

Each stands alone in a paper, with the packages that its commands want. The list is frozen: what it
counted before anything was mended is on record beside it.
"""

import hashlib
import tomllib
from collections import Counter

import pytest

from pfcore.domain.values import Severity
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.review.review import every_finding, review
from tests.conftest import REPO, article_text, write

pytestmark = pytest.mark.acceptance

LIST = REPO / "tests/data/leftovers.toml"
FROZEN = "f34eb39f614e1f0df051141988825ad130592138de3a94ca2cc49a2aa0e78278"
HEAD = "Before all, we prove a theorem.\n\n"
TAIL = "\n\n\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} Clear. \\end{proof}\n"
PACKAGES = "\\usepackage{xcolor,hyperref,soul,ulem,todonotes,changes,fixme,comment,graphicx}\n"


def files(where, item):
    if where == "text":
        return {"main.tex": article_text(HEAD + item + TAIL, preamble=PACKAGES)}
    if where == "preamble":
        body = f"\\maketitle\n{HEAD}Quiet.{TAIL}"
        return {"main.tex": article_text(body, preamble=f"{item}\n")}
    key = item.partition("{")[2].partition(",")[0]
    end = "\\bibliographystyle{plain}\\bibliography{refs}\n"
    body = f"{HEAD}By \\cite{{{key}}}.{TAIL}{end}"
    return {"main.tex": article_text(body), "refs.bib": f"{item}\n"}


def test_what_was_written_before_the_rules_were_looked_at_is_found_or_silent(tmp_path):
    assert hashlib.sha256(LIST.read_bytes()).hexdigest() == FROZEN
    cache = ParseCache(MemoryCache())

    def found(name, texts):
        made = review(None, snapshot.from_folder(write(tmp_path / name, texts)), cache)
        listed = [one for paper in made.papers for one in every_finding(paper)]
        return {(one.rule, one.severity, one.quote or one.message) for one in listed}

    frame = found("frame", files("text", "Quiet."))  # its packages are notes themselves

    counts: dict[str, Counter[str]] = {}
    for part, places in tomllib.loads(LIST.read_text("utf-8")).items():
        counts[part] = Counter()
        for where, items in places.items():
            for number, item in enumerate(items):
                own = found(f"{part}-{where}-{number}", files(where, item)) - frame
                own = {one for one in own if one[0] != "no-proof"}
                is_grave = any(severity is not Severity.NOTE for _, severity, _ in own)
                counts[part]["warned" if is_grave else "noted" if own else "silent"] += 1
    assert counts["debris"].total() == 314
    assert counts["innocent"].total() == 132
    assert (counts["debris"]["warned"], counts["debris"]["noted"]) == (262, 43)
    assert counts["innocent"]["warned"] == 1
