"""How a reference is meant, by the words around it."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.language import mentions
from pfcore.latex.language.mentions import Phrases, announced
from pfcore.latex.reader import Read

Reader = Callable[..., Read]

ASIDE = r"""
@ will be deduced from this one later.
We need this lemma for @.
Once this is known, @ follows.
Once we know this, @ follows easily.
This is equivalent to @ but we prove it directly.
This is equivalent to @, but we give a direct proof.
@ is a consequence.
@ is then an easy corollary.
@ is a consequence of this.
Weaker versions such as @ are corollaries.
If we knew @, this would be trivial.
If @ were known, this would be trivial.
Note that this is the case $n=1$ of @. We prove it by hand.
The reader may skip to @.
The reader may jump ahead to @.
Contrary to @, which fails here, we argue.
We do not use @.
We do not, however, use @.
We do not need to invoke the deep @ here.
This does not depend on @.
The argument doesn't rely on @.
We never use @.
We prove this without using @.
This holds without @.
The proof is independent of @.
This avoids the use of @.
No use is made of @.
It uses neither @ nor induction.
(@ will improve this)
The bound is weak; @ will later sharpen it.
This is weak, but @ improves this.
@ generalises this.
@ is not needed here.
@ does not apply here.
Since @ cannot be used, we compute.
@ relies on this.
Unlike in @, we need $x>0$.
Unlike the situation of @, we need $x>0$.
In contrast to @, this is sharp.
In contrast with part (i) of @, this is sharp.
This is easier, as opposed to @.
This differs from @.
This is used in the proof of @.
It is crucial for the proof of @.
This will be needed in @.
This will be used later in @.
We will use this in @.
We shall need it to prove @.
This is the analogue of @.
Here is an analogue of @ for groups.
See @ for a stronger result.
See @ for another proof.
(See, for example, @ for a discussion.)
This is clear; see also @.
This is clear (cf. @).
This is clear (cf.\ @).
This is clear; compare @.
Compare also @.
Compared to @, this is easy.
It is superseded by @.
This generalises @.
This generalizes part (ii) of @.
This improves @.
This improves upon @.
A generalization of this is @.
(a stronger result is @)
A more general statement can be found in @.
A similar bound is proved in @.
The converse of @ fails.
Here we prove the converse of @.
This will be improved in @.
It was generalized later in @.
This prepares the way for the proof of @.
We now turn to @.
We now turn to the proof of @.
We now prove @.
To prove @, let $x=1$.
This completes the proof of @.
We now complete the proof of @.
By a trick instead of @, the bound improves.
Similar to @, one has a bound.
It is reminiscent of @.
This is motivated by @.
This gives a much stronger version of @.
"""

REFERENCE = r"""
As a consequence of @ we win.
This is a consequence of @.
We need @ for this.
Once this is known, @ gives the claim.
This is equivalent to @.
We know that @ holds.
If @ holds, then we win.
@ is a consequence of the axioms.
By @, we win.
By the second part of @, we win.
We win by @.
By part (i) of @, we win.
Using @, we win.
We use @.
We need @.
This needs only @.
(see @)
(see @ below)
See @.
See @ for the details.
See @ for a proof.
@ gives the claim.
@ applies.
@ does the rest.
Hence @ shows that $x>0$.
As shown in @, the map is open.
As in @, the map is open.
As we saw in @, the map is open.
We proved in @ that the map is open.
It was proved in @ that the map is open.
By the converse of @, the map is open.
By a special case of @, the map is open.
Using the analogue of @, the map is open.
Apply a suitable version of @.
By @ and the notation of Section 2, the map is open.
By @ and a generalization of an old result, the map is open.
This follows from @, unlike the rest.
This follows from @, which generalises an old result.
This follows from @ (and not from induction).
The map is not zero by @.
The map is not open, and @ gives the claim.
If $x$ is not in $A$, use @.
As this is not needed, @ gives the claim.
It does not vanish, see @.
We cannot do without @.
We do not only use induction but also @.
Without loss of generality, by @, the map is open.
The map is open. Unlike before, by @ it is closed.
Unlike before, we apply @.
The estimate used in @ shows this.
The modification used in @ is continuous.
It suffices to apply @.
To prove the claim, we use @.
We now show that @ applies.
We will use @ repeatedly.
We will use the estimate of @.
We will show this using @.
We will show this by @.
The converse follows from @.
This is a consequence of @.
This is a corollary of @.
This is immediate from @.
It is enough to combine @ with induction.
Recall @.
Comparing this with the bound, @ gives the claim.
Let $f$ be as in @.
The function of @ is open.
The stronger hypothesis lets us apply @.
The proof uses @.
The full strength of @ is used.
We do not need more than what @ gives.
The map extends by @.
Thanks to @ we win.
This is a special case of @.
This is a restatement of @.
The statement of @ holds here.
Otherwise we get @.
We compare this with @.
Alternativ kann man @ verwenden.
Wegen @ ist die Abbildung offen.
Die Abbildung ist offen, siehe @.
On conclut avec @.
which proves, by @, the claim
"""

PROOF = r"""
Analog zu @ zeigt man den Rest.
As in the proof of @, the map is open.
By repeating the proof of @ we win.
Same proof as in @.
By the same argument as in @, we win.
The proof is the same as that of @.
The proof is very similar to that of @.
The argument is identical to @.
The argument used to prove @ works.
The estimate used in the proof of @ works.
Complete the proof of @.
"""

HEDGED = r"""
That it is sharp will be shown in @ below.
As we shall see in @, it is open.
We will prove in @ that it is open.
We'll see in @ that it is open.
We postpone this to @.
It is proved later in @.
The converse is @.
The converse direction is proved in @.
This proves @.
This implies @.
@ follows from this.
Now @ follows.
@ will show that this is sharp.
@ is proved below.
@ is a generalization of this.
Since @ is stronger, we are done.
Contrary to @, it would be open.
In the statement of @, it is open.
We cannot apply @ directly.
Compare @ with the bound above.
Under the assumptions of @, it is open.
Compare this with @.
This case has no analogue in @.
The only difference between the conditions of @ and ours is the sign.
This is one that we will generalize further in @.
In @, we will see that it is open.
This will justify the use of @ later on.
Arguing similarly as in @, we win.
We could also have used @, but do not.
The idea is that of @.
For a generalization we refer to @.
It is tempting to use @, but this fails.
This does not rest on @.
Das ist klar (vgl.\ @).
Vergleiche dazu @.
Analog zu @ gilt der Rest.
Anders als in @ ist $n$ gerade.
Das verallgemeinert @.
Wir verwenden @ hier nicht.
Nun zeigen wir @.
Das geht auch ohne @.
Comparer avec @.
Voir aussi @.
Contrairement à @, ceci est facile.
Ceci généralise @.
On n'utilise pas ici @.
Démontrons maintenant @.
"""

NOTATION = r"""
With the notation of @, let $x=1$.
With notation as in @, let $x=1$.
Using the notation from @, it is open.
In the notation introduced in @, it is open.
With the same assumptions and notations as in @, it is open.
"""


def _sentences(table: str, form: str) -> list[tuple[str, str]]:
    return [(line, form) for line in table.strip().splitlines()]


def _forms(reads: Reader, text: str) -> list[str]:
    """How references are meant; that one is plainly used counts as a reference here."""
    block = reads(rf"\begin{{lemma}}{text}\end{{lemma}}").reading.blocks[0]
    seeming = dict.fromkeys(("used", "likely", "inductive"), "reference")
    return [seeming.get(mention.form, mention.form) for mention in block.mentions]


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        *_sentences(ASIDE, "aside"),
        *_sentences(REFERENCE, "reference"),
        *_sentences(PROOF, "proof"),
        *_sentences(HEDGED, "hedged"),
        *_sentences(NOTATION, "notation"),
    ],
)
def test_a_sentence_says_how_a_reference_is_meant(reads: Reader, sentence: str, form: str) -> None:
    references = (r"Lemma~\ref{b}", r"\cref{b}", r"Theorem~(\ref{b})")
    alone = [sentence.replace("@", reference) for reference in references]
    around = [f"Let $x=0.5$. {text} We do not use induction." for text in alone]
    found = {text: _forms(reads, text) for text in alone + around}
    assert found == {text: [form] for text in found}


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        (r"unlike Lemmas~\ref{a}, \ref{b} and \ref{c}. By \ref{d}", ["aside"] * 3 + ["reference"]),
        (r"Compare \ref{a}, and by \ref{b}", ["aside", "reference"]),
        (r"It completes the proof of \ref{a} and thus \ref{b}", ["aside", "aside"]),
        (r"We reduce \ref{a} to \ref{b}.", ["hedged", "hedged"]),
        (r"Lemmas~\ref{a} and~\ref{b} will improve this.", ["aside", "aside"]),
        (r"By \ref{a}, \ref{b} follows from \ref{c}.", ["reference"] * 3),
        (r"By \ref{a}, which generalises \ref{b}.", ["reference", "aside"]),
        (r"We use \ref{a} and not \ref{b}.", ["reference", "reference"]),
        (r"as in the proofs of Lemmas~\ref{x} to~\ref{y}", ["proof"]),
        (r"compare \crefrange{a}{b}", ["aside"]),
        (r"by \crefrange{a}{b}", ["range"]),
    ],
)
def test_a_list_goes_on_as_it_began(reads: Reader, text: str, forms: list[str]) -> None:
    assert _forms(reads, text) == forms


def test_words_count_wherever_a_macro_puts_them(reads: Reader) -> None:
    macros = (
        r"\newcommand{\nouse}[1]{We do not use #1.}\newcommand{\twice}[2]{#2 #1. By #1}"
        r"\newcommand{\none}[1]{}"
    )
    body = r"\nouse{Lemma~\ref{b}} \twice{Lemma~\ref{c}}{Compare} \none{\ref{d}}"
    reading = reads(rf"{macros}\begin{{lemma}}{body}\end{{lemma}}").reading
    forms = {mention.keys[0]: mention.form for mention in reading.blocks[0].mentions}
    assert forms == {"b": "aside", "c": "used", "d": "reference"}


@pytest.mark.parametrize(
    ("sentence", "is_plain"),
    [
        ("By @ we win.", True),
        ("This is immediate from @.", True),
        ("Now @ shows that it holds.", True),
        ("It holds, using @.", True),
        ("By @, we win.", True),
        ("By @ and compactness, we win.", True),
        ("By @ it follows that we win.", True),
        ("By @ for $n - 1$ we win.", False),
        ("By @ in dimension $n$.", False),
        ("By @ in degree $d$.", False),
        ("By @(i).", False),
        ("By @ (i), we win.", False),
        ("By @$_{m}$.", False),
        ("By @, applied to $m$, we win.", False),
        ("By @, which we prove below independently, fine.", False),
        ("We prove this together with @ by induction. By @, fine.", False),
        ("Let $n > 1$. By @, it holds for $n-1$.", False),
        ("Suppose that @ fails. By @, no.", False),
        ("Consider a minimal counterexample. By @, no.", False),
        ("Not by @.", False),
        ("See @.", False),
        ("Here @ is of interest.", False),
        ("This is optimal by the way; see @.", False),
    ],
)
def test_only_what_is_plainly_used_can_make_a_circle_certain(
    reads: Reader, sentence: str, is_plain: bool
) -> None:
    text = sentence.replace("@", "Lemma~\\ref{a}")
    *_, mention = reads(rf"\begin{{lemma}}{text}\end{{lemma}}").reading.blocks[0].mentions
    assert (mention.form == "used") is is_plain


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("By @ for $n - 1$ we win.", "inductive"),
        ("By @ in lower dimension.", "inductive"),
        ("By @$_{n-1}$.", "inductive"),
        ("Nach @ für $n-1$ gilt es.", "inductive"),
        ("We use @, applied to the smaller group $H$.", "inductive"),
        ("By induction and @, we win.", "inductive"),
        ("Nach Induktionsannahme und @ gilt es.", "inductive"),
        ("Par récurrence et @, on conclut.", "inductive"),
        ("Suppose that @ is false.", "inductive"),
        ("Assume @ for all such groups.", "inductive"),
        ("Angenommen, @ gilt.", "inductive"),
        ("Take a minimal counterexample. By @, no.", "inductive"),
        ("By @, this is a contradiction.", "likely"),
        ("We induct on $n$, and @ will improve this.", "aside"),
        ("By @, we get $x_{n-1}$.", "likely"),
        ("We suppose that @ applies.", "used"),
        ("By @ for $m$ we win.", "reference"),
    ],
)
def test_words_say_that_a_use_is_of_a_smaller_case(reads: Reader, sentence: str, form: str) -> None:
    text = sentence.replace("@", "Lemma~\\ref{a}")
    (mention,) = reads(rf"\begin{{lemma}}{text}\end{{lemma}}").reading.blocks[0].mentions
    assert mention.form == form


@pytest.mark.parametrize("word", ["Lemma~", "Theorems ", "Eq.\\ ", "(Lemma~", "§"])
def test_a_word_that_announces_a_reference_is_dropped(word: str) -> None:
    count = announced(f"by {word}")
    assert count >= len(word.strip("( \\~")) or word == "Eq.\\ "


TOKENS = st.sampled_from(
    ["a", "b?", "a|c", "a|b c?", "...2", "...1", "<item>", "<item>?", "den*", "den*?", ",", "@"]
)
LINES = st.lists(TOKENS, min_size=1, max_size=4).map(" ".join)
TABLES = st.lists(LINES, min_size=1, max_size=4)
WORDS = st.lists(st.sampled_from(["a", "b", "c", "x", "(", ")", ",", "@", "den", "denies", "de"]))


def _expression(token: str) -> str:
    """One token of a phrase as a regular expression."""
    name = token.rstrip("?")
    if name.startswith("..."):
        return rf"(?:[^ @,;:.()]+ ){{0,{name[3:]}}}"
    made = {
        "<item>": r"(?:(?:[^ @,;:.()]+ ){0,1}|\( (?:[^ @,;:.()]+ ){0,1}\) )",
        "den*": r"(?:den\w* )",
    }.get(name, f"(?:{name}) ")
    return f"(?:{made})?" if token.endswith("?") else made


@given(st.dictionaries(st.sampled_from(["one", "two", "three"]), TABLES, min_size=1), WORDS)
def test_phrases_are_found_as_an_alternation_of_them_would_be(
    tables: dict[str, list[str]], words: list[str]
) -> None:
    named = [
        f"(?P<{name}>{'|'.join(''.join(map(_expression, line.split())) for line in lines)})"
        for name, lines in tables.items()
    ]
    text = "".join([f"{word} " for word in words])
    match = re.match("|".join(named), text)
    found = Phrases(lambda: tables, behind=True)
    for _ in range(2):  # what was worked out for the first is there for the second
        assert found.table(text) == (match.lastgroup if match else "")
        assert found.beyond(text) == (text[match.end() :] if match else None)


def test_phrases_stand_in_reverse_before_a_reference() -> None:
    found = Phrases(lambda: {"one": ["we do not use"]}, behind=False)
    assert [found.table(words) for words in ("use not do we so ", "we do not use ")] == [
        "one",
        "",
    ]
    assert found.beyond("use not do we so ") == "so "


def test_what_was_worked_out_of_phrases_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "_MOST_STATES", 3)
    found = Phrases(lambda: {"one": ["a b c d"], "two": ["...3 e"]}, behind=True)
    texts = ["a b c d ", "a b c e ", "x a b e ", "b c d e "] * 2
    assert [found.table(text) for text in texts] == ["one", "two", "two", "two"] * 2
    assert len(found._states) <= 3


@pytest.mark.parametrize("word", ["which ", "auch ", "each (", "such~"])
def test_the_end_of_a_word_announces_no_reference(word: str) -> None:
    assert announced(f"for {word}") == 0
