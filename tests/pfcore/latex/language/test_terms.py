import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.language import terms
from pfcore.latex.language.terms import symbols


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
    assert terms.normal_words(word) == [normal]


def test_commands_and_letters_are_no_words() -> None:
    assert terms.normal_words(r"\alpha Let $x$ be a Ring\foo") == ["let", "be", "ring"]
    coloured = r"reduced \textcolor{red}{basis} {\color [rgb] {1,0,0} of} it"
    assert terms.normal_words(coloured) == ["reduced", "basis", "of", "it"]


@given(st.text() | st.text("$\\abA_^{}\n (\ufdfa"))
def test_a_word_or_symbol_stands_on_one_line(text: str) -> None:
    assert not any("\n" in word for word in terms.vocabulary(text))


def test_the_vocabulary_has_each_word_once_and_the_symbols() -> None:
    text = r"Rings ring \x ideal càdlàg $\mathcal{M}^2 + x$"
    assert terms.vocabulary(text) == {"ideal", "ring", "cadlag", "$\\mathcal{M}", "$\\mathcal{M}^2"}


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("A loop is a map.", ("loop",)),
        ("We say that a loop $g$ surrounds a vector if it does.", ("surround",)),
        ("The curve $g$ is tame if it is short.", ("tame",)),
        ("Denote it by $N^{int}(A)$.", ("$N^int",)),
        (r"Let $\mathcal{A}$ be a ring.", ()),
        (r"Write $\operatorname{Var} X$.", (r"$\operatorname{Var}",)),
        (r"\emph{Loops} are maps. A curve is a map.", ()),
        ("A function is a map.", ()),
        ("We define the width of $G$ by $w = 1$.", ("width",)),
        ("Define the tree width $w(G)$ of $G$ as the least one.", ("tree width",)),
        ("The width $w(G)$ of $G$ is $1$.", ("width",)),
        ("We define the map $f$ by $1$.", ()),
    ],
)
def test_a_definition_hints_at_what_it_may_introduce(text: str, hints: tuple[str, ...]) -> None:
    assert terms.hinted(text) == hints


@pytest.mark.parametrize(
    ("title", "kind", "names"),
    [
        ("Gauss's Lemma", "lemma", ("gauss lemma",)),
        ("Cauchy--Davenport", "theorem", ("cauchy davenport theorem",)),
        ("Chinese remainder theorem", "proposition", ("chinese remainder theorem",)),
        ("", "lemma", ()),
        ("Main theorem", "theorem", ("main theorem",)),
        ("Lückenlemma", "satz", ("luckenlemma",)),
        ("Zerlegungssatz", "theorem", ("zerlegungssatz",)),
        ("Hilfssatz", "satz", ("hilfssatz satz",)),
        ("Lemme des trous", "theoreme", ("lemme des trous",)),
        ("Principe du maximum", "theoreme", ("principe du maximum",)),
        ("Weak duality", "theorem", ("weak duality",)),
        ("Sard property", "theorem", ("sard property",)),
        ("Universal property", "theorem", ("universal property theorem",)),
        ("Satz von Sard", "theorem", ("satz von sard",)),
        ("Chain rule for boxes", "lemma", ("chain rule for box lemma",)),
        ("Counting laws", "theorem", ("counting law theorem",)),
        ("Upper bound", "theorem", ("upper bound theorem",)),
    ],
)
def test_a_result_is_called_by_its_title(title: str, kind: str, names: tuple[str, ...]) -> None:
    assert terms.result_names(title, kind) == names


def test_a_text_uses_the_symbols_that_somebody_introduces() -> None:
    heads = terms.by_head(["$\\mathcal{M}^2", "module"])
    assert terms.used(r"the module $\mathcal{M}^2_0$", heads) == ("$\\mathcal{M}^2", "module")
    assert terms.used("$M^2$", heads) == ()


def test_a_text_uses_the_terms_whose_words_stand_together() -> None:
    heads = terms.by_head(["flat module", "flat", "module flat", "ring"])
    assert terms.used("all flat modules", heads) == ("flat", "flat module")
    assert terms.used("nothing", heads) == ()


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("EF1", ("ef1",)),
        ("MMS", ("mms",)),
        (r"PROP1, \cite{x}", ("prop1",)),
        ("Minimax share (MMS)", ("mms", "minimax share mms", "minimax share")),
        ("SET", ()),
        ("EF", ()),
    ],
)
def test_a_title_may_be_an_abbreviation(title, found):
    assert terms.introduced("Let it be.", title) == found


def test_an_abbreviation_with_a_number_is_a_word_of_its_own():
    text = r"It is PROP1-fair, not PROP, by \XY2 and $M_{AB}$."
    assert terms.normal_words(text)[-1] == "prop1"
    assert terms.normal_words(text).count("prop") == 1
    assert {"prop", "prop1", "fair"} <= terms.vocabulary(text)
    assert "prop" not in terms.vocabulary("A PROP1 allocation")
    heads = terms.by_head(["prop", "prop1"])
    assert terms.used("A PROP1 allocation", heads) == ("prop1",)


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


@given(st.text(alphabet="ab\\@{}$_^'[ 1.xZ", max_size=40))
def test_plain_text_has_the_words_and_symbols_that_any_text_has(text: str) -> None:
    beyond = f"{text} = é"  # "\\aa é" is one word: TeX takes the blank behind a command
    assert terms.normal_words(text) == terms.normal_words(beyond)
    assert terms.vocabulary(text) == terms.vocabulary(beyond)
    assert symbols(f"${text}$") == symbols(f"${text}$ $é$")
