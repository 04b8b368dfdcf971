//! Indexes that ARIEL's database should have: those that ARIEL's own searches
//! use, and those that a copy of it is read by.

use sqlx::PgConnection;

use crate::error::{DatabaseContext, StoreError};
use crate::finding::Finding;

/// An index that is wanted. It may have any name.
struct Wanted {
    /// What it is for.
    purpose: &'static str,
    /// How its definition begins behind `USING`, without blanks and quotes.
    begins: &'static str,
    statement: &'static str,
}

const OF_ENTRIES: [Wanted; 6] = [
    Wanted {
        purpose: "lists by time",
        begins: "btree(timestamp",
        statement: "CREATE INDEX CONCURRENTLY ON enhanced_entries (\"timestamp\" DESC);",
    },
    Wanted {
        purpose: "filters by author",
        begins: "btree(author",
        statement: "CREATE INDEX CONCURRENTLY ON enhanced_entries (author);",
    },
    Wanted {
        purpose: "filters by source",
        begins: "btree(source_system",
        statement: "CREATE INDEX CONCURRENTLY ON enhanced_entries (source_system);",
    },
    Wanted {
        purpose: "ARIEL's keyword search",
        begins: "gin(to_tsvector('english',raw_text))",
        statement: "CREATE INDEX CONCURRENTLY ON enhanced_entries \
                    USING gin (to_tsvector('english', raw_text));",
    },
    Wanted {
        purpose: "ARIEL's search for similar words",
        begins: "gin(raw_textgin_trgm_ops",
        statement: "CREATE EXTENSION IF NOT EXISTS pg_trgm; \
                    CREATE INDEX CONCURRENTLY ON enhanced_entries \
                    USING gin (raw_text gin_trgm_ops);",
    },
    Wanted {
        purpose: "entries by their ids, which the copy reads",
        begins: "btree(entry_id",
        statement: "CREATE UNIQUE INDEX CONCURRENTLY ON enhanced_entries (entry_id);",
    },
];

/// One finding for each index that is missing, or one for all.
pub(super) async fn missing(connection: &mut PgConnection) -> Result<Vec<Finding>, StoreError> {
    let there = definitions(connection, "enhanced_entries").await?;
    let mut findings: Vec<Finding> = OF_ENTRIES
        .iter()
        .filter(|wanted| !there.iter().any(|one| one.starts_with(wanted.begins)))
        .map(|wanted| {
            let message = format!("none for {}", wanted.purpose);
            Finding::warn("index", message, wanted.statement)
        })
        .collect();
    for table in tables_of_vectors(connection).await? {
        findings.extend(of_vectors(connection, &table).await?);
    }
    if findings.is_empty() {
        return Ok(vec![Finding::ok("indexes", "all required indexes exist")]);
    }
    Ok(findings)
}

/// What stands behind `USING` in the definition of each index that is valid.
async fn definitions(
    connection: &mut PgConnection,
    table: &str,
) -> Result<Vec<String>, StoreError> {
    let definitions: Vec<String> = sqlx::query_scalar(
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index \
         WHERE indrelid = to_regclass($1) AND indisvalid AND indpred IS NULL",
    )
    .bind(table)
    .fetch_all(connection)
    .await
    .doing("read the indexes")?;
    Ok(definitions.iter().map(|one| plain(one)).collect())
}

fn plain(definition: &str) -> String {
    let behind = definition
        .split_once(" USING ")
        .map_or(definition, |(_, behind)| behind);
    behind
        .replace("::regconfig", "")
        .replace("::text", "")
        .replace(['"', ' '], "")
}

async fn tables_of_vectors(connection: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    sqlx::query_scalar(
        "SELECT format('%I', c.relname) FROM pg_class c \
         WHERE c.relname LIKE 'text\\_embeddings\\_%' AND c.relkind = 'r' \
         AND pg_table_is_visible(c.oid) ORDER BY c.relname",
    )
    .fetch_all(connection)
    .await
    .doing("look for vectors of ARIEL's")
}

/// ARIEL makes an index of another kind on the empty table, where its lists
/// have nothing to be made from.
async fn of_vectors(
    connection: &mut PgConnection,
    table: &str,
) -> Result<Option<Finding>, StoreError> {
    let there = definitions(connection, table).await?;
    let is_there = there.iter().any(|one| one.starts_with("hnsw(embedding"));
    Ok((!is_there).then(|| {
        Finding::warn(
            "index",
            format!("none for ARIEL's semantic search in {table}"),
            format!(
                "CREATE INDEX CONCURRENTLY ON {table} USING hnsw (embedding vector_cosine_ops);"
            ),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_known_however_it_is_written() {
        for (definition, begins) in [
            (
                "CREATE INDEX x ON public.enhanced_entries USING btree (\"timestamp\" DESC)",
                OF_ENTRIES[0].begins,
            ),
            (
                "CREATE INDEX x ON public.enhanced_entries USING gin \
                 (to_tsvector('english'::regconfig, raw_text))",
                OF_ENTRIES[3].begins,
            ),
            (
                "CREATE INDEX x ON public.enhanced_entries USING gin (raw_text gin_trgm_ops)",
                OF_ENTRIES[4].begins,
            ),
        ] {
            assert!(plain(definition).starts_with(begins), "{definition}");
        }
    }
}
