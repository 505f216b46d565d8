from collections.abc import Callable, Mapping

import pytest

from pfcore.latex.numbering.counting_commands import _tokens
from pfcore.papers.rendered_numbers import Numbers

LEMMA = r"\newtheorem{lem}{Lemma}"
THM = r"\begin{thm}\label{%s}x\end{thm}"
TWO = r"\section{S}\begin{thm}\label{a}x\end{thm}\begin{lem}\label{b}x\end{lem}"

Numbered = Callable[..., dict[str, str]]
Numbering = Callable[[Mapping[str, str]], Numbers]

DECLARATIONS = {
    "each counts for itself": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}", "a=1 b=1"),
    "siblings share a counter": (
        r"\newtheorem{thm}{T}[section]\newtheorem{lem}[thm]{L}", "a=1.1 b=1.2"),
    "a counter of a heading can be a statement's": (
        r"\newtheorem{thm}[subsection]{T}\newtheorem{lem}[subsection]{L}", "a=1.1 b=1.2"),
    "without amsthm a sibling prints its elder's form": (
        r"\newtheorem{thm}{T}\newtheorem{lem}[thm]{L}\renewcommand\thelem{X}", "a=1 b=2"),
    "a starred statement has no number": (
        r"\newtheorem{thm}{T}\newtheorem*{lem}{L}", "a=1 b=?"),
    "thmtools by keys": (
        r"\declaretheorem[numberwithin=section]{thm}\declaretheorem[sibling=thm,name=L]{lem}",
        "a=1.1 b=1.2"),
    "thmtools with options behind": (
        r"\declaretheorem{thm}[within=section]\declaretheorem{lem}[numberlike=thm]", "a=1.1 b=1.2"),
    "thmtools by a style": (
        r"\declaretheoremstyle[numberwithin=section]{mine}\declaretheorem[style=mine]{thm}"
        r"\declaretheorem[sibling=thm,style=mine]{lem}", "a=1.1 b=1.2"),
    "thmtools by a style that a macro makes": (
        r"\newcommand{\mk}[2]{\declaretheoremstyle[numberwithin=#2,numbered=yes]{#1}}"
        r"\mk{mine}{section}\declaretheorem[style=mine]{thm}\declaretheorem{lem}", "a=1.1 b=1"),
    "thmtools without number": (
        r"\declaretheorem{thm}\declaretheorem[numbered=no]{lem}", "a=1 b=?"),
    "thmtools numbered unless unique": (
        r"\declaretheorem{thm}\declaretheorem[numbered=unless unique]{lem}", "a=1 b=?"),
    "thmtools makes siblings print by their own form": (
        r"\usepackage{thmtools}\newtheorem{thm}{T}\newtheorem{lem}[thm]{L}"
        r"\renewcommand{\thelem}{L\arabic{lem}}", "a=1 b=L2"),
    "keytheorems": (
        r"\newkeytheorem{thm}[parent=section]\newkeytheorem{lem}[sibling=thm]", "a=1.1 b=1.2"),
    "mdframed": (
        r"\newmdtheoremenv[linewidth=1pt]{thm}{T}[section]\newmdtheoremenv{lem}[thm]{L}",
        "a=1.1 b=1.2"),
    "an unknown elder is uncertain": (
        r"\newtheorem{thm}{T}\newtheorem{lem}[nothing]{L}", "a=1 b=?"),
    "an unknown counter to count within is uncertain": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}[lecture]", "a=1 b=?"),
    "Springer's command": (
        r"\spnewtheorem{thm}{T}[section]{\bf}{\it}\spnewtheorem{lem}[thm]{L}{\bf}{\it}",
        "a=1.1 b=1.2"),
    "aliascnt": (
        r"\newtheorem{thm}{T}\newaliascnt{lem}{thm}\newtheorem{lem}[lem]{L}"
        r"\aliascntresetthe{lem}\aliascntresetthe{thm}", "a=1 b=2"),
    "macros that declare": (
        r"\newcommand{\defthm}[2]{\newaliascnt{#1}{thm}"
        r"\newtheorem{#1}[#1]{#2}\aliascntresetthe{#1}}"
        r"\newtheorem{thm}{T}[section]\defthm{lem}{Lemma}", "a=1.1 b=1.2"),
    "macros that declare with what stands behind them": (
        r"\newcommand{\nt}{\newtheorem}\newcommand{\own}[1]{\expandafter\let\csname #1\endcsname"
        r"\relax\newtheorem{#1}}\nt{thm}{T}[section]\own{lem}[thm]{L}", "a=1.1 b=1.2"),
    "theorem makers by def": (
        r"\def\maker#1#2{\newtheorem{#1}{#2}[section]}\maker{thm}{T}\let\nt\newtheorem"
        r"\nt{lem}[thm]{L}", "a=1.1 b=1.2"),
    "aliases of definers": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\newcommand{\renc}{\renewcommand}"
        r"\renc{\thethm}{\Alph{thm}}\let\ren\renewcommand\ren\thelem{\roman{lem}}", "a=A b=i"),
    "what a hook does where the appendix begins": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\AtAppendix{\counterwithin{lem}{section}}"
        r"\makeatletter\g@addto@macro\appendix{\counterwithin{thm}{section}}\makeatother",
        "a=1 b=1"),
    "makers that loop over words": (
        r"\newtheorem{thm}{T}[section]\newcommand{\mk}[1]{\newtheorem{#1}[thm]{#1}}"
        r"\newcommand{\mks}[1]{\forcsvlist{\mk}{#1}}\mks{lem, prop}", "a=1.1 b=1.2"),
    "styles without numbers": (
        r"\usepackage{ntheorem}\newtheorem{thm}{T}\theoremstyle{nonumberplain}\newtheorem{lem}{L}",
        "a=1 b=1"),
    "a counter within another, by hand": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\@addtoreset{thm}{section}"
        r"\@addtoreset{lem}{section}\@removefromreset{lem}{section}\makeatother"
        r"\setcounter{thm}{7}\setcounter{lem}{7}", "a=1 b=8"),
    "counterwithin with its own style": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\counterwithin[\Alph]{thm}{section}"
        r"\counterwithin*{lem}{section}", "a=1.A b=1"),
    "counterwithout": (
        r"\newtheorem{thm}{T}[section]\newtheorem{lem}{L}[section]\counterwithout{thm}{section}"
        r"\counterwithout*{lem}{section}", "a=1 b=1.1"),
    "counters that are one": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\let\c@lem\c@thm\makeatother",
        "a=1 b=2"),
    "counters that are one, by a definition": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\def\c@lem{\c@thm}\makeatother",
        "a=1 b=2"),
    "counters that are one, by computed names": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}"
        r"\expandafter\def\csname c@lem\endcsname{\csname c@thm\endcsname}", "a=1 b=2"),
    "counters that are one in the whole document, from within a group": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter{\global\let\c@lem\c@thm}", "a=1 b=2"),
    "counters that are one in a group": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter{\def\c@lem{\c@thm}}", "a=? b=?"),
    "counters that are one in a group, by let": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\begingroup\let\c@lem\c@thm\endgroup",
        "a=? b=?"),
    "a counter that is more than another": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\def\c@lem{\x\c@thm}\makeatother",
        "a=1 b=?"),
    "a counter that is nothing": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter\let\c@lem\c@nothing\makeatother",
        "a=1 b=?"),
    "styles of numbers": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\renewcommand\thethm{\Roman{thm}--\roman{section}}"
        r"\makeatletter\def\thelem{\@Alph\c@lem\fnsymbol{lem}}\makeatother", "a=I--i b=A*"),
    "a printed form taken over": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\let\thelem\thesection\let\thethm\relax",
        "a=? b=1"),
    "a printed form with an unknown command": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\renewcommand\thethm{\ref{x}}"
        r"\renewcommand\thelem{\mine.\arabic{lem}}\newcommand{\mine}{M}", "a=? b=M.1"),
    "a printed form evaluated at once": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\edef\thethm{K}", "a=K b=1"),
    "primes and fonts": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\renewcommand\thethm{\textbf{\arabic{thm}}$'$}"
        r"\renewcommand\thelem{\csname thesection\endcsname.\number\value{lem}\the\value{lem}}",
        "a=1' b=1.11"),
    "a hook that steps a counter": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\apptocmd{\x}{\stepcounter{lem}}{}{}"
        r"\pretocmd{\x}{\y}{}{}", "a=1 b=?"),
    "a counter touched by hand": (
        r"\newtheorem{thm}{T}\newtheorem{lem}{L}\makeatletter"
        r"\global\advance\c@lem by 1\makeatother",
        "a=1 b=2"),
    "a condition that is known": (
        r"\newif\ifx@y\x@ytrue\ifx@y\newtheorem{thm}{T}\else\newtheorem{thm}{T}[section]\fi"
        r"\newtheorem{lem}[thm]{L}", "a=1 b=2"),
    "a condition that is unknown": (
        r"\newtheorem{lem}{L}\ifnum\pdfversion<3 \newtheorem{thm}{T}\else"
        r"\newtheorem{thm}{T}[section]\fi", "a=? b=1"),
    "a condition without consequence": (
        r"\newtheorem{lem}{L}\newtheorem{thm}{T}\ifpdf\else\fi\iftrue\fi", "a=1 b=1"),
    "what waits for the document's begin": (
        r"\AtBeginDocument{\newtheorem{lem}[thm]{L}}\newtheorem{thm}{T}", "a=1 b=2"),
    "another environment around": (
        r"\newtheorem{thm}{T}\newtheorem{inner}[thm]{L}"
        r"\newenvironment{lem}{\begin{center}\begin{inner}}{\end{inner}\end{center}}", "a=1 b=2"),
    "an old environment under a new name": (
        r"\newtheorem{thm}{T}\newtheorem{lem}[thm]{L}\let\oldlem\lem\let\endoldlem\endlem"
        r"\renewenvironment{lem}{\begin{oldlem}}{\end{oldlem}}", "a=1 b=2"),
    "commands instead of begin and end": (
        r"\newtheorem{thm}{T}\newtheorem{inn}[thm]{L}\newenvironment{lem}{\inn}{\endinn}",
        "a=1 b=2"),
    "booleans and toggles": (
        r"\newboolean{u}\setboolean{u}{true}\newtoggle{v}\ifthenelse{\boolean{u}}"
        r"{\newtheorem{thm}{T}}{}\iftoggle{v}{}{\newtheorem{lem}[thm]{L}}", "a=1 b=2"),
    "what is defined": (
        r"\makeatletter\@ifundefined{thechapter}{\newtheorem{thm}{T}}{\newtheorem{thm}{T}[part]}"
        r"\@ifclassloaded{book}{}{\newtheorem{lem}[thm]{L}}\makeatother", "a=1 b=2"),
}  # fmt: skip


def expected(text: str) -> dict[str, str]:
    return dict(item.split("=", 1) for item in text.split())


@pytest.mark.parametrize("name", DECLARATIONS)
def test_statements_are_counted_as_they_are_declared(name: str, numbered: Numbered) -> None:
    preamble, numbers = DECLARATIONS[name]
    assert numbered(preamble, TWO) == expected(numbers)


DISPLAYS = {
    "one number for each row": (r"\begin{align}a\label{a}\\b\label{b}\end{align}", "a=1 b=2"),
    "a row more behind the last": (
        r"\begin{gather}a\\\end{gather}\begin{equation}\label{a}\end{equation}", "a=3"),
    "rows within braces and environments are none": (
        r"\begin{align}\substack{a\\b}\begin{cases}c\\d\end{cases}\\ \label{a}\end{align}", "a=2"),
    "a label in a row without number goes to the next": (
        r"\begin{align}a\label{a}\nonumber\\b\notag\\c\end{align}", "a=1"),
    "a label in the last row without number is lost": (
        r"\begin{align}a\\b\label{b}\notag\end{align}", ""),
    "tags": (
        r"\begin{align}a\tag{x}\label{a}\\b\label{b}\tag*{$\star$}\\c\label{c}\end{align}",
        "a=x b=? c=1"),
    "a tag in a display without numbers": (
        r"\[x\tag{T}\label{a}\]\begin{equation*}\label{b}\end{equation*}\[y\label{c}\]",
        "a=T b=? c=?"),
    "an equation without number lends the next": (
        r"\begin{equation}\nonumber\label{a}\end{equation}\begin{equation}\label{b}\end{equation}",
        "a=1 b=1"),
    "eqnarray": (
        r"\begin{eqnarray}a\nonumber\label{a}\\b\label{b}\\c\nonumber\end{eqnarray}"
        r"\begin{equation}\label{c}\end{equation}", "a=1 b=1 c=2"),
    "multline has one": (
        r"\begin{multline}a\\b\\c\label{a}\end{multline}\begin{equation}\label{b}\end{equation}",
        "a=1 b=2"),
    "starred have none": (
        r"\begin{align*}a\\b\end{align*}\begin{equation}\label{b}\end{equation}", "b=1"),
    "subequations": (
        r"\begin{subequations}\label{s}\begin{align}a\label{a}\\b\label{b}\end{align}"
        r"\end{subequations}\begin{equation}\label{c}\end{equation}", "s=1 a=1a b=1b c=2"),
    "macros for displays": (
        r"\be x\label{a}\ee \begin{eqs}a\nn b\label{b}\end{eqs}", "a=1 b=2"),
    "words between rows": (
        r"\begin{align}a\intertext{x}b\label{a}\\[2pt] \shortintertext{y}c\label{b}\end{align}",
        "a=2 b=3"),
    "a number made by hand": (
        r"\begin{align*}a\addtocounter{equation}{1}\tag{\theequation}\label{a}\end{align*}", "a=1"),
    "cases with numbers": (
        r"\begin{numcases}{x}a\\b\cr c\label{a}\end{numcases}", "a=3"),
    "empheq": (
        r"\begin{empheq}[left=\{]{align}a\\b\label{a}\end{empheq}"
        r"\begin{equation}\label{b}\end{equation}", "a=2 b=3"),
    "packages that number otherwise are uncertain": (
        r"\begin{dmath}a\label{a}\end{dmath}\begin{equation}\label{b}\end{equation}", "a=? b=?"),
    "an environment that is put together at its end is uncertain": (
        r"\begin{envi}x\end{envi}\begin{equation}\label{b}\end{equation}", "b=?"),
    "nested displays": (
        r"\begin{equation}\mbox{\[y\]}\begin{split}a\\b\end{split}\label{a}\end{equation}", "a=1"),
    "a display that nothing closes": (
        r"\begin{equation}\label{z} \section{A}\label{a}", "a=1"),
    "numbers of IEEE rows asked for by hand": (
        r"\begin{IEEEeqnarray}{rl}a\IEEEyesnumber\label{a}\end{IEEEeqnarray}", "a=?"),
}  # fmt: skip
OWN = (
    r"\usepackage{amsmath,amsthm}\newcommand{\be}{\begin{equation}}\def\ee{\end{equation}}"
    r"\newcommand{\nn}{\nonumber\\}\newenvironment{eqs}[1][]{\begin{align}}{\end{align}}"
    r"\NewEnviron{envi}{\begin{align}\BODY\end{align}}"
)


@pytest.mark.parametrize("name", DISPLAYS)
def test_equations_are_counted_row_by_row(name: str, numbered: Numbered) -> None:
    body, numbers = DISPLAYS[name]
    assert numbered(OWN, body) == expected(numbers)


@pytest.mark.parametrize(
    "preamble", [r"\usepackage{autonum}", r"\mathtoolsset{showonlyrefs}",
                 r"\usepackage[showonlyrefs]{mathtools}", r"\mathtoolsset{showonlyrefs=true}"]
)  # fmt: skip
def test_equations_numbered_only_if_cited_are_uncertain(preamble: str, numbered: Numbered) -> None:
    body = r"\begin{equation}\label{a}\end{equation}\section{S}\label{s}"
    body += r"\begin{subequations}\label{b}\end{subequations}"
    assert numbered(preamble, body) == expected("a=? s=1 b=?")


LABELS = {
    "a label behind a statement is the section's": (
        r"\section{A}\begin{lem}\label{a}x\end{lem}\label{b}", "a=1 b=1"),
    "a label in a title": (r"\section{A\label{a}}", "a=1"),
    "a heading with a star has no number": (
        r"\section{A}\section*{B}\label{b}\begin{lem}\label{a}\end{lem}", "b=1 a=1"),
    "a heading too deep has no number": (
        r"\section{A}\paragraph{B}\label{b}\subparagraph{C}\label{c}", "b=1 c=1"),
    "counters set by hand": (
        r"\setcounter{lem}{4}\begin{lem}\label{a}\end{lem}\addtocounter{lem}{-2}"
        r"\begin{lem}\label{b}\end{lem}\setcounter{lem}{\value{section}}\stepcounter{lem}"
        r"\begin{lem}\label{c}\end{lem}\setcounter{lem}{\numexpr\value{lem}+7\relax}"
        r"\begin{lem}\label{d}\end{lem}\setcounter{lem}{\mine}\begin{lem}\label{e}\end{lem}",
        "a=5 b=4 c=2 d=10 e=?"),
    "a counter of the paper's": (
        r"\newcounter{hyp}\renewcommand\thehyp{H\arabic{hyp}}\refstepcounter{hyp}\label{a}",
        "a=H1"),
    "a printed form within braces": (
        r"{\renewcommand\thelem{X}\begin{lem}\label{a}\end{lem}}\begin{lem}\label{b}\end{lem}"
        r"\begin{center}\gdef\thelem{Z}\end{center}\begin{lem}\label{c}\end{lem}", "a=X b=2 c=Z"),
    "a printed form within a group": (
        r"\begingroup\def\thelem{X}\begin{lem}\label{a}\end{lem}\endgroup"
        r"\begin{lem}\label{b}\end{lem}", "a=X b=2"),
    "items": (
        r"\begin{enumerate}\item\label{a}\item[x]\begin{enumerate}\item\label{b}\end{enumerate}"
        r"\item\label{c}\end{enumerate}\begin{itemize}\item\label{d}\end{itemize}",
        "a=1 b=1a c=2 d=?"),
    "items of lists with options are uncertain where no package reads them": (
        r"\begin{enumerate}[(i)]\item\label{a}\end{enumerate}", "a=?"),
    "items of lists that are set otherwise are uncertain without their package": (
        r"\setlist[enumerate]{label=x}\begin{enumerate}\item\label{a}\end{enumerate}", "a=?"),
    "captions": (
        r"\begin{figure}\caption{\label{a}}\end{figure}\begin{table*}\caption*{}\caption{}\label{b}"
        r"\end{table*}\captionof{figure}{x}\label{c}", "a=1 b=1 c=2"),
    "captions of parts of figures are uncertain": (
        r"\begin{figure}\begin{subfigure}\caption{}\label{a}\end{subfigure}\end{figure}"
        r"\caption{x}\label{b}", "a=? b=?"),
    "footnotes are uncertain": (r"\section{A}\footnote{x\label{a}}\label{b}", "a=? b=1"),
    "unknown environments are uncertain": (
        r"\section{A}\begin{strange}\label{a}\begin{lem}\label{b}\end{lem}\end{strange}",
        "a=? b=1"),
    "statements that nobody declares are uncertain": (
        r"\section{A}\begin{theorem}\label{a}\end{theorem}", "a=?"),
    "two labels of one name are uncertain": (
        r"\begin{lem}\label{a}\end{lem}\begin{lem}\label{a}\end{lem}", "a=?"),
    "definitions are no uses": (
        r"\newcommand{\never}{\begin{lem}\end{lem}}\begin{lem}\label{a}\end{lem}", "a=1"),
    "a macro that calls itself is uncertain": (
        r"\newcommand{\loop@}{\stepcounter{lem}\loop@}\begin{lem}\label{a}\end{lem}"
        r"\loop@\begin{lem}\label{b}\end{lem}", "a=1 b=?"),
    "a macro that calls itself and names nothing": (
        r"\newcommand{\loop@}{\begin{}\stepcounter{ }\loop@}\begin{lem}\label{a}\end{lem}"
        r"\loop@\begin{lem}\label{b}\end{lem}", "a=1 b=2"),
    "an end without begin": (r"\end{lem}\end{equation}\]\begin{lem}\label{a}\end{lem}", "a=1"),
    "what a macro leaves out": (
        r"\newcommand{\hide}[1]{}\hide{\begin{lem}\end{lem}}\begin{lem}\label{a}\end{lem}", "a=1"),
    "what a macro says only if wanted": (
        r"\newif\iflong\newcommand{\more}[1]{\iflong#1\else\fi}\more{\begin{lem}\end{lem}}"
        r"\begin{lem}\label{a}\end{lem}\longtrue\more{\begin{lem}\label{b}\end{lem}}", "a=1 b=2"),
    "environments that are left out": (
        r"\excludecomment{long}\begin{long}\begin{lem}\end{lem}\end{long}\NewEnviron{off}{}"
        r"\begin{off}\begin{lem}\end{lem}\end{off}\newenvironment{no}{\comment}{\endcomment}"
        r"\begin{no}\begin{lem}\end{lem}\end{no}\begin{lem}\label{a}\end{lem}"
        r"\includecomment{long}\begin{long}\begin{lem}\label{b}\end{lem}\end{long}", "a=1 b=2"),
    "macros without their arguments are uncertain": (
        r"\def\odd#1;{\begin{lem}#1\end{lem}}\begin{lem}\label{a}\end{lem}\odd"
        r"\begin{lem}\label{b}\end{lem}", "a=1 b=?"),
    "conditions of many kinds": (
        r"\makeatletter\@ifundefined{c@lem}{\begin{lem}\end{lem}}{}\ifdefined\lem\else"
        r"\begin{lem}\end{lem}\fi\@ifpackageloaded{amsmath}{}{\begin{lem}\label{z}\end{lem}}"
        r"\section{x}\ifcsname thelem\endcsname\begin{lem}\label{a}\end{lem}\fi"
        r"\@ifclassloaded{article}{\section{y}\label{b}}{}\ifthenelse{\not\boolean{q}}"
        r"{\refstepcounter{section}\label{c}}{}", "z=1 a=? b=2 c=3"),
    "solutions kept for later": (
        r"\Newassociation{sol}{Sol}{f}\begin{sol}\begin{lem}\label{z}\end{lem}\end{sol}"
        r"\begin{lem}\label{a}\end{lem}\Readsolutionfile{f}\begin{lem}\label{b}\end{lem}",
        "a=1 b=?"),
    "commands whose names are put together": (
        r"\def\kind{section}\csname\kind\endcsname{A}\label{a}\csname thelem\endcsname"
        r"\csuse{\unknown}{B}\begin{lem}\label{b}\end{lem}\csname", "a=1 b=1"),
    "headings that are only named": (
        r"\titleformat{\section}{\bfseries}{}{}{}\pretocmd{\section}{\clearpage}{}{}"
        r"\section{A}\label{a}", "a=1"),
    "appendices": (
        r"\section{A}\appendix\section{B}\label{a}\subsection{C}\label{b}", "a=A b=A.1"),
    "appendices as an environment": (
        r"\section{A}\begin{appendices}\section{B}\label{a}\end{appendices}\section{C}\label{b}"
        r"\begin{subappendices}\subsection{D}\label{c}\end{subappendices}", "a=A b=2 c=2.A"),
    "a heading made anew": (
        r"\newcommand\mysec{\@startsection{section}{1}{0pt}{0pt}{0pt}{}}\mysec{A}\label{a}"
        r"\mysec*{B}\label{b}\subsection{C}\label{c}", "a=1 b=1 c=1.1"),
    "another depth": (
        r"\setcounter{secnumdepth}{1}\section{A}\subsection{B}\label{a}\setcounter{secnumdepth}{\x}"
        r"\subsection{C}\label{b}", "a=1 b=?"),
    "parts": (r"\part{A}\label{a}\section{B}\label{b}\part{C}\section{D}\label{d}",
              "a=I b=1 d=2"),
    "restated statements": (
        r"\begin{restatable}[T]{lem}{again}\label{a}\end{restatable}\again*"
        r"\begin{lem}\label{b}\end{lem}", "a=1 b=2"),
    "statements whose proofs stand at the end": (
        r"\newEndThm[normal]{lemE}{lem}\begin{theoremEnd}[end]{lem}[T]\label{a}\end{theoremEnd}"
        r"\begin{lemE}[T]\label{b}\end{lemE}\begin{lem}\label{c}\end{lem}", "a=1 b=2 c=3"),
    "statements that stand at the end": (
        r"\begin{theoremEnd}[all end]{lem}\label{a}\end{theoremEnd}\begin{lem}\label{b}\end{lem}",
        "a=? b=?"),
    "statements said again with a new number": (
        r"\begin{restatable}{lem}{again}x\end{restatable}\again\begin{lem}\label{b}\end{lem}",
        "b=3"),
    "statements said later": (
        r"\begin{restatable*}{lem}{later}\label{a}\end{restatable*}\begin{lem}\label{b}\end{lem}"
        r"\later\later*\begin{lem}\label{c}\end{lem}", "b=1 a=2 c=3"),
    "a missing file": (
        r"\begin{lem}\label{a}\end{lem}\input{nothing}\begin{lem}\label{b}\end{lem}", "a=1 b=?"),
    "a missing file that LaTeX goes on without": (
        r"\include{nothing}\begin{lem}\label{b}\end{lem}", "b=1"),
    "a missing file in an environment holds no headings": (
        r"\section{A}\begin{vita}\input{nothing}\end{vita}\begin{lem}\label{a}\end{lem}"
        r"\section{B}\label{b}", "a=? b=2"),
    "a missing file of figures, or a build's stamp": (
        r"\input{figures/one}\input{gitversion.tex}\begin{lem}\label{b}\end{lem}", "b=1"),
    "a missing file that stands around the text": (
        r"\input{tex/Acknowledgments-final}\input{deckblatt}\begin{lem}\label{b}\end{lem}"
        r"\input{acknowledged}\begin{lem}\label{c}\end{lem}", "b=1 c=?"),
    "a macro that cannot be followed doubts what it names": (
        r"\newcounter{q}\newcommand{\again}[1]{\stepcounter{q}\again{#1}}\again{x}"
        r"\begin{lem}\label{a}\end{lem}\refstepcounter{q}\label{b}", "a=1 b=?"),
    "a macro that cannot be followed doubts what it calls": (
        r"\newcommand{\more}{\refstepcounter{lem}}\newcommand{\again}{\more\again}\section{A}"
        r"\again\label{a}\begin{lem}\label{b}\end{lem}\section{B}\label{c}", "a=? b=? c=2"),
    "a macro that computes the name of a counter doubts all": (
        r"\newcommand{\again}[1]{\stepcounter{#1}\again{#1}}\again{\mine}"
        r"\begin{lem}\label{b}\end{lem}", "b=?"),
    "a macro that steps the counter it is given doubts that one": (
        r"\newcommand{\again}[1]{\stepcounter{#1}\again{#1}}\again{other}"
        r"\begin{lem}\label{a}\end{lem}\again{lem}\begin{lem}\label{b}\end{lem}", "a=1 b=?"),
    "a macro that computes a part of a counter's name doubts what that fits": (
        r"\newcommand{\again}[1]{\stepcounter{le#1}\again{#1}}\newcounter{lexicon}"
        r"\newcounter{other}\again{\mine}\refstepcounter{other}\label{a}"
        r"\begin{lem}\label{b}\end{lem}\refstepcounter{lexicon}\label{c}", "a=1 b=? c=?"),
    "values of counters in TeX's own words": (
        r"\makeatletter\ifnum\c@lem>0 x\fi\c@lem\z@\@arabic\c@lem\begin{lem}\label{a}\end{lem}"
        r"\global\advance\c@lem by 4 \number\c@lem\begin{lem}\label{b}\end{lem}\c@lem=7"
        r"\begin{lem}\label{c}\end{lem}\c@lem\count@\begin{lem}\label{d}\end{lem}",
        "a=1 b=6 c=8 d=?"),
    "headings as environments": (
        r"\begin{section}{A}\label{a}\begin{subsection}{B}\label{b}\end{subsection}\end{section}"
        r"\begin{section}{C}\label{c}\end{section}", "a=1 b=1.1 c=2"),
    "statements as commands": (
        r"\lem{\label{a}x} \lem y\endlem \begin{lem}\label{b}\end{lem}", "a=1 b=3"),
    "a condition that compares two signs": (
        r"\if 0 \begin{lem}\end{lem}\fi\begin{lem}\label{a}\end{lem}\if11\begin{lem}\label{b}"
        r"\end{lem}\fi", "a=1 b=2"),
    "an environment whose macro takes what stands behind its begin": (
        r"\newcommand\claim[2][]{\refstepcounter{lem}#2}\newenvironment{thm}{\claim}{}\section{A}"
        r"\begin{thm}{Title}\label{a}x\end{thm}\begin{thm}[o]{T}\label{b}x\end{thm}", "a=1 b=2"),
    "a label behind what cannot be followed is uncertain": (
        r"\newcommand{\again}[1]{\refstepcounter{lem}\again{#1}}\section{A}\again{x}\label{a}",
        "a=?"),
    "a title counts no results": (
        r"\renewcommand{\title}[1]{\setcounter{lem}{0}\title{#1}}\title{x}"
        r"\begin{lem}\label{b}\end{lem}", "b=1"),
    "a starred command takes its star along": (
        r"\let\old\section\renewcommand\section{\setcounter{lem}{0}\old}\section{A}"
        r"\begin{lem}\label{a}\end{lem}\section*{B}\label{s}\begin{lem}\label{b}\end{lem}",
        "a=1 s=1 b=1"),
    "either branch of an unknown condition": (
        r"\ifnum\x>0 \begin{lem}\label{a}\end{lem}\else\section{B}\label{s}\fi"
        r"\begin{lem}\label{b}\end{lem}\ifnum\x>0 \input{main2}\fi", "a=1 s=1 b=?"),
}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_labels_take_the_number_of_what_they_stand_in(name: str, numbered: Numbered) -> None:
    body, numbers = LABELS[name]
    assert numbered(LEMMA, body) == expected(numbers)


CLASSES = {
    "{book}": "p=I c=1 s=1.1 x=1.1 e=1.1 f=1.1 d=A e2=A.1",
    "{amsbook}": "p=1 c=2 s=1 x=1.1 e=1 f=1 d=A e2=2",
    "{report}": "p=I c=1 s=1.1 x=1.1 e=1.1 f=1.1 d=A e2=A.1",
    "{memoir}": "p=I c=1 s=1.1 x=1.1 e=1.1 f=1.1 d=A e2=A.1",
    "{nobodys}": "p=? c=? s=? x=? e=? f=? d=? e2=?",
}


@pytest.mark.parametrize("cls", CLASSES)
def test_classes_number_in_their_own_way(cls: str, numbered: Numbered) -> None:
    body = (
        r"\frontmatter\chapter{P}\mainmatter\part{P}\label{p}"
        r"\chapter{C}\label{c}\section{S}\label{s}"
        r"\begin{lem}\label{x}\end{lem}\begin{equation}\label{e}\end{equation}"
        r"\begin{figure}\caption{}\label{f}\end{figure}\appendix\chapter{D}\label{d}"
        r"\begin{equation}\label{e2}\end{equation}\backmatter\chapter{E}"
    )
    within = "section" if cls == "{amsbook}" else "chapter"
    assert numbered(LEMMA + f"[{within}]", body, cls=cls) == expected(CLASSES[cls])


@pytest.mark.parametrize(
    ("cls", "numbers"),
    [
        ("{llncs}", "s=1 t=1 l=1 a=A"),
        ("[envcountsame]{llncs}", "s=1 t=1 l=2 a=A"),
        ("[envcountsect]{llncs}", "s=1 t=1.1 l=1.1 a=A"),
        ("{acmart}", "s=1 t=1.1 l=1.2 a=A"),
        ("{svjour3}", "s=1 t=1 l=1 a=A"),
        ("[envcountsame,numbook]{svjour3}", "s=1 t=1.1 l=1.2 a=A"),
        ("[nospthms]{svjour3}", "s=1 t=? l=? a=A"),
        ("{lipics-v2021}", "s=1 t=1 l=2 a=A"),
        ("[numberwithinsect]{lipics-v2019}", "s=1 t=1.1 l=1.2 a=A"),
        ("{siamart220329}", "s=1 t=1.1 l=1.2 a=A"),
        ("{colt2019}", "s=1 t=1 l=2 a=A"),
        ("{imsart}", "s=1 t=? l=? a=A"),
        ("{revtex4-2}", "s=I t=? l=? a=A"),
        ("{tac}", "s=1 t=1.1 l=1.2 a=A"),
        ("{IEEEtran}", "s=I t=? l=? a=A"),
        ("[conference]{IEEEtran}", "s=I t=? l=? a=A"),
        ("{elsarticle}", "s=1 t=? l=? a=Appendix~A"),
    ],
)
def test_journals_declare_statements_of_their_own(
    cls: str, numbers: str, numbered: Numbered
) -> None:
    body = r"\section{S}\label{s}\begin{theorem}\label{t}\end{theorem}"
    body += r"\begin{lemma}\label{l}\end{lemma}\appendix\section{A}\label{a}"
    wanted = {key: text.replace("~", " ") for key, text in expected(numbers).items()}
    assert numbered("", body, cls=cls) == wanted


@pytest.mark.parametrize(
    "hook",
    [
        r"\AtAppendix{%s}", r"\AtBeginEnvironment{appendices}{%s}",
        r"\makeatletter\g@addto@macro\appendix{%s}\makeatother", r"\apptocmd{\appendix}{%s}{}{}",
        r"\appto\appendix{%s}", r"\AddToHook{cmd/appendix/after}{%s}",
    ],
)  # fmt: skip
def test_code_that_waits_for_the_appendix_runs_there(hook: str, numbered: Numbered) -> None:
    body = r"\section{A}\begin{lem}\label{a}\end{lem}\appendix\section{B}\begin{lem}\label{b}"
    if "{appendices}" in hook:
        body = body.replace(r"\appendix", r"\begin{appendices}")
    preamble = LEMMA + hook % r"\counterwithin{lem}{section}"
    assert numbered(preamble, body + r"\end{lem}") == {"a": "1", "b": "A.1"}


def test_a_class_by_its_name_is_known_where_a_copy_lies_beside_the_source(
    numbered: Numbered,
) -> None:
    own = r"\newcommand{\odd}[1]{\setcounter{#1}{7}\odd{#1}}\odd{theorem}"
    body = r"\section{S}\begin{theorem}\label{a}\end{theorem}"
    assert numbered("", body, cls="{llncs}", llncs_cls=own) == {"a": "1"}


def test_a_copy_of_a_known_class_keeps_what_options_say_of_its_statements(
    numbered: Numbered,
) -> None:
    own = (
        r"\DeclareOption{numberwithinsect}{\let\numberwithinsect\relax}\ProcessOptions"
        r"\LoadClass{article}\newtheorem{theorem}{Theorem}\ifx\numberwithinsect\relax"
        r"\@addtoreset{theorem}{section}\expandafter\def\expandafter\thetheorem\expandafter{%"
        "\n"
        r"\expandafter\thesection\expandafter\@thmcountersep\thetheorem}\fi"
        r"\newtheorem{lemma}[theorem]{Lemma}"
    )
    body = r"\section{S}\begin{theorem}\label{a}\end{theorem}\begin{lemma}\label{b}\end{lemma}"
    cls = "[numberwithinsect]{lipics-v2021}"
    assert numbered("", body, cls=cls, **{"lipics-v2021_cls": own}) == {"a": "1.1", "b": "1.2"}
    assert numbered("", body, cls=cls[18:], **{"lipics-v2021_cls": own}) == {"a": "1", "b": "2"}


def test_an_unknown_class_numbers_its_sections(numbered: Numbered) -> None:
    own = r"\LoadClass{article}\setcounter{secnumdepth}{\depth}"
    body = r"\section{S}\label{s}\subsection{T}\label{t}\begin{lem}\label{a}\end{lem}"
    assert numbered(LEMMA + "[section]", body, cls="{own}", own_cls=own) == expected(
        "s=1 t=? a=1.1"
    )


def test_the_class_may_stand_in_a_file_that_is_read_in(numbering: Numbering) -> None:
    main = r"\input{head}\begin{document}\section{S}\begin{lem}\label{a}\end{lem}\end{document}"
    found = numbering({"main.tex": main, "head.tex": r"\documentclass{book}" + LEMMA + "[section]"})
    assert found.labels["a"].text == "0.1.1"


def test_files_of_tex_in_classes_are_not_missing(numbered: Numbered) -> None:
    own = r"\LoadClass{article}\input{glyphtounicode}\input{gone}"
    body = r"\section{S}\begin{lem}\label{a}\end{lem}"
    assert numbered(LEMMA, body, cls="{own}", own_cls=own) == {"a": "1"}


def test_ntheorem_declares_standard_statements(numbered: Numbered) -> None:
    body = r"\begin{Theorem}\label{a}\end{Theorem}\begin{lemma}\label{b}\end{lemma}"
    assert numbered(r"\usepackage[standard]{ntheorem}", body) == {"a": "1", "b": "1"}
    assert numbered(r"\usepackage{ntheorem}", body) == {"a": "?", "b": "?"}


def test_ieee_prints_sections_in_statements_otherwise(numbered: Numbered) -> None:
    body = r"\section{S}\begin{lem}\label{a}\end{lem}"
    assert numbered(LEMMA + "[section]", body, cls="{IEEEtran}") == {"a": "1.1"}
    with_ams = r"\usepackage{amsthm}" + LEMMA + "[section]"
    assert numbered(with_ams, body, cls="{IEEEtran}") == {"a": "I.1"}


def test_memoir_has_names_for_depths(numbered: Numbered) -> None:
    body = (
        r"\chapter{A}\section{B}\subsection{C}\label{a}\setsecnumdepth{chapter}\section{D}\label{b}"
    )
    found = numbered(r"\maxsecnumdepth{subsection}", body, cls="{memoir}")
    assert found == {"a": "1.1.1", "b": "1.1.1"}


def test_memoir_returns_to_the_depth_of_the_preamble(numbered: Numbered) -> None:
    body = r"\frontmatter\chapter{P}\section{Q}\mainmatter\chapter{A}\section{B}"
    body += r"\subsection{C}\label{a}"
    found = numbered(r"\setsecnumdepth{subsection}", body, cls="{memoir}")
    assert found == {"a": "1.1.1"}


def test_a_class_of_the_paper_stands_on_another(numbered: Numbered) -> None:
    own = (
        r"\DeclareOption{flat}{\flattrue}\newif\ifflat\DeclareOption*{}\LoadClass{article}"
        r"\newtheorem{lem}{L}[section]\newif\ifflat"
    )
    body = r"\section{A}\begin{lem}\label{a}\end{lem}"
    assert numbered("", body, cls="[flat]{own}", own_cls=own) == {"a": "1.1"}


def test_what_includeonly_leaves_out_makes_numbers_uncertain(numbered: Numbered) -> None:
    body = r"\include{one}\include{two}\begin{lem}\label{c}\end{lem}"
    files = {"one_tex": r"\begin{lem}\label{a}\end{lem}", "two_tex": r"\begin{lem}\end{lem}"}
    assert numbered(LEMMA + r"\includeonly{one}", body, **files) == expected("a=1 c=?")
    assert numbered(LEMMA + r"\includeonly{one, two}", body, **files) == expected("a=1 c=3")


def test_the_name_of_a_class_may_be_a_macro(numbered: Numbered) -> None:
    own = r"\newcommand{\@baseclass}{book}\LoadClass{\@baseclass}"
    body = r"\chapter{A}\section{B}\begin{lem}\label{a}\end{lem}"
    assert numbered(LEMMA + "[section]", body, cls="{own}", own_cls=own) == {"a": "1.1.1"}


def test_files_are_read_where_they_are_read_in(numbered: Numbered) -> None:
    part = r"\begin{lem}\label{%s}\end{lem}"
    body = r"\section{A}\input{one}\begin{lem}\label{b}\end{lem}\include{two}"
    body += r"\begin{center}\def\rest{\input three }\rest\end{center}"
    files = {"one_tex": part % "a", "two_tex": part % "c", "three_tex": part % "d"}
    preamble = r"\usepackage{own}\usepackage{own}"
    own = LEMMA + r"[section]"
    assert numbered(preamble, body, own_sty=own, **files) == expected("a=1.1 b=1.2 c=1.3 d=1.4")


def test_a_copy_of_a_package_that_counts_nothing_leaves_no_doubt(numbered: Numbered) -> None:
    copy = r"\def\lettrine{\InputIfFileExists{\DefaultOptionsFile}{}{}}\newcounter{lines}"
    body = r"\lettrine{A}{b}\begin{lem}\label{a}X.\end{lem}"
    preamble = r"\usepackage{lettrine}\newtheorem{lem}{L}"
    assert numbered(preamble, body, lettrine_sty=copy) == expected("a=1")


def test_the_preamble_of_a_part_is_not_read(numbered: Numbered) -> None:
    part = (
        r"\documentclass[main]{subfiles}\setcounter{lem}{9}\begin{document}"
        r"\begin{lem}\label{a}\end{lem}\end{document}"
    )
    assert numbered(LEMMA, r"\subfile{one}", one_tex=part) == {"a": "1"}


def test_boxes_count_with_one_that_counts_with_another(numbered: Numbered) -> None:
    preamble = (
        r"\newcounter{all}[section]\newtcbtheorem[use counter*=all]{thm}{T}{}{}"
        r"\newtcbtheorem[use counter from=thm]{lem}{L}{}{}"
        r"\newtcbtheorem[use counter from=lem]{cor}{C}{}{}"
    )
    body = r"\begin{lem}{y}{a}\end{lem}\begin{thm}{x}{b}\end{thm}\begin{cor}{z}{c}\end{cor}"
    assert numbered(preamble, body) == {":a": "1", ":b": "2", ":c": "3"}


def test_a_document_that_a_root_reads_in_whole_has_its_preamble(numbering: Numbering) -> None:
    head = r"\documentclass{book}\newtheorem{lem}{L}[chapter]"
    lemma = r"\begin{document}\begin{lem}\label{a}\end{lem}\end{document}"
    files = {
        "pf.toml": '[[paper]]\nname = "m"\nroot = "main.tex"\n',
        "main.tex": r"\def\size{a4}\input{whole}",
        "whole.tex": rf"{head}\begin{{document}}\chapter{{A}}\input{{part}}\end{{document}}",
        "part.tex": rf"\documentclass{{article}}\setcounter{{lem}}{{7}}{lemma}",
    }
    assert numbering(files).labels["a"].text == "1.1"


def test_boxes_take_their_label_as_an_argument(numbered: Numbered) -> None:
    preamble = (
        r"\newtcbtheorem[number within=section]{thm}{T}{}{thm}"
        r"\newtcbtheorem[use counter from=thm]{lem}{L}{}{lem}"
        r"\newtcbtheorem[no counter]{rem}{R}{}{r}"
        r"\newtcbtheorem[use counter=section]{odd}{L}{}{}\newtcbtheorem{}{}{}{}"
    )
    body = (
        r"\section{A}\begin{thm}{x}{a}\end{thm}\begin{lem}{y}{b}\end{lem}\begin{rem}{z}{c}\end{rem}"
    )
    body += r"\begin{odd}{z}{d}\end{odd}\begin{thm*}{x}\end{thm*}"
    found = numbered(preamble, body)
    assert found == {"thm:a": "1.1", "lem:b": "1.2", "r:c": "?", ":d": "2"}


@pytest.mark.parametrize("mark", ["plastex", "false"])
def test_code_for_another_program_is_not_read(mark: str, numbered: Numbered) -> None:
    body = (
        rf"\ifx y\relax\fi\if{mark}\begin{{lem}}\end{{lem}}\fi\begin{{lem}}\label{{a}}\end{{lem}}"
    )
    assert numbered(LEMMA + rf"\newif\if{mark}", body) == {"a": "1"}


def test_endless_readings_end_in_doubt(numbered: Numbered) -> None:
    files = {f"p{i}_tex": rf"\input{{p{i + 1}}}\input{{p{i + 1}}}" for i in range(18)}
    body = r"\input{p0}\begin{lem}\label{a}\end{lem}"
    assert numbered(LEMMA, body, **files, p18_tex="x") == {"a": "?"}


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "body",
    [
        r"\ifnum\x>0 " * 300 + r"\begin{lem}\end{lem}" + r"\fi" * 300,
        r"\ifnum\x>0 \begin{lem}\end{lem}\fi" * 3_100,
        r"\begin{restatable}{lem}{again}\again\end{restatable}\again",
        r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\e\e}\def\e{\f\f}\def\f{\g\g}"
        r"\def\g{\h\h}\def\h{\i\i}\def\i{\j\j}\def\j{\k\k}\def\k{\l\l}\def\l{\m\m}"
        r"\def\m{\begin{lem}\end{lem}}\a",
    ],
)
def test_what_nests_or_grows_too_far_is_uncertain(body: str, numbered: Numbered) -> None:
    assert numbered(LEMMA, body + r"\begin{lem}\label{a}\end{lem}") == {"a": "?"}


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("body", "number"),
    [
        (r"\ifnum\x>0 \stepcounter{other}\fi" * 3_100, "1"),
        (r"\ifnum\x>0 \item\y \onetrue\fi" * 3_100, "1"),
        (r"\ifnum\x>0 \stepcounter{lem}\fi" * 3_100, "?"),
        (r"\ifnum\x>0 \caption{x}\fi" * 3_100, "?"),
        (r"\long\def\z{\stepcounter{other} " + "z" * 19_000 + "}" + r"\z" * 120, "1"),
        (r"\long\def\z{\stepcounter{lem} " + "z" * 19_000 + "}" + r"\z" * 120, "?"),
    ],
)
def test_what_is_too_long_to_follow_puts_in_doubt_what_it_counts(
    body: str, number: str, numbered: Numbered
) -> None:
    preamble = LEMMA + r"\newcounter{other}\newif\ifone\def\y{\z\setcounter{other}\def\z{\y}}"
    assert numbered(preamble, body + r"\begin{lem}\label{a}\end{lem}") == {"a": number}


@pytest.mark.parametrize(
    "asked",
    r"""\ifdefempty{\x} \ifdefvoid\x \ifcsdef{x} \ifcsundef{x} \ifdef{\x} \ifundef\x \ifnumodd{\x}
    \ifnumequal{\x}{2} \ifnumcomp{\x}{>}{2} \ifdimless{\x}{2pt} \ifboolexpr{\x} \ifinlist{\x}{\y}
    \ifstrequal{\x}{b} \notbool{x} \IfInteger{\x} \IfStrEq{\x}{b} \IfBeginWith{\x}{b} \@ifmtarg{\x}
    \@ifpackagewith{x}{y} \@ifclasslater{article}{2020/01/01} \iflanguage{german}
    \tl_if_in:nnTF{\x}{y} \IfOwnTF{\x} \IfFormatAtLeastTF{2020/01/01}""".split(),
)
def test_of_two_branches_only_one_runs(asked: str, numbered: Numbered) -> None:
    stepped, lemma = r"\stepcounter{lem}", r"\begin{lem}\label{a}\end{lem}"
    for branches in (f"{{{stepped}}}{{}}", f"{{}}{{{stepped}}}"):
        assert numbered(LEMMA, rf"\makeatletter{asked}{branches}{lemma}") == {"a": "?"}
    assert numbered(LEMMA, rf"\makeatletter{asked}{{{stepped}}}{{{stepped}}}{lemma}") == {"a": "2"}


@pytest.mark.parametrize(
    ("code", "number"),
    [
        (r"\@firstoftwo{}{\stepcounter{lem}}", "1"),
        (r"\@secondoftwo{}{\stepcounter{lem}}", "2"),
        (r"\newif\ifx\xtrue\notbool{x}{\stepcounter{lem}}{}", "1"),
        (r"\newtoggle{x}\nottoggle{x}{\stepcounter{lem}}{}", "2"),
        (r"\ifstrequal{a}{b}{\stepcounter{lem}}{}", "1"),
        (r"\@gobble{\stepcounter{lem}}\detokenize{\stepcounter{lem}}", "1"),
        (r"\PackageError{x}{\stepcounter{lem}}{\stepcounter{lem}}", "1"),
        (r"\unless\iftrue\stepcounter{lem}\fi", "?"),
        (r"\ifcase\x\stepcounter{lem}\or\else\stepcounter{lem}\fi", "?"),
        (r"\ifcase\x\stepcounter{lem}\or\stepcounter{lem}\else\stepcounter{lem}\fi", "2"),
        (r"\ifcase\x\or\stepcounter{lem}\or\stepcounter{lem}\stepcounter{lem}\fi", "?"),
        (r"\@tfor\x:=abc\do{\stepcounter{lem}}", "?"),
    ],
)
def test_what_is_known_of_a_condition_is_followed(
    code: str, number: str, numbered: Numbered
) -> None:
    body = rf"\makeatletter{code}\begin{{lem}}\label{{a}}\end{{lem}}"
    assert numbered(LEMMA, body) == {"a": number}


@pytest.mark.parametrize(
    ("cls", "number"),
    [
        ("lipics", "1"),
        ("lipics-v2016", "1"),
        ("lipics-v2018", "1"),
        ("oasics-v2018", "1"),
        ("lipics-v2019", "2"),
        ("oasics-v2021", "2"),
    ],
)
def test_a_remark_has_a_number_in_later_classes_of_dagstuhl(
    cls: str, number: str, numbered: Numbered
) -> None:
    body = r"\begin{remark}x\end{remark}\begin{lemma}\label{a}\end{lemma}"
    assert numbered("", body, cls=f"{{{cls}}}") == {"a": number}
    body = r"\begin{claim}x\end{claim}\begin{lemma}\label{a}\end{lemma}"
    own = r"\newtheorem{claim}[theorem]{Claim}" if number == "1" else ""
    assert numbered(own, body, cls=f"{{{cls}}}") == {"a": "2"}


@pytest.mark.parametrize("how", ["Declare", "DeclareNew", "Redeclare", "Provide"])
@pytest.mark.parametrize("keys", ["afterskip=0em", "afterskip=1ex", "runin=true,afterskip=1em"])
@pytest.mark.parametrize("behind", ["", " A."])
def test_nobody_knows_when_the_font_of_a_heading_of_koma_counts(
    how: str, keys: str, behind: str, numbered: Numbered
) -> None:
    """One on a line of its own is set more than once, one in the line with what is behind it."""
    keys = rf"level=4,{keys},font={{\stepcounter{{lem}}\thelem.}},style=section"
    lemma = r"\begin{lem}\label{%s}\end{lem}"
    preamble = LEMMA + rf"\{how}SectionCommand[{keys}]{{para}}"
    body = lemma % "a" + rf"\para{{P}}{behind}" + lemma % "b"
    before = "?" if how == "Redeclare" else "1"
    assert numbered(preamble, body, cls="{scrartcl}") == {"a": before, "b": "?"}
    for end in ("{section}", "{paragraph}", "s{section,para}"):
        many, names = ("s", end[1:]) if end[0] == "s" else ("", end)
        preamble = LEMMA + rf"\{how}SectionCommand{many}[{keys}]{names}"
        found = numbered(preamble, rf"\section{{S}}{lemma % 'a'}", cls="{scrartcl}")
        assert found == {"a": "?"}


@pytest.mark.parametrize("how", ["Declare", "DeclareNew", "Redeclare", "Provide"])
def test_a_font_of_a_heading_of_koma_that_counts_nothing_changes_no_number(
    how: str, numbered: Numbered
) -> None:
    preamble = LEMMA + rf"\{how}SectionCommand[font={{\bfseries}}]{{para}}"
    preamble += rf"\{how}SectionCommand[font={{\large}}]{{section}}"
    body = r"\section{S}\para{P} A.\begin{lem}\label{a}\end{lem}"
    assert numbered(preamble, body, cls="{scrartcl}") == {"a": "1"}


def test_an_appendix_of_the_first_lipics_tells_no_number_of_a_statement(numbered: Numbered) -> None:
    body = r"\section{S}\begin{lemma}\label{a}\end{lemma}\appendix\section{B}"
    body += r"\begin{lemma}\label{b}\end{lemma}"
    found = numbered("", body, cls="[numberwithinsect]{lipics}")
    assert found == {"a": "1.1", "b": "?"}


def test_what_finds_steps_is_made_once_for_papers_of_the_same_commands(numbered: Numbered) -> None:
    body = r"\begin{lem}\label{a}\end{lem}"
    numbered(LEMMA, body)
    before = _tokens.cache_info()
    assert numbered(LEMMA, r"\section{S}" + body) == {"a": "1"}
    after = _tokens.cache_info()
    assert (after.misses, after.hits > before.hits) == (before.misses, True)
