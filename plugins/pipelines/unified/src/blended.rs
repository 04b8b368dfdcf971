//! The answer to a comparison: one quote for each thing.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Entry;
use gannet_stages::{ComposedAnswer, Quote};

use crate::compared::only_one;
use crate::context_answer::{Code, Draft, Status, Trust};
use crate::entity::Entity;
use crate::grouping::Cluster;
use crate::intent::Intent;
use crate::ranking::Ranked;
use crate::run::Run;

/// Clusters that a comparison speaks of, at most.
const COMPARED_AT_MOST: usize = 3;
/// What stands before quotes that may answer.
const MAY_ANSWER: &str = "This may answer the question:";

/// What is said of one of the things.
struct Side {
    /// Its name with a colon, where it has one.
    name: String,
    quote: Quote,
    status: AnswerStatus,
    confidence: Option<f64>,
}

impl Run<'_> {
    /// A comparison speaks of the things that it names, else of those that fit
    /// about equally. A thing of whose entries no sentence answers is left out,
    /// and where fewer than two are left nothing is compared.
    pub(crate) async fn blended(
        &self,
        ranked: &Ranked,
        clusters: &[Cluster],
        shown: &[Entry],
    ) -> Option<Draft> {
        if self.plan.intent != Intent::Compare {
            return None;
        }
        let given: Vec<String> = shown.iter().map(|entry| entry.entry_id.clone()).collect();
        let compared = self.compared();
        let spoken_of: Vec<&Cluster> = match compared.is_empty() {
            true => self.close(clusters),
            false => {
                let is_compared = |one: &&Cluster| compared.iter().any(|own| own.key == one.key);
                clusters.iter().filter(is_compared).collect()
            }
        };
        let mut sides = Vec::new();
        for cluster in spoken_of.into_iter().take(COMPARED_AT_MOST) {
            let entries = entries_of(cluster, ranked, &given);
            let entries = of_one_thing(entries, &compared, ranked);
            let composed = self.composed(ranked, &entries).await;
            if let Some(mut side) = side(cluster, composed) {
                let style = self.settings.citation_style;
                side.quote.mark = style.mark(&side.quote.entry_id, &given);
                sides.push(side);
            }
        }
        sides.truncate(self.settings.answers.citations);
        let reason = match compared.is_empty() {
            true => format!("{} that fit about equally are compared", sides.len()),
            false => format!("{} that the question names are compared", sides.len()),
        };
        (sides.len() > 1).then(|| draft(sides, reason))
    }
}

/// What is said of a thing, where a sentence answers or may answer.
fn side(cluster: &Cluster, composed: ComposedAnswer) -> Option<Side> {
    let answers = matches!(
        composed.status,
        AnswerStatus::Grounded | AnswerStatus::Partial
    );
    if !answers || composed.is_unread {
        return None;
    }
    Some(Side {
        name: match cluster.is_of_entity() {
            true => format!("{}: ", cluster.name),
            false => String::new(),
        },
        quote: composed.quotes.into_iter().next()?,
        status: composed.status,
        confidence: composed.confidence,
    })
}

/// The sides, one a line; as sure as the least sure of them.
fn draft(sides: Vec<Side>, reason: String) -> Draft {
    let is_grounded = |side: &Side| side.status == AnswerStatus::Grounded;
    let (status, code, answer_status, opening) = match sides.iter().all(is_grounded) {
        true => (Status::Grounded, Code::Blended, AnswerStatus::Grounded, ""),
        false => (
            Status::Insufficient,
            Code::ClosestEntries,
            AnswerStatus::Partial,
            MAY_ANSWER,
        ),
    };
    let mut summary = opening.to_owned();
    let mut highlights = Vec::new();
    for side in &sides {
        if !summary.is_empty() {
            summary.push('\n');
        }
        if !opening.is_empty() {
            summary.push_str("- ");
        }
        summary.push_str(&side.name);
        let start = summary.len() + side.quote.lead_in.len();
        let ranges = side.quote.highlights.iter();
        highlights.extend(ranges.map(|range| range.start + start..range.end + start));
        summary.push_str(&side.quote.line());
    }
    let confidences = sides.iter().filter_map(|side| side.confidence);
    Draft {
        status,
        code,
        summary,
        reason,
        trust: Trust {
            status: answer_status,
            confidence: confidences.min_by(f64::total_cmp),
            highlights,
            is_unread: false,
        },
        quotes: sides.into_iter().map(|side| side.quote).collect(),
    }
}

/// The entries of a cluster that the result shows.
fn entries_of(cluster: &Cluster, ranked: &Ranked, shown: &[String]) -> Vec<Entry> {
    let hits = cluster
        .places
        .iter()
        .filter_map(|place| ranked.hits.get(*place));
    let entries = hits.filter_map(|one| ranked.entries.get(&one.hit.entry_id));
    let is_shown = |entry: &&Entry| shown.contains(&entry.entry_id);
    entries
        .map(|(entry, _)| entry)
        .filter(is_shown)
        .cloned()
        .collect()
}

/// Of entries, those that are about one of the compared things only, if any is.
fn of_one_thing(entries: Vec<Entry>, compared: &[&Entity], ranked: &Ranked) -> Vec<Entry> {
    let is_of_one = |entry: &&Entry| {
        let read = ranked.entries.get(&entry.entry_id);
        read.is_some_and(|(entry, text)| only_one(compared, entry, text).is_some())
    };
    let own: Vec<Entry> = entries.iter().filter(is_of_one).cloned().collect();
    match own.is_empty() {
        true => entries,
        false => own,
    }
}
