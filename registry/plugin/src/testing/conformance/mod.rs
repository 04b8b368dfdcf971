//! The conformance test: what every plugin has to stand, whatever it does.
//!
//! An author runs it over all plugins of a crate in one line,
//! [`assert_conforms`]; the page of [`testing`](super) shows it at work.
//! A plugin that needs the runtime of tokio awaits [`conformance`] in a
//! `#[tokio::test]`. Whoever has a plugin in another form, loaded from a file
//! say, makes a [`Specimen`] of it and reads the [`Report`] of [`examine`].
//!
//! What is checked of every plugin:
//!
//! | check | what must be true |
//! |---|---|
//! | `name`, `texts` | the name is lower case with single underscores; label and description are there and of a length to read |
//! | `schemas` | the schemas of settings and arguments are those of objects |
//! | `parameters` | names differ; a default is of its type, within its bounds, among its options |
//! | `construction` | empty settings do, or are refused as [`Error::Configuration`](gannet_api::Error::Configuration) and those of the first example do |
//! | `wrong_settings` | a value of a wrong kind is refused as [`Error::Configuration`](gannet_api::Error::Configuration) |
//! | `examples` | there is one, and each gives what it says |
//! | `repetition` | the same input gives the same, where the descriptor says `deterministic` |
//! | `two_at_once` | two calls give what each gives alone |
//! | `cancellation` | a call can be dropped at any place, and the next one works |
//! | `failing_host` | a host whose services all fail is an error or a lesser answer |
//!
//! Of search modules and pipelines: `blank_questions` and `hostile_questions`
//! are answered or refused as [`Error::InvalidInput`](gannet_api::Error::InvalidInput);
//! `limit` and `filter` are kept to; `default_parameters` are taken and
//! `wrong_parameters` refused. Of any answer: entries are found once, the host
//! holds them, scores are numbers, and what is cited is a hit or a source.
//!
//! Of adapters, whose examples are written to a file: an `empty_source` gives
//! no entries, a `missing_source` is an error that names it, `hostile_sources`
//! are rejected record by record or as a whole, `limit` and `times` are kept
//! to, and the records are as many as was said.
//!
//! Of enhancers: each entry of a batch has one outcome, an `empty_batch` none,
//! `hostile_texts` fail alone at most, and `batches` do not change what an
//! entry gets. Of an example's patch the keys that it names are compared, in
//! `metadata` too.
//!
//! A panic does not end the examination: it is caught and fails the check with
//! its text.

mod adapter;
mod bench;
mod descriptor;
mod enhancer;
mod guard;
mod hostile;
mod question;
mod questions;
mod reader;
mod report;
mod source;
mod specimen;
#[cfg(test)]
mod tests;
mod troubled_host;
mod world;

pub use report::{Check, Outcome, Report};
pub use specimen::Specimen;

use bench::Bench;

use gannet_api::PluginKind;

/// Examines a plugin.
pub async fn examine(specimen: &Specimen) -> Report {
    let mut report = Report::of(&specimen.descriptor);
    descriptor::examine(&specimen.descriptor, &mut report);
    let Some(bench) = Bench::set_up(specimen, &mut report) else {
        return report;
    };
    match specimen.descriptor.kind {
        PluginKind::SearchModule | PluginKind::Pipeline => {
            questions::examine(&bench, &mut report).await;
        }
        PluginKind::Adapter => adapter::examine(&bench, &mut report).await,
        PluginKind::Enhancer => enhancer::examine(&bench, &mut report).await,
        PluginKind::Embedder
        | PluginKind::Reranker
        | PluginKind::Reader
        | PluginKind::ChatModel => {
            let reason = "only descriptor and settings of providers are examined";
            report.add("examples", report::does_not_apply(reason));
        }
    }
    report
}

/// Examines every plugin that is linked into this program.
///
/// # Panics
/// With the reports when a check fails, and when no plugin is linked.
pub async fn conformance() {
    let specimens = Specimen::linked();
    assert!(
        !specimens.is_empty(),
        "no plugin is linked into this test: call it from a test in the crate that has \
         `export_plugin!`"
    );
    let mut reports = Vec::with_capacity(specimens.len());
    for specimen in &specimens {
        reports.push(examine(specimen).await);
    }
    let texts: String = reports.iter().map(ToString::to_string).collect();
    assert!(reports.iter().all(Report::passed), "\n{texts}");
}

/// [`conformance`] for tests that are not `async`.
///
/// # Panics
/// As [`conformance`].
pub fn assert_conforms() {
    pollster::block_on(conformance());
}
