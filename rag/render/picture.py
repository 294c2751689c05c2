"""The picture of a report, as bytes that stand inside the file."""

from __future__ import annotations

import base64
from typing import NamedTuple


class Picture(NamedTuple):
    """A JPEG with its size in pixels."""

    jpeg: bytes
    width: int
    height: int

    @property
    def data_uri(self) -> str:
        """The picture as an address that needs no other file."""
        return f"data:image/jpeg;base64,{base64.b64encode(self.jpeg).decode('ascii')}"
