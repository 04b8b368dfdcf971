//! Opens the host with the configuration and options of the command line.

use std::path::Path;

use gannet_core::Gannet;
use gannet_core::config::{self, LoadOptions, Loaded, StoreConfig, StoreKind};

use crate::arguments::Common;
use crate::failure::Failure;

/// Reads all layers of the configuration, options last.
pub fn configuration(common: &Common, more: &[(&str, String)]) -> Result<Loaded, Failure> {
    let loaded = config::load(load_options(common, more)?)?;
    for notice in &loaded.notices {
        tracing::warn!("{notice}");
    }
    Ok(loaded)
}

/// The sources of the configuration.
pub fn load_options(common: &Common, more: &[(&str, String)]) -> Result<LoadOptions, Failure> {
    let mut overrides = Vec::new();
    if let Some(folder) = &common.data {
        let Some(folder) = folder.to_str() else {
            return Err(Failure::usage("--data: the path is not valid UTF-8"));
        };
        overrides.push(("store.path".to_owned(), folder.to_owned()));
    }
    for (key, value) in more {
        overrides.push(((*key).to_owned(), value.clone()));
    }
    Ok(LoadOptions::of_process(common.config.clone(), overrides))
}

/// The same sources wherever the process is later: a plugin may change its
/// current directory.
pub fn lasting_options(common: &Common, more: &[(&str, String)]) -> Result<LoadOptions, Failure> {
    let mut sources = load_options(common, more)?;
    sources.working_dir = std::env::current_dir()?;
    if let Some(file) = &mut sources.config_file {
        *file = std::path::absolute(&*file)?;
    }
    Ok(sources)
}

/// Settings for a database without a replica, in both ways: whichever the
/// configuration uses, it says the same.
pub fn in_database(uri: &str) -> [(&'static str, String); 8] {
    [
        ("store.records", "postgres".to_owned()),
        ("store.text", "postgres".to_owned()),
        ("store.vectors", "postgres".to_owned()),
        ("store.kind", "postgres".to_owned()),
        ("store.uri", uri.to_owned()),
        ("store.read_uri", uri.to_owned()),
        ("store.adopt", "none".to_owned()),
        ("store.cache", "false".to_owned()),
    ]
}

/// Opens the host with an existing store. A mistyped folder is an error, not an
/// empty store.
pub async fn open_existing(common: &Common) -> Result<Gannet, Failure> {
    open_existing_with(common, &[]).await
}

/// The same, with settings from options.
pub async fn open_existing_with(
    common: &Common,
    more: &[(&str, String)],
) -> Result<Gannet, Failure> {
    let loaded = configuration(common, more)?;
    check_folder(&loaded)?;
    open_as(loaded).await
}

/// Opens the host for a service, with settings from options. A folder that is
/// there and empty becomes a new store, since entries can come over HTTP.
pub async fn open_for_service(common: &Common, more: &[(&str, String)]) -> Result<Gannet, Failure> {
    let loaded = configuration(common, more)?;
    check_folder_of_service(&loaded)?;
    open_as(loaded).await
}

/// Refuses a missing embedded store, but not the empty folder of a service that
/// is still to be started.
pub fn check_folder_of_service(loaded: &Loaded) -> Result<(), Failure> {
    match is_empty_folder(&loaded.config.store.path) {
        true => Ok(()),
        false => check_folder(loaded),
    }
}

/// Whether nothing was stored in a folder yet. What a new file system has, the
/// lock of a store that was not made to its end, and keys that were made before
/// the store count for nothing.
pub fn is_empty_folder(folder: &Path) -> bool {
    const NOTHING: [&str; 4] = ["lost+found", "open.lock", "keys.json", "keys.json.lock"];
    let Ok(mut entries) = folder.read_dir() else {
        return false;
    };
    entries.all(|entry| {
        entry.is_ok_and(|entry| NOTHING.iter().any(|name| entry.file_name() == **name))
    })
}

/// Refuses a missing embedded store.
pub fn check_folder(loaded: &Loaded) -> Result<(), Failure> {
    check_store(&loaded.config.store)
}

/// The same, of the store alone.
pub fn check_store(store: &StoreConfig) -> Result<(), Failure> {
    let folder = &store.path;
    let is_there = folder.is_file() || folder.join("store.db").exists();
    if store.kind == StoreKind::Postgres || is_there {
        return Ok(());
    }
    Err(Failure::store(format!(
        "there is no store in {}; create one with `gannet quickstart` or `gannet ingest FILE`",
        folder.display()
    )))
}

/// Opens the host; a missing store is created.
pub async fn open(common: &Common) -> Result<Gannet, Failure> {
    open_as(configuration(common, &[])?).await
}

/// Opens the host with this configuration.
pub async fn open_as(loaded: Loaded) -> Result<Gannet, Failure> {
    Gannet::open(loaded.config.clone())
        .await
        .map_err(|error| Failure::from(error).located(&loaded))
}
