"""A run while it goes on: what is kept of it, and where it speaks."""

from collections.abc import Callable
from dataclasses import replace

from bot.addresses import run_path
from bot.events import Place
from bot.forge import Check, Forge
from bot.runs import Run, State
from bot.told import Reach, Told
from bot.work.means import Means, Subject
from bot.work.money import Money
from bot.work.steps import EndError


class Running:
    """One run; `key` is what its checks have in common with those of other runs of the same."""

    def __init__(self, means: Means, place: Place, *, id_: str, key: str) -> None:
        self.id = id_
        self._means, self._place, self._key = means, place, key
        public = means.settings.public_url
        self._details = public and f"{public}{run_path(id_)}"

    def begin(
        self,
        *,
        head: str,
        reason: str,
        base: str = "",
        number: int | None = None,
        branch: str | None = None,
        is_default: bool = False,
    ) -> None:
        """Keep the run, if it is a new one."""
        place, now = self._place, self._means.clock()
        run = Run(
            id=self.id,
            installation=place.installation,
            repository_id=place.repository_id,
            repository=place.repository,
            number=number,
            branch=branch,
            is_default=is_default,
            head=head,
            base=base,
            reason=reason,
            state=State.RUNNING,
            created=now,
            started=now,
        )
        self._means.records.runs.begin(run)

    def log(self, line: str) -> None:
        """Add a line to the run's log."""
        self._means.records.runs.log(self.id, line)

    def known(self) -> Run:
        """What is kept of the run; EndError where it was erased."""
        run = self._means.records.runs.get(self.id)
        if run is None:
            raise EndError("what was found was erased meanwhile", State.SKIPPED)
        return run

    def told(self, reach: Reach) -> Told[str]:
        """What was found, to be told."""
        run = self.known()
        if run.structure is None:
            raise EndError("what was found is gone", State.FAILED)
        return Told(
            structure=run.structure,
            proofs=run.proofs,
            reach=reach,
            key=self._key,
            details=self._details,
        )

    def read(self, subject: Subject, is_wanted: Callable[[], bool]) -> str:
        """What a reader says; what it uses is written down in any case."""
        money = Money(self._means, self.known(), is_wanted)
        try:
            return self._means.reviewer.proofs(subject, self.forge().origin(), money.terms())
        finally:
            money.keep()

    def tell_checks(self, reach: Reach) -> None:
        """Say the checks; there is one of a name for each commit and key, whatever run says it."""
        forge = self.forge()
        for check in self._means.reviewer.checks(self.told(reach)):
            forge.conclude(check)

    def tell_comments(self, number: int, head: str, reach: Reach) -> None:
        """Say what is to be said on a pull request, and mend what was said before."""
        forge, told = self.forge(), self.told(reach)
        forge.change(number, head, self._means.reviewer.changes(told, forge.comments(number)))

    def conclude(self, check: Check) -> None:
        """Say a check in a few words of its own."""
        self.forge().conclude(replace(check, key=self._key, details=self._details))

    def end(self, note: str, state: State) -> None:
        """Keep what came of it."""
        self._means.records.runs.change(self.id, state=state, note=note, ended=self._means.clock())

    def forge(self) -> Forge:
        """The repository."""
        return self._means.hub.forge(self._place.installation, self._place.repository)
