"""What a result stands on beside its own proof: unchanged by edits of that proof."""

from pfcore.graph.rendering import Grounds

LEMMA = r"\begin{lemma}\label{a} Every A is B.\end{lemma}\begin{proof} P.\end{proof}"
THEOREM = (
    r"\begin{theorem}\label{t} Every C is B.\end{theorem}"
    r"\begin{proof} By Lemma~\ref{a} it is clear.\end{proof}"
)
OTHER = r"\begin{lemma}\label{b} Every D is B.\end{lemma}\begin{proof} Q.\end{proof}"


def grounds(paper, body: str) -> Grounds:
    moment = paper(body)
    return Grounds(moment.document, moment.paper.texts)


def test_an_edit_of_its_own_proof_changes_neither_statement_nor_rests(paper):
    before = grounds(paper, LEMMA + OTHER + THEOREM)
    after = grounds(paper, LEMMA + OTHER + THEOREM.replace("it is clear", r"and~\ref{b} we win"))
    assert after.statement("t") == before.statement("t")
    assert before.rests("t") <= after.known_texts
    assert before.rests("t") < after.rests("t")


def test_a_cited_statement_that_changes_is_no_longer_there(paper):
    before = grounds(paper, LEMMA + THEOREM)
    after = grounds(paper, LEMMA.replace("Every", "Some") + THEOREM)
    assert not before.rests("t") <= after.known_texts
    assert after.statement("t") == before.statement("t")


def test_a_proof_of_what_is_cited_does_not_matter(paper):
    before = grounds(paper, LEMMA + THEOREM)
    after = grounds(paper, LEMMA.replace("P.", "R.") + THEOREM)
    assert before.rests("t") <= after.known_texts


def test_a_proof_that_is_followed_does(paper):
    follower = THEOREM.replace(r"By Lemma~\ref{a}", r"As in the proof of Lemma~\ref{a}")
    before = grounds(paper, LEMMA + follower)
    after = grounds(paper, LEMMA.replace("P.", "R.") + follower)
    assert not before.rests("t") <= after.known_texts


def test_its_own_words_and_the_conventions_over_it_are_its_statement(paper):
    before = grounds(paper, LEMMA + THEOREM)
    reworded = grounds(paper, LEMMA + THEOREM.replace("Every C", "Some C"))
    bound = grounds(
        paper, "Throughout this paper, all rings are commutative.\n\n" + LEMMA + THEOREM
    )
    assert reworded.statement("t") != before.statement("t")
    assert bound.statement("t") != before.statement("t")


def test_labels_and_places_do_not_matter(paper):
    before = grounds(paper, LEMMA + OTHER + THEOREM)
    after = grounds(paper, OTHER + LEMMA.replace("{a}", "{z}") + THEOREM.replace("{a}", "{z}"))
    assert after.statement("t") == before.statement("t")
    assert before.rests("t") == after.rests("t")
