"""What a sentence brings in, and how strongly."""

import re
from collections.abc import Iterator

import pytest

from pfcore.latex.language import definienda
from pfcore.latex.language.definienda import whole_term
from pfcore.latex.language.formula_keys import (
    DESCRIBES,
    EQUATES,
    MENTIONS,
    NAMES,
    STATES,
    SUPPOSES,
    TAKES,
)
from pfcore.latex.language.introductions import (
    CuedText,
    agrees,
    assumption_names,
    introduced,
    introduced_in,
)
from pfcore.latex.language.notation import sentences

STRENGTHS = {
    r"Let $R$ be a ring.": {"#R": TAKES},
    r"Let $X$ be a space and $V$ a subset.": {"#X": TAKES, "#V": TAKES},
    r"We write $\nu_2(n)$ for the exponent of two.": {r"#\nu_2": NAMES},
    r"Then $\Theta_k:=2^k$.": {r"#\Theta_k": STATES, r"#\Theta_•": STATES},
    r"For integers define $m\lhd n$ to mean that $m$ divides $n$.": {r"#\lhd": NAMES},
    r"The unit is denoted by $e_0$.": {"#e_0": NAMES},
    r"We assume that $\mathcal{K}$ is closed.": {r"#\mathcal{K}": SUPPOSES},
    r"A ring is \emph{tame} if all is well.": {"tame": STATES},
    r"A graph is said to be brown if it has no triangle.": {"brown": STATES},
    r"By a hedge we mean a union of trees.": {"hedge": STATES},
    r"We define three things $\mathcal{M}_i, \mathcal{M}_j$ and $\mathcal{M}_g$, all alike.": {
        r"#\mathcal{M}_i": NAMES, r"#\mathcal{M}_j": NAMES, r"#\mathcal{M}_g": NAMES,
        r"#\mathcal{M}_•": NAMES,
    },
    r"Write $\tilde u=\frac{u}{1+u}$ for each $u\ne-1$.": {
        r"#\tilde{u}": NAMES,
        r"#•\tilde": NAMES,
    },
    r"Write $\tilde u=\frac{u}{1+u}$ for this $u\ne-1$.": {r"#\tilde{u}": NAMES},
    r"We write $u^+, u^-$ for the two maps.": {"#u^+": NAMES, "#u^-": NAMES},
    r"A \emph{subgraph} of a graph contains a subset of it.": {"subgraph": STATES},
    r"That integer is the \emph{characteristic} of the ring.": {"characteristic": STATES},
    r"We define ${\mathcal{M}_\mathrm{iso}},{\mathcal{M}_\mathrm{inj}}$ so.": {
        r"#\mathcal{M}_\mathrm{iso}": NAMES, r"#\mathcal{M}_\mathrm{inj}": NAMES,
    },
    r"Then $\mathcal{K}\mathbin{:=}1$.": {r"#\mathcal{K}": STATES},
    r"Then $\mathcal{K}\mathrel{\mathop{:=}}1$.": {r"#\mathcal{K}": STATES},
    r"The norm is defined on $X$ by a formula.": {"norm": STATES, "norme": STATES},
    r"Otherwise, a beam is \emph{sinkable}.": {"sinkable": STATES},
    r"For $x\in X$, $h_x$ is defined as its height.": {"#h_x": NAMES, "#h_•": NAMES},
    r"A \emph{cut} in a network is a set of edges.": {"cut": STATES},
    r"The \emph{key} idea is the set of edges.": {},
    "Recall that the girth of a graph is the length of a cycle.": {"girth": STATES},
    "We say that a domain satisfies the cone condition if it is small.": {
        "cone condition": STATES
    },
    "By $p$ we always mean an odd prime.": {"#p": NAMES},
    r"Sei $K$ ein Körper.": {"#K": TAKES},
    r"Soit $A$ un anneau.": {"#A": TAKES},
    r"On note $\mathcal{S}_n$ l'ensemble.": {r"#\mathcal{S}_n": NAMES, r"#\mathcal{S}_•": NAMES},
    r"(A1): the function is bounded.": {"@A1": STATES},
    r"Then $\partial_1f(x):=\partial f(x)/2$.": {r"#\partial_1": STATES},
    r"Then $Sx:=x\diamond x$.": {"#S": STATES},
    r"Then $2^n:=4$.": {},
    r"Then $f(x,y):=y$.": {"#f(": STATES, "#f": STATES},
    r"Then $\mathcal{F}(f)(y)=\hat f(y):=y$.": {
        r"#\mathcal{F}(": STATES, r"#\mathcal{F}": EQUATES, r"#\hat{f}(": STATES,
        r"#\hat{f}": EQUATES,
    },
    r"Then $v\in X:=Y$.": {"#X": STATES},
    r"Then $m\lhd n:=2$.": {r"#\lhd": STATES},
    r"These form a \emph{linked pair} --- two that commute.": {"linked pair": STATES},
    r"A surjection is \underline{sharp} if so.": {"sharp": STATES},
    r"A tree is called \emph{lopsided (or oblique)} if so.": {
        "lopsided or oblique": STATES, "lopsided": STATES,
    },
    r"One possible way is to fix $\Psi_1$ somewhere.": {},
    r"A ring is called $k$-tame whenever so.": {"tame": EQUATES, "-tame": STATES},
    r"We say that the law is absorbing.": {"absorbing": STATES},
    r"Let $K$ be a compact space, $X$ a Hausdorff space and $f\colon K\to X$ a continuous map.": {
        "#K": TAKES, "#X": TAKES, "#f": TAKES,
    },
    r"The image $L=f(K)$ is not empty.": {"#L": EQUATES},
    r"Hence the number $n=3$ works.": {},
    r"For a ring $R$ let $E(R)$ be the set of idempotents in $R$.": {
        r"#•E(": NAMES, "#E(": TAKES,
    },
    r"As usual, the value $g(n)$ of a place is the least number beyond.": {r"#•g(": NAMES},
    r"The function $f(x)$ jumps and $y$ is the root.": {"#y": DESCRIBES},
}  # fmt: skip


@pytest.mark.parametrize("sentence", STRENGTHS)
def test_a_sentence_brings_in(sentence: str) -> None:
    found = introduced(sentence)
    assert {key: how for key, how in found.items() if how > MENTIONS} == STRENGTHS[sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        r"The set of all even numbers is dense.",
        r"The order of $n$ is even.",
        r"\emph{Roughly}, a ring is tame if so; loosely speaking.",
        r"This is \emph{clearly} so.",
        r"It follows that $\mathcal{A}$ is closed.",
        r"We can choose $\mathcal{A}$ or not.",
        r"We take full advantage of what $\mathcal{A}$ provides.",
        r"Before we define the class of $\mathcal{A}$ it is so.",
        r"Our goal is to define things such as $\mathcal{A}$.",
        r"One may think of rings as \emph{polynomial} functors.",
        r"The order of \emph{chains} is preserved there.",
        r"On the contrary, the \emph{heaviest tree} is chosen.",
        r"Of marbles, every \emph{prefix} of the sequence has as many.",
        r"These samples of \emph{work} are a different process.",
        r"The rank is defined on the set of numbers, without the unit.",
        r"The power set of the set of unknown values, without the least unit $\mathcal{K}_0$.",
        r"In the Appendix, we consider a general process $(X_t)_{t\ge0}$ and prove an equation.",
        r"In the next section, let $\mathfrak{p}$ be a prime.",
        r"The bracket is given by a formula.",
        r"Recall that a polynomial $p\cong q$ is a family.",
        r"We know that the prime ideals of $R$ are given by $(p)$.",
        r"To prove that $P(n)$ `holds' for all $n$ we go on.",
        r"The axioms are what the ``leaves'' are here.",
        r"\textbf{Lean remark}: it is so.",
        r"\textbf{Proof of the main result:} it is so.",
        r"This is stated in the \emph{last} definition, in other terms.",
    ],
)
def test_a_sentence_brings_in_nothing(sentence: str) -> None:
    assert all(how < SUPPOSES for how in introduced(sentence).values())


@pytest.mark.parametrize(
    "place",
    ["In Section 2", "In Sections 2 and 3", "In sectional terms", "In the following sections"],
)
def test_a_place_that_may_be_this_one_takes_what_it_lets(place: str) -> None:
    assert introduced(rf"{place}, let $\mathfrak{{p}}$ be a prime.")[r"#\mathfrak{p}"] == TAKES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"The norm is \[\mathcal{N}(I)\,=[O:I].\]", r"The norm is \[\mathcal{N}(I)=[O:I].\]"),
        (r"We write $A\leq_mB$ if so.", r"We write $A\le_mB$ if so."),
        (r"Then $f\bigl(x_1\bigr)\;:=\left(y\right)$.", r"Then $f(x_{1}):=(y)$."),
        (r"Let $\mathcal F_{\geqslant 0}$ be one.", r"Let $\mathcal{F}_{\ge0}$ be one."),
    ],
)
def test_how_a_formula_is_typed_makes_no_difference(one: str, other: str) -> None:
    assert introduced(one) == introduced(other)
    assert any(how > MENTIONS for how in introduced(one).values())


@pytest.mark.parametrize(
    "condition",
    [
        r"Any map $R$ with $\mathcal{R}(0)=1$.",
        r"The least $k$, for which $\mathcal{R}(k)=\mathcal{R}$, is so.",
        r"For any $\phi$, $\mathbb{E}[\phi(X)\mid Z]=\mathbb{E}[X]$ implies that $\phi$ is thin.",
    ],
)
def test_a_definition_states_nothing_of_what_it_only_supposes(condition: str) -> None:
    found = introduced_in(condition, is_definition=True)
    assert not {r"#\mathcal{R}(", r"#\mathbb{E}(", r"#\mathbb{E}"} & {
        key for key, how in found.items() if how >= EQUATES
    }


def test_a_definition_states_what_it_equates_and_what_it_says_to_be_something() -> None:
    text = r"A tree. \[R(A)=1\] Then $\mathcal{D}$ is the sum. Here $f(x)=2$ and $\mathsf{s}:T$."
    found = introduced_in(text, is_definition=True)
    assert {key for key, how in found.items() if how >= NAMES} == {
        "#R(", r"#\mathcal{D}", r"#\mathsf{s}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"A process $X:T\to E$ is said to be adapted if so.", {"adapted"}),
        (
            r"The prime of the form $2^p-1$ is called \emph{mersenne}, where $p$ is prime.",
            {"mersenne"},
        ),
        (r"The least number $n$ for which $x^2=1$ is called the order.", {"order"}),
        (r"We denote by $Z$ the \emph{centre}.", {"#Z"}),
        (r"Define the \emph{form} $\Delta$ by \[\Delta(z)=1.\]", {"form", r"#\Delta(", r"#\Delta"}),
    ],
)
def test_letters_that_only_a_definition_speaks_of_are_its_own(
    text: str, expected: set[str]
) -> None:
    found = introduced_in(text, is_definition=True)
    assert {key for key, how in found.items() if how in (EQUATES, NAMES, STATES)} == expected


def test_what_a_definition_says_of_every_such_thing_is_its_own() -> None:
    text = r"It is safe if for every slow adversary $\mathcal{A}=\{\mathcal{A}_n\}$ it holds."
    found = introduced_in(text, is_definition=True)
    assert found[r"#\mathcal{A}"] < SUPPOSES


def test_by_conventional_means_is_no_convention() -> None:
    assert agrees("By convention, trees are finite.")
    assert not agrees("Note that it is achieved by conventional analyses.")
    assert not agrees("This follows \\cite{x} unless otherwise stated.")


def test_a_piece_of_a_program_tells_no_meaning() -> None:
    text = r"$last(f)\leftarrow t$ $\mathbf{if}$ \emph{path} is set then $\mathcal{F}\leftarrow 2$."
    assert introduced(text) == {r"#\mathcal{F}": MENTIONS}


@pytest.mark.parametrize(
    "written", [r"\text{if}", r"\text{otherwise.}", r"\mbox{for all}", r"\sumfont"]
)
def test_words_and_fonts_in_a_formula_are_no_symbols(written: str) -> None:
    assert not introduced(rf"We write ${written}$ for the unit.")


def test_a_letter_of_an_example_is_its_own() -> None:
    assert introduced(r"For example, $x\in\{1,2\}$ denotes a sample of $\mathcal{D}$.") == {
        r"#\mathcal{D}": MENTIONS
    }


def test_a_term_ends_before_the_words_that_lead_to_a_formula() -> None:
    assert [whole_term(term) for term in ("position of", "from to", "in probability")] == [
        "position", "", "in probability",
    ]  # fmt: skip


def test_a_letter_that_only_varies_is_not_supposed_of() -> None:
    found = introduced(r"Assume that $\mathcal{K}_0=\mathcal{K}_1$ for all $x$.")
    assert set(found) == {r"#\mathcal{K}_0", r"#\mathcal{K}_1"}


def test_sentences_end_behind_formulas_and_never_in_them() -> None:
    assert [item.strip() for item in sentences("Let $a. b$ be. Cf. Euler. Done")] == [
        "Let $a. b$ be.",
        "Cf. Euler.",
        "Done",
    ]


def test_names_of_assumptions_are_given_or_used() -> None:
    assert assumption_names(r"\textup{(A1)}: it is so.") == [("@A1", True)]
    assert assumption_names("Under (H2) it is so.") == [("@H2", False)]
    assert assumption_names("f(X) and (1)") == []
    assert assumption_names(r"(A1) $\Rightarrow$ (A2)") == [("@A1", False), ("@A2", False)]
    assert assumption_names("(A1), (A2) imply it.") == [("@A1", False), ("@A2", False)]


@pytest.mark.parametrize("joint", ["--", "-", " to ", "~through ", "\u2013", " bis ", " à "])
def test_a_range_of_names_names_those_between(joint: str) -> None:
    names = dict(assumption_names(f"Under (A1){joint}(A4) it is so."))
    assert names == {f"@A{number}": False for number in (1, 2, 3, 4)}


def test_cued_stretches_are_found() -> None:
    text = "Nothing of note here or so. Let $R$ be a ring."
    cued = CuedText(text)
    assert cued.has(28, len(text))
    assert not CuedText("The order is even.").has(0, 18)


class _Counted:
    """A pattern that counts how many characters are searched through with it."""

    searched = 0

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else end
        found = self._pattern.search(text, start, end)
        _Counted.searched += (found.end() if found else end) - start
        return found

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._pattern.match(text, start)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Counted]]:
    patterns = {name: _Counted(one) for name, one in definienda._around_terms().items()}
    monkeypatch.setattr(definienda, "_around_terms", lambda: patterns)
    definienda._languages.cache_clear()
    yield _Counted
    definienda._languages.cache_clear()


@pytest.mark.parametrize(
    "piece",
    [
        r"a set is called \emph{tame%s} if it is small, ", "is called tame%s if ",
        r"a \emph{cut%s} in ", r"{\em cut%s} is ", "we say that a set is tame%s when ",
    ],
)  # fmt: skip
def test_a_sentence_of_many_terms_is_searched_in_proportion_to_its_length(
    counted: type[_Counted], piece: str
) -> None:
    searched = []
    for count in (50, 100):
        counted.searched = 0
        introduced("".join(piece % chr(97 + number % 26) for number in range(count)) + ".")
        searched.append(counted.searched)
    assert 0 < searched[1] < 3 * searched[0]


SHAPES = {
    r"We write $\langle x\rangle$ for the jump of $x$.": {r"#•\langle•\rangle"},
    r"We put $\langle x\rangle=1+x$.": {r"#•\langle•\rangle"},
    r"Here $[x,y]$ denotes the jump.": {"#•[•,•]"},
    r"Let $\|\cdot\|$ be a norm.": {r"#•\|•\|"},
    r"Now $|x|:=1+x$.": {"#•|a•|"},
    r"We write $M^\vee$ for the dual of a module $M$.": {r"#•^\vee"},
    r"For every ring $R$ we write $R^\times$ for its units.": {r"#•^\times"},
    r"We write $\bar z$ for the mirror of a number $z$.": {r"#•\bar"},
    r"We write $M^\vee$ for the dual of the module $M$.": set(),
    r"We write $M^\vee$ for the dual of $M$, where $N$ is a module.": set(),
    r"We set $|\mathfrak{M}|=n$ and $|A|=n$.": set(),
    r"Let $\langle A,\lessdot\rangle$ be an order.": set(),
    r"Let $|x|<1$.": set(),
    r"We write $\nu(n)$ for the number of primes.": {r"#•\nu("},
    r"Here $p(n)$ denotes the number of parts.": {"#•p("},
    r"We write $f(x,y)$ for $f(x)(y)$.": set(),
    r"Given an operator $T:V\to W$, we write $T^*:W\to V$ for its mirror.": {"#•^*"},
    r"We can write $p(x)=x-1$ as a product of primes.": set(),
    r"Let $f(x)$ be a function of the number.": set(),
}


@pytest.mark.parametrize("sentence", SHAPES)
def test_a_sentence_names_a_shape(sentence: str) -> None:
    assert {key for key in introduced(sentence) if key.startswith("#•")} == SHAPES[sentence]


LET_IN_A_DEFINITION = {
    r"Let $\mathcal{Q}$ be the class of groups.": {r"#\mathcal{Q}"},
    r"Sei $\mathcal{Q}$ die Klasse der Gruppen.": {r"#\mathcal{Q}"},
    r"Let $\mathcal{Q}$ be a class of groups.": set(),
    r"Let $n$ be the size.": set(),
    r"For a group $G$, let \[\xi_G=\sum_g g.\]": {r"#\xi_G", r"#\xi_•"},
    r"For a graph $G$, let $\hull{G}$ be the smallest one.": {r"#\hull"},
    r"Define the sum \[(1\otimes_\nabla\mathscr{D})(e)=e.\]": {
        r"#\otimes_\nabla",
        r"#\otimes_•",
    },
}


@pytest.mark.parametrize("sentence", LET_IN_A_DEFINITION)
def test_a_definition_names_by_let_what_is_one_certain_thing(sentence: str) -> None:
    found = introduced(sentence, is_definition=True)
    assert {key for key, how in found.items() if how >= NAMES} == LET_IN_A_DEFINITION[sentence]


@pytest.mark.parametrize(
    ("sentence", "key", "how"),
    [
        (r"Define $k$ binary random variables $S_j\in\{0,1\}$.", "#S_j", NAMES),
        (
            r"The estimator for $S$ is given by \[\hat{\theta}_S=\sum_i a_i.\]",
            r"#\hat{\theta}_S",
            NAMES,
        ),
        (r"We write $[s=t]_E$ for the set of all solutions.", "#]_E", NAMES),
        (r"They are equal on $V$, denoted by $\sigma=^V\theta$.", "#=^V", NAMES),
        (r"They are equal on $V$, denoted by $\sigma=^V\theta$.", "#=^•", NAMES),
        (r"The restriction of $f$ to $V$, denoted by $f|_V$, is odd.", "#|_•", NAMES),
        (
            r"We denote by $\mathcal{B}^G_{\textbf{circ}}$ the category.",
            r"#\mathcal{B}_\textbf{circ}",
            NAMES,
        ),
        (r"We denote the idempotents by $\mathbold{e}_i$.", r"#\mathbold{e}_•", NAMES),
        (r"Letting $\mathcal{E}_r=\{t:t>r\}$, it is so.", r"#\mathcal{E}_r", TAKES),
        (r"For a node $x$, let $\rim_G[x]$ denote the set of all leaves.", r"#\rim_G", NAMES),
        (r"We write $s\to_\beta t$ if $t$ is smaller.", r"#\to_\beta", NAMES),
        (
            r"We define for an arbitrary $r\le R$ the space $\mathcal{E}_r=1$.",
            r"#\mathcal{E}_•",
            NAMES,
        ),
        (r"We define, for each $r$ the space \[\mathcal{E}_r=1.\]", r"#\mathcal{E}_•", NAMES),
        (
            r"The space \[\mathcal{E}(X)=\{f:X\to1\}\] is the space of maps.",
            r"#\mathcal{E}(",
            NAMES,
        ),
        (
            r"The space \[\mathcal{E}(X)=\{f:X\to1\}\] is a space of maps.",
            r"#\mathcal{E}(",
            EQUATES,
        ),
        (r"Set $x_0=1$ for $p\in P$, $y_0=2$ for $p\in Q$ and $z_0=3$.", "#z_0", NAMES),
        (r"Set $x_0=1$ for $p\in P$, so that for $q$ it follows that $z_0=3$.", "#z_0", EQUATES),
        (r"Each player has a \emph{type} $t_j\in T$ of its own.", "#t_j", NAMES),
        (r"Each player likes \emph{type} $t_j\in T$ best.", "#t_j", MENTIONS),
        (r"Then $\hat{S}=F+1$ is the joint value.", r"#\hat{S}", NAMES),
        (r"The \emph{rim} $\rim_G(v)$ of a node $v$ is $\max_u d(u,v)$.", r"#\rim_•", NAMES),
        (r"The \emph{rim} $\rim_G(v)$ of a node $v$ is $\max_u d(u,v)$.", r"#\rim(", NAMES),
        (r"The \emph{$l$-ball} around $v$ is $B_G^l[v]=\{u\mid d(u,v)\le l\}$.", "#B^l_G", NAMES),
        (r"A \emph{rim} near $v$ is $B_G^l[v]=\{u\mid d(u,v)\le l\}$.", "#B^l_G", EQUATES),
        (r"Then for each $r$ the space $\mathcal{E}_r$ is small.", r"#\mathcal{E}_•", DESCRIBES),
    ],
)
def test_what_else_a_sentence_brings_in(sentence: str, key: str, how: int) -> None:
    assert introduced(sentence).get(key) == how


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        (
            r"To analyse costs, we use the function $\mathsf{L}$ of the last section.",
            r"#\mathsf{L}",
        ),
        (
            r"For the limit of $\hat{\theta}_S$ we require some further notation.",
            r"#\hat{\theta}_S",
        ),
        (r"Let $(x_n)_{n\in I}$ be a family.", "#)_•"),
        (r"Our first goal will be to define a norm on ideals $I$.", "#I"),
        (r"We also define a test in the group $\mathbb{J}_N$.", r"#\mathbb{J}_N"),
        (r"By $D$ we denote the group generated by $\mathcal{X}_k$.", r"#\mathcal{X}_k"),
        (r"We need the following generating set for the group $\mathcal{S}$.", r"#\mathcal{S}"),
        (r"We can write $\mathcal{S}=a+b$ in two ways.", r"#\mathcal{S}"),
        (r"We assume that $\|y_0\|_V<C$.", r"#\|_V"),
        (r"We define a test, where the factors of $N$ are known.", "#N"),
        (r"For elements $x\in X$ and $y\in Y$ we write $xRy$ if they are close.", "#x"),
    ],
)
def test_what_a_sentence_only_speaks_of(sentence: str, key: str) -> None:
    assert introduced(sentence).get(key, MENTIONS) < SUPPOSES


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        (r"A \emph{term rewriting system} (abbreviated as TRS) is a pair.", "trs"),
        ("We name it the Competition for Risk game and will write it CfR from now on.", "cfr"),
        (
            r"We say that $p$ is \textbf{selectively dominant given $Z$} if it is so.",
            "selectively dominant",
        ),
        (
            r"This is called \emph{the category of boolean functions}.",
            "category of boolean function",
        ),
        (r"The tame hull of a ring is given by its tame elements.", "tame hull"),
        (r"A ring is ``tame'' if it is so.", "tame"),
        (r"We call a ring $R$ which is so ``tame''.", "tame"),
    ],
)
def test_which_terms_else_a_sentence_brings_in(sentence: str, term: str) -> None:
    assert introduced(sentence).get(term) == STATES


def test_a_sign_that_sets_is_not_set() -> None:
    assert introduced(r"We define the unit $\mathcal{E}\vcentcolon\equiv(a,b)$.") == {
        r"#\mathcal{E}": STATES
    }


def test_a_font_in_a_formula_emphasises_no_term() -> None:
    found = introduced(
        r"We denote by $\mathbb{B}_{\textbf{circ}}$ the category, called \emph{tame}."
    )
    assert "tame" in found
    assert "circ" not in found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (r"A map satisfies (Inj) if it is steep.", [("@Inj", True)]),
        (r"We say that $X$ has property $(L)$ whenever it is lit.", [("@L", True)]),
        (r"Condition $(\star)$ holds for $X$ if it is lit.", [("@⋆", True)]),
        (r"Wir sagen, dass $f$ die Bedingung (Inj) erfüllt, wenn es steil ist.", [("@Inj", True)]),
        (r"If $f$ satisfies (Inj) whenever it is steep, all is well.", [("@Inj", False)]),
        (r"Under condition (Inj), all is well.", [("@Inj", False)]),
        (r"Suppose that $f$ satisfies (Inj).", [("@Inj", False)]),
        (r"Here $\mathcal{D}(H)$ is $f(L)$.", []),
        (r"It is \[x=1. \tag{$\ast$}\]", [("@∗", True)]),
    ],
)
def test_a_sentence_that_says_when_a_condition_holds_gives_its_name(
    text: str, names: list[tuple[str, bool]]
) -> None:
    assert assumption_names(text) == names


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (r"The sum is finite, $\sum_g w(g)=:\mathsf{W}$.", r"#\mathsf{W}"),
        (r"It is finite, $\sum_g w(g)\eqqcolon\mathsf{W}$.", r"#\mathsf{W}"),
        (r"$\mathcal{Q}$ & the set of pebbles", r"#\mathcal{Q}"),
        (r"\begin{description} \item [$\mathcal{Q}$] the set of pebbles", r"#\mathcal{Q}"),
    ],
)
def test_what_stands_right_of_a_sign_or_heads_a_row_is_set(text: str, key: str) -> None:
    assert introduced(text)[key] >= NAMES


@pytest.mark.parametrize("text", [r"So $a=b$ & the $\mathsf{W}$ is.", r"We have $x=\mathsf{W}$."])
def test_what_merely_stands_there_is_not_set(text: str) -> None:
    assert introduced(text).get(r"#\mathsf{W}", MENTIONS) < NAMES
