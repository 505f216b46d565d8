"""`pf serve`, as the command line finds it."""

import argparse
import builtins
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from bot import serve_command
from pfcore.cli.main import main
from pfcore.domain.installation import install_command
from tests.bot.fake_github.keys import key_pair


@pytest.fixture
def parse():
    parser = argparse.ArgumentParser()
    serve_command.register(parser.add_subparsers())
    return lambda *words: parser.parse_args(["serve", *words])


def test_it_is_found_by_the_command_line(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    said = capsys.readouterr().out
    for word in ("web", "worker", "--poll", "--host", "--port", "--config"):
        assert word in said


def test_it_listens_to_this_machine_alone_unless_told_otherwise(parse):
    arguments = parse()
    assert (arguments.part, arguments.host, arguments.port) == (None, "127.0.0.1", 8080)
    assert not arguments.poll


def test_without_its_libraries_it_says_how_to_get_them(monkeypatch, capsys):
    real = builtins.__import__

    def broken(name, *more):
        if name == "bot" and more[2] == ("compose",):
            raise ImportError("No module named 'dbos'", name="dbos")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", broken)
    assert main(["serve", "worker"]) == 2
    said = capsys.readouterr().err
    assert install_command("bot", "llm") in said and "dbos" in said


def test_what_is_missing_in_its_settings_is_named(tmp_path, capsys):
    path = tmp_path / "app.toml"
    path.write_text("app_id = 1\n")
    path.chmod(0o600)
    assert main(["serve", "--config", str(path)]) == 2
    assert "private_key" in capsys.readouterr().err


@pytest.mark.parametrize("named", [True, False])
def test_a_file_of_settings_that_is_not_there_is_named(tmp_path, monkeypatch, capsys, named):
    monkeypatch.delenv("PF_APP_ID", raising=False)
    path = tmp_path / "absent.toml"
    monkeypatch.setenv("PF_APP_FILE", str(path))
    assert main(["serve", "worker", *(["--config", str(path)] if named else [])]) == 2
    assert f"{path}: file not found" in capsys.readouterr().err


@pytest.fixture
def config(tmp_path):
    key = tmp_path / "key.pem"
    key.write_text(key_pair()[0])
    key.chmod(0o600)
    path = tmp_path / "app.toml"
    path.write_text(
        'app_id = 1\nprivate_key = "key.pem"\nwebhook_secret = "0123456789abcdef"\n'
        'accounts = ["us"]\nserver_url = "http://127.0.0.1:9"\n'
    )
    path.chmod(0o600)
    return path


def test_a_web_side_does_not_poll(config, capsys):
    assert main(["serve", "web", "--poll", "--config", str(config)]) == 2
    assert "--poll works only with" in capsys.readouterr().err


def free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def stop_when_it_answers(port, path, found):
    """Ask until there is an answer, then end this process as a system does."""
    while True:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            found.append(answer.read())
            os.kill(os.getpid(), signal.SIGTERM)
            return
        time.sleep(0.02)


@pytest.fixture
def quiet():
    """The handlers of logs, as they were."""
    root, before = logging.getLogger(), list(logging.getLogger().handlers)
    yield
    root.handlers[:] = before


@pytest.mark.acceptance
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("part", [[], ["web"], ["--poll"]])
def test_it_serves_until_it_is_told_to_stop(config, quiet, capsys, part):
    port = free_port()
    found: list[bytes] = []
    thread = threading.Thread(target=stop_when_it_answers, args=(port, "/healthz", found))
    thread.start()
    status = main(["serve", *part, "--config", str(config), "--port", str(port)])
    thread.join()
    assert (status, found) == (0, [b"ok\n"])
    said = capsys.readouterr().err
    assert f'"event": "listening at http://127.0.0.1:{port}"' in said
    assert "http://127.0.0.1:9, but commits are fetched over https only" in said


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_without_an_app_a_person_may_register_one_or_stop(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PF_APP_ID", raising=False)
    port = free_port()
    found: list[bytes] = []
    thread = threading.Thread(target=stop_when_it_answers, args=(port, "/assets/pf.css", found))
    thread.start()
    path = tmp_path / "none" / "app.toml"
    assert main(["serve", "--config", str(path), "--port", str(port)]) == 0
    thread.join()
    assert found and f"http://127.0.0.1:{port}/setup" in capsys.readouterr().out
    assert not path.exists()


@pytest.mark.acceptance
def test_its_code_is_there_to_be_read_where_the_output_is_no_terminal(tmp_path):
    program = str(Path(sys.executable).with_name("pf"))
    command = [program, "serve", "--port", "0", "--config", str(tmp_path / "app.toml")]
    # PYTHONUNBUFFERED would hide what is at fault.
    plain = {
        name: os.environ[name] for name in os.environ if not name.startswith(("PF_", "PYTHON"))
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=plain) as process:
        assert process.stdout is not None
        is_there = bool(select.select([process.stdout.fileno()], [], [], 30)[0])
        is_going_on = process.poll() is None
        process.terminate()
        said = process.stdout.readline().decode()
    assert is_there and is_going_on
    assert re.search(r"http://127\.0\.0\.1:\d+/setup and enter the code [0-9a-f]{10}$", said)


def test_a_signal_ends_it_in_good_order():
    stop, before = threading.Event(), signal.getsignal(signal.SIGTERM)
    with serve_command._told_to(stop):
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(5)
    assert signal.getsignal(signal.SIGTERM) is before
