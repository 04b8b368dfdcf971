//! ARIEL's database, and how ARIEL writes to it.

/// ARIEL's tables, as its own migrations make them.
pub const ARIEL: &str = "
    CREATE EXTENSION vector;
    CREATE TABLE enhanced_entries (
        entry_id TEXT PRIMARY KEY, source_system TEXT NOT NULL, timestamp TIMESTAMPTZ NOT NULL,
        author TEXT NOT NULL DEFAULT '', raw_text TEXT NOT NULL, attachments JSONB DEFAULT '[]',
        created_at TIMESTAMPTZ DEFAULT now(), updated_at TIMESTAMPTZ DEFAULT now(),
        metadata JSONB DEFAULT '{}', enhancement_status JSONB DEFAULT '{}',
        summary TEXT, keywords TEXT[] DEFAULT '{}');
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

/// How ARIEL writes an entry.
pub fn ariel_upsert(id: &str, text: &str) -> String {
    format!(
        "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, author, raw_text, \
         metadata, attachments) VALUES ('{id}', 'ALS', '2024-01-04', 'Berg', '{text}', '{{}}', '[]') \
         ON CONFLICT (entry_id) DO UPDATE SET source_system = EXCLUDED.source_system, \
         timestamp = EXCLUDED.timestamp, author = EXCLUDED.author, raw_text = EXCLUDED.raw_text, \
         metadata = EXCLUDED.metadata"
    )
}
