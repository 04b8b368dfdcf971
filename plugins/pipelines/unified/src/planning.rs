//! The plan: what is asked, of what, and what therefore counts more, each with
//! its reason.

use std::collections::BTreeMap;

use gannet_plugin::filter::fold;
use gannet_plugin::plan::{EntityKind, PlanEntity, QueryPlan};
use gannet_plugin::query::is_stop_word;
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{subject_of, syntax_of, words};
use serde::Serialize;

use crate::aliases::{Aliases, Thing};
use crate::ambient::Ambient;
use crate::domains::{Domain, Domains};
use crate::entity::{Entity, EntityType, Origin};
use crate::entries::holds_phrase;
use crate::intent::{Intent, intent_of};
use crate::names::kind_of;
use crate::settings::BoostSettings;

/// A question with fewer words that say something may be about the entities of
/// the session.
const CONTENT_WORDS_TO_STAND_ALONE: usize = 3;
/// Words that stand for something that was named before.
const POINTING_WORDS: [&str; 10] = [
    "it", "its", "that", "this", "they", "them", "their", "there", "these", "those",
];

/// What was decided before anything was searched.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) intent: Intent,
    pub(crate) intent_reason: String,
    pub(crate) entities: Vec<Entity>,
    /// Domains that the page or the caller puts first; empty for none.
    pub(crate) scope: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope_reason: Option<String>,
    /// Domains that the caller puts first and that are not configured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unknown_scope: Vec<String>,
    /// The weight of each domain that is known before the search.
    pub(crate) domains: Vec<DomainWeight>,
    /// What the modules are asked.
    pub(crate) search_text: String,
    pub(crate) syntax: QuerySyntax,
    /// What the answer is about.
    #[serde(skip)]
    pub(crate) subject: String,
    /// Names of the things that were named before and are meant again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) leans_on: Vec<String>,
}

/// How much a domain counts, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomainWeight {
    pub(crate) domain: String,
    /// Its base weight.
    pub(crate) base: f64,
    /// What its hits get on top, as shares of their scores.
    pub(crate) boosts: Vec<Boost>,
}

/// A named boost and its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Boost {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) reason: String,
}

impl Boost {
    /// A boost, unless it is turned off.
    pub(crate) fn new(name: &'static str, value: f64, reason: impl Into<String>) -> Option<Self> {
        (value > 0.0).then(|| Self {
            name,
            value,
            reason: reason.into(),
        })
    }
}

/// What a plan is made from.
pub(crate) struct Planner<'a> {
    pub(crate) host: &'a QueryPlan,
    pub(crate) question: &'a str,
    pub(crate) ambient: &'a Ambient,
    pub(crate) domains: &'a Domains,
    pub(crate) aliases: &'a Aliases,
    pub(crate) boosts: &'a BoostSettings,
}

impl Planner<'_> {
    /// The plan.
    pub(crate) fn plan(&self) -> Plan {
        let (intent, intent_reason) = intent_of(self.host);
        let (scope, scope_reason) = self.scope();
        let entities = self.entities();
        let syntax = syntax_of(self.question);
        let leans_on = match syntax {
            QuerySyntax::Plain => self.named_before(&entities),
            QuerySyntax::Operators => Vec::new(),
        };
        let mut plan = Plan {
            intent,
            intent_reason,
            search_text: self.search_text(&entities, &leans_on, syntax),
            subject: subject_of(self.question, syntax),
            leans_on: leans_on.into_iter().map(str::to_owned).collect(),
            entities,
            scope,
            scope_reason,
            unknown_scope: self.unknown_scope(),
            domains: Vec::new(),
            syntax,
        };
        let mut known: Vec<Domain> = self.domains.configured().to_vec();
        if self.domains.are_open() {
            let named = plan.scope.iter().chain(&self.ambient.last_domain);
            known.extend(named.filter_map(|name| self.domains.get(name)));
            known.sort_by(|a, b| a.name.cmp(&b.name));
            known.dedup_by(|a, b| a.name == b.name);
        }
        plan.domains = known.iter().map(|one| self.weight(one, &plan)).collect();
        plan
    }

    /// How much a domain counts under this plan.
    pub(crate) fn weight(&self, domain: &Domain, plan: &Plan) -> DomainWeight {
        let (name, boosts) = (&domain.name, self.boosts);
        let intent = domain.intents.contains(&plan.intent);
        let question = words(self.question).join(" ");
        let word = domain
            .words
            .iter()
            .find(|word| holds_phrase(&question, word));
        let is_in_scope = plan.scope.contains(name);
        let is_last = self.ambient.last_domain.as_ref() == Some(name);
        let given = [
            intent.then(|| {
                let reason = format!("{} answers {}", domain.label, plan.intent.name());
                Boost::new("intent", boosts.intent, reason)
            }),
            word.map(|word| {
                let reason = format!("`{word}` names {}", domain.label);
                Boost::new("domain_named", boosts.entity_match, reason)
            }),
            is_in_scope.then(|| {
                let reason = plan.scope_reason.clone().unwrap_or_default();
                Boost::new("ambient_route", boosts.ambient_route, reason)
            }),
            is_last.then(|| {
                let reason = "the last action was there";
                Boost::new("last_action_domain", boosts.last_action_domain, reason)
            }),
        ];
        DomainWeight {
            domain: name.clone(),
            base: domain.weight,
            boosts: given.into_iter().flatten().flatten().collect(),
        }
    }

    /// What the caller puts first and is no domain.
    fn unknown_scope(&self) -> Vec<String> {
        let is_unknown = |name: &&String| self.domains.get(name).is_none();
        let scope = self.ambient.scope.iter();
        scope.filter(is_unknown).cloned().collect()
    }

    /// The domains that come first, and why.
    fn scope(&self) -> (Vec<String>, Option<String>) {
        let known = |name: &&String| self.domains.get(name).is_some();
        let chosen: Vec<String> = self.ambient.scope.iter().filter(known).cloned().collect();
        if !chosen.is_empty() {
            let reason = format!("the scope is {}", chosen.join(", "));
            return (chosen, Some(reason));
        }
        let Some(route) = &self.ambient.route else {
            return (Vec::new(), None);
        };
        let of_route = self.domains.of_route(route);
        let reason = format!("the question was asked on {route}");
        let reason = (!of_route.is_empty()).then_some(reason);
        (of_route, reason)
    }

    /// What the question is about, each thing once: as it names it, then as
    /// the last action, the page and the session do.
    fn entities(&self) -> Vec<Entity> {
        let mut all: BTreeMap<String, Entity> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut add = |entity: Entity| {
            if !all.contains_key(&entity.key) {
                order.push(entity.key.clone());
                all.insert(entity.key.clone(), entity);
            }
        };
        for (thing, used) in self.aliases.named_in(self.question) {
            let reason = match used == thing.name {
                true => "the question names it".to_owned(),
                false => format!("`{used}` is another name of it"),
            };
            add(thing.entity(Origin::Question, reason));
        }
        self.host
            .entities
            .iter()
            .filter_map(|one| self.named(one))
            .for_each(&mut add);
        let ambient = self.ambient;
        let given = [
            (
                ambient.last_entity.as_slice(),
                Origin::LastAction,
                "the last action was on it",
            ),
            (
                &ambient.visible_entities,
                Origin::Visible,
                "the page shows it",
            ),
            (
                &ambient.session_entities,
                Origin::Session,
                "an earlier question named it",
            ),
        ];
        for (names, origin, reason) in given {
            for name in names {
                add(self.given(name, origin, reason));
            }
        }
        order
            .into_iter()
            .filter_map(|key| all.remove(&key))
            .collect()
    }

    /// An entity of the host's plan, unless another name of a known thing.
    fn named(&self, entity: &PlanEntity) -> Option<Entity> {
        let clauses: Vec<_> = entity.clause().into_iter().collect();
        let span = entity.span.as_ref().map(|span| (span.start, span.end));
        if let Some(thing) = self.aliases.resolve(&entity.value) {
            let reason = format!("`{}` names it", entity.value);
            return Some(Entity {
                clauses,
                span,
                ..thing.entity(Origin::Question, reason)
            });
        }
        let kind = EntityType::of(entity.kind);
        let written = span.and_then(|(start, end)| self.host.text.get(start..end));
        let name = match entity.field {
            None => entity.value.clone(),
            Some(_) => written.unwrap_or(&entity.value).to_owned(),
        };
        (!name.trim().is_empty()).then(|| Entity {
            key: Entity::key_of(kind, &entity.value),
            kind,
            name,
            aliases: Vec::new(),
            origin: Origin::Question,
            reason: match &entity.field {
                Some(field) => format!("a value of `{}`", field.query_name()),
                None => "a name by its form".to_owned(),
            },
            span,
            clauses,
            counts_in_text: !matches!(
                entity.kind,
                EntityKind::Author | EntityKind::Shift | EntityKind::Logbook | EntityKind::Source
            ),
        })
    }

    /// An entity that is given by its name or its key.
    fn given(&self, name: &str, origin: Origin, reason: &str) -> Entity {
        let (kind, name) = Entity::of_key(name);
        if let Some(thing) = self.aliases.resolve(name) {
            return thing.entity(origin, reason.to_owned());
        }
        let kind = kind.or_else(|| kind_of(name));
        let kind = kind.unwrap_or(EntityType::Place);
        Entity {
            key: Entity::key_of(kind, name),
            kind,
            name: name.to_owned(),
            aliases: Vec::new(),
            origin,
            reason: reason.to_owned(),
            span: None,
            clauses: Vec::new(),
            counts_in_text: true,
        }
    }

    /// What the modules are asked: the question, with the name that stands for
    /// all where it uses another one, and with what was named before where it
    /// leans on that. A query with operators stays as it is.
    fn search_text(&self, entities: &[Entity], leans_on: &[&str], syntax: QuerySyntax) -> String {
        if syntax == QuerySyntax::Operators {
            return self.question.to_owned();
        }
        let lower = fold(self.question);
        let named = entities
            .iter()
            .filter(|entity| entity.origin == Origin::Question && !entity.aliases.is_empty())
            .map(|entity| entity.name.as_str())
            .filter(|name| !holds_phrase(&lower, &fold(name)));
        let mut parts = vec![self.question];
        parts.extend(named);
        parts.extend(leans_on);
        parts.join(" ")
    }

    /// The things that the question leans on: where it names none itself and
    /// points back, or says too little to stand alone.
    fn named_before(&self, entities: &[Entity]) -> Vec<&str> {
        let of_question = entities.iter().filter(|one| one.origin == Origin::Question);
        let kinds: Vec<EntityType> = of_question.map(|entity| entity.kind).collect();
        if kinds.iter().any(|kind| kind.is_a_thing()) {
            return Vec::new();
        }
        let ambient = self.ambient;
        if self.points_back() {
            let page: &[String] = match ambient.visible_entities.as_slice() {
                // Of several things that a page shows, none is meant.
                [_, _, ..] => &[],
                at_most_one => at_most_one,
            };
            let before = [
                ambient.session_entities.as_slice(),
                ambient.last_entity.as_slice(),
                page,
            ];
            let nearest = before.into_iter().find(|names| !names.is_empty());
            return self.names_of(nearest.unwrap_or_default());
        }
        match kinds.is_empty() && self.says_little() {
            true => self.names_of(&ambient.session_entities),
            false => Vec::new(),
        }
    }

    /// The names that stand for all, of things that are given by any of theirs.
    fn names_of<'n>(&'n self, given: &'n [String]) -> Vec<&'n str> {
        let names = given.iter().map(|given| Entity::of_key(given).1);
        let known = names.map(|name| {
            let thing = self.aliases.resolve(name);
            thing.map_or(name, |thing| thing.name.as_str())
        });
        known.collect()
    }

    /// Whether the question has a word for something named before; "this" of
    /// "this week" is none.
    fn points_back(&self) -> bool {
        let rest = words(&self.host.residual());
        rest.iter()
            .any(|word| POINTING_WORDS.contains(&word.as_str()))
    }

    fn says_little(&self) -> bool {
        let all = words(self.question);
        let content = all.iter().filter(|word| !is_stop_word(word)).count();
        content > 0 && content < CONTENT_WORDS_TO_STAND_ALONE
    }
}

impl Thing {
    fn entity(&self, origin: Origin, reason: String) -> Entity {
        Entity {
            key: Entity::key_of(self.kind, &self.name),
            kind: self.kind,
            name: self.name.clone(),
            aliases: self.aliases.clone(),
            origin,
            reason,
            span: None,
            clauses: Vec::new(),
            counts_in_text: true,
        }
    }
}
