"""Clients that ask a server for inspections, in a process of their own: `python -m serve.commands.serve_bench_load`.

An order (JSON) comes by stdin, one line of JSON for every answer goes out by stdout the moment it is there.
"""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import count
from pathlib import Path

import httpx

from vision.fields import Contract

LONGEST_S = 300.0


class LoadPhoto(Contract):
    """A photo to send: its file, what it is like, and what the server may answer."""

    path: str
    kind: str
    expected: tuple[int, ...]


class LoadOrder(Contract):
    """`requests` photos, taken in turn, sent to `url` by `clients` at the same time, each waiting for its answer."""

    url: str
    clients: int
    requests: int
    photos: tuple[LoadPhoto, ...]


class Answered(Contract):
    """One answer: the request's number, the photo's kind, when it was sent (seconds from the start), how long it took,
    the status (0 where there was no answer), and whether the status is an expected one."""

    number: int
    kind: str
    sent_s: float
    took_s: float
    status: int
    expected: bool


async def send_all(order: LoadOrder, client: httpx.AsyncClient) -> None:
    """Send everything and print what comes back."""
    numbers = count()
    bodies = [Path(photo.path).read_bytes() for photo in order.photos]
    started = time.perf_counter()

    async def ask_in_turn() -> None:
        while (number := next(numbers)) < order.requests:
            place = number % len(order.photos)
            photo = order.photos[place]
            sent = time.perf_counter()
            try:
                files = {"file": (Path(photo.path).name, bodies[place], "application/octet-stream")}
                answer = await client.post(order.url, files=files)
                status = answer.status_code
            except httpx.HTTPError:
                status = 0
            took = time.perf_counter() - sent
            line = Answered(
                number=number,
                kind=photo.kind,
                sent_s=sent - started,
                took_s=took,
                status=status,
                expected=status in photo.expected,
            )
            sys.stdout.write(line.model_dump_json() + "\n")
            sys.stdout.flush()

    await asyncio.gather(*(ask_in_turn() for _ in range(order.clients)))


async def run(order: LoadOrder) -> None:
    """Open the clients and send the order."""
    limits = httpx.Limits(max_connections=order.clients, max_keepalive_connections=order.clients)
    async with httpx.AsyncClient(timeout=LONGEST_S, limits=limits, trust_env=False) as client:
        await send_all(order, client)


def main() -> None:
    """Read the order from stdin and carry it out."""
    asyncio.run(run(LoadOrder.model_validate_json(sys.stdin.read())))


if __name__ == "__main__":
    main()
