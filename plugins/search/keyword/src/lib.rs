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
//! use gannet_keyword::Keyword;
//! use gannet_plugin::SearchModule;
//!
//! let descriptor = Keyword::descriptor();
//! assert_eq!(descriptor.name, "keyword");
//! assert_eq!(descriptor.parameters[0].name, "include_highlights");
//! ```

mod arguments;
mod examples;
#[cfg(test)]
mod tests;

use gannet_plugin::{
    Context, Descriptor, Hit, ParameterDescriptor, ParameterType, Result, SearchModule,
    SearchRequest, Setup, TextSearch,
};
use schemars::JsonSchema;
use serde::Deserialize;

use arguments::Arguments;

gannet_plugin::export_plugin! {
    search_modules: [Keyword],
}

/// Finds entries by their words.
pub struct Keyword {
    settings: Settings,
}

/// What the configuration can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether a word that is in no entry is replaced by its nearest ones.
    pub fuzzy_fallback: bool,
    /// Whether hits carry pieces of text with the places that matched.
    pub include_highlights: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fuzzy_fallback: true,
            include_highlights: true,
        }
    }
}

impl SearchModule for Keyword {
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::search_module(
            "keyword",
            "Keyword",
            "Keyword search. Use it for specific terms, device and PV names, \
             people, or phrases. Takes \"phrases\", AND, OR, NOT, prefix* and fields such as \
             author: and date:.",
        )
        .with_arguments::<Arguments>()
        .with_parameters(vec![
            option(
                "include_highlights",
                "Include highlights",
                "Return fragments of the text with the matches marked.",
            ),
            option(
                "fuzzy_fallback",
                "Fuzzy fallback",
                "Replace a misspelled word by a similar one.",
            ),
        ]);
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self { settings })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let highlights = request
            .param("include_highlights")?
            .unwrap_or(self.settings.include_highlights);
        let fuzzy = request
            .param("fuzzy_fallback")?
            .unwrap_or(self.settings.fuzzy_fallback);

        let search = TextSearch {
            query: request.query,
            syntax: request.syntax,
            filter: request.filter,
            limit: request.limit,
            highlights,
            fuzzy,
        };
        context.text_search(search).await
    }
}

/// A switch under the heading `Options`, on by default.
fn option(name: &str, label: &str, description: &str) -> ParameterDescriptor {
    ParameterDescriptor::new(name, label, description, ParameterType::Bool, true).section("Options")
}
