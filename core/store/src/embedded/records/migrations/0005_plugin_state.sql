-- What is remembered for plugins by a key: how far an adapter got with a
-- source, and what an instance keeps from one call to the next.
CREATE TABLE plugin_state (
    owner      TEXT    NOT NULL,
    tenant     TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner, tenant, key)
) WITHOUT ROWID;

-- Entries that the source said are gone.
ALTER TABLE ingestion_runs ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
