"""The reader behind cameras: a service, with the manuals and adapters of the tenant whose cameras they are."""

from __future__ import annotations

from serve.cameras.watcher import Read
from serve.service import Service
from serve.store.tenants import tenant_home
from vision.fields import PhotoReading


def read_with(service: Service, tenant: str) -> Read:
    """What reads a camera's picture for a tenant. A fault of the reader is an error of that picture."""
    own = service.for_home(tenant_home(service.settings.home, tenant))

    def read(data: bytes, name: str, model: str | None) -> PhotoReading:
        (reading,) = own.read_photos([data], names=[name], model=model)
        return reading

    return read
