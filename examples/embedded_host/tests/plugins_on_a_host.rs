//! The example plugins on a real host, with the demo logbook and with the
//! examples of their descriptors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use gannet_core::api::{Entry, Expected, FetchRequest, PluginKind, Registration};
use gannet_core::config::{AdapterConfig, Config, ModuleConfig, PipelineConfig};
use gannet_core::{EnhanceRequest, Gannet, IngestRequest, SearchInput, SearchResult, Stop};
use tempfile::TempDir;

// Linked so that their registrations are there.
use gannet_example_device_names as _;
use gannet_example_pv_search as _;
use gannet_example_shift_csv as _;
use gannet_example_timeline as _;
use {gannet_generic_json as _, gannet_index_flat as _, gannet_index_tantivy as _};
use {gannet_jsonl as _, gannet_keyword as _, gannet_rag as _};

struct Host {
    gannet: Gannet,
    folder: TempDir,
}

impl Host {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let on = || ModuleConfig {
            enabled: true,
            ..ModuleConfig::default()
        };
        let mut config = Config::default();
        config.store.path = folder.path().join("store");
        config.search_modules.remove("semantic");
        config.search_modules.insert("pv_search".into(), on());
        config.enhancement_modules.clear();
        config
            .enhancement_modules
            .insert("device_names".into(), on());
        config.providers.clear();
        config.pipelines.clear();
        for (name, modules) in [
            ("rag", vec!["keyword"]),
            ("timeline", vec!["keyword", "pv_search"]),
        ] {
            let pipeline = PipelineConfig {
                retrieval_modules: Some(modules.into_iter().map(Into::into).collect()),
                ..PipelineConfig::default()
            };
            config.pipelines.insert(name.into(), pipeline);
        }
        let adapter = AdapterConfig {
            enabled: true,
            ..AdapterConfig::default()
        };
        let adapters = &mut config.ingestion.adapters;
        adapters.retain(|name, _| ["generic_json", "jsonl"].contains(&name.as_str()));
        adapters.insert("shift_csv".into(), adapter);
        let gannet = Gannet::open(config).await.unwrap();
        Self { gannet, folder }
    }

    async fn with_demo_logbook() -> Self {
        let host = Self::new().await;
        host.ingest("generic_json", &demo_logbook()).await;
        host
    }

    async fn ingest(&self, adapter: &str, file: &Path) {
        assert_eq!(self.rejected_of(adapter, file).await, 0);
    }

    /// Ingests a file, and tells how many records were rejected.
    async fn rejected_of(&self, adapter: &str, file: &Path) -> u64 {
        let request = IngestRequest {
            adapter: Some(adapter.to_owned()),
            fetch: FetchRequest::default().with_source(file.display().to_string()),
            tenant: "default".to_owned(),
            ..IngestRequest::default()
        };
        let report = self.gannet.ingest(request, &Stop::default(), |_| {}).await;
        report.unwrap().counts.rejected
    }

    async fn ingest_entries(&self, entries: &[Entry]) {
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| serde_json::to_string(entry).unwrap())
            .collect();
        let file = self.folder.path().join("entries.jsonl");
        std::fs::write(&file, lines.join("\n")).unwrap();
        self.ingest("jsonl", &file).await;
    }

    async fn ask(&self, mode: &str, query: &str) -> SearchResult {
        let mut input = SearchInput::new(query);
        input.mode = Some(mode.to_owned());
        input.max_results = Some(100);
        self.gannet.search(input).await.unwrap()
    }
}

fn demo_logbook() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/logbook.json")
}

fn ids(result: &SearchResult) -> Vec<String> {
    let ids = result.entries.iter().map(|hit| hit.entry.entry_id.clone());
    ids.collect()
}

/// The ids of the entries whose text a check lets through.
fn entries_where(holds: impl Fn(&str) -> bool) -> Vec<String> {
    let text = std::fs::read_to_string(demo_logbook()).unwrap();
    let logbook: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entries = logbook["entries"].as_array().unwrap().iter();
    entries
        .filter(|entry| holds(&format!("{}\n\n{}", entry["title"], entry["text"])))
        .map(|entry| entry["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn pv_search_finds_every_entry_that_holds_such_a_name() {
    let host = Host::with_demo_logbook().await;

    for (query, part) in [
        ("SR0?:VAC:*", ":VAC:"),
        ("/^SR0[0-9]:VAC:[A-Z0-9:]+$/", ":VAC:"),
        ("*GUN:HV", "GUN:HV"),
    ] {
        let result = host.ask("pv_search", query).await;
        let mut found = ids(&result);
        found.sort();
        let expected = entries_where(|text| match part {
            ":VAC:" => (0..10).any(|sector| text.contains(&format!("SR0{sector}:VAC:"))),
            part => text.contains(part),
        });
        assert!(expected.len() > 2);
        assert_eq!(found, expected, "{query}");
        for hit in &result.entries {
            for shown in &hit.highlights {
                let mut marked = shown.ranges.iter().map(|&(from, to)| &shown.text[from..to]);
                assert!(marked.all(|name| name.contains(part)));
            }
        }
    }
}

#[tokio::test]
async fn the_timeline_of_a_device_is_in_order_and_cites_what_it_tells() {
    let host = Host::with_demo_logbook().await;

    let result = host.ask("timeline", "what happened to KLY2?").await;

    let expected = entries_where(|text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word.eq_ignore_ascii_case("KLY2"))
    });
    assert!(expected.len() > 1);
    assert_eq!(
        result.citations, expected,
        "the demo logbook is sorted by time"
    );
    let answer = result.answer.unwrap();
    for id in &expected {
        assert!(answer.contains(&format!("[#{id}]")), "{answer}");
    }
    assert!(!result.degraded, "{:?}", result.diagnostics);
}

#[tokio::test]
async fn device_names_can_be_filtered_on_and_go_when_the_entry_is_edited() {
    let host = Host::new().await;
    let mut entry = Entry::new(
        "E1",
        "log",
        "2024-01-05T08:30:00Z".parse().unwrap(),
        "SR03C:RF:CAV1:FWD_PWR fell",
    );
    host.ingest_entries(std::slice::from_ref(&entry)).await;
    let all = EnhanceRequest::default;
    host.gannet
        .enhance(all(), &Stop::default(), |_| {})
        .await
        .unwrap();
    assert_eq!(ids(&host.ask("keyword", "meta.devices:CAV1").await), ["E1"]);

    entry.raw_text = "it was nothing".to_owned();
    host.ingest_entries(&[entry]).await;
    host.gannet
        .enhance(all(), &Stop::default(), |_| {})
        .await
        .unwrap();
    assert!(ids(&host.ask("keyword", "meta.devices:CAV1").await).is_empty());
}

#[tokio::test]
async fn the_examples_of_the_descriptors_hold_on_a_real_host() {
    for registration in Registration::linked() {
        let descriptor = (registration.describe)();
        for example in descriptor.examples {
            let Expected::Entries(expected) = example.expected else {
                continue;
            };
            if !example.settings.is_empty() {
                continue;
            }
            let host = Host::new().await;
            if descriptor.kind == PluginKind::Adapter {
                let file = host.folder.path().join("source");
                std::fs::write(&file, &example.input).unwrap();
                host.rejected_of(&descriptor.name, &file).await;
                for id in expected {
                    assert!(host.gannet.entry("default", &id).await.unwrap().is_some());
                }
                continue;
            }
            host.ingest_entries(&example.entries).await;
            let mut input = SearchInput::new(&example.input);
            input.mode = Some(descriptor.name.clone());
            input.params = example.params;
            let result = host.gannet.search(input).await.unwrap();
            let found = match descriptor.kind {
                PluginKind::Pipeline => result.citations,
                _ => ids(&result),
            };
            assert_eq!(
                found, expected,
                "{}: {}",
                descriptor.name, example.description
            );
        }
    }
}

#[test]
fn the_program_answers_from_the_demo_logbook() {
    let output = Command::new(env!("CARGO_BIN_EXE_gannet-embedded-host"))
        .arg(demo_logbook())
        .output()
        .unwrap();

    assert!(output.status.success(), "{output:?}");
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("[#SKY-"), "{answer}");
}
