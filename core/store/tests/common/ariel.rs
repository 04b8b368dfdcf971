//! ARIEL's own tables and statements.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_store::{EmbeddedOptions, PostgresOptions, Store, StoreOptions};
use sqlx::Connection;

use super::postgres::Database;

/// ARIEL's tables, as its own migrations make them, with three entries, one
/// vector and a run.
pub const TABLES: &str = "
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

/// How ARIEL writes an entry.
pub fn upsert(id: &str, text: &str) -> String {
    format!(
        "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, author, raw_text, \
         metadata, attachments) VALUES ('{id}', 'ALS', '2024-01-04', 'Berg', '{text}', '{{}}', '[]') \
         ON CONFLICT (entry_id) DO UPDATE SET source_system = EXCLUDED.source_system, \
         timestamp = EXCLUDED.timestamp, author = EXCLUDED.author, raw_text = EXCLUDED.raw_text, \
         metadata = EXCLUDED.metadata"
    )
}

/// ARIEL's database, and a role that may do nothing but SELECT there.
pub struct Ariel {
    pub database: Database,
    reader: String,
    before: Vec<String>,
}

impl Ariel {
    pub async fn create() -> Option<Self> {
        let database = Database::create().await?;
        database.run(TABLES).await;
        let reader = format!("{}_reader", database.name());
        database
            .run(format!(
                "DROP ROLE IF EXISTS {reader}; CREATE ROLE {reader} LOGIN PASSWORD 'secret'; \
                 GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}"
            ))
            .await;
        let before = definitions(&database).await;
        Some(Self {
            database,
            reader,
            before,
        })
    }

    pub fn options(&self, folder: &Path) -> StoreOptions {
        let postgres = PostgresOptions {
            max_connections: 3,
            ..PostgresOptions::at(self.database.url_as(&self.reader, "secret"))
        };
        StoreOptions::Ariel {
            postgres,
            folder: EmbeddedOptions::at(folder),
        }
    }

    pub async fn open(&self, folder: &Path) -> Store {
        let store = Store::open(self.options(folder)).await.unwrap();
        store.flush().await.unwrap();
        store
    }

    /// Nothing in ARIEL's database was changed by it all.
    pub async fn drop(self) {
        assert_eq!(definitions(&self.database).await, self.before);
        self.database
            .run(format!("DROP OWNED BY {0}; DROP ROLE {0}", self.reader))
            .await;
        self.database.drop_if_there().await;
    }
}

/// Every table, column, index, constraint, trigger, function and extension.
async fn definitions(database: &Database) -> Vec<String> {
    let mut connection = database.connect().await;
    let found = sqlx::query_scalar(
        "SELECT concat_ws(' ', 'column', c.oid::regclass, c.relkind, a.attname, \
             format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) \
         FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
         LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
         WHERE c.relnamespace = 'public'::regnamespace \
         UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index \
         UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint \
         UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger \
         UNION ALL SELECT 'function ' || oid::regprocedure FROM pg_proc \
         UNION ALL SELECT 'extension ' || extname FROM pg_extension \
         UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_' \
         ORDER BY 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    found
}
