//! What is wrong, and what to do about it.

use gannet_api::PluginKind;
use gannet_registry::loading::FileReport;
use gannet_store::{Finding, Health, Store, StoreOptions, StoreStats};

use crate::config::{ConfigError, ConfigErrors, Loaded, Source};
use crate::store_options::store_options;
use crate::{Gannet, HostError, Status};

/// Looks at everything that a configuration needs: itself, the store, the
/// plugins, the models. What fails is a finding; nothing is changed. A store
/// that is not there yet is not made.
pub async fn examine(configuration: &Result<Loaded, ConfigErrors>) -> Vec<Finding> {
    match configuration {
        Ok(loaded) => examine_loaded(loaded).await,
        Err(errors) => errors.iter().map(mistake).collect(),
    }
}

fn mistake(error: &ConfigError) -> Finding {
    let advice = "run `gannet config validate`, which shows the position";
    Finding::fail("configuration", error.to_string(), advice)
}

async fn examine_loaded(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = configuration(loaded);
    findings.extend(plugins(loaded));
    let options = store_options(&loaded.config.store);
    let store = Store::examine(&options).await;
    let can_be_opened =
        is_there(&options, loaded) && store.iter().chain(&findings).all(is_fit_for_opening);
    findings.extend(store);
    if can_be_opened {
        findings.extend(from_within(loaded).await);
    }
    findings
}

/// Broken or missing indexes do not keep a store from being opened.
fn is_fit_for_opening(finding: &Finding) -> bool {
    match finding.check.as_str() {
        "index" => true,
        "schema" => finding.health == Health::Ok,
        _ => finding.health != Health::Fail,
    }
}

/// Whether there is a folder, where one is needed: opening would make it.
fn is_there(options: &StoreOptions, loaded: &Loaded) -> bool {
    !matches!(options, StoreOptions::Embedded(_))
        || loaded.config.store.path.join("store.db").exists()
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

fn plugins(loaded: &Loaded) -> Vec<Finding> {
    let check = "plugins";
    match Gannet::check(&loaded.config) {
        Err(error) => vec![Finding::fail(
            check,
            error.to_string(),
            "run `gannet config validate`, which shows the position",
        )],
        Ok(left_out) if left_out.is_empty() => {
            vec![Finding::ok(check, "all enabled plugins can be created")]
        }
        Ok(left_out) => left_out
            .iter()
            .map(|reason| {
                let advice = "fix or disable it; `gannet plugins list` shows all plugins";
                Finding::warn(check, format!("left out: {reason}"), advice)
            })
            .collect(),
    }
}

/// What only the open store can tell.
async fn from_within(loaded: &Loaded) -> Vec<Finding> {
    match look_within(loaded).await {
        Ok(findings) => findings,
        Err(error) => vec![Finding::fail(
            "store",
            error.to_string(),
            "run `gannet status`, which shows more",
        )],
    }
}

async fn look_within(loaded: &Loaded) -> Result<Vec<Finding>, HostError> {
    let gannet = Gannet::open(loaded.config.clone()).await?;
    let status = gannet.status().await?;
    let mut findings = vec![entries(&status.store)];
    findings.extend(status.plugin_files.iter().filter_map(refused_file));
    findings.extend(behind(&status.store));
    findings.push(model(&gannet, &status));
    findings.extend(waiting(&gannet, &status).await?);
    gannet.close().await?;
    Ok(findings)
}

fn entries(stats: &StoreStats) -> Finding {
    let message = format!("{} entries", stats.entries);
    match stats.entries {
        0 => Finding::warn(
            "store",
            message,
            "run `gannet ingest FILE`, or `gannet quickstart` for a demo",
        ),
        _ => Finding::ok("store", message),
    }
}

fn refused_file(file: &FileReport) -> Option<Finding> {
    let reason = file.reason.as_ref()?;
    Some(Finding::warn(
        "plugins",
        format!("{} is not loaded: {reason}", file.file),
        "run `gannet plugins inspect FILE` on it",
    ))
}

/// Indexes that follow the records, where they are apart from them.
fn behind(stats: &StoreStats) -> Vec<Finding> {
    let check = "search indexes";
    let positions = stats
        .vector_sequences
        .iter()
        .map(|(model, position)| (format!("vectors of {model}"), *position))
        .chain([("text".to_owned(), stats.text_sequence)]);
    let late = positions
        .filter(|(_, position)| *position < stats.sequence)
        .map(|(index, position)| {
            let message = format!("{index}: at change {position} of {}", stats.sequence);
            let advice = match stats.writer {
                true => "wait and check again: it catches up by itself",
                false => "another process writes it: wait, and check the log of that process",
            };
            Finding::warn(check, message, advice)
        });
    let failures = stats.vector_failures.iter().map(|(model, reason)| {
        let message = format!("vectors of {model} cannot be searched: {reason}");
        Finding::fail(
            check,
            message,
            "fix the cause; `gannet index rebuild` rebuilds them",
        )
    });
    let found: Vec<Finding> = late.into_iter().chain(failures).collect();
    match found.is_empty() {
        true => vec![Finding::ok(check, "current")],
        false => found,
    }
}

fn model(gannet: &Gannet, status: &Status) -> Finding {
    let check = "embedder";
    let Some(model) = &status.embedder else {
        let provider = gannet.services().default_embedder();
        return Finding::warn(
            check,
            format!("`{provider}` is not available; semantic search is off"),
            "see `embedding.provider` and `providers` in the configuration",
        );
    };
    let name = format!(
        "{} ({}, {} dimensions)",
        model.provider, model.model, model.dimension
    );
    match model.entries_without_vectors {
        0 => Finding::ok(check, name),
        missing => Finding::warn(
            check,
            format!(
                "{missing} of {} entries have no vectors of {name}",
                status.entries
            ),
            "run `gannet enhance`",
        ),
    }
}

/// Entries that enhancement modules have not completed.
async fn waiting(gannet: &Gannet, status: &Status) -> Result<Vec<Finding>, HostError> {
    let mut findings = Vec::new();
    for module in gannet.services().catalog().names(PluginKind::Enhancer) {
        let waiting = gannet.store().pending_count(module).await?;
        let failed = status
            .enhancement
            .get(module)
            .map_or(0, |counts| counts.failed);
        if waiting == 0 {
            findings.push(Finding::ok(module, "all entries are enhanced"));
            continue;
        }
        let message = format!("{waiting} entries pending, {failed} of them failed before");
        findings.push(Finding::warn(module, message, "run `gannet enhance`"));
    }
    Ok(findings)
}
