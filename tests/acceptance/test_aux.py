import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pfcore.latex.numbering import aux_file
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.rendered_numbers import simulated_numbers
from pfcore.repository import snapshot

pytestmark = pytest.mark.acceptance

ARTICLE = r"""
\documentclass{article}
\usepackage{amsmath,amsthm,thm-restate,aliascnt}
\newtheorem{lemma}{Lemma}[section]
\newtheorem{cor}[lemma]{Corollary}
\newtheorem*{free}{Free}
\newtheorem{sub}[subsection]{Sub}
\newtheorem{alone}{Alone}
\newtheorem{claim}{Claim}[lemma]
\newaliascnt{prop}{lemma}
\newtheorem{prop}[prop]{Proposition}
\aliascntresetthe{prop}
\renewcommand{\thealone}{\Alph{alone}}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\newcommand{\lab}[1]{\label{eq:#1}}
\newenvironment{eqs}{\begin{align}}{\end{align}}
\newenvironment{boxed1}[2][x]{\begin{center}\begin{lemma}[#2]}{\end{lemma}\end{center}}
\newcounter{hyp}\renewcommand{\thehyp}{(H\arabic{hyp})}
\newif\ifdraft
\begin{document}
\section{A}\label{sec}
\begin{align} a \label{r1}\nonumber\\ b \\ c\notag \end{align}
\begin{equation} x \label{nn} \nonumber \end{equation}
\begin{equation} x \label{next}\end{equation}
\begin{equation*} x \label{star}\end{equation*}
\[ x \label{disp}\]
\[ x \tag{T} \label{dispt}\]
\begin{equation} x \label{tt}\tag{*}\end{equation}
\begin{align} a \\ b \label{tr}\\ \end{align}
\begin{gather} \substack{a\\c} \\[2pt] b \label{gr}\\ \end{gather}
\begin{multline} a \\ b \label{ml}\\ \end{multline}
\begin{eqnarray} a &=& b \nonumber \label{ea1}\\ &=& c \label{ea2}\\ d \nonumber\label{ea3}
\end{eqnarray}
\begin{equation} x \label{after}\end{equation}
\begin{align*} a \tag{Q}\label{as2} \end{align*}
\begin{subequations}\label{sub}\begin{align} a\label{s1}\\b\label{s2}\end{align}
\end{subequations}
\begin{equation} x \label{after2}\end{equation}
\begin{equation}\begin{aligned} a\\ b\label{ina}\end{aligned}\end{equation}
\begin{equation}\begin{split} a\\ b\label{ins}\end{split}\end{equation}
\begin{alignat}{2} a\\ b\label{alat}\end{alignat}
\begin{equation}\begin{cases} a\\ b\end{cases}\label{ca}\end{equation}
\be x \lab{mac}\ee
\begin{eqs} a\label{eqs1}\\ b\label{eqs2}\end{eqs}
\subsection{B}\label{subsec}
\begin{lemma}\label{l1}x\end{lemma}\label{behind}
\begin{restatable}{lemma}{foo}\label{resl} hi \begin{equation}\label{inres}x\end{equation}
\end{restatable}
\begin{cor}\label{c1}x\begin{claim}\label{cl1}\end{claim}\end{cor}
\foo*
\begin{prop}\label{p1}x\end{prop}
\begin{sub}\label{su1}x\end{sub}
\begin{sub}\label{su2}x\end{sub}
\begin{free}\label{fr}x\end{free}
\begin{alone}\label{al1}x\end{alone}
\begin{restatable*}{lemma}{bar}\label{resst} hi\end{restatable*}
\begin{boxed1}{T}\label{bx}x\end{boxed1}
\bar
\begin{boxed1}[y]{T}\label{bx2}x\end{boxed1}
\refstepcounter{hyp}\label{h1}
\setcounter{lemma}{20}
\begin{lemma}\label{l21}x\end{lemma}
\addtocounter{lemma}{-2}
\begin{lemma}\label{l20}x\end{lemma}
{\renewcommand{\thelemma}{A'}\begin{lemma}\label{lloc}x\end{lemma}\addtocounter{lemma}{-1}}
\begin{lemma}\label{l21b}x\end{lemma}
\ifdraft\begin{lemma}x\end{lemma}\else\begin{cor}\label{c22}x\end{cor}\fi
\drafttrue
\ifdraft\begin{lemma}\label{dr}x\end{lemma}\fi
\numberwithin{equation}{section}
\begin{equation}\label{nw}x\end{equation}
\section*{C}
\begin{lemma}\label{l3}x\end{lemma}
\section{D}
\begin{equation}\label{nw2}x\end{equation}
\begin{lemma}\label{l4}\begin{enumerate}\item\label{i1} a \item b
\begin{enumerate}\item\label{i2a} \item[x] \item\label{i2b}\end{enumerate}
\item\label{i3}\end{enumerate}\end{lemma}
\begin{figure}\caption{x\label{fig}}\end{figure}
\subsubsection{E}\label{sss}
\paragraph{E}\label{par}
\appendix
\section{F}\label{app}
\begin{lemma}\label{la}x\end{lemma}
\begin{equation}\label{ea}x\end{equation}
\subsection{G}\label{appsub}
\counterwithout{equation}{section}
\begin{equation}\label{eb}x\end{equation}
\begin{align}x&=\parbox{1cm}{a\\b}\\ y\label{y2}\end{align}
\end{document}
"""

BOOK = r"""
\documentclass{book}
\usepackage{amsmath,amsthm,thmtools}
\declaretheorem[numberwithin=chapter]{theorem}
\declaretheorem[sibling=theorem,name=Lemma]{lemma}
\declaretheorem[numberlike=theorem]{cor}
\declaretheorem[numbered=no]{remark}
\newtheorem{prop}[theorem]{Proposition}
\renewcommand{\theprop}{P\arabic{prop}}
\begin{document}
\frontmatter
\chapter{Pre}\label{pre}
\section{Pre}\label{presec}
\begin{equation}\label{e0}x\end{equation}
\mainmatter
\part{I}\label{part}
\chapter{One}\label{one}
\section{S}\label{s}
\subsection{SS}\label{ss}
\subsubsection{SSS}\label{sss}
\begin{theorem}\label{t}x\end{theorem}
\begin{lemma}\label{l}x\end{lemma}
\begin{remark}\label{r}x\end{remark}
\begin{cor}\label{c}x\end{cor}
\begin{prop}\label{p}x\end{prop}
\begin{equation}\label{e1}x\end{equation}
\begin{table}\caption{x}\label{tab}\end{table}
\chapter*{Star}\label{star}
\begin{theorem}\label{t2}x\end{theorem}
\appendix
\chapter{App}\label{app}
\section{App}\label{appsec}
\begin{theorem}\label{t3}x\end{theorem}
\begin{equation}\label{e2}x\end{equation}
\backmatter
\chapter{Back}\label{back}
\end{document}
"""

AMS = r"""
\documentclass{amsart}
\newtheorem{thm}{Theorem}[section]
\newtheorem{lem}[equation]{Lemma}
\makeatletter
\let\c@equation\c@thm
\@addtoreset{figure}{section}
\makeatother
\numberwithin{equation}{section}
\renewcommand{\thefigure}{\thesection-\roman{figure}}
\let\oldsection\section
\renewcommand{\section}{\setcounter{table}{0}\oldsection}
\newtheorem{Thm}{Main Theorem}
\renewcommand*\theThm{\Roman{Thm}}
\newcommand{\bal}{\begin{eqnarray}}\newcommand{\eal}{\end{eqnarray}}
\def\nl{\nonumber\\}
\begin{document}
\part{x}\label{part}
\section{A}\label{a}
\begin{thm}\label{t1}x\end{thm}
\begin{equation}\label{e2}x\end{equation}
\begin{lem}\label{l3}x\end{lem}
\bal a\nl b\label{e4}\eal
\begin{Thm}\label{T1}x\end{Thm}
\begin{table}\caption{x}\label{tab1}\end{table}
\section*{A}\label{as}
\section{B}\label{b}
\begin{figure}\caption{x}\label{fig1}\end{figure}
\begin{table}\caption{x}\label{tab2}\end{table}
\begin{thm}\label{t2}x\end{thm}
\begin{enumerate}\item\begin{enumerate}\item\label{i}\end{enumerate}\end{enumerate}
\begin{subequations}\begin{equation}\label{se}x\end{equation}\end{subequations}
\begin{thm}\label{t3}x\end{thm}
\subsection{C}\label{c}
\appendix
\section{D}\label{d}
\begin{thm}\label{t4}x\end{thm}
\end{document}
"""

MIXED = r"""
\documentclass[11pt]{amsart}
\usepackage{amsmath,amsthm,amssymb,mathtools,enumitem,caption,subcaption,appendix,empheq,cases}
\usepackage{thmtools,thm-restate}
\usepackage{tcolorbox}\tcbuselibrary{theorems}
\usepackage{mdframed}
\usepackage{hyperref}\usepackage[capitalize]{cleveref}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\declaretheorem[sibling=theorem,name=Prop]{prop}
\newmdtheoremenv{boxthm}[theorem]{Boxed}
\newmdtheoremenv{ownbox}{Own}[subsection]
\newtcbtheorem[use counter=theorem]{tthm}{T}{}{tt}
\newtcbtheorem[number within=section]{uthm}{T}{}{uu}
\newtcbtheorem[use counter from=uthm]{vthm}{T}{}{vv}
\newtcbtheorem[auto counter]{wthm}{T}{}{ww}
\numberwithin{equation}{section}
\crefname{theorem}{T}{TT}
\newenvironment{thmbis}[1]{\renewcommand{\thetheorem}{\ref{#1}$'$}\addtocounter{theorem}{-1}\begin{theorem}}{\end{theorem}}
\newenvironment{named}[1]{\begin{trivlist}\item[\textbf{#1}]}{\end{trivlist}}
\newtheorem*{thmA}{Theorem A}
\newtheorem{thmx}{Theorem}\renewcommand{\thethmx}{\Alph{thmx}}
\newcommand{\eqn}[2]{\begin{equation}\label{#1}#2\end{equation}}
\def\beq#1#2\eeq{\begin{equation}\label{#1}#2\end{equation}}
\newcommand\numberthis{\addtocounter{equation}{1}\tag{\theequation}}
\newcounter{step}\newcommand{\step}[1]{\refstepcounter{step}\textbf{Step \thestep. #1}}
\newlist{cases2}{enumerate}{1}\setlist[cases2]{label=(\alph*)}
\begin{document}
\section{A}\label{A}
\begin{thmx}\label{x1}a\end{thmx}
\begin{theorem}\label{t1} a \eqn{q1}{x} \end{theorem}
\begin{proof}\label{pf}\step{x}\label{st1} \beq{q2}x\eeq
\begin{align*} a \\ b\numberthis\label{nt}\end{align*}\end{proof}
\begin{thmbis}{t1}\label{bis}x\end{thmbis}
\begin{lemma}\label{l1}x\begin{cases2}\item\label{cc}\end{cases2}\end{lemma}
\begin{restatable}{theorem}{again}\label{re}x\begin{align}a\label{rea}\\b\label{reb}\end{align}\end{restatable}
\begin{prop}\label{p1}x\end{prop}
\begin{boxthm}\label{b1}x\end{boxthm}
\begin{tthm}{T}{k}x\end{tthm}
\begin{uthm}{T}{k}x\end{uthm}
\begin{vthm}{T}{k}x\end{vthm}
\begin{wthm}{T}{k}x\end{wthm}
\subsection{AA}\label{AA}
\begin{ownbox}\label{ob}x\end{ownbox}
\begin{theorem}[Name \label{inopt}]x\end{theorem}
\begin{named}{Foo}\label{nmd}\end{named}
\begin{thmA}\label{tA}\end{thmA}
\begin{figure}\begin{subfigure}{1cm}\caption{a}\label{sf}\end{subfigure}\caption{b}\label{fg}\end{figure}
\begin{table}\label{before}\caption{b}\label{tb}\end{table}
\begin{empheq}[box=\fbox]{align}a\label{em1}\\b\label{em2}\end{empheq}
\begin{numcases}{x} a\label{nc1}\\b\label{nc2}\end{numcases}
\begin{equation}\label{afternc}x\end{equation}
\again*
\begin{enumerate}[label=\roman*)]\item\label{en1}\end{enumerate}
\begin{equation}\begin{dcases}a\\b\end{dcases}\label{dc}\end{equation}
\begin{equation}\tag{\ref{q1}a}\label{tagref}x\end{equation}
\begin{equation}\tag{$\ast$}\label{tagast}x\end{equation}
\begin{gather}a\label{g1}\\ \begin{split}a\\b\end{split}\label{g2}\\
\begin{pmatrix}1\\2\end{pmatrix}\label{g3}\end{gather}
\begin{flalign}&a&\label{f1}\\&b\\ \notag &c\end{flalign}
\begin{align}a\tag*{(A)}\label{ta}\\b\intertext{foo}c\label{ta2}\end{align}
\[\begin{aligned}a\\b\end{aligned}\label{dsp}\]
\begin{equation}\label{lst}x\end{equation}
\section{B}
\begin{theorem}\label{t2}\end{theorem}\begin{equation}\label{b1q}x\end{equation}
\begin{appendices}\section{X}\label{apx}\begin{theorem}\label{t3}\end{theorem}\begin{equation}\label{e3}x\end{equation}\end{appendices}
\section{C}\label{C}
\begin{theorem}\label{t4}\end{theorem}
\appendix
\section{D}\label{D}\begin{theorem}\label{t5}\end{theorem}
\setcounter{theorem}{0}\renewcommand{\thetheorem}{\Alph{theorem}}
\begin{theorem}\label{t6}\end{theorem}
\begin{lemma}\label{l6}\end{lemma}\begin{prop}\label{p6}\end{prop}
\end{document}
"""

REPORT = r"""
\documentclass{report}
\usepackage{amsmath,amsthm,chngcntr,breqn}
\makeatletter
\@addtoreset{section}{part}\@addtoreset{chapter}{part}
\renewcommand\theequation{\thesection.\@arabic\c@equation}\@addtoreset{equation}{section}
\newcommand{\subeq}{\setcounter{footnote}{1}}
\makeatother
\counterwithin{figure}{section}
\newtheorem{theorem}{T}[chapter]
\theoremstyle{definition}
\newtheorem{defn}[theorem]{D}
\newtheorem{ex}{E}
\newif\iflong\longtrue
\newcommand{\onlylong}[1]{\iflong #1\fi}
\setcounter{secnumdepth}{3}
\let\bthm\begin
\newenvironment{exs}{\section*{Ex}\begin{enumerate}}{\end{enumerate}}
\begin{document}
\part{P}\chapter{A}\section{B}
\onlylong{\begin{theorem}\label{t1}\end{theorem}}
\iflong\begin{defn}\label{d1}\end{defn}\else\begin{defn}\end{defn}\begin{defn}\end{defn}\fi
\longfalse
\onlylong{\begin{theorem}\label{t2}\end{theorem}}
\begin{defn}\label{d2}\end{defn}
\begin{equation}\label{e1}x\end{equation}
\begin{figure}\caption{x}\label{f1}\end{figure}
\subsubsection{x}\label{sss}
\begin{exs}\item\label{i1}\item\begin{enumerate}\item\label{i2}\end{enumerate}\end{exs}
\begin{eqnarray}a\label{ea}\\ \lefteqn{b}\nonumber\\c\label{ec}\end{eqnarray}
\begin{eqnarray*}a\\b\end{eqnarray*}
\begin{equation}\label{e2}x\end{equation}
\begin{equation}\begin{array}{c}a\\b\end{array}\label{e3}\end{equation}
\chapter*{Z}\addcontentsline{toc}{chapter}{Z}
\begin{theorem}\label{t3}\end{theorem}
\part{Q}\chapter{A2}\label{cA2}\section{x}\label{sx}
\begin{theorem}\label{t4}\end{theorem}
\begin{ex}\label{ex1}\end{ex}
\begin{subequations}\label{sub}\begin{equation}\label{s1}x\end{equation}\begin{gather}x\label{s2}\\y\label{s3}\end{gather}\end{subequations}
\begin{equation}\label{e5}x\end{equation}
\appendix\chapter{Ap}\label{ap}\section{S}\begin{equation}\label{e6}x\end{equation}\begin{theorem}\label{t5}\end{theorem}
\end{document}
"""

ALGORITHM = r"""
\documentclass{article}
\usepackage{algorithm}
\begin{document}
\section{A}\label{a}
\begin{figure}\caption{b}\label{fig}\end{figure}
\begin{algorithm}\caption{b}\label{alg}\end{algorithm}
\end{document}
"""

OTHERS = r"""
\documentclass[%s]{%s}
\usepackage{amsmath}
%s
\begin{document}
%s
\section{A}\label{a}
\begin{equation}\label{e1}x\end{equation}
\subsection{B}\label{b}
\subsubsection{C}\label{c}
\begin{figure}\caption{x}\label{fig}\end{figure}
%s
\section{A}\label{a2}
\begin{equation}\label{e2}x\end{equation}
\appendix
%s
\section{F}\label{f}
\begin{equation}\label{e3}x\end{equation}
\end{document}
"""
CHAPTER = r"\chapter{X}\label{ch%d}"
STATEMENTS = r"\begin{theorem}\label{t%d}x\end{theorem}\begin{lemma}\label{l%d}x\end{lemma}"
AMS_DECLARED = r"\newtheorem{theorem}{T}[section]\newtheorem{lemma}[theorem]{L}"


def _other(name: str, options: str = "", preamble: str = "", *, chapters: bool = False) -> str:
    filled = (STATEMENTS.replace("%d", str(i)) for i in range(3))
    parts = [(CHAPTER % i if chapters else "") + text for i, text in enumerate(filled)]
    return OTHERS % (options, name, preamble or AMS_DECLARED, *parts)


DOCUMENTS = {
    "article": ARTICLE,
    "book": BOOK,
    "amsart": AMS,
    "packages": MIXED,
    "algorithm": ALGORITHM,
    "conditions": REPORT,
    "report": _other("report", chapters=True),
    "amsbook": _other("amsbook", chapters=True),
    "memoir": _other("memoir", chapters=True),
    "memoir-depth": _other("memoir", preamble=AMS_DECLARED + r"\setsecnumdepth{section}"),
    "scrbook": _other("scrbook", chapters=True),
    "scrartcl": _other("scrartcl"),
    "scrreprt": _other("scrreprt", chapters=True),
    "llncs": _other("llncs", preamble="%"),
    "llncs-same": _other("llncs", "envcountsame", "%"),
    "llncs-sect": _other("llncs", "envcountsect", "%"),
    "elsarticle": _other("elsarticle"),
    "IEEEtran": _other("IEEEtran", "journal"),
    "acmart": _other("acmart", "nonacm", "%"),
}


_LACKING = re.compile(r"^! LaTeX Error: File `([^']*)' not found", re.MULTILINE)


@pytest.fixture(scope="module")
def latex() -> str:
    found = shutil.which("pdflatex")
    if found is None:
        pytest.skip("no pdflatex: texlive-latex-recommended, -extra and -publishers have it")
    return found


def compiled(latex: str, folder: Path, main: str) -> dict[str, str]:
    """The numbers in the .aux that LaTeX writes; the .aux is removed.

    The test is skipped where LaTeX lacks a file; any other failure is one of the document.
    """
    command = [latex, "-interaction=nonstopmode", "-no-shell-escape", main]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    printed = done.stdout.decode("utf-8", "replace")
    if lacking := _LACKING.search(printed):
        pytest.skip(f"LaTeX has no {lacking[1]} here")
    path = folder / f"{Path(main).stem}.aux"
    assert path.is_file(), printed[-2000:]
    parsed = aux_file.parse_aux_file(path.read_text("utf-8", "replace"))
    texts = [(folder / item).read_text("utf-8", "replace") for item in parsed.inputs]
    for used in folder.rglob("*.aux"):
        used.unlink()
    return {
        key: number.text
        for labels in (parsed.labels, *(aux_file.parse_aux_file(text).labels for text in texts))
        for key, number in labels.items()
        if number.text and key != "TotPages"
    }


def compared(folder: Path, main: str, truth: dict[str, str]) -> tuple[list[str], list[str]]:
    """Labels that are wrong, and those that are uncertain."""
    listed = discover_papers(snapshot.from_folder(folder), ParseCache(MemoryCache())).papers
    paper = next(paper for paper in listed if main in paper.outline.order)
    got = simulated_numbers(paper).labels
    wrong = [
        f"{key}: {text}, got {got[key]}"
        for key, text in truth.items()
        if key in got and got[key].certain and got[key].text != text
    ]
    unsure = [f"{k}: {text}" for k, text in truth.items() if k not in got or not got[k].certain]
    return wrong, unsure


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_latex_counts_is_what_is_simulated(latex: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "main.tex").write_text(DOCUMENTS[name], "utf-8")
    truth = compiled(latex, tmp_path, "main.tex")
    assert truth
    wrong, unsure = compared(tmp_path, "main.tex", truth)
    assert not wrong
    assert len(unsure) == {"packages": 6, "algorithm": 1}.get(name, 0)


def test_a_real_document_has_the_numbers_that_latex_gives_it(
    latex: str, tmp_path: Path, corpus: Path
) -> None:
    folder = tmp_path / "paper"
    shutil.copytree(corpus / "equational-theories" / "blueprint" / "src", folder)
    text = (folder / "print.tex").read_text("utf-8")
    # unicode-math needs another engine than pdflatex, and counts nothing
    lines = [line for line in text.splitlines() if "unicode-math" not in line]
    (folder / "print.tex").write_text("\n".join(lines), "utf-8")
    truth = compiled(latex, folder, "print.tex")
    assert len(truth) > 100
    wrong, unsure = compared(folder, "print.tex", truth)
    assert not wrong
    assert len(unsure) <= len(truth) / 100
