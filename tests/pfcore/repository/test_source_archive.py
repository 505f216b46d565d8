"""A source as somebody packed it is unpacked below its folder, or refused with a sentence."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile

import pytest

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.repository.source_archive import ArchiveLimits, unpack_source, unpacked
from tests.conftest import git

PAPER = {"main.tex": b"\\documentclass{article}", "fig/a.pdf": b"%PDF", "./sec/b.tex": b"B"}
SMALL = ArchiveLimits(packed_bytes=100_000, total_bytes=50_000, file_bytes=20_000, entries=20)


def zipped(files, **changes):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            item = zipfile.ZipInfo(name)
            for key, value in changes.items():
                setattr(item, key, value)
            archive.writestr(item, data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def tarred(files, pack=gzip.compress, **changes):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files.items():
            item = tarfile.TarInfo(name)
            item.size = len(data)
            for key, value in changes.items():
                setattr(item, key, value)
            archive.addfile(item, io.BytesIO(data) if item.isreg() else None)
    return pack(made.getvalue())


@pytest.fixture
def unpack(tmp_path):
    """What an archive of these bytes holds."""

    def run(data, limits=SMALL, name="paper.zip"):
        (tmp_path / name).write_bytes(data)
        folder = tmp_path / "there"
        folder.mkdir()
        return unpack_source(tmp_path / name, folder, limits), folder

    return run


@pytest.mark.parametrize(
    "data",
    [
        zipped(PAPER),
        tarred(PAPER),
        tarred(PAPER, bytes),
        tarred(PAPER, bz2.compress),
        tarred(PAPER, lzma.compress),
    ],
)
def test_every_usual_archive_is_unpacked_whatever_it_is_called(unpack, data):
    found, folder = unpack(data)
    assert found.paths == ("fig/a.pdf", "main.tex", "sec/b.tex")
    assert (folder / "sec/b.tex").read_bytes() == b"B"
    assert len(found.digest) == 64


def test_one_compressed_source_is_a_paper_as_arxiv_gives_it(unpack):
    found, folder = unpack(gzip.compress(b"\\documentclass{article}"))
    assert found.paths == ("main.tex",)
    assert (folder / "main.tex").read_bytes() == b"\\documentclass{article}"


def test_what_judges_a_paper_is_left_aside(unpack):
    files = {**PAPER, "pf.lock": b"{}", "a/PF.toml": b"", ".gitattributes": b"", ".gitignore": b"*"}
    found, folder = unpack(zipped(files))
    assert found.ignored == (".gitattributes", ".gitignore", "a/PF.toml", "pf.lock")
    assert not (folder / "pf.lock").exists()


NAMES = [
    ("../out.tex", "leads out of the archive"),
    ("a/../../out.tex", "leads out of the archive"),
    ("/etc/passwd", "leads out of the archive"),
    ("C:/a.tex", "leads out of the archive"),
    ("a\\..\\b.tex", "leads out of the archive"),
    ("a/./..", "leads out of the archive"),
    ("a\u202egpj.tex", "invisible characters"),
    ("a\nb.tex", "invisible characters"),
    ("\x1b[2Ja.tex", "invisible characters"),
    (".git/config", "contains a git repository"),
    ("sub/.GIT/hooks/post-commit", "contains a git repository"),
    (".git./config", "contains a git repository"),
    ("con.tex", "not valid on every system"),
    ("aux/a.tex", "not valid on every system"),
    ("a./b.tex", "not valid on every system"),
    ("a ", "not valid on every system"),
    ("x" * 500, "very long"),
    ("y" * 250 + "/a", "not valid on every system"),
]


@pytest.mark.parametrize(("name", "words"), NAMES)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_name_that_leads_elsewhere_is_refused(unpack, tmp_path, pack, name, words):
    with pytest.raises(IncompleteError, match=words):
        unpack(pack({"main.tex": b"x", name: b"y"}))
    assert not (tmp_path / "out.tex").exists()


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
)
def test_links_and_devices_are_refused(unpack, kind):
    data = tarred({"a": b""}, type=kind, linkname="/etc/passwd")
    with pytest.raises(IncompleteError, match="a is a link or a device"):
        unpack(data)


def test_a_link_in_a_zip_is_refused(unpack):
    with pytest.raises(IncompleteError, match="a is a link or a device"):
        unpack(zipped({"a": b"/etc/passwd"}, create_system=3, external_attr=0o120777 << 16))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"a.tex": bytes(30_000)}), "unpacks to more than"),
        (tarred({"a.tex": bytes(30_000)}), "unpacks to more than"),
        (tarred({f"{n}.tex": bytes(19_000) for n in range(5)}), "unpacks to more than"),
        (zipped({f"{n}.tex": bytes(19_000) for n in range(5)}), "unpacks to more than"),
        (gzip.compress(bytes(10_000_000)), "unpacks to more than"),
        (bz2.compress(bytes(10_000_000)), "unpacks to more than"),
        (zipped({f"{n}.tex": b"" for n in range(30)}), "more than 20 entries"),
        (tarred({f"{n}.tex": b"" for n in range(30)}), "more than 20 entries"),
        (bytes(200_000), "more than 0 MB"),
        (zipped({"a.zip": b"x"}), "contains an archive: a.zip"),
        (tarred({"b/a.tar.gz": b"x"}), "contains an archive: b/a.tar.gz"),
        (zipped({"a.tex": zipped({"b": b"x"})}), "a.tex is an archive itself"),
        (tarred({"a.pdf": gzip.compress(b"x")}), "a.pdf is an archive itself"),
        (zipped({"a.tex": b"x", "A.tex": b"y"}), "A.tex twice"),
        (tarred({"a": b"x", "a/b": b"y"}), "a is both a file and a folder"),
        (tarred({"a/b": b"x", "a": b"y"}), "a twice"),
        (zipped({"a.tex": b"x"})[:-30], "broken"),
        (gzip.compress(b"x" * 5_000)[:-12], "broken"),
        (tarred(PAPER)[:60], "broken"),
        (b"no archive at all", "broken"),
        (b"", "broken"),
        (zipped({}), "it contains no files"),
        (zipped({"pf.lock": b""}), "it contains no files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "archive",  # its bytes have the time
)
def test_what_is_too_much_or_broken_is_refused_with_a_sentence(unpack, data, words):
    with pytest.raises(IncompleteError, match=words) as caught:
        unpack(data)
    assert caught.value.message.startswith("paper.zip is not read: ")
    assert "\n" not in caught.value.message


def test_an_encrypted_entry_is_refused(unpack):
    data = bytearray(zipped({"a.tex": b"x"}))
    where = data.index(b"PK\x01\x02") + 8
    data[where : where + 2] = struct.pack("<H", 1)
    data[6:8] = struct.pack("<H", 1)
    with pytest.raises(IncompleteError, match=r"a\.tex is encrypted"):
        unpack(bytes(data))


def test_a_name_without_a_known_encoding_is_refused(unpack):
    data = zipped({"caf\u00e9.tex": b"x"})
    old = "caf\u00e9.tex".encode()
    data = data.replace(old, b"caf\xe9_.tex").replace(struct.pack("<H", 0x800), b"\0\0")
    with pytest.raises(IncompleteError, match="no known encoding"):
        unpack(data)


def test_a_size_that_an_entry_claims_is_not_believed(unpack):
    data = bytearray(zipped({"a.tex": bytes(30_000)}))
    where = data.index(b"PK\x01\x02") + 24
    data[where : where + 4] = struct.pack("<I", 5)
    with pytest.raises(IncompleteError, match=r"unpacks to more than|broken"):
        unpack(bytes(data))


def test_an_entry_without_a_name_is_refused(unpack):
    with pytest.raises(IncompleteError, match="an entry has no name"):
        unpack(zipped({"": b"x"}))


def test_names_are_shown_without_orders_for_a_terminal(unpack):
    with pytest.raises(IncompleteError) as caught:
        unpack(zipped({"a\x1b[31m\n.tex": b"x"}))
    assert str(caught.value).isprintable()


def test_what_finder_adds_is_no_part_of_the_paper(unpack):
    added = {"__MACOSX/._main.tex": b"\0\5\x16\7", "fig/._a.pdf": b"\0\5\x16\7"}
    found, folder = unpack(zipped(PAPER | added))
    assert (found.paths, found.ignored) == (("fig/a.pdf", "main.tex", "sec/b.tex"), ())
    assert not (folder / "__MACOSX").exists()


def test_what_is_no_file_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        unpack_source(tmp_path / "gone.zip", tmp_path)
    with pytest.raises(UsageError, match="is not a file"):
        unpack_source(tmp_path, tmp_path)


def test_an_archive_is_one_commit_the_same_for_whoever_unpacks_it(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({**PAPER, ".gitignore": b"*"}))
    commits = set()
    for _ in range(2):
        with unpacked(tmp_path / "a.zip") as (folder, found):
            commits.add(git(folder, "rev-parse", "HEAD"))
            assert git(folder, "ls-files").split() == list(found.paths)
        assert not folder.exists()
    assert len(commits) == 1
