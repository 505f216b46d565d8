"""Who gets to see the pages: with the token, or with the cookie that it gave."""

import re
from collections.abc import Callable
from functools import wraps
from urllib.parse import unquote, urlsplit

from flask import Flask, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from bot.web import access
from bot.web.doorkeeper import LASTS, Doorkeeper

_COOKIE = "pf-pages"
_BEARER = "Bearer "
_PLACES = re.compile(r"/(?:runs/[\w-]+|repos/[\w.%~-]+/[\w.%~-]+)?(?:\?[\w=&.%~-]*)?", re.ASCII)
"""Where a login may lead: to pages of ours, and nowhere else."""

View = Callable[..., ResponseReturnValue]


class Door:
    """Stands before views; without a doorkeeper nobody comes in.

    `public_url` is where people see the pages, if that is known: a proxy may end TLS there.
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
        """A view that only those see who are let in; others are asked for the token."""

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
        refused = access.require_own_form()
        if refused is not None:
            return refused
        if self._doorkeeper is None:
            return _off()
        to = request.form.get("to", "")
        if not self._doorkeeper.knows(request.form.get("token", "").strip()):
            return _asked("That is not the token.", _safe(to))
        answer = redirect(_safe(to), 303)
        self._set(answer, self._doorkeeper.ticket(), LASTS)
        return answer

    def _logout(self) -> ResponseReturnValue:
        refused = access.require_own_form()
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
    says = "Nobody sees pages here until the App's settings have a pages_token."
    return render_template("message.html", title="No pages", says=says), 404


def _here() -> str:
    return _safe(request.full_path.rstrip("?") if request.method == "GET" else "/")


def _safe(place: str) -> str:
    """A place of ours; the first page instead of all others."""
    if _PLACES.fullmatch(place) and ".." not in unquote(place):
        return place
    return "/"
