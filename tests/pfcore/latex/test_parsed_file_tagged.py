"""Environments that are texts between tags."""

from pfcore.latex.parsed_file import environment, is_proof, is_tagged, kind, number


def test_a_tag_stands_for_an_environment_that_no_latex_has():
    env = environment("LEMMA_STATEMENT")
    assert (is_tagged(env), is_proof(env), kind(env)) == (True, False, "lemma")
    assert is_proof(environment("THEOREM_PROOF"))


def test_the_environments_of_latex_are_none():
    for name in ("lemma", "proof", "LEMMA_PROOF", ""):
        assert not is_tagged(name)
        assert not is_proof(name)


def test_a_label_says_its_number():
    assert [number(label) for label in ("thm", "thm:2", "lem:1.2", "")] == ["", "2", "1.2", ""]
