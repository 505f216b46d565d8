"""The map: sections as clusters, results in the paper's order, hubs and gaps, nothing but SVG."""

import re
from importlib.resources import files
from itertools import pairwise

import pytest

from pfcore.reporters.html.paper_map import (
    MapCluster,
    MapNode,
    PaperMap,
    clustered,
    map_section,
    map_svg,
)


def _node(number, name="", *, lack="", main="", counted="result"):
    name = name or f"Lemma 1.{number}"
    is_box = counted != "result"
    return MapNode(number, name, "", f"r:{number}", "unread", is_box, main, lack, counted)


def _paper(sizes, edges=(), **marks):
    clusters, number = [], 0
    for index, size in enumerate(sizes):
        nodes = [_node(number + at, **marks.get(f"n{number + at}", {})) for at in range(size)]
        clusters.append(MapCluster(f"Section {index}", tuple(nodes)))
        number += size
    return PaperMap(clusters=tuple(clusters), edges=tuple(edges))


def test_only_results_that_cite_one_are_counted_as_in_the_sentences_about_a_paper():
    paper = _paper([4], [(0, 3), (1, 3), (2, 3)], n2={"counted": "definition"})
    assert paper.uses() == {3: 2}


def _found(pattern, text):
    found = re.search(pattern, text)
    assert found
    return found


def _rects(svg):
    """Left, top, width and height of each result."""
    found = re.findall(
        r'<rect class="shape[^"]*" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"',
        svg,
    )
    return [tuple(map(float, one)) for one in found]


@pytest.mark.parametrize("sizes", [(1,), (3, 0, 4), (40, 30), (200, 1, 150, 90), (700,)])
def test_no_result_lies_on_another_or_outside(sizes):
    svg = map_svg(_paper(sizes), "P")
    width, height = map(float, _found(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    rects = _rects(svg)
    assert len(rects) == sum(sizes)
    rows: dict[float, list[tuple[float, float]]] = {}
    for x, y, wide, high in rects:
        assert x >= 0
        assert x + wide <= width
        assert y + high <= height
        rows.setdefault(y, []).append((x, x + wide))
    for row in rows.values():
        row.sort()
        assert all(one[1] <= other[0] for one, other in pairwise(row))
    tops = sorted(rows)
    assert all(other - one >= 15 for one, other in pairwise(tops))


def test_a_small_paper_names_its_results_and_draws_each_citation():
    svg = map_svg(_paper((2, 2), [(1, 0), (3, 0)]), "P")
    assert svg.count('class="edge" marker-end') == 2
    assert re.findall(r"<text class=\"unread\"[^>]*>([^<]*)</text>", svg) == [
        "Lem 1.0", "Lem 1.1", "Lem 1.2", "Lem 1.3",
    ]  # fmt: skip


def test_a_line_within_the_first_row_stays_below_the_title_of_the_section():
    svg = map_svg(_paper([7], [(0, 6)]), "P")
    title = float(_found(r'<text class="section" x="[\d.]+" y="([\d.]+)"', svg)[1])
    start, first = map(float, _found(r'd="M\d+ (\d+)C\d+ (\d+) ', svg).groups())
    assert start - 0.75 * (start - first) > title + 3  # where a curve of this kind is highest


def test_a_large_paper_has_dots_and_lines_between_sections_as_wide_as_they_are_many():
    edges = [(100 + number, number) for number in range(90)] + [(200, 1)]
    svg = map_svg(_paper((100, 100, 100), edges), "P")
    assert 'marker-end="url(#map-tip)"' not in svg
    widths = re.findall(r'class="edge bow wide-(\d)" [^>]*><title>([^<]*)</title>', svg)
    assert widths == [
        ("6", "Section 1 cites Section 0: 90 times"),
        ("1", "Section 2 cites Section 0: 1 time"),
    ]
    assert svg.count('tabindex="-1"') == 300
    assert len(svg) < 90_000


def test_hubs_main_result_and_gaps_are_marked():
    edges = [(number, 0) for number in range(1, 5)]
    marks = {"n2": {"lack": "no proof"}, "n4": {"main": "main result"}}
    svg = map_svg(_paper((100,), edges, **marks), "P")
    assert '<rect class="shape unread hub"' in svg
    assert ">Lem 1.0 ×4</text>" in svg
    assert '<rect class="shape unread main"' in svg
    assert ">★ Lem 1.4</text>" in svg
    gap = _found(r'<a href="#r:2" data-n="2">(.*?)</a>', svg)
    assert "<title>Lemma 1.2, no proof</title>" in gap[1]
    assert 'class="shape unread lack"' in gap[1]
    assert ">!</text>" in gap[1]
    assert "1 with a gap" in svg


def test_the_section_says_how_to_read_it_and_lists_hubs_and_gaps():
    marks = {f"n{number}": {"lack": "no proof"} for number in range(20, 32)}
    text = map_section(_paper((40,), [(n, 1) for n in range(3, 9)], **marks), index=0, title="")
    assert "40 results. " in text
    assert "<p>Most cited: <a " in text
    assert text.count("(no proof)") == 12
    assert "and 2 more" in text
    assert map_section(_paper(()), index=0, title="") == ""


def test_what_only_a_pointer_can_do_is_not_printed():
    text = map_section(_paper((40, 40), [(n, n + 40) for n in range(9)]), index=0, title="")
    assert '<span class="pointing">Point at a result' in text
    style = (files("pfcore.reporters.html") / "report.css").read_text("utf-8")
    hidden = _found(r"(?s)@media print .*?(nav, [^{]*)\{ display: none", style)[1]
    assert ".pointing" in "".join(hidden.split()).split(",")


def test_words_of_a_paper_stay_words():
    bad = '"><script>x</script>'
    node = _node(0, bad, lack=bad)._replace(title=bad, anchor=bad)
    text = map_section(PaperMap(clusters=(MapCluster(bad, (node,)),), edges=()), index=0, title=bad)
    assert "<script" not in text
    assert '"">' not in text


HEADINGS = [(0, "A", 0), (1, "A.1", 10), (1, "A.2", 20), (0, "B", 30), (1, "B.1", 40)]


@pytest.mark.parametrize(
    ("headings", "positions", "found"),
    [
        ([], {0: 5, 1: 6}, [("", [0, 1])]),
        (HEADINGS, {n: n + 12 for n in range(8)}, [("A.1", list(range(8)))]),
        (HEADINGS, {0: 12, 1: 22, 2: 32}, [("A.1", [0]), ("A.2", [1]), ("B", [2])]),
        ([*HEADINGS, (1, "B.2", 50), (1, "B.3", 60)],
         dict(enumerate([1, 2, 3, 11, 22, 31, 32, 33, 41, 51, 61])),
         [("A", [0, 1, 2, 3, 4]), ("B", [5, 6, 7, 8, 9, 10])]),
        ([(0, "A", 10)], dict(enumerate([1, 2, 3, 4, 11, 12, 13, 14])),
         [("", [0, 1, 2, 3]), ("A", [4, 5, 6, 7])]),
        ([(0, f"S{n}", 5 * n) for n in range(60)], {n: n for n in range(300)},
         [("", list(range(300)))]),
    ],
)  # fmt: skip
def test_sections_are_as_fine_as_leaves_them_few(headings, positions, found):
    assert clustered(headings, positions) == found


def test_statements_are_counted_by_what_they_are():
    marks = {"n0": "definition", "n3": "notation", "n4": "other statement", "n5": "other statement"}
    paper = _paper((3, 3), **{name: {"counted": kind} for name, kind in marks.items()})
    text = map_section(paper, index=0, title="")
    assert "2 results, 1 definition, 1 notation and 2 other statements in 2 sections." in text
    assert ">2 results and 1 definition<" in text
    assert ">1 notation and 2 other statements<" in text
