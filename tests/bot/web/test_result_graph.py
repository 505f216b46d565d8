"""A paper's graph from what was kept of it: results and who uses whom, whatever the JSON says."""

import json

from bot.domain import review_result
from bot.domain.review_result import ReviewPart
from bot.web import result_graph
from tests.bot.web.world import newton, result


def module(name, role="result", parent=None, **other):
    known = {"id": name, "kind": "lemma", "title": None, "label": None, "number": None}
    place = {"file": "a.tex", "start_line": 3, "status": "checked", "role": role, "parent": parent}
    return known | place | other


def edge(source, target, via="reference"):
    return {"source": source, "target": target, "via": via}


def kept(reviewed, graph=None, **other):
    """A result with another graph."""
    found = review_result.load_result(result(newton(reviewed), ReviewPart.PROOFS))
    text = found.graph if graph is None else json.dumps(graph)
    return found.model_copy(update={"graph": text, **other})


def names(paper):
    return [entry.name for entry in paper.entries]


def arrows(paper):
    ids = [entry.id for entry in paper.entries]
    return {(ids[source], ids[target], plain) for source, target, plain in paper.edges}


def test_results_have_names_looks_and_places(reviewed):
    found = result_graph.paper(kept(reviewed, is_required=True))
    assert names(found)[:3] == ["Definition 1.1", "Lemma 1.2", "Lemma 1.3"]
    first, second, _, main, *_ = found.entries
    assert (first.is_box, second.is_box) == (True, False)
    assert (second.look.name, main.look.name) == ("gap", "conditional")
    assert (second.path, second.line, second.title) == ("main.tex", 17, "Uniform bound")
    assert ("thm:main", "lem:unif", True) in arrows(found)


def test_a_result_at_fault_does_not_look_checked(reviewed):
    graph = {"modules": [module("x", at_fault=True), module("y")], "edges": []}
    looks = [entry.look.name for entry in result_graph.paper(kept(reviewed, graph)).entries]
    assert looks == ["fault", "checked"]


def test_what_has_neither_number_nor_label_is_called_by_its_place(reviewed):
    graph = {"modules": [module("x"), module("y", title="A $\\bm{y}$ one")], "edges": []}
    assert names(result_graph.paper(kept(reviewed, graph))) == ["Lemma, a.tex:3", "Lemma"]


def test_an_equation_stands_in_its_result(reviewed):
    graph = {
        "modules": [
            module("a"),
            module("b"),
            module("eq", role="fragment", parent="b"),
            module("item", role="fragment", parent="eq"),
            module("lost", role="fragment"),
            module("one", role="fragment", parent="other"),
            module("other", role="fragment", parent="one"),
            module("cite:x", role="citation"),
        ],
        "edges": [
            edge("a", "item", "term"),
            edge("a", "eq"),
            edge("b", "eq"),
            edge("a", "lost"),
            edge("a", "one"),
            edge("a", "cite:x"),
            edge("a", "nowhere"),
            edge("b", "a", "notation"),
        ],
    }
    found = result_graph.paper(kept(reviewed, graph))
    assert [entry.id for entry in found.entries] == ["a", "b"]
    assert arrows(found) == {("a", "b", True), ("b", "a", False)}


def test_what_is_no_graph_is_an_empty_one(reviewed):
    wrong: list[object] = [{}, {"modules": [{"id": 1}], "edges": []}, []]
    for graph in wrong:
        assert result_graph.paper(kept(reviewed, graph)) == result_graph.PaperGraphView()


def test_what_blocks_is_known_without_the_printed_ids(reviewed):
    for check in ("", "nonsense", "{}", "[]"):
        found = result_graph.paper(kept(reviewed, check=check, is_required=True))
        assert found.entries[1].look.name == "gap"


def test_what_readers_say_is_drawn_as_blocking_where_it_is_to_block_only(reviewed):
    looks = [
        result_graph.paper(kept(reviewed, is_required=is_required)).entries[1].look.name
        for is_required in (True, False)
    ]
    assert looks == ["gap", "possible"]


def test_the_network_cannot_end_its_script(reviewed):
    graph = {"modules": [module("</script>", title="</script>")], "edges": []}
    network = result_graph.paper(kept(reviewed, graph)).network
    assert "</" not in network and json.loads(network)["nodes"][0]["id"] == "</script>"
