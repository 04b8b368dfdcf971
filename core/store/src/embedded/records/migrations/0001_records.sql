-- The truth of an embedded store. Times are microseconds since 1970, UTC.

-- One row: the number of the last change, and a random name, so that
-- projections of another database are not taken for this one's.
CREATE TABLE sequence (last INTEGER NOT NULL, origin TEXT NOT NULL);
INSERT INTO sequence (last, origin) VALUES (0, lower(hex(randomblob(8))));

-- `doc` names an entry in the projections and is never used twice.
-- `metadata` is what the source says, `added` what enhancers said.
-- `seq` is the entry's last change, `created_seq` its first.
CREATE TABLE entries (
    doc           INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant        TEXT    NOT NULL,
    entry_id      TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    source_system TEXT    NOT NULL,
    timestamp     INTEGER NOT NULL,
    author        TEXT    NOT NULL,
    raw_text      TEXT    NOT NULL,
    metadata      TEXT    NOT NULL,
    added         TEXT    NOT NULL DEFAULT '{}',
    attachments   TEXT    NOT NULL,
    summary       TEXT,
    keywords      TEXT    NOT NULL,
    content_hash  BLOB    NOT NULL,
    text_hash     INTEGER NOT NULL,
    seq           INTEGER NOT NULL,
    created_seq   INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    UNIQUE (tenant, entry_id)
);
CREATE INDEX entries_by_time ON entries (tenant, timestamp, entry_id);
CREATE INDEX entries_by_change ON entries (seq);

-- Entries that are gone, for projections that have not heard of it.
CREATE TABLE tombstones (
    doc INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL
);
CREATE INDEX tombstones_by_change ON tombstones (seq);

-- A row is missing until a module first worked on the entry.
CREATE TABLE enhancement_status (
    doc      INTEGER NOT NULL,
    module   TEXT    NOT NULL,
    status   TEXT    NOT NULL CHECK (status IN ('pending', 'complete', 'failed')),
    at       INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error    TEXT,
    retry_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (doc, module)
) WITHOUT ROWID;
CREATE INDEX enhancement_open ON enhancement_status (module, retry_at) WHERE status <> 'complete';

-- Every entry up to `doc` has a row in enhancement_status for the module.
CREATE TABLE enhancement_progress (
    module TEXT PRIMARY KEY,
    doc    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE models (
    model     INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    variant   TEXT    NOT NULL,
    dimension INTEGER NOT NULL
);

-- One passage and its vector: little-endian f32.
CREATE TABLE embeddings (
    model     INTEGER NOT NULL,
    doc       INTEGER NOT NULL,
    ordinal   INTEGER NOT NULL,
    start     INTEGER NOT NULL,
    "end"     INTEGER NOT NULL,
    text_hash INTEGER NOT NULL,
    vector    BLOB    NOT NULL,
    PRIMARY KEY (model, doc, ordinal)
) WITHOUT ROWID;

-- The change feed of the vectors: when an entry's vectors last changed. No
-- passages: they are gone.
CREATE TABLE entry_vectors (
    model    INTEGER NOT NULL,
    doc      INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (model, doc)
) WITHOUT ROWID;
CREATE INDEX entry_vectors_by_change ON entry_vectors (model, seq);

CREATE TABLE ingestion_runs (
    run              INTEGER PRIMARY KEY AUTOINCREMENT,
    source_system    TEXT    NOT NULL,
    started_at       INTEGER NOT NULL,
    finished_at      INTEGER,
    status           TEXT    NOT NULL,
    added            INTEGER NOT NULL DEFAULT 0,
    updated          INTEGER NOT NULL DEFAULT 0,
    unchanged        INTEGER NOT NULL DEFAULT 0,
    rejected         INTEGER NOT NULL DEFAULT 0,
    error            TEXT,
    latest_timestamp INTEGER
);
