"""Commits of strangers are fetched into a cache: with a token that leaves no trace, and no more."""

import base64
import os
import select
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot.domain.forge import GitRemote, GoneError
from bot.reviewing.git_cache import GitBounds, GitCacheLimits, Repositories, run_git
from pfcore.domain.errors import ConfigError, GitError, IncompleteError
from pfcore.repository.snapshot import from_revision
from tests.bot.fake_github.content import Bare
from tests.bot.git_server import TOKEN, serving_git
from tests.conftest import REPO

pytestmark = [pytest.mark.acceptance, pytest.mark.sampled(2)]

PLACE = 7


class Paper(Bare):
    """A repository with two commits."""

    base = head = ""


@pytest.fixture
def paper(tmp_path):
    """It is served, and its tip is `base`."""
    bare = Paper(tmp_path / "served" / "us" / "paper.git")
    bare.base = bare.commit({"main.tex": "one\n"}, (), "one")
    bare.head = bare.commit({"main.tex": "two\n"}, (bare.base,), "two")
    bare.point("refs/heads/main", bare.base)
    bare.point("refs/pull/1/head", bare.head)
    return bare


@pytest.fixture
def served(paper, tmp_path):
    with serving_git(tmp_path / "served") as server:
        yield server


@pytest.fixture
def cache(tmp_path):
    return Repositories(tmp_path / "cache", is_local=True)


def of_files(paper):
    return GitRemote(url=paper.folder.as_uri(), token="")


def of_server(served, token=TOKEN):
    return GitRemote(url=f"{served.url}/us/paper.git", token=token)


def refs(paper, **more):
    return {"1/mb": paper.base, "1/head": paper.head, **more}


def text(repository, commit):
    return from_revision(repository, commit).read("main.tex").text


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_commits_are_fetched_with_a_token_and_read_without_a_checkout(paper, served, cache):
    found = cache.fetch(PLACE, of_server(served), refs(paper))
    assert (found.root, found.is_shallow) == (None, True)
    assert (text(found, paper.base), text(found, paper.head)) == ("one\n", "two\n")
    count = len(served.asked)
    cache.fetch(PLACE, of_server(served), refs(paper))
    assert len(served.asked) == count


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_next_push_fetches_only_what_is_new(paper, served, cache):
    cache.fetch(PLACE, of_server(served), refs(paper))
    new = paper.commit({"main.tex": "three\n"}, (paper.head,), "three")
    found = cache.fetch(PLACE, of_server(served), {"1/mb": paper.base, "1/head": new})
    assert text(found, new) == "three\n"
    told = subprocess.run(
        ["git", f"--git-dir={found.git_dir}", "for-each-ref", "--format=%(refname)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["refs/pf/1/head", "refs/pf/1/mb"]


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_token_is_in_no_argument_and_in_no_file(paper, served, cache, tmp_path, monkeypatch):
    seen = spied_git(tmp_path, monkeypatch)
    monkeypatch.setenv("GIT_TRACE_CURL", "1")
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "hunter2")
    cache.fetch(PLACE, of_server(served), refs(paper))
    secrets = (TOKEN, base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode())
    calls = [path.read_text() for path in seen.iterdir()]
    calls = [call for call in calls if call.startswith("--git-dir=")]  # others are the server's
    assert any("\nfetch\n" in call for call in calls)
    for call in calls:
        arguments, _, environment = call.partition("\n--env--\n")
        assert not any(secret in arguments for secret in secrets)
        assert "hunter2" not in environment and "GIT_TRACE" not in environment
        holding = [line for line in environment.splitlines() if secrets[1] in line]
        assert all(line.startswith("GIT_CONFIG_VALUE_") for line in holding)
        assert bool(holding) == ("\nfetch\n" in arguments)
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert not any(secret.encode() in path.read_bytes() for secret in secrets)


def spied_git(tmp_path, monkeypatch):
    """Puts a git before the true one that writes down how it was called."""
    seen, folder = tmp_path / "seen", tmp_path / "bin"
    seen.mkdir()
    folder.mkdir()
    true = subprocess.run(["which", "git"], capture_output=True, text=True, check=True)
    script = folder / "git"
    script.write_text(
        f"#!/bin/sh\n{{ printf '%s\\n' \"$@\"; echo --env--; env; }} > {seen}/$$\n"
        f'exec {true.stdout.strip()} "$@"\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return seen


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_token_that_is_refused_ends_without_a_question(paper, served, cache):
    with pytest.raises(GitError) as caught:
        cache.fetch(PLACE, of_server(served, "ghs_other"), refs(paper))
    assert "ghs_other" not in str(caught.value)


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_nobody_is_followed_elsewhere(paper, served, cache, tmp_path):
    with serving_git(tmp_path / "served") as other:
        served.redirect = other.url
        with pytest.raises(GitError):
            cache.fetch(PLACE, of_server(served), refs(paper))
        assert other.asked == []


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_what_is_there_no_more_is_told_apart(paper, served, cache):
    with pytest.raises(GoneError):
        cache.fetch(PLACE, of_server(served), {"1/head": "a" * 40})
    gone = GitRemote(url=f"{served.url}/us/gone.git", token=TOKEN)
    with pytest.raises(GoneError):
        cache.fetch(PLACE, gone, refs(paper))
    served.status = 503
    with pytest.raises(GitError) as caught:
        cache.fetch(8, of_server(served), refs(paper))
    assert not isinstance(caught.value, GoneError) and "remote words" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://github.com/us/paper.git",
        "git://github.com/us/paper.git",
        "ssh://git@github.com/us/paper.git",
        "ext::sh -c touch% pwned",
        "--upload-pack=touch pwned",
        "https://user:word@github.com/us/paper.git",
        "https://github.com/us/paper.git?token=x",
        "https://github.com/us/pa per.git",
        "https://[oops/us/paper.git",
        "../paper.git",
    ],
)
def test_only_plain_https_is_fetched_from(cache, paper, url):
    with pytest.raises((ConfigError, GitError)):
        cache.fetch(PLACE, GitRemote(url=url, token=TOKEN), refs(paper))


def test_this_machine_is_no_origin_unless_it_is_said(tmp_path, paper):
    strict = Repositories(tmp_path / "cache")
    with pytest.raises(ConfigError, match="over https only"):
        strict.fetch(PLACE, of_files(paper), refs(paper))
    with pytest.raises(ConfigError, match="over https only"):
        strict.fetch(PLACE, GitRemote(url="http://127.0.0.1/us/paper.git", token="t"), refs(paper))


@pytest.mark.parametrize("token", ["a\nX-Evil: 1", "a b", "ü"])
def test_a_token_that_could_be_more_than_a_token_is_refused(cache, paper, token):
    origin = GitRemote(url="http://127.0.0.1:9/us/paper.git", token=token)
    with pytest.raises(GitError, match="invalid characters"):
        cache.fetch(PLACE, origin, refs(paper))


@pytest.mark.parametrize(
    ("name", "commit"),
    [
        ("1/head", "HEAD"),
        ("1/head", "--all"),
        ("1/head", "a" * 39),
        ("1/head", "a" * 40 + ":refs/heads/main"),
        ("../head", "a" * 40),
        ("1/head.lock", "a" * 40),
        ("-x", "a" * 40),
        ("1//head", "a" * 40),
        ("", "a" * 40),
    ],
)
def test_names_that_could_mean_something_else_are_refused(cache, paper, name, commit):
    with pytest.raises(GitError, match="invalid commit name"):
        cache.fetch(PLACE, of_files(paper), {name: commit})
    with pytest.raises(GitError):
        cache.diff(PLACE, commit, commit)


def test_a_place_is_a_number(cache, paper):
    with pytest.raises(ValueError, match="positive integer"):
        cache.fetch(0, of_files(paper), refs(paper))


def test_what_a_change_shows_is_what_its_commits_say(cache, paper, tmp_path):
    hiding = {".gitattributes": "*.tex -diff export-ignore diff=evil filter=evil\n"}
    head = paper.commit({**hiding, "main.tex": "one\ntwo\n"}, (paper.base,), "hide")
    found = cache.fetch(PLACE, of_files(paper), {"1/mb": paper.base, "1/head": head})
    diff = cache.diff(PLACE, paper.base, head)
    assert diff.files["main.tex"] == ((1, 2),)
    assert text(found, head) == "one\ntwo\n"


def test_links_and_submodules_are_not_followed(cache, paper, tmp_path):
    (tmp_path / "secret.tex").write_text("secret")
    head = paper.commit(
        {
            "link.tex": ("120000", str(tmp_path / "secret.tex")),
            "sub": ("160000", paper.base),
            ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c touch% pwned\n',
        },
        (paper.base,),
        "lead out",
    )
    try:
        found = cache.fetch(PLACE, of_files(paper), {"1/head": head})
    except GitError:
        return  # git itself refuses such a submodule
    moment = from_revision(found, head)
    assert "link.tex" not in moment.files and "sub" not in moment.files


def test_a_diff_that_is_too_much_shows_nothing(paper, tmp_path):
    small = Repositories(tmp_path / "cache", GitCacheLimits(diff_bytes=10), is_local=True)
    small.fetch(PLACE, of_files(paper), refs(paper))
    assert small.diff(PLACE, paper.base, paper.head).files == {}


def test_a_repository_that_is_too_large_is_not_kept(paper, tmp_path):
    head = paper.commit({"a.bin": os.urandom(300_000)}, (paper.base,), "large")
    small = Repositories(tmp_path / "cache", GitCacheLimits(bytes=100_000), is_local=True)
    with pytest.raises(GitError, match="more than 100,000 bytes"):
        small.fetch(PLACE, of_files(paper), {"1/head": head})
    assert small.size(PLACE) == 0
    assert text(small.fetch(PLACE, of_files(paper), refs(paper)), paper.head) == "two\n"


def test_a_cache_that_has_grown_too_large_begins_anew(paper, tmp_path):
    small = Repositories(tmp_path / "cache", GitCacheLimits(bytes=400_000), is_local=True)
    for name in ("a", "b", "c"):
        head = paper.commit({f"{name}.bin": os.urandom(250_000)}, (), "large")
        found = small.fetch(PLACE, of_files(paper), {"1/head": head})
        assert from_revision(found, head).paths == {f"{name}.bin"}
        assert small.size(PLACE) < 400_000


def test_git_that_takes_too_long_is_ended(paper, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (folder / "git").chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    hasty = Repositories(tmp_path / "cache", GitCacheLimits(seconds=0.3), is_local=True)
    with pytest.raises(GitError, match=r"within 0\.3 seconds"):
        hasty.fetch(PLACE, of_files(paper), refs(paper))


def test_what_a_killed_run_left_behind_does_no_harm(cache, paper, tmp_path):
    cache.fetch(PLACE, of_files(paper), refs(paper))
    folder = tmp_path / "cache" / "7.git"
    for name in ("shallow.lock", "packed-refs.lock", "refs/pf/1/head.lock", "config.lock"):
        (folder / name).touch()
    (folder / "objects/pack/tmp_pack_x").write_bytes(b"half")
    new = paper.commit({"main.tex": "three\n"}, (paper.head,), "three")
    found = cache.fetch(PLACE, of_files(paper), {"1/head": new})
    assert text(found, new) == "three\n"
    assert not list(folder.rglob("*.lock")) and not list(folder.rglob("tmp_*"))


@pytest.mark.parametrize("length", [1, 200])
def test_a_cache_that_is_broken_is_fetched_anew_wherever_it_is(paper, tmp_path, length):
    place = tmp_path / ("f" * length)
    cache = Repositories(place, is_local=True)
    cache.fetch(PLACE, of_files(paper), refs(paper))
    for path in place.rglob("*.pack"):
        path.chmod(0o600)
        path.write_bytes(b"garbage")
    new = paper.commit({"main.tex": "three\n"}, (paper.head,), "three")
    found = cache.fetch(PLACE, of_files(paper), {**refs(paper), "1/head": new})
    assert (text(found, new), text(found, paper.base)) == ("three\n", "one\n")


def test_a_repository_whose_making_was_cut_short_is_made_again(cache, paper, tmp_path):
    for name in ("7.new", "7.git", "7.gone"):
        (tmp_path / "cache" / name).mkdir(parents=True)
        (tmp_path / "cache" / name / "HEAD").touch()
    found = cache.fetch(PLACE, of_files(paper), refs(paper))
    assert text(found, paper.head) == "two\n"


_HOLDING = """
import sys
from pathlib import Path
from bot.reviewing.git_cache import Repositories
cache = Repositories(Path(sys.argv[1]))
with cache._locked(7):
    print("held", flush=True)
    sys.stdin.read()
"""


def holding(folder):
    """Another process that holds the right to write."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=REPO,
    )
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    return process


def test_one_process_writes_at_a_time_and_a_killed_one_lets_go(cache, paper, tmp_path):
    process = holding(tmp_path / "cache")
    waiting = Repositories(tmp_path / "cache", GitCacheLimits(wait=0.1), is_local=True)
    with pytest.raises(IncompleteError, match="another process is using"):
        waiting.fetch(PLACE, of_files(paper), refs(paper))
    assert text(waiting.fetch(8, of_files(paper), refs(paper)), paper.head) == "two\n"
    process.kill()
    process.communicate()
    assert text(cache.fetch(PLACE, of_files(paper), refs(paper)), paper.head) == "two\n"


_FETCHING = """
import sys
from pathlib import Path
from bot.domain.forge import GitRemote
from bot.reviewing.git_cache import Repositories
cache = Repositories(Path(sys.argv[1]), is_local=True)
cache.fetch(7, GitRemote(url=sys.argv[2], token=""), {"1/head": sys.argv[3]})
"""


def test_nobody_writes_while_the_git_of_a_killed_process_still_runs(cache, paper, tmp_path):
    folder, pid = tmp_path / "bin", tmp_path / "pid"
    folder.mkdir()
    os.mkfifo(pid)
    said = os.open(pid, os.O_RDONLY | os.O_NONBLOCK)
    (folder / "git").write_text(f"#!/bin/sh\necho $$ > {pid}\nexec sleep 600\n")
    (folder / "git").chmod(0o700)
    command = [sys.executable, "-c", _FETCHING, str(tmp_path / "cache")]
    path = f"{folder}:{os.environ['PATH']}"
    process = subprocess.Popen(
        [*command, paper.folder.as_uri(), paper.head], cwd=REPO, env=os.environ | {"PATH": path}
    )
    assert select.select([said], [], [], 60)[0]
    git = int(os.read(said, 20))
    os.close(said)
    process.kill()
    process.wait()
    waiting = Repositories(tmp_path / "cache", GitCacheLimits(wait=0.1), is_local=True)
    with pytest.raises(IncompleteError, match="another process is using"):
        waiting.fetch(PLACE, of_files(paper), refs(paper))
    os.kill(git, signal.SIGKILL)
    assert text(cache.fetch(PLACE, of_files(paper), refs(paper)), paper.head) == "two\n"


def test_many_threads_fetch_one_repository(cache, paper):
    seen = []
    heads = [paper.commit({"main.tex": f"{n}\n"}, (paper.base,), "n") for n in range(6)]

    def fetch(number):
        found = cache.fetch(PLACE, of_files(paper), {f"{number}/head": heads[number]})
        seen.append(text(found, heads[number]))

    threads = [threading.Thread(target=fetch, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [f"{number}\n" for number in range(6)]


@pytest.mark.acceptance
def test_many_packs_are_put_together_and_nothing_that_has_a_name_is_lost(cache, paper, tmp_path):
    for number in range(23):
        head = paper.commit({"main.tex": f"{number}\n"}, (paper.base,), "n")
        found = cache.fetch(PLACE, of_files(paper), {f"{number}/head": head})
    assert len(list((tmp_path / "cache/7.git/objects/pack").glob("*.pack"))) < 20
    assert text(found, head) == "22\n"


def test_what_a_closed_pull_request_had_is_forgotten(cache, paper, tmp_path):
    cache.fetch(PLACE, of_files(paper), {"1/head": paper.head, "12/head": paper.base})
    cache.forget(PLACE, "1")
    cache.forget(9, "1")
    left = list((tmp_path / "cache/7.git/refs/pf").rglob("head"))
    assert [path.parent.name for path in left] == ["12"]


def test_what_is_erased_is_gone(cache, paper, tmp_path):
    cache.fetch(PLACE, of_files(paper), refs(paper))
    cache.erase(PLACE)
    cache.erase(PLACE)
    assert list((tmp_path / "cache").iterdir()) == []


def test_where_there_is_no_git_it_is_said(cache, paper, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="could not be started"):
        cache.fetch(PLACE, of_files(paper), refs(paper))


def test_the_folder_is_for_its_owner_alone(cache, paper, tmp_path):
    cache.fetch(PLACE, of_files(paper), refs(paper))
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_the_path_is_one_of_this_machine(tmp_path, cache, paper):
    found = cache.fetch(PLACE, of_files(paper), refs(paper))
    assert found.git_dir == Path(tmp_path / "cache" / "7.git")


def test_what_git_says_of_a_clone_does_not_tell_where_it_is(tmp_path):
    with pytest.raises(GitError, match=r"^git log failed: not a git repository: ") as raised:
        run_git(("log",), tmp_path, GitBounds(seconds=9, most=9_999, size=lambda: 0))
    assert str(tmp_path) not in raised.value.message
