"""What the service remembers: tenants, keys, reports, photos, corrections, jobs and counts, in SQLite or PostgreSQL."""
