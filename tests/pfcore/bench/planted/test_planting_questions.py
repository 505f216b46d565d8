"""What has to be asked: each question once, and nothing that has its replies."""

from pfcore.bench.planted.planting import limited, questions
from pfcore.verification.contract import Granularity

AUTHOR, FINE, AUTO = Granularity.AUTHOR, Granularity.FINE, Granularity.AUTO


def test_granularities_that_leave_a_proof_whole_ask_the_same(bench) -> None:
    made = bench(3)
    texts = sum(len(trial.tasks) for trial in made.trials)

    def asked(*granularities: Granularity, **how: object) -> int:
        askings = [made.asking(item, **how) for item in granularities]
        return len(questions(made.trials, askings, made.store, 1))

    assert asked(AUTHOR) == asked(AUTHOR, AUTO) == texts
    assert asked(AUTHOR, FINE) == 2 * texts
    assert asked(FINE, AUTO, bound=10) == texts


def test_another_strictness_asks_anew(bench) -> None:
    made = bench(3)
    askings = [made.asking(strictness=level) for level in ("lenient", "pedantic")]
    texts = sum(len(trial.tasks) for trial in made.trials)
    assert len(questions(made.trials, askings, made.store, 1)) == 2 * texts


def test_a_second_run_asks_nothing_and_a_longer_one_the_rollouts_that_lack(bench) -> None:
    made = bench(3)
    askings = [made.asking(AUTHOR), made.asking(FINE)]
    first = len(made.read(*askings, rollouts=1).asked)
    assert first > 0
    assert questions(made.trials, askings, made.store, 1) == []
    again = made.read(*askings, rollouts=2)
    assert {action.rollout for action in again.asked} == {2}


def test_fewer_mutants_are_some_of_more_and_of_many_operators(bench) -> None:
    listed = [item.mutant for trial in bench(4, most=3).trials for item in trial.planted]
    few, more = limited(listed, 5), limited(listed, 9)
    assert (len(few), len(more)) == (5, 9)
    assert len({item.operator for item in few}) == 5
    assert len({item.operator for item in more}) == 9
    assert set(few) <= set(more) <= set(listed)
    assert limited(listed, 1000) == listed
