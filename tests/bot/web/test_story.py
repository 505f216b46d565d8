"""The pages over what the App really did: from the link of a check to what was found and why."""

import pytest
from flask import Flask

from bot.domain import forge
from bot.domain.forge import PROOFS
from bot.web.views import install_pages
from pfcore.testing import ScriptedLlm
from tests.bot.shop import Shop
from tests.bot.test_story import APART, MENDED, POSITIVE, USE, WEAKER, key_of, paper, remark, strict
from tests.bot.web.world import TOKEN

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PUBLIC = "https://pf.example.org"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def shop(github, tmp_path):
    made = Shop(
        github,
        tmp_path / "app",
        ScriptedLlm(strict),
        public_url=PUBLIC,
        pages_token=TOKEN.encode(),
    )
    yield made
    made.close()


@pytest.fixture
def shown(shop):
    """Gets a page as text."""
    app = Flask("pages", static_folder=None)
    install_pages(app, settings=shop.settings, records=shop.records, clock=shop.clock)

    def get(path, status=200):
        answer = app.test_client().get(path, headers=BEARER)
        assert answer.status_code == status
        return answer.get_data(as_text=True)

    return get


def details(repo, head):
    """Where the check of the proofs leads."""
    (found,) = [run for run in repo.runs if run.head == head and run.name == PROOFS]
    assert found.details_url.startswith(f"{PUBLIC}/runs/")
    return found.details_url.removeprefix(PUBLIC)


@pytest.mark.acceptance
def test_a_check_leads_to_the_page_of_its_run(github, shop, shown, document):
    repo = github.repository(files=paper(document, POSITIVE, USE, APART), people={"alice": "write"})
    repo.commit(paper(document, WEAKER, USE, APART), on="weaker")
    pull = github.open(repo, "weaker", author="alice")
    shop.work()
    text = shown(details(repo, pull.head))
    assert "blocking findings" in text and "Simulated" in text
    assert "Nothing is shown." in text and "The form at hand may be an exception." in text
    assert "statement changed" in text and "proof changed" in text

    key = key_of(remark(repo, "may be an exception"))
    github.say(repo, pull, f"/pf dismiss {key} the exceptions have no trace", by="alice")
    shop.work()
    text = shown(details(repo, pull.head))
    assert "Answers by command" in text and "the exceptions have no trace" in text

    github.push(repo, paper(document, MENDED, USE, APART), branch="main", by="alice")
    shop.work()
    text = shown(forge.repository_path(repo.name))
    assert "As main was at commit" in text and "positive" in text
    assert text.count("<rect") >= 1
    assert "push to main" in shown("/")


def test_of_who_uninstalls_the_app_nothing_is_shown_any_more(github, shop, shown, document):
    repo = github.repository(files=paper(document, POSITIVE), people={"alice": "write"})
    repo.commit(paper(document, WEAKER), on="weaker")
    pull = github.open(repo, "weaker", author="alice")
    shop.work()
    place = details(repo, pull.head)
    assert shown(place)
    github.uninstall(repo.installation)
    shop.work()
    assert "Page not found." in shown(place, 404)
    assert "Page not found." in shown(forge.repository_path(repo.name), 404)
    assert repo.name not in shown("/")
