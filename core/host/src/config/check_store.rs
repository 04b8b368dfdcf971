//! The store: combinations of keys that cannot be, and the addresses of
//! databases with what their references stand for.

use std::collections::BTreeMap;

use super::database_uri::DatabaseUri;
use super::error::{ConfigError, ConfigErrorKind};
use super::folder_of;
use super::layer::Origins;
use super::model::{Adopt, Config, StoreConfig, StoreKind};
use super::store_parts::settle_parts;

const URI: &str = "store.uri";
const READ_URI: &str = "store.read_uri";
const ADOPT: &str = "store.adopt";
const CACHE: &str = "store.cache";

/// Makes the store's part of the configuration ready, and tells what is wrong
/// with it.
pub(crate) fn settle_store(
    config: &mut Config,
    origins: &Origins,
    variables: &BTreeMap<String, String>,
) -> Vec<ConfigError> {
    let store = &mut config.store;
    if let Err(error) = settle_parts(store, origins) {
        return vec![*error];
    }
    leave_ariels_database(store, origins);
    let errors = combinations(store, origins);
    if !errors.is_empty() {
        return errors;
    }
    let mut errors = Vec::new();
    for (key, uri) in [(URI, &mut store.uri), (READ_URI, &mut store.read_uri)] {
        let Some(written) = uri else {
            continue;
        };
        match resolved(key, written, origins, variables) {
            Ok(found) => *written = found,
            Err(error) => errors.push(*error),
        }
    }
    errors
}

/// An `ariel:` block names its database. Whoever chooses the embedded store,
/// or a database of their own, does not mean that one.
fn leave_ariels_database(store: &mut StoreConfig, origins: &Origins) {
    let names_it = origins.is_of_ariel(URI);
    if names_it && store.kind == StoreKind::Postgres {
        return;
    }
    if names_it {
        store.uri = None;
    }
    if origins.is_of_ariel(ADOPT) {
        store.adopt = Adopt::None;
    }
}

fn combinations(store: &StoreConfig, origins: &Origins) -> Vec<ConfigError> {
    let refuse = |key: &str, message: &str, help: &str| {
        let kind = ConfigErrorKind::InvalidValue;
        origins.error(kind, key, message, Some(help.to_owned()))
    };
    let mut errors = Vec::new();
    if store.kind == StoreKind::Embedded {
        let set = [
            (URI, store.uri.is_some()),
            (READ_URI, store.read_uri.is_some()),
            (ADOPT, store.adopt != Adopt::None),
            (CACHE, store.cache),
        ];
        for (key, _) in set.into_iter().filter(|(_, is_set)| *is_set) {
            errors.push(refuse(
                key,
                &format!("`{key}` applies to PostgreSQL only, and the store is embedded"),
                &format!("write `store.kind: postgres`, or leave `{key}` out"),
            ));
        }
        return errors;
    }
    if store.uri.is_none() {
        let key = match store.records {
            Some(_) => "store.records",
            None => "store.kind",
        };
        errors.push(refuse(
            key,
            "the store is in PostgreSQL, but `store.uri` is not set",
            "write `store.uri: postgres://USER@HOST/DATABASE`",
        ));
    }
    if store.adopt == Adopt::Ariel && store.cache {
        errors.push(refuse(
            CACHE,
            "`store.cache` and `store.adopt` exclude each other",
            "remove `store.cache`: the database of ARIEL is always searched in a replica",
        ));
    }
    if store.adopt == Adopt::Ariel && store.read_uri.is_some() {
        errors.push(refuse(
            READ_URI,
            "`store.read_uri` and `store.adopt` exclude each other",
            "set `store.uri` to the replica: nothing is written to the database of ARIEL",
        ));
    }
    errors
}

fn resolved(
    key: &str,
    uri: &DatabaseUri,
    origins: &Origins,
    variables: &BTreeMap<String, String>,
) -> Result<DatabaseUri, Box<ConfigError>> {
    // With the key as it is called where it was set.
    let refuse = |message: &dyn Fn(&str) -> String, help: Option<&str>| {
        let kind = ConfigErrorKind::InvalidValue;
        let mut error = origins.error(kind, key, "", help.map(str::to_owned));
        error.message = message(&error.key);
        Box::new(error)
    };
    let folder = folder_of(key, origins);
    let found = uri.resolve(variables, folder.as_deref());
    let found = found.map_err(|reason| refuse(&|key| format!("`{key}`: {reason}"), None))?;
    let is_postgres = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| found.reveal().starts_with(scheme));
    if is_postgres {
        return Ok(found);
    }
    Err(refuse(
        &|key| format!("`{key}` is not the address of a PostgreSQL database"),
        Some("write postgres://USER@HOST/DATABASE"),
    ))
}
