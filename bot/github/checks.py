"""Check runs: one with a name and a key on a commit, or one with a name where it is the only one.

The remarks of a check run only ever grow.
"""

from bot.domain.comment import Annotation
from bot.domain.forge import CommitCheck
from bot.github.client import Client, Json
from bot.github.failures import understood
from bot.github.responses import CheckRunResponse, Note

_DONE = "completed"
_AT_ONCE = 50
"""Remarks of a request at most."""


class CheckRuns:
    """The check runs of a repository that the App has made."""

    def __init__(self, client: Client, root: str, app: int) -> None:
        self._client = client
        self._root = root
        self._app = app

    def conclude(self, check: CommitCheck) -> None:
        """Make a check run, or change the one whose place it takes.

        It is concluded with the last of its remarks; those that it has are not added again.
        """
        run = self._find(check)
        if check.is_there and (run is None or run.status == _DONE):
            return
        wanted = list(dict.fromkeys(check.annotations))
        batches = _batches(wanted if run is None else self._missing(run, check, wanted))
        for place, batch in enumerate(batches):
            body = _body(check, batch, is_last=place + 1 == len(batches))
            run = self._made(check, body) if run is None else self._changed(run, check, batch, body)

    def _made(self, check: CommitCheck, body: Json) -> CheckRunResponse:
        asked = {"name": check.name, "head_sha": check.head, "external_id": check.key, **body}
        path, sentence = f"{self._root}/check-runs", _sentence(check)

        def make() -> CheckRunResponse:
            return understood(
                CheckRunResponse, self._client.write("POST", path, sentence, asked), sentence
            )

        return self._client.once(make, lambda: self._find(check))

    def _changed(
        self, run: CheckRunResponse, check: CommitCheck, batch: list[Annotation], body: Json
    ) -> CheckRunResponse:
        path, sentence = f"{self._root}/check-runs/{run.id}", _sentence(check)
        if run.external_id != check.key:
            body = {**body, "external_id": check.key}

        def change() -> CheckRunResponse:
            self._client.write("PATCH", path, sentence, body)
            return run

        def changed() -> CheckRunResponse | None:
            return run if batch and not self._missing(run, check, batch) else None

        return self._client.once(change, changed)

    def _find(self, check: CommitCheck) -> CheckRunResponse | None:
        """The newest check run of its name, commit and key; else of any key, if it is the only one.

        Who has a check already takes nobody's place: others, as strangers, may have theirs beside.
        """
        found = self._client.pages(
            f"{self._root}/commits/{check.head}/check-runs",
            _sentence(check),
            key="check_runs",
            check_name=check.name,
            app_id=self._app,
            filter="all",
        )
        runs = (understood(CheckRunResponse, item, _sentence(check)) for item in found)
        own = [run for run in runs if run.app is None or run.app.id == self._app]
        mine = [run for run in own if run.external_id == check.key]
        return next(iter(mine or (own if check.is_only else ())), None)

    def _missing(
        self, run: CheckRunResponse, check: CommitCheck, wanted: list[Annotation]
    ) -> list[Annotation]:
        """The remarks that a check run does not have yet."""
        if not wanted:
            return []
        sentence = _sentence(check)
        found = self._client.pages(f"{self._root}/check-runs/{run.id}/annotations", sentence)
        standing = {understood(Note, item, sentence).value for item in found}
        return [item for item in wanted if item not in standing]


def _sentence(check: CommitCheck) -> str:
    return f"the check “{check.name}” cannot be told"


def _body(check: CommitCheck, batch: list[Annotation], *, is_last: bool) -> Json:
    output: dict[str, Json] = {"title": check.title, "summary": check.summary}
    if batch:
        output["annotations"] = [_annotation(item) for item in batch]
    body: dict[str, Json] = {"output": output, "status": "in_progress"}
    if check.conclusion is not None and is_last:
        body |= {"status": "completed", "conclusion": check.conclusion}
    return body if check.details is None else body | {"details_url": check.details}


def _annotation(item: Annotation) -> Json:
    return {
        "path": item.path,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "annotation_level": item.level,
        "title": item.title,
        "message": item.message,
    }


def _batches(items: list[Annotation]) -> list[list[Annotation]]:
    """As many at once as a request takes; one empty batch of none."""
    return [items[start : start + _AT_ONCE] for start in range(0, len(items) or 1, _AT_ONCE)]
