"""The pages of the service: one router out of its parts."""

from __future__ import annotations

from fastapi import APIRouter

from serve.web import (
    accuracy_page,
    batch_pages,
    camera_pages,
    history_pages,
    monitor_pages,
    report_pages,
    site_pages,
    upload_pages,
)

router = APIRouter(include_in_schema=False)
for part in (upload_pages, report_pages, history_pages, batch_pages, camera_pages, accuracy_page, monitor_pages, site_pages):
    router.include_router(part.router)
