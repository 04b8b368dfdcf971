//! Entries of a run that took the place of ones from another source system:
//! two sources with the same ids overwrite each other at every poll.

use gannet_store::{ReplacedSource, UpsertReport};

/// How many there were, with an example.
#[derive(Debug, Default)]
pub(super) struct OtherSources {
    entries: u64,
    example: Option<ReplacedSource>,
}

impl OtherSources {
    /// Adds what was written.
    pub(super) fn add(&mut self, report: &UpsertReport) {
        self.entries += report.of_other_source;
        if self.example.is_none() {
            self.example.clone_from(&report.other_source);
        }
    }

    /// Warns if there were any.
    pub(super) fn warn(&self, adapter: &str) {
        let Some(example) = &self.example else {
            return;
        };
        tracing::warn!(
            adapter,
            entries = self.entries,
            "{} of this run replaced entries of another source system with the same ids, such as \
             `{}` of `{}`; all sources of a tenant share the ids of entries, so that each of such \
             sources needs a tenant of its own",
            match self.entries {
                1 => "1 entry".to_owned(),
                entries => format!("{entries} entries"),
            },
            example.entry_id,
            example.source_system
        );
    }
}
