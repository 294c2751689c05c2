"""A webhook: one POST an alert, signed, so that the receiver knows who sent it and when.

The signature is HMAC-SHA256 over `<timestamp>.<body>` with the shared secret. The body has a member `text`, which chats that
take webhooks show.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable

import httpx

from serve.monitor.alerts import Alert

TIMEOUT_S = 5.0


class Webhook:
    """Where alerts go. The address may hold a token and is never shown. Safe to share between threads."""

    def __init__(self, url: str, secret: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self._url = url
        self._secret = secret
        self._clock = clock
        logging.getLogger("httpx").setLevel(logging.WARNING)  # Its line for each request would show the address.

    def send(self, alert: Alert) -> str | None:
        """Hand an alert on; None where it was taken, else why not."""
        body = alert_body(alert)
        stamp = str(int(self._clock()))
        headers = {"Content-Type": "application/json", "X-Gauge-Delivery": alert.id, "X-Gauge-Timestamp": stamp}
        if self._secret:
            headers["X-Gauge-Signature"] = sign(self._secret, stamp, body)
        try:
            answer = httpx.post(self._url, content=body, headers=headers, timeout=TIMEOUT_S, follow_redirects=False)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return f"the webhook did not answer ({type(error).__name__})"
        return None if answer.is_success else f"the webhook answered {answer.status_code}"


def alert_body(alert: Alert) -> bytes:
    """An alert as JSON."""
    told = {
        "id": alert.id,
        "at": alert.at,
        "key": alert.key,
        "level": alert.level,
        "text": f"GaugeRAG {alert.level}: {alert.text}",
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogatepass")


def sign(secret: str, stamp: str, body: bytes) -> str:
    """`sha256=<hex>`: what the receiver computes too, and compares."""
    return "sha256=" + hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
