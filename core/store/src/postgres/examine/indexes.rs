//! Indexes that a database of this program should have. The migrations are
//! the list of them.

use sqlx::PgConnection;

use crate::error::{DatabaseContext, StoreError};
use crate::finding::Finding;
use crate::postgres::migrate::statements;
use crate::postgres::models::{ModelRow, index_statement};

/// An index, and the statement that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Index {
    name: String,
    statement: String,
}

/// One finding for each index that is missing or broken, or one for all.
pub(super) async fn missing(connection: &mut PgConnection) -> Result<Vec<Finding>, StoreError> {
    let mut expected = of_migrations(statements());
    expected.extend(of_models(connection).await?);
    let names: Vec<&str> = expected.iter().map(|index| index.name.as_str()).collect();
    // A CREATE INDEX CONCURRENTLY that was broken off leaves an invalid one.
    let states: Vec<Option<bool>> = sqlx::query_scalar(
        "SELECT i.indisvalid FROM unnest($1::text[]) WITH ORDINALITY AS n (name, place) \
         LEFT JOIN pg_index i ON i.indexrelid = to_regclass(n.name) ORDER BY n.place",
    )
    .bind(&names)
    .fetch_all(connection)
    .await
    .doing("read the indexes")?;
    let findings: Vec<Finding> = expected
        .iter()
        .zip(states)
        .filter_map(|(index, state)| finding(index, state))
        .collect();
    if findings.is_empty() {
        let message = format!("all {} exist", expected.len());
        return Ok(vec![Finding::ok("indexes", message)]);
    }
    Ok(findings)
}

fn finding(index: &Index, state: Option<bool>) -> Option<Finding> {
    let Index { name, statement } = index;
    match state {
        Some(true) => None,
        Some(false) => Some(Finding::fail(
            "index",
            format!("{name} is broken"),
            format!("DROP INDEX {name}; {statement}"),
        )),
        None => Some(Finding::fail(
            "index",
            format!("{name} is missing"),
            statement.clone(),
        )),
    }
}

/// The indexes that are there after these migrations.
fn of_migrations(migrations: impl Iterator<Item = &'static str>) -> Vec<Index> {
    let mut indexes: Vec<Index> = Vec::new();
    let code: Vec<&str> = migrations
        .flat_map(str::lines)
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    for statement in code.join("\n").split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words.as_slice() {
            ["CREATE", "INDEX", name, "ON", ..] | ["CREATE", "UNIQUE", "INDEX", name, "ON", ..] => {
                indexes.push(Index {
                    name: (*name).to_owned(),
                    statement: words.join(" ") + ";",
                });
            }
            ["DROP", "INDEX", name] | ["DROP", "INDEX", "IF", "EXISTS", name] => {
                indexes.retain(|index| index.name != *name);
            }
            _ => {}
        }
    }
    indexes
}

async fn of_models(connection: &mut PgConnection) -> Result<Vec<Index>, StoreError> {
    let models: Vec<ModelRow> =
        sqlx::query_as("SELECT model, name, variant, dimension FROM gannet_models ORDER BY model")
            .fetch_all(connection)
            .await
            .doing("read the models")?;
    let index = |model: &ModelRow| {
        Some(Index {
            name: format!("gannet_vectors_{}", model.model),
            statement: index_statement(model)? + ";",
        })
    };
    Ok(models.iter().filter_map(index).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn indexes_are_read_from_the_migrations() {
        let sql = "-- A note.\nCREATE TABLE a (b INTEGER);\n-- Another; note.\n\
                   CREATE INDEX one\n    ON a (b)\n    WHERE b > 0;\n\
                   CREATE UNIQUE INDEX two ON a USING btree (b);\nDROP INDEX two;";
        let indexes = of_migrations([sql].into_iter());
        assert_eq!(
            indexes,
            [Index {
                name: "one".to_owned(),
                statement: "CREATE INDEX one ON a (b) WHERE b > 0;".to_owned(),
            }]
        );
        assert!(of_migrations(statements()).len() > 5);
    }
}
