"""`pf remove`: says what would be lost, asks, and erases nothing that is not its own."""

import sqlite3
from contextlib import closing

import pytest

from pfcore.cli.commands.maintenance_commands import RemoveOptions, remove
from pfcore.domain.errors import IncompleteError
from pfcore.llm.protocol import TokenUsage
from pfcore.reporters.printing import Style
from pfcore.reporters.setup_report import Holding, Replies, listed

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "readings.sqlite"


@pytest.fixture
def store(tmp_path):
    return tmp_path / "data" / "replies.sqlite"


@pytest.fixture
def used(run, cache, paper, referee):
    """A paper that was read and recorded, so that there is something to erase."""
    (paper / "pf.toml").write_text("[reading]\nrollouts = 3\n")
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 0
    return paper


def count(path):
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute("SELECT COUNT(*) FROM replies").fetchone()[0]


def test_where_nothing_is_kept_there_is_nothing_to_erase(run, cache, paper, store):
    status, out, _ = run("remove")
    assert (status, out) == (0, "Nothing to delete.\n")
    assert not cache.exists()
    assert not store.exists()


def test_nothing_is_erased_unasked(run, used, cache, store):
    status, out, err = run("remove")
    assert status == 2
    assert f"parse cache  {cache}" in out
    assert f"replies      {store}" in out
    assert "6 replies from served, 600 tokens in and 60 out" in out
    assert "confirm with --yes" in err
    assert "--yes" in err
    assert cache.exists()
    assert count(store) == 6


def test_all_that_was_kept_is_erased_and_the_paper_is_not(run, used, cache, store, referee):
    kept = {path: path.read_bytes() for path in used.iterdir() if path.is_file()}
    status, out, _ = run("remove", "--yes")
    assert status == 0
    assert "Deleted:" in out
    assert not list(cache.parent.glob("*"))
    assert not list(store.parent.glob("*"))
    assert {path: path.read_bytes() for path in used.iterdir() if path.is_file()} == kept
    assert "pf.lock and pf-gate/ in your papers' folders are kept" in out
    assert {path.name for path in kept} == {"main.tex", "pf.lock", "pf.toml"}
    assert run("check", "--locked")[0] == 0


@pytest.mark.parametrize("option", ["--cache", "--replies"])
def test_one_of_them_can_be_chosen(run, used, cache, store, option):
    status, _, _ = run("remove", option, "--yes")
    assert status == 0
    assert cache.exists() is (option == "--replies")
    assert store.exists() is (option == "--cache")


@pytest.mark.usefixtures("paper")
@pytest.mark.parametrize(
    ("served", "address", "words"),
    [
        ("gpt-5.5-pro", "https://api.openai.com/v1", "price unknown"),
        ("gpt-5.4-mini-2026-03-17", None, "less than a cent to ask api.openai.com again"),
        ("m", "https://models.example/v1", "price unknown at models.example; free on your own"),
        ("m", "http://127.0.0.1:1/v1", "free to ask again at 127.0.0.1"),
    ],
)
def test_the_price_of_asking_again_is_said(run, referee, monkeypatch, served, address, words):
    referee.served = served
    run("check", "--model", "m", "--all", "--yes")
    monkeypatch.delenv("PF_BASE_URL")
    if address:
        monkeypatch.setenv("PF_BASE_URL", address)
    _, out, _ = run("remove")
    assert words in out


def test_a_faulty_configuration_is_not_in_the_way(run, used, store, monkeypatch, tmp_path):
    folder = tmp_path / "config" / "pf-verify"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("no toml")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert run("remove", "--yes")[0] == 0
    assert not store.exists()


@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_the_answer_counts(used, store, answer):
    asked = []
    wanted = RemoveOptions(cache=False, replies=True, is_agreed=False, style=Style())

    def ask(question):
        asked.append(question)
        return answer

    if answer:
        assert remove(wanted, lambda text: None, ask) == 0
    else:
        with pytest.raises(IncompleteError, match="nothing was deleted"):
            remove(wanted, lambda text: None, ask)
    assert len(asked) == 1
    assert store.exists() is not answer


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_symbolic_link_is_left_alone(run, used, store, is_folder):
    name = store.parent if is_folder else store
    target = name.with_name("elsewhere")
    name.rename(target)
    name.symlink_to(target)
    status, out, _ = run("remove", "--replies", "--yes")
    assert status == 3
    assert "is a symbolic link; left unchanged" in out
    assert name.is_symlink()
    assert count(target / "replies.sqlite" if is_folder else target) == 6


def test_what_another_process_uses_is_left_alone(run, used, store, cache):
    with closing(sqlite3.connect(store)) as other:
        other.execute("SELECT COUNT(*) FROM replies").fetchone()
        status, out, err = run("remove", "--yes")
    assert status == 3
    assert "in use" in err
    assert "Deleted" not in out
    assert cache.exists()
    assert count(store) == 6


@pytest.mark.parametrize(
    ("variable", "name"), [("PF_CACHE_DIR", "readings.sqlite"), ("PF_DATA_DIR", "replies.sqlite")]
)
def test_a_file_of_another_kind_is_left_alone(run, paper, monkeypatch, tmp_path, variable, name):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / name).write_text("precious")
    monkeypatch.setenv(variable, str(folder))
    status, out, _ = run("remove", "--yes")
    assert status == 3
    assert "left unchanged" in out
    assert (folder / name).read_text() == "precious"


def test_of_a_database_with_other_tables_only_the_replies_are_erased(run, used, store):
    with closing(sqlite3.connect(store)) as opened:
        opened.execute("CREATE TABLE poems (line TEXT)")
    assert run("remove", "--yes")[0] == 0
    assert count(store) == 0
    with closing(sqlite3.connect(store)) as opened:
        assert opened.execute("SELECT * FROM poems").fetchall() == []


def test_a_shared_database_is_erased_only_where_it_is_meant(
    run, paper, cache, referee, monkeypatch, tmp_path
):
    place = tmp_path / "shared.sqlite"
    monkeypatch.setenv("PF_STORE", f"sqlite+pysqlite:///{place}")
    run("check", "--model", "m", "--all", "--yes")
    status, out, _ = run("remove", "--yes")
    assert status == 0
    assert "others may use it; add --replies to delete it" in out
    assert count(place) == 6
    status, out, _ = run("remove", "--replies", "--yes")
    assert status == 0
    assert "6 replies" in out
    assert count(place) == 0
    assert "Nothing to delete." in run("remove", "--replies")[1]


def test_a_database_that_does_not_answer_shows_no_password(run, paper, monkeypatch):
    monkeypatch.setenv("PF_STORE", "nonsense://user:hunter2@host/db")
    status, out, err = run("remove", "--replies", "--yes")
    assert status == 2
    assert "hunter2" not in out + err


def test_other_files_of_the_folders_stay(run, used, cache, store):
    (store.parent / "bot.sqlite").write_text("not ours to erase")
    (cache.parent / "notes").write_text("mine")
    run("remove", "--yes")
    assert [path.name for path in store.parent.iterdir()] == ["bot.sqlite"]
    assert [path.name for path in cache.parent.iterdir()] == ["notes"]


@pytest.mark.parametrize(
    ("size", "words"), [(None, "place"), (12, "12 bytes"), (1500, "1.5 kB"), (2.5e9, "2.5 GB")]
)
def test_sizes_are_told_as_people_do(size, words):
    holding = Holding(name="replies", place="place", size=size)
    assert listed([holding], Style()).rstrip().endswith(words)


def test_what_it_costs_to_ask_again_is_told_in_dollars():
    usage = TokenUsage(input=1_000_000, output=200_000)
    lost = Replies(model="m", count=1200, usage=usage, dollars=1.5, host="a.example")
    out = listed([Holding(name="replies", place="here", replies=(lost,))], Style())
    assert "1,200 replies from m, 1,000,000 tokens in and 200,000 out: about $1.50" in out


def test_a_folder_where_the_cache_would_be_is_left_alone(run, paper, cache):
    cache.mkdir(parents=True)
    status, out, _ = run("remove", "--cache", "--yes")
    assert status == 3
    assert "is not a file; left unchanged" in out
    assert cache.is_dir()


def test_a_journal_without_its_database_is_left_alone(run, paper, cache):
    cache.parent.mkdir()
    journal = cache.with_name(f"{cache.name}-wal")
    journal.write_text("x")
    status, out, _ = run("remove", "--cache", "--yes")
    assert status == 3
    assert "missing but its journal exists" in out
    assert journal.exists()
