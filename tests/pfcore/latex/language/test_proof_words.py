"""What proofs say where they are none; each entry of the words finds its example."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

import pytest

from pfcore.latex.language import proof_words
from pfcore.latex.language.phrases import word_tables
from pfcore.latex.language.proof_words import (
    WORDS,
    announced,
    announcing_words,
    argued_words,
    end_of_argument,
    nature_of,
    omission,
    plain_words,
    promises,
    promising_words,
    restated,
    restating_words,
    says_part,
    settled,
    settling_words,
    words_of,
)
from pfcore.latex.parsed_file import CITED as SOURCED
from pfcore.latex.parsed_file import PROVED

TABLES = word_tables(WORDS)
KINDS = ("omitted", "cited", "argued", "part", "constructs")
ENTRIES = [
    (table, name, entry["words"], entry["example"])
    for table in TABLES.values()
    for name in KINDS
    for entry in table[name]
]


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_finds_its_example(kind: str) -> None:
    for table, words, example in ((t, *entry) for t, name, *entry in ENTRIES if name == kind):
        own = re.compile(words_of(words, table))
        said = argued_words(example) if kind == "argued" else plain_words(example)
        assert own.search(said) if kind == "constructs" else own.fullmatch(said), words


MORE = (
    "announced", "sourced", "shown", "restated", "located", "ahead", "leading", "concluded",
    "promised",
)  # fmt: skip


def test_every_language_has_words_of_each_kind() -> None:
    assert all(table[name] for table in TABLES.values() for name in (*KINDS, *MORE))


ANNOUNCING = [
    (name, entry["words"], entry["example"])
    for name, table in TABLES.items()
    for entry in table["announced"]
]


@pytest.mark.parametrize(("name", "words", "example"), ANNOUNCING)
def test_an_entry_that_announces_finds_its_example(name: str, words: str, example: str) -> None:
    own = re.compile(announcing_words(words, TABLES[name]), re.IGNORECASE)
    never = re.compile(r"(?!)")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            proof_words, "_announcing", lambda language: own if language == name else never
        )
        title = announced(example)
    known = ("main theorem", "general case", "1")
    target = next((one for one in known if one in example), "\\ref{a}")
    assert title.startswith("Proof of ") and target in title


SETTLING = [
    (table, name, entry["words"], entry["example"])
    for table in TABLES.values()
    for name in ("sourced", "shown", "located", "concluded")
    for entry in table[name]
]


@pytest.mark.parametrize(("table", "name", "words", "example"), SETTLING)
def test_an_entry_that_settles_finds_its_example(
    table: Mapping[str, str], name: str, words: str, example: str
) -> None:
    own = re.compile(settling_words(words, table))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(proof_words, "_settling", _only({name: own, "ahead": re.compile("")}))
        proved = name in ("shown", "concluded")
        assert settled(f"It is long. {example}\n\n") == (PROVED if proved else SOURCED)


def _only(patterns: Mapping[str, re.Pattern[str]]) -> Callable[[str], re.Pattern[str]]:
    return lambda name: patterns.get(name, re.compile("(?!)"))


LEADING = [
    (table, name, entry["words"], entry["example"])
    for table in TABLES.values()
    for name in ("ahead", "leading")
    for entry in table[name]
]


@pytest.mark.parametrize(("table", "name", "words", "example"), LEADING)
def test_an_entry_that_speaks_of_what_comes_finds_its_example(
    table: Mapping[str, str], name: str, words: str, example: str
) -> None:
    own = {name: re.compile(settling_words(words, table)), "located": re.compile(".*proof.*@")}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(proof_words, "_settling", _only(own))
        listed = [example, "A proof is in \\cite{g}."]
        said = " ".join(listed if name == "ahead" else reversed(listed))
        assert settled(f"It is long. {said}") == SOURCED


RESTATING = [
    (table, entry["words"], entry["example"])
    for table in TABLES.values()
    for entry in table["restated"]
]


@pytest.mark.parametrize(("table", "words", "example"), RESTATING)
def test_an_entry_that_says_again_finds_its_example(
    table: Mapping[str, str], words: str, example: str
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        own = re.compile(restating_words(words, table), re.IGNORECASE)
        patched.setattr(proof_words, "_restating", lambda: own)
        assert restated(example) == ("a",)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The following is due to \\cite{g}.", SOURCED),
        ("Well. The following theorem was proved by Gauss and Weil in \\cite[Thm.~2]{g}:", SOURCED),
        ("We recall the following standard lemma (see \\cite{g}).", SOURCED),
        ("Recall the theorem of Gauss \\cite{g}.", SOURCED),
        ("For this we need the following lemma due to Gauss (\\cite{g}).", SOURCED),
        ("Gauss \\cite{g} proved the following theorem.", SOURCED),
        ("Le fait suivant, qui ne fait que rappeler \\cite[p.~1]{g}, est utile.", SOURCED),
        ("We generalise the following theorem of \\cite{g}.", ""),
        ("The following improves a result of \\cite{g}.", ""),
        ("Using \\cite{g}, we obtain the following theorem.", ""),
        ("Unlike \\cite{g} we have the following result.", ""),
        ("The following theorem is similar to \\cite{g}.", ""),
        ("The following theorem was conjectured by Gauss in \\cite{g}.", ""),
        ("The following theorem answers a question of \\cite{g}.", ""),
        ("The following is the main theorem; for its history see \\cite{g}.", ""),
        ("The following is due to \\cite{g}.\n\nWe go on.", ""),
        ("The following is due to \\cite{g}. We go on.", ""),
        ("\\section{As we have shown}", ""),
        ("Since $x=1$, we have proven the following theorem.", PROVED),
        ("In summary, we have thus shown", PROVED),
        ("This proves the following corollary.", PROVED),
        ("Wir haben also gezeigt:", PROVED),
        ("Cela montre la proposition suivante :", PROVED),
        ("We will prove the following theorem.", ""),
        ("If we have shown the following theorem, we are done.", ""),
        ("In Section \\ref{s} we have shown the following.", ""),
        ("We have the following theorem.", ""),
        ("This shows that $x=1$.", ""),
        ("This shows the need of the following theorem.", ""),
        ("We have not proved the following.", ""),
        ("We use the next lemma. For a proof, see \\cite[p.~3]{g}.", SOURCED),
        ("The next lemma is old. A proof of this can be found in \\cite{g} or \\cite{h}.", SOURCED),
        ("The proof of the following theorem is given in \\cite[Section~2]{g}.", SOURCED),
        ("We need a fact on cones. See Gauss \\cite{g} for a proof.", SOURCED),
        ("A proof is in \\cite{g}. More precisely, we have the following theorem.", SOURCED),
        ("Wir halten ein Resultat fest. Ein Beweis hierzu findet sich in \\cite[S.1]{g}.", SOURCED),
        ("Das nachfolgende Lemma ist alt. Ein Beweis befindet sich in \\cite[S.4]{g}.", SOURCED),
        ("Dass $x$ sogar gut ist, lässt sich in \\cite{g} nachlesen."
         "\nEs gilt nämlich der folgende Satz.", SOURCED),
        ("Wir benötigen ein Lemma, das gut ist. Der Beweis einer Verallgemeinerung dieses Lemmas"
         " findet sich in \\cite{g}.", SOURCED),
        ("Wir brauchen einen Satz. F\\\"ur einen Beweis verweisen wir auf \\cite{g}.", SOURCED),
        ("Rappelons un th\\'eor\\`eme. On trouvera une d\\'emonstration dans \\cite{g}.", SOURCED),
        ("On a le lemme suivant. La preuve se trouve dans \\cite{g}.", SOURCED),
        ("On a le lemme suivant. Pour une démonstration, voir \\cite{g}.", SOURCED),
        ("A proof of this can be found in \\cite{g}.", ""),
        ("It is old. A proof of this can be found in \\cite{g}.", ""),
        ("A proof can be found in \\cite{g}. We have the following corollary.", ""),
        ("A proof can be found in \\cite{g}. We need a fact.", ""),
        ("We need a fact. The proof of Lemma~\\ref{a} can be found in \\cite{g}.", ""),
        ("We need a fact. Another proof can be found in \\cite{g}.", ""),
        ("We need a fact. A proof of a special case can be found in \\cite{g}.", ""),
        ("We need a fact. The proof is given in Section~\\ref{s}.", ""),
        ("We need a fact. The method of proof is that of \\cite{g}.", ""),
        ("We need a fact. We prove it in the way of \\cite{g}.", ""),
        ("We need a fact. The proof uses a theorem that can be found in \\cite{g}.", ""),
        ("We need a fact. No proof can be found in \\cite{g}.", ""),
        ("We need a fact, whose proof is in \\cite{g}. It has many uses.", ""),
        ("Wir brauchen den folgenden Satz. Ein anderer Beweis findet sich in \\cite{g}.", ""),
        ("Ein Beweis hierzu findet sich in \\cite{g}.", ""),
        ("Wir zeigen den folgenden Satz. Der Beweis ist eine Variante von \\cite{g}.", ""),
        ("On a le lemme suivant. Une autre preuve se trouve dans \\cite{g}.", ""),
        ("La preuve se trouve dans \\cite{g}.", ""),
        ("Thus, we have proven the following:", PROVED),
        ("We have thus shown:", PROVED),
        ("Combining this with \\cref{b}, we now reach the following conclusion:", PROVED),
        ("Putting these together, we obtain the following theorem.", PROVED),
        ("Combining \\cref{a}, \\cref{b} and \\cref{c}, we get \\\\\n", PROVED),
        ("Putting these all together, we have:", PROVED),
        ("Recall these formulas (whose proofs can be found, for instance, in \\citep{g}):", ""),
        ("Recall the following formulas of cones (whose proofs are in \\citep{g}):\\\\", SOURCED),
        ("It rests on the following lemma (see Theorem 2 in \\cite{g}).", SOURCED),
        ("We prove the following lemma (see \\cite{g} for a special case).", ""),
        ("Combining the two, we have a new proof.", ""),
        ("Damit ist gezeigt:", PROVED),
        ("Kombinieren wir dies mit \\cref{b}, so folgt der folgende Satz:", PROVED),
        ("Nous avons donc démontré le théorème suivant.", PROVED),
        ("En combinant ces lemmes, nous obtenons le théorème suivant.", PROVED),
        ("Combining these ideas we will obtain the following theorem.", ""),
        ("Combining this with \\cref{b} may give the following conclusion:", ""),
        ("Combining the two we hope for the following.", ""),
        ("We obtain the following theorem.", ""),
        ("Aus der Vermutung erhalten wir den folgenden Satz, falls sie gilt.", ""),
        ("En combinant ces lemmes, nous voulons le théorème suivant.", ""),
    ],
)  # fmt: skip
def test_what_stands_before_a_statement_says_whose_it_is_or_that_it_is_proved(
    before: str, said: str
) -> None:
    assert settled(before) == said


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        ("Theorem~\\ref{a}", ("a",)),
        ("see \\cref{a}", ("a",)),
        ("= Theorem \\ref{a} and Lemma \\ref{b}", ("a", "b")),
        ("corollaire~\\oref{a} et scolie~\\vref{b}", ("a", "b")),
        ("\\cref{a,b}, restated", ("a", "b")),
        ("Theorem \\ref{a}, page \\pageref{a}", ("a", "a")),
        ("(\\textbf{Theorem \\ref{a}})", ("a",)),
        ("Converse of Theorem \\ref{a}", ()),
        ("Generalisation of Theorem \\ref{a}", ()),
        ("Improved Lemma \\ref{a}", ()),
        ("Improved \\cref{a}", ()),
        ("Theorem \\ref{a}, general case", ()),
        ("Lemma \\ref{a} for curves", ()),
        ("Equation \\eqref{a}", ()),
        ("Gauss", ()),
    ],
)
def test_a_title_says_what_is_stated_again(title: str, labels: tuple[str, ...]) -> None:
    assert restated(title) == labels


@pytest.mark.parametrize(
    ("before", "title"),
    [
        ("We prove Theorems \\ref{a} and \\ref{b} together.", "Theorems \\ref{a} and \\ref{b}"),
        ("Using Lemma \\ref{b}, we now prove Theorem \\ref{a}.", "Theorem \\ref{a}"),
        ("We now prove \\cref{a,b}.", "\\cref{a,b}"),
        ("We can now prove Theorem A.\\medskip\n", "Theorem A"),
        ("We now prove our main theorem.", "the main theorem"),
        ("We can now prove \\ref{a} quite straightforwardly:", "\\ref{a}"),
        ("\\end{lemma} We now prove Theorem \\ref{a} (i).", "Theorem \\ref{a}"),
        ("Words.\n\n\\textsc{\\Cref{a} (Full)}. \\emph{All is well.}\n\n", "\\Cref{a}"),
        ("\\medskip\n\\textbf{Theorem~\\ref{a}.} All is well.", "\\ref{a}"),
        ("Now we prove the general case:", "the general case"),
    ],
)
def test_what_is_announced_is_a_title(before: str, title: str) -> None:
    assert announced(before) == f"Proof of {title}"


@pytest.mark.parametrize(
    "before",
    ["We now prove Theorem 1.1 of \\cite{x}.", "We prove this in Section 2.",
     "We prove Thm. 1.1. It is so.",
     "We can now prove the following result of Gauss.", "We now show that 3 is prime.", "",
     "Words on \\textbf{\\Cref{a}}. All is well.", "\\textbf{\\Cref{a}} is so.\n\nWords."],
)  # fmt: skip
def test_other_sentences_announce_nothing(before: str) -> None:
    assert announced(before) == ""


@pytest.mark.parametrize(
    "text",
    ["we now " * 60, "the proof of " * 30, "(1, " * 100, "Now, " * 80, "we prove the main " * 20,
     "We prove Theorem 1, 2, 3, " * 16, "\\ref{a} and " * 40, "we prove #1 and " * 25],
)  # fmt: skip
def test_hostile_words_before_a_proof_take_no_time(text: str) -> None:
    announced("We prove Theorem 1.")
    start = time.process_time()
    for _ in range(10):
        announced(text)
    assert time.process_time() - start < 0.5


OMITTED = (
    "Forthcoming.", "\\textit{To be written.}", "To appear.", "TBA", "TBD.",
    "The proof is forthcoming.",
    "To be added later.", "Work in progress.", "folgt", "Folgt noch.", "Der Beweis fehlt noch.",
    "\\`A compl\\'eter.", "À compléter", "À venir.", "La preuve est à rédiger.",
    "To do", "(To come.)",
    "Omitted.", "(Omitted.)", "\\emph{Omitted.}", "Exercise.", "An easy exercise.",
    "Easy exercise.",
    "This is left as an exercise for the reader.", "Left to the reader. \\qed", "Details omitted.",
    "The details are left to the reader.", "We leave this as an exercise.", "We omit the proof.",
    "The straightforward verification is left to the reader.", "Proof omitted.", "TODO",
    "\\\"Ubung.", "Der Beweis ist dem Leser überlassen.",
    "Dies sei dem Leser als Übung überlassen.",
    "Als Übungsaufgabe.", "La preuve est laissée en exercice au lecteur.",
    "", " ", "This is straightforward and left as an exercise.",
    "The proof will appear elsewhere.", "Wird ausgelassen.", "Wir verzichten auf den Beweis.",
    "The proof is easy and is left to the reader.", "It is routine, and we omit it.",
    "The proof will be given in a subsequent paper.", "Auf den Beweis sei hier verzichtet.",
    "La preuve est simple et laissée au lecteur.", "Der Beweis ist leicht und wird weggelassen.",
    "Laiss\\'e au lecteur.", "Exercice facile.", "The proof is an exercise.",
    "Left to the reader.", "The proof is analogous and will be omitted.",
    "Similar to the proof of the previous theorem and therefore omitted.",
    "The proof is similar and thus omitted.",
    "The proof is similar to that of the previous lemma and is omitted.",
    "Analogous to the proof of the previous lemma, hence omitted.", "Will be added later.",
    "The proof will be added.", "The proof will be given later.", "The proof is not given here.",
    "We skip the proof.", "The proof is left to the reader.",
    "The proof is routine and will be left to the reader.", "This will be omitted.",
    "The argument is the same as above and is left out.", "The straightforward proof is left out.",
    "This is proved in the same way, and we leave the details to the reader.",
    "We do not prove this here.", "We will not prove this.", "The reader may supply the proof.",
    "The reader can easily verify this.", "The details are tedious and are omitted.",
    "We omit the proof, which is similar.", "The proof is deferred to a future version.",
    "Missing.", "Bleibt dem Leser überlassen.", "Wird hier nicht geführt.",
    "Wird dem Leser überlassen.", "Der Beweis wird hier nicht geführt.",
    "Der Beweis wird nicht gegeben.", "Den Beweis lassen wir weg.",
    "Den Beweis überlassen wir dem Leser.", "Der Beweis ist analog und wird weggelassen.",
    "Der Beweis verläuft analog und wird daher weggelassen.", "Wird später ergänzt.",
    "Wird nachgereicht.", "Als Übung.", "Zur Übung.", "Dem Leser zur Übung überlassen.",
    "Der Beweis sei dem Leser überlassen.", "Ohne Beweis.", "Wir geben keinen Beweis.",
    "Wir führen den Beweis nicht aus.", "Der Beweis entfällt.", "Beweis weggelassen.",
    "Die Details bleiben dem Leser überlassen.", "Das rechne man selbst nach.",
    "Der Beweis folgt später.", "Laissé au lecteur.", "La preuve est laissée au lecteur.",
    "La preuve est analogue et sera omise.",
    "La démonstration est semblable à la précédente et donc omise.",
    "Nous omettons la démonstration.", "On omet la preuve.", "La preuve est laissée en exercice.",
    "Sans démonstration.", "Sera ajouté plus tard.", "À compléter plus tard.",
    "Le lecteur pourra vérifier cela.", "Nous ne donnons pas la démonstration ici.",
    "On laisse la preuve en exercice au lecteur.", "La preuve n'est pas donnée ici.",
    "La preuve sera donnée plus tard.", "La preuve ne sera pas donnée.", "Preuve omise.",
    "Nous laissons les détails au lecteur.", "Facile, laissé au lecteur.", "En exercice.",
    "Nous admettons ce résultat.", "On admettra ce résultat.",
)  # fmt: skip


def test_a_proof_that_is_left_out_says_so() -> None:
    assert [text for text in OMITTED if nature_of(text) != "omitted"] == []


CITED = (
    "See [3].", "See \\cite{x}.", "See \\cite{x}, Theorem 2.", "See \\cite[Theorem~2]{x}.",
    "See \\citet{x}.", "See Theorem 2 in [3].", "See~\\cite{x,y}", "See [3] or [4].",
    "This is proved in \\cite{x}.", "Proved in [3, p. 12].", "A proof can be found in [3].",
    "The proof can be found in \\cite{x}.", "This is \\cite[Theorem 2]{x}.", "Cf. [3, § 2].",
    "See for example [3].", "See \\cite{he2019semimartingale}, 7.17", "See Lang's book [3].",
    "For a proof see [3].", "We refer the reader to [3] for the proof.", "See \\url{https://a.b/c}.",
    "Siehe [3], Satz 2.", "Vgl. [3].", "Voir [3, th\\'eor\\`eme 2].", "Cf. [SGA, I.2].",
    "Ein Beweis findet sich in [3].", "Den Beweis findet man in \\cite{x}.",
    "Einen Beweis findet man etwa bei \\cite{x}, Satz 2.", "On trouvera la preuve dans [3].",
    "Ceci est prouvé dans [3].", "[3]", "Shown in [3].",
    "Vgl. \\cite{x}.", "Vgl.\\ \\cite{x}.", "Siehe \\cite{x}.", "Siehe etwa \\cite[Satz 3]{x}.",
    "Dies ist Satz 3 in \\cite{x}.", "Das ist Satz 3 aus \\cite{x}.", "Dies steht in \\cite{x}.",
    "Für einen Beweis siehe \\cite{x}.", "Einen Beweis findet man in \\cite{x}.",
    "Der Beweis findet sich in \\cite{x}.", "Wir verweisen auf \\cite{x}.",
    "Für den Beweis verweisen wir auf \\cite{x}.", "Standard, siehe \\cite{x}.",
    "Bekannt, siehe \\cite{x}.", "Dies wurde in \\cite{x} gezeigt.",
    "Dies ist wohlbekannt, siehe \\cite{x}.", "Bewiesen in \\cite{x}.",
    "Siehe \\cite{x} oder \\cite{y}.", "C'est le théorème 3 de \\cite{x}.",
    "C'est le théorème 3 dans \\cite{x}.", "Voir \\cite{x}.",
    "Voir par exemple \\cite[Théorème 3]{x}.", "Cf. \\cite{x}.",
    "Pour une preuve, voir \\cite{x}.", "Pour la démonstration, voir \\cite{x}.",
    "Nous renvoyons à \\cite{x}.", "Nous renvoyons à \\cite{x} pour la preuve.",
    "Une preuve se trouve dans \\cite{x}.", "On trouvera une démonstration dans \\cite{x}.",
    "Ceci est classique, voir \\cite{x}.", "C'est bien connu, voir \\cite{x}.",
    "Classique, voir \\cite{x}.", "Ceci est prouvé dans \\cite{x}.",
    "La preuve est donnée dans \\cite{x}.", "Voir \\cite{x} ou \\cite{y}.",
    "Standard, see e.g. \\cite{x}.", "This is standard, see \\cite{x}.",
    "This is well known; see \\cite[p. 3]{x}.", "Well known, see \\cite{x}.",
    "See e.g. \\cite{x}.", "See for instance \\cite{x}.",
    "This is classical; see, for example, \\cite{x}.", "The proof is in \\cite{x}.",
    "A proof is given in \\cite{x}.", "For a proof, see \\cite{x}.",
    "We refer to \\cite{x} for a proof.", "The reader is referred to \\cite{x}.",
    "Proved in \\cite{x}.", "This is due to Gauss, see \\cite{x}.",
    "This is proved by Gauss in \\cite{x}.", "A proof can be found in \\cite{x} or \\cite{y}.",
    "Folklore; see \\cite{x}.", "Refer to \\cite{x}.", "This was shown in \\cite[Section 2]{x}.",
)  # fmt: skip


def test_a_proof_that_stands_elsewhere_says_so() -> None:
    assert [text for text in CITED if nature_of(text) != "cited"] == []


PROOFS = (
    "Trivial.", "Clear.", "Obvious.", "Immediate.", "This works!",
    "This is straightforward and proves the claim.", "The proof is easy and short.",
    "See \x020\x03.",
    "This follows from \\cite{x}.", "By [3], $a = b$.", "Apply [3, Theorem 2] to $f$.",
    "Exercise \x020\x03 shows it.", "We omit the index $n$. Then $a = b$.", "\\[x=y\\]",
    "See [3] for $n=1$; the rest follows by induction.", "Similar to \x020\x03, and omitted.",
    "The first part is left to the reader. For the second, $a=b$.", "$[3]$", "Let $[a]$ be it.",
    "This is an exercise in linear algebra: expand the determinant.",
    "See \\cite{x}. We sketch it: count.", "Omitted cases are treated as follows.",
    "The proof is similar to that of the theorem.", "By \\cite{x} we win.",
    "The omitted details follow from compactness.", "Der Beweis ist analog.",
    "Nach \\cite{x} gilt dies.", "Folgt aus \\cite{x} durch Induktion.", "C'est clair.",
    "La preuve est analogue.", "D'après \\cite{x}, c'est fini.",
    "Cela résulte de \\cite{x} par récurrence.", "This is well known, and compactness gives it.",
    "The reader will verify that the map is open, hence the claim.", "Standard.",
    "We will not prove more than the first part. Count.",
)  # fmt: skip


def test_what_argues_is_a_proof() -> None:
    assert [text for text in PROOFS if nature_of(text) != ""] == []


@pytest.mark.parametrize(
    ("called", "text"),
    [
        ("proof ", "We define $f$ by $f(0)=1$."),
        ("constr ", "Let $f$ be the identity."),
        ("proof Construction", "Take $f$."),
        ("proof ", "We show that $f$ is well defined."),
        ("proof ", "Wir definieren $f$."),
        ("proof ", "On construit $f$."),
    ],
)
def test_a_proof_behind_a_definition_may_construct_it(called: str, text: str) -> None:
    assert nature_of(text, called=called) == "construction"
    assert nature_of(text) == ""


@pytest.mark.parametrize("text", ["By induction, $a=b$.", "Let $x$ be indefinite.", "x" * 400])
def test_a_proof_behind_a_definition_need_not_construct_it(text: str) -> None:
    assert nature_of(text, called="proof ") == ""


@pytest.mark.parametrize(
    "text",
    ["see " + "a. " * 65, "1, " * 66, "[1] " * 50, "see " + "a1" * 98, "@" * 200, "\\'" * 100,
     "the " * 50, "see " + "[1], " * 39, "theorem 1 and " * 14, "[" * 200],
)  # fmt: skip
def test_hostile_texts_take_no_time(text: str) -> None:
    start = time.process_time()
    for _ in range(10):
        nature_of(text[:200])
    assert time.process_time() - start < 0.5


def test_the_words_are_not_read_for_what_argues() -> None:
    code = (
        "import sys; from pfcore.latex.language.proof_words import nature_of\n"
        "nature_of('By $a$.'); nature_of('By \x020\x03.'); nature_of('It is clear. ' * 40)\n"
        "print('tomllib' in sys.modules); nature_of('Clear.'); print('tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


PARTS = (
    "Proof of (ii)", "Proof of part (ii)", "Proof of (a) and (b)", "(i)", "(2)", "Part 2",
    "Uniqueness", "Proof of uniqueness", "Proof of the uniqueness", "Existence",
    "Proof of sufficiency", "Necessity", "Proof of the converse", "The converse", "Second part",
    "Proof of the second part", "Proof of the lower bound", "Upper bound", "$\\Rightarrow$",
    "($\\Leftarrow$)", "(i) $\\Rightarrow$ (ii)", "$(i)\\Rightarrow(ii)$", "Proof, continued",
    "End of the proof", "Conclusion of the proof", "Proof of the ``only if'' part",
    "Proof of (1)--(3)", "Proof of assertions (ii) and (iii)", "Beweis von (ii)",
    "Beweis von Teil (ii)", "Eindeutigkeit", "Beweis der Eindeutigkeit", "Existenz",
    "Notwendigkeit", "Hinlänglichkeit", "Beweis der Umkehrung", "Zweiter Teil",
    "Beweis des zweiten Teils", "Beweis der unteren Schranke", "Ende des Beweises",
    "Fortsetzung des Beweises", "Beweis (Fortsetzung)", "Rückrichtung", "Teil (b)",
    "Preuve de (ii)", "Preuve du point (ii)", "Unicité", "Preuve de l'unicité", "Existence",
    "Démonstration de l'existence", "Réciproque", "Preuve de la réciproque", "Seconde partie",
    "Preuve de la deuxième partie", "Fin de la preuve", "Fin de la démonstration",
    "Suite de la preuve", "Partie (b)", "Nécessité",
)  # fmt: skip
WHOLES = (
    "", "Proof", "Proof of Lemma 2", "Proof of the theorem", "Second proof", "Another proof",
    "Sketch", "Proof of the main theorem", "Proof of Theorem~\\ref{a}(ii)", "Beweis",
    "Beweis von Satz 1", "Preuve du lemme 2", "Proof of the claim",
    "Proof of the uniqueness theorem", "Of course", "Proof of Theorem A", "Alternative proof",
    "First proof",
)  # fmt: skip


def test_a_title_says_that_a_part_is_proved() -> None:
    assert [title for title in PARTS if not says_part(title)] == []


def test_a_title_of_a_whole_proof_says_no_part() -> None:
    assert [title for title in WHOLES if says_part(title)] == []


@pytest.mark.parametrize("text", ["This follows from " + "a." * 400, "This follows from \\" * 200])
def test_what_seems_to_argue_takes_no_time(text: str) -> None:
    start = time.process_time()
    assert end_of_argument(text, 0) == 0
    assert time.process_time() - start < 0.5


PROMISING = [
    (entry["words"], entry["example"]) for table in TABLES.values() for entry in table["promised"]
]


@pytest.mark.parametrize(("words", "example"), PROMISING)
def test_an_entry_that_promises_finds_its_example(words: str, example: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        own = re.compile(promising_words(words, ""))
        patched.setattr(proof_words, "_promising", lambda: own)
        assert [one[2:] for one in promises(f"It is. {example} So.")] == [(("a",), "s")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\\footnote{The proof of\n  Lemma~\\ref{a} appears in Appendix~\\ref{s}.}", [("a",)]),
        ("The proofs of \\cref{a,b} and \\cref{c} are deferred to \\cref{s}.", [("a", "b", "c")]),
        ("Theorems \\ref{a} and \\ref{b} will be proved in Section \\ref{s}.", [("a", "b")]),
        ("The proof of Lemma \\ref{a} uses what is in Section \\ref{s}.", []),
        ("The proof of Lemma \\ref{a} is not in Section \\ref{s}, but in \\cite{g}.", []),
        ("Using what is proved in Section \\ref{s}, Lemma \\ref{a} follows.", []),
        ("Lemma \\ref{a} is used in Section \\ref{s}, and proved by Gauss.", []),
        ("The proof of Lemma \\ref{a} is easy. In Section \\ref{s} we go on.", []),
        ("A special case of \\ref{a} is not proved in Section~\\ref{s}.", []),
        ("A special case of Theorem \\ref{a} is proved in Section~\\ref{s}.", []),
        ("The converse of Theorem \\ref{a} is proved in Section~\\ref{s}.", []),
        ("Existence in Theorem \\ref{a} is shown in Section~\\ref{s}.", []),
        ("Theorem \\ref{a} is proved in Section~\\ref{s} under the same conjecture.", []),
        ("In Section~\\ref{s} we prove Theorem \\ref{a} assuming that it is finite.", []),
        ("We do not know whether Theorem \\ref{a} is proved in Section~\\ref{s}.", []),
        ("An outline of the proof of Theorem \\ref{a} is given in Section~\\ref{s}.", []),
        ("The proof of Theorem \\ref{a} is sketched in Section~\\ref{s}.", []),
        ("Tools for the proof of Theorem \\ref{a} are in Section~\\ref{s}.", []),
        ("Ein Spezialfall von Satz \\ref{a} wird in Abschnitt~\\ref{s} bewiesen.", []),
        ("Eine Skizze des Beweises von Satz \\ref{a} steht in Abschnitt~\\ref{s}.", []),
        ("La réciproque du théorème \\ref{a} est démontrée dans la section \\ref{s}.", []),
        ("Une idée de la preuve du lemme \\ref{a} est dans l'annexe~\\ref{s}.", []),
        ("Using this, Theorem \\ref{a} is proved in Section~\\ref{s}, if briefly.", [("a",)]),
        ("In \\cref{s}, we prove \\cref{a} from the finite version, by steps.", [("a",)]),
        ("The details of the proof of Lemma \\ref{a} are in Section \\ref{s}.", [("a",)]),
        ("It is not hard. The proof of \\cref{a} is in \\cref{s}. If so, go on.", [("a",)]),
    ],
)
def test_a_paper_says_in_which_section_it_proves(text: str, found: list[tuple[str, ...]]) -> None:
    assert [one.results for one in promises(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "proof of \\ref{a} " * 9000,
        "proof ref{ " * 9000,
        "proof of " * 9000,
        "proof of Theorem \\ref{a}, \\ref{b} " * 4000,
    ],
)
def test_what_seems_to_promise_takes_no_time(text: str) -> None:
    start = time.process_time()
    assert promises(text) == []
    assert time.process_time() - start < 1


AS_THERE = (
    " The proof of\nthis theorem is analogous to that of Theorem~\\ref{thm:b} of\nChapter~\\ref{c} "
    "and is thus left out here."
)


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("This is shown in [insert citation here].", False),
        ("This is shown in [AM69, Theorem 2.1].", True),
        (AS_THERE, True),
        (f"\nIt maps \\(x\\) to \\(y\\).{AS_THERE} It is useful.", True),
        ("\nDas ist neu. Der Beweis dieses Satzes wird weggelassen.", True),
        ("\nIt is new. The proof of this lemma\nis easy and left to the reader.", True),
        ("\nC'est connu. La preuve de ce lemme est laiss\\'ee au lecteur.", True),
        ("\nIt is even tame. We omit the proof.", False),
        ("\nIt is new.\n\nThe proof of this lemma is omitted.", False),
        ("\nThe proof of Lemma \\ref{a} is omitted.", False),
        ("\nA proof of this can be found in \\cite[Section~2.1]{g}. More.", True),
        ("\nThis is Proposition 9.1 in \\cite{g}. More.", True),
        ("\n\nThis was proved in \\cite{g}.", True),
        ("\nDies ist Satz 3.2 in \\cite{g}. Mehr.", True),
        ("\nC'est le th\\'eor\\`eme 3.2 de \\cite{g}. Plus.", True),
        ("\nFor a proof see \\cite{g}.", True),
        ("\nThis is left for later. See \\cite{g}.", False),
        ("\nThis is similar to Proposition 9.1 in \\cite{g}.", False),
        ("\nThis is easy. See \\cite{g}.", False),
        ("\nThis is useful in \\cite{g}.", False),
        ("\nProposition 9.1 in \\cite{g} is stronger.", False),
        ("\nThis is an exercise.", False),
        ("\nThe method of proof is that of \\cite{g}.", False),
    ],
)
def test_the_sentence_behind_a_result_says_whose_it_is(text: str, is_said: bool) -> None:
    start, end = omission(text, 0, is_proved=False)
    assert (start < end) is is_said


@pytest.mark.parametrize(
    ("text", "nature"),
    [
        (
            "The proof of this theorem is analogous to that of \x020\x03 and is thus left out.",
            "omitted",
        ),
        ("The proof is similar to \x020\x03 of \x0212\x03 and therefore omitted.", "omitted"),
        ("The proof of \x020\x03 is omitted.", "omitted"),
        ("The proof of \x020\x03 is left to the reader.", "omitted"),
        ("The proof of \x020\x03 is similar to that of \x021\x03 and hence omitted.", "omitted"),
        ("Den Beweis von \x020\x03 lassen wir weg.", "omitted"),
        ("La preuve de \x020\x03 est omise.", "omitted"),
        ("The proof of \x020\x03 shows this.", ""),
        ("The proof is in \x020\x03.", ""),
        ("The proof is similar to \x020\x03.", ""),
    ],
)
def test_a_proof_left_out_may_say_which_one_is_like_it(text: str, nature: str) -> None:
    assert nature_of(text) == nature


@pytest.mark.parametrize(
    "text", ["The proof of this lemma as to " + "a " * 5000, "A proof. " * 2000]
)
def test_what_seems_to_leave_out_a_proof_takes_no_time(text: str) -> None:
    start = time.process_time()
    assert omission(text, 0, is_proved=False) == (0, 0)
    assert time.process_time() - start < 1
