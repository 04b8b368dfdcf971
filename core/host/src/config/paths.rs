//! Paths of the configuration: from the folder of the file that sets them,
//! and absolute, so that they hold whatever the process's current directory
//! becomes.

use std::path::{Path, PathBuf};

use super::folder_of;
use super::layer::Origins;
use super::model::Config;
use super::server::TracesConfig;

/// Every path of a configuration, with its key.
fn paths(config: &mut Config) -> Vec<(&'static str, &mut PathBuf)> {
    let mut paths = vec![("store.path", &mut config.store.path)];
    let dirs = config.plugins.dynamic.dirs.iter_mut();
    paths.extend(dirs.map(|dir| ("plugins.dynamic.dirs", dir)));
    let files = [
        ("ingestion.reject_file", &mut config.ingestion.reject_file),
        ("vocabulary.path", &mut config.vocabulary.path),
        ("prompts.dir", &mut config.prompts.dir),
        ("question_log.path", &mut config.question_log.path),
        ("server.auth.keys_file", &mut config.server.auth.keys_file),
        (
            "server.auth.jwt.jwks_file",
            &mut config.server.auth.jwt.jwks_file,
        ),
        ("server.audit_log.path", &mut config.server.audit_log.path),
        ("server.query_log.path", &mut config.server.query_log.path),
    ];
    let set = files
        .into_iter()
        .filter_map(|(key, file)| Some((key, file.as_mut()?)));
    paths.extend(set);
    paths
}

/// Takes relative paths from the folder of the file that sets them.
pub(super) fn from_folders(config: &mut Config, origins: &Origins) {
    for (key, path) in paths(config) {
        if let Some(folder) = folder_of(key, origins) {
            *path = folder.join(&*path);
        }
    }
    for (name, file) in secret_files(&mut config.server.traces) {
        let key = format!("server.traces.{name}");
        let written = folder_of(&format!("{key}.file"), origins);
        if let Some(folder) = written.or_else(|| folder_of(&key, origins)) {
            *file = folder.join(&*file);
        }
    }
    for (key, path) in deliveries(config) {
        let folder = folder_of(&key, origins);
        let parent = key.rsplit_once('.').map(|(parent, _)| parent);
        if let Some(folder) = folder.or_else(|| folder_of(parent?, origins)) {
            *path = folder.join(&*path);
        }
    }
    for (key, source) in sources(config) {
        if let Some(folder) = folder_of(&key, origins) {
            *source = folder.join(&*source).to_string_lossy().into_owned();
        }
    }
}

impl Config {
    /// Takes relative paths from the current directory.
    pub(crate) fn make_paths_absolute(&mut self) {
        for (_, path) in paths(self) {
            *path = absolute(path);
        }
        for (_, file) in secret_files(&mut self.server.traces) {
            *file = absolute(file);
        }
        for (_, path) in deliveries(self) {
            *path = absolute(path);
        }
        for (_, source) in sources(self) {
            *source = absolute(Path::new(source)).to_string_lossy().into_owned();
        }
    }
}

/// The paths of deliveries, with their keys.
fn deliveries(config: &mut Config) -> Vec<(String, &mut PathBuf)> {
    let all = config.deliveries.iter_mut().flat_map(|(name, delivery)| {
        let paths = delivery.paths_mut().into_iter();
        paths.map(move |(key, path)| (format!("deliveries.{name}.{key}"), path))
    });
    all.collect()
}

/// The sources of ingestion that are files or folders, with their keys.
fn sources(config: &mut Config) -> Vec<(String, &mut String)> {
    let ingestion = &mut config.ingestion;
    let default = ingestion.source_url.as_mut();
    let default = default.map(|source| ("ingestion.source_url".to_owned(), source));
    let followed = ingestion.sources.iter_mut().filter_map(|(name, source)| {
        let key = format!("ingestion.sources.{name}.source_url");
        Some((key, source.source_url.as_mut()?))
    });
    let all = default.into_iter().chain(followed);
    all.filter(|(_, source)| is_path(source)).collect()
}

/// The files with the headers of traces, by their keys below `server.traces`.
fn secret_files(traces: &mut TracesConfig) -> Vec<(String, &mut PathBuf)> {
    let headers = traces.headers.iter_mut();
    let headers = headers.map(|(name, secret)| (format!("headers.{name}"), secret));
    let list = traces.header_list.iter_mut();
    let list = list.map(|secret| ("header_list".to_owned(), secret));
    let all = headers.chain(list);
    all.filter_map(|(key, secret)| Some((key, secret.path_mut()?)))
        .collect()
}

fn is_path(source: &str) -> bool {
    !source.is_empty() && !source.contains("://")
}

/// The path from the current directory. It stays as it is where that is not
/// known, which is so when it was removed, and where it is empty.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
