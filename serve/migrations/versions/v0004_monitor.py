"""What the monitor measured and holds, and the outbox of its alerts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "alerts",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_try", sa.Double),
        sa.Column("sent", sa.Double),
        sa.Column("reason", sa.Text),
    )
    op.create_index("alerts_by_key", "alerts", ["key", "at"])
    op.create_index("alerts_to_send", "alerts", ["next_try"])
    op.create_table(
        "monitor_log",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("monitor_log_by_age", "monitor_log", ["kind", "at"])
    op.create_table(
        "monitor_state",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
