"""The queue of jobs, and what was answered under an Idempotency-Key."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "idempotency",
        sa.Column("tenant", sa.String(63), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("leased_until", sa.Double, nullable=False),
        sa.Column("outcome", sa.Text),
    )
    op.create_index("idempotency_by_age", "idempotency", ["created"])
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("tenant", sa.String(63), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("progress", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("cancel_asked", sa.Boolean, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("updated", sa.Double, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("leased_until", sa.Double),
    )
    op.create_index("jobs_to_claim", "jobs", ["state", "kind", "created", "id"])
    op.create_index("jobs_by_age", "jobs", ["tenant", "created", "id"])
