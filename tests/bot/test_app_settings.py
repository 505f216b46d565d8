"""Settings of the App: from a private file and the environment, with no secret in sight."""

from pathlib import Path

import pytest

from bot import app_settings
from bot.app_settings import write_private
from pfcore.domain.errors import ConfigError, UsageError

SECRET = "0123456789abcdef-hook"
TEXT = f"""
app_id = 7
private_key = "key.pem"
webhook_secret = "{SECRET}"
accounts = ["Alice", "a-university"]
"""
FILE = Path("/etc/pf/app.toml")


def parsed(more="", environment=None, text=TEXT):
    return app_settings.parse_app_settings(text + more, environment or {}, path=FILE)


def test_four_lines_are_enough():
    found = parsed()
    assert (found.app_id, found.private_key) == (7, Path("/etc/pf/key.pem"))
    assert found.webhook_secret == SECRET.encode()
    assert (found.server_url, found.api_url) == ("https://github.com", "https://api.github.com")
    assert found.graphql_url == "https://api.github.com/graphql"
    assert found.database_url == "sqlite:////etc/pf/data/pf-verify.sqlite"
    assert (found.days_kept, found.caps) == (
        30,
        app_settings.SpendingCaps(repository=25.0, month=100.0),
    )


def test_the_environment_wins():
    environment = {
        app_settings.APP_ID: "8",
        app_settings.SECRET: "another-secret-of-the-hook",
        app_settings.KEY: "/run/key.pem",
        app_settings.DATA: "/var/lib/pf",
        app_settings.DATABASE: "postgresql://u:hunter2@db/pf",
        app_settings.ACCOUNTS: "Bob, carol",
    }
    found = parsed(environment=environment)
    assert found.accounts == {"bob", "carol"}
    assert (found.app_id, found.data) == (8, Path("/var/lib/pf"))
    assert found.private_key == Path("/run/key.pem")
    assert found.webhook_secret == b"another-secret-of-the-hook"
    assert found.database_url.endswith("@db/pf")


def test_no_secret_is_printed():
    environment = {
        app_settings.DATABASE: "postgresql://u:hunter2@db/pf",
        app_settings.PAGES_TOKEN: "token-of-the-pages",
    }
    found = repr(parsed(environment=environment))
    assert not any(secret in found for secret in (SECRET, "hunter2", "token-of-the-pages"))


def test_there_are_no_pages_unless_they_have_a_token():
    assert (parsed().pages_token, parsed().public_url) == (None, None)
    more = 'pages_token = "token-of-the-pages"\npublic_url = "https://pf.example.org/"\n'
    found = parsed(more)
    assert found.pages_token == b"token-of-the-pages"
    assert found.public_url == "https://pf.example.org"
    with pytest.raises(ConfigError, match="'pages_token' must have 16 characters or more"):
        parsed('pages_token = "short"\n')
    with pytest.raises(ConfigError, match="'public_url' must begin with https"):
        parsed('public_url = "http://pf.example.org"\n')


@pytest.mark.parametrize(
    ("environment", "api", "graphql"),
    [
        (
            {"GITHUB_SERVER_URL": "https://ghe.example.org/"},
            "https://ghe.example.org/api/v3",
            "https://ghe.example.org/api/graphql",
        ),
        (
            {"GITHUB_SERVER_URL": "https://a.ghe.com", "GITHUB_API_URL": "https://api.a.ghe.com"},
            "https://api.a.ghe.com",
            "https://api.a.ghe.com/graphql",
        ),
        (
            {"GITHUB_API_URL": "http://127.0.0.1:4001", "GITHUB_SERVER_URL": "http://[::1]:4001"},
            "http://127.0.0.1:4001",
            "http://127.0.0.1:4001/graphql",
        ),
    ],
)
def test_an_enterprise_server_has_its_own_addresses(environment, api, graphql):
    found = parsed(environment=environment)
    assert (found.api_url, found.graphql_url) == (api, graphql)


@pytest.mark.parametrize(
    "address",
    [
        "http://ghe.example.org",
        "https://user:pass@ghe.example.org",
        "https://ghe.example.org?x=1",
        "https://ghe.example.org#x",
        "https://",
        "https://[",
        "https://a:99999999",
        "file:///etc",
        "ghe.example.org",
    ],
)
def test_an_address_that_could_leak_a_token_is_refused(address):
    with pytest.raises(ConfigError, match="api_url"):
        parsed(environment={"GITHUB_API_URL": address})


def test_only_accounts_on_the_list_are_served():
    found = parsed()
    assert found.serves("alice") and found.serves("A-University")
    assert not found.serves("mallory") and not found.serves("*")


def test_no_list_serves_nobody_and_a_star_everybody():
    nobody = parsed(text=TEXT.replace('["Alice", "a-university"]', "[]"))
    everybody = parsed(text=TEXT.replace('"Alice"', '"*"'))
    assert not nobody.serves("alice") and everybody.serves("mallory")


@pytest.mark.parametrize("key", ["app_id", "private_key", "webhook_secret"])
def test_what_is_missing_is_named_with_its_variable(key):
    text = "\n".join(line for line in TEXT.splitlines() if not line.startswith(key))
    with pytest.raises(ConfigError, match=f"'{key}' is missing.*PF_"):
        parsed(text=text)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("days_kept = 0", "above 0"),
        ("answers_per_hour = -1", "from 0 to 1000"),
        ("[caps]\nmonth = -1", "0 or more"),
        ("[caps]\nday = 1", "not a setting"),
        ("webhook_secert = 1", "did you mean 'webhook_secret'"),
        ('database_url = "mysql://u:hunter2@db"', "postgresql://"),
    ],
)
def test_a_wrong_setting_is_refused_without_its_value(more, words):
    with pytest.raises(ConfigError, match=words) as caught:
        parsed("\n" + more)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", ["0", "-1", "x", "٣", "9" * 40])
def test_an_app_id_is_a_number(value):
    with pytest.raises(ConfigError, match="PF_APP_ID"):
        parsed(environment={app_settings.APP_ID: value})


def test_a_short_secret_is_refused_and_not_quoted():
    with pytest.raises(ConfigError, match="16 characters") as caught:
        parsed(environment={app_settings.SECRET: "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_caps_may_be_nothing():
    assert parsed("\n[caps]\nrepository = 0\nmonth = 5").caps == app_settings.SpendingCaps(
        repository=0.0, month=5.0
    )


def test_a_file_is_read_only_where_it_is_private(tmp_path):
    path = tmp_path / "app.toml"
    write_private(path, TEXT)
    assert app_settings.load_app_settings({}, path).app_id == 7
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        app_settings.load_app_settings({}, path)


def test_the_environment_alone_is_enough(tmp_path):
    environment = {
        app_settings.APP_ID: "8",
        app_settings.SECRET: SECRET,
        app_settings.KEY: "/run/key.pem",
    }
    found = app_settings.load_app_settings(environment, tmp_path / "absent.toml")
    assert found.app_id == 8 and not found.serves("alice")


@pytest.mark.parametrize(
    ("environment", "words"),
    [({}, "'app_id' is missing"), ({app_settings.APP_ID: "8"}, "'private_key' is missing")],
)
def test_a_file_that_is_not_there_is_named_before_what_it_would_say(tmp_path, environment, words):
    path = tmp_path / "absent.toml"
    with pytest.raises(ConfigError) as found:
        app_settings.load_app_settings(environment, path)
    assert found.value.message.startswith(f"{path}: file not found; {words}")
    assert found.value.path == str(path)


def test_the_file_stands_where_the_environment_says_or_beside_the_users_own():
    home = {"HOME": "/home/us"}
    assert app_settings.file_path(home) == Path("/home/us/.config/pf-verify/app.toml")
    assert app_settings.file_path(home | {app_settings.FILE: "/etc/pf/app.toml"}) == FILE
    with pytest.raises(UsageError, match="set HOME, or PF_APP_FILE"):
        app_settings.file_path({})
