"""What all pages share: templates that escape, strict headers, files of our own only.

Access to the pages needs their token, or the cookie given for it.

The cookie holds a ticket, which is a time and its HMAC: it reveals nothing of the token, expires by
itself, and is invalid once the token changes.
"""

import hashlib
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from importlib.resources import files
from urllib.parse import unquote, urlsplit

from flask import Flask, Response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import PackageLoader, StrictUndefined
from werkzeug.wrappers import Response as AnyResponse

_FORM = 16 * 1024
"""The maximal size of a form in bytes; the largest holds an address."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # if stricter, a browser hides a form's origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_RULES = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action {forms}"
)
_FILES = {
    "pf.css": ("text/css; charset=utf-8", ("pfcore.reporters.html", "report.css"), "pages.css"),
    "pf.svg": ("image/svg+xml", ("bot.web", "assets/pf.svg"), None),
    "pf.js": ("text/javascript; charset=utf-8", ("pfcore.reporters.html", "report.js"), None),
}


def prepare(app: Flask, *, forms_to: str | None = None) -> None:
    """Give an application our templates, headers and files; forms may go to one more server."""
    app.jinja_loader = PackageLoader("bot.web")
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    rules = _RULES.format(forms=f"'self' {forms_to or ''}".strip())
    texts = {name: _file(name) for name in _FILES}

    @app.after_request
    def forbid(response: Response) -> Response:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers["Content-Security-Policy"] = rules
        return response

    @app.get("/assets/<name>")
    def asset(name: str) -> ResponseReturnValue:
        if name not in texts:
            return no_such_page()
        kind, _, _ = _FILES[name]
        return texts[name], 200, {"Content-Type": kind, "Cache-Control": "max-age=300"}


def no_such_page() -> ResponseReturnValue:
    """Page not found."""
    return render_template("message.html", title="Not found", says="Page not found."), 404


def require_own_form() -> ResponseReturnValue | None:
    """The error page if a form was sent from another site, or is too large; else None."""
    request.max_content_length = _FORM
    said = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.host
    if said in {"same-origin", "none"} and is_ours:
        return None
    return render_template(
        "message.html", title="Refused", says="Invalid form. Reload the page."
    ), 403


def _file(name: str) -> str:
    _, (package, first), second = _FILES[name]
    text = files(package).joinpath(first).read_text(encoding="utf-8")
    if second is None:
        return text
    return text + files("bot.web").joinpath("assets", second).read_text(encoding="utf-8")


_COOKIE = "pf-pages"
_BEARER = "Bearer "
_PLACES = re.compile(r"/(?:runs/[\w-]+|repos/[\w.%~-]+/[\w.%~-]+)?(?:\?[\w=&.%~-]*)?", re.ASCII)
"""The addresses to which a login may lead: only our own pages."""

View = Callable[..., ResponseReturnValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorkeeper:
    """Compares in constant time; `clock` returns seconds since 1970."""

    token: bytes = field(repr=False)
    clock: Callable[[], float]

    def knows(self, given: str) -> bool:
        """Whether a token is the right one."""
        if len(given) > _LONGEST:
            return False
        # Digests are compared because compare_digest reveals the length of its arguments.
        return hmac.compare_digest(_hash(given.encode("utf-8", "surrogatepass")), _hash(self.token))

    def ticket(self) -> str:
        """A ticket that is valid from now on."""
        ends = str(int(self.clock()) + LASTS)
        return f"{ends}.{self._seal(ends)}"

    def admits(self, ticket: str) -> bool:
        """Whether a ticket is ours and has not expired."""
        ends, _, seal = ticket[:_LONGEST].partition(".")
        sealed = self._seal(ends).encode()
        if not hmac.compare_digest(seal.encode("utf-8", "surrogatepass"), sealed):
            return False
        return int(ends) > self.clock()

    def _seal(self, ends: str) -> str:
        key = hmac.new(self.token, _PURPOSE, hashlib.sha256).digest()
        return hmac.new(key, ends.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


class Door:
    """Guards views; without a doorkeeper nobody gets in.

    `public_url` is the pages' public address, if known, because a proxy may end TLS there.
    """

    def __init__(self, doorkeeper: Doorkeeper | None, *, public_url: str | None = None) -> None:
        self._doorkeeper = doorkeeper
        public = urlsplit(public_url or "")
        self._tls_host = public.netloc if public.scheme == "https" else None

    def install(self, app: Flask) -> None:
        """Add login and logout."""
        app.add_url_rule("/login", "login", self._login, methods=["POST"])
        app.add_url_rule("/logout", "logout", self._logout, methods=["POST"])

    def guarded(self, view: View) -> View:
        """A view only for people who are let in; others are asked for the token."""

        @wraps(view)
        def behind(**values: str) -> ResponseReturnValue:
            if self._doorkeeper is None:
                return _off()
            return view(**values) if self._is_let_in() else _asked("", _here())

        return behind

    def _is_let_in(self) -> bool:
        doorkeeper = self._doorkeeper
        if doorkeeper is None:
            return False
        given = request.headers.get("Authorization", "")
        if given.startswith(_BEARER):
            return doorkeeper.knows(given.removeprefix(_BEARER))
        return doorkeeper.admits(request.cookies.get(_COOKIE, ""))

    def _login(self) -> ResponseReturnValue:
        refused = require_own_form()
        if refused is not None:
            return refused
        if self._doorkeeper is None:
            return _off()
        to = request.form.get("to", "")
        if not self._doorkeeper.knows(request.form.get("token", "").strip()):
            return _asked("Wrong token.", _safe(to))
        answer = redirect(_safe(to), 303)
        self._set(answer, self._doorkeeper.ticket(), LASTS)
        return answer

    def _logout(self) -> ResponseReturnValue:
        refused = require_own_form()
        if refused is not None:
            return refused
        answer = redirect("/", 303)
        self._set(answer, "", 0)
        return answer

    def _set(self, answer: AnyResponse, ticket: str, seconds: int) -> None:
        answer.set_cookie(
            _COOKIE,
            ticket,
            max_age=seconds,
            httponly=True,
            samesite="Lax",
            secure=request.is_secure or request.host == self._tls_host,
            path="/",
        )


def _asked(says: str, to: str) -> ResponseReturnValue:
    return render_template("login.html", says=says, to=to), 401


def _off() -> ResponseReturnValue:
    says = "Pages are disabled: set a pages_token in the App's settings."
    return render_template("message.html", title="No pages", says=says), 404


def _here() -> str:
    return _safe(request.full_path.rstrip("?") if request.method == "GET" else "/")


def _safe(place: str) -> str:
    """A path of ours; the first page in place of anything else."""
    if _PLACES.fullmatch(place) and ".." not in unquote(place):
        return place
    return "/"


LASTS = 12 * 3600
"""How many seconds a ticket is valid."""

_PURPOSE = b"pf-verify pages ticket 1"
_LONGEST = 1000


def _hash(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
