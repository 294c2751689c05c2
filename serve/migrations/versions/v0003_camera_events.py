"""What cameras saw: one row a picture, which is also the outbox of what the broker has not taken yet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "camera_events",
        sa.Column("tenant", sa.String(63), primary_key=True),
        sa.Column("camera", sa.String(40), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("low", sa.Double),
        sa.Column("high", sa.Double),
        sa.Column("unit", sa.Text),
        sa.Column("source_key", sa.String(64)),
        sa.Column("published", sa.Double),
        sa.Column("event", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant", "camera", "source_key", name="camera_events_by_source"),
    )
    op.create_index("camera_events_to_publish", "camera_events", ["published", "tenant", "camera", "seq"])
    op.create_index("camera_events_by_age", "camera_events", ["tenant", "at"])
