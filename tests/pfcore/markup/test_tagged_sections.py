"""Reading tagged text: nothing is lost, and what does not fit is told with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.markup.tagged_sections import LIMIT, TAGS, is_meant, read_sections

GOOD = """<THEOREM_STATEMENT>
Statement: all is well.
</THEOREM_STATEMENT>

<PROPOSITION_STATEMENT id="1">
Something.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id='1'>
Because $a < b$ and <b>c</b>.
</PROPOSITION_PROOF>

<THEOREM_PROOF>
By Proposition 1.
</THEOREM_PROOF>
"""


def codes(text: str) -> list[str]:
    return [fault.code for fault in read_sections(text).faults]


def test_sections_are_found_with_their_places() -> None:
    found = read_sections(GOOD)
    assert found.faults == ()
    assert [(item.tag, item.id) for item in found.listed] == [
        ("THEOREM_STATEMENT", ""),
        ("PROPOSITION_STATEMENT", "1"),
        ("PROPOSITION_PROOF", "1"),
        ("THEOREM_PROOF", ""),
    ]
    for item in found.listed:
        assert GOOD[item.content : item.content + len(item.body)] == item.body
        assert GOOD[item.start : item.end] == item.opening + item.body + item.closing


MUTATIONS = {
    "unknown-tag": GOOD.replace("PROPOSITION_PROOF id='1'>", "PROPOSITION_PROOFS id='1'>", 1),
    "outside": GOOD.replace("\n\n<PROP", "\nSome words.\n<PROP"),
    "unclosed": GOOD.replace("</THEOREM_PROOF>", ""),
    "stray": GOOD + "</THEOREM_PROOF>",
    "nested": GOOD.replace("Something.", "<LEMMA_PROOF id='1.1'>"),
    "mismatch": GOOD.replace("Something.", "</LEMMA_PROOF>"),
    "attributes": GOOD.replace("id='1'", "number=1"),
    "cut-tag": GOOD.replace("</THEOREM_STATEMENT>", "</THEOREM_STATEMENT"),
}


@pytest.mark.parametrize("code", MUTATIONS)
def test_a_mutation_is_told_with_its_place(code: str) -> None:
    text = MUTATIONS[code]
    found = read_sections(text)
    faults = [fault for fault in found.faults if fault.code == code]
    assert faults
    assert all(0 <= fault.start < fault.end <= len(text) for fault in faults)
    assert found.text() == text


def test_a_label_is_read_beside_the_id_in_any_order() -> None:
    for attributes in ("id='1' label=\"Lemma 4.3\"", "label='Lemma 4.3'  id=\"1\" "):
        text = GOOD.replace("id='1'", attributes)
        found = read_sections(text)
        assert found.faults == ()
        assert (found.listed[2].id, found.listed[2].label) == ("1", "Lemma 4.3")
        assert found.text() == text


@pytest.mark.parametrize("attributes", ["id='1' id='2'", "id='1' name='a'", "id='1'label='a'"])
def test_other_attributes_are_told(attributes: str) -> None:
    assert codes(GOOD.replace("id='1'", attributes)) == ["attributes"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id='1'", "id='1' lable='x'", "has an unknown attribute, lable; did you mean label?"),
        ("id='1'", "id='1' titel='x'", "has an unknown attribute, titel; a tag takes id and label"),
        ("id='1'", "id=1", 'is not written as <PROPOSITION_PROOF id="…">'),
        ("</THEOREM_STATEMENT>", "</THEOREM_STATEMENT", "</THEOREM_STATEMENT lacks its >"),
        ("</THEOREM_STATEMENT>", "</THEOREM_STATEMENT ", "</THEOREM_STATEMENT lacks its >"),
        ("<THEOREM_PROOF>", "<THEOREM_PROOF", "<THEOREM_PROOF lacks its >"),
        ("<PROPOSITION_PROOF id='1'>", "<PROPOSITION_PROOF id='1'", "lacks its >"),
        (
            "<THEOREM_PROOF>",
            "<theorem_proof>\n<THEOREM_PROOF>",
            "; write theorem_proof in capitals",
        ),
        (
            "</THEOREM_PROOF>",
            "<THEROEM_PROOF>\n</THEOREM_PROOF>",
            "<THEROEM_PROOF> is no tag of this format; did you mean THEOREM_PROOF?",
        ),
    ],
)
def test_a_slip_is_told_once_with_what_was_meant(old: str, new: str, said: str) -> None:
    text = GOOD.replace(old, new, 1)
    found = read_sections(text)
    (fault,) = found.faults
    assert fault.message.endswith(said)
    assert [item.id for item in found.listed] == ["", "1", "1", ""]
    assert found.text() == text


def test_words_in_angle_brackets_are_no_tags() -> None:
    assert codes(GOOD.replace("Something.", "<x> < y > <B> and <A_1> <lemma_proof>")) == []


def test_a_text_that_is_too_long_is_not_read() -> None:
    text = "x" * (LIMIT + 1)
    assert codes(text) == ["too-long"]
    assert read_sections(text).text() == text


_PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(['<LEMMA_PROOF id="1.1">', "<WRONG_TAG>", "<LEMMA_PROOF x>", "<", ">", "\n"]),
    st.text(max_size=8),
)


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_any_text_is_printed_as_it_was_read(text: str) -> None:
    found = read_sections(text)
    assert found.text() == text
    assert all(0 <= fault.start <= fault.end <= len(text) for fault in found.faults)
    for item in found.listed:
        assert text[item.start : item.end] == item.opening + item.body + item.closing


def test_a_section_that_nothing_closes_ends_where_the_next_begins() -> None:
    found = read_sections(GOOD.replace("</PROPOSITION_STATEMENT>", ""))
    assert [item.tag for item in found.listed] == [item.tag for item in read_sections(GOOD).listed]
    assert (found.listed[1].body.strip(), found.listed[1].closing) == ("Something.", "")
    assert [fault.code for fault in found.faults] == ["nested"]


def test_a_wrong_closing_tag_closes_what_is_open() -> None:
    text = GOOD.replace("</PROPOSITION_STATEMENT>", "</LEMMA_STATEMENT>")
    found = read_sections(text)
    assert len(found.listed) == 4
    assert [fault.code for fault in found.faults] == ["mismatch"]


def test_comments_may_stand_between_sections_and_hide_tags() -> None:
    text = GOOD.replace("\n\n<PROP", "\n% <LEMMA_PROOF> to do\n<PROP").replace(
        "<THEOREM_PROOF>", "50% <THEOREM_PROOF>"
    )
    assert codes(text) == ["outside"]
    assert codes(text.replace("50%", " %")) == ["stray"]


def test_gaps_and_sections_are_the_whole_text() -> None:
    found = read_sections(GOOD)
    assert [GOOD[start : start + len(gap)] for start, gap in found.gaps()] == [
        gap for _, gap in found.gaps()
    ]


def test_a_text_is_meant_to_have_sections_if_it_has_any_of_the_tags() -> None:
    texts = ("", "Words.", "<SECTION_TITLE> <font-size>", "</LEMMA_PROOF>")
    assert [is_meant(read_sections(text)) for text in texts] == [False, False, False, True]


@pytest.mark.parametrize(
    ("tag", "hint"),
    [
        ("LEMMAS_PROOF", "did you mean LEMMA_PROOF?"),
        ("lemma_proof", "write lemma_proof in capitals"),
        ("Theorem-Statement", "did you mean THEOREM_STATEMENT?"),
        ("theroem_statment", "did you mean THEOREM_STATEMENT?"),
    ],
)
def test_a_text_whose_tags_are_all_misspelt_is_meant_and_told_so(tag: str, hint: str) -> None:
    found = read_sections(f'<{tag} id="1">\nA\n</{tag}>\n')
    assert is_meant(found)
    assert found.faults[0].message.endswith(f"; {hint}")
