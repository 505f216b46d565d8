"""The makespan script runs against simulated models; what it measures is not a test."""

import asyncio
from pathlib import Path

import pytest

from pfcore.bench.speed import schedule
from pfcore.llm.protocol import CallError, Reply, Request


def test_a_makespan_is_printed_with_its_ideal(capsys: pytest.CaptureFixture[str]) -> None:
    assert schedule.main(["300", "1"]) == 0
    head, some, many = capsys.readouterr().out.splitlines()
    assert head.startswith("simulated, in process")
    assert some.split()[:3] == ["verify", "300", "64"]
    assert many.split()[:3] == ["verify", "300", "256"]
    assert float(some.split()[4]) == 0.005
    assert float(many.split()[5]) >= 1.0


def test_a_makespan_with_failures_is_none() -> None:
    class Down:
        async def complete(self, request: Request) -> Reply:
            raise CallError("down")

    with pytest.raises(RuntimeError, match="the makespan says nothing"):
        asyncio.run(schedule._makespan(1, 1, schedule._opened(Down())))


async def test_the_server_answers_every_request_on_a_connection(tmp_path: Path) -> None:
    place = str(tmp_path / "s")
    server = await asyncio.start_unix_server(
        lambda reader, writer: schedule.answer(reader, writer, 0.0), place
    )
    reader, writer = await asyncio.open_unix_connection(place)
    for _ in range(2):
        writer.write(b"POST /v1 HTTP/1.1\r\nContent-Length: 4\r\n\r\nword")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert b"accept" in await reader.readexactly(len(schedule._BODY))
    writer.close()
    await writer.wait_closed()
    server.close()
    await server.wait_closed()


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_client_can_be_measured_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert schedule.main(["--http", "3", "1"]) == 0
    assert capsys.readouterr().out.startswith("simulated, http on this machine")
