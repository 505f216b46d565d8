"""The effects of plain steps on the state: counters, formats, switches.

It covers front matter, main matter, appendices, and which headings have numbers; and it decides
conditions, as far as the state of a document allows.
"""

import re
from collections.abc import Callable, Mapping

from pfcore.domain.lazy_regex import regex
from pfcore.latex.macros.macro import COMPARISON, is_equal
from pfcore.latex.numbering import document_classes, item_labels
from pfcore.latex.numbering.counter_state import CounterState, GroupFrame, Number
from pfcore.latex.numbering.counters import Format
from pfcore.latex.numbering.step_arguments import numbering_keys

_CELL = regex(r"\s*(?:\\c@([A-Za-z@]+)|\\csname\s+c@([A-Za-z@]+)\s*\\endcsname)\s*")


def _define(state: CounterState, args: tuple[str, ...]) -> None:
    name, body, mode, closing = args
    if name.startswith("c@"):
        found = _CELL.fullmatch(body)
        _share(state, name[2:], (found[1] or found[2]) if found else "", mode, closing)
        return
    shown = Format(body)
    if "now" in mode:
        shown = Format(*state.counters.rendered(body, state.macros))
    state.define(name, shown, closing=closing, everywhere="global" in mode)


def _share(state: CounterState, name: str, other: str, mode: str, closing: str) -> None:
    """Make two names one counter; if that ends with a group, both are doubtful from here on."""
    if (closing or state.frames) and "global" not in mode:
        state.doubt(name, lasting=True)
        state.doubt(other, lasting=True)
    else:
        state.counters.share(name, other)


def _let(state: CounterState, args: tuple[str, ...]) -> None:
    name, body, mode, closing = args
    other = body.removeprefix("\\")
    if name.startswith("c@"):
        _share(state, name[2:], other.removeprefix("c@"), mode, closing)
    elif other in state.counters.formats:
        shown = state.counters.formats[other]
        state.define(name, shown, closing=closing, everywhere="global" in mode)
    elif name in state.counters.formats:
        state.define(name, Format(body, False), closing=closing, everywhere=True)


def _form(state: CounterState, args: tuple[str, ...]) -> None:
    """Add text before or after a counter's form; the result of a patch is unknown."""
    name, text, how, closing = args
    known = state.counters.formats.get(name)
    if known is None:
        return
    where = how.split()[0]
    body = f"{text}{known.body}" if where == "before" else f"{known.body}{text}"
    shown = Format(body, known.certain and where != "patched")
    state.define(name, shown, closing=closing, everywhere="global" in how)


def _assign(state: CounterState, args: tuple[str, ...]) -> None:
    """Set a counter; an assignment by TeX's own means holds until the group around it ends."""
    state.counters.set(*args[:2])
    _doubt_local(state, args)


def _add(state: CounterState, args: tuple[str, ...]) -> None:
    state.counters.add(*args[:2])
    _doubt_local(state, args)


def _doubt_local(state: CounterState, args: tuple[str, ...]) -> None:
    if "local" in args[2:] and any(frame.name not in _OPEN for frame in state.frames):
        state.doubt(args[0], lasting=True)


def _associate(state: CounterState, args: tuple[str, ...]) -> None:
    """Package xassoccnt: counters that step with another one are not followed."""
    for name in args[1].split(","):
        state.doubt(name.strip(), lasting=True)


def _theorem(state: CounterState, args: tuple[str, ...]) -> None:
    """Declare a statement; its style supplies what its options leave open (package thmtools)."""
    env, sibling, within, mark, *rest = args[:7]
    own_style = args[7] if len(args) > 7 else ""
    mark = mark or "?" * (state.is_unnumbered is None and not own_style)
    style = state.styles.get(own_style)
    if style is not None:
        keys = numbering_keys(style)
        within = within or ("" if sibling else keys.within)
        sibling, mark = sibling or ("" if within else keys.sibling), mark or keys.mark
    state.declare((env, sibling, within, mark, *rest))
    if state.is_unnumbered and not own_style:
        # ntheorem prints no number but still counts.
        state.statements[env] = state.statements[env]._replace(is_shown=False)


def _theorem_style(state: CounterState, args: tuple[str, ...]) -> None:
    """Package ntheorem has styles without numbers."""
    state.is_unnumbered = args[0].startswith(("nonumber", "empty")) and "ntheorem" in state.packages


def _numbering(state: CounterState, args: tuple[str, ...]) -> None:
    """`\\theoremnumbering{Roman}` of ntheorem, for later declarations."""
    state.theorem_format = args[0] if args[0].isalpha() else ""


def _only(state: CounterState, args: tuple[str, ...]) -> None:
    state.only = frozenset(name.strip() for name in args[0].split(",") if name.strip())


def _within(state: CounterState, args: tuple[str, ...]) -> None:
    style, name, above, *star = args
    state.counters.add_reset(name, above)
    state.counters.cell(name)
    if not star:
        shown = f"{style or chr(92) + 'arabic'}{{{name}}}"
        state.counters.formats[f"the{name}"] = Format(f"\\the{above}.{shown}")


def _without(state: CounterState, args: tuple[str, ...]) -> None:
    style, name, above, *star = args
    state.counters.remove_reset(name, above)
    if not star:
        shown = f"{style or chr(92) + 'arabic'}{{{name}}}"
        state.counters.formats[f"the{name}"] = Format(shown)


def _reset_the(state: CounterState, args: tuple[str, ...]) -> None:
    root = state.counters.roots.get(args[0], args[0])
    if root != args[0]:
        known = state.counters.formats.get(f"the{root}", Format(f"\\the{root}"))
        state.counters.formats[f"the{args[0]}"] = known


def _switch(state: CounterState, args: tuple[str, ...]) -> None:
    """Set a switch, until the group around it ends, to a value that may be unknown."""
    known = {"true": True, "false": False}.get(args[1].strip())
    _set_switch(state, args[0], value=known)


def _let_switch(state: CounterState, args: tuple[str, ...]) -> None:
    """`\\let\\ifone\\iftrue`, or another switch; the value of a macro is unknown."""
    name = args[1].removeprefix("\\if")
    known = {"true": True, "false": False}.get(name, state.switches.get(name))
    _set_switch(state, args[0], value=known if args[1].startswith("\\if") else None)


def _set_switch(state: CounterState, name: str, *, value: bool | None) -> None:
    if state.frames:
        state.frames[-1].switched.append((name, state.switches.get(name)))
    state.switches[name] = value


def _depth(state: CounterState, args: tuple[str, ...]) -> None:
    """Set the depth of numbering; in the preamble also that of the main matter."""
    depth = document_classes.DEPTHS.get(args[0])
    for name in ("secnumdepth",) if state.has_begun else ("secnumdepth", "maxsecnumdepth"):
        state.counters.cell(name).set(depth or 0, certain=depth is not None)


def _most_depth(state: CounterState, args: tuple[str, ...]) -> None:
    depth = document_classes.DEPTHS.get(args[0])
    state.counters.cell("maxsecnumdepth").set(depth or 0, certain=depth is not None)
    _depth(state, args)


def _mathtools(state: CounterState, args: tuple[str, ...]) -> None:
    if "showonlyrefs" in args[0]:
        state.loose_equations = "false" not in args[0]


_KEY = regex(r"(?<![A-Za-z@])([A-Za-z@]{1,60})\s*=\s*([^{},=\s]{1,60})\s*(?=[,}]|\Z)")


def _string_prefix(state: CounterState, args: tuple[str, ...]) -> None:
    """`\\SetupKeyvalOptions{prefix=own@}`: the prefix of the macros that options set."""
    state.string_prefix = dict(_KEY.findall(args[0])).get("prefix", "")


def _string_option(state: CounterState, args: tuple[str, ...]) -> None:
    """`\\DeclareStringOption[chapter]{within}`: a class option with a value, or its default."""
    default, name, *_ = args
    given = dict(item.split("=", 1) for item in state.options if item.count("=") == 1)
    values = {key.strip(): value.strip(" {}") for key, value in given.items()}
    state.strings[f"{state.string_prefix}{name}"] = values.get(name, default)


def _void_option(state: CounterState, args: tuple[str, ...]) -> None:
    """`\\DeclareVoidOption{section}{…{within=section}}`: the short form of such an option."""
    name, code = args
    if name in state.options:
        found = dict(_KEY.findall(code))
        state.strings |= {f"{state.string_prefix}{key}": value for key, value in found.items()}


def _set_lists(state: CounterState, args: tuple[str, ...]) -> None:
    r"""`\setlist[steps,1]{label=…}`; settings for all lists of some depth are not followed.

    Neither are settings that end with a group, and the starred form.
    """
    wanted, settings, *star = args
    if not item_labels.is_about_labels(settings):
        return
    names, levels = item_labels.names_and_levels(wanted)
    is_followed = not state.frames and not star and (names or not levels) and "\\" not in wanted
    if not is_followed:
        state.odd_lists = True
        return
    for name in names or ["list"]:
        for level in levels or ["0"]:
            state.list_settings[f"{name} {int(level)}"] = settings


def _set_enumerate(state: CounterState, args: tuple[str, ...]) -> None:
    level, settings, *star = args
    _set_lists(state, (f"enumerate,{level}", settings, *star))


def _new_list(state: CounterState, args: tuple[str, ...]) -> None:
    """Declare a list of the paper (package enumitem), with a counter for each depth."""
    name, kind, depth = args[:3]
    state.lists[name] = kind
    if not kind.startswith("enumerate"):
        return
    deepest = int(depth) if depth.isascii() and depth.isdigit() else 1
    for level in item_labels.LEVELS[1 : deepest + 1]:
        if f"{name}{level}" not in state.counters.cells:
            state.counters.new(f"{name}{level}")


def _missing(state: CounterState, _: tuple[str, ...]) -> None:
    """Doubt all counters for a missing file; inside an environment it has no headings."""
    is_inside = any(frame.name not in _OPEN for frame in state.frames)
    headings = document_classes.HEADINGS & state.counters.cells.keys() if is_inside else ()
    known = {name: state.counters.cells[name].certain for name in headings}
    state.counters.doubt_all()
    for name, certain in known.items():
        state.counters.cells[name].certain = certain


def _unseen(state: CounterState, _: tuple[str, ...]) -> None:
    """Doubt all counters for input that is not followed; in a preamble it counts nothing."""
    if state.has_begun:
        state.counters.doubt_all()


_OPEN = frozenset({"appendix", "appendices", "subappendices", "\\group"})
"""Environments and groups that a paper puts around whole sections."""


_LOCAL = frozenset({"amsart", "amsproc", "amsbook", "llncs"})
"""Classes in which appendix letters end with the group that contains `\\appendix`."""


def _entitle(state: CounterState, args: tuple[str, ...]) -> None:
    """In svmult, `\\title` numbers the contribution, and `\\title*` does not."""
    if state.document_class == "svmult":
        has_number = args[0] != "*"
        document_classes.as_contribution(state.counters, has_number=has_number)
        _set_switch(state, "@numart", value=not has_number)


def _title(state: CounterState, _: tuple[str, ...]) -> None:
    """In svmult, each title begins a contribution, with its own counters."""
    if state.document_class == "svmult":
        chapter = state.counters.cell("chapter")
        is_bare = state.switches.get("@numart", True)
        state.counters.step("chapter")
        chapter.set(chapter.value - bool(is_bare), certain=chapter.certain and is_bare is not None)
        for name in ("section", "subsection", "equation"):
            state.counters.cell(name).set(0)


def _theorems_in(state: CounterState, args: tuple[str, ...]) -> None:
    """Package smfthm counts all its statements together, within something."""
    if not args[0]:
        _theorems_as(state, ("section",))
    elif "smfthm" in state.packages:
        state.declare(("theo", "", args[0], "", "", "smfthm", "newtheorem"))


def _theorems_as(state: CounterState, args: tuple[str, ...]) -> None:
    """Package smfthm counts its statements as something else."""
    if args[0] and "smfthm" in state.packages:
        for env in ("theo", *document_classes.SMF):
            state.declare((env, args[0], "", "", "", "", "newtheorem"))


def _addsec(state: CounterState, _: tuple[str, ...]) -> None:
    """KOMA's section without a number, which resets all counters within sections."""
    counters = state.counters
    counters.step("section")
    counters.cell("section").value -= 1


def _appendix(state: CounterState, args: tuple[str, ...]) -> None:
    """Count appendices from A; most counters within them are not reset."""
    state.is_appendix = True
    if state.document_class == "svmult":
        return
    if state.document_class == "IEEEtran":
        _appendix_of_ieee(state, is_single="appendices" not in args)
        return
    if state.document_class == "lipics" and "thetheorem" in state.counters.formats:
        # How the first lipics prints sections in statements of an appendix is not followed.
        known = state.counters.formats["thetheorem"]
        is_bare = "numberwithinsect" not in state.options
        state.counters.formats["thetheorem"] = known._replace(certain=known.certain and is_bare)
    top, below = ("chapter", "section") if state.has_chapters else ("section", "subsection")
    state.counters.cell(top).set(0)
    state.counters.cell(below).set(0)
    shown = Format(f"\\Alph{{{top}}}")
    if state.document_class == "elsarticle":
        shown = Format("Appendix \\Alph{section}")
        state.counters.cell("equation").set(0)
        state.counters.add_reset("equation", "section")
        state.counters.formats["theequation"] = Format("\\Alph{section}.\\arabic{equation}")
    known = state.counters.formats.get(f"the{top}", shown)
    shown = shown._replace(certain=known.certain)
    is_local = state.document_class in _LOCAL
    state.define(f"the{top}", shown, closing="", everywhere=not is_local)


def _appendix_of_ieee(state: CounterState, *, is_single: bool) -> None:
    """A single appendix is A, without a section; several are sections, as in other classes."""
    counters = state.counters
    is_roman = "romanappendices" in state.options and not is_single
    letter = "A" if is_single else "\\Roman{section}" if is_roman else "\\Alph{section}"
    counters.cell("section").set(0 if is_single else -1)
    counters.formats["thesection"] = Format(letter)
    counters.formats["theIEEEsection"] = Format("A\\arabic{section}" if is_roman else letter)
    if is_single:
        counters.formats["thesubsection"] = Format("\\Alph{subsection}")
    state.step("section", "appendix")
    state.has_sections = not is_single


def _appendices(state: CounterState, args: tuple[str, ...]) -> None:
    """The environment of package appendix; its end undoes the letters."""
    top = "chapter" if state.has_chapters else "section"
    frame = state.frames[-1] if state.frames else None
    if frame is not None and frame.name == "appendices" and state.document_class != "IEEEtran":
        frame.detail = str(state.counters.cell(top).value)
        frame.undo.append((f"the{top}", state.counters.formats.get(f"the{top}")))
    _appendix(state, ("appendices",))


def _subappendices(state: CounterState, _: tuple[str, ...]) -> None:
    """Appendices of a chapter, or of a section."""
    top, above = ("section", "chapter") if state.has_chapters else ("subsection", "section")
    frame = state.frames[-1] if state.frames else None
    if frame is not None:
        frame.detail = str(state.counters.cell(top).value)
        frame.undo.append((f"the{top}", state.counters.formats.get(f"the{top}")))
    state.counters.cell(top).set(0)
    state.counters.formats[f"the{top}"] = Format(f"\\the{above}.\\Alph{{{top}}}")


def _front(state: CounterState, _: tuple[str, ...]) -> None:
    if state.document_class == "amsbook":
        return
    state.main_matter = False
    if state.document_class == "memoir":
        state.counters.cell("secnumdepth").set(-10)


def _main(state: CounterState, _: tuple[str, ...]) -> None:
    state.main_matter = True
    if state.document_class == "memoir":
        most = state.counters.cell("maxsecnumdepth")
        state.counters.cell("secnumdepth").set(most.value, certain=most.certain)


def _exclude(state: CounterState, args: tuple[str, ...]) -> None:
    state.excluded.add(args[0])
    state.doubtful.discard(args[0])


def _include(state: CounterState, args: tuple[str, ...]) -> None:
    state.excluded.discard(args[0])
    state.doubtful.discard(args[0])


def actions() -> Mapping[str, Callable[[CounterState, tuple[str, ...]], None]]:
    """The actions of commands and environments, by name."""
    return {
        "appendix": _appendix,
        "appendices": _appendices,
        "subappendices": _subappendices,
        "frontmatter": _front,
        "backmatter": _front,
        "mainmatter": _main,
        "frontmatter*": _front,
        "mainmatter*": _main,
    }


ACTIONS: Mapping[str, Callable[[CounterState, tuple[str, ...]], object]] = {
    "define": _define,
    "let": _let,
    "close": lambda state, args: state.undo(state.saved.pop(args[0], [])),
    "declaretheoremstyle": lambda state, args: state.styles.update({args[1]: args[0]}),
    "includeonly": _only,
    "theorem": _theorem,
    "theoremstyle": _theorem_style,
    "theoremnumbering": _numbering,
    "addsec": _addsec,
    "title": _entitle,
    "maketitle": _title,
    "NumberTheoremsIn": _theorems_in,
    "NumberTheoremsAs": _theorems_as,
    "form": _form,
    "setcounter": _assign,
    "addtocounter": _add,
    "stepcounter": lambda state, args: state.counters.step(args[0]),
    "refstepcounter": lambda state, args: state.step(args[0], args[0]),
    "newcounter": lambda state, args: state.counters.new(*args[:2]),
    "numberwithin": _within,
    "counterwithin": _within,
    "counterwithout": _without,
    "addtoreset": lambda state, args: state.counters.add_reset(*args[:2]),
    "removefromreset": lambda state, args: state.counters.remove_reset(*args[:2]),
    "DeclareCoupledCounters": lambda state, args: state.counters.couple(args[-1]),
    "DeclareAssociatedCounters": _associate,
    "newaliascnt": lambda state, args: state.counters.alias(*args[:2]),
    "aliascntresetthe": _reset_the,
    "taint": lambda state, args: state.doubt(args[0], lasting=len(args) > 1),
    "environ": lambda state, args: state.environs.update({args[0]: args[1:]}),
    "switch": _switch,
    "let switch": _let_switch,
    "setboolean": _switch,
    "setbool": _switch,
    "settoggle": lambda state, args: _switch(state, (f"toggle {args[0]}", args[1])),
    "toggletrue": lambda state, args: _switch(state, (f"toggle {args[0]}", "true")),
    "togglefalse": lambda state, args: _switch(state, (f"toggle {args[0]}", "false")),
    "booltrue": lambda state, args: _switch(state, (args[0], "true")),
    "boolfalse": lambda state, args: _switch(state, (args[0], "false")),
    "newboolean": lambda state, args: _switch(state, (args[0], "false")),
    "newtoggle": lambda state, args: _switch(state, (f"toggle {args[0]}", "false")),
    "newbool": lambda state, args: _switch(state, (args[0], "false")),
    "setsecnumdepth": _depth,
    "maxsecnumdepth": _most_depth,
    "mathtoolsset": _mathtools,
    "SetupKeyvalOptions": _string_prefix,
    "DeclareStringOption": _string_option,
    "DeclareVoidOption": _void_option,
    "word": lambda state, args: state.strings.update({args[0]: args[1]}),
    "setlist": _set_lists,
    "setenumerate": _set_enumerate,
    "excludecomment": _exclude,
    "excludeversion": _exclude,
    "Newassociation": _exclude,
    "Readsolutionfile": lambda state, _: state.counters.doubt_all(),
    "missing": _missing,
    "unseen": _unseen,
    "unread": lambda state, args: state.doubt_steps(args),
    "includecomment": _include,
    "includeversion": _include,
    "PassOptionsToPackage": lambda state, args: state.pass_options(*args[:2]),
    "PassOptionsToClass": lambda state, args: state.pass_options(*args[:2]),
    "newlist": _new_list,
    **actions(),
}


_ALWAYS_NUMBERED = 1
"""The depth of sections: an unknown class numbers these and chapters."""


def is_numbered(state: CounterState, heading: str) -> bool:
    """Whether a heading without a star gets a number."""
    depth = state.counters.cell("secnumdepth")
    level = document_classes.level(heading, has_chapters=state.has_chapters)
    if heading not in state.counters.cells or (heading == "section" and not state.has_sections):
        return False
    if not depth.certain and level > _ALWAYS_NUMBERED:
        state.counters.doubt_within(heading)
        state.current = Number("", heading, False)
    if heading == "chapter" and not state.main_matter:
        if state.main_matter is None:
            state.counters.doubt_within(heading)
            state.current = Number("", heading, False)
        return False
    return level <= (depth.value if depth.certain else max(depth.value, _ALWAYS_NUMBERED))


def is_top(state: CounterState, heading: str) -> bool:
    """Whether an appendix is a heading of this kind."""
    return heading == ("chapter" if state.has_chapters else "section")


def end_appendices(state: CounterState, frame: GroupFrame) -> None:
    """Let headings continue from where they were."""
    is_main = frame.name == "appendices"
    chapters = state.has_chapters
    top = ("chapter" if chapters else "section") if is_main else ""
    top = top or ("section" if chapters else "subsection")
    if frame.detail:
        state.counters.cell(top).set(int(frame.detail))
    if is_main:
        state.is_appendix = False


_MODE = regex(r"mode (.*)$")
_SWITCH = regex(r"if([A-Za-z@]+)")
_BOOLEAN = regex(
    r"(?:ifthenelse\{\s*(?P<not>\\not\s*)?\\boolean\s*\{(?P<boolean>[^{}]+)\}\s*\}"
    r"|(?:if|(?P<off>not))(?:toggle\{(?P<toggle>[^{}]+)\}|bool\{(?P<bool>[^{}]+)\}))"
)
_LOADED = regex(
    r"(?:@ifclassloaded|ltx@ifclassloaded|IfClassLoadedTF)\{(?P<cls>[^{}]+)\}"
    r"|(?:@ifpackageloaded|ltx@ifpackageloaded|IfPackageLoadedTF)\{(?P<package>[^{}]+)\}"
)
_WITH = regex(r"@if(?:class|package)with\{(?P<name>[^{}]+)\}\{(?P<options>[^{}]*)\}")
_NUMBERS = regex(r"ifnum\s*(-?\d{1,9})\s*([<>=])\s*(-?\d{1,9})(?!\d)")
_CHOSEN = regex(r"@(first|second)oftwo")
_COMPARED = regex(r"if\s*([0-9])\s*([^\s{}#])")
_EQUAL = regex(COMPARISON)
_UNDEFINED = regex(
    r"(?:@ifundefined|ifcsundef|ifundef)\{\\?(?P<name>[^{}\\]+)\}"
    r"|ifx\s*\\@?undefined\s*\\(?P<behind>[A-Za-z@]+)"
    r"|ifx\s*\\(?P<before>[A-Za-z@]+)\s*\\@?undefined(?![A-Za-z@])"
)
_DEFINED = regex(
    r"ifdefined\s*\\(?P<name>[A-Za-z@]+)|ifcsname\s+(?P<cs>[A-Za-z@]+)\s*\\end"
    r"|if(?:cs)?def\{\\?(?P<etb>[^{}\\]+)\}"
)
_STRING = regex(r"ifdefstring\{\s*\\(?P<name>[A-Za-z@]+)\s*\}\{(?P<value>[^{}\\]*)\}")
_WEB = frozenset({"plastex", "HTML", "html", "tth", "htlatex", "lwarp"})
_NO = frozenset({"false", *_WEB})


Decider = Callable[[re.Match[str], CounterState], bool | None]


def decide(text: str, state: CounterState) -> bool | None:
    """Whether a condition holds; None if that is unknown.

    A condition for another program than LaTeX does not hold.
    """
    for pattern, decider in _DECIDERS:
        match = pattern.match(text)
        if match:
            return decider(match, state)
    return None


def _boolean(match: re.Match[str], state: CounterState) -> bool | None:
    name = match["boolean"] or match["bool"] or f"toggle {match['toggle']}"
    known = state.switches.get(name)
    is_negated = bool(match["not"] or match["off"])
    return known is not is_negated if known is not None else None


def _is_mode(wanted: str, state: CounterState) -> bool | None:
    """Whether code for a mode of beamer runs: slides are one mode, the article is another."""
    is_slides = state.document_class == "beamer"
    if not is_slides and "beamerarticle" not in state.packages:
        return None
    modes = {item.partition(":")[0].strip() for item in wanted.split("|")}
    shown = {"all", "presentation", "beamer"} if is_slides else {"all", "article"}
    return bool(modes & shown)


def _undefined(match: re.Match[str], state: CounterState) -> bool | None:
    known = _is_defined(next(filter(None, match.groups())), state)
    return None if known is None else not known


def _is_given(match: re.Match[str], state: CounterState) -> bool | None:
    """Whether a class or package was given some options; None if its options are unknown."""
    given = state.given.get(match["name"].strip())
    wanted = {item.strip() for item in match["options"].split(",") if item.strip()}
    is_known = given is not None and not any("\\" in item for item in given | wanted)
    return wanted <= given if given is not None and is_known else None


def _is_string(match: re.Match[str], state: CounterState) -> bool | None:
    known = state.strings.get(match["name"])
    return None if known is None else known == match["value"].strip()


def _holds(one: int, sign: str, other: int) -> bool:
    return one < other if sign == "<" else one > other if sign == ">" else one == other


def _switched(match: re.Match[str], state: CounterState) -> bool | None:
    name = match[1]
    return False if name in _NO else True if name == "true" else state.switches.get(name)


def _is_loaded(cls: str | None, package: str | None, state: CounterState) -> bool | None:
    if package is not None:
        return package in state.packages or None
    if cls == state.document_class:
        return True
    return False if document_classes.is_known(state.document_class) else None


def _is_defined(name: str, state: CounterState) -> bool | None:
    """Whether a name is defined; None unless this simulation itself defines it."""
    if name in ("chapter", "thechapter", "c@chapter"):
        is_known = document_classes.is_known(state.document_class)
        return state.has_chapters if is_known or state.has_chapters else None
    bare = name.removeprefix("c@").removeprefix("the")
    if name != bare and bare in state.counters.cells:
        return True
    is_heading = name in document_classes.HEADINGS
    if name in state.statements or (is_heading and document_classes.is_known(state.document_class)):
        return True
    return True if name in state.macros else None


_DECIDERS: tuple[tuple[re.Pattern[str], Decider], ...] = (
    (_MODE, lambda match, state: _is_mode(match[1], state)),
    (_BOOLEAN, _boolean),
    (_WITH, _is_given),
    (_NUMBERS, lambda match, _: _holds(int(match[1]), match[2], int(match[3]))),
    (_CHOSEN, lambda match, _: match[1] == "first"),
    (_COMPARED, lambda match, _: match[1] == match[2]),
    (_STRING, _is_string),
    (_EQUAL, lambda match, _: is_equal(match)),
    (_LOADED, lambda match, state: _is_loaded(match["cls"], match["package"], state)),
    (_UNDEFINED, _undefined),
    (_DEFINED, lambda match, state: _is_defined(next(filter(None, match.groups())), state)),
    (_SWITCH, _switched),
)
