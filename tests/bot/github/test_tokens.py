"""Tokens: for one repository, kept as long as they are good, and never printed."""

import logging
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.domain.events import RepositoryPlace
from bot.domain.forge import GoneError
from bot.github.tokens import Scope
from pfcore.domain.errors import IncompleteError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def asked(github):
    """The tokens that were asked for."""
    return [call.body for call in github.calls if call.path.endswith("/access_tokens")]


def test_a_token_is_made_once_and_opens_one_repository(github, paper, pull, forge):
    for _ in range(3):
        forge.pull(1)
    assert asked(github) == [{"repositories": ["paper"]}]


def test_what_git_is_given_reads_commits_and_does_nothing_else(github, forge):
    origin = forge.origin()
    assert origin.url == f"{github.server_url}/us/paper.git"
    assert github.tokens[origin.token].permissions == {"metadata": "read", "contents": "read"}
    assert origin.token not in repr(origin)


def test_a_token_is_made_anew_before_it_ends(github, forge, waits):
    first = forge.origin().token
    waits.append(3600 - 901)
    assert forge.origin().token == first
    waits.append(2)
    second = forge.origin().token
    assert second != first
    assert github.tokens[second].expires - github.clock() > 3500


def test_a_repository_is_opened_once(hub, github, paper):
    found = [hub.forge(paper.installation, paper.name) for _ in range(2)]
    assert found[0] is found[1]
    others = [github.repository(f"us/paper-{number}") for number in range(101)]
    for item in others:
        hub.forge(item.installation, item.name)
    assert hub.forge(paper.installation, paper.name) is not found[0]


def test_threads_share_a_token(hub, github, paper):
    tokens = hub._tokens.of(Scope(installation=paper.installation, repository=paper.name))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: tokens.get(), range(32)))
    assert len(found) == len(asked(github)) == 1


@pytest.mark.acceptance
def test_threads_that_ask_at_once_get_each_its_own(hub, github, request):
    """PyGithub keeps a request in its connection until it is sent."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    request.addfinalizer(lambda: sys.setswitchinterval(usual))
    names = [f"us/paper-{number}" for number in range(8)]
    places = [(github.repository(name).installation, name) for name in names]
    forges = [hub.forge(*place) for place in places]
    for _ in range(10):
        github.tokens.clear()
        for forge in forges:
            forge._reading.forget()
        with ThreadPoolExecutor(len(forges)) as pool:
            tokens = list(pool.map(lambda forge: forge.origin().token, forges))
        found = [github.tokens[token].repositories for token in tokens]
        assert found == [frozenset({name}) for name in names]


def test_a_token_that_is_not_taken_any_more_is_made_anew_once(github, forge):
    forge.pull(1)
    github.tokens.clear()
    assert forge.pull(1).number == 1
    assert len(asked(github)) == 2


def test_a_token_for_another_repository_is_not_used(github, forge):
    made = {"token": "ghs_other", "expires_at": "2099-01-01T00:00:00Z"}
    body = made | {"repositories": [{"full_name": "us/other"}]}
    github.fail("POST", "/access_tokens$", status=201, body=body)
    with pytest.raises(IncompleteError, match="GitHub sent a token for another repository"):
        forge.pull(1)


def test_an_installation_that_is_gone_has_no_token(hub, github, paper):
    github.uninstall(paper.installation)
    forge = hub.forge(paper.installation, paper.name)
    with pytest.raises(GoneError, match="no token for us/paper: GitHub answered 404"):
        forge.pull(1)


def test_a_repository_that_was_renamed_or_taken_away_has_no_token(hub, github, paper):
    forge = hub.forge(paper.installation, "us/earlier")
    with pytest.raises(GoneError, match="no token for us/earlier: GitHub answered 422"):
        forge.pull(1)


def test_a_repository_that_was_renamed_since_is_found_by_its_id(hub_of, github, paper, pull):
    github.rename(paper, "us/article")
    stranger = github.repository("us/paper", people={"eve": "admin"})
    found = hub_of().forge(paper.installation, "us/paper", paper.id)
    assert found.pull(pull.number).head == pull.head
    assert found.origin().url == f"{github.server_url}/us/article.git"
    assert stranger.id not in {
        item for body in asked(github) for item in body.get("repository_ids", ())
    }


def test_the_name_of_a_repository_is_asked_for_again_after_moments(hub, github, paper, pull, waits):
    hub.forge(paper.installation, "us/paper", paper.id).pull(pull.number)
    github.rename(paper, "us/article")
    waits.append(11)
    assert hub.forge(paper.installation, "us/paper", paper.id).pull(pull.number).number == 1
    assert github.calls[-1].path == "/repos/us/article/pulls/1"


def test_a_repository_that_is_not_the_apps_any_more_has_no_name(hub, github, paper):
    installation = paper.installation
    github.withdraw(paper)
    with pytest.raises(GoneError, match="no token for us/paper: GitHub answered 422"):
        hub.forge(installation, paper.name, paper.id)


def place_of(repo, installation, name):
    return RepositoryPlace(installation=installation, repository=name, repository_id=repo.id)


def test_a_repository_that_went_to_another_account_is_found_there(hub, github, paper, pull):
    before = place_of(paper, paper.installation, "us/paper")
    assert hub.home(before) == before
    theirs = github.install("them").id
    github.transfer(paper, "them")
    assert hub.home(before) == place_of(paper, theirs, "them/paper")
    assert hub.forge(theirs, "them/paper", paper.id).pull(pull.number).head == pull.head


def test_who_has_the_old_name_of_a_repository_is_not_taken_for_it(hub, github, paper):
    before = place_of(paper, paper.installation, "us/paper")
    github.install("them")
    github.transfer(paper, "them")
    github.former.clear()
    github.repository("us/paper")
    assert hub.home(before) is None


def test_where_the_app_is_not_a_repository_has_no_home(hub, github, paper):
    before = place_of(paper, paper.installation, "us/paper")
    github.transfer(paper, "them")
    assert hub.home(before) is None


def test_nothing_secret_is_logged(github, hub_of, paper, pull, caplog):
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, logger="github"):
        forge = hub_of().forge(paper.installation, paper.name)
        forge.pull(1)
        token = forge.origin().token
    logged = caplog.text
    assert "access_tokens" in logged
    for secret in (*github.tokens, token, github.private_key, "Bearer"):
        assert secret not in logged


def test_nothing_secret_is_in_an_error(github, forge):
    forge.pull(1)
    github.fail("GET", "/pulls/1$", status=None, times=9)
    with pytest.raises(Exception, match="cannot be read") as caught:
        forge.pull(1)
    error = caught.value
    assert error.__cause__ is None and error.__suppress_context__
    assert all(token not in str(error) for token in github.tokens)
