"""The HTTP door: the application, put together from its parts and routes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial

import anyio.to_thread
from fastapi import APIRouter, FastAPI

from serve.api import adaptation
from serve.api.auth import Auth
from serve.api.lifecycle import Lifecycle
from serve.api.metrics import Metrics
from serve.api.middleware import Gatekeeper
from serve.api.parts import Parts
from serve.api.problems import add_problem_handlers
from serve.api.routes import cameras, feedback, health, inspect, jobs, jobs_batch, knowledge, models, monitor, reports
from serve.api.runner import Runner
from serve.api.version import program_version
from serve.api.workers import Workers
from serve.batch import job
from serve.cameras.at_server import ServerCameras
from serve.monitor.degradation import Degradation
from serve.monitor.exposed import MonitorValues
from serve.monitor.loop import Monitor
from serve.service import Service, open_service
from serve.settings import MIB, Settings, load_settings
from serve.store.store import Store
from serve.web import pages

logger = logging.getLogger("gauge.http")

WRITERS, WAITING_WRITERS = 2, 64

ROUTERS: tuple[APIRouter, ...] = (
    pages.router,  # Before the API: some addresses answer browsers with a page and programs with JSON.
    health.router,
    inspect.router,
    reports.router,
    models.router,
    knowledge.router,
    feedback.router,
    jobs.router,
    jobs_batch.router,
    monitor.router,
    cameras.router,
)


def create_app(
    settings: Settings | None = None,
    service: Service | None = None,
    store: Store | None = None,
    *,
    hosts: Collection[str] | None = None,
) -> FastAPI:
    """The application. Service and store are made ready while the server starts, before the first request is taken.

    A store that is given is left open at the end. `hosts` are the names under which it may be asked, None for any.
    """
    settings = settings or load_settings()
    own = store is None
    parts = make_parts(settings, service or open_service(settings), store or Store(settings))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await anyio.to_thread.run_sync(_start, parts)
        try:
            yield
        finally:
            parts.lifecycle.stop()
            await anyio.to_thread.run_sync(_stop, parts, own)

    # The interactive documentation pages load their scripts from elsewhere, so they are off; /openapi.json is on.
    app = FastAPI(title="GaugeRAG", version=program_version(), lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.parts = parts
    for router in ROUTERS:
        app.include_router(router)
    add_problem_handlers(app)
    app.add_middleware(
        Gatekeeper,
        max_body_bytes=int(settings.max_request_mib * MIB),
        max_body_s=settings.upload_timeout_s,
        lifecycle=parts.lifecycle,
        metrics=parts.metrics,
        hosts=hosts,
    )
    return app


def make_parts(settings: Settings, service: Service, store: Store) -> Parts:
    """The parts of an application, wired to each other; nothing is started. Raises RegistryError for the file of cameras."""
    metrics = Metrics()
    degradation = Degradation(store.database)
    workers = Workers(settings.concurrency, settings.max_waiting, settings.request_timeout_s)
    parts = Parts(
        settings=settings,
        service=service,
        store=store,
        auth=Auth(store, settings.rate_limit),
        workers=workers,
        writers=Workers(WRITERS, WAITING_WRITERS, settings.request_timeout_s),
        metrics=metrics,
        runner=Runner(store),
        lifecycle=Lifecycle(),
        degradation=degradation,
        monitor=Monitor(service, store, degradation) if settings.monitor else None,
        cameras=ServerCameras(settings.cameras, service, store, workers.wait_idle) if settings.cameras else None,
    )
    metrics.watch_queue(lambda: parts.workers.running, lambda: parts.workers.waiting)
    metrics.watch_jobs(store.jobs.lengths)
    metrics.registry.register(MonitorValues(store.database))
    parts.runner.register(adaptation.KIND, partial(adaptation.adapt, parts))
    parts.runner.register(job.KIND, partial(job.run_job, parts))
    return parts


def _start(parts: Parts) -> None:
    parts.store.prepare()
    parts.service.load()
    parts.degradation.now()
    parts.runner.start()
    if parts.monitor is not None:
        parts.monitor.start()
    if parts.cameras is not None:
        parts.cameras.start()


def _stop(parts: Parts, close_store: bool) -> None:
    if parts.cameras is not None:
        parts.cameras.stop()
    if parts.monitor is not None:
        parts.monitor.stop()
    parts.runner.stop()
    parts.workers.close()
    parts.writers.close()
    if close_store:
        parts.store.close()
