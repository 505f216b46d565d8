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
from pfcore.repository import source_archive
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


def _by_method_99(data: bytes) -> bytes:
    at = data.index(b"PK\1\2") + 10
    return data[:8] + b"\x63\0" + data[10:at] + b"\x63\0" + data[at + 2 :]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"a.tex": bytes(30_000)}), r"a\.tex unpacks to more than"),
        (tarred({"a.tex": bytes(30_000)}), "unpacks to more than"),
        (tarred({f"{n}.tex": bytes(19_000) for n in range(5)}), "unpacks to more than"),
        (zipped({f"{n}.tex": bytes(19_000) for n in range(5)}), "it unpacks to more than"),
        (_by_method_99(zipped({"a.tex": b"x"})), "encrypted, or compressed by a method that is"),
        (gzip.compress(bytes(10_000_000)), "unpacks to more than"),
        (bz2.compress(bytes(10_000_000)), "unpacks to more than"),
        (zipped({f"{n}.tex": b"" for n in range(30)}), "more than 20 entries"),
        (tarred({f"{n}.tex": b"" for n in range(30)}), "more than 20 entries"),
        (bytes(200_000), "larger than 0 MB"),
        (zipped({"a.zip": b"x"}), "contains an archive: a.zip"),
        (tarred({"b/a.tar.gz": b"x"}), "contains an archive: b/a.tar.gz"),
        (zipped({"a.tex": zipped({"b": b"x"})}), "a.tex is an archive itself"),
        (tarred({"a.pdf": gzip.compress(b"x")}), "a.pdf is an archive itself"),
        (zipped({"a.tex": b"x", "A.tex": b"y"}), "a.tex and A.tex, which differ only in case"),
        (tarred({"a": b"x", "a/b": b"y"}), "a is both a file and a folder"),
        (tarred({"a/b": b"x", "a": b"y"}), "a twice"),
        (
            zipped({"a.tex": b"x"})[:-30],
            "damaged or incomplete .*: download it again, or make it again",
        ),
        (
            gzip.compress(b"x" * 5_000)[:-12],
            "damaged or incomplete .*: download it again, or make it again",
        ),
        (tarred(PAPER)[:60], "damaged or incomplete .*: download it again, or make it again"),
        (
            tarred(PAPER, bytes)[:700],
            "damaged or incomplete .*: download it again, or make it again",
        ),
        (b"", "it is empty: download it again, or make it again"),
        (b"no archive at all", "not an archive, but a text file without a LaTeX document"),
        (b"\x00\x01\x02\x03" * 99, "it is not a .zip or .tar.gz archive, nor a LaTeX file"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", "it is a 7z archive: unpack it, and make a .zip"),
        (b"Rar!\x1a\x07\x01\x00", "it is a RAR archive: unpack it, and make a .zip"),
        (b"\x28\xb5\x2f\xfd\x00", "compressed by Zstandard: unpack it, and make a .zip"),
        (b"\x1f\x9d\x90", "compressed by compress: unpack it, and make a .zip"),
        (
            b"\n<!DOCTYPE html><p>Log in",
            "an HTML page, perhaps from a failed download: download it",
        ),
        (b"<HTML><body>404", "an HTML page, perhaps from a failed download: download it"),
        (gzip.compress(tarred(PAPER)), "it contains another archive; unpack that one first"),
        (gzip.compress(b"<html>"), "an HTML page, perhaps from a failed download: download it"),
        (
            b"%PDF-1.5\n%",
            "it is a PDF, not LaTeX source; to have a PDF read: pf check FILE.pdf --model",
        ),
        (gzip.compress(b"%PDF-1.5\n%"), "it is a PDF, not LaTeX source"),
        (b"%!PS-Adobe-3.0\n", "it is PostScript, not LaTeX source"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is a Word document, not LaTeX"),
        (zipped({"word/document.xml": b"<x/>", "a.xml": b""}), "it is a Word document, not LaTeX"),
        (zipped({"mimetype": b"application/vnd.oasis.opendocument.text"}), "an OpenDocument file"),
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
    with pytest.raises(IncompleteError, match=r"a\.tex is encrypted: make .* without a password"):
        unpack(bytes(data))


def renamed(data, new):
    """A zip of one file whose name has other bytes, and is not marked as UTF-8."""
    old = "xyz\u00e9.tex".encode()
    assert len(new) == len(old)
    return data.replace(old, new).replace(struct.pack("<H", 0x800), b"\0\0")


ACCENTED = zipped({"xyz\u00e9.tex": b"x"})


@pytest.mark.parametrize(
    ("data", "name", "encoding"),
    [
        (renamed(ACCENTED, "xyz\u00e9.tex".encode()), "xyz\u00e9.tex", ""),
        (renamed(ACCENTED, b"xyz\x81_.tex"), "xyz\u00fc_.tex", "CP437"),
        (renamed(ACCENTED, b"xyz\xfc_.tex"), "xyz\u00fc_.tex", "Latin-1"),
        (tarred({"xy_.tex": b"x"}, bytes).replace(b"xy_", b"xy\xfc"), "xy\u00fc.tex", "Latin-1"),
    ],
)
def test_names_in_an_old_encoding_are_read_and_that_is_said(unpack, data, name, encoding):
    if not data.startswith(b"PK"):
        head = bytearray(data[:512])
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        data = bytes(head) + data[512:]
    found, folder = unpack(data)
    assert found.paths == (name,)
    assert (folder / name).is_file()
    words = f"names that are not in UTF-8 were read as {encoding}: {name}"
    assert list(found.notes) == ([words] if encoding else [])


def test_a_name_without_a_known_encoding_is_refused_and_shown(unpack):
    words = r"name xyz\\udc9d_.tex is in an unknown encoding: rename it, or use UTF-8 for all names"
    with pytest.raises(IncompleteError, match=words):
        unpack(renamed(ACCENTED, b"xyz\x9d_.tex"))


RESERVED = {"con.tex": b"x", "AUX/a.tex": b"y", "main.tex": b"z"}


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_windows_reserves_are_refused_there_alone(unpack, monkeypatch, pack):
    found, _ = unpack(pack(RESERVED))
    assert found.paths == ("AUX/a.tex", "con.tex", "main.tex")


@pytest.mark.parametrize("name", sorted(RESERVED.keys() - {"main.tex"}))
def test_on_windows_a_reserved_name_is_told_with_what_to_do(unpack, monkeypatch, name):
    monkeypatch.setattr(source_archive, "_RESERVES", True)
    with pytest.raises(IncompleteError, match=f"{name} is reserved on Windows: rename it"):
        unpack(zipped({name: b"x"}))


def test_one_compressed_source_that_begins_with_a_long_comment_is_a_paper(unpack):
    text = b"% a license\n" * 100 + b"\\documentclass{article}"
    found, folder = unpack(gzip.compress(text))
    assert found.paths == ("main.tex",)
    assert (folder / "main.tex").read_bytes() == text


def test_one_plain_source_is_a_paper(unpack):
    found, _ = unpack(b"% why\n\\documentclass{article}\\begin{document}", name="paper.tex")
    assert found.paths == ("main.tex",)


def test_a_size_that_an_entry_claims_is_not_believed(unpack):
    data = bytearray(zipped({"a.tex": bytes(30_000)}))
    where = data.index(b"PK\x01\x02") + 24
    data[where : where + 4] = struct.pack("<I", 5)
    with pytest.raises(IncompleteError, match=r"unpacks to more than|damaged"):
        unpack(bytes(data))


def test_an_entry_without_a_name_is_refused(unpack):
    with pytest.raises(IncompleteError, match="an entry has no name"):
        unpack(zipped({"": b"x"}))


def test_names_are_shown_without_orders_for_a_terminal(unpack):
    with pytest.raises(IncompleteError) as caught:
        unpack(zipped({"a\x1b[31m\n.tex": b"x"}))
    assert str(caught.value).isprintable()


def test_what_systems_and_editors_add_is_no_part_of_the_paper(unpack):
    added = {"__MACOSX/._main.tex": b"\0\5\x16\7", "fig/._a.pdf": b"\0\5\x16\7"}
    added |= {"fig/.DS_Store": b"\0\0\0\1Bud1", "Thumbs.db": b"\xd0\xcf", "desktop.ini": b"x"}
    added |= {"main.synctex.gz": gzip.compress(b"x")}
    found, folder = unpack(zipped(PAPER | added))
    assert (found.paths, found.ignored) == (("fig/a.pdf", "main.tex", "sec/b.tex"), ())
    assert not (folder / "__MACOSX").exists()


def test_what_is_no_file_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        unpack_source(tmp_path / "gone.zip", tmp_path)
    with pytest.raises(UsageError, match="is not a file"):
        unpack_source(tmp_path, tmp_path)


def test_an_archive_is_one_commit_the_same_for_whoever_unpacks_it_without_git(
    tmp_path, monkeypatch
):
    (tmp_path / "a.zip").write_bytes(zipped({**PAPER, ".gitignore": b"*"}))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    commits = set()
    for _ in range(2):
        with unpacked(tmp_path / "a.zip") as (repository, found):
            assert repository.commit is not None
            assert repository.root is not None
            commits.add(repository.resolve("HEAD"))
            entries = repository.tree(repository.commit)
            assert [item.path for item in entries] == list(found.paths)
            oids = [item.oid for item in entries]
            blobs = dict(repository.read_blobs([*oids, "0" * 40], limit=10_000))
            texts = [(repository.root / path).read_bytes() for path in found.paths]
            assert [blobs[oid] for oid in oids] == texts
            assert blobs["0" * 40] is None
            assert list(repository.sizes(oids).values()) == list(map(len, texts))
            assert set(dict(repository.read_blobs(oids, limit=0)).values()) == {None}
        assert not repository.root.exists()
    assert len(commits) == 1


def test_a_file_of_an_archive_has_the_digest_that_git_gives_it(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped(PAPER))
    with unpacked(tmp_path / "a.zip") as (repository, _):
        assert repository.root is not None
        oids = {item.path: item.oid for item in repository.tree("")}
        git(repository.root, "init", "--quiet")
        assert all(git(repository.root, "hash-object", path) == oid for path, oid in oids.items())
