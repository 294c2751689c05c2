"""What alembic runs: the steps on the connection that `serve.store.migrate` gives, inside its transaction."""

from __future__ import annotations

from alembic import context

from serve.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
