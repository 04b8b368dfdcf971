//! What a role may do in a database.

use sqlx::PgConnection;

use super::{Owner, extension};
use crate::error::{DatabaseContext, StoreError};
use crate::finding::Finding;

const CHECK: &str = "rights";

/// Whether the role may make what is missing, and use what is there: one
/// finding for each thing that it may not.
pub(super) async fn examine(
    connection: &mut PgConnection,
    owner: Owner,
    is_set_up: bool,
) -> Result<Vec<Finding>, StoreError> {
    if owner == Owner::Ariel {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for name in ["vector", "pg_trgm"] {
        findings.extend(of_extension(connection, name).await?);
    }
    findings.extend(match is_set_up {
        true => of_tables(connection).await?,
        false => of_schema(connection).await?,
    });
    Ok(findings)
}

async fn of_extension(
    connection: &mut PgConnection,
    name: &str,
) -> Result<Option<Finding>, StoreError> {
    let (installed, available) = extension(connection, name).await?;
    let role = role(connection).await?;
    if installed.is_some() {
        let may_use: bool = sqlx::query_scalar(
            "SELECT has_schema_privilege(extnamespace, 'USAGE') \
             AND (SELECT nspname FROM pg_namespace WHERE oid = extnamespace) \
                 = ANY (current_schemas(true)) \
             FROM pg_extension WHERE extname = $1",
        )
        .bind(name)
        .fetch_one(connection)
        .await
        .doing("read the rights of the role")?;
        return Ok((!may_use).then(|| {
            Finding::fail(
                CHECK,
                format!("the extension {name} is installed where {role} does not see it"),
                format!(
                    "let the role use the schema of the extension (GRANT USAGE ON SCHEMA … TO \
                     {role};) and put that schema on its `search_path`"
                ),
            )
        }));
    }
    if available.is_none() {
        // Said already: the server does not have it.
        return Ok(None);
    }
    let may_create: bool = sqlx::query_scalar(
        "SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \
         OR (has_database_privilege(current_database(), 'CREATE') \
             AND coalesce((SELECT bool_or(v.trusted) FROM pg_available_extension_versions v \
                           JOIN pg_available_extensions e \
                           ON e.name = v.name AND e.default_version = v.version \
                           WHERE v.name = $1), false))",
    )
    .bind(name)
    .fetch_one(connection)
    .await
    .doing("read the rights of the role")?;
    Ok((!may_create).then(|| {
        Finding::fail(
            CHECK,
            format!("the extension {name} is not installed, and {role} may not install it"),
            format!("as a superuser, in this database: CREATE EXTENSION {name};"),
        )
    }))
}

/// Tables are made in the first schema of the search path.
async fn of_schema(connection: &mut PgConnection) -> Result<Option<Finding>, StoreError> {
    let role = role(connection).await?;
    let schema: Option<(String, bool)> = sqlx::query_as(
        "SELECT current_schema()::text, has_schema_privilege(current_schema(), 'CREATE') \
         WHERE current_schema() IS NOT NULL",
    )
    .fetch_optional(connection)
    .await
    .doing("read the rights of the role")?;
    Ok(match schema {
        Some((_, true)) => None,
        Some((schema, false)) => Some(Finding::fail(
            CHECK,
            format!("{role} may not make tables in the schema {schema}"),
            format!("as its owner: GRANT CREATE ON SCHEMA {schema} TO {role};"),
        )),
        None => Some(Finding::fail(
            CHECK,
            format!("no schema on the `search_path` of {role} can be used"),
            format!(
                "as the owner of the database: GRANT USAGE, CREATE ON SCHEMA public TO {role};"
            ),
        )),
    })
}

async fn of_tables(connection: &mut PgConnection) -> Result<Option<Finding>, StoreError> {
    let role = role(connection).await?;
    let refused: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c \
         WHERE c.relnamespace = (SELECT relnamespace FROM pg_class \
                                 WHERE oid = to_regclass('enhanced_entries')) \
         AND (c.relname LIKE 'gannet\\_%' OR c.relname = 'enhanced_entries') \
         AND c.relkind = 'r' \
         AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') \
                  AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) \
         ORDER BY c.relname",
    )
    .fetch_all(connection)
    .await
    .doing("read the rights of the role")?;
    Ok((!refused.is_empty()).then(|| {
        let tables = refused.join(", ");
        Finding::fail(
            CHECK,
            format!("{role} may not read and write {tables}"),
            format!("as their owner: GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {role};"),
        )
    }))
}

async fn role(connection: &mut PgConnection) -> Result<String, StoreError> {
    sqlx::query_scalar("SELECT quote_ident(current_user)")
        .fetch_one(connection)
        .await
        .doing("read the role")
}
