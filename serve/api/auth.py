"""Who calls: a key from a header or the browser's cookie, its tenant and scopes, its rate, and no request forged by a page.

Until the first key is made the service belongs to whoever works on the machine: one tenant `local`, all scopes, no key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from serve.api.problems import ProblemError
from serve.api.rates import Rates
from serve.store.keys import SCOPES, Scope
from serve.store.store import Store
from serve.store.tenants import LOCAL

COOKIE = "gauge_key"
HEADER = "X-API-Key"
COOKIE_S = 30 * 86400
FAILED_RATE = "20/minute"
"""Wrong keys that one address may try: guessing is hopeless anyway, and this keeps it out of the database."""
FORM_PATH = "/failures"
"""A walkthrough page that lies on somebody's disk sends its form here; browsers call such a page's origin `null`."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

Bearer = Literal["nothing", "header", "cookie"]


class Caller(NamedTuple):
    """Whose data a request may touch, and what it may do with it. `key_id` is None where no key is asked for."""

    tenant: str
    scopes: frozenset[Scope]
    key_id: str | None = None
    borne_by: Bearer = "nothing"


LOCAL_CALLER = Caller(LOCAL, frozenset(SCOPES))


class Credential(NamedTuple):
    """A key as it came, and on which way."""

    secret: str
    borne_by: Bearer


class Auth:
    """Knows callers by their keys. Its questions go to the database: ask them in a thread."""

    def __init__(self, store: Store, rate: str) -> None:
        self._store = store
        self._rates = Rates(rate)
        self._failed = Rates(FAILED_RATE)
        self._asked = False
        self._lock = threading.Lock()

    def are_keys_asked(self) -> bool:
        """Whether a request needs a key: from the first one that was made, for good."""
        if not self._asked:
            self._asked = self._store.keys.are_asked()
        return self._asked

    def known(self, secret: str, borne_by: Bearer = "header") -> Caller | None:
        """The caller whose key this is, None where it opens nothing."""
        key = self._store.keys.find(secret)
        return None if key is None else Caller(key.tenant, frozenset(key.scopes), key.id, borne_by)

    def opens(self, request: Request, secret: str) -> bool:
        """Whether a key that somebody signs in with opens anything. Raises ProblemError (429) after too many that do not."""
        address = request.client.host if request.client is not None else "unknown"
        self._failed.check(address, "too many wrong keys from this address")
        if self.known(secret) is not None:
            return True
        self._failed.spend(address, "too many wrong keys from this address")
        return False

    def identify(self, request: Request) -> Caller:
        """The caller of a request. Raises ProblemError: 401 without a key that holds, 403 where forged, 429 above the rate."""
        credential = credential_of(request)
        asked = self.are_keys_asked()
        if credential is None or (credential.borne_by == "cookie" and not asked):
            if asked:
                raise _unknown("this server asks for a key: send it as `Authorization: Bearer KEY` or as `X-API-Key`")
            check_origin(request, from_file=request.url.path == FORM_PATH)
            return LOCAL_CALLER
        address = request.client.host if request.client is not None else "unknown"
        self._failed.check(address, "too many wrong keys from this address")
        caller = self.known(credential.secret, credential.borne_by)
        if caller is None:
            self._failed.spend(address, "too many wrong keys from this address")
            raise _unknown("the key is unknown, revoked or has run out; `gauge keys create` makes one")
        if caller.borne_by == "cookie":
            check_origin(request)
        self._rates.spend(str(caller.key_id), "this key asks more often than it may")
        return caller


def credential_of(request: Request) -> Credential | None:
    """The key that a request carries; a header goes before the cookie."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return Credential(token.strip(), "header")
    if header := request.headers.get(HEADER, "").strip():
        return Credential(header, "header")
    if cookie := request.cookies.get(COOKIE):
        return Credential(cookie, "cookie")
    return None


def check_origin(request: Request, *, from_file: bool = False) -> None:
    """Raises ProblemError (403) where another site's page makes the browser send this request.

    What only reads may come from anywhere: no answer of ours can be read across origins. `from_file` lets a page through
    that was opened as a file, as the walkthrough's form is. A program that is no browser sends none of these headers.
    """
    if request.method in SAFE_METHODS:
        return
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if origin == "null" and from_file:
        return
    if origin is not None:
        same = _host_of(origin) == request.headers.get("host", "").lower()
    else:
        same = site in ("same-origin", "none") or (site is None and COOKIE not in request.cookies)
    if not same:
        raise ProblemError(HTTPStatus.FORBIDDEN, "other-origin", "this request was sent by a page of another site")


def _host_of(origin: str) -> str | None:
    """Host and port of an origin, None where it has none: `null`, or no address at all."""
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None


def set_key_cookie(response: Response, request: Request, secret: str) -> None:
    """Let the browser keep a key: not readable by scripts, never sent along from another site."""
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, secret, max_age=COOKIE_S, path="/", httponly=True, samesite="strict", secure=secure)


def clear_key_cookie(response: Response) -> None:
    """Make the browser forget its key."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


# The three are declared for /openapi.json; the key itself is taken by `credential_of`.
_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="A key that `gauge keys create` printed.")
_header = APIKeyHeader(name=HEADER, auto_error=False, scheme_name="header")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, scheme_name="cookie", description="Set by the sign-in page.")


def caller(
    request: Request,
    _1: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)] = None,
    _2: Annotated[str | None, Security(_header)] = None,
    _3: Annotated[str | None, Security(_cookie)] = None,
) -> Caller:
    """The caller of a request, whatever its scopes. A dependency; it runs in a thread."""
    auth: Auth = request.app.state.parts.auth
    who = auth.identify(request)
    request.state.caller = who  # For the page's menu, which leaves out what the key does not open.
    return who


@lru_cache(maxsize=len(SCOPES))
def require(scope: Scope) -> Callable[[Caller], Caller]:
    """A dependency: the caller where its key has the scope, 403 where not."""

    def allowed(who: Annotated[Caller, Depends(caller)]) -> Caller:
        if scope not in who.scopes:
            detail = f"this key has no scope `{scope}`; it has {', '.join(sorted(who.scopes)) or 'none'}"
            raise ProblemError(HTTPStatus.FORBIDDEN, "no-scope", detail)
        return who

    return allowed


Reading = Annotated[Caller, Depends(require("read"))]
Inspecting = Annotated[Caller, Depends(require("inspect"))]
Adapting = Annotated[Caller, Depends(require("adapt"))]
Knowing = Annotated[Caller, Depends(require("knowledge"))]
Administering = Annotated[Caller, Depends(require("admin"))]


def _unknown(detail: str) -> ProblemError:
    return ProblemError(HTTPStatus.UNAUTHORIZED, "no-key", detail, {"WWW-Authenticate": 'Bearer realm="gauge"'})
