"""Makes a very large paper from relabelled, perturbed copies of a real one, in a git repository.

python -m pfcore.bench.speed.large CORPUS_FOLDER NEW_FOLDER [MODULES]
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers import discover
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

MODULES = 15_000
_KEY = re.compile(r"(?<=[{\[,])(\s*)([^\s{}\[\],\\]+)(?=\s*[}\],])")
_NUMBER = re.compile(r"(?<= )[2-9](?=[ ,.])")
_SENTENCE = re.compile(r"([a-z])\.\n")
_INPUT = re.compile(r"\\[A-Za-z]+\s*(?:\{([^{}]*)\}|\s([^\s{}]+))")
_COMMIT = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit", "-qm", "paper")


def main(argv: Sequence[str] | None = None) -> int:
    """Make the paper and print its size."""
    source, target, *rest = argv if argv is not None else sys.argv[1:]
    moment = _largest(Path(source))
    wanted = int(rest[0]) if rest else MODULES
    copies = -(-wanted // len(moment.document.modules))
    files = dict(_files(moment, copies))
    write_repository(Path(target), files)
    size = sum(map(len, files.values())) / 1e6
    modules = copies * len(moment.document.modules)
    print(f"{target}: {copies} copies, {modules:,} modules, {len(files)} files, {size:.1f} MB")  # noqa: T201
    return 0


def _largest(folder: Path) -> PaperState:
    """The paper of a folder with the most modules."""
    found = discover.discover_papers(snapshot.from_folder(folder), ParseCache(MemoryCache())).papers
    return max(map(build_paper_state, found), key=lambda moment: len(moment.document.modules))


def write_repository(folder: Path, files: dict[str, str]) -> None:
    """Write files into a new git repository and commit them."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), _COMMIT, ("gc", "-q")):
        subprocess.run(["git", "-C", str(folder), *command], check=True)  # noqa: S603, S607 - fixed


def _files(moment: PaperState, copies: int) -> Iterator[tuple[str, str]]:
    """The root with inputs of the copies, other files unchanged, and each copy's body files."""
    paper = moment.paper
    text = paper.source(paper.root)
    start, end = text.index("\\begin{document}"), text.rindex("\\end{document}")
    start += len("\\begin{document}")
    names = [f"copy{number:02}" for number in range(copies)]
    inputs = "".join(f"\\input{{{name}/body}}\n" for name in names)
    yield "main.tex", f"{text[:start]}\n{inputs}{text[end:]}"
    body = _body(moment)
    for path in paper.outline.order:
        if path not in body and path != paper.root:
            yield _beside(paper.root, path), paper.source(path)
    for number, name in enumerate(names):
        change = _change(moment, number)
        for path in body:
            own = _below(paper, path, name)
            yield f"{name}/{_plain(_beside(paper.root, path))}.tex", change(own)
        yield f"{name}/body.tex", change(_below(paper, paper.root, name)[start:])


def _body(moment: PaperState) -> set[str]:
    """The files that are included after the preamble."""
    paper = moment.paper
    opening = paper.surveys[paper.root].body
    pending = [
        found.path
        for found in paper.outline.inclusions.get(paper.root, ())
        if found.offset >= opening
    ]
    reached: set[str] = set()
    while pending:
        path = pending.pop()
        if path not in reached:
            reached.add(path)
            pending += [found.path for found in paper.outline.inclusions.get(path, ())]
    return reached


def _below(paper: Paper, path: str, name: str) -> str:
    """The text of a file with its inclusions redirected to a copy; the root without its end."""
    text = paper.source(path)
    if path == paper.root:
        text = text[: text.rindex("\\end{document}")]
    opening = paper.surveys[path].body if path == paper.root else -1
    for found in reversed(paper.outline.inclusions.get(path, ())):
        match = _INPUT.match(text, found.offset)
        if match and found.offset >= opening:
            target = f"{name}/{_plain(_beside(paper.root, found.path))}"
            text = f"{text[: match.start()]}\\input{{{target}}}{text[match.end() :]}"
    return text


def _change(moment: PaperState, number: int) -> Callable[[str], str]:
    """A function that prefixes labels and numbers of a copy, and adds words to its sentences."""
    labels = moment.document.labels

    def relabel(match: re.Match[str]) -> str:
        return f"{match[1]}c{number}:{match[2]}" if match[2] in labels else match[0]

    def perturb(text: str) -> str:
        text = _NUMBER.sub(rf"{number}\g<0>", _KEY.sub(relabel, text))
        return _SENTENCE.sub(rf"\1 in case {number}.\n", text)

    return perturb


def _beside(root: str, path: str) -> str:
    """A path relative to the root's folder."""
    folder = root.rpartition("/")[0]
    return path.removeprefix(f"{folder}/") if folder else path


def _plain(path: str) -> str:
    return path.removesuffix(".tex").replace("../", "")


if __name__ == "__main__":
    sys.exit(main())
