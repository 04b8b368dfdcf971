//! Search for process variables and devices by pattern.
//!
//! `SR0*:BPM?:X` finds the entries that name such a PV, wherever it stands in
//! a sentence, and the ones that name most of them first. `*` is any characters
//! or none, `?` is one, `/^SR0[1-4].*:TEMP$/` is a regular expression. Several
//! patterns are alternatives, and fields (`author:smith`) are filters.
//!
//! The index of the host finds words, not names within `SR01:BPM3:X=0.3mm`. So
//! the module asks it for candidates, reads them, and looks for names itself.
//!
//! ```
//! use gannet_plugin::testing::FakeHost;
//! use gannet_plugin::prelude::{Entry, SearchModule, SearchRequest, Setup};
//! use gannet_pv_search::{PvSearch, Settings};
//!
//! let time = "2024-01-05T08:30:00Z".parse().unwrap();
//! let host = FakeHost::default().with_entries([
//!     Entry::new("E1", "log", time, "Offset of SR01:BPM3:X=0.3mm corrected"),
//!     Entry::new("E2", "log", time, "SR01:BPM3:Y is noisy"),
//! ]);
//! let module = PvSearch::new(Settings::default(), &Setup::default()).unwrap();
//!
//! let request = SearchRequest::new("SR0*:BPM?:X", 10);
//! let hits = pollster::block_on(module.search(request, &host.context())).unwrap();
//! assert_eq!(hits[0].entry_id, "E1");
//! ```

mod examples;
mod found;
mod pattern;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::*;
use gannet_plugin::search::TextSearch;

use pattern::NamePattern;

gannet_plugin::export_plugin! {
    search_modules: [PvSearch],
}

/// Finds entries by the names of PVs and devices in them.
pub struct PvSearch {
    settings: Settings,
    setup: Setup,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// How many entries are looked at for each pattern.
    #[setting(default = 500, min = 1, max = 10_000)]
    pub candidates: usize,
}

impl SearchModule for PvSearch {
    const NAME: &'static str = "pv_search";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::search_module(
            Self::NAME,
            "PV search",
            "Finds entries by the names of process variables and devices in them, by wildcards \
             (SR0*:BPM?:X) or regular expression (/^SR0[1-4].*:TEMP$/).",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let setup = setup.clone();
        Ok(Self { settings, setup })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let (patterns, filter) = pattern::read(&request, &self.setup)?;
        if patterns.is_empty() {
            // Without a pattern, what the filter lets through is listed.
            let mut listing = TextSearch::new("", request.limit);
            listing.filter = filter;
            return context.text_search(listing).await;
        }

        let ids = self
            .candidates(&patterns, &filter, request.limit, context)
            .await?;
        let entries = context.entries(ids).await?;
        let mut hits = Vec::new();
        for entry in entries {
            let places = pattern::matching(&entry.raw_text, &patterns);
            if !places.is_empty() {
                hits.push(found::hit(&entry, &places));
            }
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(request.limit);
        Ok(hits)
    }
}

impl PvSearch {
    /// The entries that may hold a name that is asked for.
    async fn candidates(
        &self,
        patterns: &[NamePattern],
        filter: &Filter,
        limit: usize,
        context: &Context,
    ) -> Result<Vec<String>> {
        let limit = self.settings.candidates.max(limit);
        let mut ids = BTreeSet::new();
        for pattern in patterns {
            let mut search = TextSearch::new(&pattern.candidates, limit);
            search.filter = filter.clone();
            search.fuzzy = false;
            let hits = context.text_search(search).await?;
            if hits.len() >= limit {
                let message = format!("only {limit} entries were looked at; raise `candidates`");
                context.diagnose(Diagnostic::info(&self.setup.instance, message));
            }
            ids.extend(hits.into_iter().map(|hit| hit.entry_id));
        }
        Ok(ids.into_iter().collect())
    }
}
