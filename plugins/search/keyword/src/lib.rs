//! Keyword search: the query language, ranked by BM25.
//!
//! The module is short because the host does the work: its text search reads
//! the query language, applies the filter, ranks, marks the places that match
//! and repairs typing errors. What is left is to say which of this the caller
//! wants: a parameter of the call counts before the configuration.
//!
//! ```yaml
//! search_modules:
//!   keyword:
//!     enabled: true
//!     settings: { fuzzy_fallback: true, include_highlights: true }
//! ```
//!
//! ```
//! use gannet_keyword::{Keyword, Settings};
//! use gannet_plugin::prelude::SearchModule;
//!
//! let descriptor = Keyword::descriptor().with_settings::<Settings>();
//! assert_eq!(descriptor.name, "keyword");
//! assert_eq!(descriptor.parameters[0].name, "include_highlights");
//! ```

mod examples;
#[cfg(test)]
mod tests;

use gannet_plugin::prelude::{
    Context, Descriptor, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::search::TextSearch;
gannet_plugin::export_plugin! {
    search_modules: [Keyword],
}

/// Finds entries by their words.
pub struct Keyword {
    settings: Settings,
}

/// What the configuration and a call can set.
#[settings]
#[derive(Copy, PartialEq, Eq)]
pub struct Settings {
    /// Return fragments of the text with the matches marked.
    #[setting(default = true, parameter, section = "Options")]
    pub include_highlights: bool,
    /// Replace a misspelled word, one that is in no entry, by a similar one.
    #[setting(default = true, parameter, section = "Options")]
    pub fuzzy_fallback: bool,
}

impl SearchModule for Keyword {
    const NAME: &'static str = "keyword";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::search_module(
            Self::NAME,
            "Keyword",
            "Keyword search. Use it for specific terms, device and PV names, \
             people, or phrases. Takes \"phrases\", AND, OR, NOT, prefix* and fields such as \
             author: and date:.",
        )
        .with_query(
            "Search terms. Takes \"phrases\", AND, OR, NOT, prefix* and fields such as author: and \
             date:.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self { settings })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let settings = request.settings(&self.settings)?;
        let search = TextSearch::new(request.query, request.limit)
            .with_syntax(request.syntax)
            .with_filter(request.filter)
            .with_highlights(settings.include_highlights)
            .with_fuzzy(settings.fuzzy_fallback);
        context.text_search(search).await
    }
}
