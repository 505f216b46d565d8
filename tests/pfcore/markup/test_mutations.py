"""Outlines at random: printed and read again they are the same, and no broken tag goes unseen."""

import re
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.reader import Read
from pfcore.markup.pf_proof import PfProof, outline
from pfcore.markup.tagged_sections import read_sections

WORDS = st.sampled_from(
    ["Clear.", "Let $a < b$ and $b > c$.", "See [1].", "50\\% of it.", "{x}\n\ny", "<b> or <x_1>"]
)
TAG = re.compile(r"</?[A-Z]+_[A-Z]+[^>]*>")


@st.composite
def proofs(draw: st.DrawFn) -> tuple[str, dict[str, tuple[str | None, tuple[str, ...]]]]:
    """A text without fault, and its components with their parents and what they cite."""
    pieces: list[str] = []
    found: dict[str, tuple[str | None, tuple[str, ...]]] = {}

    def section(kind: str, part: str, number: str, words: str) -> None:
        opening = f'{kind.upper()}_{part} id="{number}"' if number else f"{kind.upper()}_{part}"
        before = draw(st.sampled_from(["", "\n", "\n\n", "% a comment\n"]))
        pieces.append(f"{before}<{opening}>{words}\n</{kind.upper()}_{part}>\n")

    def cite(names: list[str]) -> tuple[str, tuple[str, ...]]:
        cited = draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
        return " ".join([draw(WORDS), *(f"By {name}." for name in cited)]), tuple(cited)

    count = draw(st.integers(1, 3))
    theorems = [""] if count == 1 else [str(number) for number in range(1, count + 1)]
    for number in theorems:
        section("Theorem", "STATEMENT", number, draw(WORDS))
    pool: list[str] = []
    for place in range(1, draw(st.integers(1, 3)) + 1):
        section("Proposition", "STATEMENT", str(place), draw(WORDS))
        own: list[str] = []
        for inner in range(1, draw(st.integers(0, 2)) + 1):
            name = f"Lemma {place}.{inner}"
            section("Lemma", "STATEMENT", name[6:], draw(WORDS))
            words, cited = cite([*pool, *own])
            section("Lemma", "PROOF", name[6:], words)
            found[name] = f"Proposition {place}", cited
            own.append(name)
        words, cited = cite([*pool, *own])
        section("Proposition", "PROOF", str(place), words)
        found[f"Proposition {place}"] = None, cited
        pool.append(f"Proposition {place}")
    for index, number in enumerate(theorems):
        earlier = [f"Theorem {other}" for other in theorems[:index]]
        words, cited = cite([*pool, *earlier])
        section("Theorem", "PROOF", number, words)
        found[f"Theorem {number}".strip()] = None, cited
    return "".join(pieces), found


def _renamed(tag: str) -> str:
    kinds = {"THEOREM": "LEMMA", "LEMMA": "PROPOSITION", "PROPOSITION": "THEOREM"}
    return re.sub("THEOREM|LEMMA|PROPOSITION", lambda match: kinds[match[0]], tag)


MUTATIONS: dict[str, Callable[[str], str]] = {
    "left out": lambda tag: "",
    "written twice": lambda tag: f"{tag}\n{tag}",
    "of another kind": _renamed,
    "of the other half": lambda tag: (
        tag.replace("PROOF", "STATEMENT") if "PROOF" in tag else tag.replace("STATEMENT", "PROOF")
    ),
    "misspelt": lambda tag: tag.replace("_", "S_"),
    "in small letters": lambda tag: tag.lower(),
    "never ended": lambda tag: tag[:-1] + "\n",
    "turned round": lambda tag: "<" + tag[2:] if tag[1] == "/" else f"</{tag[1:]}",
    "with another number": lambda tag: (
        tag.replace('id="', 'id="9') if "id=" in tag else tag.replace(">", ' id="9">')
    ),
    "with words for a number": lambda tag: re.sub(r"( id=.*)?>$", ' id="one">', tag),
    "without quotes": lambda tag: re.sub(r"( id=.*)?>$", " id=one>", tag),
    "in a comment": lambda tag: f"\n% {tag}",
}
SILENT = {"with another number", "with words for a number", "without quotes"}
"""Mutations that leave a closing tag what it is: only its name is read."""


@given(proofs())
def test_an_outline_that_is_printed_is_read_as_it_was(made):
    text, components = made
    sections = read_sections(text)
    found = outline(sections)
    assert sections.text() == text
    assert found.faults == ()
    assert {name: (item.parent, item.cites) for name, item in found.components.items()} == (
        components
    )


@given(made=proofs(), data=st.data())
def test_a_broken_tag_is_told_near_its_line(made, data, reader):
    text, _ = made
    tag = data.draw(st.sampled_from(list(TAG.finditer(text))))
    how = data.draw(st.sampled_from(sorted(MUTATIONS)))
    if tag[0].startswith("</") and how in SILENT:
        return
    mutated = text[: tag.start()] + MUTATIONS[how](tag[0]) + text[tag.end() :]
    sections = read_sections(mutated)
    faults = outline(sections).faults
    assert sections.text() == mutated
    assert faults, (how, tag[0])
    lines = {mutated.count("\n", 0, fault.start) + 1 for fault in faults}
    assert lines & _near(text, tag), (how, tag[0], faults)
    assert {item.start for item in reader(mutated).reading.problems} >= {f.start for f in faults}


def _near(text: str, tag: re.Match[str]) -> set[int]:
    """The lines of the section with a tag, of its other half, and of the tag behind it."""
    tags = list(TAG.finditer(text))
    index = next(i for i, other in enumerate(tags) if other.start() == tag.start())
    first = index - index % 2
    following = tags[first + 2] if first + 2 < len(tags) else tags[first + 1]
    subject = tags[first][0].replace("STATEMENT", "PROOF")
    spans = [
        (one.start(), other.end())
        for one, other in zip(tags[::2], tags[1::2], strict=True)
        if one[0].replace("STATEMENT", "PROOF") == subject
    ]
    spans.append((following.start(), following.end()))
    return {
        line + more
        for start, end in spans
        for line in range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2)
        for more in (0, 1)  # some mutations put in a line
    }


def test_what_lacks_one_tag_is_read_for_the_rest(reader: Callable[[str], Read], one: str) -> None:
    whole = _names(outline(read_sections(one)))
    for tag in TAG.findall(one):
        found = _names(outline(read_sections(one.replace(tag, "", 1))))
        assert len(whole - found) <= 1, tag


def _names(found: PfProof) -> set[str]:
    return set(found.components)
