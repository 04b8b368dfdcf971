#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adapters;
mod descriptors;
mod enhancers;
mod pipelines;
mod reports;
mod searches;

use pollster::block_on;
use serde_json::Value;

use super::*;
use gannet_api::{Descriptor, Entry, Plugin, Result};

fn entry(id: &str, shift: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    let mut entry = Entry::new(id, "log", time, text);
    entry.author = "Smith".to_owned();
    entry.metadata.insert("shift".to_owned(), shift.into());
    entry
}

/// A specimen without settings.
fn specimen(descriptor: Descriptor, make: impl Fn() -> Plugin + Send + Sync + 'static) -> Specimen {
    Specimen::new(descriptor, move |settings, setup| {
        let refuse = || gannet_api::Error::configuration(&setup.instance, "there are no settings");
        match settings {
            Value::Object(settings) if settings.is_empty() => Ok(make()),
            _ => Err(refuse()),
        }
    })
}

fn report(specimen: &Specimen) -> Report {
    block_on(examine(specimen))
}

/// The names of the checks that fail.
fn failed(specimen: &Specimen) -> Vec<&'static str> {
    report(specimen).failed().map(|check| check.name).collect()
}

/// Why a check fails.
fn reason(specimen: &Specimen, name: &str) -> String {
    let report = report(specimen);
    let check = report.checks.iter().find(|check| check.name == name);
    match check.map(|check| &check.outcome) {
        Some(Outcome::Failed(reason)) => reason.clone(),
        other => panic!("{name} should fail, and is {other:?} in\n{report}"),
    }
}

fn assert_passes(specimen: &Specimen) {
    let report = report(specimen);
    assert!(report.passed(), "{report}");
}
