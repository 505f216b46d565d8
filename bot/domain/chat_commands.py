"""What people say to the App in comments: `/pf …` at the start of a line, and who may say what.

`@NAME …` is the same where the App has this name on GitHub.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pfcore.reporters.printing import safe, shortened

_MOST = 10
"""Commands of one comment that count; nobody needs more."""
_LONGEST = 500
"""Characters of a reason that are kept."""

_LINE = re.compile(
    r"(?:/pf|@(?P<name>[A-Za-z0-9-]+)(?:\[bot\])?[,:]?)"
    r"(?:[ \t]+(?P<verb>\S+)(?:[ \t]+(?P<rest>.*))?)?[ \t]*"
)
_ID = re.compile(r"[a-z2-7]{8}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<after>.*)")
_QUOTE = re.compile(r" {0,3}>")
_HIDING = re.compile(r"<!--|<(?P<tag>pre|code|blockquote)\b", re.IGNORECASE)
"""What begins something that is not said: a hidden comment, or HTML for code and quotes."""
_SLACK = 3
"""Blanks before a fence that is one; four make it a line of code."""


class Verb(StrEnum):
    """What may be asked for."""

    CHECK = "check"
    RECHECK = "recheck"
    EXPLAIN = "explain"
    DISMISS = "dismiss"
    GRAPH = "graph"
    PAUSE = "pause"
    RESUME = "resume"
    HELP = "help"


class Permission(StrEnum):
    """What a person may do in a repository, as its collaborators' interface says."""

    ADMIN = "admin"
    MAINTAIN = "maintain"
    WRITE = "write"
    TRIAGE = "triage"
    READ = "read"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that is asked for; `finding` is an id, `reason` is there for a dismissal only.

    `commit` is how a check names the head that is meant, whole or by its first seven signs or more.
    """

    verb: Verb
    finding: str | None = None
    reason: str = ""
    commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Misread:
    """A line that speaks to the App and that it does not understand; the sentence says why."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAuthor:
    """Who asks: permission (None where it is not known), and how GitHub relates them to the place.

    `association` is as in webhooks: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR and others.
    """

    permission: Permission | None
    association: str
    is_author: bool = False
    is_bot: bool = False


_NAMES_FINDING = frozenset((Verb.RECHECK, Verb.EXPLAIN, Verb.DISMISS))
FREE = frozenset((Verb.EXPLAIN, Verb.GRAPH, Verb.HELP))
"""What costs nothing and changes nothing."""
MAY_WRITE = frozenset((Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE))
_KNOWN_HERE = frozenset(("OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"))


def parse_commands(body: str, me: str = "") -> tuple[Command | Misread, ...]:
    """The commands of a comment, in order, each once; none in quotes, code and hidden comments.

    `me` is the name that the App is mentioned by, "" where it is not known.
    """
    lines = (match for match in map(_LINE.fullmatch, _spoken(body)) if match)
    found = (_command(line) for line in lines if line["name"] is None or _is_me(line["name"], me))
    return tuple(dict.fromkeys(found))[:_MOST]


def may(verb: Verb, standing: CommandAuthor) -> bool:
    """Whether someone may ask for something.

    What costs money or changes what is shown needs the right to write. An association does not
    tell it, save for the owner: a member or a collaborator may have the right to read only.
    """
    if standing.is_bot:
        return False
    if standing.permission in MAY_WRITE:
        return True
    if standing.permission is None and standing.association == "OWNER":
        return True
    is_known = standing.is_author or standing.association in _KNOWN_HERE
    return verb in FREE and (is_known or standing.permission is Permission.TRIAGE)


def is_outside(standing: CommandAuthor) -> bool:
    """Whether someone has no part in a repository, save perhaps a pull request."""
    has_part = standing.permission in MAY_WRITE or standing.permission is Permission.TRIAGE
    return not has_part and standing.association not in _KNOWN_HERE


def _is_me(name: str, me: str) -> bool:
    return name.lower() == me.lower()


def _command(match: re.Match[str]) -> Command | Misread:
    said, rest = (match["verb"] or Verb.HELP).lower(), (match["rest"] or "").strip()
    if said not in set(Verb):
        return Misread(sentence=f"unknown command “{_shown(said)}”")
    verb = Verb(said)
    name, _, reason = rest.partition(" ")
    if verb is Verb.CHECK and _COMMIT.fullmatch(name.lower()):
        return Command(verb=verb, commit=name.lower())
    if verb not in _NAMES_FINDING:
        return Command(verb=verb)
    if not _ID.fullmatch(name.lower()):
        return Misread(sentence=f"“{verb}” needs the id of a finding (8 letters and digits)")
    if verb is not Verb.DISMISS:
        return Command(verb=verb, finding=name.lower())
    reason = shortened(safe(reason), _LONGEST)
    if not reason:
        return Misread(sentence="a dismissal needs a reason, on the same line")
    return Command(verb=verb, finding=name.lower(), reason=reason)


def _shown(word: str) -> str:
    return shortened(safe(word), 30)


def _spoken(body: str) -> Iterator[str]:
    """The lines that a person says here.

    A line right under a quoted one still belongs to the quote, as in Markdown; what is doubtful
    is left out: a command that is missed can be said again.
    """
    fence: re.Match[str] | None = None
    is_quoted, hidden = False, ""
    for line in re.split(r"\r\n?|\n", body):
        if hidden:
            hidden = "" if hidden in line.lower() else hidden
            continue
        mark = _FENCE.fullmatch(line)
        if fence is not None:
            fence = None if mark and _ends(fence, mark) else fence
            continue
        is_quoted = bool(_QUOTE.match(line)) or (is_quoted and bool(line.strip()))
        hidden = _left_open(line)
        if mark:
            fence = mark
        elif not is_quoted:
            yield line


def _ends(fence: re.Match[str], mark: re.Match[str]) -> bool:
    """Whether a line ends a fence; in a list both may stand further to the right."""
    return (
        mark["fence"].startswith(fence["fence"])
        and not mark["after"].strip()
        and len(mark["indent"].expandtabs(4)) <= max(_SLACK, len(fence["indent"].expandtabs(4)))
    )


def _left_open(line: str) -> str:
    """What ends the hidden part that a line begins and does not end; "" if there is none."""
    for begin in _HIDING.finditer(line):
        end = f"</{begin['tag'].lower()}>" if begin["tag"] else "-->"
        if end not in line[begin.end() :].lower():
            return end
    return ""
