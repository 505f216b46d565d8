"""The App with all of its real parts but the queue, which works when a test says so."""

from contextlib import asynccontextmanager
from dataclasses import replace

from bot.app_settings import AppSettings
from bot.domain import job as jobs
from bot.domain.worker_context import WorkerContext
from bot.github.github_app import GitHubHub, Manner
from bot.jobs.deliver import Intake, handing
from bot.jobs.dispatch import dispatch
from bot.reviewing.git_cache import Repositories
from bot.reviewing.repository_data import Rooms
from bot.reviewing.reviewer import PaperReviewer
from bot.storage.records import open_records
from bot.storage.sql_deliveries import SqlDeliveries
from bot.web.app import create_app
from pfcore.llm.model_settings import choose
from tests.bot.fakes import Clock, MemoryDurable, MemoryTasks, anything

MANNER = Manner(between=0.0, longest=0.0)


class Shop:
    """Takes what a GitHub sends and does what there is to do, when it is told to."""

    def __init__(self, github, folder, llm=None, **settings):
        self.github, self.llm, self.clock, self.ahead = github, llm, Clock(), 0.0
        github.clock = lambda: self.clock() - self.ahead
        values = {
            "app_id": github.app,
            "private_key": folder / "key.pem",
            "webhook_secret": github.secret,
            "accounts": frozenset("*"),
            "api_url": github.url,
            "database_url": f"sqlite:///{folder / 'app.sqlite'}",
            "data": folder,
        }
        self.settings = AppSettings(**(values | settings))
        self.records = open_records(self.settings.database_url, self.clock)
        self.deliveries = SqlDeliveries(f"sqlite:///{folder / 'deliveries.sqlite'}")
        self.tasks = MemoryTasks()
        self.durables: dict[str, MemoryDurable] = {}
        self.asleep = self.sleep
        self.means = WorkerContext(
            settings=self.settings,
            hub=hub_of(github),
            records=self.records,
            deliveries=self.deliveries,
            reviewer=reviewer_of(folder, llm),
            tasks=anything(self.tasks),
            clock=self.clock,
            patience=(1.0, 2.0, 4.0),
            lag=1.0,
        )
        app = create_app(
            self.settings,
            deliveries=self.deliveries,
            enqueue=handing(self.means.tasks, self.deliveries, self.settings),
            clock=self.clock,
        )
        self._client = app.test_client()
        self._read = 0
        self.intake = Intake(
            self.settings,
            hub=self.means.hub,
            deliveries=self.deliveries,
            tasks=self.means.tasks,
            clock=self.clock,
        )

    def receive(self, *sent):
        """Take deliveries, all that are new if none is named; the statuses."""
        news = sent or self.github.sent[self._read :]
        self._read = len(self.github.sent)
        return [
            self._client.post("/webhook", data=item.body, headers=item.headers).status_code
            for item in news
        ]

    def work(self):
        """Take what is new, and do what waits until nothing does; the sentences."""
        self.receive()
        notes = []
        while self.tasks.tasks:
            task = self.tasks.tasks.pop(0)
            durable = self.durables.setdefault(task.id, MemoryDurable(task.id, asleep=self.asleep))
            durable.again()
            notes.append(dispatch(jobs.read_job(jobs.job_text(task.job)), durable, self.means))
        return notes

    def sleep(self, seconds):
        """Let time pass, here and at GitHub."""
        self.clock.now += seconds

    def replace(self, **means):
        """Go on with other means."""
        self.means = replace(self.means, **means)

    def close(self):
        """Let go of all."""
        self.records.close()
        self.deliveries.close()


def hub_of(github):
    """A fake GitHub, as the App knows it; nobody waits."""
    return GitHubHub(
        github.url,
        github.server_url,
        github.app,
        github.private_key,
        manner=MANNER,
        clock=github.clock,
        sleep=lambda seconds: None,
    )


def reviewer_of(folder, llm=None, model="m"):
    """Who reviews, with a model that is scripted or with none."""

    @asynccontextmanager
    async def who(_):
        yield llm

    choice = choose(model, {"PF_BASE_URL": "http://127.0.0.1:9/v1"}) if llm else None
    repositories = Repositories(folder / "repositories", is_local=True)
    rooms = Rooms(folder / "rooms", None, lambda: 1.0)
    return PaperReviewer(repositories, rooms, choice, who=who, is_simulated=True)


def checks(repo, head):
    """The conclusions of a commit's checks, by their names."""
    return {run.name: run.conclusion for run in repo.runs if run.head == head}
