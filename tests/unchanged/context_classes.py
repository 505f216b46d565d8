"""By which rules the contexts of an older state and of this one differ.

    mkdir OLD && git archive 9cb4aa33 | tar x -C OLD
    PYTHONPATH=OLD python tests/unchanged/context_classes.py record FOLDER OLD.json
    PYTHONPATH=. python tests/unchanged/context_classes.py record FOLDER NEW.json
    PYTHONPATH=. python tests/unchanged/context_classes.py compare OLD.json NEW.json [--show 10]

Each context that differs is taken apart: its members, by what leads to them, their texts, the
sections that they stand in, what references lead to. Each difference of a part has a class, named
by the rule that makes it; a context that differs in no part, or in a text that no rule explains, is
unclassed. 9cb4aa33 is the last state before running text introduced anything.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pfcore.graph import context as contexts
from pfcore.graph import rendering
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.lexer import whitespace
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

MARK = " \N{PILCROW SIGN} "
"""In place of what a text refers to."""
_IS_CURRENT = hasattr(contexts, "levels")
if _IS_CURRENT:
    from pfcore.latex.lexer.normal_form import normal_form

Record = dict[str, Any]


def place(module: Any) -> str:
    where = module.statement.location
    return f"{where.path}:{where.start}:{where.end}"


def record(folder: Path) -> Record:
    """All contexts of a folder's papers in parts, as the state on the path makes them."""
    papers = discover_papers(snapshot.from_folder(folder), ParseCache(MemoryCache())).papers
    return {paper.name: _recorded(build_paper_state(paper)) for paper in papers}


def _recorded(state: PaperState) -> Record:
    document = state.document
    names = {name: place(module) for name, module in document.modules.items()}
    found = {}
    for name, module in document.modules.items():
        made = contexts.context(document, name)
        causes = _causes(document, name, set(made.members))
        parts = rendering.rendered_context(document, name, state.paper.texts)
        links = (document.statements[name], *document.proofs[name])
        found[names[name]] = {
            "id": name,
            "role": module.role.value,
            "kind": module.kind,
            "texts": [_neutral(state, one) for one in (module.statement, *module.proofs)],
            "proofs": [f"{p.location.path}:{p.location.start}" for p in module.proofs],
            "refers": [
                [[names.get(one.module, one.word) for one in targets] for targets in link.mentions]
                for link in links
            ],
            "uses": [names[one] for one in document.uses[name]],
            "gives": [list(module.terms), list(module.hints)],
            "terms": sorted({term.split("\t")[0] for link in links for term, _ in link.terms}),
            "stand_in": bool(getattr(module, "stand_in", None)),
            "context": parts.text(),
            "members": {
                names[one]: [
                    _section(made, document.modules[one]),
                    causes.get(one, "?"),
                    sorted(names[other] for other in made.under.get(one, ())),
                    list(made.names.get(one, ())),
                ]
                for one in made.members
            },
            "followed": [names[one] for one in made.followed],
            "known": [body for title, body in parts.given if title == "Known by name"],
            "deep": [names[one] for one in contexts.members(document.deep, name)]
            if _IS_CURRENT
            else [],
        }
    return found


def _neutral(state: PaperState, passage: Any) -> str:
    """The text of a passage without what its references lead to."""
    text = whitespace.bare(state.paper.texts(passage.location.path)[passage.block])
    text = normal_form(whitespace.second_form(text)) if _IS_CURRENT else text
    return whitespace.MENTION.sub(MARK, whitespace.printed(text))


def _section(made: Any, module: Any) -> str:
    sections = ("setting", "elsewhere", "notation", "definition")
    found = (getattr(rendering, f"_is_{name}", None) for name in sections)
    return next(
        (
            name
            for name, holds in zip(sections, found, strict=True)
            if holds and holds(made, module)
        ),
        "usable",
    )


def _causes(document: Any, name: str, inside: set[str]) -> dict[str, str]:
    """What leads to each member, the nearest cause: a kind of link, and the term if it is one."""
    followed = contexts.followed(document, name)
    named = (*document.uses[name], *contexts.ancestors(document, name), *followed)
    near = [(one, "reference") for one in named]
    near += [(one, "scope") for one in document.scope[name]]
    own = (document.statements[name], *document.proofs[name])
    for links in (*own, *(document.proofs[one][0] for one in followed)):
        near += _links(links)
    found: dict[str, str] = {}
    while near:
        fresh = [(one, cause) for one, cause in near if one in inside - found.keys() - {name}]
        for one, cause in fresh:
            found.setdefault(one, cause)
        beyond = [
            pair
            for one in dict(fresh)
            for pair in (
                *_links(document.statements[one]),
                *((other, "scope") for other in document.scope[one]),
            )
        ]
        near = [(one, f"farther {cause}") for one, cause in beyond]
    return found


def _links(links: Any) -> Iterator[tuple[str, str]]:
    """The modules that a text leads to, and how."""
    for targets in links.mentions:
        for target in targets:
            yield target.module, "reference"
    for term, target in links.terms:
        yield target, f"{_kind(term)}\t{term.split(chr(9))[0]}"
    for target in getattr(links, "leans_on", ()):
        yield target, "reference"


def _kind(term: str) -> str:
    return "lead" if term[0] == "~" else "term"


def compare(before: Record, after: Record) -> Iterator[tuple[str, str, set[str]]]:
    """The contexts that differ: the paper, the module's place, and the classes of differences."""
    for paper in before.keys() & after.keys():
        then = {_key(one): module for one, module in before[paper].items()}
        now = {_key(one): module for one, module in after[paper].items()}
        for key in sorted(then.keys() | now.keys()):
            if key not in then or key not in now:
                yield paper, f"{key[0]}:{key[1]}", {"a module begins or ends"}
            elif then[key]["context"] != now[key]["context"]:
                yield paper, now[key]["id"], _classes(key, then, now) or {"UNCLASSED"}


_Key = tuple[str, int]
_ByPlace = dict[_Key, Any]


def _key(found: str) -> _Key:
    path, start, _ = found.rsplit(":", 2)
    return path, int(start)


def _classes(key: _Key, then: _ByPlace, now: _ByPlace) -> set[str]:
    old, new = then[key], now[key]
    ours = {_key(one): [one, *entry] for one, entry in new["members"].items()}
    theirs = {_key(one): [one, *entry] for one, entry in old["members"].items()}
    differing = _Gone(old, new, then, now, ours)
    found = {differing.class_of(one, entry) for one, entry in theirs.items() if one not in ours}
    found |= {_of_new(entry) for one, entry in ours.items() if one not in theirs}
    is_paired_alike = old["proofs"] == new["proofs"]
    if not is_paired_alike:
        found.add("proofs that are none" if new["stand_in"] else "pairing")
    for index in range(len(old["texts"]) if is_paired_alike else 1):
        found |= _of_texts(old, new, index)
    for one in ours.keys() & theirs.keys():
        found |= _of_texts(then[one], now[one], 0) | _of_kept(theirs[one], ours[one])
    if new["known"]:
        found.add("known by name")
    if _led([old["followed"]]) != _led([new["followed"]]):
        found.add("where references lead")
    return found - {""}


def _of_texts(old: Record, new: Record, index: int) -> set[str]:
    """The classes by which the statement of a module differs, or one of its proofs."""
    found = {_of_text(old["texts"][index], new["texts"][index])}
    if _led(old["refers"][index]) != _led(new["refers"][index]):
        found.add("where references lead")
    if (old["role"], old["kind"]) != (new["role"], new["kind"]):
        found.add("a module begins or ends")
    return found


def _led(refers: list[list[str]]) -> list[list[Any]]:
    return [[_key(one) if one.count(":") > 1 else one for one in each] for each in refers]


def _of_kept(old: list[Any], new: list[Any]) -> set[str]:
    """The classes by which the entry of a member differs that was there."""
    found = set()
    if old[1] != new[1]:
        found.add("a convention holds for who uses its keys, or elsewhere")
    if (_led([old[3]]), old[4]) != (_led([new[3]]), new[4]):
        found.add("under which conventions, and by which names")
    return found


def _of_new(entry: list[Any]) -> str:
    """The class of a member that was not there."""
    _, section, cause, *_ = entry
    what = cause.split("\t")[0].rsplit(" ", 1)[-1]
    if what == "lead":
        return "what stands before a claim and speaks of it"
    if what == "scope":
        return "sentences that agree on something for a whole scope"
    if section in ("notation", "setting", "elsewhere"):
        is_led = what == "reference"
        return "displays, captions and what is pointed to" if is_led else "introductions"
    return "brought along" if what == "reference" else "definitions by what they give"


class _Gone(NamedTuple):
    """A context of both states: the module in each, all modules of each, the members of now."""

    old: Record
    new: Record
    then: _ByPlace
    now: _ByPlace
    ours: dict[_Key, list[Any]]

    def class_of(self, key: _Key, entry: list[Any]) -> str:
        """The class of a member that is there no longer."""
        spot, _, cause, *_ = entry
        what, _, term = cause.partition("\t")
        is_farther = key in {_key(one) for one in self.new["deep"]}
        if self.then[key]["role"] in ("convention", "assumption"):
            return "beyond one level" if is_farther else "conventions end with their unit"
        if is_farther:
            return "beyond one level"
        if any(_has(one[0], spot) for one in self.ours.values()):
            return "displays, captions and what is pointed to"
        if key not in self.now:
            return "a module begins or ends"
        if term:
            return self._by_term(key, term)
        if what.endswith("reference") and self._is_referred_to(key):
            return "where references lead"
        return "left with what referred to it"

    def _by_term(self, key: _Key, term: str) -> str:
        gives, hints = self.then[key]["gives"]
        is_given = {term, term.lstrip("#")} & set(self.now[key]["gives"][0])
        is_hint = term in hints and term not in gives
        return "no hints" if is_hint or not is_given else "longest term, nearest site"

    def _is_referred_to(self, key: _Key) -> bool:
        """Whether a member that refers to this one is still there, and brings results along."""
        for one in (_key(spot) for spot in self.old["members"]):
            module = self.then[one]
            listed = [target for each in module["refers"][0] for target in each] + module["uses"]
            is_source = any(t.count(":") > 1 and _key(t) == key for t in listed)
            if is_source and one in self.ours:
                return self.now[one]["role"] not in ("notation", "definition")
        return False


def _has(whole: str, part: str) -> bool:
    (path, start, end), (other, first, last) = whole.rsplit(":", 2), part.rsplit(":", 2)
    return path == other and int(start) <= int(first) and int(last) <= int(end)


_TITLE = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_MACRO = re.compile(r"\\macro\{[0-9a-f]*\}")


def _of_text(old: str, new: str) -> str:
    """The class of a text that is another one, without what it refers to."""
    before, after = _again(old), _again(new)
    if old == new:
        return ""
    if before == after or _signs(before) == _signs(after):
        return "one way of writing"
    title = _TITLE.match(after)
    rest = after[title.end() :] if title else ""
    if title and _signs(before) == _signs(rest):
        return "titles"
    plain, *others = (_signs(_MACRO.sub("", one)) for one in (before, after, rest))
    if plain in others:
        return "macros by the digest of what they say"
    if _words_off(before) == _words_off(after):
        return "where references lead"
    return "displays, captions and what is pointed to" if after.startswith(before) else "UNCLASSED"


@lru_cache(maxsize=100_000)
def _again(text: str) -> str:
    """A text of either state in the one way of writing of this one, without blanks."""
    text = re.sub(r"\\texorpdfstring\{([^{}]*)\}\{[^{}]*\}", r"\1", text)
    text = normal_form(whitespace.second_form(text.replace(MARK, " QQMARKQQ ")))
    return re.sub(r"\s+", "", whitespace.printed(text).replace("QQMARKQQ", MARK))


def _signs(text: str) -> str:
    """Letters, digits and marks of references: signs of layout tell nothing apart."""
    return re.sub(r"[^\w\N{PILCROW SIGN}]+", "", re.sub(r"\\[a-zA-Z]+", "", text))


def _words_off(text: str) -> str:
    """A text without what may be read as a reference or as its first letters."""
    return re.sub(r"(?:these|thethree)\w*?(?:lemmas|factsabove)|(?:satz|ch)(?=\W)|\W", "", text)


def main(argv: Sequence[str] | None = None) -> int:
    """Record a state, or print how two differ; 1 if anything is unclassed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--show", type=int, default=0, help="so many examples of each class")
    wanted = parser.parse_args(argv)
    if wanted.what == "record":
        wanted.other.write_text(json.dumps(record(wanted.one)), encoding="utf-8")
        return 0
    before, after = (json.loads(path.read_text("utf-8")) for path in (wanted.one, wanted.other))
    counts, examples, total = Counter[str](), defaultdict[str, list[str]](list), 0
    for paper, name, classes in compare(before, after):
        total += 1
        for one in classes:
            counts[one] += 1
            examples[one].append(f"{paper} {name}")
    for one, number in counts.most_common():
        sys.stdout.write(f"{number:6,} {one}\n")
        shown = random.Random(one).sample(examples[one], min(wanted.show, number))
        sys.stdout.writelines(f"       {example}\n" for example in shown)
    contained = sum(len(paper) for paper in after.values())
    sys.stdout.write(f"{total:6,} of {contained:,} contexts differ\n")
    return 1 if counts["UNCLASSED"] else 0


if __name__ == "__main__":
    sys.exit(main())
