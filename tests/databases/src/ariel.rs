//! A database of ARIEL's.

/// ARIEL's tables, as its own migrations make them, with three entries and
/// one vector of a model named `tiny`.
pub const ARIEL: &str = "
    CREATE EXTENSION vector;
    CREATE TABLE enhanced_entries (
        entry_id TEXT PRIMARY KEY, source_system TEXT NOT NULL, timestamp TIMESTAMPTZ NOT NULL,
        author TEXT NOT NULL DEFAULT '', raw_text TEXT NOT NULL, attachments JSONB DEFAULT '[]',
        created_at TIMESTAMPTZ DEFAULT now(), updated_at TIMESTAMPTZ DEFAULT now(),
        metadata JSONB DEFAULT '{}', enhancement_status JSONB DEFAULT '{}',
        summary TEXT, keywords TEXT[] DEFAULT '{}');
    CREATE FUNCTION update_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.updated_at = now(); RETURN NEW; END $$;
    CREATE TRIGGER update_updated_at BEFORE UPDATE ON enhanced_entries
        FOR EACH ROW EXECUTE FUNCTION update_updated_at();
    CREATE TABLE text_embeddings_tiny (
        id SERIAL PRIMARY KEY, embedding vector(2), created_at TIMESTAMPTZ DEFAULT now(),
        entry_id TEXT NOT NULL UNIQUE REFERENCES enhanced_entries (entry_id) ON DELETE CASCADE);
    CREATE TABLE ingestion_runs (
        id SERIAL PRIMARY KEY, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        completed_at TIMESTAMPTZ, source_system TEXT NOT NULL, entries_added INTEGER DEFAULT 0,
        entries_updated INTEGER DEFAULT 0, entries_failed INTEGER DEFAULT 0,
        status TEXT NOT NULL CHECK (status IN ('running', 'success', 'failed')),
        error_message TEXT, metadata JSONB DEFAULT '{}');
    INSERT INTO ingestion_runs (source_system, status, entries_added) VALUES ('ALS', 'success', 3);
    INSERT INTO enhanced_entries (entry_id, source_system, timestamp, author, raw_text, metadata,
        summary, keywords) VALUES
        ('10', 'ALS', '2024-01-01 00:00:00+00', 'Ölaf', 'RF tripped', '{\"tags\": [\"RF\"]}',
         'trip', '{rf,NULL}'),
        ('11', 'ALS', '2024-01-02 00:00:00+00', '', 'Vacuum is fine', NULL, NULL, NULL),
        ('12', 'ALS', '2024-01-03 00:00:00+00', 'Anna', 'Shift change', '{}', NULL, '{}');
    INSERT INTO text_embeddings_tiny (entry_id, embedding) VALUES ('10', '[1,0]');
";
