//! Boosts: by what a hit is raised, each with its name and reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Entry, Hit};
use gannet_stages::time_fit;
use jiff::Timestamp;
use serde::Serialize;

use crate::entity::{Entity, Origin};
use crate::entries::{Entries, EntryText};
use crate::intent::Intent;
use crate::links::links_of;
use crate::planning::{Boost, DomainWeight, Plan};
use crate::settings::BoostSettings;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What raised one hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Boosts {
    pub(crate) boosts: Vec<Boost>,
    /// All together, as a share of the score before.
    pub(crate) total: f64,
    /// Whether the total was more than is allowed.
    pub(crate) is_capped: bool,
}

impl Boosts {
    fn of(boosts: Vec<Boost>, at_most: f64) -> Self {
        let sum: f64 = boosts.iter().map(|boost| boost.value).sum();
        Self {
            boosts,
            total: sum.min(at_most),
            is_capped: sum > at_most,
        }
    }
}

/// What hits are raised by, for one question and its hits.
pub(crate) struct Raiser<'a> {
    host: &'a QueryPlan,
    plan: &'a Plan,
    settings: &'a BoostSettings,
    timezone: &'a str,
    links: HashMap<String, usize>,
    newest: Option<Timestamp>,
    popular: &'a BTreeMap<String, u64>,
}

impl<'a> Raiser<'a> {
    /// For these hits and their entries.
    pub(crate) fn new(
        (host, plan): (&'a QueryPlan, &'a Plan),
        settings: &'a BoostSettings,
        timezone: &'a str,
        popular: &'a BTreeMap<String, u64>,
        (hits, entries): (&[Hit], &Entries),
    ) -> Self {
        let times = hits.iter().filter_map(|hit| entries.get(&hit.entry_id));
        let links = match settings.graph_gravity > 0.0 {
            true => links_of(hits, entries),
            false => HashMap::new(),
        };
        Self {
            host,
            plan,
            settings,
            timezone,
            links,
            newest: times.map(|(entry, _)| entry.timestamp).max(),
            popular,
        }
    }

    /// The boosts of a hit: those of its domain, then its own.
    pub(crate) fn boosts(
        &self,
        domain: &DomainWeight,
        (entry, text): (&Entry, &EntryText),
    ) -> Boosts {
        let mut boosts = domain.boosts.clone();
        let own = [
            self.entity_match(entry, text),
            self.time_match(entry),
            self.given(Origin::Visible, entry, text),
            self.given(Origin::LastAction, entry, text),
            self.given(Origin::Session, entry, text),
            self.gravity(entry),
            self.freshness(entry),
            self.popularity(entry),
        ];
        boosts.extend(own.into_iter().flatten());
        Boosts::of(boosts, self.settings.at_most)
    }

    /// The share of the entities that the question names. Where things are
    /// compared, an entry about one of them is all that can be hoped for.
    fn entity_match(&self, entry: &Entry, text: &EntryText) -> Option<Boost> {
        let named = self.plan.entities.iter();
        let named: Vec<&Entity> = named.filter(|one| one.origin == Origin::Question).collect();
        let found: Vec<&Entity> = named
            .iter()
            .filter(|entity| entity.is_in(entry, text))
            .copied()
            .collect();
        let first = found.first()?;
        let share = match self.plan.intent {
            Intent::Compare => 1.0,
            _ => wishes(&found) as f64 / wishes(&named) as f64,
        };
        let mut names: Vec<&str> = found.iter().map(|entity| entity.name.as_str()).collect();
        names.dedup();
        let reason = match found.len() {
            1 => format!("it is about {}, which the question names", first.name),
            _ => format!(
                "it is about {}, which the question names",
                names.join(" and ")
            ),
        };
        Boost::new("entity_match", self.settings.entity_match * share, reason)
    }

    fn time_match(&self, entry: &Entry) -> Option<Boost> {
        self.host.soft_times().next()?;
        let fit = time_fit(entry, self.host, self.timezone);
        let reason = "it is of the time that the question names";
        Boost::new("time_match", self.settings.time_match * fit, reason)
    }

    /// For an entity that the page, the last action or the session names.
    fn given(&self, origin: Origin, entry: &Entry, text: &EntryText) -> Option<Boost> {
        let (name, value, why) = match origin {
            Origin::Visible => (
                "visible_entity",
                self.settings.visible_entity,
                "the page shows",
            ),
            Origin::LastAction => (
                "last_action_entity",
                self.settings.last_action_entity,
                "the last action was on",
            ),
            Origin::Session => (
                "session_entity",
                self.settings.session_entity,
                "an earlier question named",
            ),
            Origin::Question => return None,
        };
        let mut of_origin = self.plan.entities.iter().filter(|one| one.origin == origin);
        let entity = of_origin.find(|entity| entity.is_in(entry, text))?;
        Boost::new(
            name,
            value,
            format!("it is about {}, which {why}", entity.name),
        )
    }

    fn gravity(&self, entry: &Entry) -> Option<Boost> {
        let links = *self.links.get(&entry.entry_id)?;
        let settings = self.settings;
        let value = settings.graph_gravity * links as f64;
        let reason = match links {
            1 => "it is linked with 1 other hit".to_owned(),
            links => format!("it is linked with {links} other hits"),
        };
        Boost::new(
            "graph_gravity",
            value.min(settings.graph_gravity_at_most),
            reason,
        )
    }

    /// By its age beside the newest hit; the clock would give another result
    /// tomorrow.
    fn freshness(&self, entry: &Entry) -> Option<Boost> {
        let settings = &self.settings.freshness;
        let newest = self.newest.filter(|_| settings.weight > 0.0)?;
        let age = newest.duration_since(entry.timestamp).as_secs_f64() / DAY;
        let share = 0.5_f64.powf(age.max(0.0) / settings.half_life_days);
        let reason = "it is as new as the newest hit, or nearly";
        Boost::new("freshness", settings.weight * share, reason)
    }

    fn popularity(&self, entry: &Entry) -> Option<Boost> {
        let most = self.popular.values().max().filter(|most| **most > 0)?;
        let own = self.popular.get(&entry.entry_id)?;
        let share = *own as f64 / *most as f64;
        let reason = "users open it often";
        Boost::new("popularity", self.settings.popularity * share, reason)
    }
}

/// How many things are named: several readings of one place are one.
fn wishes(entities: &[&Entity]) -> usize {
    let spans = entities.iter().filter_map(|entity| entity.span);
    let spans: BTreeSet<(usize, usize)> = spans.collect();
    spans.len()
        + entities
            .iter()
            .filter(|entity| entity.span.is_none())
            .count()
}
