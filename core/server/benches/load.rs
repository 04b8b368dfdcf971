//! Load on the service: requests that arrive at a rate, whatever became of
//! those before (an open loop), over the store of `tests/benches/search.rs`.
//!
//! `cargo bench -p gannet-server --bench load`. The service runs in this
//! process, or elsewhere where `GANNET_LOAD_URL` says so; docs/quality.md has
//! all variables. Prints a line for each rate: how many requests were
//! answered, how many were shed (429 and 503), and the time of those that were
//! answered, from the moment at which they were due.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../../tests/benches/corpus/mod.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use corpus::{Random, is_bench, open, question_text};
use gannet_core::Stop;
use gannet_server::{BindOptions, Server};
use gannet_tests as _;
use reqwest::Client;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// The service that is asked.
struct Target {
    url: String,
    /// The process whose memory is shown.
    process: String,
    mode: String,
    client: Client,
}

/// What became of requests: the status of each, 0 for none, and its time.
#[derive(Default)]
struct Outcomes(Vec<(u16, Duration)>);

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let service = Runtime::new().unwrap();
    // The client has a thread of its own, so that it is late for the service's
    // sake only.
    let client = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let url = std::env::var("GANNET_LOAD_URL").ok();
    let url = url.unwrap_or_else(|| service.block_on(start(scratch.path())));
    let target = Arc::new(Target {
        url,
        process: text("GANNET_LOAD_PID", "self"),
        mode: text("GANNET_LOAD_MODE", "rag"),
        client: Client::new(),
    });
    client.block_on(measure(&target));
    service.shutdown_background();
}

/// Starts the service, and gives its address.
async fn start(scratch: &std::path::Path) -> String {
    let settings = [("server.port", "0"), ("server.requests_per_minute", "0")];
    let gannet = open(scratch, &settings).await;
    let server = Server::bind(gannet, BindOptions::default()).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(Stop::default()));
    format!("http://{address}")
}

async fn measure(target: &Arc<Target>) {
    // Models and indexes are read at the first request.
    assert_eq!(target.ask(0).await, 200);
    println!(
        "mode {}, {} at {}",
        target.mode,
        memory(&target.process),
        target.url
    );
    let requests = number("GANNET_LOAD_REQUESTS", 0.0) as usize;
    if requests > 0 {
        return as_fast_as_it_goes(target, requests).await;
    }
    let seconds = number("GANNET_LOAD_SECONDS", if is_bench() { 30.0 } else { 0.5 });
    let rates = text("GANNET_LOAD_RATE", if is_bench() { "50" } else { "20" });
    for rate in rates.split(',') {
        at_a_rate(target, rate.trim().parse().unwrap(), seconds).await;
    }
}

/// Requests with random gaps (a Poisson process) of this mean rate.
async fn at_a_rate(target: &Arc<Target>, rate: f64, seconds: f64) {
    let before = memory(&target.process);
    let mut random = Random(11);
    let began = Instant::now();
    let (mut due, mut count) = (0.0, 0);
    let mut running = JoinSet::new();
    let mut outcomes = Outcomes::default();
    while due < seconds {
        let at = began + Duration::from_secs_f64(due);
        sleep_until(at).await;
        let (target, number) = (target.clone(), count);
        running.spawn(async move { (target.ask(number).await, at.elapsed()) });
        while let Some(outcome) = running.try_join_next() {
            outcomes.0.push(outcome.unwrap());
        }
        count += 1;
        let uniform = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        due -= (1.0 - uniform).ln() / rate;
    }
    outcomes.0.extend(running.join_all().await);
    println!("{rate} requests/s for {seconds} s: {outcomes}");
    println!(
        "    memory before {before}, after {}",
        memory(&target.process)
    );
}

/// So many requests by clients that each wait for their answer, one per
/// processor unless `GANNET_LOAD_CLIENTS` says how many, with the memory at
/// each tenth.
async fn as_fast_as_it_goes(target: &Arc<Target>, requests: usize) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let clients = number("GANNET_LOAD_CLIENTS", processors as f64) as usize;
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let (target, next) = (target.clone(), next.clone());
        running.spawn(async move {
            let mut outcomes = Outcomes::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= requests {
                    return outcomes;
                }
                if number % requests.div_ceil(10) == 0 {
                    println!("{number} requests, {}", memory(&target.process));
                }
                let at = Instant::now();
                let status = target.ask(number as u64).await;
                outcomes.0.push((status, at.elapsed()));
            }
        });
    }
    let outcomes = running.join_all().await.into_iter();
    let outcomes = Outcomes(outcomes.flat_map(|outcomes| outcomes.0).collect());
    println!("{requests} requests, {}", memory(&target.process));
    let rate = requests as f64 / began.elapsed().as_secs_f64();
    println!("{rate:.0} requests/s: {outcomes}");
}

impl Target {
    /// The status of a search, after its whole answer was read.
    async fn ask(&self, number: u64) -> u16 {
        let body = json!({ "query": question_text(number + 1), "mode": self.mode });
        let request = self.client.post(format!("{}/api/search", self.url));
        let Ok(response) = request.json(&body).send().await else {
            return 0;
        };
        let status = response.status().as_u16();
        match response.bytes().await {
            Ok(_) => status,
            Err(_) => 0,
        }
    }
}

impl std::fmt::Display for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
        for (status, _) in &self.0 {
            *counts.entry(*status).or_default() += 1;
        }
        let shed = [429, 503].iter().filter_map(|status| counts.get(status));
        let shed = shed.sum::<usize>() as f64 / self.0.len().max(1) as f64 * 100.0;
        let answered = self.0.iter().filter(|(status, _)| *status == 200);
        let mut times: Vec<f64> = answered.map(|(_, time)| time.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = times.len().saturating_sub(1);
            times
                .get((part * last as f64).round() as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        write!(
            f,
            "{} answered of {}, {shed:.1} % shed, p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms; \
             by status (0: no answer): {counts:?}",
            times.len(),
            self.0.len(),
            at(0.5),
            at(0.95),
            at(0.99),
        )
    }
}

/// The resident memory of a process, where the system tells it.
fn memory(process: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: Option<f64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    match kilobytes {
        Some(kilobytes) => format!("{:.0} MiB", kilobytes / 1024.0),
        None => "memory unknown".to_owned(),
    }
}

fn text(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

fn number(variable: &str, default: f64) -> f64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}
