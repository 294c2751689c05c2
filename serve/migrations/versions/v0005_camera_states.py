"""What is known of each camera now, one row a camera; events are found by camera and moment, and by their alarms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_STATUSES = ("good", "held", "not_read", "no_picture")
_COUNTS = ", ".join(f"sum(CASE WHEN status = '{one}' THEN 1 ELSE 0 END)" for one in _STATUSES)


def upgrade() -> None:
    """Make the table and fill it, mark the events with a change, and let the index by age begin with the camera."""
    op.create_table(
        "camera_states",
        sa.Column("tenant", sa.String(63), primary_key=True),
        sa.Column("camera", sa.String(40), primary_key=True),
        sa.Column("seq", sa.Integer, nullable=False),
        *(sa.Column(status, sa.Integer, nullable=False) for status in _STATUSES),
        sa.Column("about", sa.Text),
        sa.Column("watched_until", sa.Double),
        sa.Column("event", sa.Text),
        sa.Column("at", sa.Double),
        sa.Column("good_at", sa.Double),
        sa.Column("is_up", sa.Boolean),
        sa.Column("since", sa.Double),
        sa.Column("next_at", sa.Double),
    )
    op.execute(
        f"INSERT INTO camera_states (tenant, camera, seq, {', '.join(_STATUSES)}, good_at)"  # noqa: S608 - constants
        f" SELECT tenant, camera, max(seq), {_COUNTS}, max(CASE WHEN status = 'good' THEN at END)"
        " FROM camera_events GROUP BY tenant, camera"
    )
    newest = "FROM camera_events e WHERE e.tenant = camera_states.tenant AND e.camera = camera_states.camera"
    newest = f"{newest} AND e.seq = camera_states.seq"
    op.execute(
        f"UPDATE camera_states SET event = (SELECT e.event {newest}), at = (SELECT e.at {newest}),"  # noqa: S608 - constants
        f" is_up = (SELECT e.status <> 'no_picture' {newest})"
    )
    op.add_column("camera_events", sa.Column("changed", sa.Boolean))
    op.execute("""UPDATE camera_events SET changed = (event LIKE '%"changes":[{%')""")
    op.create_index(
        "camera_events_by_change",
        "camera_events",
        ["tenant", "camera", "seq"],
        sqlite_where=sa.text("changed = 1"),
        postgresql_where=sa.text("changed"),
    )
    op.drop_index("camera_events_by_age", "camera_events")
    op.create_index("camera_events_by_age", "camera_events", ["tenant", "camera", "at"])
