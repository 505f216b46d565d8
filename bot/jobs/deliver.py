"""Incoming deliveries, pushed to us or fetched: they are stored, and turned into tasks."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Full, Queue
from threading import Thread

from bot.app_settings import AppSettings
from bot.domain import webhooks
from bot.domain.deliveries import Deliveries, Delivery, DeliveryError
from bot.domain.events import Event, Ignored, InstallationChanged, RefusedDelivery
from bot.domain.forge import BusyError, GoneError, Hub, Missed, TooManyError
from bot.domain.job import task
from bot.domain.worker_context import Tasks
from pfcore.domain.errors import IncompleteError

_log = logging.getLogger(__name__)
KEPT_BY_GITHUB = 3 * 24 * 3600.0
"""For how many seconds GitHub keeps its deliveries."""
_MOST = 10_000
"""How many deliveries the web side holds in memory; others wait in the database."""


def is_served(event: Event, settings: AppSettings) -> bool:
    """Whether the account may use the App; changes of installations always count."""
    if isinstance(event, InstallationChanged):
        return True
    return settings.serves(event.place.account)


def delivery(event: Event, *, guid: str, name: str, body: bytes, now: float) -> Delivery:
    """The delivery to store for an event; `name` is GitHub's name of its kind."""
    if isinstance(event, InstallationChanged):
        installation, repository = event.installation, None
    else:
        installation, repository = event.place.installation, event.place.repository_id
    return Delivery(
        guid=guid,
        event=name,
        installation=installation,
        repository=repository,
        received=now,
        body=body,
    )


Hand = Callable[[Delivery, Event], None]
"""Hands a delivery on, now or soon; raises DeliveryError on failure."""


def handing(tasks: Tasks, deliveries: Deliveries, settings: AppSettings) -> Hand:
    """A function that hands deliveries on to the workers and marks them."""

    def hand_on(kept: Delivery, event: Event) -> None:
        found = task(event, guid=kept.guid, received=kept.received, app=settings.app_id)
        if found is not None:
            tasks.put(found)
        deliveries.mark_queued(kept.guid)

    return hand_on


@contextmanager
def soon(hand_on: Hand) -> Iterator[Hand]:
    """Hand deliveries on in another thread, so that they are acknowledged at once.

    What a crash or an error leaves is in the database, and is handed on by the upkeep.
    """
    waiting: Queue[tuple[Delivery, Event] | None] = Queue(_MOST)

    def work() -> None:
        while (item := waiting.get()) is not None:
            try:
                hand_on(*item)
            except DeliveryError as error:
                _log.warning("a delivery is waiting", extra={"error": type(error).__name__})

    def put(kept: Delivery, event: Event) -> None:
        with suppress(Full):
            waiting.put_nowait((kept, event))

    thread = Thread(target=work, name="handing on", daemon=True)
    thread.start()
    try:
        yield put
    finally:
        waiting.put(None)
        thread.join(timeout=5)


class Intake:
    """Handles deliveries that did not reach us, or were stored and never handed on."""

    def __init__(
        self,
        settings: AppSettings,
        *,
        hub: Hub,
        deliveries: Deliveries,
        tasks: Tasks,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._hub, self._deliveries = settings, hub, deliveries
        self._hand_on, self._clock = handing(tasks, deliveries, settings), clock
        self._seen: set[str] = set()
        self._left: dict[str, Missed] = {}

    def hand_on(self, before: float) -> int:
        """Hand on the waiting deliveries stored before a moment; how many."""
        waiting = self._deliveries.waiting(before)
        for kept in waiting:
            event = webhooks.parse_event(kept.event, kept.body, self._settings.slug)
            if isinstance(event, Ignored | RefusedDelivery):
                self._deliveries.mark_queued(kept.guid)
            else:
                self._hand_on(kept, event)
        return len(waiting)

    def fetch(self, since: float) -> int:
        """Fetch the deliveries of GitHub since a moment that did not reach us; how many.

        Uninteresting ones are fetched only once. One that cannot be fetched does not stop the
        others, and is requested again each time as long as GitHub has it.
        """
        known = self._deliveries.since(since) | self._seen
        listed = self._listed(since)
        self._seen &= listed.keys()
        oldest = self._clock() - KEPT_BY_GITHUB
        left = {guid: item for guid, item in self._left.items() if item.delivered >= oldest}
        self._left, taken, said = left, 0, ""
        for item in reversed({**listed, **left}.values()):
            if item.guid in known:
                continue
            try:
                taken += self._take(item)
            except BusyError:
                raise
            except IncompleteError as error:
                self._left[item.guid], said = item, type(error).__name__
            else:
                self._left.pop(item.guid, None)
                self._seen.add(item.guid)
        if said:
            found = {"count": len(self._left), "error": said}
            _log.warning("deliveries cannot be read; they will be requested again", extra=found)
        return taken

    def _listed(self, since: float) -> dict[str, Missed]:
        """The deliveries since a moment, the newest first, each with its first attempt.

        If there are too many, the oldest are left out, or the list would stay too long forever.
        """
        listed = dict[str, Missed]()
        try:
            for item in self._hub.deliveries(since):
                listed[item.guid] = item
        except TooManyError:
            _log.warning("older deliveries are skipped", extra={"count": len(listed)})
        return listed

    def _take(self, item: Missed) -> bool:
        if not webhooks.is_of_interest(item.event):
            return False
        try:
            body = self._hub.delivery(item)
        except GoneError:
            _log.warning("a delivery was deleted on GitHub", extra={"what": item.guid})
            return False
        event = webhooks.parse_event(item.event, body, self._settings.slug)
        if isinstance(event, Ignored | RefusedDelivery) or not is_served(event, self._settings):
            return False
        kept = delivery(event, guid=item.guid, name=item.event, body=body, now=self._clock())
        if self._deliveries.keep(kept):
            self._hand_on(kept, event)
        return True
