r"""Which files the commands of a source read, each with the suffixes that its command tries.

A file is read if a command for files names it: a figure, a listing, a table of data, a package,
a bibliography. The paper's own commands are expanded if they lead to one of these. A word that
only happens to be the stem of a file does not count.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros.definitions import definitions
from pfcore.latex.macros.macro import PRIMITIVE, Macro, arguments, substitute
from pfcore.latex.macros.macro_table import Lexicon, calls, endless, leading

_PICTURES = (".pdf", ".png", ".jpg", ".jpeg", ".eps", ".ps", ".mps", ".jbig2", ".jb2", ".bb")
_CODE = (".tex",)
_DATA = (".csv", ".dat", ".txt", ".tsv")
_STYLES = (".bbx", ".cbx", ".dbx", ".lbx")
"""Files that biblatex reads for a style named in its options."""

_SUFFIXES: Mapping[str, tuple[str, ...]] = (
    dict.fromkeys(
        """includegraphics includepdf includepdfmerge adjincludegraphics adjustimage pgfimage
        pgfdeclareimage epsfig psfig epsfbox epsffile overpic Overpic Overpix graphicbox
        textoverpic subfloatimage includegraphicx tikzimage externalfigure setlogo""".split(),
        _PICTURES,
    )
    | dict.fromkeys(("includesvg", "includeinkscape"), (".svg", ".pdf", ".pdf_tex", *_PICTURES))
    | {"includestandalone": (*_CODE, *_PICTURES)}
    | dict.fromkeys(
        """lstinputlisting inputminted verbatiminput VerbatimInput BVerbatimInput LVerbatimInput
        verbatimtabinput listinginput inputpygments inputtcblisting tcbinputlisting
        inputlisting""".split(),
        _CODE,
    )
    | dict.fromkeys(("input", "include", "InputIfFileExists", "IfFileExists"), _CODE)
    | dict.fromkeys(("loadglsentries", "bibinput"), _CODE)
    | dict.fromkeys(("bibliography", "nobibliography", "addbibresource", "addglobalbib"), (".bib",))
    | dict.fromkeys(("addsectionbib", "bibliographyunit", "putbib", "newcites"), (".bib",))
    | {"bibliographystyle": (".bst",), "bibliographystyles": (".bst",)}
    | dict.fromkeys(("documentclass", "LoadClass", "LoadClassWithOptions"), (".cls", ".clo"))
    | dict.fromkeys(
        ("usepackage", "RequirePackage", "RequirePackageWithOptions", "ExecuteBibliographyOptions"),
        (".sty", *_STYLES),
    )
    | {"DeclareLanguageMapping": (".lbx",), "RequireBibliographyStyle": _STYLES}
    | dict.fromkeys(
        """pgfplotstableread pgfplotstabletypeset addplot addplotgraphicsnatural csvreader
        csvautotabular csvautolongtable csvautobooktabular csvloop csvstyle DTLloaddb DTLloadrawdb
        DTLloaddbtex readarray readdef dataplot fileplot psfileplot listplot pgfplotsset""".split(),
        _DATA,
    )
    | dict.fromkeys(
        """setmainfont setsansfont setmonofont setmathfont newfontfamily newfontface fontspec
        setCJKmainfont setCJKsansfont setCJKmonofont newCJKfontfamily""".split(),
        (".ttf", ".otf", ".ttc"),
    )
    | dict.fromkeys(
        ("includemedia", "includemovie", "movie", "embedvideo", "attachfile", "embedfile"), ()
    )
    | {"animategraphics": _PICTURES, "pdfximage": _PICTURES, "XeTeXpicfile": _PICTURES}
    | {"pdfmapfile": (".map",), "includexmp": (".xmp",), "dictum": ()}
)
"""The commands and environments for files, with the suffixes that they try after the name."""
_PREFIXED = {
    "usetheme": "beamertheme",
    "usecolortheme": "beamercolortheme",
    "usefonttheme": "beamerfonttheme",
    "useinnertheme": "beamerinnertheme",
    "useoutertheme": "beameroutertheme",
    "usetikzlibrary": "tikzlibrary",
    "usepgfplotslibrary": "pgfplotslibrary",
    "usepgflibrary": "pgflibrary",
    "tcbuselibrary": "tcb",
}
_PREFIXED_SUFFIXES = (".sty", ".code.tex")
_OF_THE_JOB = {
    "printindex": (".ind",),
    "printglossary": (".gls", ".acr"),
    "printglossaries": (".gls", ".acr"),
    "printnomenclature": (".nls",),
}
"""Commands that read files made by other programs for the main file."""
_SHOWN = frozenset(
    """lstinputlisting inputminted verbatiminput VerbatimInput BVerbatimInput LVerbatimInput
    verbatimtabinput listinginput inputpygments inputtcblisting tcbinputlisting""".split()
)
"""Commands that show a file as it is, with its comments."""
_FOLDERS = frozenset({"graphicspath", "svgpath"})
_NAMES = frozenset({*_SUFFIXES, *_PREFIXED, *_OF_THE_JOB, *_FOLDERS})
_ENVIRONMENT = regex(
    r"\\(?:re)?newenvironment\*?\s*\{\s*(?P<name>[A-Za-z@*]+)\s*\}\s*(?:\[(?P<number>\d)\])?"
    r"\s*(?P<default>\[[^\[\]]*\])?"
)
_STORES = regex(r"\\\\(?:[gex]?def|renewcommand|setkeys|pgfkeys|tl_g?set)(?![A-Za-z])")
_PROSE = frozenset(
    """textit texttt textbf textsf textsc textrm textup textmd textsl emph underline uline verb url
    href path nolinkurl hyperref code file filename lstinline mintinline mbox hbox fbox text title
    author date thanks footnote footnotetext caption captionof label ref eqref autoref cref Cref
    pageref index item todo section subsection subsubsection chapter paragraph subparagraph part
    texorpdfstring hypertarget hyperlink detokenize enquote textquote menu keys mathrm mathit mathtt
    mathsf mathbf operatorname cite citep citet title subtitle institute keywords hyphenation
    footnotesize small""".split()
)
"""Commands that print their argument, or refer to it."""
_FILE = regex(
    r"\\(?P<name>[A-Za-z@]+)\*?\s*(?:\[[^\[\]]{0,300}\]\s*)?(?:\{[^{}]{0,100}\}\s*)?"
    r"\{\s*(?P<file>[^{}\\#,]{1,200}"
    r"\.(?:pdf|png|jpe?g|eps|mps|csv|tsv|dat|txt|ttf|otf|mp4|map|enc|def|cfg))\s*\}"
)
"""The argument of an unknown command, if it is the full name of a figure or of data."""
_OPTION = regex(r"=\s*\{?\s*([^{}\[\],=\\]{1,200}\.[A-Za-z_]{1,8})\s*\}?\s*(?=[,\]}])")
_BEHIND = regex(r"\b(?:table|file|graphics)\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]{1,300})\}")
"""The file of a plot, which follows a word: `\\addplot table[x=a] {data.csv}`."""
_MOST_GROUPS, _DEEPEST, _MOST_NAMES = 7, 8, 20_000
_OVERLAY = regex(r"<[^<>{}\n]{0,40}>")


class FileName(NamedTuple):
    """A name in a command for files, and the suffixes that the command tries.

    `is_shown`: the file is printed as it is, not read as TeX. `is_folder`: it is a folder in which
    files are searched. `is_start`: it is the beginning of several names. `is_pattern`: an asterisk
    replaces something that only a run of LaTeX knows, such as the type size.
    """

    name: str
    suffixes: tuple[str, ...]
    is_shown: bool = False
    is_folder: bool = False
    is_start: bool = False
    is_pattern: bool = False


_OF_A_CLASS = regex(r"[\w\-]{2,40}(?:\\[A-Za-z@]+[\w\-]{0,40}){1,3}\.(?:clo|def|cfg|fd|ldf)")
"""Files that a class reads depending on its options: `siam1\\@ptsize.clo`."""
_MACRO = regex(r"\\[A-Za-z@]+")


def files_read(texts: Iterable[str], job: str) -> frozenset[FileName]:
    """The names of the files that masked texts of one document read; `job` is its own name."""
    listed = [Groups(text) for text in texts]
    table: dict[str, Macro] = {}
    for groups in listed:
        table.update((item.name, item.macro) for item in definitions(groups.text, groups))
        table.update(_environments(groups))
    called = calls(table)
    own = leading(called, _NAMES) - endless(called) - _NAMES
    finder = _FileFinder({name: table[name] for name in own}, Lexicon(table), job)
    silent = {name for name in table.keys() - own if not _STORES.search(table[name].body)}
    for groups in listed:
        finder.search(groups, 0)
        for match in _FILE.finditer(groups.text):
            if match["name"] not in _NAMES | _PROSE | own | silent:
                finder.add(match["file"], ())
    return frozenset(finder.found)


def _environments(groups: Groups) -> Iterator[tuple[str, Macro]]:
    """The environments that a text defines, as macros with the code of their beginnings."""
    for match in _ENVIRONMENT.finditer(groups.text):
        body = groups.braces(match.end())
        if body:
            number = int(match["number"] or 0)
            first = [f"O{match['default'][1:-1]}"] if match["default"] and number else []
            parameters = (*first, *["m"] * (number - len(first)))
            yield match["name"], Macro(parameters, groups.text[slice(*body)])


class _FileFinder:
    def __init__(self, own: Mapping[str, Macro], lexicon: Lexicon, job: str) -> None:
        self.found: dict[FileName, None] = {}
        self._own = own
        self._lexicon = lexicon
        self._job = job
        listed = alternatives(_NAMES | own.keys())
        self._calls = regex(
            rf"\\(?:begin\s*\{{\s*(?P<begun>{listed})\s*\}}|(?P<called>{listed})(?![A-Za-z@]))\*?"
        )

    def search(self, groups: Groups, depth: int) -> None:
        """Collect the names in a text, also in the expansions of the paper's own commands."""
        for match in self._calls.finditer(groups.text):
            if len(self.found) > _MOST_NAMES:
                return
            name = match["begun"] or match["called"]
            macro = self._own.get(name)
            if macro is not None and macro.parameters == PRIMITIVE:
                name = macro.body.removeprefix("\\")
            if name in _NAMES:
                self._note(name, groups, match.end())
            elif macro is not None and depth < _DEEPEST:
                self._expand(macro, groups, match.end(), depth)
        for match in (*_BEHIND.finditer(groups.text), *_OPTION.finditer(groups.text)):
            self.add(match[1], ())

    def _expand(self, macro: Macro, groups: Groups, position: int, depth: int) -> None:
        taken = arguments(macro, groups, position)
        if taken is not None:
            values = [groups.text[slice(*span)] if span else "\x06" for span in taken[0]]
            # the last command of the body may take its arguments from the text after the use
            behind = groups.text[taken[1] : taken[1] + 400]
            self.search(Groups(substitute(macro, values) + _arguments_of(behind)), depth + 1)

    def _note(self, name: str, groups: Groups, position: int) -> None:
        if name in _OF_THE_JOB:
            self.add(self._job, _OF_THE_JOB[name])
            return
        for span in _spans(groups, position):
            inside = groups.text[slice(*span)]
            if name in _FOLDERS:
                for folder in inside.replace("{", "}").split("}"):
                    self.add(folder, (), is_folder=True)
                continue
            if name in _PREFIXED:
                for part in inside.split(","):
                    self.add(f"{_PREFIXED[name]}{part.strip()}", _PREFIXED_SUFFIXES)
                continue
            for part in {inside, *inside.split(",")}:
                self.add(
                    part.partition("=")[2] or part,
                    _SUFFIXES[name],
                    is_shown=name in _SHOWN,
                    is_start=name == "animategraphics",
                )

    def add(
        self,
        name: str,
        suffixes: tuple[str, ...],
        *,
        is_shown: bool = False,
        is_folder: bool = False,
        is_start: bool = False,
    ) -> None:
        """Collect a name, if it can be resolved."""
        if _OF_A_CLASS.fullmatch(name.strip()):
            self.found[FileName(_MACRO.sub("*", name.strip()), (), is_pattern=True)] = None
        made = self._lexicon.resolve(name.strip(), 0).replace("\\jobname", self._job)
        bare = made.replace("\\space", " ").strip('{}" \n\t').removeprefix("./")
        if bare and "\\" not in bare and "#" not in bare and "\n" not in bare:
            self.found[FileName(bare, suffixes, is_shown, is_folder, is_start)] = None


def _spans(groups: Groups, position: int) -> Iterator[tuple[int, int]]:
    """The inner spans of the adjacent braces and brackets after a command."""
    if overlay := _OVERLAY.match(groups.text, position):
        position = overlay.end()
    yield from groups.side_by_side(position, _MOST_GROUPS)


def _arguments_of(text: str) -> str:
    """The groups at the beginning of a text."""
    end = 0
    for _, stop in _spans(Groups(text), 0):
        end = stop + 1
    return text[:end]


def named_by(
    names: Iterable[FileName], there: Iterable[str], folders: Iterable[str], folder: str
) -> dict[str, bool]:
    """The files that some names mean, and whether each is only shown.

    A name is searched in `folders`, then in those that the paper sets for its figures. If it is not
    found, every path below `folder` that ends with it counts, since TeX's search may find it.
    """
    listed = list(names)
    paths = sorted(there)
    index: dict[str, list[str]] = {}
    for path in paths:
        if path.startswith(folder):
            index.setdefault(posixpath.basename(path), []).append(path)
    known = frozenset(paths)
    searched = list(dict.fromkeys(folders))
    set_for_figures = [item.name for item in listed if item.is_folder]
    searched += [posixpath.join(base, one) for one in set_for_figures for base in searched[:1]]
    found: dict[str, bool] = {}
    for item in listed:
        if item.is_folder:
            continue
        meant = list(_meant(item, known, index, searched))
        for path in meant:
            found[path] = item.is_shown and found.get(path, True)
    return found


def _meant(
    item: FileName, known: frozenset[str], index: Mapping[str, list[str]], folders: Iterable[str]
) -> Iterator[str]:
    tried = [f"{item.name}{suffix}" for suffix in ("", *item.suffixes)]
    if item.is_pattern:
        wanted = {posixpath.normpath(posixpath.join(base, item.name)) for base in folders}
        yield from (path for path in known if any(fnmatchcase(path, one) for one in wanted))
        return
    if item.is_start:
        for base in folders:
            start = posixpath.normpath(posixpath.join(base, item.name))
            yield from (path for path in known if _is_frame(path, start, item.suffixes))
    exact = [
        path
        for base in folders
        for name in tried
        if (path := posixpath.normpath(posixpath.join(base, name))) in known
    ]
    if exact:
        yield from exact
        return
    for name in tried:
        plain = posixpath.normpath(name).replace("../", "")
        alike = index.get(posixpath.basename(plain), ())
        yield from (path for path in alike if f"/{path}".endswith(f"/{plain}"))


def _is_frame(path: str, start: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file belongs to a sequence: a common beginning, and a number."""
    stem, suffix = posixpath.splitext(path)
    return suffix in suffixes and stem.startswith(start) and stem[len(start) :].isdigit()
