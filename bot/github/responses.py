"""The parts of GitHub's answers that are read, as models; unknown keys are ignored."""

import json
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.domain.comment import Annotation, CommentKind
from bot.domain.webhook_payloads import Commit, FullName, Name, PullPayload


class _ResponseModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Slug(_ResponseModel):
    """The App itself."""

    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}\z")]


class _AppOwner(_ResponseModel):
    """The owner of the App; an enterprise has a slug instead of a login."""

    login: str = ""
    slug: str = ""


class RegisteredResponse(Slug):
    """The App as it is registered."""

    owner: _AppOwner
    permissions: dict[str, str]
    events: tuple[str, ...]


class Hook(_ResponseModel):
    """The webhook's address."""

    url: str = ""


class PullResponse(PullPayload):
    """A pull request."""

    state: str


class _CommitResponse(_ResponseModel):
    sha: Commit


class BranchResponse(_ResponseModel):
    """A branch."""

    commit: _CommitResponse


class RepositoryResponse(_ResponseModel):
    """A repository."""

    default_branch: Name


class InstalledOn(_ResponseModel):
    """The installation that a repository belongs to."""

    id: int


class _Opened(_ResponseModel):
    """A repository that a token gives access to."""

    id: int
    full_name: FullName


class OpenedRepositories(_ResponseModel):
    """The repositories that a token gives access to."""

    repositories: tuple[_Opened, ...]


class CompareResponse(_ResponseModel):
    """A comparison of two commits."""

    merge_base_commit: _CommitResponse


class PermissionResponse(_ResponseModel):
    """A person's permission; a role that an organisation has defined has a name of its own."""

    permission: str
    role_name: str = ""


class _Writer(_ResponseModel):
    login: str
    type: str = ""


class CommentResponse(_ResponseModel):
    """A comment; the author is None if the account is gone."""

    id: int
    body: str | None = None
    user: _Writer | None = None
    html_url: str = ""
    node_id: str = ""

    def is_by(self, login: str) -> bool:
        """Whether this login wrote it; a login that ends on [bot] belongs to an App."""
        if self.user is None or self.user.login != login:
            return False
        return self.user.type == "Bot" or not login.endswith("[bot]")


class IssueResponse(CommentResponse):
    """An issue; the body is its first post."""

    number: int
    state: str


class ReviewCommentResponse(CommentResponse):
    """A comment on a line or on a file; `line` is None if the line has changed since."""

    subject_type: str = "line"
    line: int | None = None
    in_reply_to_id: int | None = None

    @property
    def kind(self) -> CommentKind:
        """The kind of comment."""
        return CommentKind.FILE if self.subject_type == "file" else CommentKind.INLINE


class _AppReference(_ResponseModel):
    id: int


class _CheckOutput(_ResponseModel):
    title: str | None = None


class CheckRunResponse(_ResponseModel):
    """A check run."""

    id: int
    external_id: str | None = None
    status: str | None = None
    conclusion: str | None = None
    output: _CheckOutput = _CheckOutput()
    app: _AppReference | None = None


class Note(_ResponseModel):
    """An annotation of a check run."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None

    @property
    def value(self) -> Annotation:
        """The annotation as it was requested."""
        return Annotation(
            path=self.path,
            start_line=self.start_line,
            end_line=self.end_line,
            level=self.annotation_level or "",
            title=self.title or "",
            message=self.message or "",
        )


class Attempt(_ResponseModel):
    """An attempt at a delivery."""

    id: int
    guid: str
    event: str
    delivered_at: AwareDatetime


class _PullReference(_ResponseModel):
    payload: dict[str, Any]


class Delivered(_ResponseModel):
    """An attempt at a delivery, with the payload."""

    request: _PullReference

    @property
    def body(self) -> bytes:
        """The payload as JSON; its bytes may differ from those that were signed."""
        return json.dumps(self.request.payload, separators=(",", ":")).encode()
