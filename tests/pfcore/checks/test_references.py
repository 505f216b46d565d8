"""References that lead nowhere, labels that stand twice."""

import time
from dataclasses import replace

import pytest

from pfcore.checks import references
from pfcore.checks.references import Nearest
from pfcore.review.unseen import Gap, unseen, unseen_of
from tests.conftest import article_text


def _found(report):
    return [(finding.rule, finding.severity.value, finding.quote) for finding in report.findings]


def test_a_macro_that_refers_twice_is_told_once(reviewed, document):
    own = "\\newcommand{\\lemmaref}[1]{\\hyperref[#1]{Lemma \\ref*{#1}}}"
    body = (
        "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} By \\lemmaref{b}. \\end{proof}\n"
    )
    (paper,) = reviewed({"main.tex": document(body + "See \\lemmaref{b}.", preamble=own)}).papers
    found = [item for item in paper.findings if item.rule == "dangling-reference"]
    assert [item.location.line for item in found] == [9, 10]


def test_a_reference_to_nothing_is_an_error_with_its_place(article):
    report = article(
        "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} By \\ref{b}. \\end{proof}"
    )
    (finding,) = report.findings
    assert _found(report) == [("dangling-reference", "error", r"\ref{b}")]
    assert (finding.module, finding.location.path) == ("a", "main.tex")
    assert (finding.location.line, finding.location.column) == (9, 18)


def test_many_plain_references_to_nothing_ask_for_no_pattern_of_their_own(article, monkeypatch):
    from pfcore.checks import conditional_code

    made = []
    reference_to = conditional_code.reference_to

    def counted(key, names):
        made.append(key)
        return reference_to(key, names)

    monkeypatch.setattr(conditional_code, "reference_to", counted)
    proof = " ".join(f"\\ref{{x{number}}}" for number in range(40))
    report = article(f"\\lemma{{ An open brace. \\begin{{proof}} By {proof}. \\end{{proof}}")
    assert 40 in [item.alike for item in report.findings]
    assert list(unseen_of(report))
    assert made == []


def test_a_suggestion_is_looked_for_within_bounds(monkeypatch):
    monkeypatch.setattr(references, "_MOST_COMPARED", 1000)
    nearest = Nearest([f"thm:{number:05}" for number in range(3000)])
    found = [nearest.to(f"thx:{number:05}") for number in range(200)]
    assert found[0] == "thm:00000"
    assert found[-1] == ""


def test_the_new_label_of_a_statement_is_proposed_for_its_old_one_at_each_use(article):
    text = r"\begin{lemma}\label{%s} For $x$: \begin{equation}\label{%s}x\end{equation}\end{lemma}"
    text += r"\begin{proof}Clear.\end{proof}"
    uses = r" By \ref{first}, and \ref{first}. Also \eqref{eq}."
    then = text % ("first", "eq") + uses
    messages = [item.message for item in article(text % ("growth", "eq") + uses, then).findings]
    assert messages == ["undefined label first; did you mean growth?"] * 2
    (finding,) = article(text % ("first", "zz") + uses, then).findings
    assert finding.message == "undefined label eq"


@pytest.mark.parametrize("is_here", [False, True])
def test_labels_by_a_command_of_a_class_that_is_not_here_are_only_noted(reviewed, is_here):
    main = (
        r"\documentclass{own-script}\begin{document}\begin{theorem}\autolabel A.\end{theorem}"
        r"\begin{proof}By Theorem~\ref{1.1}.\end{proof}\end{document}"
    )
    files = {"main.tex": main}
    if is_here:
        files["own-script.cls"] = r"\LoadClass{article}\newcommand{\autolabel}{}"
    listed = reviewed(files).papers[0].findings
    found = [item for item in listed if item.rule == "dangling-reference"]
    assert [item.severity.value for item in found] == ["error" if is_here else "note"]
    assert (r"\autolabel may set it" in found[0].message) is not is_here


def test_a_near_label_is_proposed(article):
    (finding,) = article(
        r"\begin{definition}\label{def:compact} D. \end{definition} See \ref{def:compcat}."
    ).findings
    assert "did you mean def:compact?" in finding.message


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (r"\label{def:step}", r"did you mean def:step, which has this name in \lean?"),
        ("", r"Definition 1 has this name in \lean, but no \label"),
    ],
)
def test_a_name_of_lean_among_uses_is_told_from_a_label(article, label, said):
    (finding,) = article(
        rf"\begin{{definition}}{label}\lean{{Game.Step}} D. \end{{definition}}"
        r"\begin{lemma}\uses{Game.Step} A. \end{lemma}\begin{proof} Clear. \end{proof}"
    ).findings
    assert finding.message == f"undefined label Game.Step; {said}"


@pytest.mark.parametrize("command", ["ref", "eqref", "cref", "Cref", "autoref", "nameref", "vref"])
def test_every_kind_of_reference_is_looked_at(article, command):
    assert _found(article(rf"\{command}{{no}}"))[0][0] == "dangling-reference"


@pytest.mark.parametrize(
    "own",
    [
        "\\newcommand\\lemref[1]{(by part #1)}",
        "\\renewcommand{\\lemref}[1]{(by part #1)}",
        "\\def\\lemref#1{(by part #1)}",
    ],
)
def test_a_command_that_an_argument_defines_itself_takes_no_key(article, own):
    sol = "\\newcommand\\sol[1]{\\begin{quote}#1\\end{quote}}"
    found = article(sol + "\\sol{" + own + " So \\lemref{f}, and by \\ref{g}.}").findings
    assert [item.message for item in found] == ["undefined label g"]
    found = article(sol + "\\sol{So \\lemref{f}.}").findings
    assert [item.message for item in found] == ["undefined label f"]


def test_each_key_of_a_list_is_looked_at(article):
    report = article(r"\begin{lemma}[\cite{x}]\label{a} A.\end{lemma} \cref{a,b,c}")
    found = sorted(finding.message.split(",")[0] for finding in report.findings)
    assert found == ["undefined label b", "undefined label c"]


SAME = r"""\section{One} By \ref{no}. %% pf: ignore[dangling-reference] to come

\section{Two} Again by \ref{no}.
\begin{lemma}\label{a} A.\end{lemma}\begin{proof} By \ref{no}%s.\end{proof}
"""


def test_each_place_of_a_name_that_is_not_there_is_one_finding(article):
    found = article(SAME % "").findings
    rule = [item for item in found if item.rule == "dangling-reference"]
    assert [(item.location.line, item.dismissed) for item in rule] == [
        (8, "to come"), (10, None), (11, None)]  # fmt: skip
    (new,) = (
        item for item in article(SAME % r" and \ref{no}", SAME % "").findings if item.introduced
    )
    assert new.location.line == 11


def test_an_earlier_id_of_a_name_in_running_text_still_answers(article):
    (finding,) = article(r"By \ref{no}.").findings
    (earlier,) = finding.aliases
    assert article(rf"By \ref{{no}}. % pf: ignore[{earlier}] as agreed").findings[0].dismissed


def test_labels_of_a_document_that_zref_names_are_known(reviewed, document):
    preamble = "\\usepackage{zref-xr}\\zexternaldocument*[s-]{other}"
    files = {
        "main.tex": document(r"By \ref{s-far} and \ref{s-gone}.", preamble=preamble),
        "other.tex": document(r"\section{Far}\label{far}"),
    }
    found = [item.message for paper in reviewed(files).papers for item in paper.findings]
    assert [words for words in found if "undefined label" in words] == ["undefined label s-gone"]


@pytest.mark.parametrize(("package", "told"), [("", 0), (r"\usepackage{thmtools}", 1)])
def test_an_option_is_a_label_only_to_packages_that_read_options(reviewed, document, package, told):
    body = r"\begin{lemma}[label=a]\label{a} A. \end{lemma} By \ref{a}."
    (paper,) = reviewed({"main.tex": document(body, preamble=package)}).papers
    assert [item.rule for item in paper.findings].count("duplicate-label") == told


def test_an_environment_that_nothing_declares_may_set_the_label_that_it_gets(reviewed, document):
    body = r"\begin{satz}{On a}{my a} A. \end{satz} By \ref{satz:my a}, \ref{satz:a} and \ref{On}."
    box = r"\newenvironment{satz}[2]{}{}"
    for preamble, notes in (("", 1), (box, 0)):
        (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
        found = [f.severity.value for f in paper.findings if f.rule == "dangling-reference"]
        assert (found.count("note"), len(found)) == (notes, 3)


SHARING = [
    (r"\usepackage{xr}", ""),
    (r"\usepackage{a,xr-hyper}", ""),
    (r"\RequirePackage{zref-xr}", ""),
    (r"\externaldocument{other}", ""),
    (r"\usepackage{subfiles}", ""),
    ("", r"\usepackage{standalone}"),
]


@pytest.mark.parametrize(("mine", "others"), [("", ""), *SHARING])
def test_a_label_that_another_document_has_blocks_unless_it_may_be_shared(
    reviewed, document, mine, others
):
    files = {
        "main.tex": document(r"By \ref{far} and \ref{gone}.", preamble=mine),
        "other.tex": document("\\section{A}\\label{far}\n% \\label{gone}\n", preamble=others),
    }
    listed = [item for paper in reviewed(files).papers for item in paper.findings]
    found = {item.quote: item for item in listed if item.rule == "dangling-reference"}
    assert found[r"\ref{gone}"].severity.value == "error"
    if "external" in mine:
        assert r"\ref{far}" not in found
        return
    far = found[r"\ref{far}"]
    assert far.message.endswith(
        r"; other.tex defines it, but is another document (add \externaldocument{other})"
    )
    assert far.severity.value == ("warning" if mine or others else "error")


def test_the_document_that_includes_a_chapter_is_the_one_whose_labels_are_asked_for(
    reviewed, document
):
    files = {
        "main.tex": document(r"\input{chapters/far}"),
        "chapters/far.tex": "\\section{A}\\label{far}\n",
        "notes/notes.tex": document(r"By \ref{far}."),
    }
    messages = [item.message for paper in reviewed(files).papers for item in paper.findings]
    assert [words for words in messages if "undefined" in words] == [
        "undefined label far; chapters/far.tex defines it, but belongs to another document "
        r"(add \externaldocument{../main})"
    ]


def test_of_copies_that_set_a_label_the_one_beside_the_paper_is_named(reviewed, document):
    files = {
        "new/one.tex": document(r"\input{parts/far}"),
        "new/two.tex": document(r"By \ref{far}."),
        **{
            f"{at}parts/far.tex": "\\section{A}\\label{far}\n" for at in ("new/.old/", "a/", "new/")
        },
    }
    messages = [item.message for paper in reviewed(files).papers for item in paper.findings]
    assert [words for words in messages if "undefined" in words] == [
        "undefined label far; new/parts/far.tex defines it, but belongs to another document "
        r"(add \externaldocument{one})"
    ]


def test_a_label_in_a_file_that_no_document_includes_is_told_with_the_file(reviewed, document):
    files = {
        "main.tex": document(r"By \ref{far} and \ref{near}."),
        "parts/far.tex": "\\section{A}\\label{far}\n\\input{deep}",
        "deep.tex": "\\section{B}\\label{near}\n",
    }
    report = reviewed(files)
    assert sorted(item.message.partition("; ")[2] for item in report.papers[0].findings) == [
        "deep.tex defines it, but no document includes it",
        "parts/far.tex defines it, but no document includes it",
    ]
    told = [(item.path, item.reason) for item in unseen(report)]
    assert ("parts/far.tex", "no document includes it") in told
    files["notes.tex"] = document(r"\input{parts/far}")
    assert {item.message.partition("; ")[2] for item in reviewed(files).papers[0].findings} == {
        r"deep.tex defines it, but belongs to another document (add \externaldocument{notes})",
        r"parts/far.tex defines it, but belongs to another document (add \externaldocument{notes})",
    }


def test_the_code_of_a_figure_may_set_its_label(reviewed, document):
    text = document(r"\begin{figure}\input{plots/error.tikz}\end{figure} By \ref{far}, \ref{no}.")
    files = {"main.tex": text, "plots/error.tikz": r"\caption{A}\label{far}"}
    assert [item.quote for item in reviewed(files).papers[0].findings] == [r"\ref{no}"]


@pytest.mark.parametrize("more", [r"\input{main.labels}", r"\input{made}"])
def test_a_file_that_is_not_there_may_have_the_label(reviewed, document, more):
    text = document(r"By \ref{far}.", preamble=more)
    found = reviewed({"main.tex": text}).papers[0].findings
    assert [item.severity.value for item in found] == ["note"]
    assert "; it may be in ma" in found[0].message


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (r"\newcommand{\ended}{\label{own@last}}", ["note"]),
        (r"\AtEndDocument{\label{own@last}}", []),
    ],
)
def test_a_label_of_a_class_may_be_there(reviewed, document, code, expected):
    main = document(r"Up to page \pageref{own@last}.").replace("{article}", "{own}", 1)
    found = (
        reviewed({"main.tex": main, "own.cls": rf"\LoadClass{{article}}{code}"}).papers[0].findings
    )
    assert [item.severity.value for item in found] == expected


def test_what_is_commented_out_is_no_reference(article):
    assert _found(article("% \\ref{no}\n\\iffalse \\ref{no} \\fi \\verb|\\ref{no}|")) == []


def test_labels_in_comments_do_not_count(article):
    assert _found(article("% \\label{a}\nBy \\ref{a}."))[0][0] == "dangling-reference"


def test_a_label_that_a_macro_writes_to_the_aux_is_set(article):
    own = (
        r"\makeatletter\newcommand{\mylabel}[2]{\protected@write \@auxout {}"
        r"{\string \newlabel {#1}{{#2}{\thepage}{#2}{#1}{}}}\hypertarget{#1}{#2}}\makeatother"
    )
    text = own + r"\mylabel{known}{K} \ref{known} \ref{other}"
    assert _found(article(text)) == [("dangling-reference", "error", r"\ref{other}")]


def test_the_name_of_a_legend_is_a_label(article):
    text = r"\begin{axis}[legend to name=shared, width=3cm]\end{axis} \ref{shared} \ref{share}"
    assert _found(article(text)) == [("dangling-reference", "error", r"\ref{share}")]


def test_a_label_in_both_branches_of_one_macro_is_no_duplicate(article):
    own = r"\newif\ifshort\shorttrue\newcommand{\say}[1]{\ifshort a #1\else b #1\fi}"
    text = own + r"\say{\label{one}} \ref{one} \say{\label{two}} \say{\label{two}} \ref{two}"
    found = [item.subject for item in article(text).findings if item.rule == "duplicate-label"]
    assert found == ["two"]


def test_keys_made_by_macros_and_by_packages_are_left_alone(article):
    assert _found(article(r"\ref{LastPage} \newcommand{\x}[1]{\ref{thm:#1}}")) == []


@pytest.mark.parametrize(("prefix", "key"), [("[A-]", "A-x"), ("", "x")])
def test_a_reference_into_a_document_that_is_not_here_is_a_note(reviewed, document, prefix, key):
    text = document(rf"By \ref{{{key}}}.", preamble=rf"\externaldocument{prefix}{{other}}")
    (finding,) = reviewed({"main.tex": text}).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("dangling-reference", "note")
    assert finding.message.endswith("it may be in the document other, which is missing")


@pytest.mark.parametrize(("key", "count"), [("A-a", 0), ("a", 0), ("A-x", 1), ("B-a", 1)])
def test_a_reference_into_a_document_that_is_here_leads_somewhere(reviewed, document, key, count):
    text = document(rf"By \ref{{{key}}}.", preamble=r"\externaldocument[A-]{other}")
    other = document(r"\begin{lemma}[\cite{x}]\label{a} A.\end{lemma}")
    report = reviewed({"main.tex": text, "other.tex": other})
    assert [item.severity.value for item in report.papers[0].findings] == ["error"] * count


def test_a_document_of_which_only_the_labels_are_wanted_is_not_looked_at(reviewed, document):
    text = document(r"By \ref{A-a}.", preamble=r"\externaldocument[A-]{other}")
    other = document(r"\begin{lemma}\label{a} A, by \ref{gone}.\end{lemma}")
    settings = '[[paper]]\nname = "mine"\nroot = "main.tex"\n'
    report = reviewed({"main.tex": text, "other.tex": other, "pf.toml": settings})
    assert report.papers[0].findings == ()


def test_while_a_file_is_missing_a_dangling_reference_is_only_a_note(article):
    found = _found(article(r"\input{chapter} By \ref{x}."))
    assert ("missing-file", "error", r"\input{chapter}") in found
    assert ("dangling-reference", "note", r"\ref{x}") in found


@pytest.mark.parametrize(
    ("preamble", "body"),
    [
        (r"\ExplSyntaxOn\cs_new:Npn \my:nn #1#2 {\label {a:#1.#2}}\ExplSyntaxOff", r"\ref{a:b.c}"),
        (r"\def\lab#1{\label{a#1-\jobname}}", r"By \ref{ax-main}."),
        ("", r"\makeatletter\@ifundefined{r@a:b}{Nothing.}{See \ref{a:b}.}\makeatother"),
    ],
)  # fmt: skip
def test_a_label_that_code_of_the_paper_may_make_is_not_missed_for_certain(
    reviewed, document, preamble, body
):
    (paper,) = reviewed({"main.tex": document(body, preamble=preamble)}).papers
    assert [(f.rule, f.severity.value) for f in paper.findings] == [("dangling-reference", "note")]
    other = document(body + r" By \ref{zz}.", preamble=preamble)
    (paper,) = reviewed({"main.tex": other}).papers
    assert sorted(f.severity.value for f in paper.findings) == ["error", "note"]


@pytest.mark.parametrize(
    ("preamble", "body"),
    [
        (r"\newcommand\lbl{\label{\thesubsubsection}}",
         r"\subsubsection{A}\lbl %s By \ref{5.1.4}, \ref{A.2}, \ref{iv.b} and \ref{%s}."),
        (r"\newcommand{\sect}[1]{\section{#1}\label{sec:\arabic{section}}}",
         r"\sect{A} %s By \ref{sec:3} and \ref{%s}."),
        (r"\newenvironment{parted}{\label{sec:\thesection.\roman{enumi}}}{}",
         r"\begin{parted}x\end{parted}%s By \ref{sec:3.iv} and \ref{%s}."),
        (r"\newcommand{\made}[1]{\label{\csname the#1\endcsname-x}}",
         r"\made{section}%s By \ref{4-x} and \ref{%s}."),
        (r"\def\lab#1{\label{#1-\jobname}}", r"\lab{x}%s By \ref{x-main} and \ref{%s}."),
        (r"\renewcommand{\thesection}{S\arabic{section}}\newcommand\lbl{\label{\thesection}}",
         r"\section{A}\lbl %s By \ref{S12} and \ref{%s}."),
        (r"\usepackage{pgffor}\newcommand{\mk}[2]{\label{#1:#2}}",
         r"\foreach \x in {b,c}{\mk{a}{\x}}%s By \ref{a:b} and \ref{%s}."),
        ("", r"\section{A}\label{\thesection}%s By \ref{3} and \ref{%s}."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lost", ["lem:main", "sec:many", "gone"])
def test_what_may_be_a_label_that_the_paper_computes_is_not_looked_at(
    reviewed, document, preamble, body, lost
):
    files = {"main.tex": document(body % ("\n\n", lost), preamble=preamble)}
    report = reviewed(files)
    assert [item.message.partition(";")[0] for item in report.papers[0].findings] == [
        f"undefined label {lost}"]  # fmt: skip
    (item,) = [item for item in unseen(report) if item.kind is Gap.REFERENCE]
    assert (item.path, item.line, item.number) == ("main.tex", 10, body.count(r"\ref") - 1)


def test_a_computed_label_of_a_command_that_is_never_used_is_nowhere(reviewed, document):
    named = r"\label{\thesection}"
    for own in (
        rf"\newcommand\lbl{{{named}}}",
        rf"\newenvironment{{x}}{{{named}}}{{}}",
        f"%{named}\n",
    ):
        (paper,) = reviewed({"main.tex": document(r"By \ref{3.1}.", preamble=own)}).papers
        assert _found(paper) == [("dangling-reference", "error", r"\ref{3.1}")]


OWN_LABEL = r"\newcommand{\lemlabel}[1]{\label{lem:#1}}"


@pytest.mark.parametrize(
    ("body", "severities"),
    [
        (r"\lemlabel{a} By \ref{lem:a} and \ref{lem:gone}.", ["error"]),
        (r"\newcommand{\both}[1]{\lemlabel{#1}x}\both{a} By \ref{lem:gone}.", ["error"]),
        (r"\newcommand{\all}[1]{\lemlabel{all-#1}}\all{gone} By \ref{lem:gone}.", ["note"]),
        (r"\newcommand{\x}{a}\lemlabel{\x} By \ref{lem:gone}.", ["note"]),
        (r"\let\mark\lemlabel \mark{a} By \ref{lem:gone}.", ["note"]),
        (r"\csname lemlabel\endcsname{gone} By \ref{lem:gone}.", ["note"]),
        (r"\newcommand{\y}{gone}{\label{lem:\y}} By \ref{lem:gone}.", []),
    ],
)
def test_a_command_that_sets_labels_of_its_argument_sets_no_other_ones(article, body, severities):
    found = _found(article(OWN_LABEL + body))
    assert found == [("dangling-reference", item, r"\ref{lem:gone}") for item in severities]


def test_labels_that_environments_set_by_their_arguments_are_there(article):
    own = r"\newenvironment{parts}[1]{\label{#1}\label{S.#1}\begin{itemize}}{\end{itemize}}"
    text = own + r"\begin{parts}{k}\item x\end{parts} By \ref{S.k} and \ref{k}."
    assert _found(article(text)) == []
    assert _found(article(own + r" By \ref{S.k}.")) == [
        ("dangling-reference", "error", r"\ref{S.k}")
    ]


def test_a_label_that_an_environment_hands_on_to_another_is_there(article):
    own = (
        r"\newenvironment{said}[1]{\marked{#1}}{}"
        r"\NewEnviron{marked}[1]{\begin{equation}\label{#1}\BODY\end{equation}}"
    )
    used = r"\begin{said}{k} x \end{said}"
    assert _found(article(own + used + r" By \ref{k}.")) == []
    assert [rule for rule, *_ in _found(article(own + used + r" By \ref{l}."))] == [
        "dangling-reference"
    ]


def test_a_label_that_stands_twice_is_an_error_if_somebody_cites_it(article):
    twice = r"\section{A}\label{s} \section{B}\label{s}"
    assert _found(article(twice)) == [("duplicate-label", "warning", r"\label{s}")]
    assert _found(article(twice + r" See \ref{s}.")) == [("duplicate-label", "error", r"\label{s}")]


def test_references_cross_files(reviewed, document):
    files = {
        "main.tex": document(r"\input{one}\input{sub/two}"),
        "one.tex": r"\begin{lemma}[\cite{x}]\label{a} A. \end{lemma}",
        "sub/two.tex": r"By \ref{a}.",
    }
    assert reviewed(files).papers[0].findings == ()


def test_labels_in_the_branches_of_a_condition_do_not_collide(article):
    branches = (
        r"\iftag{A}{\section{A}\label{s}}{\section{B}\label{s}}",
        r"\ifdraft \section{A}\label{s} \else \section{B}\label{s} \fi",
        "\\pick{ \\emph{x} \\section{A}\\label{s}}% or\n {\\section{B}\\label{s}}",
    )
    for text in branches:
        assert _found(article(text)) == [], text


@pytest.mark.parametrize(("value", "count"), [("\\longtrue", 0), ("\\longtrue\\longfalse", 1)])
def test_a_switch_with_one_value_chooses_among_two_files(reviewed, document, value, count):
    r"""`\ifbool` of etoolbox asks a switch of `\newif`, too."""
    one = "\\ifbool{long}{\\section{A}\\label{s}}{}"
    other = "\\ifbool{long}{}{\\section{B}\\label{s}}"
    root = document("\\input{one}\\input{other}", preamble=f"\\newif\\iflong{value}\n")
    files = {"main.tex": root, "one.tex": one, "other.tex": other}
    (paper,) = reviewed(files).papers
    assert [item.rule for item in paper.findings] == ["duplicate-label"] * count


def test_labels_in_separate_groups_collide(article):
    found = _found(article(r"{\section{A}\label{s}} and {\section{B}\label{s}}"))
    assert found == [("duplicate-label", "warning", r"\label{s}")]


def test_labels_of_files_that_may_not_belong_together_do_not_collide(reviewed, document):
    part = "\\documentclass[main]{subfiles}\\begin{document}\\section{A}\\label{s}\\end{document}"
    files = {"main.tex": document(r"\input{gone}"), "a.tex": part, "b.tex": part}
    (paper,) = reviewed(files).papers
    assert [f.rule for f in paper.findings] == ["missing-file"]


@pytest.mark.parametrize(
    ("preamble", "body", "severity"),
    [
        ("", r"\ifdefined\full\input{part}\fi", "note"),
        (r"\newif\ifFull ", r"\Fulltrue\Fullfalse\ifFull\input{part}\fi", "note"),
        (r"\newif\iffull\fulltrue ", r"\iffull\input{part}\fi", "error"),
        (r"\newif\iffull\fulltrue ", r"\iffull\else\input{part}\fi", ""),
        ("", r"\ifdefined\full\input{part}\fi\input{part}", "error"),
        ("", r"\ifdefined\full\input{whole}\fi", "note"),
        ("", r"\ifdef{\full}{a}{b}\ifdefined\full x\fi\input{part}", "error"),
    ],
)
def test_what_a_file_has_that_a_condition_reads_in_is_a_note(
    reviewed, document, preamble, body, severity
):
    files = {
        "main.tex": document(body, preamble=preamble),
        "part.tex": r"By \ref{gone}.",
        "whole.tex": r"\input{part}",
    }
    found = [f for f in reviewed(files).papers[0].findings if f.rule == "dangling-reference"]
    told = [(item.location.path, item.severity.value) for item in found]
    assert told == ([("part.tex", severity)] if severity else [])


CLOSED = r"\begin{lemma}\label{x} T. \end{lemma}\begin{proof} By \ref{nowhere}. \end{proof}"


@pytest.mark.parametrize(
    ("switch", "expected"),
    [
        ((r"\newif\ifdraft \ifdraft", r"\fi"), []),
        ((r"\newif\ifdraft \ifdraft a\else", r"\fi"), ["error"]),
        ((r"\newif\ifdraft\drafttrue \ifdraft", r"\fi"), ["note"]),
        ((r"\ifdefined\draft", r"\fi"), ["note"]),
        ((r"\iffalse", r"\fi"), []),
        (("", r"\newif\ifdraft \ifdraft a\fi"), ["error"]),
    ],
)
def test_what_latex_may_not_read_is_no_error(article, switch, expected):
    report = article(switch[0] + CLOSED + switch[1])
    assert [item.severity.value for item in report.findings] == expected


def test_what_is_never_read_is_no_module(article):
    report = article(r"\newif\ifdraft \ifdraft" + CLOSED + r"\fi")
    assert not report.state.document.modules


def test_documents_that_cite_each_other_under_prefixes_have_labels_of_their_own(reviewed):
    def text(preamble: str, body: str) -> str:
        return article_text(body, preamble=preamble)

    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}"
    one = text("\\usepackage{xr}\\externaldocument[two-]{two}", f"{lemma} By \\ref{{a}}.")
    two = text("", f"{lemma} By \\ref{{a}}.")
    rules = [f.rule for paper in reviewed({"one.tex": one, "two.tex": two}).papers
             for f in paper.findings]  # fmt: skip
    assert "duplicate-label" not in rules
    twice = text("", lemma + lemma)
    (paper,) = reviewed({"one.tex": one, "two.tex": twice}).papers
    assert "duplicate-label" in [item.rule for item in paper.findings]


@pytest.mark.parametrize(
    "setting",
    [
        r"\begin{lstlisting}[language=C,label=lst:a] x \end{lstlisting}",
        r"\begin{lstlisting}[label={lst:a},caption={One}] x \end{lstlisting}",
        r"\lstinputlisting[caption=Two, label = lst:a]{a.c}",
    ],
)
def test_an_option_gives_a_label(article, setting):
    assert _found(article(rf"{setting} See \ref{{lst:a}}.")) == []
    assert _found(article(rf"{setting} See \ref{{lst:b}}.")) != []


def test_an_option_in_a_comment_gives_none(article):
    (finding,) = article("% \\begin{lstlisting}[label=lst:a]\nSee \\ref{lst:a}.").findings
    assert (finding.rule, finding.severity) == ("dangling-reference", "error")


_OTHERWISE = r"\def\autoref#1{\ref{#1@}}"
_STATED = r"\begin{lemma}[\cite{x}]\label{a} A.\end{lemma} By \autoref{a}."


@pytest.mark.parametrize(
    "preamble",
    [
        rf"\ifdefined\hypersetup\else{_OTHERWISE}\fi",
        rf"\makeatletter\@ifpackageloaded{{hyperref}}{{}}{{{_OTHERWISE}}}\makeatother",
        rf"\let\old\label\def\label#1{{\old{{#1@}}\old{{#1}}}}{_OTHERWISE}",
        rf"\newif\ifown\owntrue\ifown\else{_OTHERWISE}\fi",
        _OTHERWISE,
    ],
)
def test_a_key_that_leads_somewhere_as_written_is_not_lost(article, preamble):
    assert _found(article(preamble + _STATED)) == []
    (finding,) = article(preamble + _STATED + r" By \autoref{b}.").findings
    assert finding.rule == "dangling-reference"


def test_a_command_of_the_papers_own_is_read_as_it_says(article):
    own = r"\ifdefined\lemref\else\newcommand{\lemref}[1]{Lemma~\ref{lem:#1}}\fi"
    stated = r"\begin{lemma}[\cite{x}]\label{lem:a} A.\end{lemma} By \lemref{a}."
    assert _found(article(own + stated)) == []
    own = r"\newcommand{\lref}[1]{\ref{lem:#1}}"
    (finding,) = article(own + _STATED + r" By \lref{a}.").findings
    assert finding.message.startswith("undefined label lem:a")


@pytest.mark.parametrize(
    ("switch", "is_known"),
    [
        (r"\newif\ifown \owntrue", True),
        (r"\newif\ifown \owntrue \def\off{\ownfalse}", False),
        (r"\newif\ifown \ifx\a\b\owntrue\fi", False),
        (r"\newif\ifown \DeclareOption{own}{\owntrue}", False),
        (r"\usepackage{hyperref}\newif\ifown \makeatletter"
         r"\@ifpackageloaded{hyperref}{\owntrue}{\ownfalse}\makeatother", True),
        (r"\newif\ifown \makeatletter"
         r"\@ifpackageloaded{hyperref}{\owntrue}{\ownfalse}\makeatother", False),
    ],
)  # fmt: skip
def test_a_definition_in_a_branch_that_is_never_read_defines_nothing(
    reviewed, document, switch, is_known
):
    preamble = rf"{switch} \ifown \def\lref#1{{\ref{{#1}}}}\else\def\lref#1{{\ref{{lem:#1}}}}\fi "
    text = document(_STATED + r" By \lref{a}.", preamble=preamble)
    (paper,) = reviewed({"main.tex": text}).papers
    assert paper.findings == ()
    body = paper.state.paper.syntax.macros["lref"].body
    assert body == (r"\ref{#1}" if is_known else r"\ref{lem:#1}")


@pytest.mark.parametrize(
    "line",
    [
        r"\nllabel{k}",
        r"\lnl{k}",
        r"\lnlset{k}{3a}",
        r"\linelabel{k}",
        r"\thlabel{k}",
        r"\State x\label{k}",
    ],
)
def test_what_numbers_a_line_of_an_algorithm_gives_a_label(article, line):
    text = rf"\begin{{algorithm}} x \; {line} \end{{algorithm}} In line \ref{{k}}."
    assert _found(article(text)) == []
    assert _found(article(line + line + r" See \ref{k}.")) != []


def test_a_command_of_that_name_which_the_paper_defines_gives_none(article):
    text = r"\newcommand{\lnl}[1]{\textbf{#1}} \lnl{k} \ref{k}"
    assert _found(article(text)) == [("dangling-reference", "error", r"\ref{k}")]


_EQUATION = "\\begin{align}\\label{e} x &= y \\end{align}\n"


@pytest.mark.parametrize(
    "between",
    [
        "% a brace } in a comment\n" + 300 * "It is $\\frac{a}{b}$.\n",
        "\\ifx\\a\\b It is.\\else It is not.\\fi\n",
        "} and $\\frac{a}{b}$ {",
        "\\pick{a}{b}",
        "\\newif\\ifown It is $x \\iff y$.",
    ],
)
def test_labels_that_stand_twice_are_found_whatever_is_between(article, between):
    found = _found(article(f"{{{_EQUATION}{between}{_EQUATION}}}"))
    assert found == [("duplicate-label", "warning", r"\label{e}")]


@pytest.mark.parametrize(
    "text",
    [
        r"\ifdraft %s \ifx\a\b x\else y\fi \else \ifx\a\b x\fi %s \fi",
        r"\ifdraft %s \fi Much of it. \ifdraft x \else %s \fi",
        r"\pick{{x} %s {y}}{\frac{a}{b} %s}",
        r"\pick{%s}{x}{%s}",
    ],
)
def test_labels_in_branches_are_alternatives_whatever_is_between(article, text):
    assert _found(article(text % (_EQUATION, _EQUATION))) == []


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (rf"\ifdraft {_EQUATION}\else x\fi {_EQUATION}", "note"),
        (rf"\pick{{{_EQUATION}}}{{x}} {_EQUATION}", "warning"),
        (rf"\ifdraft {_EQUATION}\else x\fi {_EQUATION} and {_EQUATION}", "warning"),
    ],
)
def test_a_label_behind_the_branches_that_have_it_collides(article, text, severity):
    (finding,) = article(text).findings
    assert (finding.rule, finding.severity.value) == ("duplicate-label", severity)
    assert ("a condition decides" in finding.message) == (severity == "note")


_LISTED = "\\begin{lstlisting}[caption=One, label={lst:a}]\nx\n\\end{lstlisting}\n"


@pytest.mark.parametrize(
    "other",
    [_LISTED, "\\lstinputlisting[label=lst:a]{a.c}", "\\section{A}\\label{lst:a}"],
)
def test_a_label_that_a_listing_gives_once_more_is_a_duplicate(reviewed, document, other):
    files = {"main.tex": document(_LISTED + "See.\n" + other + r" By \ref{lst:a}."), "a.c": "x"}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("duplicate-label", "error")
    assert finding.message.startswith("label lst:a is already defined at main.tex:8;")
    assert finding.quote in ("label={lst:a}", "label=lst:a", r"\label{lst:a}")


def test_other_labels_of_listings_are_no_duplicates(article):
    other = "% " + _LISTED.splitlines()[0] + "\n"
    plain = "\\begin{verbatim}\n" + _LISTED.splitlines()[0] + "\n\\end{verbatim}\n"
    lists = r"\begin{enumerate}[label=lst:a]\item x\end{enumerate}"
    text = _LISTED + _LISTED.replace("lst:a", "lst:b") + other + plain + lists
    assert _found(article(text + r" By \ref{lst:a}.")) == []


@pytest.mark.parametrize(
    ("part", "is_told"),
    [
        ("\\newif\\iflong\n\\iflong %s \\fi", True),
        ("\\iffalse\n%s \\fi", True),
        ("\\usepackage{comment}\\excludecomment{long}\n\\begin{long} %s \\end{long}", True),
        ("\\newcommand{\\never}{\n%s}", False),
        ("\\begin{verbatim}\n%s\\end{verbatim}", False),
        ("%% x\n%% %s", False),
    ],
)
def test_a_label_that_only_a_part_has_which_is_switched_off_is_told_so(article, part, is_told):
    (finding,) = article(part % r"\label{k}" + "\nBy \\ref{k}.").findings
    said = "; main.tex:9 defines it in a part that is switched off" if is_told else ""
    assert (finding.severity.value, finding.message) == ("error", f"undefined label k{said}")


def test_a_command_that_an_argument_defines_is_no_reference_there(reviewed, document):
    preamble = "\\newcommand\\sol[1]{\\begin{solution} #1 \\end{solution}}"
    own = "\\newcommand\\lemref[1]{\\text{by \\ref{l}#1}} $A$, \\lemref{f} and \\lemref{no}."
    lemma = "\\begin{lemma}\\label{l} A.\\end{lemma}"
    body = f"{lemma}\\begin{{questions}}\\sol{{%s}}\\end{{questions}}"
    (paper,) = reviewed({"main.tex": document(body % own, preamble=preamble)}).papers
    assert [item for item in paper.findings if item.rule == "dangling-reference"] == []
    text = document(body % "\\lemref{f}", preamble=preamble)
    (paper,) = reviewed({"main.tex": text}).papers
    assert [item.message for item in paper.findings if item.rule == "dangling-reference"] == [
        "undefined label f"
    ]


@pytest.mark.parametrize(
    ("macro", "use", "severity"),
    [
        (r"\newcommand{\full}[1]{}", r"\full{\ref{zz}}", "note"),
        (r"\newcommand{\pick}[2]{#2}", r"\pick{\ref{zz}, \ref{a}}{this}", "note"),
        (r"\newcommand{\pick}[2]{#1}", r"\pick{\ref{zz}}{this}", "error"),
        (r"\newcommand{\full}[1]{#1}", r"\full{\ref{zz}}", "error"),
    ],
)
def test_a_lost_reference_that_a_macro_drops_is_only_noted(
    reviewed, document, macro, use, severity
):
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\n\\begin{proof} Clear. %s \\end{proof}\n"
    files = {"main.tex": document(lemma % use, preamble=macro)}
    (finding,) = reviewed(files).papers[0].findings
    assert (finding.rule, finding.severity.value) == ("dangling-reference", severity)
    assert ("does not print" in finding.message) == (severity == "note")


def test_documents_that_one_cites_have_labels_of_their_own_whoever_cites_them(reviewed, document):
    cites = "\\usepackage{xr}\\externaldocument[two-]{two}"
    body = "\\section{A}\\label{top}\\label{again}"
    files = {
        "one.tex": document(body, preamble=cites),
        "two.tex": document(body, preamble=cites),
        "three.tex": document(f"{body}\\section{{B}}\\label{{again}}", preamble=cites),
    }
    (paper,) = reviewed(files).papers
    found = [item.message for item in paper.findings if item.rule == "duplicate-label"]
    assert found == ["label again is already defined at three.tex:8"]


@pytest.mark.parametrize("is_change", [False, True])
def test_whoever_asks_for_what_was_not_looked_at_runs_one_check_and_finds_the_same(
    reviewed, document, is_change
):
    body = (
        "See \\ref{a}.\n\nSee \\ref{b}. % pf: ignore[dangling-reference] it is gone\n\n"
        "\\label{c} TODO: say more. \\label{c} See \\ref{c}.\n"
    )
    files = {"main.tex": document(body)}
    before = {"main.tex": document(body.replace(r"\ref{b}", "there"))} if is_change else None
    (quick,), (whole,) = (reviewed(files, before).papers for _ in range(2))
    assert list(unseen_of(quick)) == list(unseen_of(whole))
    assert "findings" not in vars(quick)
    found = tuple(item for item in whole.findings if item.rule == "dangling-reference")
    assert len(found) == 2 < len(whole.findings)
    assert quick.lost == tuple(replace(item, introduced=None) for item in found)


FLOAT = "\\begin{figure}[t]%s\\end{figure} See Figure~\\ref{f}."


@pytest.mark.parametrize(
    "body",
    [
        r"\label{f}\caption{A hedge.}",
        r"\centering\includegraphics[width=3cm]{h}\label{f} \caption[A]{A hedge.}",
        r"\begin{center}\label{f}\rule{1cm}{1cm}\end{center}\caption{A hedge.}",
        "\\begin{tabular}{c} a \\\\ b\\end{tabular}\n% here\n\\label{f}\\caption{A hedge.}",
    ],
)
def test_a_label_before_its_caption_is_told(article, body):
    (finding,) = article(FLOAT % body).findings
    assert (finding.rule, finding.subject) == ("label-before-caption", "f")
    assert finding.quote == r"\label{f}"


@pytest.mark.parametrize(
    "body",
    [
        r"\caption{A hedge.}\label{f}",
        r"\caption{A hedge.\label{f}}",
        r"\subfigure[a]{\rule{1cm}{1cm}\label{f}}\caption{A hedge.}",
        r"\begin{subfigure}{3cm}\caption{a}\label{f}\end{subfigure}\caption{A hedge.}",
        r"\begin{equation}\label{f} a = b \end{equation}\caption{A hedge.}",
        r"\refstepcounter{figure}\label{f}\caption{A hedge.}",
        r"\captionof{table}{A}\label{f}\caption{A hedge.}",
        r"\label{f} No caption.",
        r"\label{f}\begin{minipage}{3cm}\caption{A hedge.}\end{minipage}",
        "% \\label{f}\n\\caption{A hedge.}\\label{f}",
    ],
)
def test_what_has_the_number_of_its_caption_or_of_another_thing_is_not_told(article, body):
    assert [item.rule for item in article(FLOAT % body).findings] == []


def test_a_label_before_its_caption_whose_number_nobody_asks_for_is_not_told(article):
    body = FLOAT.replace(r"\ref", r"\pageref") % r"\label{f}\caption{A hedge.}"
    assert article(body).findings == ()


@pytest.mark.parametrize("piece", [r"\begin{figure}", r"\begin{figure}\end{table}"])
def test_floats_without_end_take_no_time(piece):
    start = time.process_time()
    assert list(references._early_labels(piece * 20_000)) == []
    assert time.process_time() - start < 1


@pytest.mark.parametrize("name", ["ref", "eqref", "cref", "pageref"])
def test_a_reference_without_a_label_prints_question_marks(article, name):
    text = (
        rf"\begin{{lemma}}\label{{a}} A. \end{{lemma}} \begin{{proof}} By \{name}{{}}.\end{{proof}}"
    )
    (finding,) = article(text).findings
    assert (finding.rule, finding.severity.value, finding.module) == (
        "dangling-reference",
        "error",
        "a",
    )
    assert (finding.quote, finding.message) == (
        rf"\{name}{{}}",
        rf"\{name}{{}} has no label and prints ??",
    )


@pytest.mark.parametrize(
    "text",
    [
        r"% \ref{}",
        r"\verb|\ref{}|",
        r"\begin{verbatim}\ref{}\end{verbatim}",
        r"\iffalse \ref{} \fi",
        r"\renewcommand{\ref}[1]{#1} \ref{}",
    ],
)
def test_an_empty_reference_that_is_not_printed_is_none(article, text):
    assert article(text).findings == ()


def test_of_empty_references_the_new_one_is_new(article):
    found = article(r"\ref{} and \ref{}", r"\ref{}").findings
    assert sorted(item.introduced for item in found) == [False, True]


@pytest.mark.parametrize("is_shared", [False, True])
def test_what_a_change_no_longer_includes_is_no_other_document(reviewed, document, is_shared):
    files = {
        "main.tex": document(r"\input{part}By \ref{a}."),
        "part.tex": r"\begin{lemma}\label{a} A. \end{lemma}",
    }
    if is_shared:
        files["other.tex"] = document(r"Other words. \input{part}")
    now = {**files, "main.tex": document(r"%\input{part}" + "\nBy \\ref{a}.")}
    papers = {paper.state.paper.root: paper for paper in reviewed(now, files).papers}
    (finding,) = [one for one in papers["main.tex"].findings if one.rule == "dangling-reference"]
    assert (finding.severity.value, finding.message) == (
        "error",
        "undefined label a; part.tex defines it, which this change no longer includes",
    )
