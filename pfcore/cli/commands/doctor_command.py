"""`pf doctor`: is the set-up sound, and is the model that the user named of any use?"""

import argparse
import asyncio
import time
from collections.abc import Callable

import prompts
from pfcore.cli.commands.examination import Examination, cost, long_request
from pfcore.cli.commands.plugged import plugged
from pfcore.cli.commands.probing import choice_probes, probes
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.opening import open_client
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.setup_report import Probe, Word, probes_text, status, summary
from pfcore.reporters.style import Style
from pfcore.review.settled import contract_of
from pfcore.verification.estimate import CostEstimate
from pfcore.verification.prompt import ActionFactory

Show = Callable[[str], None]


def doctor(arguments: argparse.Namespace, style: Style, show: Show) -> int:
    """Look at the set-up, then ask the model, if one is named and nothing is in the way.

    2 where the set-up is wrong, 3 where the model cannot be reached or its replies give no verdict.
    """
    found = probes() + plugged()
    show(probes_text(found, style))
    choice, of_choice = choice_probes(arguments)
    show(probes_text(of_choice, style))
    found += of_choice
    if choice is not None and not any(item.word is Word.WRONG for item in of_choice):
        asking = ActionFactory(
            contract=contract_of(choice, PaperSettings.default(), ""), prompt=prompts.prompt
        )
        show(style.finish([_announced(choice, asking, is_long=arguments.window)]))
        examined = asyncio.run(_examined(choice, asking, is_long=arguments.window))
        show(probes_text(examined, style))
        found += examined
    show(summary(found, style))
    return status(found)


def _announced(choice: ModelChoice, asking: ActionFactory, *, is_long: bool) -> str:
    extra = [long_request(asking, choice.connection.window)] if is_long else []
    most = cost(asking, choice.price, extra=extra)
    what = "two small proofs that come with pf" + (" and a long text" if is_long else "")
    host = safe(choice.connection.host)
    return f"Asking {safe(choice.model)} at {host} about {what}: {_price_in_words(most)}"


def _price_in_words(most: CostEstimate) -> str:
    tokens = f"{most.input:,} tokens in and {most.output:,} out"
    calls = f"at most {plural(most.calls, 'call')}, {tokens}"
    if most.dollars is None:
        return f"{calls}; its price is not known."
    if most.dollars == 0:
        return f"{calls}; it costs nothing but time."
    return f"{calls}, ${most.dollars:.2f}."


async def _examined(choice: ModelChoice, asking: ActionFactory, *, is_long: bool) -> list[Probe]:
    async with open_client(choice.connection, in_flight=1) as client:
        examination = Examination(
            client=client,
            asking=asking,
            clock=time.monotonic,
            window=choice.connection.window,
            is_long=is_long,
        )
        return await examination.probes()
