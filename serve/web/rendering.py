"""Pages out of templates: escaped by default, in the reader's language, under a policy that allows only this server's files.

Errors of page routes are pages too, with the status and the reason of the problem that the API would answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from serve.api.auth import COOKIE
from serve.api.parts import parts_of
from serve.api.problems import ProblemError, request_id_of, store_problem
from serve.settings import Language
from serve.store.errors import StoreError
from serve.web.words import HTML_LANG, LANGUAGE_COOKIE, Words, choose_language

logger = logging.getLogger("gauge.http")

POLICY = (
    "default-src 'none'; img-src 'self' blob:; style-src 'self'; script-src 'self'; font-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Vary": "Accept-Language, Cookie",
    # Under `no-referrer` browsers send forms with `Origin: null`, which looks like another site's.
    "Referrer-Policy": "same-origin",
}
STATIC: dict[str, str] = {
    "gauge.css": "text/css",
    "upload.js": "text/javascript",
    "result.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
FONTS = ("HankenGrotesk-Regular.otf", "HankenGrotesk-SemiBold.otf")
_FONT_PACKAGE = "font_hanken_grotesk"
_NAMED_ERRORS = (403, 404, 413, 429, 500, 503)


class UnknownFileError(LookupError):
    """A static file that there is not."""


@lru_cache(maxsize=1)
def templates() -> jinja2.Environment:
    """The templates: everything is escaped, and a name that is not given is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(resources.files("serve") / "web" / "templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=16)
def static_file(name: str) -> tuple[bytes, str]:
    """A static file and its media type. Raises UnknownFileError; names are looked up in a list, never on the disk."""
    if name in STATIC:
        return (resources.files("serve") / "web" / "static" / name).read_bytes(), STATIC[name]
    spec = find_spec(_FONT_PACKAGE) if name in FONTS else None
    if spec is None or spec.origin is None:
        raise UnknownFileError(name)
    try:
        return (Path(spec.origin).parent / "files" / name).read_bytes(), "font/otf"
    except OSError as error:
        raise UnknownFileError(name) from error


@lru_cache(maxsize=16)
def file_version(name: str) -> str:
    """A mark of a static file's content, so that browsers may keep it for ever."""
    return sha256(static_file(name)[0]).hexdigest()[:12]


def language_of(request: Request) -> Language:
    """The language of a page: cookie, browser, settings."""
    default = parts_of(request).settings.language
    return choose_language(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"), default)


def words_of(request: Request) -> Words:
    """The page's words."""
    return Words(language_of(request))


def address(request: Request, path: str) -> str:
    """A path of this server, also where a proxy serves it below another one."""
    return f"{request.scope.get('root_path', '').rstrip('/')}{path}"


def render(request: Request, template: str, here: str = "", status: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    """A page. `here` is the entry of the menu that it belongs to."""
    words = words_of(request)
    other: Language = "en" if words.language == "zh" else "zh"
    asked = request.method == "GET" and status == HTTPStatus.OK
    query = f"?{request.url.query}" if request.url.query and asked else ""
    path = request.scope["path"] if asked else "/"
    text = (
        templates()
        .get_template(template)
        .render(
            {
                "t": words,
                "at": lambda where: address(request, where),
                "static": lambda name: f"{address(request, '/static/' + name)}?v={file_version(name)}",
                "html_lang": HTML_LANG[words.language],
                "other_language": other,
                "other_lang_tag": HTML_LANG[other],
                "here": here,
                "here_path": path + query,
                "signed_in": has_session(request),
                "administers": may_administer(request),
                "weights": parts_of(request).service.weights,
                **values,
            }
        )
    )
    return HTMLResponse(text, status, headers=PAGE_HEADERS)


def may_administer(request: Request) -> bool:
    """Whether the caller may see how the server runs; true where no key was looked at."""
    who = getattr(request.state, "caller", None)
    return who is None or "admin" in who.scopes


def has_session(request: Request) -> bool:
    """Whether the browser sends a key in its cookie."""
    return bool(request.cookies.get(COOKIE))


def see_other(request: Request, path: str) -> RedirectResponse:
    """Go on to a page of this server by GET."""
    return RedirectResponse(address(request, path), HTTPStatus.SEE_OTHER)


def local_path(text: str | None, otherwise: str = "/") -> str:
    """A path of this very server out of what a browser sent; anything that could lead elsewhere becomes `otherwise`."""
    if not text or not text.startswith("/") or text.startswith(("//", "/\\")) or len(text) > 2000:
        return otherwise
    return otherwise if any(ord(char) < 33 or char == "\\" for char in text) else text


def wants_json(request: Request) -> bool:
    """Whether the page's own script asks."""
    return "application/json" in request.headers.get("accept", "")


def error_page(request: Request, status: int, detail: str) -> Response:
    """A problem as a page."""
    words = words_of(request)
    named = str(status) if status in _NAMED_ERRORS else "other"
    shown = detail if status not in (404, 500) else ""
    return render(
        request,
        "error.html",
        status=status,
        message=words(f"error_{named}"),
        detail=shown[:600],
        request_id=request_id_of(request),
    )


class PageRoute(APIRoute):
    """A route whose problems are pages; the script is answered problems as the API gives them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with every problem caught."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except (ProblemError, StoreError, HTTPException, RequestValidationError) as error:
                if wants_json(request):
                    raise
                return _page_of(request, store_problem(error) if isinstance(error, StoreError) else error)

        return answer


def _page_of(request: Request, error: ProblemError | HTTPException | RequestValidationError) -> Response:
    if isinstance(error, RequestValidationError):
        return error_page(request, HTTPStatus.UNPROCESSABLE_ENTITY, "")
    if isinstance(error, HTTPException):
        return error_page(request, error.status_code, str(error.detail))
    if error.status == HTTPStatus.UNAUTHORIZED:
        back = request.scope["path"] if request.method == "GET" else "/"
        return see_other(request, f"/sign-in?back={quote(back, safe='')}")
    logger.info("%s: %d %s", request_id_of(request), error.status, error.detail)
    page = error_page(request, error.status, error.detail)
    for name, value in error.headers.items():
        page.headers[name] = value
    return page
