"""What is asked of arXiv, how slowly, and what comes back; on feeds constructed for these tests."""

import socket
from datetime import date

import pytest

from pfcore.bench.runs.collected_papers import Arxiv, ArxivGoneError
from pfcore.domain.errors import IncompleteError
from pfcore.testing import FakeClock

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

DAY = date(2025, 1, 2)


class Slow:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.slept = self.clock.slept

    def sleep(self, seconds: float) -> None:
        self.clock.slept.append(seconds)
        self.clock.now += seconds


@pytest.fixture
def slow() -> Slow:
    return Slow()


def asker(double, slow, *, delay=0.0, attempts=3):
    return Arxiv(
        hosts=double.hosts, delay=delay, attempts=attempts, sleep=slow.sleep, clock=slow.clock
    )


def test_a_day_is_asked_for_and_read_page_by_page(arxiv_double, slow) -> None:
    arxiv_double.papers[2] = [(f"2501.{n:05}v2", f"Fixed Lemma {n} & more.") for n in range(600)]
    found = list(asker(arxiv_double, slow).submitted(DAY))
    assert len(found) == len({entry.id for entry in found}) == 600
    first = found[0]
    assert (first.id, first.version, first.before) == ("2501.00000", 2, "v1")
    assert first.title == "On 2501.00000v2 and more"
    assert first.comment == "Fixed Lemma 0 & more."
    assert (first.category, first.published) == ("math.NT", DAY)
    assert len(arxiv_double.asked) == 2
    assert (
        "cat%3Amath.%2A+AND+submittedDate%3A%5B202501020000+TO+202501022359%5D"
        in (arxiv_double.asked[0])
    )


def test_old_names_are_read_and_what_names_no_paper_is_left_out(arxiv_double, slow) -> None:
    arxiv_double.papers[2] = [("math/0501001v3", "Erratum."), ("not-a-paper", "Erratum.")]
    (found,) = asker(arxiv_double, slow).submitted(DAY)
    assert (found.id, found.version) == ("math/0501001", 3)


def test_a_day_without_papers_is_no_answer(arxiv_double, slow) -> None:
    with pytest.raises(IncompleteError, match="names no paper of 2025-01-02"):
        list(asker(arxiv_double, slow).submitted(DAY))


def test_a_refused_question_is_no_day(arxiv_double, slow) -> None:
    arxiv_double.papers[2] = [("../api/errors#incorrect_id_format", "")]
    with pytest.raises(IncompleteError, match="refuses the question"):
        list(asker(arxiv_double, slow).submitted(DAY))


def test_a_query_that_fails_is_asked_again_and_then_given_up(arxiv_double, slow) -> None:
    arxiv_double.papers[2] = [("2501.00001v2", "Erratum.")]
    arxiv_double.faults = [503, 500]
    assert len(list(asker(arxiv_double, slow).submitted(DAY))) == 1
    arxiv_double.faults = [503] * 3
    with pytest.raises(IncompleteError, match=r"about 2025-01-02: it answers 503$"):
        list(asker(arxiv_double, slow).submitted(DAY))


def test_a_licence_is_read_from_the_record(arxiv_double, slow) -> None:
    arxiv_double.licences = {
        "2501.00001": "http://creativecommons.org/licenses/by-sa/4.0/",
        "x": "",
    }
    made = asker(arxiv_double, slow)
    assert made.licence("2501.00001") == "http://creativecommons.org/licenses/by-sa/4.0/"
    assert made.licence("x") == ""


def test_requests_keep_their_distance_and_wait_as_long_as_they_are_told(arxiv_double, slow) -> None:
    made = asker(arxiv_double, slow, delay=3.0)
    made.licence("1")
    made.licence("2")
    assert slow.slept == [3.0]
    slow.clock.now += 1.0
    made.licence("3")
    assert slow.slept == [3.0, 2.0]
    slow.clock.now += 60.0
    arxiv_double.faults = [503]
    made.licence("4")
    assert slow.slept == [3.0, 2.0, 7.0]


def test_what_fails_often_is_given_up_and_what_is_gone_at_once(arxiv_double, slow) -> None:
    made = asker(arxiv_double, slow)
    arxiv_double.faults = [503] * 3
    with pytest.raises(IncompleteError, match="answers 503"):
        made.licence("1")
    assert len(arxiv_double.asked) == 3
    with pytest.raises(ArxivGoneError, match="answers 404"):
        made.pdf("2501.00001", "v1")
    assert len(arxiv_double.asked) == 4


def test_a_pdf_is_a_pdf(arxiv_double, slow) -> None:
    arxiv_double.pdfs = {"2501.00001v1": b"%PDF-1.5 x", "2501.00002v1": b"<html>wait</html>"}
    made = asker(arxiv_double, slow)
    assert made.pdf("2501.00001", "v1") == b"%PDF-1.5 x"
    with pytest.raises(ArxivGoneError, match=r"no PDF of 2501\.00002v1"):
        made.pdf("2501.00002", "v1")


def test_nobody_there_is_no_answer(slow) -> None:
    from pfcore.bench.runs.collected_papers import Hosts

    nowhere = "http://127.0.0.1:9/{}"
    made = Arxiv(
        hosts=Hosts(query=nowhere, record=nowhere, paper=nowhere),
        delay=0.0,
        attempts=2,
        sleep=slow.sleep,
        clock=slow.clock,
    )
    words = r"it cannot be reached \(Connection refused\)"
    with pytest.raises(IncompleteError, match=f"^arXiv did not answer: {words}$"):
        made.licence("1")
    with pytest.raises(IncompleteError, match=f"^arXiv did not answer about {DAY}: {words}$"):
        list(made.submitted(DAY))


def test_who_accepts_a_question_and_never_answers_is_not_waited_for(slow) -> None:
    from pfcore.bench.runs.collected_papers import Hosts

    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"http://127.0.0.1:{silent.getsockname()[1]}/{{}}"
        made = Arxiv(
            hosts=Hosts(query=place, record=place, paper=place),
            delay=0.0,
            attempts=1,
            timeout=0.05,
            sleep=slow.sleep,
            clock=slow.clock,
        )
        with pytest.raises(IncompleteError, match=f"about {DAY}: it cannot be reached, or is too"):
            list(made.submitted(DAY))
        with pytest.raises(IncompleteError, match="it cannot be reached, or is too slow"):
            made.licence("1")


def test_a_record_that_is_none_tells_no_licence(arxiv_double, slow) -> None:
    made = Arxiv(
        hosts=arxiv_double.hosts.__class__(record=f"{arxiv_double.address}/pdf/{{}}"),
        delay=0.0,
        sleep=slow.sleep,
        clock=slow.clock,
    )
    arxiv_double.pdfs = {"1": b"<html>too many requests</html>"}
    with pytest.raises(IncompleteError, match="no record of 1"):
        made.licence("1")
