"""What the classes and packages of the TeX distribution count, and how they print it."""

import posixpath
import re
from collections.abc import Collection
from itertools import pairwise

from pfcore.latex.numbering.counters import Cell, Counters, Format

_BOOKS = frozenset(
    """book report amsbook memoir scrbook scrreprt scrreport extbook extreport tufte-book
    svmono svmult smfbook""".split()
)
_KNOWN = frozenset(
    """article amsart amsproc proc scrartcl scrarticle elsarticle extarticle paper ltxdoc llncs
    acmart IEEEtran svjour3 svmono svmult smfart lipics lipics-v2016 lipics-v2018 lipics-v2019
    lipics-v2021 oasics-v2019 oasics-v2021 siamart siamltex imsart eptcs jmlr gtpart aomart tac
    entcs lmcs revtex4 revtex4-1 revtex4-2 sn-jnl beamer""".split()
)
_SERIES = (
    (re.compile(r"siamart(?:\d{6})?"), "siamart"),
    (re.compile(r"(?:lipics|oasics)-v201[6-8].*"), "lipics-v2018"),
    (re.compile(r"lipics-v20(?:19|2\d).*"), "lipics-v2021"),
    (re.compile(r"oasics-v20\d\d.*"), "lipics-v2021"),
    (re.compile(r"(?:colt|alt|l4dc|clear|midl)(?:20)?\d\d"), "jmlr"),
    (re.compile(r"revtex4(?:-\d)?"), "revtex4-2"),
)
"""Names of classes that change with the year, each with the name used here."""
_LIKE = {
    **dict.fromkeys(
        """sapthesis unifith brandeis-dissertation brandeis-thesis gsemthesis toptesi ut-thesis
        thesis-ekf SPhdThesis""".split(), "report"),
    **dict.fromkeys("hecthese ucbthesis ucalgmthesis".split(), "memoir"),
    **dict.fromkeys("cas-dc cas-sc exam asmeconf IEEEconf".split(), "article"),
    "resphilosophica": "amsart",
    "kaobook": "scrbook",
}  # fmt: skip
"""Classes of TeX Live 2022, and kaobook, that count and print like the class they load."""

_AMS = frozenset({"amsart", "amsproc", "amsbook", "acmart", "lmcs", "aomart"})
_DEPTHS = {
    "amsbook": 3, "memoir": 1, "llncs": 2, "IEEEtran": 4, "tufte-book": -1, "svmono": 2,
    "revtex4-2": 4, "smfart": 5, "smfbook": 5,
}  # fmt: skip
_LEVELS = {
    "part": -1, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4,
    "subparagraph": 5,
}  # fmt: skip
HEADINGS = frozenset(_LEVELS)
"""The counters of headings."""

DEPTHS = {"book": -2, **_LEVELS, "none": -10, "all": 10}
"""The values of memoir's names for depths."""

_UNDER = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")


_UNSURE = {"beamer": _UNDER[1:], "smfbook": ("equation",)}
"""Counters whose printed form is unknown."""


COUNTING_NOTHING = frozenset(
    """algcompatible algorithm algorithm2e algorithmic algorithmicx algpseudocode array bbding bbm
    bbold booktabs boxedminipage braket breakurl bussproofs cancel caption caption2 caption3
    ccaption changepage cite clrscode color colortbl comment dcolumn diagbox diagrams doi
    draftwatermark dsfont epsf epsfig epstopdf esint eso-pic eurosym extarrows fancybox fancyhdr
    fancyvrb fixme float floatflt floatrow fontawesome footmisc geometry graphics graphicx helvet
    hyperref indentfirst latexsym lettrine lineno lipsum listings longtable lscape makecell
    makeidx marvosym mathabx mathpartir mathptmx mathrsfs microtype minted multibib multicol
    multirow natbib nicefrac pdflscape pdfpages pgf pgfplots picins pict2e pifont placeins proof
    prooftree psfrag pstricks pxfonts qtree relsize rotating scalefnt semantic seqsplit setspace
    sidecap slashbox soul stmaryrd subcaption subfig subfigure supertabular tabularx tabulary
    textcomp textpos threeparttable tikz tikz-cd times titling tocbibind tocloft todonotes
    txfonts type1cm ulem units upgreek upquote url verbatim virginialake vmargin wasysym wrapfig
    xcolor xfrac xspace xy xypic""".split()
)
"""Packages often copied into papers that count no statements, headings or equations."""


OFTEN_OWN = frozenset({"paper", "proc", "exam", "thesis", "kaobook"})
"""Names of known classes that papers use for their own classes, or for edited copies."""


def described(name: str) -> str:
    """The name under which a class is described here; its own name if it is not."""
    found = next((known for series, known in _SERIES if series.fullmatch(name)), name)
    return _LIKE.get(found, found)


def is_known(name: str) -> bool:
    """Whether this module knows how a class numbers sections and equations."""
    return name in _KNOWN or name in _BOOKS


def is_book(name: str) -> bool:
    """Whether a class has chapters."""
    return name in _BOOKS


def level(heading: str, *, has_chapters: bool) -> int:
    """How deep a heading is; an article's parts are as deep as chapters."""
    return 0 if heading == "part" and not has_chapters else _LEVELS.get(heading, 1)


def kernel(counters: Counters) -> None:
    """The counters that every document has."""
    for name in ("equation", "footnote", "parentequation", "mpfootnote", "enumi", "enumii"):
        counters.new(name)
    for name, style in (("enumii", "alph"), ("enumiii", "roman"), ("enumiv", "Alph")):
        counters.new(name, body=f"\\{style}{{{name}}}")
    counters.formats["@thmcountersep"] = Format(".")
    counters.formats["p@enumii"] = Format("\\theenumi")
    counters.formats["p@enumiii"] = Format("\\theenumi(\\theenumii)")
    counters.formats["p@enumiv"] = Format("\\p@enumiii\\theenumiii")


def apply_class(counters: Counters, name: str, options: Collection[str]) -> None:
    """Declare the counters of a class; those of an unknown class print uncertainly."""
    has_chapters = is_book(name)
    roman = "arabic" if name in _AMS else "Roman"
    counters.new("part", body=f"\\{roman}{{part}}")
    above = ""
    if has_chapters:
        counters.new("chapter")
        above = "chapter"
    for inner in _UNDER:
        is_bare = not above or (above == "chapter" and name == "amsbook")
        prefix = "" if is_bare else f"\\the{above}."
        counters.new(inner, above, f"{prefix}\\arabic{{{inner}}}")
        above = inner
    _floats(counters, name, has_chapters=has_chapters)
    depth = _DEPTHS.get(name, 2 if has_chapters else 3)
    counters.new("secnumdepth")
    counters.cells["secnumdepth"].set(depth)
    counters.cells["maxsecnumdepth"] = Cell(depth)
    if name == "IEEEtran" and "conference" in options:
        counters.cells["secnumdepth"].set(3)
    if name == "revtex4-2" and "prl" in options:
        counters.cells["secnumdepth"].set(-10)
    _special(counters, name, options)
    if not is_known(name):
        for shown in ("part", *_UNDER, "equation", "figure", "table"):
            counters.formats[f"the{shown}"] = counters.formats[f"the{shown}"]._replace(
                certain=False
            )
        counters.cells["secnumdepth"].set(depth, certain=False)


def _floats(counters: Counters, name: str, *, has_chapters: bool) -> None:
    for shown in ("equation", "figure", "table"):
        within = "chapter" if has_chapters else ""
        prefix = "\\ifnum\\c@chapter>0 \\thechapter.\\fi " if within else ""
        if name == "amsbook":
            within, prefix = "" if shown == "equation" else within, ""
        if name == "memoir" and within and shown != "equation":
            prefix = "\\thechapter."
        counters.new(shown, within, f"{prefix}\\arabic{{{shown}}}")


def _special(counters: Counters, name: str, options: Collection[str]) -> None:
    shown = counters.formats
    if name in ("llncs", "svjour3") and not _is_within_section(name, options):
        shown["@thmcountersep"] = Format("")
    if name == "svmult":
        counters.remove_reset("section", "chapter")
        as_contribution(counters, has_number=False)
    if name == "IEEEtran":
        shown["thesection"] = Format("\\Roman{section}")
        shown["thesubsection"] = Format("\\thesection-\\Alph{subsection}")
        shown["thesubsubsection"] = Format("\\thesubsection\\arabic{subsubsection}")
        shown["theIEEEsection"] = Format("\\arabic{section}")
        if "compsoc" in options:
            for above, inner in pairwise(("", *_UNDER[:4])):
                prefix = f"\\the{above}." if above else ""
                shown[f"the{inner}"] = Format(f"{prefix}\\arabic{{{inner}}}")
    if name == "revtex4-2":
        shown["thesection"] = Format("\\Roman{section}")
        shown["thesubsection"], shown["p@subsection"] = (
            Format("\\Alph{subsection}"), Format("\\thesection\\,"))  # fmt: skip
        shown["thesubsubsection"] = Format("\\arabic{subsubsection}", False)
    for inner in _UNSURE.get(name, ()):
        shown[f"the{inner}"] = shown[f"the{inner}"]._replace(certain=False)
    if name in ("siamart", "siamltex", "lmcs") or (name == "svjour3" and "numbook" in options):
        counters.add_reset("equation", "section")
        shown["theequation"] = Format("\\thesection.\\arabic{equation}")


Declared = tuple[str, ...]
"""The arguments of a `theorem` step."""

SPRINGER = frozenset({"llncs", "svjour3", "svmono", "svmult"})
"""Springer classes, which have their own statements."""
_SPRINGER = ("case conjecture corollary definition example exercise lemma note problem property "
             "proposition question solution remark").split()  # fmt: skip
_LIPICS = ("lemma corollary proposition exercise definition conjecture observation example note "
           "remark claim").split()  # fmt: skip
_FIRST_LIPICS = "lemma corollary definition example".split()
_JMLR = "lemma proposition remark corollary definition conjecture axiom".split()
_ACM = "conjecture proposition lemma corollary definition example".split()
_SIAM = "lemma corollary proposition definition".split()
_ENTCS = "cor lem claim axiom conj fact hypo assum prop crit defn exmp rem prob prin".split()
_LMCS = ("cor lem prop asm rem rems exa exas defi conv conj prob oprob oprobs algo obs desc fact "
         "qu oqu pty clm nota com coms").split()  # fmt: skip
_TAC = ("theorem proposition corollary lemma definition scholium assumption remark example "
        "remarks examples notation").split()  # fmt: skip


def theorems(name: str, options: Collection[str]) -> list[Declared]:
    """The statements that a class declares, as the arguments of `theorem` steps."""
    if name in SPRINGER:
        return [] if "nospthms" in options else _springer(name, options)
    if name in ("lipics", "lipics-v2018", "lipics-v2021"):
        is_first = name != "lipics-v2021"
        within = "section" if "numberwithinsect" in options else ""
        starred = ("remark",) if is_first else ("claim*", "note*", "remark*")
        listed = _together("theorem", _FIRST_LIPICS if is_first else _LIPICS, within)
        return [*listed, *map(_starred, starred)]
    if name == "jmlr":
        return [] if "nothm" in options else [*_together("theorem", _JMLR), _one("example")]
    if name == "acmart" and "acmthm=false" not in options:
        return _together("theorem", _ACM, "section")
    if name in ("siamart", "siamltex"):
        return _together("theorem", _SIAM, "section")
    if name in ("entcs", "lmcs"):
        own = [_one(env) for env in ("alg", "note", "summ", "case")]
        listed = _together("thm", _ENTCS if name == "entcs" else _LMCS, "section")
        return [*listed, *own] if name == "entcs" else listed
    if name == "tac":
        return [_one(env, "subsection") for env in _TAC]
    return _beamer(options) if name == "beamer" else []


_NTHEOREM = ("theorem satz proposition lemma korollar corollary example beispiel bemerkung "
             "anmerkung remark definition").split()  # fmt: skip


def package_theorems(name: str, options: str) -> list[Declared]:
    """The statements that a package declares; ntheorem has lower-case and capitalised names."""
    name = posixpath.basename(name)
    if name == "beamerarticle":
        return _beamer([item.strip() for item in options.split(",")])
    if name == "jmlr2e":
        return [*_together("theorem", _JMLR), _one("example")]
    if name in _KAO:
        own = (_one(env, "", "section") for env in _KAO_ALONE)
        return [*_together("theorem", ("proposition", "lemma", "corollary"), "section"), *own]
    if name == "smfthm":
        first = ("theo", "", "section", "", "", "smfthm", "newtheorem")
        return [first, *(_one(env, "theo") for env in SMF)]
    if name != "ntheorem" or "standard" not in (item.strip() for item in options.split(",")):
        return []
    return [_one(form) for env in _NTHEOREM for form in (env, env.capitalize())]


_KAO = frozenset({"kaotheorems", "plaintheorems", "mdftheorems"})
"""Packages that come with kaobook, under all their past names."""
_KAO_ALONE = "definition assumption remark example exercise".split()
SMF = "prop conj coro lemm defi rema exem enonce".split()
"""The statements of package smfthm other than theorems."""
_BEAMER = "corollary fact lemma problem solution definition definitions example examples".split()


def _beamer(options: Collection[str]) -> list[Declared]:
    """The statements of beamer, which share one counter."""
    if "notheorems" in options or "noamsthm" in options:
        return []
    return _together("theorem", _BEAMER, "section" if "envcountsect" in options else "")


def _is_within_section(name: str, options: Collection[str]) -> bool:
    """Whether a Springer class counts statements within sections."""
    return "envcountsect" in options or (name == "svjour3" and "numbook" in options)


def as_contribution(counters: Counters, *, has_number: bool) -> None:
    r"""In svmult, numbers of sections have a prefix after `\title`, and none after `\title*`.

    Without a prefix, sections are reset by a chapter only if they once had one.
    """
    for name in ("section", "equation", "figure", "table"):
        prefix = "\\thechapter." if has_number else ""
        counters.formats[f"the{name}"] = Format(f"{prefix}\\arabic{{{name}}}")
        if has_number:
            counters.add_reset(name, "chapter")
        elif name != "section":
            counters.remove_reset(name, "chapter")


def counts_anew(name: str, options: Collection[str]) -> bool:
    """Whether each section resets the counters of a Springer class."""
    return name in SPRINGER and not {"envcountreset", "envcountresetsect"}.isdisjoint(options)


def _springer(name: str, options: Collection[str]) -> list[Declared]:
    """The statements of a Springer class: each kind has its own counter, unless options differ."""
    first = _one("theorem", "", _within(name, options), "spnewtheorem")
    return [
        first,
        *(springer_statement(env, name, options) for env in _SPRINGER),
        _starred("claim"),
    ]


def _within(name: str, options: Collection[str]) -> str:
    """The counter within which the statements of a Springer class are counted; "" if none."""
    if _is_within_section(name, options):
        return "section"
    return "chapter" if "envcountchap" in options else ""


def springer_statement(env: str, name: str, options: Collection[str]) -> Declared:
    """A statement that is counted like those of a Springer class (`\\spn@wtheorem`)."""
    sibling = "theorem" if "envcountsame" in options else ""
    return _one(env, sibling, "" if sibling else _within(name, options), "spnewtheorem")


def _together(first: str, others: Collection[str], within: str = "") -> list[Declared]:
    return [_one(first, "", within), *(_one(env, first) for env in others)]


def _one(env: str, sibling: str = "", within: str = "", command: str = "newtheorem") -> Declared:
    return env, sibling, within, "", "", "", command


def _starred(env: str) -> Declared:
    return env, "", "", "*", "", "", "newtheorem"
