"""What all pages have in common: templates that escape, headers that forbid, our own files only."""

from importlib.resources import files
from urllib.parse import urlsplit

from flask import Flask, Response, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import PackageLoader, StrictUndefined

_FORM = 16 * 1024
"""Bytes of a form; the largest has an address in it."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with less, a browser hides where a form of ours is from
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
    """There is no such page."""
    return render_template("message.html", title="Not found", says="There is no such page."), 404


def require_own_form() -> ResponseReturnValue | None:
    """What to answer where a form was sent by another site's page, or is too large."""
    request.max_content_length = _FORM
    said = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.host
    if said in {"same-origin", "none"} and is_ours:
        return None
    return render_template("message.html", title="Refused", says="This form is not ours."), 403


def _file(name: str) -> str:
    _, (package, first), second = _FILES[name]
    text = files(package).joinpath(first).read_text(encoding="utf-8")
    if second is None:
        return text
    return text + files("bot.web").joinpath("assets", second).read_text(encoding="utf-8")
