"""The tables. Moments are seconds since 1970 in UTC; what is JSON is kept as text, so that both databases keep its bytes.

A change here needs a step in `serve/migrations/versions`; a test holds the two against each other.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text, UniqueConstraint, text

metadata = MetaData()

TENANT, ID, SHA = String(63), String(40), String(64)

tenants = Table(
    "tenants",
    metadata,
    Column("id", TENANT, primary_key=True),
    Column("created", Double, nullable=False),
    Column("photos_per_day", Integer),
    Column("max_mib", Double),
)

keys = Table(
    "keys",
    metadata,
    Column("id", ID, primary_key=True),
    Column("tenant", TENANT, ForeignKey("tenants.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("sha256", SHA, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
    Column("last_used", Double),
    UniqueConstraint("sha256", name="keys_by_sha256"),
)

photos = Table(
    "photos",
    metadata,
    Column("tenant", TENANT, primary_key=True),
    Column("sha256", SHA, primary_key=True),
    Column("extension", String(8), nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("kept", Double, nullable=False),
    Index("photos_by_age", "kept"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", ID, primary_key=True),
    Column("tenant", TENANT, nullable=False),
    Column("created", Double, nullable=False),
    Column("request_id", String(100), nullable=False),
    Column("photo_sha256", SHA),
    Column("photo_name", Text, nullable=False),
    Column("place", Text),
    Column("model", Text),
    Column("language", String(8), nullable=False),
    Column("writer", String(40), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text),
    Column("kind", String(16)),
    Column("value", Double),
    Column("low", Double),
    Column("high", Double),
    Column("unit", Text),
    Column("confidence", Double),
    Column("weights", Text, nullable=False),
    Column("inspection", Text, nullable=False),
    Column("document", Text),
    Index("reports_by_age", "tenant", "created", "id"),
    Index("reports_by_place", "tenant", "place", "created"),
    Index("reports_by_model", "tenant", "model", "created"),
)

readings = Table(
    "readings",
    metadata,
    Column("report", ID, ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("tenant", TENANT, nullable=False),
    Column("created", Double, nullable=False),
    Column("place", Text),
    Column("kind", String(16), nullable=False),
    Column("model", Text),
    Column("status", String(16), nullable=False),
    Column("reason", Text),
    Column("value", Double),
    Column("low", Double),
    Column("high", Double),
    Column("unit", Text),
    Column("confidence", Double, nullable=False),
    Index("readings_by_place", "tenant", "place", "created"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("id", ID, primary_key=True),
    Column("tenant", TENANT, nullable=False),
    Column("report", ID, ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
    Column("created", Double, nullable=False),
    Column("instrument", Integer),
    Column("complaint", String(40), nullable=False),
    Column("value", Double),
    Column("unit", Text),
    Column("note", Text, nullable=False),
    Column("failure_case", Integer),
    Index("feedback_by_report", "tenant", "report"),
)

usage = Table(
    "usage",
    metadata,
    Column("tenant", TENANT, primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("count", Integer, nullable=False),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("tenant", TENANT, primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("fingerprint", SHA, nullable=False),
    Column("created", Double, nullable=False),
    Column("owner", Text, nullable=False),
    Column("leased_until", Double, nullable=False),
    Column("outcome", Text),
    Index("idempotency_by_age", "created"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", ID, primary_key=True),
    Column("tenant", TENANT, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("state", String(16), nullable=False),
    Column("payload", Text, nullable=False),
    Column("progress", Text, nullable=False),
    Column("result", Text),
    Column("reason", Text),
    Column("attempts", Integer, nullable=False),
    Column("cancel_asked", Boolean, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Column("owner", Text),
    Column("leased_until", Double),
    Index("jobs_to_claim", "state", "kind", "created", "id"),
    Index("jobs_by_age", "tenant", "created", "id"),
)

camera_events = Table(
    "camera_events",
    metadata,
    Column("tenant", TENANT, primary_key=True),
    Column("camera", ID, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("status", String(16), nullable=False),
    Column("value", Double),
    Column("low", Double),
    Column("high", Double),
    Column("unit", Text),
    Column("source_key", SHA),
    Column("published", Double),
    Column("changed", Boolean),
    Column("event", Text, nullable=False),
    UniqueConstraint("tenant", "camera", "source_key", name="camera_events_by_source"),
    Index("camera_events_to_publish", "published", "tenant", "camera", "seq"),
    Index("camera_events_by_age", "tenant", "camera", "at"),
    Index(
        "camera_events_by_change", "tenant", "camera", "seq", sqlite_where=text("changed = 1"), postgresql_where=text("changed")
    ),
)

camera_states = Table(
    "camera_states",
    metadata,
    Column("tenant", TENANT, primary_key=True),
    Column("camera", ID, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("good", Integer, nullable=False),
    Column("held", Integer, nullable=False),
    Column("not_read", Integer, nullable=False),
    Column("no_picture", Integer, nullable=False),
    Column("about", Text),
    Column("watched_until", Double),
    Column("event", Text),
    Column("at", Double),
    Column("good_at", Double),
    Column("is_up", Boolean),
    Column("since", Double),
    Column("next_at", Double),
)

alerts = Table(
    "alerts",
    metadata,
    Column("id", ID, primary_key=True),
    Column("at", Double, nullable=False),
    Column("key", String(80), nullable=False),
    Column("level", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_try", Double),
    Column("sent", Double),
    Column("reason", Text),
    Index("alerts_by_key", "key", "at"),
    Index("alerts_to_send", "next_try"),
)

monitor_log = Table(
    "monitor_log",
    metadata,
    Column("id", ID, primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("at", Double, nullable=False),
    Column("body", Text, nullable=False),
    Index("monitor_log_by_age", "kind", "at"),
)

monitor_state = Table(
    "monitor_state",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("at", Double, nullable=False),
    Column("body", Text, nullable=False),
)
