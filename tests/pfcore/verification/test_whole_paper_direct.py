"""The direct question about a paper: a list of errors, each with its place."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import prompts
from pfcore.llm.protocol import Endpoint
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.reply_parsing import Malformed
from pfcore.verification.verify import ModuleVerifier
from pfcore.verification.whole_paper import (
    MOST_ERRORS,
    TIMES,
    Listed,
    ReportedError,
    document,
    parse_reported_errors,
    read_directly,
    sighted,
)

ONE = (
    "<errors>\n<error><location>Lemma 4.3</location><description>$\\frac{1}{2}$ is no integer."
    "</description></error>\n</errors>"
)


def block(count: object) -> str:
    return f'```json\n{{"errors": {count}}}\n```'


def test_errors_come_with_their_places() -> None:
    assert parse_reported_errors(f"{ONE}\n{block(1)}") == Listed(
        errors=(ReportedError(location="Lemma 4.3", words="$\\frac{1}{2}$ is no integer."),)
    )
    assert parse_reported_errors(f"<errors>\n</errors>\n{block(0)}") == Listed(errors=())


def test_the_last_list_counts() -> None:
    assert parse_reported_errors(f"{ONE} No.\n<errors></errors>\n{block(0)}") == Listed(errors=())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ONE, "the reply has no JSON block"),
        (block(0), "there is no list of errors"),
        (f"{ONE.replace('</error>', '')}\n{block(1)}", "an error has no end"),
        (f"{ONE.replace('Lemma 4.3', ' ')}\n{block(1)}", "no location"),
        (f"{ONE}\n{block(2)}", "is not that of the list"),
        (f"{ONE}\n{block('true')}", "is not that of the list"),
        (f"{ONE.replace('<error>', '<error>', 1)}\n{block('null')}", "is not that of the list"),
        (
            f"<errors>{'<error><location>a</location><description>b</description></error>' * 41}"
            f"</errors>{block(41)}",
            f"name the {MOST_ERRORS} gravest",
        ),
    ],
)
def test_a_reply_that_contradicts_itself_does_not_count(text: str, reason: str) -> None:
    found = parse_reported_errors(text)
    assert isinstance(found, Malformed)
    assert reason in found.reason


def test_the_paper_goes_along_and_the_reply_may_be_long(desk: Callable[..., Any]) -> None:
    made = desk(**{"direct-paper": [f"{ONE}\n{block(1)}"]})
    contract = Contract(
        endpoint=Endpoint.RESPONSES, model="m", prompts=tuple(prompts.RELEASED.items())
    )
    pdf = document(b"%PDF-1.7 one")
    asking = ActionFactory(contract=contract, prompt=prompts.prompt)
    found = asyncio.run(
        read_directly(ModuleVerifier(run=sighted(made.engine.run, pdf), asking=asking), 1)
    )
    assert isinstance(found, Listed) and len(found.errors) == 1
    (request,) = made.client.requests
    assert (request.document, request.limit) == (pdf, TIMES * contract.limit)
