"""A simulated reader with known rates: it finds known errors, and errs at random.

No model is used, and all output from its runs says so. It is given the labels of the rows that it
reads. Of rows without labels, and of papers, it understands only synthetic ones
(`pfcore.bench.runs.synthetic`), in which slips are marked. It serves to test the program, and to
compare measured curves with theory: by pieces, a place with a slip is flagged with probability
`block_found` times `kept`, one without with `block_false` times `let_pass`, all independently; by
the direct question with `direct_found` and `direct_false`. A step without a label is never flagged.
Its judges of locations make no errors.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import prompts
from pfcore.bench.runs.benchmark_run import GradedProofItem, ProofItem
from pfcore.bench.runs.location_judges import Relation, relation
from pfcore.bench.runs.solution_steps import original
from pfcore.bench.runs.synthetic import SLIP, results
from pfcore.domain.digest import text_digest
from pfcore.llm.protocol import CallError, Finish, Reply, Request, TokenUsage
from pfcore.testing import json_block
from pfcore.verification.estimate import OUTPUT, USUAL
from pfcore.verification.prompt import Part, fenced

NAME = "simulated"
"""The name by which it is requested and that it reports."""

_PART = re.compile(
    r"^----- (\w+) begin: ([^\n]*)\n(.*?)\n----- \1 end: \2$", re.MULTILINE | re.DOTALL
)
_FLAG = re.compile(r"^(F\d+)\nquote: (.*)\nreason: \[([^\]]*)\]", re.MULTILINE)
_QUOTED = re.compile(r"^(F\d+)\nquote: (.*)$", re.MULTILINE)
_STEP = re.compile(r"^Step (\d+) of row ([0-9a-f]{16})\.$", re.MULTILINE)
"""A step of a row with labels, in the form that the simulated reader uses internally."""
_WORDS = re.compile(r"\w[\w ]{3,40}\w")
_FEW = 40
"""The number of pieces that every contract allows, including the theorem."""
_PIECE = re.compile(r"^- (?P<name>.*?), in the paper: (?P<label>.*)$", re.MULTILINE)
_THINKING = 1_000
"""Output tokens of a stage that is not in the paper's table."""
_PAGE = 0.05
"""Tokens for each byte of a synthetic PDF."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRates:
    """Probabilities of independent events.

    `unfaithful`: a piece is called unfaithful. `malformed`: a reply is invalid.
    """

    block_found: float = 0.8
    block_false: float = 0.2
    kept: float = 0.8
    let_pass: float = 0.25
    direct_found: float = 0.5
    direct_false: float = 0.08
    unfaithful: float = 0.05
    malformed: float = 0.0

    @property
    def found(self) -> float:
        """The probability that one reading by pieces flags a slip."""
        return self.block_found * self.kept

    @property
    def false(self) -> float:
        """The probability that one reading by pieces flags a place without a slip."""
        return self.block_false * self.let_pass


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLabels:
    """The labels of a row's steps, from 0; steps in neither set have no label."""

    steps: int
    wrong: frozenset[int]
    right: frozenset[int]


AnswerKey = Mapping[str, RowLabels]
"""The labels of rows, by the digests of their texts in requests."""


def answer_key(items: Iterable[ProofItem | GradedProofItem]) -> AnswerKey:
    """The labels for a simulated reader; of rows with equal texts the first one's count."""
    found: dict[str, RowLabels] = {}
    for item in items:
        truth = item.truth
        steps, wrong = truth.steps or 0, frozenset(truth.wrong)
        right = frozenset(range(steps)) - wrong - frozenset(truth.unknown)
        labels = RowLabels(steps=steps, wrong=wrong, right=right)
        texts: list[Sequence[Part]] = [item.solution.parts, original(item.solution).parts]
        if isinstance(item, GradedProofItem):
            texts.append(item.task.parts)
        for parts in texts:
            asked = _SimulatedRequest(parts=_parts(fenced(parts)), pdf="")
            found.setdefault(asked.key, labels)
    return found


class SimulatedModel:
    """Answers the stages of benchmarks; `chance` makes every decision, in the order of calls.

    `known` are the labels of the proofs that it is asked about; None: slips are marked in them.
    """

    def __init__(
        self,
        rates: SimulatedRates | None = None,
        *,
        chance: Random | None = None,
        known: AnswerKey | None = None,
    ) -> None:
        self.rates = rates or SimulatedRates()
        self._chance = chance or Random()  # noqa: S311 - a simulation, no secret
        self._known = known
        self._seen: set[str] = set()
        self._stages: dict[str, Callable[[_SimulatedRequest], str]] = {
            "direct-steps": self._direct_steps,
            "direct-paper": self._direct_paper,
            "translate-solution": self._solution,
            "translate-paper": self._paper,
            "faithfulness-solution": self._compared,
            "faithfulness-paper": self._compared,
            "verify": self._verified,
            "calibrate": self._calibrated_block,
            "calibrate-steps": self._graded,
            "calibrate-paper": self._calibrated,
            "judge-inclusive": lambda asked: _judged(asked, inclusive=True),
            "judge-strict": lambda asked: _judged(asked, inclusive=False),
        }

    async def complete(self, request: Request) -> Reply:
        """A reply; CallError if the instructions belong to no known stage."""
        return self.reply(request)

    def reply(self, request: Request) -> Reply:
        """The same, synchronously."""
        stage = stage_of(request.instructions)
        if stage not in self._stages:
            raise CallError("the simulated reader does not know this stage")
        pdf = request.document.content.decode("utf-8", "replace") if request.document else ""
        text = self._stages[stage](_SimulatedRequest(parts=_parts(request.text), pdf=pdf))
        if self._is(self.rates.malformed):
            text = "I have nothing to say."
        usage = self._usage(request, stage, text)
        return Reply(text=text, usage=usage, finish=Finish.STOP, model=NAME)

    def _is(self, rate: float) -> bool:
        return self._chance.random() < rate

    def _usage(self, request: Request, stage: str, text: str) -> TokenUsage:
        """Tokens by the paper's averages and the lengths of texts; no cache is simulated."""
        written = len(request.instructions) + len(request.text)
        pages = len(request.document.content) * _PAGE if request.document else 0
        thought = OUTPUT.get(stage, _THINKING)
        return TokenUsage(
            input=math.ceil(written / USUAL + pages), output=thought + math.ceil(len(text) / USUAL)
        )

    def _flags(self, is_slip: bool) -> bool:  # noqa: FBT001 - the one thing it is about
        rates = self.rates
        return self._is(rates.direct_found if is_slip else rates.direct_false)

    def _labels(self, key: str) -> RowLabels | None:
        """The labels of a row; None if slips are marked, CallError if the row is unknown."""
        if self._known is None:
            return None
        if key not in self._known:
            raise CallError("the simulated reader does not know the labels of this row")
        return self._known[key]

    def _direct_steps(self, asked: "_SimulatedRequest") -> str:
        steps = asked.steps()
        labels = self._labels(asked.key)
        if labels is None:
            wrong = [number for number, text in enumerate(steps) if self._flags(SLIP in text)]
        else:
            said = sorted(labels.wrong | labels.right)
            wrong = [number for number in said if self._flags(number in labels.wrong)]
        words = "".join(f'<wrong id="{number}">It slips.</wrong>\n' for number in wrong)
        return words + json_block(_grades(wrong, len(steps)))

    def _direct_paper(self, asked: "_SimulatedRequest") -> str:
        named = [label for label, text in results(asked.pdf) if self._flags(SLIP in text)]
        errors = "".join(
            f"<error><location>{self._worded(label)}</location>"
            "<description>It slips.</description></error>\n"
            for label in named
        )
        return f"<errors>\n{errors}</errors>\n{json_block({'errors': len(named)})}"

    def _worded(self, label: str) -> str:
        """A label, in one of the ways in which people write it."""
        return self._chance.choice((label, f"Proof of {label}", f"{label}, second line"))

    def _solution(self, asked: "_SimulatedRequest") -> str:
        """Each paragraph as a proposition, with a different wording for every attempt.

        For a row with labels, each step by its number alone, because texts may say anything.
        """
        mark, labels = self._chance.randrange(10**9), self._labels(asked.key)
        if labels is None:
            problem, proofs = asked.part("Problem"), asked.part("Solution").split("\n\n")
        else:
            problem, proofs = f"Row {asked.key} holds.", _numbered_steps(asked.key, labels.steps)
        pieces = [
            _proposition(f'id="{number}"', f"Claim {number}, wording {mark}.", proof)
            for number, proof in enumerate(proofs, 1)
        ]
        cited = ", ".join(f"Proposition {number}" for number in range(1, len(pieces) + 1))
        return (
            f"<THEOREM_STATEMENT>\n{problem}\n</THEOREM_STATEMENT>\n"
            + "".join(pieces)
            + f"<THEOREM_PROOF>\nBy {cited}.\n</THEOREM_PROOF>\n"
        )

    def _paper(self, asked: "_SimulatedRequest") -> str:
        """Each result as a proposition, and one theorem that says that they all hold."""
        mark = self._chance.randrange(10**9)
        listed = list(results(asked.pdf))
        pieces = [
            _proposition(f'id="{number}" label="{label}"', f"Wording {mark}.", text)
            for number, (label, text) in enumerate(listed, 1)
        ]
        cited = ", ".join(f"Proposition {number}" for number in range(1, len(pieces) + 1))
        return (
            '<THEOREM_STATEMENT id="1" label="Introduction">\nAll hold.\n</THEOREM_STATEMENT>\n'
            + "".join(pieces)
            + f'<THEOREM_PROOF id="1">\nBy {cited}.\n</THEOREM_PROOF>\n'
        )

    def _compared(self, asked: "_SimulatedRequest") -> str:
        if not self._is(self.rates.unfaithful):
            return json_block({"verdict": "faithful"})
        words = "<original>a</original><rewriting>b</rewriting><effect>It is weaker.</effect>"
        return f"<difference>{words}</difference>\n{json_block({'verdict': 'unfaithful'})}"

    def _verified(self, asked: "_SimulatedRequest") -> str:
        name, _, text = asked.part("To be checked").partition(".")
        labels = self._known.get(asked.key) if self._known is not None else None
        if labels is not None:
            found = _WORDS.search(asked.part("To be checked"))
            quote = found[0] if found else ""
            return _objecting([quote] if self._objects(is_slip=bool(labels.wrong)) else [])
        if name.startswith("Theorem"):
            return _objecting([])
        text = text.rpartition("Proof.")[2].strip()
        if self._known is None:
            objects = self._objects(is_slip=SLIP in text)
            return _objecting([text.partition("\n")[0]] if objects else [])
        return _objecting([line for line, is_slip in self._steps(text) if self._objects(is_slip)])

    def _objects(self, is_slip: bool) -> bool:  # noqa: FBT001 - the one thing it is about
        return self._is(self.rates.block_found if is_slip else self.rates.block_false)

    def _steps(self, text: str) -> Iterator[tuple[str, bool]]:
        """The lines of steps with a label, and whether they are wrong."""
        for found in _STEP.finditer(text):
            labels = self._labels(found[2])
            step = int(found[1])
            if labels is not None and step in labels.wrong | labels.right:
                yield found[0], step in labels.wrong

    def _calibrated_block(self, asked: "_SimulatedRequest") -> str:
        """The audit of objections to a whole proof."""
        labels = self._labels(asked.key)
        is_slip = bool(labels.wrong) if labels else SLIP in asked.part("To be checked")
        rate = self.rates.kept if is_slip else self.rates.let_pass
        entries: list[dict[str, object]] = []
        said = ""
        for flag, quote in _QUOTED.findall(asked.part("Objections")):
            if not self._is(rate):
                entries.append({"id": flag, "status": "false_alarm"})
                continue
            entries.append({"id": flag, "status": "genuine", "class": "gap", "severity": "error"})
            said += (
                f'<finding id="{flag}"><quote>{quote}</quote>'
                "<objection>It slips.</objection><reason>So.</reason></finding>\n"
            )
        return said + json_block({"flags": entries})

    def _upheld(self, asked: "_SimulatedRequest") -> Iterator[tuple[str, str, bool]]:
        """Each flag with its piece or step, and whether it is upheld."""
        for flag, quote, piece in _FLAG.findall(asked.part("Objections")):
            known = next(self._steps(quote), None) if self._known is not None else None
            is_slip = known[1] if known else SLIP in quote
            rate = self.rates.kept if is_slip else self.rates.let_pass
            step = _STEP.fullmatch(quote) if known else None
            yield flag, f"Step {int(step[1]) + 1}" if step else piece, self._is(rate)

    def _graded(self, asked: "_SimulatedRequest") -> str:
        entries: list[dict[str, object]] = []
        wrong: list[int] = []
        for flag, piece, stands in self._upheld(asked):
            entry: dict[str, object] = {"id": flag, "status": "false_alarm"}
            if stands:
                step = int(piece.split()[-1]) - 1
                wrong.append(step)
                entry |= {"status": "genuine", "step": step}
            entries.append(entry)
        said = "".join(
            f'<defect id="{entry["id"]}">It slips.</defect>\n'
            for entry in entries
            if "step" in entry
        )
        choice = {"flags": entries, "own": [], **_grades(wrong, len(asked.steps()))}
        return said + json_block(choice)

    def _calibrated(self, asked: "_SimulatedRequest") -> str:
        labels = {item["name"]: item["label"] for item in _PIECE.finditer(asked.part("Pieces"))}
        entries: list[dict[str, object]] = []
        said = ""
        for flag, piece, stands in self._upheld(asked):
            if not stands:
                entries.append({"id": flag, "status": "false_alarm"})
                continue
            entries.append({"id": flag, "status": "genuine", "class": "gap", "severity": "error"})
            location = self._worded(labels[piece.partition(", in the paper")[0]])
            said += (
                f'<finding id="{flag}"><location>{location}</location><quote></quote>'
                "<objection>It slips.</objection><reason>So.</reason></finding>\n"
            )
        return said + json_block({"flags": entries, "own": []})


@dataclass(frozen=True, slots=True, kw_only=True)
class _SimulatedRequest:
    """A request as the simulated reader sees it: the parts by title, and the PDF's text."""

    parts: dict[str, str]
    pdf: str

    def part(self, title: str) -> str:
        return self.parts.get(title, "")

    @property
    def key(self) -> str:
        """A key of 16 digits for the texts of a row; it matches no row for other requests."""
        if self.part("The steps"):
            texts = [self.part("Problem"), *self.steps()]
        elif self.part("Solution"):
            texts = [self.part("Problem"), self.part("Solution")]
        else:
            texts = [self.part("To be checked")]
        return text_digest(json.dumps(texts))[:16]

    def steps(self) -> list[str]:
        """The steps of a solution, in order; an empty step is not among the parts."""
        count = int(re.findall(r"\d+", self.part("The steps"))[0]) if self.part("The steps") else 0
        return [self.part(f"Step {number}") for number in range(max(1, count))]


def is_simulated(served: Iterable[str]) -> bool:
    """Whether the model that answered calls itself simulated, at any server."""
    return any(name.startswith(NAME) for name in served)


def stage_of(instructions: str) -> str:
    """The stage of a request, by the first words of its prompt; "" if it is not one of ours."""
    return next(
        (
            stage
            for stage, version in prompts.RELEASED.items()
            if instructions[:60] == prompts.prompt(stage, version)[:60]
        ),
        "",
    )


def _parts(text: str) -> dict[str, str]:
    return {title: body for _, title, body in _PART.findall(text)}


def _proposition(attributes: str, statement: str, proof: str) -> str:
    name = attributes.partition(" label=")[0]
    return (
        f"<PROPOSITION_STATEMENT {attributes}>\n{statement}\n</PROPOSITION_STATEMENT>\n"
        f"<PROPOSITION_PROOF {name}>\n{proof}\n</PROPOSITION_PROOF>\n"
    )


def _numbered_steps(key: str, steps: int) -> list[str]:
    """The proofs of pieces, one step each; if there are too many, the last one has the rest."""
    lines = [f"Step {step} of row {key}." for step in range(steps)]
    if steps != _FEW:
        return lines
    return [*lines[: _FEW - 2], "\n".join(lines[_FEW - 2 :])]


def _objecting(quotes: Sequence[str]) -> str:
    """A verifier's reply with an objection to each of these quotes."""
    listed = "".join(
        f"<objection><quote>{quote}</quote><problem>It slips.</problem></objection>"
        for quote in quotes
    )
    verdict = "flag" if quotes else "accept"
    return f"<objections>\n{listed}\n</objections>\n{json_block({'verdict': verdict})}"


def _grades(wrong: list[int], count: int) -> dict[str, object]:
    words = ["wrong" if step in wrong else "right" for step in range(count)]
    return {"steps": words, "first": min(wrong, default=None)}


def _judged(asked: _SimulatedRequest, *, inclusive: bool) -> str:
    counted = {Relation.SAME, Relation.INSIDE} if inclusive else {Relation.SAME}
    known = [line.partition(". ")[2] for line in asked.part("Known errors").splitlines()]
    named = asked.part("The place that is named")
    found = [n for n, place in enumerate(known) if relation(place, named) in counted]
    return json_block({"matches": found})
