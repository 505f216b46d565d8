"""What document classes and packages of the TeX distribution count, and how they print it."""

from collections.abc import Collection

from pfcore.latex.numbering.counters import Cell, Counters, Format

_ARTICLES = frozenset(
    """article amsart proc scrartcl scrarticle elsarticle extarticle paper ltxdoc llncs acmart
    svjour svjour2 svjour3 siamart siamart171218 siamart190516 siamart220329 siamltex IEEEtran
    lipics lipics-v2016 lipics-v2018 lipics-v2019 lipics-v2021 amsproc imsart aomart gtpart gtart
    tac birkjour asl minimart ejpecp scrartcl-dtk easychair eptcs oasics-v2021
    sn-jnl mdpi informs3 cas-sc cas-dc jams-l tran-l proc-l mcom-l l4dc colt jmlr""".split()
)
_BOOKS = frozenset(
    """book report amsbook memoir scrbook scrreprt scrreport extbook extreport tufte-book""".split()
)
_KNOWN = frozenset(
    """article amsart amsproc proc scrartcl elsarticle extarticle paper ltxdoc llncs acmart
    IEEEtran""".split()
)
_DEPTHS = {"amsbook": 3, "memoir": 1, "llncs": 2, "IEEEtran": 4}
_LEVELS = {
    "part": -1, "chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4,
    "subparagraph": 5,
}  # fmt: skip
DEPTHS = {"book": -2, **_LEVELS, "none": -10, "all": 10}
"""What memoir's names for depths mean."""

_UNDER = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")


def is_known(name: str) -> bool:
    """Whether a class numbers sections and equations as written here."""
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
    counters.formats["p@enumii"] = Format("\\theenumi")
    counters.formats["p@enumiii"] = Format("\\theenumi(\\theenumii)")
    counters.formats["p@enumiv"] = Format("\\p@enumiii\\theenumiii")


def apply_class(counters: Counters, name: str, options: Collection[str]) -> None:
    """Declare what a class declares; of an unknown class nothing is certain."""
    has_chapters = is_book(name) and not (name == "memoir" and "article" in options)
    roman = "arabic" if name in ("amsart", "amsproc", "amsbook", "acmart") else "Roman"
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
    if name == "IEEEtran":
        counters.formats["thesection"] = Format("\\Roman{section}")
        counters.formats["thesubsection"] = Format("\\thesection-\\Alph{subsection}")
        counters.formats["thesubsubsection"] = Format("\\thesubsection\\arabic{subsubsection}")
        if "compsoc" in options or "conference" in options:
            for shown in _UNDER:
                counters.formats[f"the{shown}"] = Format(f"\\arabic{{{shown}}}", False)


LLNCS = ("case conjecture corollary definition example exercise lemma note problem property "
         "proposition question solution remark").split()  # fmt: skip
"""The statements that llncs declares beside theorem."""


def theorems(name: str, options: Collection[str]) -> list[tuple[str, ...]]:
    """The statements that a class declares, as the arguments of `theorem` steps."""
    if name == "acmart" and "acmthm=false" not in options:
        others = "conjecture proposition lemma corollary definition example".split()
        main = ("theorem", "", "section", "", "", "", "newtheorem")
        return [main, *((env, "theorem", "", "", "", "", "newtheorem") for env in others)]
    if name != "llncs":
        return []
    within = "section" if "envcountsect" in options else ""
    same = "envcountsame" in options
    found = [("theorem", "", within, "", "", "", "spnewtheorem")]
    for env in LLNCS:
        sibling = "theorem" if same else ""
        found.append((env, sibling, "" if sibling else within, "", "", "", "spnewtheorem"))
    return [*found, ("claim", "", "", "*", "", "", "spnewtheorem")]
