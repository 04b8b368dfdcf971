//! The store's keys: what belongs together, where an address can stand, and
//! that its password is never shown.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use gannet_core::config::{Adopt, ConfigErrors, LoadOptions, Loaded, StoreConfig, StoreKind, load};
// Linked, so that they can be named.
use {gannet_index_flat as _, gannet_index_tantivy as _};

fn load_in(folder: &Path, text: &str) -> Result<Loaded, ConfigErrors> {
    std::fs::write(folder.join("config.yml"), text).unwrap();
    load(LoadOptions {
        working_dir: folder.to_owned(),
        env: [("DB_PASSWORD".to_owned(), "s3cret".to_owned())].into(),
        ..LoadOptions::default()
    })
}

fn load_text(text: &str) -> Result<Loaded, ConfigErrors> {
    load_in(tempfile::tempdir().unwrap().path(), text)
}

fn store(text: &str) -> StoreConfig {
    load_text(text).unwrap().config.store
}

/// Without the folder in which the file stood.
fn refused(text: &str) -> String {
    let told = load_text(text).unwrap_err().to_string();
    let lines = told.lines();
    let lines = lines.map(|line| {
        line.rsplit_once("/config.yml")
            .map_or(line, |(_, rest)| rest)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_belongs_to_postgresql_is_refused_by_the_embedded_store() {
    assert_eq!(
        refused("store:\n  uri: postgres://localhost/gannet\n  cache: true\n"),
        ":2:8: `store.uri` applies to PostgreSQL only, and the store is embedded; \
         write `store.kind: postgres`, or leave `store.uri` out\n\
         :3:10: `store.cache` applies to PostgreSQL only, and the store is embedded; \
         write `store.kind: postgres`, or leave `store.cache` out"
    );
    assert!(refused("store: {adopt: ariel}\n").contains("`store.adopt` applies to PostgreSQL"));
    assert!(refused("store: {read_uri: postgres://h/d}\n").contains("`store.read_uri`"));
}

#[test]
fn postgresql_needs_an_address() {
    assert_eq!(
        refused("store: {kind: postgres}\n"),
        ":1:15: the store is in PostgreSQL, but `store.uri` is not set; \
         write `store.uri: postgres://USER@HOST/DATABASE`"
    );
}

#[test]
fn ariel_s_database_has_its_copy_already_and_is_read_alone() {
    let ariel = "kind: postgres, uri: postgres://h/ariel, adopt: ariel";
    let told = refused(&format!("store: {{{ariel}, cache: true}}\n"));
    assert!(told.contains("remove `store.cache`"), "{told}");
    let told = refused(&format!(
        "store: {{{ariel}, read_uri: postgres://r/ariel}}\n"
    ));
    assert!(told.contains("set `store.uri` to the replica"), "{told}");
}

#[test]
fn an_address_can_stand_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("uri"), "postgres://g:s3cret@h/d\n").unwrap();
    for uri in [
        "postgres://g:s3cret@h/d",
        "\"postgres://g:${DB_PASSWORD}@${DB_HOST:-h}/d\"",
        "{file: uri}",
    ] {
        let text = format!("store: {{kind: postgres, uri: {uri}}}\n");
        let store = load_in(folder.path(), &text).unwrap().config.store;
        assert_eq!(store.uri.unwrap().reveal(), "postgres://g:s3cret@h/d");
    }
    let by_variable = load(LoadOptions {
        env: [
            ("GANNET__STORE__KIND", "postgres"),
            ("GANNET__STORE__URI__ENV", "THE_DATABASE"),
            ("THE_DATABASE", "postgres://g@h/d"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        ..LoadOptions::default()
    });
    let store = by_variable.unwrap().config.store;
    assert_eq!(store.uri.unwrap().reveal(), "postgres://g@h/d");
}

#[test]
fn an_address_that_is_not_there_is_told() {
    let told = refused("store: {kind: postgres, uri: {env: NOT_SET}}\n");
    assert!(
        told.contains("`store.uri`: the environment variable NOT_SET is not set"),
        "{told}"
    );
    let told = refused("store: {kind: postgres, uri: {file: nowhere}}\n");
    assert!(told.contains("nowhere"), "{told}");
    let told = refused("store: {kind: postgres, uri: {evn: NAME}}\n");
    assert!(told.contains("did you mean `env`?"), "{told}");
}

#[test]
fn variables_of_dotenv_can_be_referred_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "DB_USER=facility\n").unwrap();
    let text = "store: {kind: postgres, uri: 'postgres://${DB_USER}@h/d'}\n";
    let store = load_in(folder.path(), text).unwrap().config.store;
    assert_eq!(store.uri.unwrap().reveal(), "postgres://facility@h/d");
}

#[test]
fn the_password_is_never_shown() {
    let text = "store:\n  kind: postgres\n  uri: postgres://g:s3cret@h/d\n  \
                read_uri: postgres://g:${DB_PASSWORD}@r/d\n";
    let loaded = load_text(text).unwrap();
    for shown in [
        loaded.show(true),
        loaded.show(false),
        format!("{:?}", loaded.config),
        serde_json::to_string(&loaded.config).unwrap(),
    ] {
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(shown.contains("postgres://g:***@r/d"), "{shown}");
    }
    for mistaken in [
        "store: postgres://g:s3cret@h/d\n",
        "store:\n  path: [postgres://g:s3cret@h/d]\n",
        "store:\n  kind: postgres://g:s3cret@h/d\n",
        "store:\n  kind: postgres\n  uri: mysql://g:s3cret@h/d\n",
        "store:\n  kind: postgres\n  uri: [postgres://g:s3cret@h/d]\n",
        "store:\n  max_connections: postgres://g:s3cret@h/d\n",
        "store: \"host=h password='a s3cret' dbname=d\"\n",
        "store:\n  kind: \"host=h password = 'a s3cret' dbname=d\"\n",
        "store:\n  kind: postgres\n  uri: \"host=h password='a s3cret' dbname=d\"\n",
        "store:\n  max_connections: \"host=h password='a s3cret' dbname=d\"\n",
    ] {
        let told = refused(mistaken);
        assert!(!told.contains("s3cret"), "{told}");
    }
}

#[test]
fn limits_have_their_defaults_and_bounds() {
    let text = "store: {kind: postgres, uri: postgres://h/d, max_connections: 30}\n";
    let limits = store(text);
    assert_eq!(
        (
            limits.max_connections,
            limits.connect_timeout_seconds,
            limits.statement_timeout_seconds
        ),
        (30, 10, 60)
    );
    let told = refused("store: {connect_timeout_seconds: 0}\n");
    assert!(told.contains("must be at least 1"), "{told}");
}

/// `records/text/vectors` of a store, and its short form.
fn parts(text: &str) -> (String, (StoreKind, Adopt, bool)) {
    let store = store(text);
    let parts = store.parts();
    let names = format!("{}/{}/{}", parts.records, parts.text, parts.vectors);
    (names, (store.kind, store.adopt, store.cache))
}

#[test]
fn the_parts_of_a_store_and_their_short_forms_are_the_same() {
    let uri = "uri: postgres://h/d";
    for (by_parts, short, names) in [
        ("records: sqlite", "path: x", "sqlite/tantivy/flat"),
        (
            "text: tantivy, vectors: flat",
            "kind: embedded",
            "sqlite/tantivy/flat",
        ),
        (
            &*format!("records: postgres, {uri}"),
            &*format!("kind: postgres, {uri}"),
            "postgres/postgres/postgres",
        ),
        (
            &*format!("records: postgres, vectors: flat, {uri}"),
            &*format!("kind: postgres, cache: true, {uri}"),
            "postgres/tantivy/flat",
        ),
        (
            &*format!("records: ariel, {uri}"),
            &*format!("kind: postgres, adopt: ariel, {uri}"),
            "ariel/tantivy/flat",
        ),
    ] {
        let found = parts(&format!("store: {{{by_parts}}}\n"));
        assert_eq!(found, parts(&format!("store: {{{short}}}\n")), "{by_parts}");
        assert_eq!(found.0, names);
    }
    // What is shown has both ways, which say the same, and loads again.
    let text = format!("store: {{records: postgres, text: tantivy, {uri}}}\n");
    let shown = load_text(&text).unwrap().show(false);
    assert_eq!(parts(&shown), parts(&text));
}

#[test]
fn settings_of_a_vector_index_are_those_of_an_engine_that_has_some() {
    let settings = "vector_settings: {url: x}";
    let told = refused(&format!("store: {{vectors: flat, {settings}}}\n"));
    assert!(told.starts_with(":1:24:"), "{told}");
    assert!(told.contains("settings of the index `flat`"), "{told}");
    assert!(told.contains("`url` is set"), "{told}");
    assert!(refused(&format!("store: {{{settings}}}\n")).contains("index `flat`"));
    let in_database = format!("store: {{records: postgres, uri: postgres://h/d, {settings}}}\n");
    assert!(refused(&in_database).contains("the vectors are in the database"));
}

#[test]
fn parts_that_cannot_be_combined_are_refused_with_those_that_can() {
    let uri = "uri: postgres://h/d";
    for refused_parts in [
        format!("records: postgres, text: postgres, vectors: flat, {uri}"),
        format!("records: ariel, text: postgres, {uri}"),
        "vectors: postgres".to_owned(),
    ] {
        let told = refused(&format!("store: {{{refused_parts}}}\n"));
        assert!(told.contains("cannot be combined"), "{told}");
        assert!(
            told.contains("`records: postgres` with `text: postgres`"),
            "{told}"
        );
    }
    let told = refused("store: {text: lucene}\n");
    assert!(told.starts_with(":1:15:"), "{told}");
    assert!(told.contains("no text index named `lucene`"), "{told}");
    assert!(told.contains("which has: tantivy"), "{told}");
    for (key, both) in [
        (
            "store.kind",
            format!("kind: postgres, text: tantivy, {uri}"),
        ),
        (
            "store.kind",
            format!("kind: embedded, records: postgres, {uri}"),
        ),
        (
            "store.cache",
            format!("cache: true, records: postgres, {uri}"),
        ),
    ] {
        let told = refused(&format!("store: {{{both}}}\n"));
        assert!(
            told.contains(&format!("`{key}` says something else")),
            "{told}"
        );
        assert!(told.contains("not both"), "{told}");
    }
}
