"""Which token may follow which: the decoder only ever chooses among what the grammar allows.

The grammar is written as coroutines: each yields the set of allowed ids and is sent the id that was chosen.
The same sets say where a training loss belongs: a token without an alternative carries no information.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Literal

from vision.fields import KINDS, LAMP_COLORS, MAX_DIGITS
from vision.tokens import TokenError
from vision.units import UNIT_NAMES
from vision.vocabulary import (
    BOX_OPEN,
    CHANNEL_FIELDS,
    CHANNEL_OPEN,
    CORE_SLOTS,
    END_ID,
    FRACTION_0,
    FRACTION_BINS,
    ID,
    LOCATE_ID,
    LOCATION_0,
    LOCATION_BINS,
    NONE_ID,
    NOTHING_ID,
    POINT_OPEN,
    READ_ID,
    SCALAR_FIELDS,
    VOCABULARY,
    channel_token,
    field_token,
)

Task = Literal["read", "locate"]
Choices = frozenset[int]
Walk = Generator[Choices, int, None]
Value = Generator[Choices, int, int]
"""Yields the choices of a value and returns the token that ended it."""

MAX_NUMBER_CHARS = 12
MAX_LIST_ITEMS = 32
MAX_TEXT_BYTES = 64


def _ids(tokens: Iterable[str]) -> Choices:
    return frozenset(ID[token] for token in tokens)


_DIGITS = _ids("0123456789")
_NONZERO = _ids("123456789")
# What may follow within an exponent: sign, tens, ones.
_EXPONENT: dict[str, Choices] = {
    "e": _ids("+-"),
    "e+": _ids("01"),
    "e-": _ids("01"),
    "e+0": _DIGITS,
    "e-0": _DIGITS,
    "e+1": _ids("01234"),
    "e-1": _ids("012345"),
}
_KIND_OR_NOTHING = _ids(f"kind:{kind}" for kind in KINDS) | {NOTHING_ID}
_ANGLES = _ids(f"angle:{i}" for i in range(360))
_FRACTIONS = frozenset(range(FRACTION_0, FRACTION_0 + FRACTION_BINS))
_CLASSES: dict[str, Choices] = {
    "clockwise": _ids(("clockwise:true", "clockwise:false")),
    "unit": _ids(f"unit:{unit}" for unit in UNIT_NAMES),
    "warning_light_color": _ids(f"lamp:{color}" for color in LAMP_COLORS),
    "mode_dial_position": _ids(f"mode:{position}" for position in range(1, 6)),
}
_ONE_TOKEN_VALUES: dict[str, Choices] = {
    **_CLASSES,
    "pointer_angle": _ANGLES,
    "start_angle": _ANGLES,
    "end_angle": _ANGLES,
    "scale_fraction": _FRACTIONS,
}


def _number(after: Choices, optional: bool, positive: bool = False) -> Value:
    """A decimal number in at most MAX_NUMBER_CHARS characters.

    An exponent follows a mantissa below 10 and has two digits, at most e+14 or e-15, as `quantise_number` writes it:
    so every number that can be spelled lies in the contract's range.
    """
    start = _DIGITS if positive else _DIGITS | _ids("-")
    token = yield start | {NONE_ID} if optional else start
    if token == NONE_ID:
        return (yield after)
    state, used, nonzero = "integer", 1, token in _NONZERO
    if token == ID["-"]:
        token = yield _DIGITS
        used, nonzero = 2, token in _NONZERO
    small = True  # the mantissa is below 10
    while True:
        complete = state in ("integer", "decimals", "exponent") and (nonzero or not positive)
        choices: Choices = after if complete else frozenset()
        # What is opened must still fit: a point needs a digit behind it, an exponent a sign and a digit.
        room = MAX_NUMBER_CHARS - used
        if state in ("integer", "point", "decimals") and room > 0:
            choices |= _NONZERO if positive and not nonzero and room == 1 else _DIGITS
        if state == "integer" and room > 1:
            choices |= _ids(".")
        if state in ("integer", "decimals") and complete and small and room > 3:
            choices |= _ids("e")
        choices |= _EXPONENT.get(state, frozenset())
        token = yield choices
        if token in after:
            return token
        used += 1
        if state in _EXPONENT:
            state = state + VOCABULARY[token] if len(state) < 3 else "exponent"
        elif token == ID["."]:
            state = "point"
        elif token == ID["e"]:
            state = "e"
        else:
            nonzero = nonzero or token in _NONZERO
            small = small and state != "integer"
            state = "decimals" if state in ("point", "decimals") else "integer"


def _digits(after: Choices, optional: bool) -> Value:
    """A digital readout: sign, digits and point as shown, at least one digit, at most MAX_DIGITS characters."""
    token = yield _DIGITS | _ids("+-.") | ({NONE_ID} if optional else frozenset())
    if token == NONE_ID:
        return (yield after)
    used, digits, point = 1, int(token in _DIGITS), token == ID["."]
    while True:
        choices: Choices = after if digits else frozenset()
        if used < MAX_DIGITS:
            choices |= _DIGITS
            if not point and (digits or used + 1 < MAX_DIGITS):
                choices |= _ids(".")
        token = yield choices
        if token in after:
            return token
        used += 1
        digits += int(token in _DIGITS)
        point = point or token == ID["."]


def _byte_range(low: int, high: int) -> Choices:
    return frozenset(range(ID[f"byte:{low}"], ID[f"byte:{high}"] + 1))


# Well-formed UTF-8 by first byte (Unicode standard, table 3-7): range of the second byte, bytes that follow.
_UTF8: tuple[tuple[int, int, int, int, int], ...] = (
    (0x00, 0x7F, 0, 0, 0),
    (0xC2, 0xDF, 0x80, 0xBF, 1),
    (0xE0, 0xE0, 0xA0, 0xBF, 2),
    (0xE1, 0xEC, 0x80, 0xBF, 2),
    (0xED, 0xED, 0x80, 0x9F, 2),
    (0xEE, 0xEF, 0x80, 0xBF, 2),
    (0xF0, 0xF0, 0x90, 0xBF, 3),
    (0xF1, 0xF3, 0x80, 0xBF, 3),
    (0xF4, 0xF4, 0x80, 0x8F, 3),
)
_FIRST_BYTES = frozenset().union(*(_byte_range(low, high) for low, high, *_ in _UTF8))


def _text(after: Choices) -> Value:
    """UTF-8 bytes; may be empty."""
    used = 0
    while True:
        token = yield (after | _FIRST_BYTES if used < MAX_TEXT_BYTES else after)
        if token in after:
            return token
        byte = int(VOCABULARY[token].split(":")[1])
        _, _, low, high, following = next(row for row in _UTF8 if row[0] <= byte <= row[1])
        used += 1 + following
        for position in range(following):
            yield _byte_range(low, high) if position == 0 else _byte_range(0x80, 0xBF)


def _value(name: str, after: Choices, optional: bool) -> Value:
    if name in _ONE_TOKEN_VALUES:
        yield _ONE_TOKEN_VALUES[name] | {NONE_ID} if optional else _ONE_TOKEN_VALUES[name]
        return (yield after)
    if name == "digital_readout":
        return (yield from _digits(after, optional))
    if name in ("label", "color"):
        return (yield from _text(after))
    return (yield from _number(after, optional, positive=name == "scale_multiplier"))


def _channel(after: Choices) -> Value:
    names = list(CHANNEL_FIELDS)
    token = yield after | _ids(channel_token(name) for name in names)
    while token not in after:
        name = next(name for name in names if ID[channel_token(name)] == token)
        names = names[names.index(name) + 1 :]
        token = yield from _value(name, after | _ids(channel_token(rest) for rest in names), optional=False)
    return token


def _read_walk(extras: bool) -> Walk:
    token = yield _KIND_OR_NOTHING
    if token == NOTHING_ID:
        yield frozenset({END_ID})
        return
    kind = VOCABULARY[token].split(":")[1]
    core = CORE_SLOTS[kind]
    rest = [name for name in SCALAR_FIELDS if name not in core]

    def following(remaining: Sequence[str], points: int, channels: int) -> Choices:
        """What may come once the core slots are written: later fields, list items, the end."""
        choices: Choices = frozenset({END_ID})
        if extras:
            choices |= _ids(field_token(name) for name in remaining)
            choices |= _ids((POINT_OPEN,)) if points < MAX_LIST_ITEMS and not channels else frozenset()
            choices |= _ids((CHANNEL_OPEN,)) if channels < MAX_LIST_ITEMS else frozenset()
        return choices

    token = yield _ids((field_token(core[0]),))
    for position, name in enumerate(core):
        last = position + 1 == len(core)
        after = following(rest, 0, 0) if last else _ids((field_token(core[position + 1]),))
        token = yield from _value(name, after, optional=True)
    points = channels = 0
    while token != END_ID:
        if token == ID[POINT_OPEN]:
            rest, points = [], points + 1
            yield _ANGLES
            token = yield from _number(following(rest, points, channels), optional=False)
        elif token == ID[CHANNEL_OPEN]:
            rest, channels = [], channels + 1
            token = yield from _channel(following(rest, points, channels))
        else:
            name = next(name for name in rest if ID[field_token(name)] == token)
            rest = rest[rest.index(name) + 1 :]
            token = yield from _value(name, following(rest, 0, 0), optional=False)


def _locations(low: int) -> Choices:
    return frozenset(range(LOCATION_0 + low, LOCATION_0 + LOCATION_BINS))


def _locate_walk() -> Walk:
    token = yield _KIND_OR_NOTHING
    if token != NOTHING_ID:
        yield _ids((BOX_OPEN,))
        x0 = yield _locations(0)
        y0 = yield _locations(0)
        yield _locations(x0 - LOCATION_0)
        yield _locations(y0 - LOCATION_0)
    yield frozenset({END_ID})


class Grammar:
    """Walks one sequence: `allowed` are the ids that may come next, empty once the sequence has ended.

    `extras` admits fields beyond a kind's core slots, scale points and channels.
    """

    def __init__(self, task: Task, extras: bool = True) -> None:
        self.prompt_id = READ_ID if task == "read" else LOCATE_ID
        self._walk = _read_walk(extras) if task == "read" else _locate_walk()
        self.allowed: Choices = next(self._walk)

    def advance(self, token_id: int) -> None:
        """Choose the next token. Raises TokenError where the grammar does not allow it."""
        if token_id not in self.allowed:
            name = VOCABULARY[token_id] if 0 <= token_id < len(VOCABULARY) else str(token_id)
            raise TokenError(f"{name} is not allowed here")
        try:
            self.allowed = self._walk.send(token_id)
        except StopIteration:
            self.allowed = frozenset()

    @property
    def ended(self) -> bool:
        return not self.allowed


def choices_along(ids: Sequence[int]) -> list[Choices]:
    """For each id behind the prompt, the set it was chosen from. Raises TokenError where the sequence is malformed."""
    if not ids or ids[0] not in (READ_ID, LOCATE_ID):
        raise TokenError(f"a sequence starts with a task prompt, found {ids[:1]}")
    grammar = Grammar("read" if ids[0] == READ_ID else "locate")
    sets: list[Choices] = []
    for token_id in ids[1:]:
        sets.append(grammar.allowed)
        grammar.advance(token_id)
    if not grammar.ended:
        raise TokenError("the sequence ends without </s>")
    return sets
