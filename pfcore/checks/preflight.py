r"""Checks before an upload: gaps, marks of a draft, missing citations and figures.

They say what a text contains and where, never who wrote it. The certain ones are part of every
review; those that any draft may fail run only before an upload.
"""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks import figure_files
from pfcore.checks.broken_characters import BROKEN, DOUBLED_WORDS
from pfcore.checks.check import Check, CheckInput, own_styles, written_in
from pfcore.domain.errors import SourceError
from pfcore.domain.findings import located, quoted
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.domain.values import Finding, Location, Severity
from pfcore.latex.codec import dump
from pfcore.latex.project.include_graph import tex_live_files
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.checks.bibliography import CitedKey

_VERSION = 15
_WORDS = {
    "spoken": "reads like a reply from a chat program",
    "opening": "sentence from a chat program's reply",
    "mark": "left by a writing or search program, or markup of another format",
    "placeholder": "unfilled placeholder",
    "doubtful": "possibly an unfilled placeholder",
    "blind": "hidden for a blind review",
    "lost": "question marks typed in place of a reference",
    "draft": "mark of a draft",
    **BROKEN,
}
_QUOTE = 120
_SAID = ("spoken", "opening")
"""The kinds of sentences by programs."""

Passage = tuple[int, int, str]
"""Start and end of a passage left by mistake, and its kind."""


def _left(scene: CheckInput, kinds: Collection[str]) -> dict[str, list[Passage]]:
    """The passages of some kinds that were left by mistake, by file."""
    paper = scene.paper
    files = paper.snapshot.files
    keys = {
        path: f"debris:{_VERSION}:{files[path].oid}"
        for path in paper.readings
        if path in files and not paper.is_markup
    }

    def make(path: str) -> tuple[list[Passage], dict[str, str]]:
        from pfcore.checks.broken_characters import broken_characters
        from pfcore.checks.debris import debris  # loads the patterns; only for uncached files
        from pfcore.latex.lexer.mask import mask

        found = debris(paper.source(path), paper.surveys[path].silent)
        rows: list[Passage] = [(item.start, item.end, item.kind.value) for item in found]
        rows += broken_characters(mask(paper.source(path)).text)
        return rows, {keys[path]: dump(rows)}

    found = scene.kept(keys, _passages, make)
    return {path: [one for one in listed if one[2] in kinds] for path, listed in found.items()}


def _passages(text: str) -> list[Passage]:
    try:
        return [(int(start), int(end), str(kind)) for start, end, kind in json.loads(text)]
    except TypeError as error:
        raise ValueError("no passages") from error


def _found(
    scene: CheckInput, check: Check, *kinds: str, said: Collection[tuple[str, int]] = ()
) -> Iterator[Finding]:
    """The passages of some kinds as findings.

    Those that begin at a place in `said`, after a command that is itself a finding, are skipped.
    """
    counts: Counter[tuple[str, str]] = Counter()
    left = _left(scene, kinds)
    dropped = _dropped(scene, left)
    is_about = any(kind in _SAID for listed in left.values() for _, _, kind in listed)
    is_for_authors = is_about and _is_for_authors(scene, left)
    is_about = is_about and _is_about_models(scene, left)
    for path, listed in left.items():
        for start, end, kind in listed:
            if _is_never_typeset(scene, path, start, end):
                continue
            if is_for_authors and _YOURS.match(scene.printed(path), start, end):
                continue
            if path in dropped and dropped[path].covers(start):
                continue
            if (path, start) in said or (path, start + 1) in said:
                continue
            module = scene.around(path, start)
            if is_about and (kind == "opening" or (kind == "spoken" and module is None)):
                continue
            location, quote = scene.at(path, start, end)
            counts[path, quote] += 1
            shown = f"U+{ord(quote[0]):04X}" if kind == "unseen" and quote else quote[:_QUOTE]
            yield check.finding(
                f"{shown}: {_WORDS[kind]}",
                subject=f"{path} {quote} {counts[path, quote]}",
                module=module,
                place=(location, quote),
            )


def _dropped(scene: CheckInput, left: Mapping[str, Sequence[Passage]]) -> dict[str, Spans]:
    """The arguments of note commands that are switched off, in files where anything was found."""
    if not any(left.values()):
        return {}
    from pfcore.checks.author_notes import note_commands, note_uses
    from pfcore.checks.debris_contexts import closing_brace

    printed = _printed(scene)
    names = note_commands([*printed.values(), *own_styles(scene.paper).values()]).dropped
    return {
        path: Spans((start, closing_brace(text, end)) for start, end in note_uses(text, names))
        for path, text in printed.items()
        if left.get(path)
    }


_TITLING = regex(
    r"\\newtheorem\s*\{(?P<name>[^{}]{1,60})\}\s*(?:\[[^\[\]]{0,60}\]\s*)?\{[^{}]{0,60}\Z"
)


def _is_never_typeset(scene: CheckInput, path: str, start: int, end: int) -> bool:
    """Whether a span is never read, or is in the title of an environment that is never used."""
    text = scene.printed(path)
    if not text[start:end].strip(" \n\t{}"):
        return True
    title = _TITLING.search(text, max(0, start - 200), start)
    return title is not None and all(
        title["name"] not in item.begun for item in scene.paper.surveys.values()
    )


def _is_about_models(scene: CheckInput, left: Mapping[str, Sequence[Passage]]) -> bool:
    """Whether a paper is about language models, apart from sentences left by mistake."""
    from pfcore.checks.debris import is_about_models
    from pfcore.latex.lexer.mask import mask

    texts: list[str] = []
    for path in scene.paper.readings:
        text = mask(scene.paper.source(path)).text
        for start, end, kind in reversed(left.get(path, ())):
            if kind in _SAID:
                stop = text.find(".", end, end + _SENTENCE)
                text = text[:start] + text[max(end, stop) :]
        texts.append(text)
    return is_about_models(texts)


_YOURS = regex(r"\w+ your (?:\w+ )?(?:manuscript|paper|draft|paragraph|abstract|introduction)")
_INSTRUCTS = 3
"""How often instructions to authors mention the readers' papers, or aspects of layout."""
_OF_LOOKS = regex(
    r"\b(?:camera[- ]ready|margins?|font size|type ?faces?|style files?|page limit|columns?"
    r"|headings?|captions|typeset|boldface|spacing)\b",
    re.IGNORECASE,
)


def _is_for_authors(scene: CheckInput, left: Mapping[str, Sequence[Passage]]) -> bool:
    """Whether a document consists of instructions to authors, like those that come with a class."""
    said = [
        path
        for path, listed in left.items()
        for start, end, kind in listed
        if kind == "spoken" and _YOURS.match(scene.printed(path), start, end)
    ]
    looks = {
        match[0].lower() for path in set(said) for match in _OF_LOOKS.finditer(scene.printed(path))
    }
    return len(said) >= _INSTRUCTS or len(looks) >= _INSTRUCTS


_SENTENCE = 400
_FILE_NAMED = regex(
    r"\\(?:input|include[a-z]*|subfile|(?:sub)?import|bibliography|addbibresource)\*?"
    r"\s*(?:\[[^\[\]]*\]\s*)?(?:\{[^{}\n]*\}\s*)?\{[^{}\n]*\Z"
)


def model_debris(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Words and signs left by programs, unless they are quoted.

    Words that a letter or a template may also contain are a note, unless they name a program or the
    paper contains several such phrases. Sentences that begin a program's reply are never a note.
    """
    found = list(_found(scene, check, *_SAID, "mark"))
    words = [item for item in found if item.message.endswith(_WORDS["spoken"])]
    phrases = {
        item.quote.casefold()
        for item in found
        if not item.message.endswith(_WORDS["mark"]) and not _YOURS.match(item.quote)
    }
    for item in found:
        from pfcore.checks.debris import names_a_model

        is_doubtful = item in words and (len(phrases) < _SEVERAL or _YOURS.match(item.quote))
        yield _as_note(item) if is_doubtful and not names_a_model(item.quote) else item


_SEVERAL = 2
"""This many different phrases of replies are no coincidence."""


def broken_text(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Characters that no text has on purpose, except in the name of a file that really has them."""
    for finding in _found(scene, check, *BROKEN):
        is_name = _FILE_NAMED.search(
            scene.paper.source(finding.location.path), max(0, finding.location.start - _QUOTE * 4),
            finding.location.start,
        )  # fmt: skip
        if not is_name or all(finding.quote not in path for path in scene.paper.snapshot.paths):
            yield finding


def lost_references(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Question marks in place of a number."""
    return _found(scene, check, "lost")


_NAME = regex(r"[A-Za-z@]+")


def placeholders(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Unfilled gaps, and authors' notes that are printed."""
    from pfcore.checks.author_notes import note_commands, note_uses

    printed = _printed(scene)
    styles = own_styles(scene.paper).values()
    names = note_commands([*printed.values(), *styles])
    notes = {
        path: list(note_uses(text, names.printed | names.fatal)) for path, text in printed.items()
    }
    begun = {(path, end) for path, listed in notes.items() for _, end in listed}
    yield from _but_for_keys(scene, list(_found(scene, check, "placeholder", said=begun)))
    yield from map(_as_note, _found(scene, check, "doubtful", said=begun))
    yield from _in_one_head(list(_found(scene, check, "blind")), printed)
    for path, listed in notes.items():
        text, hidden = printed[path], Spans(scene.paper.surveys[path].silent)
        starts = (start for start, _ in listed if not hidden.covers(start))
        for number, start in enumerate(starts, 1):
            name = _NAME.match(text, start + 1)
            is_fatal = name is not None and name[0] in names.fatal
            yield check.finding(
                "note to the authors: LaTeX stops here unless fixme has the option draft"
                if is_fatal
                else "note to the authors that appears in the PDF",
                subject=f"{path} todo {number}",
                module=scene.around(path, start),
                place=scene.first_line(path, start, len(text)),
            )


_KEYED = regex(r"\\(?P<cites>cite)?[A-Za-z]*\*?\s*\{\s*(?P<key>[^{}]*?)\s*\}\Z")


def _but_for_keys(scene: CheckInput, found: Sequence[Finding]) -> Iterator[Finding]:
    """Gaps, except keys of references that are defined or that another check reports."""
    from pfcore.checks.bibliography import Bibliography

    keys = [_KEYED.match(item.quote) for item in found]
    ways = {match["cites"] is not None for match in keys if match}
    known = Bibliography(scene.paper) if True in ways else None
    told = list(_lost_labels(scene)) if False in ways else []
    for item, match in zip(found, keys, strict=True):
        if match and match["cites"] and known:
            is_said = match["key"] and (known.is_known or match["key"].lower() in known.keys)
        elif match:
            is_said = match["key"] in scene.document.labels or any(
                place.path == item.location.path
                and place.start < item.location.end
                and item.location.start < place.end
                for place in told
            )
        else:
            is_said = False
        if not is_said:
            yield item


def _lost_labels(scene: CheckInput) -> Iterator[Location]:
    """The places of undefined labels; doubtful ones are left out and reported as gaps instead."""
    from pfcore.checks import references

    check = next(one for one in references.CHECKS if one.run is references.dangling)
    for item in references.dangling(scene, check):
        if item.severity is not Severity.NOTE:
            yield item.location


_HEAD = 1_500
"""The most characters between two commands of one head."""
_BRANCH = regex(r"\\(?:else|fi)(?![A-Za-z])")


def _in_one_head(found: Sequence[Finding], printed: Mapping[str, str]) -> Iterator[Finding]:
    """The findings of text hidden for blind review, one for each head, with the other lines.

    Those in different branches of a condition stay separate: one branch may never be printed.
    """
    heads: list[list[Finding]] = []
    for item in found:
        path, start = item.location.path, item.location.start
        last = heads[-1][-1].location if heads else None
        is_near = last is not None and last.path == path and start - last.end < _HEAD
        is_command = printed[path].startswith("\\", start)
        if is_near and is_command and last is not None:
            between = printed[path][last.start : start]
            if between.startswith("\\") and not _BRANCH.search(between):
                heads[-1].append(item)
                continue
        heads.append([item])
    for first, *more in heads:
        lines = [f"{item.location.line:,}" for item in more if item.location.line]
        lines = list(dict.fromkeys(lines))
        listed = " and ".join(filter(None, [", ".join(lines[:-1]), *lines[-1:]]))
        where = f"; also in line{'s' * (len(lines) > 1)} {listed}" if lines else ""
        yield replace(first, message=f"{first.message}{where}")


def _printed(scene: CheckInput) -> dict[str, str]:
    return {path: scene.printed(path) for path in scene.paper.readings}


_LOUD_MARK = regex(
    r"showkeys|showlabels|watermark|draftcopy|\bdraft\b|SetBg|\\DIF|\|{7}|overfullrule",
    re.IGNORECASE,
)


_NOTES_OF_FIXME = regex(
    r"\\(?:fixme|fx(?!setup|use)[a-z]+|FXRegister\w+|listoffixmes|[a-z]{1,6}(?:note|warning|error|fatal))\s*"
    r"\*?(?:\[[^\]]{0,200}\])?\s*\{|\\listoffixmes"
)


def draft_marks(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Marks of a draft; those that affect only the layout are a note."""
    texts = [*_printed(scene).values(), *own_styles(scene.paper).values()]
    found = list(_found(scene, check, "draft"))
    has_words = _has_watermark(texts) if any("atermark" in item.quote for item in found) else True
    is_loaded = any(map(_WATERMARK.search, (item.quote for item in found)))
    for item in found:
        if "{fixme}" in item.quote and not any(map(_NOTES_OF_FIXME.search, texts)):
            continue  # fixme only prints notes, and there are none
        is_text = item.quote.startswith("\\SetWatermarkText")
        if is_text and (is_loaded or not has_words):
            continue  # the package is reported already, or the watermark has no words
        if not has_words and _WATERMARK.search(item.quote) and "show" not in item.quote:
            continue
        is_loud = _LOUD_MARK.search(item.quote)
        yield item if is_loud else _as_note(item)


_WATERMARK = regex(r"\bdraftwatermark\b")
_WATERMARK_TEXT = regex(r"\\SetWatermarkText\s*\{")
_PICTURE = regex(
    r"\\includegraphics\*?\s*(?:\[[^\[\]]{0,300}\]\s*)?\{(?![^{}]*[Dd]raft)[^{}]{0,300}\}"
    r"|\\[A-Za-z]+|\d\s*(?:pt|mm|cm|in|ex|em|bp|sp)\b"
)
"""A picture, and commands and lengths that place it."""


def _has_watermark(texts: Iterable[str]) -> bool:
    """Whether a watermark has words; an empty one or a journal's badge is not a mark of a draft."""
    from pfcore.checks.debris_contexts import closing_brace

    given = [
        text[match.end() : closing_brace(text, match.end())]
        for text in texts
        for match in _WATERMARK_TEXT.finditer(text)
    ]
    return not given or any(any(map(str.isalpha, _PICTURE.sub("", item))) for item in given)


def _as_note(item: Finding) -> Finding:
    return replace(item, severity=Severity.NOTE)


def undefined_citations(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Cited keys that no bibliography defines.

    With a missing bibliography the finding is that one, and these appear once it is answered.
    """
    from pfcore.checks.bibliography import Bibliography

    known = Bibliography(scene.paper)
    is_foreign = not known.listed and any("{" in text for text in known.bbl.values())
    is_told = known.is_known or (bool(known.missing) and not is_foreign)
    return cited_without(scene, check, known.keys) if is_told else iter(())


def cited_without(scene: CheckInput, check: Check, keys: Set[str]) -> Iterator[Finding]:
    """The citations of keys other than `keys`, which are in lower case."""
    from pfcore.checks.bibliography import cited_keys

    near = sorted(keys)
    counts: Counter[str] = Counter()
    for path, text in _printed(scene).items():
        hidden = Spans(scene.paper.surveys[path].silent)
        unknown = (
            item
            for item in cited_keys(text)
            if item.key.lower() not in keys and not hidden.covers(item.start)
        )
        for item in _with_places(unknown, text):
            counts[item.key] += 1
            yield check.finding(
                f"{item.key} is cited, but no bibliography lists it{_like(item.key, near)}",
                subject=f"{item.key} {counts[item.key]}",
                module=scene.around(path, item.start),
                place=scene.at(path, item.start, item.end),
            )


def _with_places(items: Iterable["CitedKey"], text: str) -> Iterator["CitedKey"]:
    r"""The keys, each joined with a place that follows it: `\cite{RS13, Def. 1.3}`."""
    last: CitedKey | None = None
    for item in items:
        between = text[last.end : item.start] if last else ""
        if last and " " in item.key and between.strip() == "," and "," not in last.key:
            last = last._replace(key=text[last.start : item.end], end=item.end)
            continue
        if last:
            yield last
        last = item
    if last:
        yield last


def _like(key: str, keys: list[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(key.lower(), keys, n=1, cutoff=0.8)
    return f"; did you mean {found[0]}?" if found else ""


def missing_bibliographies(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Bibliographies that are named but missing, if there is no .bbl instead.

    If none is named at all, that is one finding, at the first citation.
    """
    from pfcore.checks.bibliography import Bibliography, placed_bibliographies

    known = Bibliography(scene.paper)
    if not known.keys and not known.missing:
        yield from _without_bibliography(scene, check)
    for path, name in known.missing if not known.bbl else ():
        source = scene.paper.source(path)
        text = scene.printed(path)
        written = (f"{{{name}", "\\bibliography{", "\\addbibresource", name, ".bbl")
        fallback = next((at for word in written if (at := text.find(word)) >= 0), 0)
        places = (at for one, at in placed_bibliographies(text) if one == name)
        start = next(places, fallback)
        other = known.namesakes.get(name)
        like = f"; {other} has few of the cited keys" if other else ""
        if cased := _in_other_case(scene.paper, name):
            like = f"; {cased} differs only in case"
        lost = f"bibliography not found: {name} (and no .bbl next to the main file){like}"
        if there := known.there(name):
            lost = f"{there} is in the repository but was not read: {_unread(scene.paper, there)}"
        yield check.finding(
            lost,
            subject=name,
            module=None,
            place=scene.first_line(path, start, len(source)),
        )


def _unread(paper: Paper, path: str) -> str:
    """Why an existing file could not be read as text."""
    try:
        paper.snapshot.read(path)
    except SourceError as error:
        return error.reason
    return "it is not a text file"


def _in_other_case(paper: Paper, name: str) -> str:
    """A file whose name differs from that of a .bib only in case; "" if there is none."""
    wanted = f"/{name.removesuffix('.bib')}.bib"
    alike = [path for path in paper.snapshot.paths if f"/{path}".lower().endswith(wanted.lower())]
    is_same = any(f"/{path}".endswith(wanted) for path in alike)
    return "" if is_same else min(alike, default="")


_LISTS = regex(
    r"\\[A-Za-z@]*[Bb]ib(?!liographystyle|name|font|section)|thebibliography|biblist|\.bbl|\.bib"
    r"|\\(?:re)?newcommand\*?\s*\{?\\cite|\\def\s*\\cite|externalcitedocument"
)
"""Commands that may print a bibliography, or redefine citations."""


def _without_bibliography(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """One finding for all citations of a whole document without any bibliography."""
    from pfcore.checks.bibliography import cited_keys
    from pfcore.latex.lexer.mask import mask

    paper = scene.paper
    whole = paper.source(paper.root)
    is_whole = "\\begin{document}" in whole and "{subfiles}" not in whole
    texts = [mask(text).text for text in own_styles(paper).values()]
    printed = _printed(scene)
    is_listed = any(_LISTS.search(text) for text in (*printed.values(), *texts))
    if not is_whole or not scene.is_complete or is_listed:
        return
    found = [
        (path, item)
        for path, text in printed.items()
        for item in cited_keys(text)
        if not Spans(paper.surveys[path].silent).covers(item.start)
    ]
    if found:
        path, item = found[0]
        number = len({one.key for _, one in found})
        some = f"{item.key} is cited" if number == 1 else f"{number:,} keys are cited"
        yield check.finding(
            f"{some}, but the paper has no bibliography, so [?] is printed",
            subject="none",
            module=None,
            place=scene.at(path, item.start, item.end),
        )


def stale_bibliographies(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """A .bbl that lacks cited entries which the .bib has."""
    from pfcore.checks.bibliography import Bibliography, cited_keys

    known = Bibliography(scene.paper)
    if not known.bbl or not known.listed:
        return
    cited = {
        item.key.lower()
        for path, text in _printed(scene).items()
        for item in cited_keys(text)
        if not Spans(scene.paper.surveys[path].silent).covers(item.start)
    }
    lacking = sorted(cited & known.entries - known.listed - known.defined)
    if lacking:
        path = next(iter(known.bbl))
        more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        yield check.finding(
            f"{path} is older than the .bib: it lacks {', '.join(lacking[:5])}{more}",
            subject=path,
            module=None,
            place=(located(path, "", 0, 0), ""),
        )


_NEED_AUTHOR = frozenset({"article", "inproceedings", "conference", "phdthesis", "mastersthesis"})
_NAMELESS = _NEED_AUTHOR | {"book"}
"""Kinds for which BibTeX warns if no author or editor is named, and that are cited by name."""
_PART_OF_ONE = frozenset({"inproceedings", "conference", "incollection", "inbook"})
_NEED_ONE = frozenset({"book", "incollection", "inbook"})
_NAMES = frozenset({"author", "editor", "organization", "institution", "key", "shortauthor"})
_SEARCHED = regex(
    r"turn\d+(?:search|view|news)\d+|utm\\?_source=(?:chatgpt|openai|perplexity|claude)|oaicite"
    r"|\[oai_citation|example\.(?:com|org)/|arXiv:?\s*(?:X{4}|\d{4})\.X{3,5}|10\.X{3,}/\S*"
    r"|10\.1234/(?:example|placeholder)|\bet al\.? \(?YEAR\b"
    r"|\b(?:Author|Lastname), (?:A|First(?:name)?|One|Two|Name)\b"
    r"|\byear\s*=\s*[{\"]?\s*(?:\d\dXX|X{4}|\?+|YEAR)|(?<!\w)\?\?\?+"
    r"|\btitle\s*=\s*[{\"]+\s*(?:insert|untitled|title here|todo)\b"
    r"|\bnote\s*=\s*[{\"][^}\"]{0,60}\b(?:check|verify|fix) (?:this|that|it|the)\b"
    r"|\b(?:chatgpt\.com|chat\.openai\.com|claude\.ai)/(?:share|c|chat)\b"
    r"|\byear\s*=\s*[{\"]?\s*(?:2[1-9]|[3-9]\d)\d\d\b"
    r"|\bauthor\s*=\s*[{\"]\s*(?:\?+|unknown|author|name|authors|others|tbd|todo)\s*[}\"]",
    re.IGNORECASE,
)
_EMPTY_ITEM = regex(
    r"\\bibitem\s*(?:\[[^\[\]]*\]\s*)?\{([^{}]+)\}\s*(?=\\bibitem|\\end\s*\{thebibliography\})"
)


def broken_entries(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Cited entries without author or title, empty ones, and ones with leftovers of a search."""
    from pfcore.checks.bibliography import Bibliography, bib_entries, cited_keys

    known = Bibliography(scene.paper)
    printed = _printed(scene)
    cited = {item.key.lower() for text in printed.values() for item in cited_keys(text)}
    for path, text in known.bib.items():
        for entry in bib_entries(text):
            line = text[text.rfind("\n", 0, entry.start) + 1 : entry.start]
            if entry.key.lower() not in cited or "%" in line:  # biber skips an entry after "%"
                continue
            lacks = _lacks(entry.kind, entry.fields)
            left = None if lacks else _left_in_entry(entry.text)
            what = f"has no {lacks}" if lacks else ""
            start, end = entry.start, entry.end
            if left:
                start, end = (entry.start + offset for offset in left)
                what = f"has {' '.join(text[start:end].split())}"
            if what:
                yield _of_entry(
                    check,
                    f"the entry {entry.key} {what}",
                    located(path, text, start, end),
                    text,
                    is_note=bool(lacks) and lacks != "title" and entry.kind not in _NAMELESS,
                )
    for path, text in {} if known.bib else known.bbl.items():
        left = _left_in_entry(text)
        if left:
            what = f"{posixpath.basename(path)} has {' '.join(text[slice(*left)].split())}"
            yield _of_entry(check, what, located(path, text, *left), text)
    for path, text in printed.items():
        for match in _EMPTY_ITEM.finditer(text):
            yield check.finding(
                f"the entry {match[1]} is empty",
                subject=f"{match[1]} is empty",
                module=None,
                place=scene.at(path, match.start(), match.end()),
            )


def _of_entry(
    check: Check, what: str, place: Location, text: str, *, is_note: bool = False
) -> Finding:
    return check.finding(
        what,
        subject=what.removeprefix("the entry "),
        module=None,
        place=(place, quoted(text, place)),
        severity=Severity.NOTE if is_note else check.severity,
    )


def _left_in_entry(text: str) -> tuple[int, int] | None:
    """The span of something that a search or a template left in an entry; None without any."""
    from pfcore.checks.debris import DebrisKind, debris

    shown = _UNPRINTED_FIELD.sub(lambda field: " " * len(field[0]), text)
    left = _SEARCHED.search(shown)
    if left:
        return left.span()
    kinds = (DebrisKind.SPOKEN, DebrisKind.MARK, DebrisKind.PLACEHOLDER)
    titles = Spans(match.span() for match in _TITLE_FIELD.finditer(shown))
    return next(
        (
            (item.start, item.end)
            for item in debris(shown)
            if item.kind in kinds
            and not (item.kind is DebrisKind.PLACEHOLDER and titles.covers(item.start))
        ),
        None,
    )


_VALUE = r"\s*=\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\"[^\"]*\")"
_UNPRINTED_FIELD = regex(
    r"(?<![\w-])(?:abstract|annote|annotation|comment|file|keywords?|review|[a-z]+(?:-[a-z0-9]+)+)"
    + _VALUE,
    re.IGNORECASE,
)
"""Fields that no style prints; the fields of styles have no hyphen in their names."""
_TITLE_FIELD = regex(r"(?<![\w-])(?:book|sub|main)?title" + _VALUE, re.IGNORECASE)
"""A title such as "Note to self" belongs to somebody else's paper and is not a placeholder."""


def _lacks(kind: str, fields: frozenset[str]) -> str:
    """The required field that such an entry lacks; "" if it has all."""
    if "crossref" in fields or "xdata" in fields:
        return ""
    is_titled = fields & {"title", "maintitle", "shorttitle", "chapter"}
    if kind not in _PART_OF_ONE:
        is_titled |= fields & {"booktitle"}
    if (kind in _NEED_AUTHOR or kind in _NEED_ONE) and not is_titled:
        return "title"
    if kind in _NEED_AUTHOR and not fields & _NAMES:
        return "author"
    return "author or editor" if kind in _NEED_ONE and not fields & _NAMES else ""


_KNOWN_INPUT = regex(r"(?:pgf|tikz|pst|xint|xy|gl|qrcode|expl3|ot|t1)[^/]*\Z", re.IGNORECASE)
"""Names of files that come with TeX, by their beginnings."""
_CONDITION = regex(
    r"(\\newif\s*)?\\(?:if(?!f\b|thenelse\b|toggle\b|bool\b)[A-Za-z@]*|fi)(?![A-Za-z@])"
)


class _LackingSource(NamedTuple):
    """A missing file that the paper reads: the span of its name in `path`, and the message."""

    path: str
    start: int
    end: int
    name: str
    words: str


def missing_sources(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files that are read unconditionally and neither the repository nor TeX has."""
    from pfcore.latex.lexer.mask import mask

    paper = scene.paper
    for item in (*_lacking_inputs(paper), *_lacking_styles(paper)):
        text = mask(paper.source(item.path), paper.syntax.dead).text
        before = text[: item.start]
        is_dead = text[item.start : item.start + 1].isspace()
        if is_dead or before.count("{") != before.count("}") or _is_under_condition(before):
            continue
        yield check.finding(
            f"{item.name} {item.words}",
            subject=f"{item.path} {item.name}",
            module=None,
            place=scene.at(item.path, item.start, item.end),
        )


_NOT_HERE = "is not in the repository, so the paper does not compile"
_NOWHERE = "is neither in the repository nor in TeX Live"


def _lacking_inputs(paper: Paper) -> Iterator[_LackingSource]:
    for path, problems in paper.outline.problems.items():
        for item in problems:
            if item.code == "unfollowed-file" and _is_own_input(item.subject):
                name = posixpath.basename(item.subject)
                alike = [one for one in paper.snapshot.paths if posixpath.basename(one) == name]
                words = (
                    f"is not where LaTeX looks for it, but at {min(alike)}"
                    if alike
                    else _away(paper, path, item.subject)
                )
                yield _LackingSource(path, item.start, item.end, item.subject, words)


def _away(paper: Paper, path: str, name: str) -> str:
    """The end of the message on a missing file, which may be in a submodule."""
    folders = (posixpath.dirname(paper.root), posixpath.dirname(path))
    meant = [posixpath.normpath(posixpath.join(folder, name)) for folder in folders]
    for item in paper.snapshot.skipped:
        if item.is_closed and any(one.startswith(f"{item.path}/") for one in meant):
            return f"is in {item.path}, a {item.reason}"
    return _NOT_HERE


def _lacking_styles(paper: Paper) -> Iterator[_LackingSource]:
    """Missing packages and classes; a name with a folder cannot be one of TeX's.

    Names without one are skipped if the repository has submodules or builds packages (.ins).
    """
    there = {f"/{name}".lower() for name in paper.snapshot.paths}
    names = {posixpath.basename(name) for name in there}
    is_whole = not any(name.endswith((".ins", "/.gitmodules")) for name in there)
    for path in paper.outline.order:
        survey = paper.surveys.get(path)
        for link in survey.links if survey else ():
            suffix = {"package": ".sty", "class": ".cls"}.get(link.relation)
            if not suffix or not link.target or _MADE.search(link.target):
                continue
            name = f"{link.target.removesuffix(suffix)}{suffix}"
            whole = posixpath.normpath(name).lstrip("./").lower()
            if "/" in link.target:
                if not any(item.endswith(f"/{whole}") for item in there):
                    words = _away(paper, path, name)
                    yield _LackingSource(path, link.offset, link.end, name, words)
            elif is_whole and not _is_known_style(whole, names, paper):
                yield _LackingSource(path, link.offset, link.end, name, _NOWHERE)


def _is_known_style(name: str, there: Set[str], paper: Paper) -> bool:
    """Whether TeX Live or the repository has a style, or the paper writes it or has its .dtx."""
    made = f"{posixpath.splitext(name)[0]}.dtx"
    if {name, made} & there or name in tex_live_files() or name == "psfig.sty":  # by `refused`
        return True
    sources = map(paper.source, paper.readings)
    return written_in(sources, name, flags=re.IGNORECASE)


_MADE = regex(r"[\\#$*]")


def _is_own_input(name: str) -> bool:
    suffix = posixpath.splitext(name)[1].lower()
    is_text = suffix in ("", ".tex", ".ltx")
    return is_text and not _MADE.search(name) and not _KNOWN_INPUT.match(name)


def _is_under_condition(before: str) -> bool:
    depth = 0
    for match in _CONDITION.finditer(before):
        depth += 0 if match[1] else -1 if match[0].endswith("\\fi") else 1
    return depth != 0


_TODAY = regex(r"\\today(?![A-Za-z])")
_MEANS_TODAY = regex(r"\\(?:(?:re)?newcommand\*?|DeclareRobustCommand|[gex]?def)\s*\{?\s*\\today\b")
_DATE = regex(r"\\date\s*\{")


def moving_dates(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Dates that change whenever arXiv rebuilds the PDF; the last \\date of several counts."""
    counts: Counter[str] = Counter()
    printed = _printed(scene)
    if any(_MEANS_TODAY.search(text) for text in printed.values()):
        return
    for path, text in printed.items():
        hidden = Spans(scene.paper.surveys[path].silent)
        last = max((match.start() for match in _DATE.finditer(text)), default=-1)
        for match in _TODAY.finditer(text):
            opened = _DATE.search(text, max(0, match.start() - 60), match.start())
            is_dated = opened and "}" not in text[opened.end() : match.start()]
            if (opened and is_dated and opened.start() < last) or hidden.covers(match.start()):
                continue
            counts[path] += 1
            yield check.finding(
                "\\today changes whenever arXiv rebuilds the PDF; write the date",
                subject=f"{path} {counts[path]}",
                module=None,
                place=scene.at(path, match.start(), match.end()),
            )


_LOADS = (
    r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\[\]]*\])?\s*"
    r"\{[^{}]*(?<![\w-])(?:%s)(?![\w-])[^{}]*\}"
)


class _Refusal(NamedTuple):
    """Something that arXiv does not accept: a pattern of the source, and the reason.

    It is accepted if the source matches `spared`, or if the path of a file matches `made`: the
    program's output is already there. `needed` matches commands that print this output. The group
    `prefix` of the pattern, if any, is the prefix of the keys that are lost.
    """

    pattern: re.Pattern[str]
    words: str
    severity: Severity = Severity.WARNING
    spared: re.Pattern[str] | None = None
    made: re.Pattern[str] | None = None
    needed: re.Pattern[str] | None = None

    def holds(self, texts: Collection[str], there: Iterable[str]) -> bool:
        """Whether neither `spared` nor `made` matches, and the output is printed."""
        is_spared = self.spared and any(map(self.spared.search, texts))
        is_idle = self.needed and not any(map(self.needed.search, texts))
        return not (is_spared or is_idle or (self.made and any(map(self.made.search, there))))

    def is_used(self, match: re.Match[str], texts: Iterable[str]) -> bool:
        """Whether the paper refers to keys with the prefix of the match; True without one."""
        prefix = match["prefix"] if "prefix" in self.pattern.groupindex else None
        named = re.compile(rf"[{{,]\s*{re.escape(prefix or '')}")
        return not prefix or any(map(named.search, texts))


def _program(name: str, made: str = "", spared: str = "") -> _Refusal:
    """A package that runs a program."""
    return _Refusal(
        re.compile(_LOADS % name),
        f"{name} runs a program, which arXiv does not allow; include what it makes",
        spared=re.compile(spared) if spared else None,
        made=re.compile(made) if made else None,
    )


_NO_MAKEINDEX = "arXiv does not run makeindex; include the .ind or .gls file if it is printed"

_LABELS_DELETED = "arXiv deletes .aux files, so labels of another document are not found there"
_LABELS_GO_ALONG = "arXiv deletes .aux files; pf gate --bundle includes these labels"

_REFUSED = (
    _Refusal(re.compile(_LOADS % "psfig"), "arXiv does not support psfig; use graphicx"),
    _Refusal(
        re.compile(r"\\z?externaldocument\*?(?:\[(?P<prefix>[^\]]*)\])?(?:\[[^\]]*\])?\{"),
        _LABELS_DELETED,
    ),
    _Refusal(
        re.compile(_LOADS % "minted"),
        "minted runs a program, which arXiv does not allow; use its frozencache",
        spared=re.compile(
            r"\[[^\]]*(?:frozencache|\bdraft\b(?!\s*=\s*false))[^\]]*\]\s*\{[^{}]*minted"
        ),
    ),
    _program("pythontex", made=r"(?:^|/)pythontex-files-"),
    _program("sagetex", made=r"\.sagetex\.sout$"),
    _program("bashful"),
    _program("gnuplottex", made=r"-gnuplottex-"),
    _program("auto-pst-pdf", made=r"-pics\.pdf$", spared=r"\[\s*off\s*\]\s*\{auto-pst-pdf\}"),
    _program("dot2texi"),
    _Refusal(
        re.compile(r"\\includesvg(?![A-Za-z])"),
        "svg runs Inkscape, which arXiv does not allow; convert the figures to PDF",
    ),
    _Refusal(
        re.compile(r"\\tikzexternalize(?![A-Za-z])"),
        "arXiv does not run LaTeX again for each picture; remove \\tikzexternalize",
        spared=re.compile(r"graphics if exists|only graphics"),
        made=re.compile(r"-figure\d+\.pdf$"),
    ),
    _Refusal(
        re.compile(r"\\(?:immediate\s*)?\\?write18\b"),
        "arXiv does not run programs for a paper",
    ),
    _Refusal(
        re.compile(
            _LOADS % "luacode|luatexja|luatextra|luamplib|lua-visual-debug"
            + r"|\\(?:directlua|latelua|luaexec|luadirect)(?![A-Za-z])"
        ),
        "arXiv does not run LuaLaTeX: it accepts pdfLaTeX, XeLaTeX or LaTeX with PostScript "
        "figures",
    ),
    _Refusal(
        re.compile(r"\\makeindex(?![A-Za-z])"),
        _NO_MAKEINDEX,
        Severity.NOTE,
        made=re.compile(r"\.ind$"),
        needed=re.compile(r"\\print(?:index|indices)(?![A-Za-z])|\{[^{}]*\.ind\}"),
    ),
    _Refusal(
        re.compile(r"\\makeglossaries(?![A-Za-z])"),
        _NO_MAKEINDEX,
        Severity.NOTE,
        made=re.compile(r"\.gls$"),
        needed=re.compile(
            r"\\print(?:[a-z]{0,9}gloss|acronyms|symbols|abbreviations|index)|\.gls\b"
        ),
    ),
    _Refusal(re.compile(r"\\printnoidxglossaries(?![A-Za-z])"), _NO_MAKEINDEX, Severity.NOTE),
)


def refused(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Commands and packages that work at home but not at arXiv."""
    from pfcore.latex.lexer.mask import mask

    yield from _refused_engine(scene, check)
    counts: Counter[tuple[str, str]] = Counter()
    printed, there = _printed(scene), scene.paper.snapshot.paths
    styles = (mask(text).text for text in own_styles(scene.paper).values())
    texts = [*printed.values(), *styles]
    for item in _REFUSED:
        for path, text in printed.items():
            hidden = Spans(scene.paper.surveys[path].silent)
            for match in item.pattern.finditer(text):
                if hidden.covers(match.start()) or not item.holds(texts, there):
                    continue
                if not item.is_used(match, texts):
                    continue
                counts[path, item.words] += 1
                is_taken = item.words == _LABELS_DELETED and _is_taken_along(scene, text, match)
                yield check.finding(
                    _LABELS_GO_ALONG if is_taken else item.words,
                    subject=f"{path} {item.words} {counts[path, item.words]}",
                    module=None,
                    place=scene.at(path, match.start(), match.end()),
                    severity=Severity.NOTE if is_taken else item.severity,
                )


_ENGINE_NAMES = {
    "lualatex": "LuaLaTeX",
    "platex": "pLaTeX",
    "uplatex": "upLaTeX",
    "context": "ConTeXt",
}
"""Engines that arXiv does not run, by the names that comments give them."""


def _refused_engine(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """A comment that selects an engine which arXiv does not run."""
    from pfcore.papers.tex_engine import named_engine

    path = scene.paper.root
    named = None if scene.paper.is_markup else named_engine(scene.paper.source(path))
    engine, start, end = named or ("", 0, 0)
    if engine in _ENGINE_NAMES:
        yield check.finding(
            f"this comment makes editors run {_ENGINE_NAMES[engine]}, which arXiv does not run: "
            "compile with pdfLaTeX or XeLaTeX, and change the comment",
            subject=f"{path} {engine}",
            module=None,
            place=scene.at(path, start, end),
        )


def _is_taken_along(scene: CheckInput, text: str, match: re.Match[str]) -> bool:
    """Whether the external document whose labels are read is part of this paper."""
    name = text[match.end() : text.find("}", match.end())].strip()
    known = {posixpath.basename(target) for _, target in scene.paper.outline.prefixes}
    stems = {posixpath.splitext(item)[0] for item in known}
    return posixpath.basename(name) in known | stems


CHECKS = (
    Check(
        id="model-debris",
        severity=Severity.WARNING,
        rationale="text or marks left by a program",
        run=model_debris,
    ),
    Check(
        id="lost-reference",
        severity=Severity.WARNING,
        rationale="question marks instead of a number",
        run=lost_references,
    ),
    Check(
        id="broken-character",
        severity=Severity.WARNING,
        rationale="misread or invisible character",
        run=broken_text,
    ),
)
"""Part of every review."""

BEFORE_AN_UPLOAD = (
    Check(
        id="placeholder",
        severity=Severity.WARNING,
        rationale="unfilled placeholder",
        run=placeholders,
    ),
    Check(
        id="draft-mark",
        severity=Severity.WARNING,
        rationale="labels or notes shown in margins",
        run=draft_marks,
    ),
    Check(
        id="undefined-citation",
        severity=Severity.WARNING,
        rationale="citation that no bibliography lists",
        run=undefined_citations,
    ),
    Check(
        id="missing-bibliography",
        severity=Severity.WARNING,
        rationale="missing bibliography",
        run=missing_bibliographies,
    ),
    Check(
        id="stale-bibliography",
        severity=Severity.WARNING,
        rationale=".bbl older than its .bib",
        run=stale_bibliographies,
    ),
    Check(
        id="broken-entry",
        severity=Severity.WARNING,
        rationale="entry without author or title",
        run=broken_entries,
    ),
    Check(
        id="missing-figure",
        severity=Severity.WARNING,
        rationale="missing figure",
        run=figure_files.missing_figures,
    ),
    Check(
        id="missing-source",
        severity=Severity.WARNING,
        rationale="missing file that the preamble loads",
        run=missing_sources,
    ),
    Check(
        id="moving-date",
        severity=Severity.NOTE,
        rationale="date that changes with each compilation",
        run=moving_dates,
    ),
    *DOUBLED_WORDS,
    Check(
        id="refused-by-arxiv",
        severity=Severity.WARNING,
        rationale="something arXiv does not accept",
        run=refused,
    ),
    *figure_files.CHECKS,
)
"""Checks that any draft may fail."""

UNCITED, NO_BIBLIOGRAPHY = "undefined-citation", "missing-bibliography"
"""The ids of the checks for a citation without an entry, and for the reason."""
RULES = frozenset(check.id for check in (*CHECKS, *BEFORE_AN_UPLOAD))
