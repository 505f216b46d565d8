"""The label that was probably meant, among very many, without a look at most of them."""

from collections.abc import Iterable, Iterator

_CUTOFF = 0.8
_ROUNDING = 1e-6


class Nearest:
    """Finds what difflib would, of labels whose letters leave that possible."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._labels = labels
        self._masks: list[tuple[str, int, int]] = []

    def to(self, key: str) -> str:
        """The label that is most like a key, "" if none is like it."""
        from difflib import get_close_matches

        found = get_close_matches(key, self._possible(key), n=1, cutoff=_CUTOFF)
        return found[0] if found else ""

    def _possible(self, key: str) -> Iterator[str]:
        """A letter that only one of two texts has is matched by nothing of the other."""
        if not self._masks:
            self._masks = [(label, len(label), _letters(label)) for label in self._labels]
        mine, size = _letters(key), len(key)
        for label, length, theirs in self._masks:
            wanted = _CUTOFF * (size + length) / 2 - _ROUNDING
            if (
                min(size, length) >= wanted
                and size - (mine & ~theirs).bit_count() >= wanted
                and length - (theirs & ~mine).bit_count() >= wanted
            ):
                yield label


def _letters(text: str) -> int:
    """A bit for each letter that occurs; few letters share one."""
    found = 0
    for letter in set(text):
        found |= 1 << (ord(letter) & 127)
    return found
