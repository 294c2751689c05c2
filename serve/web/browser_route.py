"""Pages at addresses that answer programs too."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from serve.web.rendering import PageRoute


class BrowserRoute(PageRoute):
    """A page that is there for those alone who ask for HTML; all others find the API's route of the same address.

    Its router stands before the API's.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The match, none for who asks for no HTML."""
        if scope["type"] == "http" and "text/html" not in Headers(scope=scope).get("accept", ""):
            return Match.NONE, {}
        return super().matches(scope)
