import pytest

from pfcore.latex import terms


@pytest.mark.parametrize(
    ("text", "title", "found"),
    [
        (r"A ring is \emph{Noetherian} if", "", ("noetherian",)),
        (r"\textbf{flat modules} and \defn{torsors}", "", ("flat module", "torsor")),
        (r"called {\em tame boxes} here", "", ("tame box",)),
        (r"\emph{$p$-adic field}", "", ("adic field",)),
        (r"\emph{unique}", "", ()),
        (r"\emph{not}", "", ()),
        (r"\emph{a b c}", "", ()),
        (r"\emph{group} and \emph{groups}", "", ("group",)),
        (r"no emphasis", "Tame rings", ("tame ring", "tame")),
        (r"no emphasis", "", ()),
        (r"\emph{one two three four five six seven eight nine ten}", "", ()),
    ],
)
def test_a_definition_introduces_what_it_emphasises(
    text: str, title: str, found: tuple[str, ...]
) -> None:
    assert terms.introduced(text, title) == found


def test_the_settings_name_more_commands_that_emphasise() -> None:
    assert terms.introduced(r"\neu{tame ring}", "", ("neu",)) == ("tame ring",)


@pytest.mark.parametrize(
    ("word", "normal"),
    [
        ("Rings", "ring"),
        ("varieties", "variety"),
        ("boxes", "box"),
        ("classes", "class"),
        ("basis", "basis"),
        ("torus", "torus"),
        ("compactness", "compactness"),
    ],
)
def test_words_lose_the_ending_of_the_plural(word: str, normal: str) -> None:
    assert terms.words(word) == [normal]


def test_commands_and_letters_are_no_words() -> None:
    assert terms.words(r"\alpha Let $x$ be a Ring\foo") == ["let", "be", "ring"]


def test_the_vocabulary_is_sorted_and_has_each_word_once() -> None:
    assert terms.vocabulary(["Rings ring", r"\x ideal"]) == ("ideal", "ring")


def test_a_text_uses_the_terms_whose_words_stand_together() -> None:
    heads = terms.by_head(["flat module", "flat", "module flat", "ring"])
    assert terms.used("all flat modules", heads) == ("flat", "flat module")
    assert terms.used("nothing", heads) == ()


@pytest.mark.parametrize(
    ("text", "place"), [("a flat module", 2), (r"\flat flat modules", 6), ("flat. x", 7)]
)
def test_the_first_use_of_a_term_has_a_place(text: str, place: int) -> None:
    assert terms.place(text, "flat module") == place


def test_a_title_introduces_its_term_beside_what_is_emphasised() -> None:
    assert terms.introduced(r"We call it \emph{tame}.", "Docile maps") == (
        "tame",
        "docile map",
        "docile",
    )


def test_without_emphasis_the_words_say_what_is_introduced() -> None:
    assert terms.introduced("A set $K$ is a compact system if it is.", "") == ("compact system",)
    assert terms.introduced("A process is said to be adapted to $F$ if it is.", "") == ("adapted",)
    assert terms.introduced("We call $f$ a wild thing when it is.", "") == ("wild thing",)
    assert terms.introduced("If $x$ is positive then so is $y$.", "") == ()


def test_a_generic_word_alone_is_no_term() -> None:
    assert terms.introduced("", "Continuous function") == ("continuous function", "continuous")
    assert terms.introduced("", "Left map") == ()
