"""What belongs to every page: static files, the choice of language, signing in and out."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from serve.api.auth import check_origin, clear_key_cookie, set_key_cookie
from serve.api.parts import parts_of
from serve.api.problems import ProblemError
from serve.web.rendering import (
    PageRoute,
    UnknownFileError,
    local_path,
    render,
    see_other,
    static_file,
    words_of,
)
from serve.web.words import LANGUAGE_COOKIE, LANGUAGES

router = APIRouter(route_class=PageRoute)

YEAR_S = 365 * 86400
MAX_KEY = 200


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A static file; its address changes with its content, so it may be kept for ever."""
    try:
        data, media_type = static_file(name)
    except UnknownFileError:
        raise ProblemError(404, "no-file", "there is no such file") from None
    return Response(data, media_type=media_type, headers={"Cache-Control": f"public, max-age={YEAR_S}, immutable"})


@router.get("/favicon.ico")
def favicon() -> Response:
    """Browsers ask for it whatever the page says."""
    data, media_type = static_file("icon.svg")
    return Response(data, media_type=media_type, headers={"Cache-Control": "public, max-age=86400"})


@router.get("/language/{code}")
def language(request: Request, code: str, back: str = "/") -> RedirectResponse:
    """Keep the language that was chosen and go back to the page."""
    if code not in LANGUAGES:
        raise ProblemError(404, "no-language", "there are no pages in this language")
    answer = see_other(request, local_path(back))
    answer.set_cookie(LANGUAGE_COOKIE, code, max_age=YEAR_S, path="/", samesite="lax", httponly=True)
    return answer


@router.get("/sign-in")
def sign_in_page(request: Request, back: str = "/") -> Response:
    """The page that asks for a key; where none is asked for there is nothing to sign in to."""
    if not parts_of(request).auth.are_keys_asked():
        return see_other(request, local_path(back))
    return render(request, "signin.html", problem="", back=local_path(back))


@router.post("/sign-in")
async def sign_in(
    request: Request,
    key: Annotated[str, Form(max_length=MAX_KEY)] = "",
    back: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Let the browser keep the key where it opens something; the same words for every key that does not."""
    check_origin(request)
    if not await anyio.to_thread.run_sync(parts_of(request).auth.opens, request, key.strip()):
        return render(request, "signin.html", status=401, problem=words_of(request)("signin_wrong"), back=local_path(back))
    answer = see_other(request, local_path(back))
    set_key_cookie(answer, request, key.strip())
    return answer


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """Make the browser forget its key."""
    check_origin(request)
    answer = see_other(request, "/sign-in")
    clear_key_cookie(answer)
    return answer
