from collections.abc import Callable

import pytest

from pfcore.latex.lexer.whitespace import first_form
from pfcore.latex.reader import Read
from pfcore.latex.structure.titles import labels_in

Reader = Callable[..., Read]
END = r"\newEndThm[normal]{lemE}{lemma}"
BOX = r"\newtcbtheorem{bx}{Lemma}{}{l}\newtcbtheorem{by}{Lemma}{label separator=-}{}"


@pytest.mark.parametrize(
    ("text", "title", "labels", "shown"),
    [
        (r"\begin{lemma}[T]a\end{lemma}", "T", (), "a"),
        (r"\begin{lemma}[$p$ odd]a\end{lemma}", "$p$ odd", (), "($p$ odd) a"),
        (r"\begin{definition}[T]a\end{definition}", "T", (), "(T) a"),
        (r"\begin{remark}[T]a\end{remark}", "T", (), "(T) a"),
        (r"\begin{lemma} [T] a\end{lemma}", "T", (), "a"),
        ("\\begin{lemma}\n\n[T] a\\end{lemma}", "", (), "[T] a"),
        (r"\begin{lemma}[]a\end{lemma}", "", (), "a"),
        (r"\begin{lemma}[name=T,label=x]a\end{lemma}", "T", ("x",), "a"),
        (r"\begin{lemma}[label=x]a\end{lemma}", "", ("x",), "a"),
        (r"\begin{lemma}[note=T,label=x]a\end{lemma}", "T", ("x",), "a"),
        (r"\begin{lemma}[store=g, note={T, U}, label=x]a\end{lemma}", "T, U", ("x",), "a"),
        (r"\begin{lemma}[store*=g,label=x]a\end{lemma}", "", ("x",), "a"),
        (
            r"\begin{lemma}[note that $x=1$]a\end{lemma}",
            "note that $x=1$",
            (),
            "(note that $x=1$) a",
        ),
        (END + r"\begin{theoremEnd}{lemma}[T]a\end{theoremEnd}", "T", (), "a"),
        (END + r"\begin{theoremEnd}[all end]{lemma}a\end{theoremEnd}", "", (), "a"),
        (END + r"\begin{theoremEnd}a\end{theoremEnd}", "", (), "a"),
        (END + r"\begin{lemE}[T][end, restate]a\end{lemE}", "T", (), "a"),
        (END + r"\begin{lemE}[T][see below]a\end{lemE}", "T", (), "[see below]a"),
        (r"\begin{lemma}[title={T, U}]a\end{lemma}", "T, U", (), "a"),
        (r"\begin{lemma}[T\label{x}]a\end{lemma}", "T", (), "a"),
        (r"\begin{restatable}[T]{lemma}{mac}a\end{restatable}", "T", (), "a"),
        (r"\begin{restatable}{lemma}{mac}a\end{restatable}", "", (), "a"),
        (r"\begin{restatable}a\end{restatable}", "", (), "a"),
        (BOX + r"\begin{bx}[o]{T}{x}a\end{bx}", "T", ("l:x",), "a"),
        (BOX + r"\begin{bx}[label=y]{T}{x}a\end{bx}", "T", ("l:x", "y"), "a"),
        (BOX + r"\begin{bx}{T} x a\end{bx}", "T", ("l:x",), "a"),
        (BOX + r"\begin{bx}{T}\emph{x}a\end{bx}", "T", (), r"\emph{x}a"),
        (BOX + "\\begin{bx}{T}\n\nx a\\end{bx}", "T", (), "x a"),
        (BOX + r"\begin{by}{T}{x}a\end{by}", "T", ("-x",), "a"),
        (BOX + r"\begin{by}{}{}a\end{by}", "", (), "a"),
        (BOX + r"\begin{by}a\end{by}", "", (), "a"),
    ],
)
def test_the_head_of_a_block_is_told_from_its_text(
    reads: Reader, text: str, title: str, labels: tuple[str, ...], shown: str
) -> None:
    reading, texts, _ = reads(text)
    assert (reading.blocks[0].title, reading.blocks[0].labels) == (title, labels)
    assert first_form(texts[0]) == shown


def test_a_statement_whose_proof_stands_at_the_end_is_of_the_kind_that_it_names(
    reads: Reader,
) -> None:
    text = END + r"\begin{theoremEnd}{lemma}\label{x}a\end{theoremEnd}\begin{lemE}b\end{lemE}"
    text += r"\begin{proofEnd}c\end{proofEnd}\begin{proofE}d\end{proofE}"
    reading = reads(text).reading
    found = [(block.shape, block.kind) for block in reading.blocks]
    assert found == [("statement", "lemma")] * 2 + [("proof", "proof")] * 2
    assert [(label.key, label.holder) for label in reading.labels] == [("x", "statement")]


def test_keytheorems_declares_environments(reads: Reader) -> None:
    text = r"\newkeytheorem{mine,lem}[name=Lemma, parent=section]\begin{mine}a\end{mine}"
    assert reads(text).reading.blocks[0].kind == "lemma"


OF = r"\newenvironment{of}[1]{\begin{proof}[Proof of Theorem~\ref{#1}]}{\end{proof}}"
PF = r"\newcommand{\of}[1]{\begin{proof}[Proof of \cref{#1}]}\newcommand\done{\end{proof}}"
SAID = r"\newenvironment{of}[1][it]{\begin{proof}[Proof of #1]}{\end{proof}}"


@pytest.mark.parametrize(
    ("text", "title", "aim", "shown"),
    [
        (OF + r"\begin{of}{x}By hand.\end{of}", r"Proof of Theorem~\ref{x}", ("x",), "By hand."),
        (PF + r"\of{x}By hand.\done", r"Proof of \cref{x}", ("x",), "By hand."),
        (SAID + r"\begin{of}By hand.\end{of}", "Proof of it", (), "By hand."),
        (SAID + r"\begin{of}[\ref{x}]By hand.\end{of}", r"Proof of \ref{x}", ("x",), "By hand."),
        (
            r"\newenvironment{of}[1]{\proof[Proof of #1]}{\endproof}\begin{of}{\ref{x}}a\end{of}",
            r"Proof of \ref{x}",
            ("x",),
            "a",
        ),
        (
            r"\newproof{pot}{Proof of \ref{x}}\begin{pot}a\end{pot}",
            r"Proof of \ref{x}",
            ("x",),
            "a",
        ),
        (r"\newproof{pot}{Proof}\begin{pot}[Idea]a\end{pot}", "Idea", (), "(Idea) a"),
    ],
)
def test_a_proofs_title_may_stand_in_what_begins_it(
    reads: Reader, text: str, title: str, aim: tuple[str, ...], shown: str
) -> None:
    reading, texts, _ = reads(text)
    (block,) = reading.blocks
    assert (block.shape, block.title, block.aim, texts) == ("proof", title, aim, (shown,))


@pytest.mark.parametrize(
    "printed", ["Proof", "Beweis", "Preuve", r"D\'emonstration", "Proof sketch"]
)
def test_an_environment_that_prints_proof_is_one(reads: Reader, printed: str) -> None:
    text = rf"\newtheorem*{{my}}{{{printed}}}\begin{{my}}[of \ref{{x}}]a\end{{my}}"
    (block,) = reads(text).reading.blocks
    assert (block.shape, block.aim) == ("proof", ("x",))


def test_an_environment_may_print_what_it_proves(reads: Reader) -> None:
    text = r"\newtheorem*{my}{Proof of Theorem \ref{x}}\begin{my}a\end{my}"
    (block,) = reads(text).reading.blocks
    assert (block.shape, block.aim) == ("proof", ("x",))


@pytest.mark.parametrize(
    ("begin", "title"),
    [
        (r"\noindent\textbf{Proof.}", ""),
        (r"{\noindent \sc Proof}: ", ""),
        (r"\begin{trivlist}\item[\hskip\labelsep{\bfseries Proof.}]", ""),
        (r"\par\vspace{2mm}\noindent{\em D\'emonstration.}\ ", ""),
        (r"\noindent\emph{Proof of Theorem~\ref{#1}.}\hspace{1em}", r"Proof of Theorem~\ref{x}."),
        (r"\medskip\noindent{\it Proof of #1.}", "Proof of x."),
    ],
)
def test_an_environment_that_begins_with_the_word_is_a_proof(
    reads: Reader, begin: str, title: str
) -> None:
    argument = "[1]" if "#1" in begin else ""
    text = rf"\newenvironment{{my}}{argument}{{{begin}}}{{\hfill$\square$}}"
    text += r"\begin{my}{x}a\end{my}" if argument else r"\begin{my}a\end{my}"
    reading, texts, _ = reads(text)
    assert (reading.blocks[0].shape, reading.blocks[0].title, texts[0]) == ("proof", title, "a")


@pytest.mark.parametrize(
    "begin",
    [r"\textbf{Proof system.}", r"\begin{remark} Proof.", r"\section{Proof}", r"{\bf #1 Proof.}"],
)
def test_an_environment_that_begins_with_more_is_none(reads: Reader, begin: str) -> None:
    text = rf"\newenvironment{{my}}[1]{{{begin}}}{{}}\begin{{my}}{{x}}a\end{{my}}"
    assert [block.shape for block in reads(text).reading.blocks if block.shape == "proof"] == []


@pytest.mark.parametrize(
    ("begin", "kind"),
    [
        (r"\par\noindent\textbf{Definition.} ", "definition"),
        (r"\refstepcounter{thm}\medskip\noindent{\bf Theorem \thethm.}\itshape ", "theorem"),
        (r"\begin{trivlist}\item[\hskip\labelsep{\bfseries Lemma}]", "lemma"),
    ],
)
def test_an_environment_that_begins_with_a_kind_is_a_statement(
    reads: Reader, begin: str, kind: str
) -> None:
    text = rf"\newenvironment{{my}}{{{begin}}}{{\par}}\begin{{my}}\label{{x}}a\end{{my}}"
    (block,) = reads(text).reading.blocks
    assert (block.shape, block.kind) == ("statement", kind)


@pytest.mark.parametrize(
    "begin", [r"\textbf{Theorem of the day:}", r"\textbf{Figure.}", r"\section{Theorem}", "Theorem"]
)
def test_an_environment_that_begins_with_other_words_is_no_statement(
    reads: Reader, begin: str
) -> None:
    text = rf"\newenvironment{{my}}{{{begin}}}{{}}\begin{{my}}\label{{x}}a\end{{my}}"
    assert reads(text).reading.blocks == ()


def test_apxproof_declares_two_environments_and_has_proofs_of_its_own(reads: Reader) -> None:
    text = r"\newtheoremrep{theorem}{Theorem}[section]\newtheoremrep{lemmon}[theorem]{Lemma}"
    for env in ("theorem", "theoremrep", "lemmon", "lemmonrep", "appendixproof", "inlineproof"):
        text += rf"\begin{{{env}}}a\end{{{env}}}"
    found = [(block.shape, block.kind) for block in reads(text).reading.blocks]
    assert found == [
        ("statement", "theorem"), ("statement", "theorem"), ("statement", "lemma"),
        ("statement", "lemma"), ("proof", "proof"), ("proof", "proof"),
    ]  # fmt: skip


@pytest.mark.parametrize("printed", ["Proof system", "Proof-theoretic remark", "Theorem"])
def test_an_environment_that_prints_more_words_is_no_proof(reads: Reader, printed: str) -> None:
    text = rf"\newtheorem{{my}}{{{printed}}}\begin{{my}}a\end{{my}}"
    assert reads(text).reading.blocks[0].shape == "statement"


def test_a_restated_statement_is_of_the_kind_that_it_names(reads: Reader) -> None:
    text = r"\begin{restatable}[T]{lemma}{mac}\label{x}a\end{restatable}"
    reading = reads(text).reading
    assert reading.blocks[0].kind == "lemma"
    assert [(label.key, label.holder) for label in reading.labels] == [("x", "statement")]


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        (r"Proof of \ref{a}", ("a",)),
        (r"Proof of Lemmas~\cref{a,b} and \autoref*{c}", ("a,b", "c")),
        (r"Proof of \hyperref[a]{the lemma}", ("a",)),
        (r"Proof of \thmref{ a }", ("a",)),
        ("Proof", ()),
    ],
)
def test_a_title_refers_to_labels(title: str, labels: tuple[str, ...]) -> None:
    assert labels_in(title) == labels
