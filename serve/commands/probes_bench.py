"""`gauge bench probes`: runs the bench of the probes and writes it for people or as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from eval.attention import AttentionProbe
from eval.bench_probes import CarriedScore, ProbeBench, ProbeTimes, Times, probe_sets, score_sets, time_probes, timed_queries
from eval.bench_text import TextBench
from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.probe_scores import FLOOR, SEEDS, Measured
from eval.query_set import load_query_set
from eval.reproductions.claims import claims_text
from eval.tables import number, table
from serve.commands.domain_text import domain_text, run_domain_suite
from serve.commands.reproducing import reproduce_claims
from serve.library import open_knowledge
from serve.settings import Settings, load_settings

ROUNDS = 500
P99_MS, QUERIES_PER_S = 187.0, 70.0
"""What the source documents claim for one query under all probes."""


def run_probes_bench(
    *,
    data: Path | None,
    limit: int | None,
    attention: bool,
    queries: int,
    as_json: bool,
    domain: bool = False,
    claims: int = 0,
    llm_claims: int = 0,
) -> str:
    """Everything asked for: tables for people, or one JSON object. `domain`: the suite of sentences of the manuals; `claims`,
    `llm_claims`: questions that the documents' claims are measured on without and with the packaged language model."""
    settings = load_settings()
    sets: tuple[TextBench, ...] = ()
    carried: tuple[CarriedScore, ...] = ()
    # Times first: the texts would fill the caches that a query finds cold.
    times = time_queries(settings, queries) if queries else None
    if data is not None:
        probed = probe_sets(data, limit=limit, attention=attention_probe(settings) if attention else None)
        sets, carried = score_sets(probed, ROUNDS)
    reproduced = reproduce_claims(settings, claims, llm_claims) if claims or llm_claims else ()
    suite = run_domain_suite(settings, ROUNDS) if domain else None
    bench = ProbeBench(sets=sets, carried=carried, times=times, claims=reproduced, domain=suite)
    return json.dumps(bench.model_dump(mode="json"), ensure_ascii=False) if as_json else probes_text(bench)


def time_queries(settings: Settings, count: int) -> ProbeTimes:
    """Milliseconds of anchor relevance, coverage and FCI over the first test queries."""
    kb = open_knowledge(settings)
    try:
        asked = timed_queries(kb, load_query_set(), count)
    finally:
        kb.close()
    return time_probes(asked, read_library(SHIPPED_LIBRARY))


def attention_probe(settings: Settings) -> AttentionProbe:
    """The alignment probe with the packaged language model."""
    from rag.local_model import load_model
    from rag.packaged import load_packaged

    return AttentionProbe(load_model(str(load_packaged(settings.home.resolve()))))


def probes_text(bench: ProbeBench) -> str:
    """Tables for people."""
    parts = [domain_text(bench.domain)] if bench.domain is not None else []
    parts += [_set_text(one) for one in bench.sets]
    if bench.carried:
        rows = [
            (one.probe, one.chosen_on, one.applied_to, _shown(one.f1), _shown(one.balanced_accuracy)) for one in bench.carried
        ]
        parts.append(table(("threshold of", "chosen on", "applied to", "F1", "balanced accuracy"), rows))
    if bench.times is not None:
        parts.append(_times_text(bench.times))
    if bench.claims:
        parts.append(claims_text(bench.claims))
    return "\n\n".join(parts) or "Nothing was asked for: name labelled sets with --data or a number of queries with --queries."


def _set_text(one: TextBench) -> str:
    """The target is met where the held-out AUROC's lower bound lies above the floor's value."""
    header = ("probe", "AUROC", "tuned on", "held out", "gain on the floor", "F1", "balanced accuracy", "not scorable")
    rows = [
        (
            probe.probe,
            *(_shown(figure) for figure in (probe.auroc, probe.tuned, probe.held_out, probe.gain, probe.f1)),
            _shown(probe.balanced_accuracy),
            str(probe.not_scorable),
        )
        for probe in one.probes
    ]
    floor = next(probe.held_out.value for probe in one.probes if probe.probe == FLOOR)
    graded = next(probe.held_out.low for probe in one.probes if probe.probe == "worst support")
    goals = [_goal("lower bound above the floor", graded > floor), _goal("5 points above", graded > floor + 0.05)]
    seeds = ", ".join(map(str, SEEDS))
    head = f"{one.data}: {one.n} texts, {one.unfaithful} unfaithful; bounds are medians over bootstrap seeds {seeds}"
    return f"{head}\n\n{table(header, rows)}\n\ngraded FCI, held out: {'; '.join(goals)}"


def _times_text(times: ProbeTimes) -> str:
    header = ("anchor relevance + coverage + FCI, ms", "processor P50", "P99", "clock P50", "P99", "queries/s on two cores")
    rows = [
        _times_row("nothing parsed", times.cold),
        _times_row("passages parsed", times.warm),
        _times_row("seen before", times.again),
    ]
    warm = times.warm
    goals = [_goal(f"P99 <= {P99_MS:.0f} ms", warm.process_ms_p99 <= P99_MS)]
    goals.append(_goal(f">= {QUERIES_PER_S:.0f} queries/s", warm.queries_per_s >= QUERIES_PER_S))
    same = "bit-identical on rerun" if times.identical else "NOT the same on rerun"
    return f"{table(header, rows)}\n\n{times.queries} queries, {same}; of the processor, warm: {'; '.join(goals)}"


def _times_row(name: str, times: Times) -> tuple[str, ...]:
    figures = (times.process_ms_p50, times.process_ms_p99, times.wall_ms_p50, times.wall_ms_p99, times.queries_per_s)
    return (name, *(number(figure) for figure in figures))


def _shown(figure: Measured) -> str:
    return f"{number(figure.value)} [{number(figure.low)}, {number(figure.high)}]"


def _goal(name: str, met: bool) -> str:
    return f"target {name}: {'met' if met else 'missed'}"
