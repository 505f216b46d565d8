"""What small papers define is in the context of who uses it, whatever form the definition has."""

from collections.abc import Callable

import pytest

from pfcore.graph.context import members
from pfcore.graph.needs import needs_of
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import render

Paper = Callable[..., PaperState]

PROOF = "\\begin{proof} An exercise in patience. \\end{proof}\n"
IDLE = "These questions are old, and much has been written on them.\n\n"


def context_of(paper: Paper, say: str, theorem: str, proof: str = PROOF) -> str:
    """What stands above the theorem of a paper that says something before it.

    A lemma that says the same stands first, so that no word of the theorem is new there.
    """
    text = f"\\section{{Zero}}\n\\begin{{lemma}} {theorem} \\end{{lemma}}\n"
    text += f"\\section{{One}}\n{IDLE}{say}\n\n\\section{{Two}}\n{IDLE}"
    text += f"\\begin{{theorem}}\\label{{t}} {theorem} \\end{{theorem}}\n{proof}"
    state = paper(text)
    return render(state.document, "t", state.paper.texts).partition("# To be checked")[0]


def definition(text: str, title: str = "") -> str:
    head = f"[{title}]" if title else ""
    return f"\\begin{{definition}}{head} {text} \\end{{definition}}\n"


def test_all_definitions_of_a_term_under_one_heading_answer(paper: Paper) -> None:
    said = "\\section{Fences}\n" + definition(r"A fence is \emph{tame} if it costs one.")
    said += definition(r"A gate is \emph{tame} if it costs two.")
    found = context_of(paper, said, "Every gate of a tame fence is so.")
    assert "costs one" in found and "costs two" in found


def test_what_is_only_said_to_be_one_gives_way_to_what_says_what_that_is(paper: Paper) -> None:
    said = "A hedge is called a \\emph{bulwark} if it costs three.\n\n"
    said += "Now the oldest fence is a \\emph{bulwark}, as is known.\n\n"
    found = context_of(paper, said, "Every bulwark stands.")
    assert "costs three" in found and "oldest" not in found


def test_a_definition_of_a_joined_term_leaves_the_bare_one_to_its_own(paper: Paper) -> None:
    said = definition(r"A fence is \emph{mending} if it costs four.")
    said += "We use a relaxed sort of mending fence, called \\emph{$\\delta$-mending}, at five.\n\n"
    assert "costs four" in context_of(paper, said, "Every mending fence stands.")
    both = context_of(paper, said, "Every mending fence is an $r$-mending one.")
    assert "costs four" in both and "at five" in both


def test_a_number_tells_a_term_from_the_bare_one(paper: Paper) -> None:
    said = "A fence is \\emph{$2$-mending} if it costs six.\n\n"
    assert "costs six" in context_of(paper, said, "Every $2$-mending fence stands.")
    assert "costs six" not in context_of(paper, said, "Every $3$-mending fence stands.")


def test_a_definition_counts_before_the_sentence_that_announces_it(paper: Paper) -> None:
    said = "We call such fences \\emph{Mending fences}.\n\n"
    said += definition(r"A fence is \emph{$C$-Mending} if it costs $C$.")
    found = context_of(paper, said, "Every Mending fence stands.")
    assert "if it costs" in found and "such fences" not in found


SAID = {
    "a name that is an everyday word": (
        r"The number $E(X)/2$ is called the \emph{mean} of $X$.",
        "The mean of a walk is zero.",
        "$E(X)/2$",
    ),
    "what a titled definition begins by": (
        definition("A hedge $H=(V,W)$ is a pair of a field and a fence.", "Ways of planting"),
        "Every hedge grows.",
        "a field and a fence",
    ),
    "capitals without a letter for the noun": (
        "Mended front-oak fencing (MFO) is fencing over posts that lean. It is old.",
        "Every MFO-fence costs.",
        "posts that lean",
    ),
    "a term in the mark of a glossary": (
        r"We say that a fence is \intro{evenly mended} if no post leans.",
        r"Every \kl{evenly mended} fence stands.",
        "no post leans",
    ),
    "what a term is let be": (
        r"Let a \emph{ledge walk} be a walk that never turns.",
        "Every ledge walk is short.",
        "never turns",
    ),
    "an adjective that is let be, with its noun": (
        r"Let a \emph{loose} cable be a cable with a free end.",
        "Every loose cable hangs.",
        "a free end",
    ),
    "what is specified, hyphens and all": (
        "More formally, we specify a tug-of-ropes match as a pair of ropes that are held.",
        "Every tug-of-ropes match ends.",
        "ropes that are held",
    ),
    "what is in the same class": (
        "We define two rows as being in the same mirror class if and only if they agree.",
        "Each mirror class is finite.",
        "they agree",
    ),
    "what is defined alike": (
        r"A \emph{long thread} is a thread such that no knot in it is tight. "
        r"We similarly define \emph{short threads} by those near its end.",
        "All short threads hold.",
        "no knot in it is tight",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_a_term_of_running_text_is_found(paper: Paper, case: str) -> None:
    say, theorem, has = SAID[case]
    assert has in context_of(paper, say, theorem)


DEFINED = {
    "what is defined for all of some": (
        definition(r"For $s,t\in T$, $s\sqcup t$ and $s\sqcap t$ are defined as larger ones."),
        r"We have $a\sqcap b=b$ for all $a$ and $b$.",
        "larger ones",
    ),
    "a sign before what it is applied to": (
        definition(r"For a rule $f$, define $\oplus f(x)$ to be true if most of it holds."),
        r"There is a rule $g$ with $\oplus g(1)$.",
        "most of it holds",
    ),
    "two names side by side": (
        definition(r"$\mathsf{Sw}\cdot\mathsf{Fl}=\{L: L \text{ swims}\}$."),
        r"Then $\mathsf{Sw}\cdot\mathsf{Fl}$ is small.",
        "swims",
    ),
    "a sign between two things that are applied": (
        definition(r"Maps are blended as in \[(f\star g)(x)=f(x)+2g(x).\]"),
        r"We have $f\star g=h$ for some maps $f$, $g$ and $h$.",
        "+2g(x)",
    ),
    "a symbol of the title": (
        definition(r"Some of the nodes are stumps.", r"Nodes: $\mathsf{Stp}$ and $\mathsf{Lvs}$"),
        r"Then $\mathsf{Stp}$ is small.",
        "nodes are stumps",
    ),
    "brackets with braces in them": (
        definition(r"The effect of the step $\langle{[x],y,n}\rangle$ is defined as a swap."),
        r"Then $\langle{[a],b,m}\rangle$ is small for all $a$, $b$ and $m$.",
        "a swap",
    ),
    "the form of what is defined": (
        definition(r"Steps are written as triples of the form \[\langle x,y,n\rangle,\] of nodes."),
        r"Then $\langle a,b,m\rangle$ is small for all $a$, $b$ and $m$.",
        "written as triples",
    ),
    "the subject where another term is marked": (
        definition(
            r"Let $k>0$. A woven basket of $G^k$ is a cover. It is \emph{dense} if it holds."
        ),
        "Each woven basket is small.",
        "is a cover",
    ),
}


@pytest.mark.parametrize("case", DEFINED)
def test_a_definition_is_found_by_what_it_explains(paper: Paper, case: str) -> None:
    say, theorem, has = DEFINED[case]
    assert has in context_of(paper, say, theorem)


def test_a_definition_describes_a_symbol_that_is_a_word_for_its_section(paper: Paper) -> None:
    say = definition(r"If a net has knots, then the lattice $\mathrm{Kn}(X)$ is the set of these.")
    use = "\\begin{theorem}\\label{t} The set $\\mathrm{Kn}(Y)$ is large. \\end{theorem}\n" + PROOF
    for between, is_there in ((IDLE, True), ("\\section{Two}", False)):
        state = paper(f"\\section{{One}} {say} {between} {use}")
        assert ("has knots" in render(state.document, "t", state.paper.texts)) is is_there


def test_a_definition_says_nothing_of_a_letter_that_it_only_mentions(paper: Paper) -> None:
    say = definition(r"A net is \emph{knotty} if each $\mathcal{F}_s$ has a knot in $U$.")
    assert "has a knot" not in context_of(paper, say, r"The set $\mathcal{F}_s$ is closed.")


HIDDEN = {
    "what is well-defined": (
        definition(r"A \emph{tile shift} is a map of tiles."),
        "\\section{Two}\nGiven this, we ask for conditions which ensure that the tile shifts are "
        "well-defined.",
        "Every tile shift is onto.",
        "a map of tiles",
    ),
    "relations that define": (
        definition(r"Let $\mathcal{M}$ be the ring of all loops."),
        r"These maps satisfy the relations defining $\mathcal{M}$.",
        r"The ring $\mathcal{M}$ is small.",
        "ring of all loops",
    ),
    "what something holds relative to": (
        r"Let $\mathsf{Gen}$ be a machine that draws keys.",
        definition(r"The hidden gap assumption holds relative to $\mathsf{Gen}$ if so.", "Gap"),
        r"The machine $\mathsf{Gen}$ halts.",
        "draws keys",
    ),
    "a list of what has a name": (
        definition(r"The effect of the step $\langle x,y,n\rangle$ is defined as a swap."),
        definition(r"\emph{Idle steps:} $\langle x,x,n\rangle$ and others."),
        r"Then $\langle a,b,m\rangle$ is small for all $a$, $b$ and $m$.",
        "a swap",
    ),
    "a sign that is described later": (
        definition(r"For a rule $f$, define $\oplus f(x)$ to be true if most of it holds."),
        r"Now we describe the $\oplus$ operator: $\oplus_x f(x)$ is true or not.",
        r"There is a rule $g$ with $\oplus_y g(y)$.",
        "most of it holds",
    ),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_only_speaks_of_it_hides_no_definition(paper: Paper, case: str) -> None:
    say, other, theorem, has = HIDDEN[case]
    text = f"\\section{{One}}\n{IDLE}{say}\n\n{other}\n\n"
    state = paper(f"{text}\\begin{{theorem}}\\label{{t}} {theorem} \\end{{theorem}}\n{PROOF}")
    assert has in render(state.document, "t", state.paper.texts)


def test_a_formula_in_a_title_that_only_says_where_is_no_name(paper: Paper) -> None:
    say = definition("All tiles are flat.", r"Tiles in $\mathsf{Hall}$")
    assert "tiles are flat" not in context_of(paper, say, r"Then $\mathsf{Hall}$ is small.")


STEPS = (
    "\\noindent\n{\\it PEEL2\\_start}:\\\\\nput all leaves in the bag.\n\n"
    "\\noindent\n{\\it PEEL2\\_loop}:\\\\\ntake a leaf out of the bag.\n"
)
FLOAT = (
    "\\begin{algorithm}\\caption{\\textsc{PeelLeaves} in full}\nstrip the twigs, one by one\n"
    "\\end{algorithm}\n"
)


def test_who_names_an_algorithm_has_all_its_parts(paper: Paper) -> None:
    found = context_of(paper, STEPS, r"\emph{PEEL2} ends in linear time.")
    assert "in the bag" in found
    assert "out of the bag" in found


def test_who_names_a_part_has_that_part(paper: Paper) -> None:
    found = context_of(paper, STEPS, r"\emph{PEEL2\_loop} ends in linear time.")
    assert "out of the bag" in found
    assert "leaves in the bag" not in found


@pytest.mark.parametrize("label", ["", "\\label{alg}"])
def test_an_algorithm_in_a_float_is_found_by_the_name_in_its_caption(
    paper: Paper, label: str
) -> None:
    say = FLOAT.replace("\\end{algorithm}", f"{label}\\end{{algorithm}}")
    proof = "\\begin{proof} By what \\textsc{PeelLeaves} does. \\end{proof}"
    assert "strip the twigs" in context_of(paper, say, "All is well.", proof)
    assert "strip the twigs" not in context_of(paper, say, "All is well.")


def test_an_algorithm_that_floats_behind_its_theorem_is_found(paper: Paper) -> None:
    theorem = "\\begin{theorem}\\label{t} \\textsc{PeelLeaves} ends. \\end{theorem}\n"
    state = paper(f"\\section{{One}}\n{theorem}{PROOF}{FLOAT}")
    assert "strip the twigs" in render(state.document, "t", state.paper.texts)


PEEL = (
    "\\textbf{Algorithm} \\textsc{Peel}\n\nPrecondition: there is a leaf.\n\n"
    "\\begin{enumerate}\\item Strip the twigs.\\item Burn them.\\end{enumerate}\n\nWe go on.\n"
)
HEADED = "\\subsection{Algorithm \\textsc{Peel}}\nWe strip the twigs.\n\nBurn them.\n"


@pytest.mark.parametrize("say", [PEEL, HEADED])
@pytest.mark.parametrize("words", [r"\textsc{Peel} ends.", "The algorithm ends."])
def test_all_of_an_algorithm_is_there_where_it_is_named_or_meant(
    paper: Paper, say: str, words: str
) -> None:
    theorem = f"\\begin{{theorem}}\\label{{t}} {words} \\end{{theorem}}\n{PROOF}"
    state = paper(f"\\section{{One}}\n{say}\n\\subsection{{Speed}}\n{theorem}")
    found = render(state.document, "t", state.paper.texts)
    assert "trip the twigs" in found and "Burn them" in found
    assert "We go on" not in found


def test_the_algorithm_is_none_of_another_section_and_none_behind(paper: Paper) -> None:
    say = "The algorithm works as follows. Strip the twigs.\n"
    theorem = f"\\begin{{theorem}}\\label{{t}} The algorithm ends. \\end{{theorem}}\n{PROOF}"
    for text in (f"\\section{{One}}\n{say}\\section{{Two}}\n{theorem}", f"{theorem}\n{say}"):
        state = paper(f"\\section{{Zero}}\n{text}")
        assert not members(state.document, "t")


def test_a_step_that_the_proof_does_not_have_is_one_of_the_algorithm(paper: Paper) -> None:
    theorem = "\\begin{theorem}\\label{t} All is well. \\end{theorem}\n"
    proof = "\\begin{proof} Twigs are lost in Step 2. \\end{proof}\n"
    state = paper(
        f"\\section{{One}}\n{PEEL}\nThe procedure works as follows. Wait.\n\n{theorem}{proof}"
    )
    found = render(state.document, "t", state.paper.texts)
    assert "Burn them" in found and "Wait" not in found
    (need,) = [one for one in needs_of(state, "t") if one.via]
    assert need.key == "Step 2"


def test_a_proof_that_stands_elsewhere_has_what_its_statement_has(paper: Paper) -> None:
    theorem = "\\begin{theorem}\\label{t} All is well. \\end{theorem}\n"
    proof = "\\begin{proof}[Proof of Theorem \\ref{t}] The algorithm ends. \\end{proof}\n"
    state = paper(f"\\section{{One}}\n{PEEL}\n{theorem}\\section{{Late}}\n{IDLE}{proof}")
    assert "Burn them" in render(state.document, "t", state.paper.texts)


def test_a_picture_is_no_algorithm(paper: Paper) -> None:
    say = (
        "\\begin{figure}\\includegraphics{x}\\caption{\\textsc{PeelLeaves} at work}\\label{f}"
        "\\end{figure}\n"
    )
    state = paper(
        f"\\section{{One}}\nSee \\ref{{f}}.\n{say}\\begin{{theorem}}\\label{{t}}"
        f" \\textsc{{PeelLeaves}} ends. \\end{{theorem}}\n{PROOF}"
    )
    assert not members(state.document, "t")


ENDS = (
    "\\section{Two}\n"
    "\\begin{theorem}\\label{t} The procedure \\texttt{peel\\_all} ends. \\end{theorem}\n"
)
ABOUT = "\\texttt{peel\\_all}"
PROCEDURE = f"\\subsection{{Procedure {ABOUT}}}\n"


def told_of(paper: Paper, text: str, behind: str = "") -> str:
    """What stands above a theorem about a procedure that a text describes."""
    state = paper(f"\\section{{One}}\n{text}\n\n{ENDS}{PROOF}{behind}")
    return render(state.document, "t", state.paper.texts).partition("# To be checked")[0]


@pytest.mark.parametrize("name", ["proof", "lemma", "remark"])
@pytest.mark.parametrize("heading", ["Procedure", "Analysis of procedure"])
def test_a_heading_in_a_statement_or_a_proof_tells_of_no_procedure(
    paper: Paper, name: str, heading: str
) -> None:
    inner = f"We argue. \\paragraph{{{heading} {ABOUT}}} It is secret.\n\n"
    text = f"\\begin{{lemma}} A hedge. \\end{{lemma}}\n\\begin{{{name}}}{inner}\\end{{{name}}}"
    assert "secret" not in told_of(paper, f"{text}\nThat was secret too.\n")


@pytest.mark.parametrize("name", ["lemma", "proof", "remark"])
def test_what_stands_under_a_heading_ends_where_a_statement_begins(paper: Paper, name: str) -> None:
    text = f"{PROCEDURE}Strip the twigs.\n\\begin{{{name}}} A secret. \\end{{{name}}}\nA secret."
    found = told_of(paper, text)
    assert "Strip the twigs" in found and "secret" not in found


@pytest.mark.parametrize(
    "behind",
    [
        "\\bibliographystyle{plain}\nSecrets.",
        "\\begin{thebibliography}{9}\\bibitem{a} Secrets.\\end{thebibliography}",
        "\\appendix\nSecrets.",
        "\\end{document}\nSecrets.",
    ],
)
def test_what_stands_under_a_heading_ends_before_the_back_matter(paper: Paper, behind: str) -> None:
    found = told_of(paper, "", f"{PROCEDURE}Strip the twigs.\n{behind}")
    assert "Strip the twigs" in found and "ecrets" not in found and "plain" not in found


def test_a_float_under_a_heading_is_told_of_by_itself(paper: Paper) -> None:
    text = f"{PROCEDURE}Strip the twigs.\n{FLOAT}\nBurn them.\n"
    found = told_of(paper, text)
    assert "Strip the twigs. Burn them." in found and "\\caption" not in found
    proof = "\\begin{proof} By what \\textsc{PeelLeaves} does. \\end{proof}"
    assert "\\caption" in context_of(paper, text, "A \\texttt{peel\\_all}.", proof)


WAYS = [
    "\n",
    "\n% a note on twigs\n",
    "\n          ",
    "\n\\iffalse\nNever.\n\\fi\n",
    "\n\\label{l}\n",
]


@pytest.mark.parametrize("way", WAYS)
def test_how_much_is_told_of_a_procedure_is_no_matter_of_layout(paper: Paper, way: str) -> None:
    steps = "".join(f"Strip twig {number} and go on.@\n" for number in range(180))
    listed = f"The procedure {ABOUT} works as follows,@ as long as there is a leaf to@ strip.\n\n"
    listed += "It needs a tree,@ and@\n\n\\begin{enumerate}@\\item Strip@ it.\\item Burn it."
    for text in (PROCEDURE + steps, f"{listed}\\end{{enumerate}}\n"):
        shown = told_of(paper, text.replace("@", way))
        assert shown == told_of(paper, text.replace("@", "\n"))
        assert "twig 179" in shown or "Burn it." in shown


def test_under_a_heading_whole_paragraphs_are_told_of_or_none(paper: Paper) -> None:
    short, long = "Strip the twigs.\n\n", "We wait for rain and sing. " * 240
    assert "Strip the twigs.\n" in told_of(paper, PROCEDURE + short + long)
    assert not told_of(paper, PROCEDURE + long)


def test_a_procedure_is_told_of_from_its_announcement_on(paper: Paper) -> None:
    said = f"Smith told us secrets. The procedure {ABOUT} works as follows. Strip the twigs."
    found = told_of(paper, f"{said} " + "We wait for rain and sing. " * 400)
    assert "secrets" not in found and "Strip the twigs." in found
    assert 5_000 < len(found) < 7_000 and found.rstrip().endswith("sing.")
    items = "\\item We wait for rain. " * 400
    listed = told_of(paper, f"{said}\n\\begin{{enumerate}} {items}\\end{{enumerate}}\n")
    assert len(listed) < 7_000
