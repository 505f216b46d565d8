"""What `pf plan` says of symbols, of hubs, and of what lies beyond a context."""

import json
import re

import jsonschema
import pytest

from pfcore.cli.exit_status import pf_command

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BODY = r"""
\section{Maps}
\begin{definition}\label{def:tame}
A \emph{tame map} is a brown map without a kernel.
\end{definition}
\section{Rings}
\subsection{A}
Let $R$ be a ring with many ideals.
\subsection{B}
Let $R$ be a radius that is not small.
\subsection{C}
We write $\mathcal{E}(x)$ for the error of a thing.
\begin{definition}\label{def:brown}
A \emph{brown map} is a map that does nothing.
\end{definition}
\begin{theorem}\label{t}
The size of $R$ is finite.
\end{theorem}
\begin{proof}
Look at $\mathcal{E}(y)$.
Then $\xi_0$ is small.
\end{proof}
\begin{theorem}\label{u} There are tame maps. \end{theorem}
\begin{proof} Count them. \end{proof}
\begin{theorem}\label{v} There are brown maps. \end{theorem}
\begin{proof} Count them. \end{proof}
"""


@pytest.fixture
def text(tmp_path, repository, document, monkeypatch):
    """The file of a paper, and where its lines are."""
    repository({"main.tex": document(BODY)})
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper" / "main.tex"


def _line(text, words):
    found = text.read_text(encoding="utf-8")
    return found.count("\n", 0, found.index(words)) + 1


def _edit(text, old, new):
    found = text.read_text(encoding="utf-8")
    assert old in found
    text.write_text(found.replace(old, new), encoding="utf-8")


def _valid(run, out):
    jsonschema.Draft202012Validator(json.loads(run("schema", "plan")[1])).validate(json.loads(out))
    return json.loads(out)


def test_why_is_asked_of_several_and_told_in_words(run, text):
    one, other, both = (
        run("plan", *(part for name in names for part in ("--why", name)))[1]
        for names in (("t",), ("u",), ("t", "u"))
    )
    assert both == f"{one}\n{other}"


def _whys(run, *words):
    found = _valid(run, run("plan", *words, "--format", "json")[1])
    schema = json.loads(run("schema", "plan")[1])["properties"]["why"]["items"]["properties"]
    assert all(set(item) <= set(schema) for item in found["why"])
    return found["why"]


def test_the_json_has_of_each_that_is_asked_for_what_the_text_says(run, text):
    _edit(text, "Look at", r"By \ref{v} and \cite[Theorem 2]{gauss}, look at")
    _edit(text, "that does nothing", "that sleeps")
    one, other = _whys(run, "--why", "t", "--why", "u")
    said = run("plan", "--why", "t")[1]
    assert said.startswith(f"t  Theorem {one['number']}  {one['file']}:{one['start_line']}\n")
    assert (one["id"], one["label"], one["kind"], one["paper"]) == ("t", "t", "theorem", "main.tex")
    assert (one["status"], one["proof"]["end_line"]) == ("unreached", one["start_line"] + 6)
    assert one["affected"] is True
    assert said.partition("affected:\n")[2].partition("depends on:")[0].split("\n")[:-1] == [
        f"  {reason}" for reason in one["reasons"]
    ]
    notation = {"id": "notation~c~1", "file": "main.tex", "line": _line(text, "We write")}
    brown = {"id": "def:brown", "file": "main.tex", "line": _line(text, "A \\emph{brown") - 1}
    v = {"id": "v", "file": "main.tex", "line": _line(text, r"\begin{theorem}\label{v}")}
    assert one["depends"] == [
        {**v, "found": [{"via": "reference", "part": "proof"}]},
        {**notation, "found": [{"via": "introduction", "part": "proof"}]},
    ]
    assert one["members"] == [notation, brown, v]
    (cited,) = one["cites"]
    assert (cited["key"], cited["locator"], cited["file"]) == ("gauss", "Theorem 2", "main.tex")
    assert [(need["key"], need["supply"], need["first"]) for need in one["needs"]] == [
        ("R", "ambiguous", None),
        (r"\mathcal{E}", "supplied", None),
        (r"\xi_0", "unexplained", None),
    ]
    assert (one["unexplained"], one["ambiguous"]) == (1, 1)
    assert (other["id"], other["affected"], other["reasons"]) == ("u", False, [])
    assert other["beyond"] == [{"id": "def:brown", "what": "definition def:brown changed"}]
    assert (one["beyond"], one["guessed"], one["asked"], one["hubs"]) == ([], [], [], [])


def test_why_takes_a_result_by_its_number_as_it_is_printed(run, text):
    status, out, _ = run("plan", "--all", "--why", "theorem 4")
    assert (status, out.splitlines()[0].split()[:3]) == (0, ["u", "Theorem", "4"])
    assert run("plan", "--all", "--why", "4")[1] == out
    assert run("plan", "--all", "--why", "Lemma 4")[0] == 2


def test_the_json_says_where_what_nothing_explains_stands_as_well(run, text):
    _edit(text, "is finite", r"is finite, as is $\xi_0$")
    _edit(text, "brown maps. ", r"brown maps with $\xi_0$. ")
    (found,) = _whys(run, "--why", "v")
    (need,) = (item for item in found["needs"] if item["supply"] == "unexplained")
    where = _line(text, r"\begin{theorem}")
    assert need["first"] == {"id": "t", "file": "main.tex", "line": where}


def test_the_json_names_a_guessed_proof_and_compares_nothing_that_was_not_compared(run, text):
    between = r"\begin{definition} D. \end{definition}"
    _edit(text, r"brown maps. \end{theorem}", rf"brown maps. \end{{theorem}} {between}")
    one, other = _whys(run, "--all", "--why", "v", "--why", "u")
    assert (one["guessed"], other["guessed"]) == (["proof"], [])
    assert (one["affected"], other["affected"]) == (None, None)


def test_the_json_of_a_result_of_another_work_has_who_cites_it(run, text):
    _edit(text, "Look at", r"By \cite[Theorem 2]{gauss}, look at")
    (found,) = _whys(run, "--why", "cite:gauss[Theorem 2]")
    assert (found["id"], found["title"]) == ("cite:gauss[Theorem 2]", "Theorem 2")
    assert (found["status"], found["cited_by"]) == ("cited", ["t"])


def test_without_a_question_the_json_has_no_answer(run, text):
    found = _valid(run, run("plan", "--format", "json")[1])
    assert found["why"] is None
    status, _, err = run("plan", "--why", "zz", "--format", "json")
    assert (status, err.startswith("pf: unknown result 'zz'")) == (2, True)


def test_why_lists_what_a_module_needs_first_what_nothing_supplies(run, text):
    introduced = (
        f"  \\mathcal{{E}} (line {_line(text, 'Look at')}) is introduced in line "
        f"{_line(text, 'We write')}"
    )
    rivals = [_line(text, words) for words in ("Let $R$ be a ring", "Let $R$ be a radius")]
    open_ends = [
        f"  \\xi_0 (line {_line(text, 'Then $')}) is not introduced anywhere",
        f"  R (line {_line(text, 'The size')}) may come from line {rivals[0]} or from line "
        f"{rivals[1]}: none was used",
    ]
    for options, told in (
        ((), "  introduced: 1 symbol or term (-v lists it)"),
        (("-v",), introduced),
    ):
        out = run("plan", "--why", "t", *options)[1]
        hint = f"text that a reader sees: {pf_command()} explain t"
        assert out.partition("needs:\n")[2].splitlines() == [*open_ends, told, hint]


def test_a_definition_that_supplies_is_named(run, text):
    where = _line(text, r"\begin{definition}\label{def:tame")
    out = run("plan", "--why", "u", "-v")[1]
    assert f"is introduced in Definition 1 def:tame (line {where})" in out


def test_a_sentence_that_introduces_something_is_quoted_and_not_called_notation_alone(run, text):
    _, out, _ = run("plan", "--why", "t")
    where = f"main.tex:{_line(text, 'We write')}"
    (row,) = [line for line in out.splitlines() if f"{where}  symbol" in line]
    assert re.match(r"  Notation “We write [^”]+”  main.tex:\d+  symbol or term used in its", row)


def test_symbols_are_safe_for_a_terminal(run, text):
    _edit(text, r"Then $\xi_0$", "Then $\\mathcal{\x1b[31mS}$")
    out = run("plan", "--why", "t")[1]
    assert "\x1b" not in out
    assert "is not introduced anywhere" in out


def test_the_plan_counts_them_in_one_line_where_there_are_any(run, text):
    _edit(text, "is finite", "is quite finite")
    said = "  Symbols of affected results: 1 unexplained, 1 ambiguous"
    said += " (pf plan --why RESULT lists them)."
    assert said in run("plan")[1].splitlines()
    _edit(text, "is quite finite", "is finite")
    _edit(text, "Count them.", "List them.")
    assert "Symbols of" not in run("plan")[1]


def test_the_json_of_the_plan_has_them(run, text):
    _edit(text, "is finite", "is quite finite")
    found = _valid(run, run("plan", "--format", "json")[1])
    assert (found["unexplained"], found["ambiguous"], found["hubs"]) == (1, 1, None)
    (item,) = found["affected"]
    assert (item["id"], item["unexplained"], item["ambiguous"]) == ("t", 1, 1)
    assert [(need["key"], need["part"], need["supply"]) for need in item["needs"]] == [
        ("R", "statement", "ambiguous"),
        (r"\mathcal{E}", "proof", "supplied"),
        (r"\xi_0", "proof", "unexplained"),
    ]
    assert item["needs"][0]["via"] == [
        {"id": f"convention~{place}~1", "file": "main.tex", "line": _line(text, words)}
        for place, words in (("a", "Let $R$ be a ring"), ("b", "Let $R$ be a radius"))
    ]
    assert item["needs"][1]["via"][0]["line"] == _line(text, "We write")


def test_without_an_earlier_version_those_of_all_proofs_are_counted_where_it_is_asked(run, text):
    said = "Symbols of all proofs and their results: 1 unexplained, 1 ambiguous"
    assert said in run("plan", "--all", "--deep")[1]
    assert "Symbols of" not in run("plan", "--all")[1]
    found = _valid(run, run("plan", "--all", "--deep", "--format", "json")[1])
    assert (found["affected"], found["unexplained"], found["ambiguous"]) == ([], 1, 1)
    found = _valid(run, run("plan", "--all", "--format", "json")[1])
    assert (found["unexplained"], found["ambiguous"]) == (None, None)


BEYOND = "  Definition def:brown changed. 1 proof that knows it only by name was not read again"


def test_a_change_beyond_a_context_is_told_once(run, text):
    _edit(text, "that does nothing", "that sleeps")
    out = run("plan")[1]
    assert f"{BEYOND}; pf plan --deep lists it, with the cost of reading it.\n" in out
    assert "\n  u  " not in out
    found = _valid(run, run("plan", "--format", "json")[1])
    assert [item["id"] for item in found["affected"]] == ["v"]
    assert found["beyond"] == [
        {
            "id": "def:brown",
            "what": "definition def:brown changed",
            "modules": ["u"],
            "paper": "main.tex",
        }
    ]
    assert (
        "  definition def:brown changed; known here only by name, so the proof was not read "
        "again and is at best conditional"
    ) in run("plan", "--why", "u")[1]
    assert "only by name" not in run("plan", "--why", "v")[1]


def test_the_deep_plan_lists_who_knows_it_by_name_only(run, text):
    _edit(text, "that does nothing", "that sleeps")
    out = run("plan", "--deep")[1]
    assert f"{BEYOND}.\n      u  Theorem 4  main.tex:" in out


def test_the_deep_plan_prices_the_definitions_in_full(run, text, referee):
    assert run("check", "--model", "m", "--all")[0] == 0
    _edit(text, "that does nothing", "that sleeps")
    asked = len(referee.asked)
    plain = json.loads(run("plan", "--model", "m", "--format", "json")[1])
    deep = _valid(run, run("plan", "--model", "m", "--deep", "--format", "json")[1])
    assert (plain["calls"], deep["calls"]) == (18, 36)
    assert deep["input_tokens"] > 2 * plain["input_tokens"]
    assert "2 proofs with their contexts go to m" in run("plan", "--model", "m", "--deep")[1]
    assert len(referee.asked) == asked


def test_an_accepted_proof_is_conditional_as_long_as_it_was_not_read_again(run, text, referee):
    assert run("check", "--model", "m", "--all")[0] == 0
    assert json.loads(run("check", "--model", "m", "--format", "json")[1])["statuses"]["u"] == (
        "checked"
    )
    _edit(text, "that does nothing", "that sleeps")
    count = len(referee.asked)
    found = json.loads(run("check", "--model", "m", "--format", "json")[1])["statuses"]
    assert (found["t"], found["u"], found["v"]) == ("checked", "conditional", "checked")
    assert len(referee.asked) == count + 3


def test_the_deep_plan_names_the_hubs(run, repository, document, text):
    lemma = "\\begin{lemma}\\label{via} Brown maps are tame maps. \\end{lemma}\n"
    told = "".join(
        f"\\begin{{theorem}}\\label{{t{n}}} Number {n}. \\end{{theorem}}\n"
        "\\begin{proof} By \\ref{via}. \\end{proof}\n"
        for n in range(11)
    )
    repository({"main.tex": document(BODY + lemma + told)})
    line = _line(text, "\\begin{definition}\\label{def:tame")
    said = f"Definition 1 def:tame (main.tex:{line}) is in the contexts of 13 results, "
    said += "2 of which name it; editing it means re-reading them all."
    assert f"  Widely used: {said}" in run("plan", "--deep")[1].splitlines()
    assert "Widely used" not in run("plan")[1]
    assert f"Widely used: {said}" in run("plan", "--why", "t3")[1]
    (found,) = _whys(run, "--why", "t3")
    hubs = [(hub["id"], hub["held"], hub["says"]) for hub in found["hubs"]]
    assert hubs == [("def:tame", 13, 2), ("def:brown", 13, 2)]
    assert "Widely used" not in run("plan", "--why", "t")[1]
    found = _valid(run, run("plan", "--deep", "--format", "json")[1])["hubs"]
    assert {"id": "def:tame", "file": "main.tex", "line": line, "held": 13, "says": 2} in found
