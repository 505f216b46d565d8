"""Figures from objections to withdrawn papers, on made-up readings whose answers are known."""

import pytest

from pfcore.bench.replay.place_figures import (
    flips,
    kappa,
    label_judge,
    papers_hit,
    place_tables,
    places_in,
    places_named,
    recall_by_readings,
    results_of,
    same_again,
    two_judges,
    two_readings,
    votes_and_hits,
    votes_and_truth,
)
from pfcore.bench.replay.recorded_answers import WithdrawnPapers, read_answers
from pfcore.bench.scoring.scaling import wilson


@pytest.fixture
def papers(withdrawn):
    return read_answers(withdrawn.root).withdrawn


def parts(table):
    return {figure.name: (figure.part, figure.n) for figure in table.figures}


def values(table):
    return {figure.name: figure.value for figure in table.figures}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Lemma 3, Theorem 4.1 (page 2)", {"lemma 3", "theorem 4.1"}),
        ("Section 2, proof of Lemma 3", {"lemma 3"}),
        ("Section 2", set()),
        ("page 3", set()),
    ],
)
def test_results_are_those_that_our_parser_of_places_knows(words, found):
    assert results_of(words) == found


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("There is a gap in the proof of Lemma 2.1; see also Thm. 3.", {"lemma 2.1", "theorem 3"}),
        ("Section 4 is wrong, by equation (12).", {"equation 12"}),
        ("In lemma a proof is missing.", set()),
        ("", set()),
    ],
)
def test_places_are_found_in_the_words_of_an_author(comment, found):
    assert places_in(comment) == found


def test_an_objection_counts_under_the_models_that_name_its_result(papers):
    table = votes_and_hits(papers, "X")
    assert parts(table) == {"named by 1 of 2": (1, 2), "named by 2 of 2": (1, 2)}
    assert "Models: A; B." in table.note
    assert table.judge == "X"


def test_places_of_any_kind_count_where_truth_is_asked(papers):
    assert parts(votes_and_truth(papers, "X")) == {
        "named by 1 of 2": (1, 3),
        "named by 2 of 2": (2, 2),
    }
    assert parts(votes_and_truth(papers, "X", without=["B"])) == {"named by 1 of 1": (2, 3)}


def test_a_model_objects_again_where_its_other_reading_names_the_result(papers):
    assert parts(same_again(papers)) == {"A": (1, 2)}


def test_recall_grows_with_readings_over_all_choices(papers):
    found = values(recall_by_readings(papers, "X"))
    assert found == pytest.approx(
        {
            "1 of 3 readings": 1 / 3,
            "2 of 3 readings": 2 / 3,
            "3 of 3 readings": 1,
            "objections a reading": 1,
        }
    )


def test_recall_is_told_of_mathematics_apart(withdrawn):
    subjects = {"p1": "Number Theory (math.NT); Optics (physics.optics)", "p2": "Optics (optics)"}
    withdrawn.comments({"p1": "Wrong.", "p2": "Wrong."}, subjects)
    papers = read_answers(withdrawn.root).withdrawn
    assert papers.mathematics == {"p1"}
    found = [table for table in place_tables(papers) if table.key == "recall-by-readings"]
    assert [table.unit for table in found] == ["papers", "papers of mathematics"] * len(papers.hits)
    assert {table.figures[0].n for table in found} == {len(papers.papers), 1}


def test_two_models_are_set_beside_one_that_reads_twice(papers):
    table = two_readings(papers, "X")
    assert values(table) == pytest.approx(
        {
            "two models: found": 0.75,
            "two models: gain over the better one": 0.25,
            "one model twice: found": 0.5,
            "one model twice: gain over the better one": 0,
        }
    )
    assert [figure.n for figure in table.figures] == [2, 2, 2, 1]


def test_papers_are_hit_as_each_judge_says(papers):
    assert parts(papers_hit(papers, "X")) == {"A, PDF": (1, 2), "A, TeX": (0, 2), "B, PDF": (1, 2)}
    assert parts(papers_hit(papers, "Y")) == {"A, PDF": (2, 2), "A, TeX": (1, 2), "B, PDF": (2, 2)}


def test_two_judges_are_compared_where_both_have_judged(papers):
    table = two_judges(papers, "X", "Y")
    assert table.judge == "X; Y"
    assert parts(table)["agree"] == (2, 5)
    assert parts(table)["a hit for X"] == (2, 5)
    assert parts(table)["a hit for Y"] == (5, 5)
    assert values(table)["Cohen's kappa"] == 0


@pytest.mark.parametrize(
    ("both", "found"),
    [
        ({(True, True): 20, (True, False): 5, (False, True): 10, (False, False): 15}, 0.4),
        ({(True, True): 3, (False, False): 3}, 1),
        ({(True, False): 3, (False, True): 3}, -1),
        ({(True, True): 3}, None),
        ({}, None),
    ],
)
def test_kappa_is_agreement_beyond_chance(both, found):
    assert kappa(both) == (found if found is None else pytest.approx(found))


def test_labels_are_judged_where_an_author_names_a_place(papers):
    table = label_judge(papers, "X")
    assert parts(table) == {
        "precision of our labels": (1, 3),
        "recall of our labels": (1, 1),
    }
    assert table.note.startswith("1 papers whose author names a numbered place, and 4 judged")


def test_what_objections_name_is_counted_over_all_readings(papers):
    assert parts(places_named(papers)) == {
        "a labelled result": (5, 6),
        "a section or appendix alone": (0, 6),
        "no label that is understood": (1, 6),
    }


def test_without_a_second_reading_of_a_text_flips_are_said_to_be_unknown(papers):
    table = flips(papers)
    assert values(table) == {"pairs that disagree": None}
    assert table.note.startswith("Each model reads each text once")


def test_a_second_reading_of_a_text_tells_flips_and_counts_nowhere_else(withdrawn, papers):
    withdrawn.reading("a_again", "A", {"p1": [], "p2": ["page 4"]}, attempt=1)
    found = read_answers(withdrawn.root).withdrawn
    (figure,) = flips(found).figures
    assert (figure.value, figure.n) == (0.5, 2)
    assert same_again(found) == same_again(papers)
    assert places_named(found) == places_named(papers)


def test_shares_have_wilsons_interval_and_other_figures_none(papers):
    for table in place_tables(papers):
        for figure in table.figures:
            if figure.part is not None and figure.n:
                assert (figure.low, figure.high) == wilson(figure.part / figure.n, figure.n)
            if "kappa" in figure.name or "gain" in figure.name:
                assert (figure.low, figure.high) == (None, None)


def test_of_no_papers_there_are_no_tables():
    assert list(place_tables(WithdrawnPapers())) == []


@pytest.fixture(scope="module")
def recorded(evidence):
    return read_answers(evidence).withdrawn


O3, GEMINI = "o3", "Gemini 2.5 Pro"


@pytest.mark.corpus
def test_agreement_on_a_place_is_near_to_no_evidence(recorded):
    wanted = (0.115, 0.136, 0.159, 0.221, 0.258)
    found = votes_and_hits(recorded, O3)
    assert list(values(found).values()) == pytest.approx(wanted, abs=0.045)
    truth = votes_and_truth(recorded, O3, without=[GEMINI])
    assert sum(figure.n for figure in truth.figures) == pytest.approx(3_644, abs=2)
    assert list(values(truth).values()) == pytest.approx((0.365, 0.307, 0.364, 0.419), abs=0.05)


@pytest.mark.corpus
def test_real_readings_scatter(recorded):
    wanted = {O3: 0.14, "o4-mini": 0.14, GEMINI: 0.2, "Gemini 2.5 Flash": 0.27}
    wanted["Claude 3.7 Sonnet"] = 0.16
    found = values(same_again(recorded))
    few = found.pop("Claude 3.7 Sonnet"), wanted.pop("Claude 3.7 Sonnet")
    assert found == pytest.approx(wanted, abs=0.045)
    assert few[0] == pytest.approx(few[1], abs=0.07), "of 40 objections"


@pytest.mark.corpus
def test_recall_by_readings_and_pairs_is_as_published(recorded):
    *found, objections = values(recall_by_readings(recorded, O3)).values()
    assert found == pytest.approx((0.37, 0.54, 0.64, 0.74, 0.81, 0.84), abs=0.01)
    assert objections == pytest.approx(3.8, abs=0.05)
    first, *_, tenth, _ = values(
        recall_by_readings(recorded, O3, among=recorded.mathematics)
    ).values()
    assert (first, tenth) == pytest.approx((0.39, 0.9), abs=0.01)
    pairs = values(two_readings(recorded, O3)).values()
    assert list(pairs) == pytest.approx((0.543, 0.101, 0.515, 0.115), abs=0.002)


@pytest.mark.corpus
def test_judges_differ_as_published(recorded):
    assert parts(papers_hit(recorded, O3))["o3, PDF"] == (123, 245)
    assert parts(papers_hit(recorded, GEMINI))["o3, PDF"] == (197, 245)
    found = values(two_judges(recorded, GEMINI, O3))
    assert found["Cohen's kappa"] == pytest.approx(0.45, abs=0.005)
    assert found["agree"] == pytest.approx(0.812, abs=0.015)


@pytest.mark.corpus
def test_labels_are_a_floor_of_neither(recorded):
    found = [*values(label_judge(recorded, O3)).values()]
    found += values(label_judge(recorded, GEMINI)).values()
    assert found == pytest.approx((0.46, 0.29, 0.63, 0.19), abs=0.065)
