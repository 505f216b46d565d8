"""A paper that is there as a PDF alone, from the installed command to a server that is not ours."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import KEY

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

PAGE = b"BT /F1 12 Tf 72 720 Td (Theorem 1.1. For all x we have x > 0.) Tj ET"


def small_pdf() -> bytes:
    """One page with one sentence."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(PAGE), PAGE),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    made, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start, size = len(made), len(objects) + 1
    made += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return made + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)


Done = subprocess.CompletedProcess[str]


def pf(folder: Path, double: Any, *, endpoint: str = "responses", key: str = KEY) -> Done:
    """Run `pf check paper.pdf` with the double as its server."""
    config = folder / "config" / "pf-verify"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        f'base_url = "{double.base_url}"\nendpoint = "{endpoint}"\nkey_env = "DOUBLE_KEY"\n'
    )
    (folder / "paper.pdf").write_bytes(small_pdf())
    own = {"XDG_CONFIG_HOME": str(folder / "config"), "PF_DATA_DIR": str(folder / "data")}
    command = [str(Path(sysconfig.get_path("scripts")) / "pf"), "check", "paper.pdf"]
    return subprocess.run(
        [*command, "--model", "a-model", "--rollouts", "2", "--format", "json"],
        cwd=folder,
        env={**os.environ, **own, "DOUBLE_KEY": key},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_pdf_is_read_and_its_defect_stands_where_the_paper_has_it(
    double: Any, tmp_path: Path
) -> None:
    done = pf(tmp_path, double)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    (finding,) = found["findings"]
    assert (finding["location"], finding["rule"]) == ("Theorem 1.1", "missing-case")
    assert (finding["votes"], finding["rollouts"]) == (2, 2)
    assert found["unreached"] == []
    assert found["usage"]["calls"] == len(double.journal()) == 2 * 6
    again = pf(tmp_path, double)
    assert again.returncode == 1
    assert len(double.journal()) == 2 * 6


def test_a_server_that_refuses_is_no_pass(double: Any, tmp_path: Path) -> None:
    done = pf(tmp_path, double, key="another-key")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert found["findings"] == []
    assert [item["module"] for item in found["unreached"]] == ["paper.pdf"] * 2
    assert all("refuses the key (401)" in item["reason"] for item in found["unreached"])


def test_a_server_that_takes_no_pdf_is_not_asked(double: Any, tmp_path: Path) -> None:
    done = pf(tmp_path, double, endpoint="chat")
    assert done.returncode == 2
    assert "which accept no PDF" in done.stderr
    assert double.journal() == []
