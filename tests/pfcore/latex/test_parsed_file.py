import json
from collections.abc import Callable, Iterator

import pytest

from pfcore.latex import codec, parsed_file
from pfcore.latex.parsed_file import EMPTY, ParsedFile
from pfcore.latex.reader import Read

TEXT = r"""\begin{document}\section{S}\input{f}
\begin{lemma}[T]\label{a}\cref{b} \cite[Theorem 2]{K}\end{lemma}
\begin{proof} x\end{proof} % pf: ignore[a] b
\begin{center}
\end{document}"""


def leaves(value: object) -> Iterator[object]:
    """What a record is made of in the end."""
    if isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


@pytest.fixture
def reading(reads: Callable[[str], Read]) -> ParsedFile:
    """The reading of a text that has something of everything."""
    found = reads(TEXT).reading
    assert all(found[:-1])
    return found


def test_records_are_tuples_of_plain_values(reading: ParsedFile) -> None:
    assert {type(leaf) for leaf in leaves(reading)} <= {str, int, bool}
    assert hash(reading) == hash(codec.decode_parsed_file(codec.dump(reading)))
    assert json.loads(codec.dump(reading))


def test_no_record_knows_its_files_path() -> None:
    kinds = [item for item in vars(parsed_file).values() if hasattr(item, "_fields")]
    assert len(kinds) > 5
    assert not any("path" in kind._fields for kind in kinds)


def test_an_empty_reading_has_nothing_of_anything() -> None:
    assert len(EMPTY) == len(ParsedFile._fields)
    assert not any(EMPTY)
