import pytest

from pfcore.domain.errors import UsageError
from pfcore.llm.connection import Connection, endpoint_of, is_local, is_loopback, is_openai
from pfcore.llm.protocol import Endpoint


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://api.openai.com/v1", Endpoint.RESPONSES),
        ("https://eu.api.openai.com/v1", Endpoint.RESPONSES),
        ("https://api.openai.com.example/v1", Endpoint.CHAT),
        ("https://notapi.openai.com.example/v1", Endpoint.CHAT),
        ("https://evil.example/api.openai.com/v1", Endpoint.CHAT),
        ("http://localhost:11434/v1", Endpoint.CHAT),
    ],
)
def test_responses_are_for_openai_itself_and_chat_for_the_rest(url: str, kind: Endpoint) -> None:
    assert endpoint_of(url) is kind
    assert is_openai(url) == (kind is Endpoint.RESPONSES)


@pytest.mark.parametrize(
    ("url", "local", "loopback"),
    [
        ("http://localhost:11434/v1", True, True),
        ("http://127.0.0.1:8000/v1", True, True),
        ("http://[::1]:8000/v1", True, True),
        ("http://gpu:8000/v1", True, False),
        ("http://gpu.lan/v1", True, False),
        ("http://192.168.1.5:8000/v1", True, False),
        ("http://8.8.8.8/v1", False, False),
        ("https://localhost.example.org/v1", False, False),
    ],
)
def test_a_local_server_is_told_from_a_remote_one(url: str, local: bool, loopback: bool) -> None:
    assert is_local(url) is local
    assert is_loopback(url) is loopback


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.openai.com/v1",
        "ftp://host/v1",
        "https:///v1",
        "https://host:port/v1",
        "https://host:0/v1",
        "https://[::1/v1",
        "https://host/v1?key=secret-word",
        "https://host/v1#there",
        "https://ho st/v1",
        "https://ho\tst/v1",
        "https://host\\.example/v1",
        "https://user:secret-word@host/v1",
        "https://secret-word@host/v1",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_shows_no_password(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Connection(base_url=url)
    assert "secret-word" not in str(caught.value)


def test_a_key_is_not_sent_in_the_open_beyond_ones_own_network() -> None:
    with pytest.raises(UsageError, match="only over https"):
        Connection(base_url="http://models.example/v1", key="secret-key")
    assert Connection(base_url="http://models.example/v1").key is None
    assert Connection(base_url="http://gpu:8000/v1", key="secret-key").key == "secret-key"


@pytest.mark.parametrize("key", ["secret key", "secret-key\nX-Header: 1", "schlüssel", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError, match="A_KEY") as caught:
        Connection(key=key, key_name="A_KEY")
    assert key not in str(caught.value)


def test_a_connection_does_not_show_its_key() -> None:
    connection = Connection(key="secret-key", key_name="A_KEY")
    assert "secret-key" not in repr(connection)
    assert "A_KEY" in repr(connection)


def test_the_hosts_name_is_what_messages_show() -> None:
    assert Connection(base_url="https://models.example:8443/v1").host == "models.example"
