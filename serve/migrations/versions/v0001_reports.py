"""Tenants, keys, photos, reports, readings, corrections, counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TENANT, ID, SHA = sa.String(63), sa.String(40), sa.String(64)


def upgrade() -> None:
    """Make the tables."""
    _people()
    _reports()
    op.create_table(
        "feedback",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", TENANT, nullable=False),
        sa.Column("report", ID, sa.ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("instrument", sa.Integer),
        sa.Column("complaint", sa.String(40), nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("unit", sa.Text),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("failure_case", sa.Integer),
    )
    op.create_index("feedback_by_report", "feedback", ["tenant", "report"])
    op.create_table(
        "usage",
        sa.Column("tenant", TENANT, primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )


def _people() -> None:
    op.create_table(
        "tenants",
        sa.Column("id", TENANT, primary_key=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("photos_per_day", sa.Integer),
        sa.Column("max_mib", sa.Double),
    )
    op.create_table(
        "keys",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", TENANT, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", SHA, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
        sa.Column("revoked", sa.Double),
        sa.Column("last_used", sa.Double),
        sa.UniqueConstraint("sha256", name="keys_by_sha256"),
    )


def _reports() -> None:
    op.create_table(
        "photos",
        sa.Column("tenant", TENANT, primary_key=True),
        sa.Column("sha256", SHA, primary_key=True),
        sa.Column("extension", sa.String(8), nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("kept", sa.Double, nullable=False),
    )
    op.create_index("photos_by_age", "photos", ["kept"])
    op.create_table(
        "reports",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", TENANT, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("request_id", sa.String(100), nullable=False),
        sa.Column("photo_sha256", SHA),
        sa.Column("photo_name", sa.Text, nullable=False),
        sa.Column("place", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("writer", sa.String(40), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("kind", sa.String(16)),
        sa.Column("value", sa.Double),
        sa.Column("low", sa.Double),
        sa.Column("high", sa.Double),
        sa.Column("unit", sa.Text),
        sa.Column("confidence", sa.Double),
        sa.Column("weights", sa.Text, nullable=False),
        sa.Column("inspection", sa.Text, nullable=False),
        sa.Column("document", sa.Text),
    )
    op.create_index("reports_by_age", "reports", ["tenant", "created", "id"])
    op.create_index("reports_by_place", "reports", ["tenant", "place", "created"])
    op.create_index("reports_by_model", "reports", ["tenant", "model", "created"])
    op.create_table(
        "readings",
        sa.Column("report", ID, sa.ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("tenant", TENANT, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("place", sa.Text),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("value", sa.Double),
        sa.Column("low", sa.Double),
        sa.Column("high", sa.Double),
        sa.Column("unit", sa.Text),
        sa.Column("confidence", sa.Double, nullable=False),
    )
    op.create_index("readings_by_place", "readings", ["tenant", "place", "created"])
