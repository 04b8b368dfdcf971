//! Search for process variables and devices by pattern.
//!
//! `SR0*:BPM?:X` finds the entries that name such a PV, wherever it stands in
//! a sentence, and the ones that name most of them first.
//!
//! | written | finds names that |
//! |---|---|
//! | `SR0*:BPM?:X` | match: `*` is any characters or none, `?` is one |
//! | `/^SR0[1-4].*:TEMP$/` | the expression matches, from end to end |
//! | `CAV1` | are just this |
//!
//! Several patterns are alternatives. Fields (`author:smith`, `date:2024-06`)
//! are filters, as everywhere. A name is a run of letters, digits and
//! `_ : - .`; the punctuation of a sentence at its ends is no part of it.
//!
//! The index of the host finds words and their beginnings, not names within
//! `SR01:BPM3:X=0.3mm`. So the module asks it for candidates by what the index
//! does know, reads those entries, and looks for the names itself.
//!
//! ```yaml
//! search_modules:
//!   pv_search:
//!     enabled: true
//!     settings: { extra_name_characters: "{}", candidates: 1000 }
//! ```
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
//!
//! assert_eq!(hits.len(), 1);
//! assert_eq!(hits[0].entry_id, "E1");
//! let shown = &hits[0].highlights[0];
//! let (start, end) = shown.ranges[0];
//! assert_eq!(&shown.text[start..end], "SR01:BPM3:X");
//! ```

mod examples;
mod found;
mod names;
mod pattern;
mod question;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use gannet_plugin::prelude::*;
use gannet_plugin::query::QueryOptions;
use gannet_plugin::search::TextSearch;

use found::Found;
use names::NameCharacters;
use question::Question;

gannet_plugin::export_plugin! {
    search_modules: [PvSearch],
}

/// Finds entries by the names of PVs and devices in them.
pub struct PvSearch {
    settings: Settings,
    characters: NameCharacters,
    setup: Setup,
}

/// What the configuration and a call can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// Characters that names have here beside letters, digits and `_ : - .`,
    /// such as `{}` for `SR:C03-MG{PS:QF1}`.
    pub extra_name_characters: String,
    /// Tell capitals from small letters.
    #[setting(parameter, section = "Options")]
    pub case_sensitive: bool,
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
            "Finds entries by the names of process variables and devices in them. Use it when \
             names are known in part: by wildcards (SR0*:BPM?:X) or by regular expression \
             (/^SR0[1-4].*:TEMP$/). Several patterns are alternatives.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        setup.zone()?;
        Ok(Self {
            characters: NameCharacters::with(&settings.extra_name_characters),
            settings,
            setup: setup.clone(),
        })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let case_sensitive = request.settings(&self.settings)?.case_sensitive;
        let options = QueryOptions {
            timezone: self.setup.zone()?,
            ..QueryOptions::default()
        };
        let question = Question::read(&request, &self.characters, case_sensitive, &options)?;
        if question.patterns.is_empty() {
            return list_by_time(question, request.limit, context).await;
        }

        let candidates = self.candidates(&question, request.limit, context).await?;
        let entries = context.entries(candidates).await?;
        let mut found: Vec<Found> = entries
            .iter()
            .filter_map(|entry| {
                Found::in_entry(entry, &question.patterns, &self.characters, case_sensitive)
            })
            .collect();
        Found::rank(&mut found);
        found.truncate(request.limit);
        Ok(found.into_iter().map(Found::into_hit).collect())
    }
}

impl PvSearch {
    /// The entries that may hold a name that is asked for.
    async fn candidates(
        &self,
        question: &Question,
        limit: usize,
        context: &Context,
    ) -> Result<Vec<String>> {
        let limit = self.settings.candidates.max(limit);
        let mut ids = BTreeSet::new();
        for pattern in &question.patterns {
            let mut search = TextSearch::new(&pattern.candidates, limit);
            search.filter = question.filter.clone();
            search.fuzzy = false;
            let hits = context.text_search(search).await?;
            if hits.len() >= limit {
                let message = format!(
                    "only {limit} entries were looked at for one of the patterns; write more of \
                     the name, set a date, or raise `candidates`"
                );
                let note = Diagnostic::info(&self.setup.instance, message);
                context.diagnose(note.category("candidates"));
            }
            ids.extend(hits.into_iter().map(|hit| hit.entry_id));
        }
        Ok(ids.into_iter().collect())
    }
}

/// Without a pattern, what the filter lets through is listed; without a filter
/// too, there is nothing to list.
async fn list_by_time(question: Question, limit: usize, context: &Context) -> Result<Vec<Hit>> {
    let mut listing = TextSearch::new("", limit);
    listing.filter = question.filter;
    context.text_search(listing).await
}
