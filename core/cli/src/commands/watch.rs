//! `gannet watch`: reads sources again and again.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use gannet_core::config::{self, LoadOptions};
use gannet_core::{
    Gannet, HostError, SourceReport, Stop, Watch, WatchBoard, WatchEvent, WatchOptions,
    WatchedSource,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::arguments::{Common, Format, WatchArguments};
use crate::commands::enhance::print_enhancement;
use crate::commands::ingest::{enhance_all, has_records_ending, only_adapter};
use crate::failure::{Exit, Failure};
use crate::hangups::Hangups;
use crate::render::{DIM, GOOD, WARNING, number, print_json, safe};
use crate::{session, signals};

/// The host of the configuration of now.
type Current = Arc<RwLock<Gannet>>;

/// Follows the sources until Ctrl-C or SIGTERM, or polls each once.
pub async fn run(common: &Common, mut wanted: WatchArguments) -> Result<Exit, Failure> {
    wanted.once |= wanted.dry_run;
    let sources = session::lasting_options(common, &[])?;
    let gannet = session::open(common).await?;
    let store = gannet.store().clone();
    let stop = signals::stop_after("this batch");
    let (sender, events) = mpsc::unbounded_channel();
    let options = WatchOptions {
        once: wanted.once,
        dry_run: wanted.dry_run,
        // The receiver lives as long as the watch.
        on_event: Arc::new(move |event| drop(sender.send(event))),
    };
    let (board, current) = (WatchBoard::default(), Arc::new(RwLock::new(gannet)));
    let selection = selection(&wanted);
    let host = current.clone();
    let watch = Watch::new(move || now(&host), selection, board.clone(), options);
    let mut shown = Shown {
        format: common.format,
        enhances: !wanted.no_enhance && !wanted.dry_run,
        current: current.clone(),
        stop: stop.clone(),
    };
    let reloads = Reloads {
        current,
        sources,
        board: board.clone(),
        hangups: Hangups::new()?,
    };
    let given_up = tokio::select! {
        given_up = shown.while_running(events, watch.run(&stop)) => given_up?,
        () = reloads.run() => Vec::new(),
    };
    drop(shown);
    store.close().await?;
    refuse_failures(&given_up, &board.reports())?;
    Ok(Exit::unless(&stop))
}

/// The sources that are named, or all of the configuration.
fn selection(
    wanted: &WatchArguments,
) -> impl Fn(&Gannet) -> Result<Vec<WatchedSource>, HostError> + Send + Sync + 'static {
    let (names, adapter) = (wanted.sources.clone(), wanted.adapter.clone());
    let interval = wanted.interval.map(Duration::from_secs);
    move |gannet| {
        let sources = match names.is_empty() {
            true => gannet.watched_sources(&[])?,
            false => names
                .iter()
                .map(|name| source(gannet, name, adapter.clone()))
                .collect::<Result<_, _>>()?,
        };
        let every = |source: WatchedSource| match interval {
            Some(interval) => source.every(interval),
            None => source,
        };
        Ok(sources.into_iter().map(every).collect())
    }
}

/// A source of the configuration or, where none has this name, a file, a
/// folder or an address.
fn source(
    gannet: &Gannet,
    name: &str,
    adapter: Option<String>,
) -> Result<WatchedSource, HostError> {
    let is_name = gannet.config().ingestion.sources.contains_key(name);
    let is_place =
        adapter.is_some() || has_records_ending(name) || name.contains("://") || name.contains('/');
    if is_name || !is_place {
        let mut named = gannet.watched_sources(&[name.to_owned()])?;
        if let Some(source) = named.pop() {
            return Ok(source);
        }
    }
    let adapter = match adapter {
        Some(adapter) => Some(adapter),
        None => only_adapter(gannet, name)?,
    };
    Ok(gannet.unnamed_source(adapter, name.to_owned()))
}

fn now(current: &Current) -> Gannet {
    // An assignment leaves no half of a host behind.
    current
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// A source that was given up is a failure of the command, which may run under
/// a supervisor.
fn refuse_failures(
    given_up: &[String],
    reports: &BTreeMap<String, SourceReport>,
) -> Result<(), Failure> {
    let Some(first) = given_up.first() else {
        return Ok(());
    };
    let reason = reports.get(first).and_then(|report| report.error.clone());
    Err(Failure::store(format!(
        "{} failed: `{first}`: {}",
        number::count(given_up.len() as u64, "source", "sources"),
        reason.unwrap_or_else(|| "no reason was given".to_owned())
    )))
}

/// Shows what happens, and enhances what comes in.
struct Shown {
    format: Format,
    enhances: bool,
    current: Current,
    stop: Stop,
}

impl Shown {
    /// Until the watch ends, and what it told is shown.
    async fn while_running(
        &mut self,
        mut events: mpsc::UnboundedReceiver<WatchEvent>,
        watch: impl Future<Output = Result<Vec<String>, HostError>>,
    ) -> Result<Vec<String>, Failure> {
        let mut watch = std::pin::pin!(watch);
        let given_up = loop {
            tokio::select! {
                ended = &mut watch => break ended?,
                Some(event) = events.recv() => self.show(event).await?,
            }
        };
        while let Ok(event) = events.try_recv() {
            self.show(event).await?;
        }
        Ok(given_up)
    }

    async fn show(&self, event: WatchEvent) -> Result<(), Failure> {
        match self.format {
            Format::Table => print(&event),
            format => print_json(&as_json(&event), format)?,
        }
        // Also what failed before and is due again.
        let was_read = matches!(event, WatchEvent::Polled { .. });
        if !was_read || !self.enhances || self.stop.is_raised() {
            return Ok(());
        }
        let mut done = enhance_all(&now(&self.current), &self.stop).await?;
        done.retain(|report| report.completed + report.failed > 0);
        match self.format {
            Format::Table => print_enhancement(&done),
            _ if done.is_empty() => {}
            format => print_json(&json!({ "enhanced": done }), format)?,
        }
        Ok(())
    }
}

fn print(event: &WatchEvent) {
    match event {
        WatchEvent::Polled { source, report } => {
            let counts = &report.counts;
            outln!(
                "{GOOD}{}{GOOD:#} {} new, {} changed, {} unchanged, {} deleted, {} rejected \
                 {DIM}in {:.1} s{DIM:#}",
                safe(source),
                counts.added,
                counts.updated,
                counts.unchanged,
                counts.deleted,
                counts.rejected,
                report.elapsed.as_secs_f64(),
            );
        }
        WatchEvent::Failed { source, error } => {
            outln!(
                "{WARNING}{}{WARNING:#} failed: {}",
                safe(source),
                safe(error)
            );
        }
        WatchEvent::Elsewhere { source } => {
            outln!(
                "{DIM}{} is followed by another process{DIM:#}",
                safe(source)
            );
        }
        WatchEvent::NotIngested { source } => {
            outln!(
                "{DIM}{} waits for its first `gannet ingest`{DIM:#}",
                safe(source)
            );
        }
        WatchEvent::GivenUp { source } => {
            outln!(
                "{WARNING}{}{WARNING:#} is not followed any more",
                safe(source)
            );
        }
    }
}

fn as_json(event: &WatchEvent) -> Value {
    match event {
        WatchEvent::Polled { source, report } => {
            json!({ "event": "polled", "source": source, "report": report })
        }
        WatchEvent::Failed { source, error } => {
            json!({ "event": "failed", "source": source, "error": error })
        }
        WatchEvent::Elsewhere { source } => json!({ "event": "elsewhere", "source": source }),
        WatchEvent::NotIngested { source } => {
            json!({ "event": "not_ingested", "source": source })
        }
        WatchEvent::GivenUp { source } => json!({ "event": "given_up", "source": source }),
    }
}

/// What a SIGHUP does.
struct Reloads {
    current: Current,
    sources: LoadOptions,
    board: WatchBoard,
    hangups: Hangups,
}

impl Reloads {
    /// Reads the configuration again at each SIGHUP, for ever.
    async fn run(mut self) {
        loop {
            self.hangups.next().await;
            match self.reload().await {
                Ok(()) => tracing::info!("the new configuration is used"),
                Err(error) => tracing::error!(error, "the old configuration stays"),
            }
        }
    }

    async fn reload(&self) -> Result<(), String> {
        let loaded = config::load(self.sources.clone()).map_err(|error| error.to_string())?;
        for notice in &loaded.notices {
            tracing::warn!("{notice}");
        }
        let old = now(&self.current);
        // Plugins are made, which may take a while.
        let made = tokio::task::spawn_blocking(move || old.reconfigured(loaded.config));
        let made = made.await.map_err(|error| error.to_string())?;
        let gannet = made.map_err(|error| error.to_string())?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = gannet;
        self.board.reload();
        Ok(())
    }
}
