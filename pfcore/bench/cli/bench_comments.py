"""Asks a model what authors' comments say was corrected: the price, the calls, the classes."""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import prompts
from pfcore.bench.runs import comments
from pfcore.bench.runs.comments import Classified, classified
from pfcore.bench.runs.filters import ArxivEntry
from pfcore.cli.ask_model import carried_out, engines
from pfcore.cli.budgets import budget, run_cap
from pfcore.cli.commands.check_command import Limit, agree
from pfcore.cli.local_data import asker
from pfcore.cli.pricing import price_words
from pfcore.cli.progress import Progress
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.costs import most
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.budget import Budget
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.opening import require_key
from pfcore.llm.protocol import TokenUsage
from pfcore.llm.store.kept import FallbackReplyStore
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style
from pfcore.review.known_verdicts import Memo
from pfcore.review.settled import contract_of
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.verify import ModuleVerifier, Unread

_USUAL_OUTPUT = 150
"""Output tokens of one classification, about; a guess."""

Classes = Mapping[str, Classified | Unread]
"""What was made of comments, by the ids of their papers."""


@dataclass(frozen=True, kw_only=True)
class _ClassificationPrice:
    """What classifying some comments takes."""

    questions: int
    choice: ModelChoice
    most: CostEstimate
    about: CostEstimate

    @property
    def likely_dollars(self) -> float | None:
        """With replies of a guessed length."""
        return self.about.dollars

    def sentence(self) -> str:
        """For whoever is asked whether to go on."""
        where = f"{safe(self.choice.model)} at {safe(self.choice.connection.host)}"
        go = "goes" if self.questions == 1 else "go"
        words = price_words(self.most, self.about).replace(" by the averages of the paper", "")
        return f"{plural(self.questions, 'comment')} {go} to {where}: {words}"


class CommentClassifier:
    """Asks what comments mean, once it is said what that costs."""

    def __init__(
        self, arguments: argparse.Namespace, choice: ModelChoice, style: Style, store: ReplyStore
    ) -> None:
        self._arguments = arguments
        self._choice = choice
        self._style = style
        self._store = store
        prompt, versions = asker(arguments, prompts.COLLECTING)
        contract = contract_of(choice, PaperSettings.default(), "", versions)
        self._asking = ActionFactory(contract=contract, prompt=prompt)

    def classes(self, listed: Sequence[ArxivEntry]) -> Classes:
        """What is made of each comment; replies are kept, so that none is asked for twice."""
        kept = FallbackReplyStore(self._store)
        known = ModuleVerifier(run=Memo(kept).run, asking=self._asking)
        actions = {entry.id: self._action(entry) for entry in listed}
        fresh = [entry for entry in listed if kept.get(actions[entry.id].key()) is None]
        if fresh:
            require_key(self._choice.connection)
            spend = self._agreed([actions[entry.id] for entry in fresh])
            progress = Progress(total=len(fresh), style=self._style, noun="comment", is_shown=False)
            return carried_out(self._ask(listed, spend, kept, progress), progress)
        return asyncio.run(self._all(listed, known))

    def _action(self, entry: ArxivEntry) -> Action:
        return self._asking.action(comments.STAGE, [("The comment", entry.comment)], rollout=1)

    def _agreed(self, actions: Sequence[Action]) -> Budget:
        settings = PaperSettings.default()
        cap = run_cap(self._arguments.budget, self._choice, settings, "")
        spend = budget(cap, self._choice, settings, self._store, time.time())
        price = self._price(actions)
        limit = Limit(settings.reading.ask_above, inf if spend.dollars is None else spend.dollars)
        plan = partial(self._style.finish, [price.sentence()])
        agree(self._arguments, limit, price, self._style, plan)
        return spend

    def _price(self, actions: Sequence[Action]) -> _ClassificationPrice:
        bound = sum((most(action.request) for action in actions), TokenUsage())
        about = TokenUsage(input=bound.input, output=_USUAL_OUTPUT * len(actions))
        price = self._choice.price
        both = [
            CostEstimate(
                calls=times * len(actions),
                input=times * usage.input,
                output=times * usage.output,
                dollars=None if price is None else times * price.of(usage),
            )
            for times, usage in ((2, bound), (1, about))
        ]
        return _ClassificationPrice(
            questions=len(actions), choice=self._choice, most=both[0], about=both[1]
        )

    async def _ask(
        self,
        listed: Sequence[ArxivEntry],
        spend: Budget,
        kept: FallbackReplyStore,
        progress: Progress,
    ) -> Classes:
        async with engines(self._choice, kept, progress) as engine:
            own = engine(spend)
            try:
                return await self._all(listed, ModuleVerifier(run=own.run, asking=self._asking))
            finally:
                await own.finish()

    async def _all(self, listed: Sequence[ArxivEntry], reading: ModuleVerifier) -> Classes:
        found = await asyncio.gather(*(classified(reading, entry.comment) for entry in listed))
        return {entry.id: item for entry, item in zip(listed, found, strict=True)}
