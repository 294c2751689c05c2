"""The store: everything that the service remembers, opened at once."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from serve.settings import Settings
from serve.store.camera_age import sweep_camera_events
from serve.store.database import Database
from serve.store.errors import QuotaError, StoreError
from serve.store.feedback import Feedback
from serve.store.home_lock import check_whole
from serve.store.idempotency import Idempotency
from serve.store.jobs import Jobs
from serve.store.keys import Keys
from serve.store.migrate import migrate
from serve.store.photos import Photos
from serve.store.reports import Reports, StoredReport
from serve.store.tenants import LOCAL, Tenants, tenant_home
from serve.store.usage import PHOTOS, Usage

logger = logging.getLogger("gauge.store")

_DAY_S = 86400.0
JOB_DAYS = 90.0
MIN_FREE_MIB = 50.0
"""Below this the disk counts as full: what is begun can still be ended."""


class Swept(NamedTuple):
    """How much a sweep removed."""

    photos: int
    reports: int
    jobs: int
    camera_events: int


class Store:
    """All tables and the photos of one home. Safe to share between threads; `open` before use, `close` after."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = settings.home
        self.database = Database(settings.database_url)
        self.tenants = Tenants(self.database)
        self.keys = Keys(self.database, self.tenants)
        self.usage = Usage(self.database)
        self.photos = Photos(self.database, self.home)
        self.reports = Reports(self.database)
        self.feedback = Feedback(self.database)
        self.idempotency = Idempotency(self.database)
        self.jobs = Jobs(self.database)

    @classmethod
    def open(cls, settings: Settings) -> Store:
        """The store of the settings, its tables brought up to this program. Raises StoreError."""
        store = cls(settings)
        try:
            store.prepare()
        except BaseException:
            store.close()
            raise
        return store

    def prepare(self) -> None:
        """Bring the tables up to this program. Raises StoreError, also where a restore was broken off half-way."""
        check_whole(self.home)
        migrate(self.database)

    def close(self) -> None:
        """Give the database back."""
        self.database.close()

    def tenant_home(self, tenant: str) -> Path:
        """Where a tenant's traces, history, failures, adapters and manuals lie."""
        return tenant_home(self.home, tenant)

    def check(self) -> None:
        """Raises StoreError, with the reason, unless results can be kept now: database, folder of photos, room on the disk."""
        self.database.check()
        folder = self.photos.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.write_bytes(b"x")
            probe.unlink()
            free = shutil.disk_usage(folder).free / 2**20
        except OSError as error:
            raise StoreError(f"photos cannot be kept: {error.strerror or error}") from error
        if free < MIN_FREE_MIB:
            raise StoreError(f"the disk is full: {free:.0f} MiB are free, {MIN_FREE_MIB:.0f} are needed")

    def spend_photos(self, tenant: str, count: int, mib: float) -> None:
        """Count photos against a tenant's quotas of the day and of the disk. Raises QuotaError, and counts nothing then.

        `local` has no quotas unless they were given to it.
        """
        own = self.tenants.limits(tenant)
        most_mib = own.max_mib if own.max_mib is not None else (None if tenant == LOCAL else self.settings.quota_mib)
        if most_mib is not None and self.settings.photo_days > 0:
            used = self.photos.used_mib(tenant)
            if used + mib > most_mib:
                raise QuotaError(f"{used:.0f} MiB of photos are kept and {mib:.1f} more would pass the limit of {most_mib:g} MiB")
        most = own.photos_per_day if own.photos_per_day is not None else (None if tenant == LOCAL else self.settings.quota_photos)
        self.usage.spend(tenant, PHOTOS, count, most)

    def keep_reports(self, made: Sequence[StoredReport], key: str | None = None) -> None:
        """Keep reports whose photos are kept already, and what the Idempotency-Key `key` stands for, all or nothing.

        Raises DoneError where the same request was finished elsewhere meanwhile, StoreError.
        """
        with self.database.write() as db:
            self.reports.add(made, db)
            if key is not None and made:
                self.idempotency.finish(made[0].tenant, key, [report.id for report in made], db)

    def sweep(self) -> Swept:
        """Remove what is kept longer than the settings say."""
        swept = Swept(
            self.photos.sweep(self.settings.photo_days * _DAY_S),
            self.reports.sweep(self.settings.report_days * _DAY_S),
            self.jobs.sweep(JOB_DAYS * _DAY_S),
            sweep_camera_events(self.database, self.settings.camera_days * _DAY_S),
        )
        self.idempotency.sweep()
        if any(swept):
            logger.info("removed by age: %d photos, %d reports, %d jobs, %d events of cameras", *swept)
        return swept
