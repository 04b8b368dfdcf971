//! `gannet status`: store contents and health.

use gannet_core::config::{Adopt, StoreKind};
use gannet_core::{DeliveryStatus, DigestStatus, SourceStatus, Status, WatchState};

use crate::arguments::{Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, DIM, HEADING, number, print_json, safe, table};
use crate::session;

/// Shows the status.
pub async fn run(common: &Common) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let status = gannet.status().await?;
    match common.format {
        Format::Table => print(&status, &Clock::of(&gannet)),
        format => print_json(&status, format)?,
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

fn print(status: &Status, clock: &Clock) {
    let place = match &status.database {
        Some(database) => database.clone(),
        None => status.path.display().to_string(),
    };
    outln!("{HEADING}{place}{HEADING:#}");
    let kind = match (status.kind, status.adopt) {
        (StoreKind::Embedded, _) => "embedded",
        (StoreKind::Postgres, Adopt::None) => "PostgreSQL",
        (StoreKind::Postgres, Adopt::Ariel) => "ARIEL's, in PostgreSQL",
    };
    let kind = match status.is_copied {
        true => format!("{kind}, with a replica in {}", status.path.display()),
        false => kind.to_owned(),
    };
    let mut rows = vec![
        vec!["store".to_owned(), kind],
        vec!["entries".to_owned(), status.entries.to_string()],
    ];
    rows.extend(parts(status));
    let troubles = [
        ("read-only", &status.store.read_only),
        ("text index", &status.store.text_trouble),
    ];
    for (name, reason) in troubles {
        let reason = reason.as_deref().map(|reason| safe(reason).into_owned());
        rows.extend(reason.map(|reason| vec![name.to_owned(), reason]));
    }
    if let Some(model) = &status.embedder {
        let mut text = format!(
            "{} ({}, {} dimensions)",
            model.provider, model.model, model.dimension
        );
        if model.entries_without_vectors > 0 {
            let missing = model.entries_without_vectors;
            text.push_str(&format!(
                "; no vectors of it for {}: run `gannet enhance`",
                number::count(missing, "entry", "entries")
            ));
        }
        rows.push(vec!["embedder".to_owned(), text]);
    }
    for (model, vectors) in &status.store.vectors {
        let with_tokens = status.store.token_vectors.get(model).copied();
        let text = match with_tokens.unwrap_or(0) {
            0 => vectors.to_string(),
            count => format!("{vectors}, with token vectors: {count}"),
        };
        rows.push(vec![format!("vectors {model}"), text]);
    }
    for (module, counts) in &status.enhancement {
        let text = format!(
            "{} complete, {} pending, {} failed",
            counts.complete, counts.pending, counts.failed
        );
        rows.push(vec![module.clone(), text]);
    }
    rows.push(vec![
        "search modules".to_owned(),
        status.search_modules.join(", "),
    ]);
    rows.push(vec!["pipelines".to_owned(), status.pipelines.join(", ")]);
    rows.push(vec!["adapters".to_owned(), status.adapters.join(", ")]);
    for file in status
        .plugin_files
        .iter()
        .filter(|file| file.reason.is_some())
    {
        let reason = safe(file.reason.as_deref().unwrap_or_default());
        rows.push(vec![
            "not loaded".to_owned(),
            format!("{}: {reason}", file.file),
        ]);
    }
    for reason in &status.left_out {
        rows.push(vec!["disabled".to_owned(), safe(reason).into_owned()]);
    }
    for source in &status.sources {
        let (name, text) = (format!("source {}", source.name), followed(source, clock));
        rows.push(vec![name, text]);
    }
    rows.extend(status.digests.iter().map(|one| scheduled(one, clock)));
    rows.extend(status.deliveries.iter().map(|one| delivery(one, clock)));
    if let Some(run) = &status.last_run {
        let text = format!(
            "{} {}: {} new, {} changed, {} unchanged, {} rejected",
            clock.second(run.started_at),
            run.source_system,
            run.outcome.added,
            run.outcome.updated,
            run.outcome.unchanged,
            run.outcome.rejected
        );
        rows.push(vec!["last ingestion".to_owned(), text]);
    }
    outln!("{}", table(&[], rows));
    outln!("{DIM}`gannet plugins list` shows all plugins{DIM:#}");
}

/// The records and the indexes over them, and how far each is.
fn parts(status: &Status) -> [Vec<String>; 3] {
    let (parts, store) = (&status.parts, &status.store);
    let at = |engine: &dyn std::fmt::Display, applied: i64| match store.lag(applied) {
        0 => format!("{engine}, at change {applied}"),
        lag => format!("{engine}, at change {applied}, {lag} behind"),
    };
    let vectors = store.vector_sequences.values().min();
    [
        ("records", at(&parts.records, store.sequence)),
        ("text", at(&parts.text, store.text_sequence)),
        (
            "vectors",
            vectors.map_or(parts.vectors.clone(), |applied| {
                at(&parts.vectors, *applied)
            }),
        ),
    ]
    .map(|(name, text)| vec![name.to_owned(), text])
}

/// When a digest was made, and when it is made next.
fn scheduled(digest: &DigestStatus, clock: &Clock) -> Vec<String> {
    let time = |time: Option<_>| time.map_or("never".to_owned(), |time| clock.second(time));
    let mut text = format!("last {}; next {}", time(digest.last), time(digest.next));
    if let Some(due) = digest.due {
        text.push_str(&format!("; due since {}", clock.second(due)));
    }
    vec![format!("digest {}", digest.name), text]
}

/// How a delivery is.
fn delivery(delivery: &DeliveryStatus, clock: &Clock) -> Vec<String> {
    let report = &delivery.report;
    let last = report.last_delivered.map(|time| clock.second(time));
    let mut text = format!(
        "{}; {} delivered, the last {}; {} pending, {} given up",
        delivery.kind,
        report.delivered,
        last.as_deref().unwrap_or("never"),
        delivery.pending,
        report.given_up,
    );
    if let Some(error) = &report.error {
        text.push_str(&format!("; {}", safe(error)));
    }
    vec![format!("delivery {}", delivery.name), text]
}

/// How a source that is followed is.
fn followed(source: &SourceStatus, clock: &Clock) -> String {
    let Some(report) = &source.report else {
        return format!("{}; not followed yet", source.adapter);
    };
    let state = match report.state {
        WatchState::Waiting | WatchState::Polling => "followed",
        WatchState::Elsewhere => "followed by another process",
        WatchState::NotIngested => "waits for its first `gannet ingest`",
        WatchState::GivenUp => "given up",
        WatchState::Once => "polled once",
        WatchState::Stopped => "not followed any more",
    };
    let last = report.last_success.map(|time| clock.second(time));
    let mut text = format!(
        "{}; {state}; last read {}",
        source.adapter,
        last.as_deref().unwrap_or("never")
    );
    if report.consecutive_failures > 0 {
        let failures = u64::from(report.consecutive_failures);
        let reason = report.error.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "; {} in a row: {}",
            number::count(failures, "failure", "failures"),
            safe(reason)
        ));
    }
    text
}
