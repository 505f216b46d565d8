"""Which words inside of a proof are the heading of a step or a claim."""

import pytest

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.structure.headings import find_headings


def found(text: str, *hidden: tuple[int, int]) -> list[tuple[str, str, str]]:
    heads = find_headings(Groups(text), Spans(hidden))
    return [(head.kind, head.number, text[slice(*head.inner)]) for head in heads]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (r"\textbf{Step 1.}", ("step", "1", "")),
        (r"{\bf Step 2:}", ("step", "2", "")),
        (r"{\bfseries\itshape Step 2.}", ("step", "2", "")),
        (r"\textbf{STEP 3.}", ("step", "3", "")),
        (r"\emph{Claim 1.}", ("claim", "1", "")),
        (r"\emph{Claim}:", ("claim", "", "")),
        (r"\textit{Claim.}", ("claim", "", "")),
        (r"\textsc{Sublemma A.}", ("sublemma", "A", "")),
        (r"\textsc{Fact.}", ("fact", "", "")),
        ("\\underline{Step 3}\n", ("step", "3", "")),
        (r"\paragraph{Step 1}", ("step", "1", "")),
        (r"\paragraph{Step 1. It is so.}", ("step", "1", "It is so.")),
        (r"\subsubsection*{Step 1: $f$ is \emph{open}.}", ("step", "1", r"$f$ is \emph{open}.")),
        (r"\medskip\noindent\textbf{Claim A.}", ("claim", "A", "")),
        (r"\item[Step 1]", ("step", "1", "")),
        (r"\item[\textbf{Claim 2.}]", ("claim", "2", "")),
        (r"\item \textbf{Step IV:}", ("step", "IV", "")),
        (r"\textbf{\emph{Step 1.}}", ("step", "1", "")),
        (r"\textbf{Step 1a.}", ("step", "1a", "")),
        (r"\textbf{Step 2.1.}", ("step", "2.1", "")),
        (r"\textbf{Claim A'.}", ("claim", "A'", "")),
        (r"\textbf{Claim $(1)$.}", ("claim", "1", "")),
        (r"\textbf{Step 1 (the bound).}", ("step", "1", "")),
        (r"\textbf{Step 1} (the bound).", ("step", "1", "")),
        (r"\textbf{Step 1 -- it is so}", ("step", "1", "it is so")),
        (r"\textbf{Schritt 2.}", ("schritt", "2", "")),
        (r"\textbf{Behauptung.}", ("behauptung", "", "")),
        (r"\textbf{Étape 1.}", ("etape", "1", "")),
        (r"{\bf \'Etape 1.}", ("etape", "1", "")),
        (r"\textbf{Affirmation 1.}", ("affirmation", "1", "")),
    ],
)
def test_a_heading_is_known_by_its_words_and_its_shape(
    heading: str, expected: tuple[str, str, str]
) -> None:
    assert found(f"{heading} Here it goes on.") == [expected]
    assert found(f"Some words before.\n\n{heading} Here it goes on.") == [expected]
    assert found(f"A sentence ends here. {heading} Here it goes on.") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Step 1. We begin.",
        r"as in \emph{Step 1}. Now",
        "as we have seen in\n\\emph{Step 1}. Now",
        r"\emph{Step} by step",
        r"\textbf{Steps 1 and 2.}",
        r"\textbf{Step 1 is easy}",
        r"\emph{Claim a function is open.}",
        r"\textbf{Stepwise.}",
        r"\textbf{Claims.}",
        r"\textbf{Factorial.}",
        r"\textbf{Case 1.}",
        r"\textbf{Part 2.}",
        r"\textbf{Step 1.",
        r"\item[Step 1.",
        r"\textbf{Claim 1} \ref{x}",
        r"\section{The Step}",
    ],
)
def test_other_words_are_no_heading(text: str) -> None:
    assert found(text) == []


def test_what_is_hidden_is_no_heading() -> None:
    text = r"\textbf{Step 1.} x"
    assert found(text, (0, len(text))) == []


def test_a_dividing_heading_counts_beside_others_alone() -> None:
    text = r"\textbf{Case 1.} a. \textbf{Step 1.} b. \textbf{Conclusion.} c."
    assert [kind for kind, _, _ in found(text)] == ["case", "step", "end"]
