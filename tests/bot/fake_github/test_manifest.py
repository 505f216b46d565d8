"""An App that a manifest has made can do what it was asked to do."""

import json

import pytest

from bot.github.github_app import GitHubHub
from bot.web.registration import GithubExchange, RegistrationError, Wish, manifest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_an_app_that_was_just_registered_asks_in_its_own_name(github):
    wish = Wish(public_url="https://pf.example")
    github.manifests["a1b2"] = json.loads(manifest(wish, redirect_url="http://127.0.0.1/back"))
    exchange = GithubExchange(server_url=github.url, api_url=github.url)
    made = exchange("a1b2")
    assert made.webhook_secret is not None and made.webhook_secret.encode() == github.secret
    hub = GitHubHub(github.url, github.server_url, made.app_id, made.private_key)
    assert hub.me == "pf-verify[bot]"
    with pytest.raises(RegistrationError, match="rejected the code"):
        exchange("a1b2")
