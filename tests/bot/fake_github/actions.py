"""What people do on the fake GitHub, and what it then tells the App."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bot.fake_github import views
from tests.bot.fake_github.content import Content, Spans
from tests.bot.fake_github.description import shaped
from tests.bot.fake_github.sending import Sender
from tests.bot.fake_github.state import (
    FULL,
    Comment,
    Installation,
    Pull,
    Repository,
    Token,
    new_repository,
    numbers,
    written,
)

if TYPE_CHECKING:
    from tests.bot.fake_github.server import Fault

ZEROS = "0" * 40


class Actions(Sender):
    """The part of the fake that tests drive."""

    app: int
    folder: Path | None
    people: set[str]
    installations: dict[int, Installation]
    repositories: dict[str, Repository]
    former: dict[str, Repository]
    tokens: dict[str, Token]
    faults: "list[Fault]"

    def install(self, account: str = "us", permissions: Mapping[str, str] = FULL) -> Installation:
        """Put the App on an account; the delivery says with which repositories."""
        made = Installation(next(numbers), account, dict(permissions))
        self.installations[made.id] = made
        self.tell("installation", {"action": "created", **self._installed(made)})
        return made

    def uninstall(self, installation: int) -> None:
        """Take the App away; its tokens are worth nothing from now on."""
        gone = self.installations.pop(installation)
        self.tell("installation", {"action": "deleted", **self._installed(gone)})

    def suspend(self, installation: int, *, again: bool = False) -> None:
        """Suspend the App on an account, or let it work there again."""
        item = self.installations[installation]
        item.is_suspended = not again
        action = "unsuspend" if again else "suspend"
        self.tell("installation", {"action": action, **self._installed(item)})

    def accept(self, installation: int) -> None:
        """Grant the App what it asks for by now."""
        item = self.installations[installation]
        self.tell("installation", {"action": "new_permissions_accepted", **self._installed(item)})

    def withdraw(self, repo: Repository) -> None:
        """Take a repository away from the App; others of its account stay."""
        assert repo.installation is not None
        left, repo.installation = repo.installation, None
        self.tell_loss(left, repo)

    def give_back(self, repo: Repository, installation: int) -> None:
        """Let the App come to a repository again that was taken away from it."""
        repo.installation = installation
        installed = self._installed(self.installations[installation])["installation"]
        added = {"repositories_added": [_short(repo)], "repositories_removed": []}
        self.tell(
            "installation_repositories", {"action": "added", "installation": installed, **added}
        )

    def rename(self, repo: Repository, name: str) -> None:
        """Give a repository another name; what is asked for by the old one is led to its id."""
        del self.repositories[repo.name]
        self.former[repo.name] = repo
        for key, token in self.tokens.items():
            if token.repositories and repo.name in token.repositories:
                opened = token.repositories - {repo.name} | {name}
                self.tokens[key] = replace(token, repositories=opened)
        repo.name = name
        self.repositories[name] = repo
        if repo.git is not None and self.folder is not None:
            target = self.folder / f"{name}.git"
            target.parent.mkdir(exist_ok=True)
            repo.git.folder = repo.git.folder.rename(target)

    def transfer(self, repo: Repository, account: str, *, is_told: bool = True) -> None:
        """Give a repository to another account, with whatever installation of the App is there.

        `is_told`: the installation that it leaves hears of it. Its tokens open nothing any more.
        """
        left = self.installations[repo.installation] if repo.installation is not None else None
        found = [item.id for item in self.installations.values() if item.account == account]
        self.rename(repo, f"{account}/{repo.name.partition('/')[2]}")
        repo.installation = found[0] if found else None
        if is_told and left is not None:
            self.tell_loss(left.id, repo)

    def tell_loss(self, installation: int, repo: Repository) -> None:
        """Tell that an installation has lost a repository."""
        installed = self._installed(self.installations[installation])["installation"]
        removed = {"repositories_added": [], "repositories_removed": [_short(repo)]}
        whole = {"action": "removed", "installation": installed, **removed}
        self.tell("installation_repositories", whole)

    def repository(
        self,
        name: str = "us/paper",
        files: Mapping[str, Content] | None = None,
        *,
        people: Mapping[str, str] | None = None,
    ) -> Repository:
        """A repository of an account, where the App is put if it is not there; with commits.

        `files` None: it has no content, and its commits are only names.
        """
        owner = name.partition("/")[0]
        known = [item for item in self.installations.values() if item.account == owner]
        installation = known[0] if known else self.install(owner)
        folder = self.folder if files is not None else None
        made = new_repository(folder, name, installation.id)
        made.people = {owner: "admin", **(people or {})}
        self.repositories[name] = made
        if files is not None:
            made.commit(files)
        return made

    def open(
        self,
        repo: Repository,
        branch: str = "change",
        *,
        author: str = "us",
        head: str | None = None,
        base: str | None = None,
        base_ref: str | None = None,
        fork: str | None = None,
        is_draft: bool = False,
        shown: dict[str, Spans] | None = None,
    ) -> Pull:
        """Open a pull request of a branch, and tell the App."""
        target = base_ref or repo.default_branch
        made = Pull(
            number=max(repo.pulls, default=0) + 1,
            author=author,
            branch=branch,
            base_ref=target,
            base=base or repo.tip(target),
            head=head or repo.tip(branch),
            fork=fork,
            is_draft=is_draft,
            shown=shown,
        )
        repo.pulls[made.number] = made
        self._point(repo, made)
        self.tell_pull(repo, made, "opened", author)
        return made

    def push(
        self,
        repo: Repository,
        files: Mapping[str, Content] | None = None,
        *,
        branch: str = "main",
        head: str | None = None,
        by: str = "us",
    ) -> str:
        """Move a branch by a commit, or to any commit; its pull requests are synchronized.

        Those for this branch go on to name the commit that it was at when they were pushed to.
        """
        before = repo.tip(branch)
        after = head or repo.commit(files or {}, on=branch)
        repo.point(branch, after)
        self._tell_push(repo, branch, before, after, by)
        for pull in repo.pulls.values():
            if pull.is_open and pull.branch == branch:
                self._synchronize(repo, pull, after, by)
        return after

    def delete_branch(self, repo: Repository, branch: str, *, by: str = "us") -> None:
        """Delete a branch."""
        before = repo.tips.pop(branch)
        self._tell_push(repo, branch, before, ZEROS, by)

    def close(self, repo: Repository, pull: Pull, *, by: str = "us", merge: bool = False) -> None:
        """Close a pull request, merged or not."""
        pull.is_open, pull.is_merged = False, merge
        if merge and repo.git is not None:
            before = repo.tip(pull.base_ref)
            made = repo.git.git("commit-tree", f"{pull.head}^{{tree}}", "-p", before, "-p",
                                pull.head, "-m", "Merge")  # fmt: skip
            repo.point(pull.base_ref, made)
        self.tell_pull(repo, pull, "closed", by)
        if merge and repo.git is not None:
            self._tell_push(repo, pull.base_ref, before, made, by)

    def retarget(
        self, repo: Repository, pull: Pull, base_ref: str | None = None, *, by: str = "us"
    ) -> None:
        """Edit a pull request: its base, or None: nothing but its words."""
        was: dict[str, Any] = {"title": {"from": "Another title"}}
        if base_ref is not None:
            was = {"base": {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base}}}
            pull.base_ref, pull.base = base_ref, repo.tip(base_ref)
        self.tell_pull(repo, pull, "edited", by, changes=was)

    def reopen(self, repo: Repository, pull: Pull, *, by: str = "us") -> None:
        """Open a pull request that was closed."""
        pull.is_open = True
        self.tell_pull(repo, pull, "reopened", by)

    def label(
        self, repo: Repository, pull: Pull, name: str, *, by: str = "us", gone: bool = False
    ) -> None:
        """Put a label on a pull request, or take it away."""
        (pull.labels.remove if gone else pull.labels.append)(name)
        more = {"label": views.label(name)}
        self.tell_pull(repo, pull, "unlabeled" if gone else "labeled", by, **more)

    def describe(self, repo: Repository, pull: Pull, body: str, *, by: str = "us") -> None:
        """Edit the description of a pull request."""
        was, pull.body = pull.body, body
        self.tell_pull(repo, pull, "edited", by, changes={"body": {"from": was}})

    def make_draft(self, repo: Repository, pull: Pull, *, by: str = "us") -> None:
        """Let a pull request be a draft again."""
        pull.is_draft = True
        self.tell_pull(repo, pull, "converted_to_draft", by)

    def make_ready(self, repo: Repository, pull: Pull, *, by: str = "us") -> None:
        """Let a draft be one no longer."""
        pull.is_draft = False
        self.tell_pull(repo, pull, "ready_for_review", by)

    def queue(
        self,
        repo: Repository,
        pull: Pull,
        files: Mapping[str, Content] | None = None,
        *,
        onto: str | None = None,
        is_told: bool = True,
    ) -> str:
        """Add a pull request to the merge queue; the commit that GitHub makes of it.

        The branch is pushed in any case; `is_told`: the event of merge groups comes, too.

        `files` are what merging comes to, None: what the head has; `onto` is a group before it.
        """
        assert repo.git is not None
        base = onto or repo.tip(pull.base_ref)
        if files is None:
            tree = f"{pull.head}^{{tree}}"
            parents = ("-p", base, "-p", pull.head)
            made = repo.git.git("commit-tree", tree, *parents, "-m", "Merge")
        else:
            made = repo.git.commit(files, (base,), "Merge")
        branch = f"gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{base}"
        repo.point(branch, made)
        self._tell_push(repo, branch, "", made, "us")
        if is_told:
            self._tell_group(repo, pull, "checks_requested", made, base)
        return made

    def dequeue(self, repo: Repository, pull: Pull, group: str) -> None:
        """Take a pull request out of the merge queue."""
        self._tell_group(repo, pull, "destroyed", group, repo.tip(pull.base_ref))

    def _tell_group(self, repo: Repository, pull: Pull, action: str, head: str, base: str) -> None:
        group = {
            "head_sha": head,
            "head_ref": f"refs/heads/gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{base}",
            "base_sha": base,
            "base_ref": f"refs/heads/{pull.base_ref}",
        }
        more = {"reason": "dequeued"} if action == "destroyed" else {}
        self.tell("merge_group", {"action": action, "merge_group": group, **more}, repo)

    def say(
        self,
        repo: Repository,
        pull: Pull,
        body: str,
        *,
        by: str = "us",
        to: int | None = None,
        association: str = "NONE",
    ) -> Comment:
        """Comment as a person; `to` is the review comment that is answered."""
        made = Comment(next(numbers), pull.number, by, body)
        if to is None:
            repo.comments.append(made)
            shown, event = views.comment(repo, made), "issue_comment"
            place = {"issue": self._issue(repo, pull)}
        else:
            first = next(item for item in repo.remarks if item.id == to)
            made.path, made.reply_to, made.commit = (
                first.path,
                first.reply_to or first.id,
                pull.head,
            )
            made.line, made.original_line = first.line, first.original_line
            repo.remarks.append(made)
            shown, event = views.remark(repo, made), "pull_request_review_comment"
            place = {"pull_request": views.pull(repo, pull)}
        shown["author_association"] = association
        shown["created_at"] = shown["updated_at"] = written(self.clock())
        self.tell(event, {"action": "created", "comment": shown, **place}, repo, by)
        return made

    def edit(
        self, repo: Repository, pull: Pull, said: Comment, body: str, *, by: str = "us"
    ) -> None:
        """Edit a comment, one's own or somebody else's."""
        was, said.body = said.body, body
        if said in repo.comments:
            shown, event = views.comment(repo, said), "issue_comment"
            place = {"issue": self._issue(repo, pull)}
        else:
            shown, event = views.remark(repo, said), "pull_request_review_comment"
            place = {"pull_request": views.pull(repo, pull)}
        shown["author_association"] = "NONE"
        shown["created_at"], shown["updated_at"] = written(0.0), written(self.clock())
        changes = {"body": {"from": was}}
        self.tell(event, {"action": "edited", "comment": shown, "changes": changes, **place},
                  repo, by)  # fmt: skip

    def review(
        self, repo: Repository, pull: Pull, body: str, *, by: str = "us", was: str | None = None
    ) -> None:
        """Submit a review of these words, or edit its words."""
        shown = {
            "id": next(numbers),
            "body": body,
            "user": views.user(by),
            "author_association": "NONE",
            "commit_id": pull.head,
            "submitted_at": written(self.clock()),
            "state": "commented",
        }
        more = {} if was is None else {"changes": {"body": {"from": was}}}
        payload = {"review": shown, "pull_request": views.pull(repo, pull), **more}
        action = "submitted" if was is None else "edited"
        self.tell("pull_request_review", {"action": action, **payload}, repo, by)

    def press(self, repo: Repository, run: int, identifier: str, *, by: str = "us") -> None:
        """Press a button beside a check run."""
        found = next(item for item in repo.runs if item.id == run)
        payload = {"check_run": views.run(found), "requested_action": {"identifier": identifier}}
        self.tell("check_run", {"action": "requested_action", **payload}, repo, by)

    def rerequest(self, repo: Repository, run: int | None, head: str, *, by: str = "us") -> None:
        """Press "re-run" at a check run, or at all of a commit."""
        if run is None:
            suite = {"id": next(numbers), "head_sha": head, "app": {"id": self.app}}
            suite |= {"pull_requests": [], **repo.pushed(head)}
            payload: dict[str, Any] = {"check_suite": suite}
        else:
            found = next(item for item in repo.runs if item.id == run)
            payload = {"check_run": views.run(found) | {"check_suite": repo.pushed(head)}}
        self.tell(next(iter(payload)), {"action": "rerequested", **payload}, repo, by)

    def fail(
        self,
        method: str,
        pattern: str,
        *,
        status: int | None = 502,
        after: bool = False,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
        message: str = "told to fail",
        body: Any = None,
    ) -> None:
        """Let requests fail; None drops the connection, `after`: once all was done.

        With a status of success and a body it is another answer than the true one.
        """
        from tests.bot.fake_github.server import Fault

        said = {"message": message} if body is None else body
        self.faults.append(Fault(method, pattern, status, after, times, headers or {}, said))

    def limit(
        self, method: str, pattern: str, *, seconds: int = 1, status: int = 403, times: int = 1
    ) -> None:
        """Let requests meet the secondary rate limit."""
        self.fail(
            method,
            pattern,
            status=status,
            times=times,
            headers={"Retry-After": str(seconds)},
            message="You have exceeded a secondary rate limit. Please wait a few minutes.",
        )

    def _synchronize(self, repo: Repository, pull: Pull, after: str, by: str) -> None:
        """A pull request has newer commit: what stood on a changed line is outdated."""
        for item in repo.remarks:
            if item.number == pull.number and item.line is not None and repo.git is not None:
                assert item.path is not None
                item.line = repo.git.moved(item.path, item.line, pull.head, after)
        pull.head, pull.base = after, repo.tip(pull.base_ref) or pull.base
        self._point(repo, pull)
        self.tell_pull(repo, pull, "synchronize", by)

    def _point(self, repo: Repository, pull: Pull) -> None:
        if repo.git is not None and repo.git.has(pull.head):
            repo.git.point(f"refs/pull/{pull.number}/head", pull.head)

    def _tell_push(self, repo: Repository, branch: str, before: str, after: str, by: str) -> None:
        moved = {"ref": f"refs/heads/{branch}", "before": before or ZEROS, "after": after}
        repo.pushes.append((branch, before or ZEROS, after))
        self.tell("push", {**moved, "deleted": after == ZEROS, "commits": []}, repo, by)

    def _issue(self, repo: Repository, pull: Pull) -> dict[str, Any]:
        place = {"url": f"https://github.example/repos/{repo.name}/pulls/{pull.number}"}
        return shaped(
            "issue",
            number=pull.number,
            state="open",
            user=views.user(pull.author),
            pull_request=place,
        )

    def _installed(self, item: Installation) -> dict[str, Any]:
        own = [repo for repo in self.repositories.values() if repo.installation == item.id]
        return {
            "installation": views.installation(item, self.app),
            "repositories": [_short(repo) for repo in own],
        }


def _short(repo: Repository) -> dict[str, Any]:
    name = repo.name.partition("/")[2]
    return {
        "id": repo.id,
        "node_id": "x",
        "name": name,
        "full_name": repo.name,
        "private": False,
    }
