"""What the routes share, made once by `create_app` and kept in the app's state."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from serve.api.auth import Auth
from serve.api.lifecycle import Lifecycle
from serve.api.metrics import Metrics
from serve.api.runner import Runner
from serve.api.workers import Workers
from serve.cameras.at_server import ServerCameras
from serve.monitor.degradation import Degradation
from serve.monitor.loop import Monitor
from serve.service import Service
from serve.settings import Settings
from serve.store.store import Store


@dataclass(frozen=True)
class Parts:
    """`workers` do what loads the reader, `writers` what makes a file of a report; `runner` does jobs."""

    settings: Settings
    service: Service
    store: Store
    auth: Auth
    workers: Workers
    writers: Workers
    metrics: Metrics
    runner: Runner
    lifecycle: Lifecycle
    degradation: Degradation
    monitor: Monitor | None = None
    cameras: ServerCameras | None = None

    def service_of(self, tenant: str) -> Service:
        """The service that keeps and asks what belongs to a tenant."""
        return self.service.for_home(self.store.tenant_home(tenant))


def parts_of(request: Request) -> Parts:
    """The parts of the app that got a request."""
    parts: Parts = request.app.state.parts
    return parts
