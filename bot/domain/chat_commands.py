"""The commands that people give the App in comments, `/pf …` at the start of a line, and who may.

`@NAME …` means the same, where NAME is the App's name on GitHub.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pfcore.reporters.printing import safe, shortened

_MOST = 10
"""The maximal number of commands that are read from a comment."""
_LONGEST = 500
"""The maximal length of a reason in characters."""

_LINE = re.compile(
    r"(?:/pf|@(?P<name>[A-Za-z0-9-]+)(?:\[bot\])?[,:]?)"
    r"(?:[ \t]+(?P<verb>\S+)(?:[ \t]+(?P<rest>.*))?)?[ \t]*"
)
_ID = re.compile(r"[a-z2-7]{8}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<after>.*)")
_QUOTE = re.compile(r" {0,3}>")
_HIDING = re.compile(r"<!--|<(?P<tag>pre|code|blockquote)\b", re.IGNORECASE)
"""The start of text that is not read for commands: hidden comments, HTML for code and quotes."""
_SLACK = 3
"""The most spaces before a fence; four spaces would make the line a code block."""


class Verb(StrEnum):
    """The commands of the App."""

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
    """A command; `finding` is an id, and only dismissals have a `reason`.

    `commit` is the head to read, as checks name it: the whole hash, or at least seven digits.
    """

    verb: Verb
    finding: str | None = None
    reason: str = ""
    commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Misread:
    """A line that addresses the App but is not a valid command; the sentence says why."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAuthor:
    """Who gives a command: the permission (None: unknown), and the relation to the repository.

    `association` is as in webhooks: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR and others.
    """

    permission: Permission | None
    association: str
    is_author: bool = False
    is_bot: bool = False


_NAMES_FINDING = frozenset((Verb.RECHECK, Verb.EXPLAIN, Verb.DISMISS))
FREE = frozenset((Verb.EXPLAIN, Verb.GRAPH, Verb.HELP))
"""Commands that cost nothing and change nothing."""
MAY_WRITE = frozenset((Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE))
_KNOWN_HERE = frozenset(("OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"))


def parse_commands(body: str, me: str = "") -> tuple[Command | Misread, ...]:
    """The commands of a comment, in order, without duplicates, quotes, code and hidden comments.

    `me` is the name by which people mention the App, "" if unknown.
    """
    lines = (match for match in map(_LINE.fullmatch, _spoken(body)) if match)
    found = (_command(line) for line in lines if line["name"] is None or _is_me(line["name"], me))
    return tuple(dict.fromkeys(found))[:_MOST]


def may(verb: Verb, standing: CommandAuthor) -> bool:
    """Whether someone may give a command.

    Commands that cost money or change what is shown need write access. Only the association OWNER
    implies it: a member or a collaborator may have read access only.
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
    """Whether someone is an outsider to a repository, even if the author of a pull request."""
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
    """The lines of a comment that are outside of quotes, code and hidden parts.

    A line right under a quoted one still belongs to the quote, as in Markdown. Doubtful lines are
    left out, because a command that was missed can be repeated.
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
    """Whether a line closes a fence; both may be indented further in a list."""
    return (
        mark["fence"].startswith(fence["fence"])
        and not mark["after"].strip()
        and len(mark["indent"].expandtabs(4)) <= max(_SLACK, len(fence["indent"].expandtabs(4)))
    )


def _left_open(line: str) -> str:
    """The end mark of a hidden part that a line opens but does not close; "" if there is none."""
    for begin in _HIDING.finditer(line):
        end = f"</{begin['tag'].lower()}>" if begin["tag"] else "-->"
        if end not in line[begin.end() :].lower():
            return end
    return ""
