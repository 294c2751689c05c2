PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE failures (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, digest TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL, complaint TEXT NOT NULL,
    report TEXT NOT NULL
);
INSERT INTO "failures" VALUES(1,1.79602897799906659126e+09,'6b469283ba79fce0311e965d79708c095efeb1365fb0b5f688f753a6c5b38f05','old-1','evasive','{"format":"gaugerag-failure-1","request_id":"old-1","complaint":"evasive","question":"","expected":[],"note":"指针","causes":{"retrieval_off_focus":"unknown","bad_cut":"unknown","context_pollution":"unknown","prompt_evasion":"unknown","wrong_metric":"unknown"},"watermark":{}}');
CREATE INDEX failures_by_request ON failures (request_id);
COMMIT;
