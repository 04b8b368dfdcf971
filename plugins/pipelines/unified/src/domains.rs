//! Domains: the parts of the entries that are searched side by side.

use gannet_plugin::filter::{Condition, Filter, FilterClause, FilterField, fold};
use gannet_plugin::prelude::Entry;

use crate::intent::Intent;
use crate::settings::{DomainField, DomainSettings, UnifiedSettings};

/// Words that name a domain which the configuration does not describe.
const WORDS_OF_DOCUMENTS: [&str; 10] = [
    "manual",
    "manuals",
    "procedure",
    "procedures",
    "document",
    "documents",
    "documentation",
    "handbook",
    "guide",
    "specification",
];
const WORDS_OF_LOGBOOKS: [&str; 3] = ["logbook", "logbooks", "elog"];

/// A part of the entries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Domain {
    pub(crate) name: String,
    pub(crate) label: String,
    /// What its entries pass; nothing for those of its own modules.
    pub(crate) clauses: Vec<FilterClause>,
    /// The modules that are asked.
    pub(crate) modules: Vec<String>,
    pub(crate) weight: f64,
    pub(crate) intents: Vec<Intent>,
    pub(crate) words: Vec<String>,
    pub(crate) routes: Vec<String>,
    pub(crate) timeout_seconds: f64,
}

/// The domains of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Domains {
    /// Those that are configured, sorted by name.
    configured: Vec<Domain>,
    field: DomainField,
    modules: Vec<String>,
    timeout_seconds: f64,
}

impl Domains {
    /// Those of a configuration, with the modules of the pipeline.
    pub(crate) fn of(settings: &UnifiedSettings, modules: &[String]) -> Self {
        let configured = settings
            .domains
            .iter()
            .map(|(name, domain)| Domain::of(name, domain, settings, modules));
        Self {
            configured: configured.collect(),
            field: settings.domain_field,
            modules: modules.to_vec(),
            timeout_seconds: settings.domain_timeout_seconds,
        }
    }

    /// Whether each value of a field is a domain, rather than those that are
    /// configured.
    pub(crate) fn are_open(&self) -> bool {
        self.configured.is_empty()
    }

    /// The field whose values are the domains where none is configured.
    pub(crate) fn filter_field(&self) -> FilterField {
        match self.field {
            DomainField::Kind => FilterField::Kind,
            DomainField::SourceSystem => FilterField::SourceSystem,
        }
    }

    /// Those that are configured.
    pub(crate) fn configured(&self) -> &[Domain] {
        &self.configured
    }

    /// All entries at once, for open domains.
    pub(crate) fn everything(&self) -> Domain {
        Domain {
            clauses: Vec::new(),
            ..self.unconfigured("")
        }
    }

    /// The domain of this name; one that is not configured is the value of a
    /// field where domains are open, and none otherwise.
    pub(crate) fn get(&self, name: &str) -> Option<Domain> {
        if self.are_open() {
            return Some(self.unconfigured(name));
        }
        let mut configured = self.configured.iter();
        configured.find(|domain| domain.name == name).cloned()
    }

    /// The names of the domains that a page shows.
    pub(crate) fn of_route(&self, route: &str) -> Vec<String> {
        let is_of = |domain: &&Domain| domain.routes.iter().any(|start| begins(route, start));
        let named = self.configured.iter().filter(is_of);
        named.map(|domain| domain.name.clone()).collect()
    }

    /// The domain of a hit that one open search found: what its field says.
    pub(crate) fn of_entry(&self, kind: &str, entry: Option<&Entry>) -> String {
        match self.field {
            DomainField::Kind => kind.to_owned(),
            DomainField::SourceSystem => {
                entry.map_or_else(String::new, |entry| entry.source_system.clone())
            }
        }
    }

    /// The domain of an entry of the store; none where no configured one has
    /// it.
    pub(crate) fn of_member(&self, entry: &Entry) -> Option<String> {
        if self.are_open() {
            return Some(self.of_entry(&entry.kind, Some(entry)));
        }
        let has = |domain: &&Domain| domain.clauses.iter().all(|clause| clause.matches(entry));
        let mut of_store = self.configured.iter().filter(|one| !one.clauses.is_empty());
        of_store.find(has).map(|domain| domain.name.clone())
    }

    fn unconfigured(&self, name: &str) -> Domain {
        let field = self.filter_field();
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let (intents, words) = match name {
            "document" => (vec![Intent::HowTo], owned(&WORDS_OF_DOCUMENTS)),
            "logbook" => (vec![Intent::Troubleshoot], owned(&WORDS_OF_LOGBOOKS)),
            _ => (Vec::new(), Vec::new()),
        };
        Domain {
            name: name.to_owned(),
            label: name.to_owned(),
            clauses: vec![FilterClause {
                field,
                condition: Condition::Equals(name.to_owned()),
            }],
            modules: self.modules.clone(),
            weight: 1.0,
            intents,
            words,
            routes: Vec::new(),
            timeout_seconds: self.timeout_seconds,
        }
    }
}

impl Domain {
    fn of(
        name: &str,
        domain: &DomainSettings,
        settings: &UnifiedSettings,
        modules: &[String],
    ) -> Self {
        let clause = |field, values: &[String]| {
            (!values.is_empty()).then(|| FilterClause {
                field,
                condition: Condition::AnyOf(values.to_vec()),
            })
        };
        let clauses = [
            clause(FilterField::Kind, &domain.kinds),
            clause(FilterField::SourceSystem, &domain.source_systems),
        ];
        let own = domain.retrieval_modules.clone();
        let timeout = domain.timeout_seconds;
        Self {
            name: name.to_owned(),
            label: domain.label.clone().unwrap_or_else(|| name.to_owned()),
            clauses: clauses.into_iter().flatten().collect(),
            modules: own.unwrap_or_else(|| modules.to_vec()),
            weight: domain.weight,
            intents: domain.intents.clone(),
            words: domain.words.iter().map(|word| fold(word)).collect(),
            routes: domain.routes.clone(),
            timeout_seconds: timeout.unwrap_or(settings.domain_timeout_seconds),
        }
    }

    /// The part of it that passes these clauses too.
    pub(crate) fn with_clauses(&self, clauses: &[FilterClause]) -> Self {
        let mut part = self.clone();
        part.clauses.extend_from_slice(clauses);
        part
    }

    /// A filter of a request, narrowed to this domain.
    pub(crate) fn narrowed(&self, filter: &Filter) -> Filter {
        let mut filter = filter.clone();
        filter.clauses.extend(self.clauses.clone());
        filter
    }
}

/// Whether an address begins with another one, at whole parts: `/shift` begins
/// `/shift/today` and not `/shifts`.
fn begins(address: &str, start: &str) -> bool {
    let start = start.trim_end_matches('/');
    let rest = address.strip_prefix(start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_of_the_domain_whose_address_begins_its_own() {
        for (address, start, expected) in [
            ("/shift/today", "/shift", true),
            ("/shift", "/shift/", true),
            ("/shifts", "/shift", false),
            ("/shift?day=1", "/shift", true),
            ("/manuals", "/shift", false),
        ] {
            assert_eq!(begins(address, start), expected, "{address} {start}");
        }
    }
}
