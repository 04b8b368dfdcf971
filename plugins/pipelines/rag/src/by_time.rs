//! Questions for the last or the first of something. The search finds by
//! relevance, so that the newest entry that is meant may not be among what it
//! gave: what lies beyond the newest one found is searched again, until nothing
//! is left.

use std::collections::HashSet;

use gannet_plugin::filter::{Condition, FilterClause, FilterField, TimeRange};
use gannet_plugin::plan::{QueryPlan, TimeOrder};
use gannet_plugin::prelude::{Entry, Result};
use gannet_stages::{PlanLeg, Relevance, around, entity_clauses};
use jiff::Timestamp;

use crate::matching::Meant;
use crate::method::Choice;
use crate::ranking::Ranked;
use crate::run::Run;
use crate::search_text::SearchText;

/// Searches at most. Each gives the best of what is left, of which the newest
/// is further on, so that few are needed.
const ROUNDS: usize = 6;

impl Run<'_> {
    /// Adds the entries that are meant and lie beyond those that were found, in
    /// the order that the question asks for.
    ///
    /// # Errors
    /// Those of the search and of reading entries.
    pub(crate) async fn reach_in_time(
        &self,
        search: &SearchText,
        choice: &Choice,
        ranked: &mut Ranked,
        relevance: &mut Relevance,
    ) -> Result<()> {
        let Some(order) = search.plan.time_order() else {
            return Ok(());
        };
        for _ in 0..ROUNDS {
            let Some(reached) = self.reached(search, order, ranked, relevance) else {
                return Ok(());
            };
            let leg = beyond(&search.plan, order, reached);
            let mut found = self.search_leg(search, choice, &leg).await?;
            let known: HashSet<&str> = ranked.hits.iter().map(|h| h.entry_id.as_str()).collect();
            found.retain(|hit| !known.contains(hit.entry_id.as_str()));
            if found.is_empty() {
                return Ok(());
            }
            // They are not above what the question's own search found.
            let last = ranked.hits.last().map_or(0.0, |hit| hit.score);
            for hit in &mut found {
                hit.score = last;
            }
            let more = self.read(found, false).await?;
            ranked.hits.extend(more.hits);
            ranked.entries.extend(more.entries);
        }
        Ok(())
    }

    /// The time of the last entry that an answer would show: of the newest or
    /// the oldest that are meant, as many as the question wants.
    fn reached(
        &self,
        search: &SearchText,
        order: TimeOrder,
        ranked: &Ranked,
        relevance: &mut Relevance,
    ) -> Option<Timestamp> {
        let hits = ranked.hits.iter();
        let entries: Vec<&Entry> = hits
            .filter_map(|hit| ranked.entries.get(&hit.entry_id))
            .collect();
        let meant = Meant::of(search, &entries, relevance, &self.setup.timezone)?;
        let entries = entries.iter().filter(|entry| meant.has(entry));
        let mut times: Vec<Timestamp> = entries.map(|entry| entry.timestamp).collect();
        times.sort_unstable();
        if order == TimeOrder::Newest {
            times.reverse();
        }
        let wanted = search.plan.entries_wanted.unwrap_or(1).max(1);
        times.get(wanted - 1).copied()
    }
}

/// What lies beyond a time, of the things and of the first time that the
/// question names.
fn beyond(plan: &QueryPlan, order: TimeOrder, reached: Timestamp) -> PlanLeg {
    let (from, until) = plan.soft_times().next().map_or((None, None), around);
    let range = match order {
        TimeOrder::Newest => TimeRange {
            from: Some(reached),
            until,
        },
        TimeOrder::Oldest => TimeRange {
            from,
            until: Some(reached),
        },
    };
    let mut clauses = entity_clauses(plan);
    clauses.push(FilterClause {
        field: FilterField::Timestamp,
        condition: Condition::Time(range),
    });
    PlanLeg {
        label: String::new(),
        clauses,
    }
}
