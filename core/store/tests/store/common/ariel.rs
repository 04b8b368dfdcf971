//! ARIEL's own tables and statements.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_store::{EmbeddedOptions, PostgresOptions, Store, StoreOptions};
pub use gannet_test_databases::ARIEL;
use sqlx::Connection;

use super::postgres::Database;

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

/// ARIEL's database, and a role that may do nothing but SELECT there.
pub struct Ariel {
    pub database: Database,
    reader: String,
    before: Vec<String>,
}

impl Ariel {
    pub async fn create() -> Option<Self> {
        let database = Database::create().await?;
        database.run(ARIEL).await;
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
