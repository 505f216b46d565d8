"""Papers to be reviewed, and readers who say what they are told to."""

from bot.domain.comment import Diff
from bot.reviewing.pull_review import ReviewSubject
from pfcore.testing import ScriptedLlm
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
    return ReviewSubject(base=base, head=head, trusted=trusted or base, **more)
