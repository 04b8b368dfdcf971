//! What the configuration can set. The numbers are those of the unified search
//! of Stella Ops where it publishes them, and ours where it does not.

use std::collections::BTreeMap;

use gannet_plugin::prelude::{Error, Result, Setup, settings};
use gannet_stages::{
    AnswerBy, CitationStyle, DEFAULT_K, FusionMethod, FusionSettings as StageFusion, OnError,
    check_prompts,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face_settings::{
    HistorySettings, SessionSettings, SynthesisSettings, TelemetrySettings,
};
use crate::intent::Intent;
use crate::prompts::PROMPTS;

/// The settings of `unified`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct UnifiedSettings {
    /// What tells the domain of an entry where `domains` is empty: its `kind`
    /// or its `source_system`.
    pub domain_field: DomainField,
    /// The domains, by name. Empty: one for each value of `domain_field` that
    /// is found.
    pub domains: BTreeMap<String, DomainSettings>,
    /// How many hits each module is asked for in each domain, at least; as many
    /// as the result may hold when that is more.
    #[setting(default = 50, min = 1)]
    pub candidates: usize,
    /// Seconds that a domain may take before the result is given without
    /// it; 80 % of the request's time when that is less.
    #[setting(default = 5.0, min = 0.05)]
    pub domain_timeout_seconds: f64,
    /// What happens when a search module fails.
    #[setting(default = OnError::Degrade)]
    pub on_error: OnError,
    /// How the lists of modules become one.
    pub fusion: FusionSettings,
    /// How much each signal raises a hit, as a share of its score.
    pub boosts: BoostSettings,
    /// When hits from outside of the scope are offered beside it.
    pub overflow: OverflowSettings,
    /// Cards, the hits grouped by entity.
    pub cards: CardSettings,
    /// How much the answer cites and asks.
    pub answers: AnswerSettings,
    /// Other names of devices and places, by the name that stands for all.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Who writes the answer: quoted sentences of the entries (`entries`), a
    /// chat model where one is configured (`model`), or nobody (`none`).
    #[setting(default = AnswerBy::Entries, parameter, section = "LLM Processing")]
    pub answer: AnswerBy,
    /// Sampling temperature of the chat model.
    #[setting(default = 0.1, min = 0.0, max = 2.0)]
    pub temperature: f64,
    /// Tokens of the chat model's answer at most.
    #[setting(default = 1_024, min = 1)]
    pub max_tokens: u32,
    /// Characters of all entries that a chat model reads.
    #[setting(default = 12_000, min = 1)]
    pub max_context_chars: usize,
    /// How the answer cites.
    #[setting(default = CitationStyle::EntryId)]
    pub citation_style: CitationStyle,
    /// What the HTTP interface remembers between the questions of a user.
    pub session: SessionSettings,
    /// How often the HTTP interface asks a chat model.
    pub synthesis: SynthesisSettings,
    /// What the HTTP interface counts.
    pub telemetry: TelemetrySettings,
    /// Which questions the HTTP interface lists again.
    pub history: HistorySettings,
}

/// What tells the domain of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DomainField {
    /// What sort of text it is.
    #[default]
    Kind,
    /// Where it came from.
    SourceSystem,
}

/// One domain: which entries belong to it, who finds them, and when it counts
/// more.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct DomainSettings {
    /// Its name for people; its own name when not set.
    pub label: Option<String>,
    /// Kinds of its entries.
    pub kinds: Vec<String>,
    /// Source systems of its entries.
    pub source_systems: Vec<String>,
    /// The search modules that are asked, of those of the pipeline; all when
    /// not set. With modules of its own a domain needs no kinds or source
    /// systems: it holds what they find.
    pub retrieval_modules: Option<Vec<String>>,
    /// How much its hits count beside those of other domains.
    #[setting(default = 1.0, min = 0.0)]
    pub weight: f64,
    /// Intents of a question that it answers best.
    pub intents: Vec<Intent>,
    /// Words of a question that name it, in lower case.
    pub words: Vec<String>,
    /// Beginnings of the addresses of pages that show it.
    pub routes: Vec<String>,
    /// Seconds that it may take; `domain_timeout_seconds` when not set.
    pub timeout_seconds: Option<f64>,
}

/// How the lists of modules become one.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct FusionSettings {
    /// `rrf` (only ranks count), `convex` (scores over their maximum) or
    /// `linear` (scores scaled to 0 to 1).
    #[setting(default = FusionMethod::Rrf)]
    pub method: FusionMethod,
    /// The constant of `rrf`: the larger, the less the first ranks stand out.
    #[setting(default = DEFAULT_K, min = 0.0)]
    pub k: f64,
    /// Weights per module; 1 for a module that is not named.
    pub weights: BTreeMap<String, f64>,
    /// The share of modules that compare embeddings in `convex` and `linear`.
    #[setting(default = 0.5, min = 0.0, max = 1.0)]
    pub alpha: f64,
    /// By how much lists of lexical modules weigh more in `rrf` when the query
    /// is set in capitals or names devices.
    #[setting(default = 2.0, min = 0.0)]
    pub headline_boost: f64,
}

impl FusionSettings {
    /// As the stage takes them.
    pub(crate) fn of_stage(&self) -> StageFusion {
        StageFusion {
            method: self.method,
            k: self.k,
            weights: self.weights.clone(),
            alpha: self.alpha,
            headline_boost: self.headline_boost,
            ..StageFusion::default()
        }
    }
}

/// How much each signal raises a hit, as a share of its score before: 0.35
/// makes it 35 % larger.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct BoostSettings {
    /// Its domain answers the intent of the question.
    #[setting(default = 0.20, min = 0.0)]
    pub intent: f64,
    /// It is about an entity that the question names; or the question names its
    /// domain.
    #[setting(default = 0.35, min = 0.0)]
    pub entity_match: f64,
    /// It is of a time that the question names.
    #[setting(default = 0.35, min = 0.0)]
    pub time_match: f64,
    /// It is of the domain of the page that the question was asked on.
    #[setting(default = 0.35, min = 0.0)]
    pub ambient_route: f64,
    /// It is of the domain of the user's last action.
    #[setting(default = 0.15, min = 0.0)]
    pub last_action_domain: f64,
    /// It is about an entity that the page shows.
    #[setting(default = 0.20, min = 0.0)]
    pub visible_entity: f64,
    /// It is about the entity of the user's last action.
    #[setting(default = 0.25, min = 0.0)]
    pub last_action_entity: f64,
    /// It is about an entity of an earlier question of the session.
    #[setting(default = 0.20, min = 0.0)]
    pub session_entity: f64,
    /// Each other hit that it names, or that names it.
    #[setting(default = 0.10, min = 0.0)]
    pub graph_gravity: f64,
    /// All links together, at most.
    #[setting(default = 0.30, min = 0.0)]
    pub graph_gravity_at_most: f64,
    /// It is as new as the newest hit.
    pub freshness: FreshnessSettings,
    /// All users opened it more often than any other hit.
    #[setting(default = 0.0, min = 0.0)]
    pub popularity: f64,
    /// All boosts of a hit together, at most.
    #[setting(default = 1.0, min = 0.0)]
    pub at_most: f64,
}

/// How much newer hits are raised.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct FreshnessSettings {
    /// What the newest hit gets; 0 turns it off.
    #[setting(default = 0.0, min = 0.0)]
    pub weight: f64,
    /// Days after which a hit gets half as much.
    #[setting(default = 30.0, min = 0.01)]
    pub half_life_days: f64,
}

/// When hits from outside of the scope are offered beside it.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct OverflowSettings {
    /// How many, at most.
    #[setting(default = 3, max = 100)]
    pub most: usize,
    /// The share of the best score in scope that the best of them must have.
    #[setting(default = 0.90, min = 0.0)]
    pub least_share: f64,
    /// The lead of the best hit in scope over the next from which on none is
    /// offered, as a share of the next one's score.
    #[setting(default = 0.25, min = 0.0)]
    pub clear_lead: f64,
}

/// Cards, the hits grouped by entity.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct CardSettings {
    /// How many cards there are, at most.
    #[setting(default = 10, min = 1, max = 100)]
    pub most: usize,
    /// How many facets (entries with their domain) a card shows, at most.
    #[setting(default = 5, min = 1, max = 100)]
    pub facets: usize,
}

/// How much the answer cites and asks.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct AnswerSettings {
    /// Citations, at most.
    #[setting(default = 5, min = 1, max = 100)]
    pub citations: usize,
    /// Follow-up questions, at most.
    #[setting(default = 3, max = 20)]
    pub questions: usize,
    /// Questions back that ask which thing is meant, at most.
    #[setting(default = 2, max = 20)]
    pub clarifying: usize,
    /// The share of the first cluster's score from which on another one is
    /// close: a comparison speaks of close clusters, and a question that could
    /// mean several asks back.
    #[setting(default = 0.80, min = 0.0, max = 1.0)]
    pub close_share: f64,
}

impl UnifiedSettings {
    /// Whether the settings and the facility's prompts can be used.
    pub(crate) fn check(&self, setup: &Setup) -> Result<()> {
        let fusion = self.fusion.of_stage();
        fusion.check().map_err(|error| error.at("fusion"))?;
        for (name, domain) in &self.domains {
            domain.check(name, setup)?;
        }
        check_prompts(&PROMPTS, setup)
    }
}

impl DomainSettings {
    /// A domain that names nothing holds everything, which no other domain
    /// could be told from.
    fn check(&self, name: &str, setup: &Setup) -> Result<()> {
        let at = |key: &str| format!("domains.{name}.{key}");
        let own = self.retrieval_modules.as_deref().unwrap_or_default();
        if let Some(unknown) = own
            .iter()
            .find(|module| !setup.retrieval_modules.contains(module))
        {
            let message = format!(
                "`{unknown}` is not among the `retrieval_modules` of the pipeline, which are: {}",
                setup.retrieval_modules.join(", ")
            );
            return Err(Error::setting(at("retrieval_modules"), message));
        }
        if self.kinds.is_empty() && self.source_systems.is_empty() && own.is_empty() {
            let message = "names no `kinds`, `source_systems` or `retrieval_modules`, and so no \
                           entries of its own";
            return Err(Error::setting(format!("domains.{name}"), message));
        }
        if self
            .timeout_seconds
            .is_some_and(|limit| limit.is_nan() || limit <= 0.0)
        {
            return Err(Error::setting(at("timeout_seconds"), "must be above 0"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn checked(domain: DomainSettings) -> std::result::Result<(), String> {
        let settings = UnifiedSettings {
            domains: BTreeMap::from([("manuals".to_owned(), domain)]),
            ..UnifiedSettings::default()
        };
        let setup = Setup::default().with_retrieval_modules(vec!["keyword".to_owned()]);
        settings.check(&setup).map_err(|error| error.to_string())
    }

    #[test]
    fn a_domain_names_its_entries_and_modules_of_the_pipeline() {
        let modules = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        let nothing = checked(DomainSettings::default()).unwrap_err();
        assert!(nothing.contains("domains.manuals"), "{nothing}");
        let unknown = checked(DomainSettings {
            retrieval_modules: modules(&["remote"]),
            ..DomainSettings::default()
        });
        assert!(unknown.unwrap_err().contains("`remote`"));
        let own = DomainSettings {
            retrieval_modules: modules(&["keyword"]),
            ..DomainSettings::default()
        };
        assert_eq!(checked(own), Ok(()));
        let impatient = DomainSettings {
            kinds: vec!["document".to_owned()],
            timeout_seconds: Some(0.0),
            ..DomainSettings::default()
        };
        assert!(checked(impatient).unwrap_err().contains("timeout_seconds"));
    }

    #[test]
    fn the_numbers_are_those_of_the_specification() {
        let boosts = BoostSettings::default();
        let ambient = [
            boosts.ambient_route,
            boosts.last_action_domain,
            boosts.visible_entity,
            boosts.last_action_entity,
        ];
        assert_eq!(ambient, [0.35, 0.15, 0.20, 0.25]);
        assert_eq!((boosts.intent, boosts.entity_match), (0.20, 0.35));
        let gravity = (boosts.graph_gravity, boosts.graph_gravity_at_most);
        assert_eq!(gravity, (0.10, 0.30));
        assert_eq!((boosts.freshness.weight, boosts.popularity), (0.0, 0.0));
        assert_eq!(boosts.at_most, 1.0);
        let settings = UnifiedSettings::default();
        assert_eq!(settings.fusion.k, 60.0);
        assert_eq!((settings.cards.most, settings.cards.facets), (10, 5));
        assert_eq!(settings.answers.citations, 5);
        assert_eq!(settings.synthesis.answers_per_day, 50);
        assert_eq!(settings.session.minutes, 20);
    }
}
