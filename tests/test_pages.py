"""The pages: their settings are settings, their commands are commands, their links lead somewhere.

Every block of YAML, TOML and of no language is tried here, or in the test that is named beside it;
those of shell run in tests/pfcore/cli/test_page_blocks.py.
"""

import argparse
import gzip
import json
import re
import shlex
import shutil
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from hooks import offline, online
from pfcore.bench.quality.readings import (
    ReadingCause,
    deletions,
    explained,
    first_answers,
    load,
    misses_and_alarms,
    scored,
    share,
)
from pfcore.bench.runs import synthetic
from pfcore.bench.scoring.scaling import wilson
from pfcore.checks import preflight, registry
from pfcore.checks.change import BESIDE_THE_TEXT
from pfcore.cli.command_parser import EXIT_STATUSES
from pfcore.cli.main import _made, _others, main, whole_parser
from pfcore.domain import paper_settings as settings
from pfcore.llm.model_settings import choose
from pfcore.reporters.formats.catalogue import schema

REPO = Path(__file__).parents[1]
DOCS = REPO / ".github/docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
ALL = PAGES | {
    "README": (REPO / "README.md").read_text(encoding="utf-8"),
    **{
        name: (REPO / f".github/{name}.md").read_text(encoding="utf-8")
        for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")
    },
}
BLOCK = re.compile(r"^(?:<!-- (\w+) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PF = re.compile(r"^(?:sudo -u \S+ \S+ |[A-Z_]+=(?:\$\([^()]*\)|\S+) )?(?:\S*/)?pf (.*)$")
INSTALL = "-m venv|pip install|\\.ci/run"
# The App's machine is not ours; tests/test_serving.py tries what can be tried of it.
UPKEEP = "useradd|cp bot/|sed -i|install -|systemctl|journalctl|tar -czf|git pull|rm -r|podman"
OTHERS = re.compile(
    rf"^(?:uvx |git (?:add|commit)|export OPENAI_API_KEY|.*(?:{INSTALL})|(?:{UPKEEP}))"
)


def blocks(language: str) -> list[tuple[str, str, str]]:
    """Page, mark and text of all blocks in a language."""
    return [
        (name, mark, body)
        for name, text in ALL.items()
        for mark, kind, body in BLOCK.findall(text)
        if kind == language
    ]


def sh_lines() -> list[tuple[str, str]]:
    return [(name, line) for name, _, body in blocks("sh") for line in body.splitlines()]


@pytest.fixture(scope="module")
def commands() -> dict[str, argparse.ArgumentParser]:
    _, found = _made()
    _others(found)
    return dict(found.choices)


def below(parser: argparse.ArgumentParser, words: list[str]) -> argparse.ArgumentParser:
    """The parser of a subcommand, where a command has some."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words:
            found: argparse.ArgumentParser = action.choices[words[0]]
            return found
    return parser


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


def test_all_blocks_are_of_kinds_that_are_tried():
    kinds = {kind for text in ALL.values() for _, kind, _ in BLOCK.findall(text)}
    assert kinds == {"sh", "yaml", "toml", "text", ""}


def test_every_line_of_shell_is_a_command_that_is_tried():
    unknown = [line for _, line in sh_lines() if not PF.match(line) and not OTHERS.match(line)]
    assert unknown == []


@pytest.mark.parametrize(("page", "line"), [item for item in sh_lines() if PF.match(item[1])])
def test_commands_and_their_options_exist(page, line, commands):
    match = PF.match(line)
    assert match
    name, *words = shlex.split(re.split(r" [>|] ", match[1])[0], comments=True)
    parser = below(commands[name], words)
    given = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert given <= options_of(parser), f"{page}: {line}"


def test_commands_between_the_words_exist_with_their_options(commands):
    spans = [
        (name, span)
        for name, text in ALL.items()
        for span in re.findall(r"`pf ([a-z][^`]*)`", BLOCK.sub("", text).replace("\n", " "))
        if "…" not in span.split()[:2]
    ]
    assert len(spans) > 60
    for name, span in spans:
        word, *words = span.split()
        assert word in commands, f"{name}: pf {span}"
        parser = below(commands[word], words)
        given = {one.partition("=")[0] for one in words if one.startswith("--")}
        assert given <= options_of(parser), f"{name}: pf {span}"


def test_the_settings_of_a_paper_are_accepted_and_none_is_missing():
    (block,) = [body for name, mark, body in blocks("toml") if name == "configuration" and not mark]
    found = settings.parse_paper_settings(block, path="pf.toml")
    registry.require_known(found.checks, path="pf.toml")
    assert found.papers
    parts = (
        *(settings.Latex, settings.CheckSettings, settings.ModuleBounds, settings.Blueprint),
        *(settings.ReadingSettings, settings.AppDefaults, settings.PaperEntry),
    )
    for part in parts:
        for item in fields(part):
            assert re.search(rf"^{item.name} = ", block, re.MULTILINE), item.name
    assert re.search(r"^publish = ", block)


def test_what_the_page_calls_a_default_is_one():
    (block,) = [body for name, mark, body in blocks("toml") if name == "configuration" and not mark]
    found = settings.parse_paper_settings(block, path="pf.toml").reading
    default = settings.ReadingSettings()
    names = (
        *("budget", "budget_per_day", "ask_above", "rollouts", "min_votes", "attempts"),
        *("granularity", "strictness", "form", "asks"),
    )
    assert {name: getattr(found, name) for name in names} == {
        name: getattr(default, name) for name in names
    }


def test_a_users_own_settings_are_accepted():
    (block,) = [body for _, mark, body in blocks("toml") if mark == "config"]
    found = choose(None, {}, block)
    assert found is not None
    assert (found.model, found.connection.base_url) == (
        "gpt-5.4-mini",
        "https://models.example/v1",
    )


def test_all_settings_on_the_pages_are_tried():
    where = [(name, mark) for name, mark, _ in blocks("toml")]
    assert where == [
        ("configuration", ""),
        ("configuration", "config"),
        ("overleaf", ""),
        ("serving", ""),
    ]


def test_the_setting_of_the_overleaf_page_asks_for_the_issue():
    (block,) = [body for name, _, body in blocks("toml") if name == "overleaf"]
    assert settings.parse_paper_settings(block, path="pf.toml").app.issue


def test_all_yaml_on_the_pages_is_yaml_and_tried():
    tried = {  # by the tests that run or check it; here, that it is YAML with these keys
        "together": {"name", "on", "permissions", "jobs"},  # acceptance/test_pasted, test_workflow
        "together more": {"ledger", "scanning"},  # acceptance/test_pasted
        "submitting": {"on", "permissions", "jobs"},  # below
        "writing": {"default_install_hook_types", "repos"},  # acceptance/test_pre_commit
        "serving": {"scrape_configs"},
        "overleaf": {"name", "on", "permissions", "jobs"},  # acceptance/test_workflow
    }
    found = {
        f"{name} more" if mark == "more" else name: yaml.safe_load(body)
        for name, mark, body in blocks("yaml")
    }
    assert len(blocks("yaml")) == len(tried)
    # YAML 1.1 takes "on" for a truth value.
    keys = {name: {"on" if key is True else key for key in body} for name, body in found.items()}
    assert keys == tried


def test_the_workflow_of_the_gate_gives_the_action_what_it_takes():
    (body,) = [body for name, _, body in blocks("yaml") if name == "submitting"]
    action = yaml.safe_load((REPO / ".github/actions/pf-gate/action.yml").read_text())
    steps = yaml.safe_load(body)["jobs"]["gate"]["steps"]
    (step,) = [step for step in steps if "/pf-gate@" in step["uses"]]
    assert set(step["with"]) <= set(action["inputs"])
    assert step["uses"].startswith("OWNER/pf-verify/.github/actions/pf-gate@v")


def test_the_proof_in_modules_has_no_fault(tmp_path, monkeypatch, capsys):
    (proof,) = [body for name, _, body in blocks("") if "<THEOREM_PROOF>" in body]
    (tmp_path / "proof.pf").write_text(proof, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "proof.pf"]) == 0
    assert capsys.readouterr().out.startswith("proof.pf  1 file, working tree\n3 results, ")


NEEDS = r"""\documentclass{article}
\usepackage{amsthm}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{definition}[theorem]{Definition}
\begin{document}
\section{Calm maps}
\subsection{A}
Let $R$ be a ring with many ideals.
\subsection{B}
Let $R$ be a radius that is not small.
\subsection{C}
We write $\mathcal{E}$ for the set of all even maps.
\begin{definition}\label{def:calm} A map is \emph{Calm} if it has a fixed point.\end{definition}

\begin{theorem}\label{thm:calm}
Every map in $\mathcal{E}$ is Calm.
\end{theorem}
\begin{proof}
It fixes $\xi_0$, as the size of $R$ is finite.
\end{proof}
\end{document}
"""


def test_the_needs_of_the_design_are_what_a_paper_has(tmp_path, monkeypatch, capsys):
    (shown,) = [body for name, _, body in blocks("text") if name == "design"]
    (tmp_path / "main.tex").write_text(NEEDS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--why", "thm:calm"]) == 0
    assert f"\n{shown}" in capsys.readouterr().out


def test_the_blocks_of_no_language_are_tried_or_cannot_be():
    tried = {
        ("writing", "<THEOREM_STATEMENT>"),  # above
        ("design", "needs:"),  # above
        ("CONTRIBUTING", "snapshot -> front end"),  # a drawing: nothing in it runs
        ("serving", "pf.example.org {"),  # settings of Caddy
    }
    found = {(name, body) for kind in ("", "text") for name, _, body in blocks(kind)}
    assert len(found) == len(tried)
    for name, start in tried:
        assert [body for page, body in found if page == name and body.startswith(start)]
    assert shutil.which("caddy") is None, "have caddy validate the block"


def test_the_benchmarks_run_as_they_stand(tmp_path, monkeypatch, capsys):
    synthetic.write_rows(tmp_path, 2)
    for made, named in (
        (synthetic.PROOFS, "hard2verify.jsonl"),
        (synthetic.PAPERS, "arxiv.jsonl"),
        (synthetic.PDFS, "pdfs"),
    ):
        (tmp_path / made).rename(tmp_path / named)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    lines = re.findall(r"^pf (bench (?:hard2verify|arxiv) .*)$", PAGES["quality"], re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        assert "--model gpt-5.4-mini" in line
        simulated = line.replace("--model gpt-5.4-mini", "--simulate 0.7,0.1").split()
        assert main(simulated) == 0
        assert "k = 8 rollouts" in capsys.readouterr().out
    assert len(list((tmp_path / "pf-bench").iterdir())) == 2


def test_every_check_is_in_the_reference_as_it_is():
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|note) \|", PAGES["reference"], re.M)
    assert rows == [(check.id, check.severity.value) for check in registry.ALL]


def test_the_checks_of_the_gate_alone_are_named():
    part = PAGES["reference"].partition("Only `pf gate` looks for:")[2].partition("\n\n")[0]
    assert re.findall(r"`([a-z-]+)`", part) == [check.id for check in preflight.BEFORE_AN_UPLOAD]
    part = PAGES["reference"].partition("look for three of these if")[2].partition("\n\n")[0]
    assert re.findall(r"`([a-z-]+)`", part) == list(BESIDE_THE_TEXT)


@pytest.mark.parametrize("name", ["check", "plan", "graph"])
def test_every_key_of_json_is_in_the_reference(name):
    part = PAGES["reference"].partition(f"\n`pf {name} --format json`:")[2].partition("\n\n`pf ")[0]
    part = part.partition("\n## ")[0]
    keys = re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
    found = json.loads(schema(name))
    if name == "plan":  # whose modules have the keys of the graph's
        part += PAGES["reference"].partition("\n`pf graph --format json`:")[2]
    assert keys == list(found["properties"])
    assert set(keys_of(found)) - set(re.findall(r"`(\w+)`", part)) == set()


def keys_of(schema: dict[str, Any]) -> Iterator[str]:
    """The keys of a form, and of all that is in it."""
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from keys_of(inner)
    for inner in (
        schema.get("items"),
        schema.get("additionalProperties"),
        *schema.get("anyOf", ()),
    ):
        if isinstance(inner, dict):
            yield from keys_of(inner)


def test_every_exit_status_is_in_the_reference_and_on_no_other_page():
    rows = {name: re.findall(r"^\| ([0-9]) \|", text, re.MULTILINE) for name, text in ALL.items()}
    named = re.findall(r"([0-9]) [a-z]", EXIT_STATUSES)
    assert {name: row for name, row in rows.items() if row} == {"reference": named}


def test_every_option_is_in_the_reference_once_with_all_its_commands(commands):
    part = PAGES["reference"].partition("\n## Options\n")[2].partition("\n## ")[0]
    rows = [row for row in part.splitlines() if row.startswith("| `")]
    hooks = {"pf-verify": offline.option_parser(), "pf-verify-online": online.option_parser()}
    assert rows == option_rows({**commands, **hooks}, whole_parser()[0])


def test_options_checks_and_keys_are_explained_on_no_other_page():
    checks = {check.id for check in registry.ALL}
    keys = {
        key for name in ("check", "plan", "graph") for key in json.loads(schema(name))["properties"]
    }
    for name, text in ALL.items():
        rows = re.findall(r"^\| `([^`]+)`(?:, `[^`]+`)* \| ([^|]*)", text, re.MULTILINE)
        if name == "reference":
            assert len(rows) > len(checks) + len(keys)
            continue
        assert [row for row, _ in rows if row.startswith("-")] == [], name
        assert [row for row, _ in rows if row in keys] == [], name
        severities = ("error", "warning", "note")
        assert [row for row, said in rows if row in checks and said.strip() in severities] == [], (
            name
        )


def option_rows(
    commands: dict[str, argparse.ArgumentParser], top: argparse.ArgumentParser
) -> list[str]:
    """A row for each option and each meaning that it has, in the words of the commands' help.

    `top` takes some options before the command, which need no second row.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for name, parser in (("pf", top), *leaves(commands)):
        formatter = parser._get_formatter()
        for action in parser._actions:
            is_told = name != "pf" or action.help
            if is_told and action.option_strings and not isinstance(action, argparse._HelpAction):
                said = formatter._expand_help(action) if action.help else ""
                value = (
                    "" if action.nargs == 0 else f" {formatter._format_args(action, '')}".rstrip()
                )
                key = (", ".join(action.option_strings) + value, said)
                found.setdefault(key, []).append(name)
    return [
        f"| `{option}` | {', '.join(names)} | {said} |".replace("  ", " ")
        for (option, said), names in sorted(found.items())
    ]


def leaves(
    commands: dict[str, argparse.ArgumentParser], before: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """All commands that have no subcommands, with their full names."""
    for name, parser in commands.items():
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if below:
            yield from leaves(below[0].choices, f"{before}{name} ")
        else:
            yield f"{before}{name}", parser


def test_every_command_is_in_the_reference(commands):
    part = PAGES["reference"].partition("## Commands")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `pf ([a-z]+)", part, re.MULTILINE)) == set(commands)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_in_its_first_line_whom_it_is_for(name):
    title, empty, sentence, after, *_ = PAGES[name].splitlines()
    assert title.startswith("# ") and (empty, after) == ("", "")
    assert sentence.startswith("For ") and sentence.endswith(".")


@pytest.mark.parametrize("name", [*PAGES, "CONTRIBUTING"])
def test_links_between_pages_are_relative_and_lead_to_what_is_there(name):
    folder = DOCS if name in PAGES else DOCS.parent
    text = BLOCK.sub("", ALL[name])
    for target in re.findall(r"(?<!!)\[[^\]\[]+\]\(([^)\s]+)\)", text):
        if "://" not in target:
            assert (folder / target.partition("#")[0]).is_file(), f"{name}: {target}"


TURNS = (
    *("is called so", "nothing to be had", "held against", "nobody else reads"),
    *("goes past the hook", "is no use of it", "stand twice", "stands twice"),
)


@pytest.mark.parametrize("name", [*PAGES, "README"])
def test_the_words_are_plain_english(name):
    words = " ".join(ALL[name].split())
    assert [turn for turn in TURNS if turn in words] == []


def test_what_the_design_says_of_contexts_is_what_was_measured():
    from tests.pfcore.graph.building.test_introduction_index import (
        APART_FOUND,
        FOUND,
        REOPENED,
    )

    design = " ".join(PAGES["design"].split())
    drawn = {"en": "drawn_eighth.toml", "de": "drawn_ninth.toml", "fr": "drawn_eighth.toml"}
    near = {language: FOUND[name][language] for language, name in drawn.items()}
    apart = {language: APART_FOUND[name][language] for language, name in drawn.items()}
    folder = REPO / "tests/data/introductions"
    count = Counter(
        item["language"]
        for language, name in drawn.items()
        for item in tomllib.loads((folder / name).read_text("utf-8"))["paper"]
        if item["language"] == language
    )
    assert f"We drew {count.total()} introductions" in design
    for words, found in (
        ("right before the result that uses it", near),
        ("another result is between the two", apart),
    ):
        shares = ", ".join(
            f"{name} {found[key]} of {count[key]}"
            for name, key in (("English", "en"), ("German", "de"), ("French", "fr"))
        )
        assert re.search(rf"{words}[^.]*? {sum(found.values())} [^.]*?\({shares}\)", design)
    assert f"{60 - sum(REOPENED.values())} of 60 edits of other sentences" in design
    scores = json.loads((REPO / "tests/data/unprepared/needed_scores.json").read_text("utf-8"))
    listed = (REPO / "tests/data/unprepared/needed.jsonl").read_text("utf-8").splitlines()
    papers = [json.loads(line) for line in listed]
    claims = {
        half: {
            (paper["repository"], claim["claim"])
            for paper in papers
            if paper["half"] == half
            for claim in paper["claims"]
        }
        for half in ("look", "measure")
    }
    names = {name for name, _ in claims["measure"]}
    then, now = (scores["measure"][when] for when in ("before", "after"))
    assert f"referee needs for {len(claims['measure'])} claims of {len(names)} papers" in design
    had, have = (round(100 * score["held"] / score["essential"]) for score in (then, now))
    assert f"contexts had {then['held']} of {then['essential']} ({had} %) before" in design
    assert f"with {len(claims['look'])} claims of other papers" in design
    assert f"and have {now['held']} ({have} %) now" in design
    assert f"named {100 * now['used'] / now['entries']:.0f} % of the entries" in design
    assert f"In {now['lacking']} of {now['claims']} readings, something essential" in design
    said = " ".join(design.partition("Wider contexts")[2].split())
    for score in scores["measure"]["wider"].values():
        share, needed = score["held"] / score["essential"], score["used"] / score["entries"]
        told = rf"{score['held']} \({share:.0%}\)[^.]* {needed:.0%} of the entries would be needed"
        assert re.search(told.replace("%", " %"), said)


def test_what_is_said_of_readings_of_unprepared_papers_is_on_record():
    data = json.loads((REPO / "tests/data/readings/asking.json").read_text("utf-8"))
    whole = data["readings"]
    (less,) = deletions(data)
    said = Counter(item["verdict"] for item in whole)
    judged = [one for item in whole for one in item.get("objections", ())]
    sound = Counter(what for verdict, what in judged if verdict == "sound")
    unsound = sum(
        all(verdict != "sound" for verdict, _ in item["objections"])
        for item in whole
        if item["verdict"] == "flagged"
    )
    told = sum(item["told_characters"] + item["characters"] for item in whole if item["told"])
    page = " ".join(PAGES["quality"].split())
    assert first_answers(data) == said
    papers = {item["repository"] for item in (*whole, *data["deletions"])}
    assert f"2026-11-27, {len(papers)} public repositories" in page
    assert "2026-11-27" in data["provenance"]
    assert (
        f"Of {len(whole)} results with complete contexts, readers objected to {said['flagged']}, "
        f"left {said['left open']} open and accepted {said['accepted']}"
    ) in page
    assert (
        f"called {sound.total()} of the {len(judged)} objections sound ({sound['error']} errors, "
        f"{sound['gap']} gaps, {sound['slip']} slips), and {len(judged) - sound.total()} answered"
    ) in page
    assert f"{unsound} of the {said['flagged']} results had no sound objection" in page
    more = round(100 * told / sum(item["characters"] for item in whole))
    asked = sum(item["told"] > 0 for item in whole)
    assert f"asked for more about {asked} of the {len(whole)} ({more} % more tokens)" in page
    lacking = sum(item["wanted"] > item["wanted_told"] for item in whole)
    assert f"For {lacking}, the paper could not supply an answer" in page
    again = [item for item in whole if item["wanted_told"]]
    told = sum(item["characters"] + item["told_characters"] for item in again)
    more = round(100 * told / sum(item["characters"] for item in whole))
    assert (
        f"in {len(again)} cases ({more} % more tokens), the verdict depended on the answer"
    ) in page
    said = less.outcomes
    total = said.total()
    other = total - said["asked"]
    assert (
        f"wanted it in {share(said['asked'], total)}. In the other {other}, they objected" in page
    )
    assert (
        f"objected ({said['objected']}), wanted something else "
        f"({said['asked for something else']}) or accepted ({said['accepted']}). "
        f"In {less.helped} of these, they called it only helpful"
    ) in page
    place = REPO / "tests/data/readings/asking.json"
    causes = Counter(item.cause for item in explained(place, misses_and_alarms(data)))
    assert causes.total() == other
    harmless = causes[ReadingCause.HARMLESS]
    assert f"In {harmless} of the {other}, the missing entry made no difference" in page


def test_what_two_wordings_ask_for_is_on_record():
    packed = (REPO / "tests/data/unprepared/asking_wordings.json.gz").read_bytes()
    data = json.loads(gzip.decompress(packed))
    assert "2026-11-30" in data["provenance"]
    found = defaultdict(list)
    for item in data["readings"]:
        found[item["wording"], item["sample"]].append(item)
    page = " ".join(PAGES["quality"].split())
    number = len(found["A", "essential"])
    assert {len(found[one, kind]) for one in "AB" for kind in ("essential", "whole")} == {number}
    papers = {(item["repository"], item["root"]) for item in data["readings"]}
    assert f"Both were read with {number} results whose contexts lacked an essential" in page
    assert f"and {number} with complete contexts, of {len(papers)} public papers" in page
    told = []
    for wording in "AB":
        asked = sum(item["asked"] for item in found[wording, "essential"])
        again = [item for item in found[wording, "whole"] if item["again"]]
        told += [share(asked, number), len(again), _more_characters(found[wording, "whole"])]
    first, second = told[:3], told[3:]
    assert (
        f"asked for the entry in {first[0]}, and a review would ask a second question "
        f"for {first[1]} of the {number} complete contexts ({first[2]} % more tokens)"
    ) in page
    assert (
        f"With the fourth, they asked for it in {second[0]}, and a review would ask one for "
        f"{second[1]} ({second[2]} % more tokens)"
    ) in page
    guessed = [sum(item["asked"] for item in found[wording, "guessable"]) for wording in "AB"]
    assert len(found["A", "guessable"]) == len(found["B", "guessable"]) == 30
    assert f"Of 30 entries whose meaning can be guessed, they asked for {guessed[0]} with" in page
    assert f"with the second and {guessed[1]} with the fourth" in page


def _more_characters(readings):
    """How much more a review sends for the second questions of some readings, in per cent."""
    once = [item["instructions"] + item["characters"] for item in readings]
    again = [
        size + item["told_characters"]
        for size, item in zip(once, readings, strict=True)
        if item["again"]
    ]
    return round(100 * sum(again) / sum(once))


def test_what_judges_say_of_objections_to_wrong_texts_is_on_record():
    listed = json.loads((REPO / "tests/data/readings/judged.json").read_text("utf-8"))["rows"]
    rows = [row for row in listed if row["file"] != "planted"]
    keys = {(row["file"], row["id"], json.dumps(row["conditions"])) for row in rows}
    said = Counter(tuple(row["means"]) for row in rows)
    assert len(keys) == len(rows)
    assert set(said) == {("defect", "defect"), ("neither", "neither")}
    neither = {row["id"] for row in rows if row["means"] == ["neither", "neither"]}
    assert len(neither) == 1
    page = " ".join((DOCS / "quality.md").read_text("utf-8").split())
    assert f"all {len(rows)} objecting readings of wrong texts" in page
    assert (
        f"{said['defect', 'defect']} mean the known defect, none the invented one; "
        f"{said['neither', 'neither']}, all of one text, mean neither"
    ) in page


def test_what_judges_say_of_planted_errors_is_on_record():
    listed = json.loads((REPO / "tests/data/readings/judged.json").read_text("utf-8"))["rows"]
    said = {row["id"]: row["means"] for row in listed if row["file"] == "planted"}
    readings = load(REPO / "tests/data/readings/planted.json.gz")
    objecting = {one.row["id"]: one.row for one in scored(readings)
                 if one.row["faulty"] and one.outcome == "flagged"}  # fmt: skip
    assert said.keys() == objecting.keys()
    is_meant = {name: {"defect", "both"}.issuperset(means) for name, means in said.items()}
    assert is_meant == {name: row["meant"] for name, row in objecting.items()}
    count = Counter(map(tuple, said.values()))
    apart = sum(number for (one, other), number in count.items() if one != other)
    page = " ".join(PAGES["quality"].split())
    assert f"the {len(said)} objecting readings of planted errors" in page
    assert f"both say that {count['defect', 'defect']} mean the planted error" in page
    assert f"{count['invented', 'invented']} the invented one" in page
    assert f"and {count['neither', 'neither']} neither" in page
    assert f"on {apart} they differ" in page


def test_what_is_said_of_later_readings_is_on_record():
    data = json.loads((REPO / "tests/data/readings/asking_eighth.json").read_text("utf-8"))
    read = data["readings"]
    said = Counter(item["verdict"] for item in read)
    assert first_answers(data) == said
    assert "2026-11-28" in data["provenance"]
    again = [item for item in read if item["is_asked_again"]]
    assert again == [
        item
        for item in read
        if item["wanted"] > item["lacking"]
        or (item["wanted"] and item["objections"] and item["told_characters"])
    ], "as pfcore.verification.verify asks again"
    told = sum(item["characters"] + item["told_characters"] for item in again)
    more = round(100 * told / sum(item["characters"] for item in read))
    page = " ".join(PAGES["quality"].split())
    assert f"another {len(read)} results of {len({item['repository'] for item in read})}" in page
    assert (
        f"readers objected to {said['flagged']}, left {said['left open']} open and accepted "
        f"{said['accepted']}. A review would ask a second question for {len(again)} of them "
        f"({more} % more tokens)"
    ) in page
    lacking = sum(item["lacking"] > 0 for item in read)
    assert f"For {lacking}, the paper could not supply an answer. One reader" in page


def test_what_is_said_of_lines_before_an_upload_is_on_record():
    data = json.loads((REPO / "tests/data/unprepared/preflight_ninth.json").read_text("utf-8"))
    papers = data["papers"]
    said: dict[str, Counter[str]] = {}
    for item in papers:
        for rule, verdicts in item["before"].get("shown", {}).items():
            said.setdefault(rule, Counter()).update(verdicts)
    before = sum(said.values(), Counter())
    after: Counter[str] = Counter()
    for item in papers:
        for verdicts in item.get("after", {}).get("shown", {}).values():
            after.update(verdicts)
    with_any = [item["before"]["shown"] for item in papers if "shown" in item["before"]]
    wrong = sum(any("false" in one for one in shown.values()) for shown in with_any)
    worst = max(one.get("false", 0) for shown in with_any for one in shown.values())
    page = " ".join(PAGES["quality"].split())
    assert f"{len(papers)} papers that had never been looked at" in page
    assert f"printed {before.total()} lines about an upload, in {len(with_any)} papers" in page
    share = round(100 * before["true"] / before.total())
    low, high = (
        round(100 * one) for one in wilson(before["true"] / before.total(), before.total())
    )
    assert (
        f"{before['true']} lines are true ({share} %; {low}–{high} %), {before['arguable']} are "
        f"arguable and {before['false']} are false"
    ) in page
    assert (
        f"then printed {after.total()} lines: {after['true']} true, "
        f"{after['arguable']} arguable and "
        f"{after['false'] or 'none'} false"
    ) in page
    assert f"False lines were in {wrong} of {len(with_any)} papers" in page
    assert f"Of the {before['false']}, {worst} have one cause in one paper" in page
    for rule, verdicts in said.items():
        row = " | ".join(str(verdicts[one]) for one in ("true", "arguable", "false"))
        assert f"| `{rule}` | {row} |" in page


def test_what_is_said_of_leftovers_is_on_record():
    """That the last pair is what is found: `tests/pfcore/checks/test_leftovers.py`."""
    notes = " ".join((REPO / "tests/data/unprepared/README.md").read_text("utf-8").split())
    told = notes.partition("`../leftovers.toml` has")[2].partition("`uses.jsonl`")[0]
    ((kinds, others, warned, reported),) = re.findall(
        r"(\d+) kinds of leftovers and (\d+) look-alikes.*? (\d+) were found as warnings and"
        r" .*?, and (\d+) look-alikes",
        told,
    )
    (*_, (before, _), (found, left)) = re.findall(r"(\d+) and (\d+) since", told)
    (noted,) = re.findall(r"are notes, of which there are (\d+)", told)
    page = " ".join(PAGES["quality"].split())
    assert (
        f"measured on {kinds} kinds and {others} look-alikes that were written before anyone "
        f"looked at the rules: {warned} were found as warnings, and {reported} look-alikes were "
        f"reported. With general forms instead of phrases, {found} are found as warnings and "
        f"{noted} as notes, and {left} look-alike is reported."
    ) in page
    assert f"before then, {before} were found as warnings" in page
    listed = (REPO / "tests/pfcore/checks/test_leftovers.py").read_text("utf-8")
    assert (
        f'(counts["debris"]["warned"], counts["debris"]["noted"]) == ({found}, {noted})' in listed
    )
    assert f'counts["innocent"]["warned"] == {left}' in listed


def test_what_is_said_of_the_second_set_of_lines_before_an_upload_is_on_record():
    data = json.loads((REPO / "tests/data/unprepared/preflight_tenth.json").read_text("utf-8"))
    papers = data["papers"]
    shown = [item["before"]["shown"] for item in papers if "shown" in item["before"]]
    before = sum((Counter(one) for rules in shown for one in rules.values()), Counter())
    rules = [item["after"].get("shown", {}) for item in papers]
    after = sum((Counter(one) for listed in rules for one in listed.values()), Counter())
    many = max(rules.get("undefined-citation", {}).get("true", 0) for rules in shown)
    page = " ".join(PAGES["quality"].split())
    assert f"another {len(papers)} papers, drawn by a rule from" in page
    assert "went through the gate on the same day" in page
    true, number = before["true"], before.total()
    low, high = (round(100 * one) for one in wilson(true / number, number))
    share = f"{round(100 * true / number)} %; {low}–{high} %"
    assert (
        f"It printed {number} lines in {len(shown)} papers: {true} true ({share}), "
        f"{before['arguable']} arguable and {before['false']} false. {many} of"
    ) in page
    true, number = true - many, number - many
    low, high = (round(100 * one) for one in wilson(true / number, number))
    share = f"{round(100 * true / number)} %; {low}–{high} %"
    assert f"{true} of the other {number} are true ({share})" in page
    assert (
        f"printed {after.total()} lines: {after['true']} true, {after['arguable']} arguable and "
        f"{after['false'] or 'none'} false"
    ) in page


def test_what_is_said_of_the_fourth_set_of_lines_before_an_upload_is_on_record():
    data = json.loads((REPO / "tests/data/unprepared/preflight_twelfth.json").read_text("utf-8"))
    papers = data["papers"]
    shown = [item["before"]["shown"] for item in papers if "shown" in item["before"]]
    found = sum((Counter(one) for rules in shown for one in rules.values()), Counter())
    page = " ".join(PAGES["quality"].split())
    assert f"A fourth set of {len(papers)} papers" in page
    number, true = found.total(), found["true"]
    low, high = (round(100 * one) for one in wilson(true / number, number))
    assert (
        f"printed {number} warnings and errors in {len(shown)} papers: {true} true "
        f"({round(100 * true / number)} %; {low}–{high} %), {found['arguable']} arguable and "
        f"{found['false']} false."
    ) in page
    worst = sorted(sum(one.get("false", 0) for one in rules.values()) for rules in shown)[-2:]
    assert f"{sum(worst)} of the false lines have two causes in two papers" in page
    assert f"{sum(item['at_once'] for item in papers)} papers passed at once" in page
    compiled = sum(item.get("compiles", False) for item in papers)
    same = sum(item.get("is_same_text", False) for item in papers)
    assert f"of the {compiled} that were compiled here got an upload; {same} of these" in page
    notes = " ".join((REPO / "tests/data/unprepared/README.md").read_text("utf-8").split())
    told = notes.partition("`preflight_twelfth.json` has")[2].partition("`preflight_")[0]
    ((bulk, all_compiled, got),) = re.findall(
        r"(\d+) after the one answer in bulk .*? (\d+) compile and (\d+) have a bundle", told
    )
    assert int(all_compiled) == compiled
    assert f"{bulk} more with a single bulk answer. {got} of the {compiled} that" in page


def test_what_is_said_of_the_fifth_set_of_lines_before_an_upload_is_on_record():
    data = json.loads((REPO / "tests/data/unprepared/preflight_thirteenth.json").read_text("utf-8"))
    papers = data["papers"]

    def total(state, group):
        listed = [one for item in papers for one in item.get(state, {}).get(group, {}).values()]
        return sum(map(Counter, listed), Counter())

    found, structure = total("before", "shown"), total("before", "structure")
    with_any = sum("shown" in item["before"] for item in papers)
    page = " ".join(PAGES["quality"].split())
    assert f"A fifth set of {len(papers)} papers" in page
    number, true = found.total(), found["true"]
    low, high = (round(100 * one) for one in wilson(true / number, number))
    assert (
        f"printed {number} lines about an upload in {with_any} papers: {true} true "
        f"({round(100 * true / number)} %; {low}–{high} %), {found['arguable']} arguable and "
        f"{found['false']} false. It also printed {structure['false']} false references"
    ) in page
    got = Counter(item["bundle"] for item in papers)
    assert (
        f"{got['at once']} papers had an upload at once, and {got['after one answer']} more with "
        "a single bulk answer."
    ) in page
    same = [item["is_same_text"] for item in papers if item.get("compiles")]
    assert all(same) and f"uploads of all {len(same)} that compile here" in page


def test_what_is_said_of_the_eighteenth_set_of_lines_before_an_upload_is_on_record():
    folder = REPO / "tests/data/unprepared"
    papers = json.loads((folder / "preflight_eighteenth.json").read_text("utf-8"))["papers"]

    def total(state, group):
        listed = [one for item in papers for one in item.get(state, {}).get(group, {}).values()]
        return sum(map(Counter, listed), Counter())

    page = " ".join((folder / "README.md").read_text("utf-8").split())
    found, structure = total("before", "shown"), total("before", "structure")
    with_any = sum("shown" in item["before"] for item in papers)
    assert (
        f"Of {found.total()} lines shown, in {with_any} papers, {found['true']} are true and "
        f"{found['false']} false"
    ) in page
    assert f"In the structure {structure['true']} are true and {structure['false']} false" in page
    got = Counter(item["bundle"] for item in papers if item["results"])
    assert (
        f"asked of the {got.total()}: {got['at once']} have one at once, {got['after one answer']} "
        f"after the one answer in bulk that the gate names, {got['none']} none"
    ) in page
    now, left = total("after", "shown"), total("after", "structure")
    assert (
        f"after that {now.total()} lines, {now['true']} true, and in the structure "
        f"{left['true']} of {left.total()}"
    ) in page


def test_what_is_said_of_the_third_set_of_lines_before_an_upload_is_on_record():
    data = json.loads((REPO / "tests/data/unprepared/preflight_eleventh.json").read_text("utf-8"))
    papers = data["papers"]
    shown = [item["before"]["shown"] for item in papers if "shown" in item["before"]]
    listed = [(rule, Counter(one)) for rules in shown for rule, one in rules.items()]
    before = sum((one for _, one in listed), Counter())
    many = max(sum(map(sum, (one.values() for one in rules.values()))) for rules in shown)
    page = " ".join(PAGES["quality"].split())
    assert f"A third set of {len(papers)} papers" in page
    true, number = before["true"], before.total()
    low, high = (round(100 * one) for one in wilson(true / number, number))
    assert (
        f"The gate printed {number} lines in {len(shown)} papers: {true} true "
        f"({round(100 * true / number)} %; {low}–{high} %), {before['arguable']} arguable and "
        f"{before['false']} false. {many} of"
    ) in page
    true, number = true - many, number - many
    low, high = (round(100 * one) for one in wilson(true / number, number))
    share = f"{round(100 * true / number)} %; {low}–{high} %"
    assert f"{true} of the other {number} are true ({share})" in page
    worst = max(one["false"] for _, one in listed)
    assert f"{worst} of the false lines have one cause in one paper" in page
