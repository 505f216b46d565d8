"""The error tree: everything that pf-verify raises on purpose.

PfError                     exit status 4 unless a subclass says otherwise
├── UsageError              2  an argument or a path that cannot be used
│   ├── ConfigError         2  a settings file has an unknown key or a wrong value
│   ├── RevisionError       2  a revision that this repository does not have
│   ├── AmbiguousNameError  2  a name that several results have
│   └── NoPaperError        2  no LaTeX document to review
├── IncompleteError         3  the review could not be carried out
│   ├── ShallowError        3  the clone lacks the history that the base needs
│   └── GitError            3  git failed, or took too long
└── SourceError             3  a source file cannot be used (path, line, column)

Findings and unreached verdicts are values, not errors.
"""


class PfError(Exception):
    """A fault that we foresaw; prints as one sentence that an author can act on."""

    exit_status = 4

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(PfError):
    """The command was given an argument or a path that it cannot use."""

    exit_status = 2


class ConfigError(UsageError):
    """An invalid setting, with the path of its settings file."""

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path


class RevisionError(UsageError):
    """A revision that the repository does not know."""

    def __init__(self, message: str, *, revision: str) -> None:
        super().__init__(message)
        self.revision = revision


class AmbiguousNameError(UsageError):
    """A name that several results share."""


class NoPaperError(UsageError):
    """There is no LaTeX document to review."""


class IncompleteError(PfError):
    """The review could not be carried out; never to be read as a pass."""

    exit_status = 3


class ShallowError(IncompleteError):
    """The clone is shallow and does not reach the revision that is needed."""

    def __init__(self, message: str, *, revision: str) -> None:
        super().__init__(message)
        self.revision = revision


class GitError(IncompleteError):
    """git failed or exceeded its time limit."""


class SourceError(PfError):
    """A fault at a place in a source file; lines and columns count from 1."""

    exit_status = 3

    def __init__(self, message: str, *, path: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.reason = message
        self.path = path
        self.line = line
        self.column = column
