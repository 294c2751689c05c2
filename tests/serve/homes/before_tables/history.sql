PRAGMA user_version = 0;
BEGIN TRANSACTION;
CREATE TABLE readings (instrument TEXT NOT NULL, taken_at TEXT NOT NULL, request_id TEXT NOT NULL, value REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, unit TEXT, PRIMARY KEY (instrument, taken_at, request_id)) WITHOUT ROWID;
INSERT INTO "readings" VALUES('P-7/dial/','2026-11-30T08:51:45.702654+00:00','old-1',50.0,48.5,51.5,'MPa');
COMMIT;
