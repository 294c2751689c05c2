"""Publications in PostgreSQL: pgvector for the dense route, JSONB for the structured one. Needs the extra `postgres`."""
