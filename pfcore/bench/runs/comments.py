"""What a model makes of a comment: which kind of correction, and of what."""

from dataclasses import dataclass
from enum import StrEnum

from pfcore.verification.quotes import find_quote
from pfcore.verification.reply_parsing import Malformed, last_json, tagged
from pfcore.verification.verify import ModuleVerifier, Unread

STAGE = "classify-comment"
_MOST = 20


class Correction(StrEnum):
    """What a new version corrects (stage 2 of the paper's collection)."""

    MAJOR = "major"
    MINOR = "minor"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """A comment's correction, and the results that were wrong, in the comment's words."""

    correction: Correction
    places: tuple[str, ...] = ()


async def classified(reading: ModuleVerifier, comment: str) -> Classified | Unread:
    """The class of one comment; a failure is no class."""
    return await reading.asked(
        STAGE, [("The comment", comment)], 1, lambda it: parse_comment_class(it, comment)
    )


def parse_comment_class(text: str, comment: str) -> Classified | Malformed:
    """The class of a reply; places that the comment does not name are left out."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    word = choice.get("correction")
    if not isinstance(word, str) or word not in list(Correction):
        return Malformed(reason="the JSON block has no correction: major, minor or none")
    listed = [
        " ".join(place.body.split())
        for whole in tagged(text, "places")
        for place in tagged(whole.body, "place")
    ]
    places = (place for place in listed if find_quote(place, comment) is not None)
    return Classified(correction=Correction(word), places=tuple(dict.fromkeys(places))[:_MOST])
