"""Papers to be reviewed, and readers who say what they are told to."""

from bot.domain.comment import Diff
from bot.domain.run_records import DismissalRecord
from bot.domain.worker_context import ReviewSubject
from pfcore.testing import ScriptedLlm
from tests.bot.fakes import PLACE
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine

ALL = Diff({"main.tex": ((1, 99),)})
A = LEMMA % ("a", "Every A is positive", "Clear.")
WEAK = LEMMA % ("a", "Most A are positive", "Clear.")
B = LEMMA % ("b", "B", r"By \ref{a} and symmetry.")
DANGLING = LEMMA % ("b", "B", r"By \ref{gone}.")
OBJECTION = "Result 1 does not say so."


def objecting(quote, objection="It may be 0."):
    """A reader who objects to these words wherever they stand."""

    def say(request):
        if quote not in request.text:
            return ACCEPT
        is_audit = "F1\nquote:" in request.text
        return genuine(quote, objection) if is_audit else flag(quote)

    return ScriptedLlm(say)


def subject(base, head, trusted=None, **more):
    """A change between two commits, under the settings of the first one."""
    values = {"place": PLACE, "number": 7, "base": base, "head": head, "trusted": trusted or base}
    return ReviewSubject(**(values | more))


def asking(finding, reason, who="ada"):
    """A dismissal as somebody asks for it."""
    return DismissalRecord(place=PLACE, number=7, finding=finding, reason=reason, who=who, when=1.0)
