"""Gauge fields <-> token sequence, in Donut's manner: a field token, then the field's value tokens.

A sequence reads `<s_read> kind:dial <s_start_angle> angle:45 <s_end_angle> angle:315 ... </s>`. Each kind has
core slots that are always written in the same order (`<none>` where a field was not read); other fields follow
only where they are set. Law: `decode(encode(f)) == quantise(f)` for every value of every field (`vision.bins`).

Locations are 1/256 of the picture side wide. `vision.grammar` says which tokens may follow which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from vision.bins import angle_bin, fraction_bin, fraction_value, quantise_number
from vision.fields import Box, Channel, GaugeFields, Kind, ScalePoint
from vision.vocabulary import (
    ANGLE_BIN_DEG,
    ANGLE_FIELDS,
    BOX_OPEN,
    CHANNEL_FIELDS,
    CHANNEL_OPEN,
    CORE_SLOTS,
    END,
    FRACTION_BIN,
    FRACTION_LOW,
    ID,
    LOCATE,
    LOCATION_BINS,
    NONE,
    NOTHING,
    NUMBER_CHARS,
    NUMBER_FIELDS,
    PAD,
    POINT_OPEN,
    READ,
    SCALAR_FIELDS,
    VOCABULARY,
    channel_token,
    field_token,
)


class TokenError(ValueError):
    """A token sequence that the grammar does not allow, or text that has no tokens."""


class Located(NamedTuple):
    """An instrument found in a whole photo: its kind and box, in fractions of the picture's sides."""

    kind: Kind
    box: Box


class Encoded(NamedTuple):
    """Token ids and, for each, its exact place on the bin axis (bin units; the id's own bin elsewhere is 0).

    The places give soft targets their centre between two bins: an angle of 137.2 degrees is bin 137.2.
    """

    ids: list[int]
    places: list[float]


class _Writer:
    """Collects ids and places."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.places: list[float] = []

    def token(self, token: str, place: float = 0.0) -> None:
        if token not in ID:
            raise TokenError(f"no token {token!r} in the vocabulary")
        self.ids.append(ID[token])
        self.places.append(place)

    def angle(self, angle: float) -> None:
        self.token(f"angle:{angle_bin(angle)}", angle / ANGLE_BIN_DEG)

    def location(self, fraction: float) -> None:
        place = min(max(fraction, 0.0), 1.0) * (LOCATION_BINS - 1)
        self.token(f"location:{round(place)}", place)

    def value(self, name: str, value: object) -> None:
        """The value tokens of a scalar field (of the instrument or of a channel)."""
        if value is None:
            self.token(NONE)
        elif name in ANGLE_FIELDS:
            self.angle(cast(float, value))
        elif name == "scale_fraction":
            fraction = cast(float, value)
            self.token(f"fraction:{fraction_bin(fraction)}", (fraction - FRACTION_LOW) / FRACTION_BIN)
        elif name in NUMBER_FIELDS:
            for char in f"{quantise_number(cast(float, value)):.6g}":
                self.token(char)
        elif name == "digital_readout":
            for char in cast(str, value):
                self.token(char)
        elif name in ("label", "color"):
            for byte in cast(str, value).encode("utf-8"):
                self.token(f"byte:{byte}")
        else:
            prefix = {"clockwise": "clockwise", "unit": "unit", "warning_light_color": "lamp", "mode_dial_position": "mode"}[name]
            self.token(f"{prefix}:{str(value).lower() if isinstance(value, bool) else value}")


def encode(fields: GaugeFields | None) -> Encoded:
    """Tokens of the read task, prompt and end token included; None (nothing to read) has its own token."""
    writer = _Writer()
    writer.token(READ)
    if fields is None:
        writer.token(NOTHING)
        writer.token(END)
        return Encoded(writer.ids, writer.places)
    writer.token(f"kind:{fields.kind}")
    core = CORE_SLOTS[fields.kind]
    extra = [name for name in SCALAR_FIELDS if name not in core and getattr(fields, name) is not None]
    for name in (*core, *extra):
        writer.token(field_token(name))
        writer.value(name, getattr(fields, name))
    for point in fields.scale_points:
        writer.token(POINT_OPEN)
        writer.angle(point.angle)
        writer.value("scale_min", point.value)
    for channel in fields.channels:
        writer.token(CHANNEL_OPEN)
        for name in CHANNEL_FIELDS:
            value = getattr(channel, name)
            if value is not None:
                writer.token(channel_token(name))
                writer.value(name, value)
    writer.token(END)
    return Encoded(writer.ids, writer.places)


def encode_location(located: Located | None) -> Encoded:
    """Tokens of the locate task: the main instrument's kind and box, or nothing."""
    writer = _Writer()
    writer.token(LOCATE)
    if located is None:
        writer.token(NOTHING)
    else:
        writer.token(f"kind:{located.kind}")
        writer.token(BOX_OPEN)
        for fraction in located.box:
            writer.location(fraction)
    writer.token(END)
    return Encoded(writer.ids, writer.places)


class _Reader:
    """Walks over tokens; every surprise is a TokenError that names the place."""

    def __init__(self, ids: Sequence[int]) -> None:
        for index in ids:
            if not 0 <= index < len(VOCABULARY):
                raise TokenError(f"token id {index} is outside the vocabulary of {len(VOCABULARY)}")
        self.tokens = [VOCABULARY[index] for index in ids]
        while self.tokens and self.tokens[-1] == PAD:
            self.tokens.pop()
        self.at = 0

    def peek(self) -> str:
        if self.at >= len(self.tokens):
            raise TokenError("the sequence ends without </s>")
        return self.tokens[self.at]

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        found = self.take()
        if found != token:
            raise TokenError(f"expected {token} at position {self.at - 1}, found {found}")

    def bin(self, prefix: str) -> int:
        token = self.take()
        if not token.startswith(prefix + ":"):
            raise TokenError(f"expected a {prefix} at position {self.at - 1}, found {token}")
        return int(token.split(":", 1)[1])

    def choice(self, prefix: str) -> str:
        token = self.take()
        if not token.startswith(prefix + ":"):
            raise TokenError(f"expected a {prefix} at position {self.at - 1}, found {token}")
        return token.split(":", 1)[1]

    def chars(self) -> str:
        text = ""
        while self.peek() in NUMBER_CHARS:
            text += self.take()
        return text

    def number(self) -> float:
        text = self.chars()
        try:
            return float(text)
        except ValueError as error:
            raise TokenError(f"{text!r} before position {self.at} is not a number") from error

    def text(self) -> str:
        data = bytearray()
        while self.peek().startswith("byte:"):
            data.append(self.bin("byte"))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TokenError(f"bytes before position {self.at} are not UTF-8: {error}") from error

    def value(self, name: str) -> object:
        if self.peek() == NONE:
            self.take()
            return None
        if name in ANGLE_FIELDS:
            return float(self.bin("angle"))
        if name == "scale_fraction":
            return fraction_value(self.bin("fraction"))
        if name in NUMBER_FIELDS:
            return self.number()
        if name == "digital_readout":
            return self.chars()
        if name in ("label", "color"):
            return self.text()
        if name == "clockwise":
            return self.choice("clockwise") == "true"
        if name == "unit":
            return self.choice("unit")
        if name == "warning_light_color":
            return self.choice("lamp")
        return self.bin("mode")


def decode(ids: Sequence[int]) -> GaugeFields | None:
    """Fields of a read-task sequence, None for "nothing to read". Raises TokenError where it is malformed."""
    reader = _Reader(ids)
    reader.expect(READ)
    if reader.peek() == NOTHING:
        reader.take()
        reader.expect(END)
        return None
    found: dict[str, object] = {"kind": reader.choice("kind")}
    points: list[ScalePoint] = []
    channels: list[Channel] = []
    names = {field_token(name): name for name in SCALAR_FIELDS}
    try:
        while (token := reader.take()) != END:
            if token in names:
                if names[token] in found:
                    raise TokenError(f"field {names[token]} stands twice, at position {reader.at - 1}")
                found[names[token]] = reader.value(names[token])
            elif token == POINT_OPEN:
                points.append(ScalePoint(angle=float(reader.bin("angle")), value=reader.number()))
            elif token == CHANNEL_OPEN:
                channels.append(_decode_channel(reader))
            else:
                raise TokenError(f"{token} cannot stand at position {reader.at - 1}")
        if reader.at != len(reader.tokens):
            raise TokenError(f"{len(reader.tokens) - reader.at} tokens follow </s>")
        return GaugeFields.model_validate({**found, "scale_points": points, "channels": channels})
    except TokenError:
        raise
    except ValueError as error:
        raise TokenError(f"the tokens spell invalid fields: {error}") from error


def _decode_channel(reader: _Reader) -> Channel:
    names = {channel_token(name): name for name in CHANNEL_FIELDS}
    found: dict[str, object] = {}
    while reader.peek() in names:
        name = names[reader.take()]
        if name in found:
            raise TokenError(f"channel field {name} stands twice, at position {reader.at - 1}")
        found[name] = reader.value(name)
    return Channel.model_validate(found)


def decode_location(ids: Sequence[int]) -> Located | None:
    """Kind and box of a locate-task sequence. Raises TokenError where it is malformed."""
    reader = _Reader(ids)
    reader.expect(LOCATE)
    if reader.peek() == NOTHING:
        reader.take()
        reader.expect(END)
        return None
    kind = reader.choice("kind")
    reader.expect(BOX_OPEN)
    x0, y0, x1, y1 = (reader.bin("location") / (LOCATION_BINS - 1) for _ in range(4))
    reader.expect(END)
    if x1 < x0 or y1 < y0:
        raise TokenError(f"box {(x0, y0, x1, y1)} is inside out")
    return Located(cast(Kind, kind), (x0, y0, x1, y1))
