"""Papers that try to command the verifier: what reaches the prompt is fenced data."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import prompts
from pfcore.graph.paper_state import build_paper_state
from pfcore.latex.lexer.mask import UNSEEN
from pfcore.llm.protocol import Endpoint, Request
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.review.review import Report
from pfcore.verification.contract import Contract
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask, tasks

DATA = Path(__file__).resolve().parents[2] / "data" / "aimed"
PAPERS = sorted(path.stem for path in DATA.glob("*.tex"))
Reviewed = Callable[..., Report]
CONTRACT = Contract(endpoint=Endpoint.CHAT, model="a-model", prompts=tuple(prompts.CURRENT.items()))
_LINE = re.compile(r"^----- ([0-9a-f]{16}) (begin|end): (.+)$", re.MULTILINE)


Asked = Callable[[str, str], Request]


@pytest.fixture(scope="module")
def request_for(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """What the only proof of a paper, by its text, makes a stage ask; each paper is read once."""

    @cache
    def task(text: str) -> ContextTask:
        folder = tmp_path_factory.mktemp("aimed")
        (folder / "main.tex").write_text(text, encoding="utf-8")
        (paper,) = discover.discover_papers(
            snapshot.from_folder(folder), ParseCache(MemoryCache())
        ).papers
        moment = build_paper_state(paper)
        (found,) = tasks(moment, moment.document.modules)
        return found

    asking = ActionFactory(contract=CONTRACT, prompt=prompts.prompt)
    return lambda text, stage: asking.action(stage, task(text).parts, rollout=1).request


@pytest.mark.parametrize("name", PAPERS)
def test_the_instructions_are_the_same_whatever_a_paper_says(name: str, request_for: Asked) -> None:
    tame = "\\documentclass{article}\\newtheorem{lemma}{Lemma}\n\\begin{document}\n" + (
        "\\begin{lemma} L. \\end{lemma}\\begin{proof} P. \\end{proof}\\end{document}\n"
    )
    hostile = (DATA / f"{name}.tex").read_text("utf-8")
    asked = [
        {stage: request_for(text, stage).instructions for stage in prompts.CURRENT}
        for text in (tame, hostile)
    ]
    assert asked[0] == asked[1]


@pytest.mark.parametrize("name", PAPERS)
def test_no_line_of_a_paper_ends_its_part(name: str, request_for: Asked) -> None:
    text = request_for((DATA / f"{name}.tex").read_text("utf-8"), "verify").text
    boundary = text.split()[1]
    ours = [match.groups()[1:] for match in _LINE.finditer(text) if match[1] == boundary]
    assert ours == [("begin", "To be checked"), ("end", "To be checked")]
    assert text.count(boundary) == 2
    assert text.startswith(f"----- {boundary} begin: To be checked\n")
    assert text.endswith(f"\n----- {boundary} end: To be checked\n")


@pytest.mark.parametrize("name", PAPERS)
def test_nothing_unseen_reaches_the_prompt(name: str, request_for: Asked) -> None:
    text = request_for((DATA / f"{name}.tex").read_text("utf-8"), "verify").text
    assert not UNSEEN.search(text)
    assert "One of two neighbours is even" in text


@pytest.mark.parametrize(
    "name", ["behind", "bibliography", "comment", "label", "skipped", "tags", "todo"]
)
def test_what_latex_skips_or_nobody_sees_does_not_reach_the_prompt(
    name: str, request_for: Asked
) -> None:
    text = request_for((DATA / f"{name}.tex").read_text("utf-8"), "verify").text
    for word in ("ignore", "accept", "disregard", "model", "review"):
        assert word not in text.lower()


KINDS = {
    "comments": ("comment",), "text that LaTeX skips": ("skipped", "behind"),
    "white text": ("white", "named_white"), "tiny text": ("tiny", "phantom"),
    "macros": ("macro", "split_macro"), "unseen characters": ("zero_width", "tags", "backwards"),
    "letters of another script": ("homoglyphs",), "delimiters": ("delimiters",),
    "boundaries": ("boundary",), "fences": ("fence",), "verdicts": ("verdict",),
    "tags of a reply": ("objections", "findings"), "a title": ("title",), "a note": ("todo",),
    "a footnote": ("footnote",), "a label": ("label",), "the bibliography": ("bibliography",),
    "plain words": ("plain_sight",),
}  # fmt: skip


def test_the_set_has_every_kind_of_attempt() -> None:
    assert sorted(name for names in KINDS.values() for name in names) == PAPERS


@pytest.mark.parametrize("name", PAPERS)
def test_whatever_a_paper_says_is_data_and_is_reported(name: str, reviewed: Reviewed) -> None:
    source = (DATA / f"{name}.tex").read_text("utf-8")
    report = reviewed({"main.tex": source}).papers[0]
    assert "aimed-text" in {finding.rule for finding in report.findings}
    assert report.state.document.modules
