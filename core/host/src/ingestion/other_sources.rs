//! Entries of a run that took the place of ones from another source system:
//! two sources with the same ids overwrite each other at every poll.

use gannet_store::UpsertReport;

/// Warns of what a run of an adapter wrote over, if there is any.
pub(super) fn warn_of_other_sources(adapter: &str, written: &UpsertReport) {
    let Some(example) = &written.other_source else {
        return;
    };
    let entries = written.of_other_source;
    tracing::warn!(
        adapter,
        entries,
        "{} of this run replaced entries of another source system with the same ids, such as \
         `{}` of `{}`; all sources of a tenant share the ids of entries, so that each of such \
         sources needs a tenant of its own",
        match entries {
            1 => "1 entry".to_owned(),
            entries => format!("{entries} entries"),
        },
        example.entry_id,
        example.source_system
    );
}
