"""The bench of the server for people: tables, goals and plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval.score import Number
from eval.tables import number, table
from serve.commands.serve_bench import Load, Memory
from serve.commands.serve_bench_monitor import MonitorCost, monitor_text
from serve.commands.serve_bench_overhead import TARGET, Overhead
from vision.fields import Contract

GROWTH_MIB = 20.0
"""More memory than this for each 1,000 requests would be a leak, in the run of a day."""
JSON_NAME, TEXT_NAME, LATENCY_NAME, MEMORY_NAME = "bench.json", "bench.md", "latency.png", "memory.png"
HEADER = ("clients", "requests", "failed", "a second", "p50, s", "p95, s", "p99, s", "server's processor, s a request")


class ServeBench(Contract):
    """All that was measured; parts that were not asked for are None or empty. `start_s` is from the start to ready."""

    start_s: Number
    threads: str
    loads: tuple[Load, ...] = ()
    overhead: Overhead | None = None
    memory: Memory | None = None
    monitor: MonitorCost | None = None


def serve_text(bench: ServeBench) -> str:
    """Tables and goals."""
    parts = [f"ready {number(bench.start_s)} s after the start; threads of a reader: {bench.threads}"]
    if bench.loads:
        parts.append(table(HEADER, [_load_row(load) for load in bench.loads]))
    if bench.overhead is not None:
        parts.append(_overhead_text(bench.overhead))
    if bench.memory is not None:
        parts.append(_memory_text(bench.memory))
    if bench.monitor is not None:
        parts.append(monitor_text(bench.monitor))
    return "\n\n".join(parts)


def _load_row(load: Load) -> tuple[str, ...]:
    numbers = (load.per_second, load.p50_s, load.p95_s, load.p99_s, load.processor_s)
    failed = f"{load.failed} of {_statuses(load.statuses)}" if load.failed else "0"
    return (str(load.clients), str(load.requests), failed, *(number(one) for one in numbers))


def _statuses(statuses: dict[int, int]) -> str:
    return ", ".join(f"{count} x {status or 'no answer'}" for status, count in statuses.items())


def _overhead_text(overhead: Overhead) -> str:
    ways = {"reader alone": overhead.reader, "reader and report": overhead.inspection, "over HTTP, kept": overhead.http}
    rows = [(name, number(way.clock_s), number(way.processor_s)) for name, way in ways.items()]
    head = table((f"{overhead.photos} readings in turn, medians", "clock, s", "processor, s"), rows)
    door = f"HTTP and store add to an inspection: {_share(overhead.door_clock)} of the clock, "
    door += f"{_share(overhead.door_processor)} of the processor"
    whole = f"the service adds to the bare reader: {_share(overhead.service_clock)} and {_share(overhead.service_processor)}"
    met = overhead.service_processor <= TARGET
    return f"{head}\n\n{door}; {whole}; {_goal(f'service over bare reader <= {TARGET:.0%} of the processor', met)}"


def _memory_text(memory: Memory) -> str:
    statuses = _statuses(memory.statuses)
    text = f"memory over {memory.requests} requests ({statuses}; {memory.failed} not as expected): "
    text += f"{memory.at_start_mib:.0f} MiB at the start, {memory.at_end_mib:.0f} at the end, {memory.most_mib:.0f} at most; "
    if memory.slope != memory.slope:
        return text + "too few requests for a slope"
    text += f"{memory.slope:+.1f} MiB per 1,000 requests [{memory.slope_low:+.1f}, {memory.slope_high:+.1f}]"
    return f"{text}; {_goal(f'growth surely below {GROWTH_MIB:.0f} MiB per 1,000 requests', memory.slope_high < GROWTH_MIB)}"


def write_bench(bench: ServeBench, out: Path) -> None:
    """`bench.json`, `bench.md` and the plots of what was measured."""
    out.mkdir(parents=True, exist_ok=True)
    (out / JSON_NAME).write_text(bench.model_dump_json(indent=1) + "\n", encoding="utf-8")
    (out / TEXT_NAME).write_text(serve_text(bench) + "\n", encoding="utf-8")
    if bench.loads:
        _plot(out / LATENCY_NAME, lambda axes: _draw_latencies(axes, bench.loads))
    if bench.memory is not None:
        memory = bench.memory
        _plot(out / MEMORY_NAME, lambda axes: _draw_memory(axes, memory))


def _draw_latencies(axes: Any, loads: Sequence[Load]) -> None:
    places = range(len(loads))
    for name, marker in (("p50_s", "o"), ("p95_s", "s"), ("p99_s", "^")):
        axes.plot(places, [getattr(load, name) for load in loads], marker=marker, label=name.removesuffix("_s"))
    axes.set_xticks(places, [f"{load.clients}\n{load.per_second:.2g} a second" for load in loads])
    axes.set_xlabel("clients at the same time")
    axes.set_ylabel("seconds of an answer")
    axes.set_ylim(bottom=0)
    axes.legend()


def _draw_memory(axes: Any, memory: Memory) -> None:
    axes.plot(*zip(*memory.samples, strict=True), linewidth=0.8)
    axes.set_xlabel("requests answered")
    axes.set_ylabel("resident memory, MiB")
    axes.set_ylim(bottom=0)
    if memory.slope == memory.slope:
        axes.set_title(f"{memory.slope:+.1f} MiB per 1,000 requests [{memory.slope_low:+.1f}, {memory.slope_high:+.1f}]")


def _plot(path: Path, draw: Any) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    figure.savefig(path, dpi=110)


def _share(value: float) -> str:
    return "-" if value != value else f"{100 * value:+.1f} %"


def _goal(name: str, met: bool) -> str:
    return f"target {name}: {'met' if met else 'missed'}"
