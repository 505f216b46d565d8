"""From the verdicts of some rollouts to one entry: what a ledger keeps and findings come from."""

from collections.abc import Mapping

from pfcore.domain.digest import text_digest
from pfcore.domain.findings import finding_id
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, Recorded
from pfcore.verification.contract import Judging
from pfcore.verification.rollouts import Cluster, Vote, ballot, clusters, everywhere
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread, Verdict


def entry(
    task: ContextTask,
    verdicts: Mapping[int, Verdict],
    judging: Judging,
    *,
    contract: str,
    generation: int = 0,
) -> LedgerEntry | Unread:
    """What the readings of one module come to; Unread where a reading is missing and none objects.

    All objections are kept, whatever votes they have, so that other settings can judge anew.
    """
    found = ballot(verdicts, task.text, judging)
    if found.unread and not found.is_flagged:
        return Unread(reason="; ".join(found.unread))
    count = sum(1 for verdict in verdicts.values() if not isinstance(verdict, Unread))
    places = clusters(verdicts, task.text)
    return LedgerEntry(
        context=task.context,
        contract=contract,
        verdict=LedgerVerdict.FLAGGED if found.is_flagged else LedgerVerdict.ACCEPTED,
        rollouts=count,
        findings=tuple(_recorded(item, task, count) for item in places),
        generation=generation,
        objecting=everywhere(places),
    )


def _recorded(cluster: Cluster, task: ContextTask, count: int) -> Recorded:
    chosen = cluster.representative
    name = _id(chosen, task)
    return Recorded(
        id=name,
        rule=chosen.objection.rule,
        severity=cluster.severity,
        message=chosen.objection.objection,
        quote=_quote(chosen, task),
        votes=cluster.count,
        rollouts=count,
        aliases=frozenset(_id(vote, task) for vote in cluster.votes) - {name},
        weights=cluster.weights,
        reason=chosen.objection.reason,
    )


def _id(vote: Vote, task: ContextTask) -> str:
    """From the class, the quote and the statement: neither labels nor places enter it."""
    subject = f"{text_digest(task.statement)} {_quote(vote, task)}"
    return finding_id(vote.objection.rule, subject, None)


def _quote(vote: Vote, task: ContextTask) -> str:
    """The words of the text; "" where the quote stands nowhere: the whole module is meant."""
    return task.text[vote.place.start : vote.place.end] if vote.place else ""
