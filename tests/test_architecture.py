"""Guards of the layout: whose packages these are, who imports whom, what starts light."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
PACKAGES = ("pfcore", "bot", "hooks", "prompts")

# An entry point asks for these only on the branch that needs them.
HEAVY = (
    "pydantic",
    "pylatexenc",
    "openai",
    "httpx2",
    "flask",
    "github",
    "sqlalchemy",
    "latex2mathml",
)
LIGHT_ENTRIES = (
    "pfcore.cli.main",
    "bot.publish_command",
    "pfcore.llm.model_settings",
    "pfcore.llm.store.reply_store",
    "pfcore.llm.engine.run",
)

# Values in, values out: files, git, the network, the clock and chance live elsewhere.
PURE = ("latex", "markup", "graph", "impact", "checks", "llm/engine", "reporters")
WORLD = frozenset(
    "http os random secrets shutil socket sqlite3 subprocess tempfile time urllib".split()
)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_package_is_ours(name: str) -> None:
    """The names are common ones: another distribution, or a paper's folder, may have them too."""
    assert importlib.import_module(name).__file__ == str(REPO / name / "__init__.py")


def test_imports_follow_the_arrows() -> None:
    linter = _python(
        "import sys; from importlinter.cli import lint_imports;"
        "sys.exit(lint_imports(no_cache=True, no_logo=True))",
        folder=REPO,
    )
    assert linter.returncode == 0, linter.stdout + linter.stderr


def test_latexs_own_numbers_are_for_people_alone() -> None:
    """Whatever judges, records or publishes a paper goes by the numbers that its sources give."""
    words = re.compile(
        r"\b(?:is_displayed|displayed\(report\)|latex_word|latex_numbers|kept_word)\b"
    )
    found = {
        path.relative_to(REPO).as_posix()
        for name in PACKAGES
        for path in (REPO / name).rglob("*.py")
        if words.search(path.read_text(encoding="utf-8"))
    }
    commands = ("check", "finding", "numbers", "report")
    assert found == {
        "pfcore/cli/command_table.py",
        *(f"pfcore/cli/commands/{name}_command{'s' * (name == 'finding')}.py" for name in commands),
        "pfcore/cli/environment.py",
        "pfcore/papers/latex_numbers.py",
        "pfcore/reporters/formats/numbers_report.py",
        "pfcore/review/review.py",
    }


@pytest.mark.parametrize("entry", LIGHT_ENTRIES)
def test_an_entry_point_starts_light(entry: str, tmp_path: Path) -> None:
    start = _python(f"import sys, {entry}; print(*sys.modules)", folder=tmp_path)
    assert start.returncode == 0, start.stderr
    assert set(start.stdout.split()).isdisjoint(HEAVY)


def test_only_the_client_itself_loads_what_asks_models(tmp_path: Path) -> None:
    names = [
        path.stem
        for path in (REPO / "pfcore/llm").glob("*.py")
        if path.stem not in {"__init__", "openai_client"}
    ]
    code = "import sys, pfcore.testing, " + ", ".join(f"pfcore.llm.{name}" for name in names)
    start = _python(f"{code}; print(*sys.modules)", folder=tmp_path)
    assert start.returncode == 0, start.stderr
    assert {"openai", "httpx2"}.isdisjoint(start.stdout.split())


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_run_without_a_model_stays_light(
    command: str, repository: Callable[..., str], document: Callable[..., str], tmp_path: Path
) -> None:
    lemma = "\\begin{lemma}[Main bound] %s \\end{lemma}"
    repository({"main.tex": document(lemma % "$1 < 2$.")})
    (tmp_path / "paper/main.tex").write_text(document(lemma % "$1 < 3$."))
    code = f"import sys, pfcore.cli.main; pfcore.cli.main.main([{command!r}]); print(*sys.modules)"
    run = _python(code, folder=tmp_path / "paper")
    assert "(Main bound)" in run.stdout, run.stderr
    assert set(run.stdout.split()).isdisjoint(HEAVY)


def test_a_plan_that_the_cache_knows_loads_no_reader_and_no_checks(
    repository: Callable[..., str], document: Callable[..., str], tmp_path: Path
) -> None:
    repository({"main.tex": document("\\begin{lemma} $1 < 2$. \\end{lemma}")})
    (tmp_path / "paper/main.tex").write_text(document("\\begin{lemma} $1 < 3$. \\end{lemma}"))
    code = "import sys, pfcore.cli.main; pfcore.cli.main.main(['plan']); print(*sys.modules)"
    first, second = (_python(code, folder=tmp_path / "paper").stdout.split() for _ in range(2))
    assert "pfcore.latex.reader" in first
    assert set(second).isdisjoint({"pfcore.latex.reader", "pfcore.checks", "importlib.metadata"})
    assert "multiprocessing" not in {*first, *second}


def test_the_core_is_pure() -> None:
    reached = [
        f"{path.relative_to(REPO)} imports {name}"
        for package in PURE
        for path in _sources(package)
        for name in sorted(_imported(path) & WORLD)
    ]
    assert reached == []


def _python(code: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _sources(package: str) -> list[Path]:
    core = REPO / "pfcore"
    return [*sorted((core / package).rglob("*.py")), *core.glob(f"{package}.py")]


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in plain + named}
