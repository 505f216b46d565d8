import textwrap
from pathlib import Path

import pytest

from pfcore.domain.errors import ConfigError, UsageError
from pfcore.domain.toml_tables import config_path
from pfcore.llm import model_settings
from pfcore.llm.model_settings import PROPOSED, AccountLimits, ModelChoice, choose
from pfcore.llm.prices import PRICES, Price
from pfcore.llm.protocol import Endpoint

KEY = {"OPENAI_API_KEY": "secret-key-1"}
LOCAL = "http://localhost:11434/v1"


def chosen(model: str | None = "m-1", config: str = "", **environment: str) -> ModelChoice:
    choice = choose(model, environment, config)
    assert choice is not None
    return choice


def test_a_key_alone_enables_nothing() -> None:
    assert choose(None, KEY | {"PF_BASE_URL": LOCAL}) is None
    assert choose(None, KEY, 'base_url = "http://localhost:11434/v1"\neffort = "low"') is None
    assert choose("", KEY | {"PF_MODEL": " "}) is None


def test_the_argument_wins_over_the_environment_over_the_file() -> None:
    config = 'model = "from-file"'
    told = [
        choose("from-argument", {"PF_MODEL": "from-environment"}, config),
        choose(None, {"PF_MODEL": "from-environment"}, config),
        choose(None, {}, config, path="/home/a/.config/pf-verify/config.toml"),
    ]
    assert [(choice.model, choice.named_by) for choice in told if choice] == [
        ("from-argument", "--model"),
        ("from-environment", "PF_MODEL"),
        ("from-file", "/home/a/.config/pf-verify/config.toml"),
    ]


def test_openai_is_asked_by_responses_with_its_usual_key() -> None:
    choice = chosen(PROPOSED, **KEY)
    connection = choice.connection
    assert (connection.base_url, connection.endpoint) == (
        "https://api.openai.com/v1",
        Endpoint.RESPONSES,
    )
    assert (connection.key, connection.key_name) == ("secret-key-1", "OPENAI_API_KEY")
    assert choice.price == Price(input=0.75, cached=0.075, output=4.5)
    assert "secret-key-1" not in repr(choice)


def test_a_plan_needs_no_key() -> None:
    connection = chosen().connection
    assert (connection.key, connection.key_name) == (None, "OPENAI_API_KEY")


def test_openais_key_goes_to_no_other_server_unless_it_is_named() -> None:
    for url in (LOCAL, "https://models.example/v1"):
        connection = chosen(**KEY, PF_BASE_URL=url).connection
        assert (connection.key, connection.key_name) == (None, "")
        assert connection.endpoint is Endpoint.CHAT
        named = chosen(**KEY, PF_BASE_URL=url, PF_KEY_ENV="OPENAI_API_KEY").connection
        assert named.key == "secret-key-1"


def test_what_the_file_says_of_its_server_is_not_said_of_another() -> None:
    config = (
        'base_url = "https://models.example/v1/"\nkey_env = "A_KEY"\nendpoint = "responses"\n'
        'window = 8000\nservice_tier = "flex"\ntimeout = 30'
    )
    own = chosen(config=config, A_KEY="a-key").connection
    assert (own.base_url, own.key, own.endpoint, own.window, own.tier, own.timeout) == (
        "https://models.example/v1",
        "a-key",
        Endpoint.RESPONSES,
        8000,
        "flex",
        30.0,
    )
    other = chosen(config=config, A_KEY="a-key", PF_BASE_URL=LOCAL).connection
    assert (other.base_url, other.key, other.endpoint, other.window, other.tier, other.timeout) == (
        LOCAL,
        None,
        Endpoint.CHAT,
        None,
        None,
        30.0,
    )


def test_the_file_sets_how_a_model_is_asked() -> None:
    choice = chosen(
        config=(
            'effort = "low"\ntemperature = 0.5\nlimit = 9000\n'
            "[limits]\nin_flight = 4\nrequests_per_minute = 50\ntokens_per_minute = 1000\n"
            "attempts = 2"
        )
    )
    assert (choice.effort, choice.temperature, choice.limit) == ("low", "0.5", 9000)
    assert chosen().limit == 16_000
    assert choice.rates == AccountLimits(
        in_flight=4, requests_per_minute=50, tokens_per_minute=1000, attempts=2
    )
    assert (chosen().effort, chosen().temperature, chosen().rates) == (None, None, AccountLimits())


def test_the_example_in_the_documentation_is_one() -> None:
    example = textwrap.dedent(str(model_settings.__doc__).partition("may say:")[2])
    choice = choose(None, {"EXAMPLE_KEY": "a-key"}, example)
    assert choice is not None
    assert choice.model == PROPOSED
    assert choice.connection.key == "a-key"
    assert choice.price == PRICES[PROPOSED]
    assert choice.temperature == "0"


def test_the_users_prices_come_first() -> None:
    config = '[prices."m-1"]\ninput = 1\noutput = 2\n[prices."gpt-5.4"]\ninput = 0\noutput = 0'
    assert chosen(config=config).price == Price(input=1, cached=1, output=2)
    assert chosen(config=config, PF_BASE_URL=LOCAL).price == Price(input=1, cached=1, output=2)
    assert chosen("gpt-5.4", config=config).price == Price()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("modle = 'x'", "'modle' is not a setting; did you mean 'model'?"),
        ("[limits]\nflight = 1", "'flight' in [limits] is not a setting"),
        ("endpoint = 'rest'", "must be 'responses' or 'chat', not 'rest'"),
        ("window = 0", "'window' must be a whole number above 0"),
        ("model = 3", "'model' must be a quoted string"),
        ("key = 'secret'", "'key' is not a setting"),
        ("[prices.a]\ninput = 1", "'output' in [prices.a] is missing"),
        ("[prices.a]\noutput = 1", "'input' in [prices.a] is missing"),
        ("[prices.a]\ninput = 1\noutput = 1\ncost = 1", "'cost' in [prices.a] is not a setting"),
        ("[prices]\na = 1", "'prices.a' must be a table"),
        ("model =", "invalid TOML"),
    ],
)
def test_a_fault_in_the_file_is_told_even_where_no_model_is_named(config: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        choose(None, {}, config, path="config.toml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("config.toml: ")


def test_an_address_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(UsageError, match="must look like"):
        chosen(PF_BASE_URL="localhost:11434")
    with pytest.raises(UsageError, match=r"^PF_BASE_URL: the base URL has invalid characters"):
        chosen(PF_BASE_URL="https://a b")
    with pytest.raises(UsageError, match=r"^config\.toml: base_url: the base URL has invalid"):
        chosen(config="base_url = 'https://a b'")


@pytest.mark.parametrize(
    ("environment", "path"),
    [
        ({"XDG_CONFIG_HOME": "/x", "HOME": "/home/a"}, "/x/pf-verify/config.toml"),
        ({"HOME": "/home/a"}, "/home/a/.config/pf-verify/config.toml"),
        ({"USERPROFILE": "/users/a"}, "/users/a/.config/pf-verify/config.toml"),
        ({"XDG_CONFIG_HOME": "here", "HOME": "/home/a"}, "/home/a/.config/pf-verify/config.toml"),
        ({"XDG_CONFIG_HOME": "here"}, None),
        ({}, None),
    ],
)
def test_the_users_own_file_never_stands_where_a_repository_could_put_it(
    environment: dict[str, str], path: str | None
) -> None:
    assert config_path(environment) == (Path(path) if path else None)
