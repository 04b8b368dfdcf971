//! What is wrong, and what to do about it.

use gannet_api::PluginKind;
use gannet_registry::Catalog;
use gannet_registry::loading::FileReport;
use gannet_store::{Finding, Health, StatusCounts, Store, StoreOptions, Summary, counted};

use crate::config::{Config, ConfigError, ConfigErrors, Loaded, Source, StoreParts};
use crate::store_options::store_options;
use crate::{Gannet, delivery, digests, disk};

/// Looks at everything that a configuration needs: itself, the plugins, the
/// store with its indexes, the models. What fails is a finding; nothing is
/// changed: no store is made, migrated or rebuilt. `deep` also reads every
/// byte of a store's folder.
pub async fn examine(configuration: &Result<Loaded, ConfigErrors>, deep: bool) -> Vec<Finding> {
    match configuration {
        Ok(loaded) => examine_loaded(loaded, deep).await,
        Err(errors) => errors.iter().map(mistake).collect(),
    }
}

/// Compares the indexes of the configuration's store with its records, without
/// changing anything, see [`Store::verify`].
pub async fn verify(config: &Config, deep: bool) -> Vec<Finding> {
    Store::verify(&store_options(&config.store), deep).await
}

fn mistake(error: &ConfigError) -> Finding {
    let advice = "run `gannet config validate`, which shows the position";
    Finding::fail("configuration", error.to_string(), advice)
}

async fn examine_loaded(loaded: &Loaded, deep: bool) -> Vec<Finding> {
    let mut config = loaded.config.clone();
    // A plugin may change the current directory of the process.
    config.make_paths_absolute();
    let config = &config;
    let mut findings = configuration(loaded);
    let catalog = match Gannet::catalog(config) {
        Ok((catalog, files)) => {
            findings.extend(plugins(&catalog));
            findings.extend(files.iter().filter_map(refused_file));
            Some(catalog)
        }
        Err(error) => {
            let advice = "run `gannet config validate`, which shows the position";
            findings.push(Finding::fail("plugins", error.to_string(), advice));
            None
        }
    };
    let options = store_options(&config.store);
    findings.push(parts(config));
    let store = Store::examine(&options).await;
    let can_be_read = is_there(&options, config) && store.iter().all(is_fit_for_reading);
    findings.extend(store);
    if is_there(&options, config) {
        findings.extend(disk::examine(&config.store.path));
    }
    if can_be_read {
        if has_folder(&options, config) {
            findings.extend(Store::verify(&options, deep).await);
        }
        findings.extend(contents(&options, config, catalog.as_deref()).await);
        findings.extend(digests::findings(&options, config).await);
        findings.extend(delivery::findings(&options, config).await);
    }
    findings
}

/// Broken or missing indexes do not keep a store from being read.
fn is_fit_for_reading(finding: &Finding) -> bool {
    match finding.check.as_str() {
        "index" => true,
        "schema" => finding.health == Health::Ok,
        _ => finding.health != Health::Fail,
    }
}

/// Whether there is a folder, where one is needed: opening would make it.
fn is_there(options: &StoreOptions, config: &Config) -> bool {
    !matches!(options, StoreOptions::Embedded(_)) || has_folder(options, config)
}

fn has_folder(options: &StoreOptions, config: &Config) -> bool {
    !matches!(options, StoreOptions::Postgres(_)) && config.store.path.join("store.db").exists()
}

fn configuration(loaded: &Loaded) -> Vec<Finding> {
    let check = "configuration";
    let mut files: Vec<String> = loaded
        .origins
        .sources()
        .filter(|source| **source != Source::BuiltIn)
        .map(ToString::to_string)
        .collect();
    files.dedup();
    let message = match files.is_empty() {
        true => "the one that is built in".to_owned(),
        false => files.join(", "),
    };
    let notices = loaded.notices.iter();
    let notices = notices.map(|notice| {
        let advice = "remove it from the file, or ignore this";
        Finding::warn(check, notice.clone(), advice)
    });
    std::iter::once(Finding::ok(check, message))
        .chain(notices)
        .collect()
}

fn parts(config: &Config) -> Finding {
    let StoreParts {
        records,
        text,
        vectors,
    } = config.store.parts();
    let message = format!("records: {records}, text: {text}, vectors: {vectors}");
    Finding::ok("parts", message)
}

fn plugins(catalog: &Catalog) -> Vec<Finding> {
    let check = "plugins";
    let left_out = catalog.left_out();
    if left_out.is_empty() {
        return vec![Finding::ok(check, "all enabled plugins can be created")];
    }
    left_out
        .iter()
        .map(|reason| {
            let advice = "fix or disable it; `gannet plugins list` shows all plugins";
            Finding::warn(check, format!("disabled: {reason}"), advice)
        })
        .collect()
}

fn refused_file(file: &FileReport) -> Option<Finding> {
    let reason = file.reason.as_ref()?;
    Some(Finding::warn(
        "plugins",
        format!("{} is not loaded: {reason}", file.file),
        "run `gannet plugins inspect FILE` on it",
    ))
}

/// What is in the store, and what the plugins still have to do with it.
async fn contents(
    options: &StoreOptions,
    config: &Config,
    catalog: Option<&Catalog>,
) -> Vec<Finding> {
    let modules: Vec<String> = match catalog {
        Some(catalog) => catalog.names(PluginKind::Enhancer),
        None => Vec::new(),
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    let embedder = catalog.and_then(|catalog| catalog.embedder(&config.embedding.provider));
    let model = embedder.map(|embedder| embedder.model().name);
    let summary = match Store::summary(options, &modules, model.as_deref()).await {
        Ok(summary) => summary,
        Err(error) => {
            let advice = "run `gannet index verify --deep`, which looks at every part";
            return vec![Finding::fail("store", error.to_string(), advice)];
        }
    };
    let mut findings = vec![entries(summary.entries)];
    if let Some(catalog) = catalog {
        findings.push(embedder_of(config, catalog, &summary));
    }
    let waiting = summary.enhancement.iter();
    findings.extend(waiting.map(|(module, counts)| waiting_for(module, *counts)));
    findings
}

fn entries(entries: u64) -> Finding {
    let message = counted(entries, "entry", "entries");
    match entries {
        0 => Finding::warn(
            "store",
            message,
            "run `gannet ingest FILE`, or `gannet quickstart` for a demo",
        ),
        _ => Finding::ok("store", message),
    }
}

fn embedder_of(config: &Config, catalog: &Catalog, summary: &Summary) -> Finding {
    let check = "embedder";
    let provider = &config.embedding.provider;
    let Some(embedder) = catalog.embedder(provider) else {
        return Finding::warn(
            check,
            format!("`{provider}` is not available; semantic search is off"),
            "see `embedding.provider` and `providers` in the configuration",
        );
    };
    let model = embedder.model();
    let name = format!(
        "{provider} ({}, {} dimensions)",
        model.name, model.dimension
    );
    match summary.without_vectors {
        0 => Finding::ok(check, name),
        missing => Finding::warn(
            check,
            format!(
                "no vectors of {name} for {missing} of {}",
                counted(summary.entries, "entry", "entries")
            ),
            "run `gannet enhance`",
        ),
    }
}

/// Entries that an enhancement module has not completed.
fn waiting_for(module: &str, counts: StatusCounts) -> Finding {
    let waiting = counts.pending + counts.failed;
    if waiting == 0 {
        return Finding::ok(module, "all entries are enhanced");
    }
    let message = format!(
        "{} pending, of which {} failed before",
        counted(waiting, "entry", "entries"),
        counts.failed
    );
    Finding::warn(module, message, "run `gannet enhance`")
}
