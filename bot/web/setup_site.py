"""`/setup`: a person who has the code from the terminal registers the App on GitHub.

Nothing that GitHub returns is shown or logged; it goes straight into two files.

Also the state of the setup: the session, the wishes, and the new App.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from flask import Flask, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.app_settings import address
from bot.web import access
from bot.web.registration import (
    Exchange,
    NewApp,
    RegistrationError,
    SavedRegistration,
    Wish,
    form_url,
    is_organisation,
    keep,
    manifest,
    permissions,
    require_new,
)
from pfcore.domain.errors import ConfigError, PfError

_COOKIE = "pf-setup"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupTarget:
    """A setup: the file to write, and the GitHub server to register on.

    `code` is shown on the terminal; `is_polling`: deliveries are fetched; `done` is called when the
    files exist; `random` returns unguessable words.
    """

    path: Path
    server_url: str
    api_url: str
    is_polling: bool
    code: str = field(repr=False)
    exchange: Exchange
    done: Callable[[], None]
    random: Callable[[], str] = secrets.token_urlsafe


def create_app(setup: SetupTarget) -> Flask:
    """The application for the setup only."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = 16 * 1024
    access.prepare(app, forms_to=setup.server_url)
    views = _Views(setup)
    app.add_url_rule("/", view_func=views.start)
    app.add_url_rule("/setup", view_func=views.form)
    app.add_url_rule("/setup/code", view_func=views.unlock, methods=["POST"])
    app.add_url_rule("/setup/manifest", view_func=views.ask, methods=["POST"])
    app.add_url_rule("/setup/back", view_func=views.back)
    app.add_url_rule("/setup/ready", view_func=views.ready)
    app.register_error_handler(404, lambda _: access.no_such_page())
    return app


class _Views:
    """The views of the pages."""

    def __init__(self, setup: SetupTarget) -> None:
        self._setup = setup
        self._desk = SetupSession(setup)

    def start(self) -> ResponseReturnValue:
        """The first page."""
        return redirect(url_for("form"), 303)

    def form(self) -> ResponseReturnValue:
        """The form about the App; before that, the code."""
        if not self._is_known():
            return render_template("setup_code.html", says=""), 401
        if self._desk.made is not None:
            return redirect(url_for("ready"), 303)
        return _form(self._setup, "")

    def unlock(self) -> ResponseReturnValue:
        """Let people in who know the code."""
        refused = access.require_own_form()
        if refused is not None:
            return refused
        session = self._desk.unlocked(request.form.get("code", ""))
        if session is None:
            return render_template("setup_code.html", says=self._desk.refusal()), 401
        answer = redirect(url_for("form"), 303)
        answer.set_cookie(_COOKIE, session, httponly=True, samesite="Lax", path="/setup")
        return answer

    def ask(self) -> ResponseReturnValue:
        """The form to send to GitHub."""
        refused = access.require_own_form()
        if refused is not None:
            return refused
        if not self._is_known():
            return redirect(url_for("form"), 303)
        return _manifest(self._setup, self._desk)

    def back(self) -> ResponseReturnValue:
        """The page to which GitHub sends the person back."""
        if not self._is_known():
            return redirect(url_for("form"), 303)
        try:
            self._desk.take(request.args.get("code", ""), request.args.get("state", ""))
        except PfError as error:
            title = "The App is not set up"
            return render_template("message.html", title=title, says=error.message), 400
        return redirect(url_for("ready"), 303)  # removes the code from the address

    def ready(self) -> ResponseReturnValue:
        """What to do next."""
        if self._desk.made is None or not self._is_known():
            return redirect(url_for("form"), 303)
        return render_template("setup_ready.html", made=self._desk.made, setup=self._setup)

    def _is_known(self) -> bool:
        return self._desk.is_known(request.cookies.get(_COOKIE, ""))


def _form(setup: SetupTarget, says: str, status: int = 200) -> ResponseReturnValue:
    asked = permissions(may_resolve=False)
    page = render_template("setup.html", setup=setup, asked=asked, says=says, given=request.form)
    return page, status


class SetupSession:
    """The state of the setup: the session, the wishes, and the new App."""

    def __init__(self, setup: SetupTarget) -> None:
        self.made: NewApp | None = None
        self.wish = Wish()
        self._setup = setup
        self._session = setup.random()
        self._state = ""
        self._tries = 0
        self._lock = Lock()

    def unlocked(self, code: str) -> str | None:
        """The cookie's value for a person who knows the code; None for a wrong code."""
        with self._lock:
            if self._tries >= _TRIES:
                return None
            self._tries += 1
            if not _is_same(code.strip().lower(), self._setup.code):
                return None
            self._tries = 0
            return self._session

    def refusal(self) -> str:
        """Why a code was rejected."""
        if self._tries >= _TRIES:
            return "Too many wrong codes: restart pf serve."
        return "Wrong code: enter the one that the terminal shows."

    def is_known(self, session: str) -> bool:
        """Whether a cookie is valid."""
        return _is_same(session, self._session)

    def ask(self, wish: Wish) -> str:
        """Store the wishes; returns the state that GitHub will send back."""
        with self._lock:
            self.wish, self._state = wish, self._setup.random()
            return self._state

    def take(self, code: str, state: str) -> None:
        """Exchange a code and store the result; a state is valid once."""
        with self._lock:
            asked, self._state = self._state, ""
            if not asked or not _is_same(state, asked):
                raise RegistrationError(_UNSAFE)
            self.made = self._kept(self._setup.exchange(code))
        self._setup.done()

    def _kept(self, made: NewApp) -> NewApp:
        kept = SavedRegistration(
            pages_token=self._setup.random(),
            webhook_secret=self._setup.random(),
            server_url=self._setup.server_url,
            api_url=self._setup.api_url,
            public_url=self.wish.public_url,
            may_resolve=self.wish.may_resolve,
        )
        try:
            keep(made, kept, self._setup.path)
        except ConfigError as error:
            # GitHub returns the key only once, and without it the new App is useless.
            advice = f"delete the new App at {made.html_url} and start again"
            raise RegistrationError(f"{error.message}; {advice}") from None
        return made


def _manifest(setup: SetupTarget, desk: SetupSession) -> ResponseReturnValue:
    try:
        wish = _wish(setup)
        require_new(setup.path)
    except PfError as error:
        return _form(setup, error.message, 400)
    here = wish.public_url or ""
    if urlsplit(here).netloc != request.host:
        here = request.host_url.rstrip("/")
    return render_template(
        "setup_send.html",
        place=form_url(setup.server_url, wish, desk.ask(wish)),
        manifest=manifest(wish, redirect_url=f"{here}{url_for('back')}"),
        asked=permissions(may_resolve=wish.may_resolve),
        wish=wish,
        server=setup.server_url,
    )


def _wish(setup: SetupTarget) -> Wish:
    """The wishes in the form; PfError with a sentence if they are invalid."""
    organisation = request.form.get("organisation", "").strip()
    if organisation and not is_organisation(organisation):
        raise PfError("Invalid name of an organisation: use the one in its address.")
    public = request.form.get("public_url", "").strip()
    if not public and not setup.is_polling:
        raise PfError(
            "Enter the address where GitHub reaches this server, or start it with pf serve --poll."
        )
    return Wish(
        organisation=organisation or None,
        public_url=_public(public) if public else None,
        may_resolve=request.form.get("may_resolve") == "yes",
    )


def _public(value: str) -> str:
    try:
        return address("public_url", value, path="the form")
    except ConfigError as error:
        raise PfError(f"The address of this server cannot be used ({error.message}).") from None


_TRIES = 10
_UNSAFE = "This answer from GitHub does not match a request made here. Start again."


def new_code() -> str:
    """A code that is short enough to be typed."""
    return secrets.token_hex(5)


def _is_same(given: str, ours: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), ours.encode())
