"""Files with secrets: read only where nobody else may, written so that nobody else can."""

import stat

import pytest

from bot import app_settings
from pfcore.domain.errors import ConfigError

KEY = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.pem"
    app_settings.write_private(path, KEY)
    return path


def test_what_is_written_is_the_owners_alone(key):
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert app_settings.private_key(key) == KEY


def test_a_folder_that_is_made_for_it_is_the_owners_alone_too(tmp_path):
    app_settings.write_private(tmp_path / "deep" / "key.pem", KEY)
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700


def test_nothing_is_written_over(key):
    with pytest.raises(FileExistsError):
        app_settings.write_private(key, "another")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610])
def test_a_key_that_others_may_reach_is_refused(key, mode):
    key.chmod(mode)
    with pytest.raises(ConfigError, match="chmod 600"):
        app_settings.private_key(key)


def test_a_key_that_is_none_is_refused_and_not_quoted(key):
    key.write_text("hunter2")
    with pytest.raises(ConfigError, match="not a private key") as caught:
        app_settings.private_key(key)
    assert "hunter2" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"key\.pem: cannot be read"):
        app_settings.private_key(tmp_path / "key.pem")
    with pytest.raises(ConfigError, match="cannot be read"):
        app_settings.private_key(tmp_path)


def test_bytes_that_are_no_text_are_refused(key):
    key.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        app_settings.private_text(key)
