//! The checks of enhancers.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join;
use serde_json::{Map, Value, json};

use super::bench::{Bench, Trial};
use super::guard::{Contained, abandoned_after, contained};
use super::hostile;
use super::report::{Report, Verdict, quoted};
use super::troubled_host::{Trouble, host_errors};
use super::world::{World, standing_entries};
use gannet_api::{Context, DynEnhancer, Enhanced, Entry, Expected, Patch, Plugin};

/// In how many places a call is interrupted.
const PLACES_TO_LEAVE: usize = 8;

pub(super) async fn examine(bench: &Bench<'_>, report: &mut Report) {
    let Plugin::Enhancer(enhancer) = &bench.plugin else {
        let reason = "the constructor made another kind of plugin".to_owned();
        report.add("examples", Err(reason.into()));
        return;
    };
    let desk = Desk { bench, enhancer };
    report.add("examples", examples(bench).await);
    report.add("empty_batch", desk.empty_batch().await);
    report.add("hostile_texts", desk.hostile_texts().await);
    report.add("batches", desk.batches().await);
    report.add("repetition", desk.repetition().await);
    report.add("two_at_once", desk.two_at_once().await);
    report.add("cancellation", desk.cancellation().await);
    report.add("failing_host", desk.failing_host().await);
}

async fn examples(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_to_check()? {
        let of_example = |wrong| format!("example `{}`: {wrong}", trial.example.description);
        example(trial, bench).await.map_err(of_example)?;
    }
    Ok(())
}

async fn example(trial: &Trial, bench: &Bench<'_>) -> Result<(), String> {
    let Expected::Patches(expected) = &trial.example.expected else {
        return Err("it says what is found; say what is added with `Example::adds`".to_owned());
    };
    let Plugin::Enhancer(enhancer) = &trial.plugin else {
        return Err("the constructor made another kind of plugin".to_owned());
    };
    let entries = trial.example.entries.clone();
    let world = World::of(entries.clone(), bench.descriptor);
    let outcomes = outcomes(enhancer, &entries, &world.context()).await?;
    for (id, patch) in expected {
        let entry = entries.iter().find(|entry| entry.entry_id == *id);
        match entry.zip(outcomes.get(id)) {
            None => {
                return Err(format!(
                    "it expects a patch of {}, which it lacks",
                    quoted(id)
                ));
            }
            Some((_, Err(reason))) => return Err(format!("entry {} fails: {reason}", quoted(id))),
            Some((entry, Ok(made))) => compare(patch, &as_json(made, entry))
                .map_err(|wrong| format!("entry {}: {wrong}", quoted(id)))?,
        }
    }
    Ok(())
}

fn as_json(patch: &Patch, entry: &Entry) -> Value {
    let passages = patch.embeddings.iter().flat_map(|all| &all.passages);
    let passages: Vec<Option<&str>> = passages
        .map(|passage| entry.raw_text.get(passage.start..passage.end))
        .collect();
    json!({
        "keywords": patch.keywords,
        "summary": patch.summary,
        "metadata": patch.metadata,
        "passages": passages,
    })
}

/// Compares the keys that an example names, and within `metadata` too.
fn compare(expected: &Value, made: &Value) -> Result<(), String> {
    let nothing = Map::new();
    for (key, value) in expected.as_object().unwrap_or(&nothing) {
        let Some(actual) = made.get(key) else {
            return Err(format!("it adds no `{key}`"));
        };
        if key == "metadata" {
            compare(value, actual)?;
        } else if value != actual {
            return Err(format!("`{key}` is {actual} and not {value}"));
        }
    }
    Ok(())
}

type Outcomes = BTreeMap<String, Result<Patch, String>>;

/// What a plugin makes of a batch that it has no reason to fail.
async fn outcomes(
    enhancer: &Arc<dyn DynEnhancer>,
    entries: &[Entry],
    context: &Context,
) -> Result<Outcomes, String> {
    let enhanced = enhanced(enhancer, entries, context).await?;
    let enhanced = enhanced.map_err(|error| format!("the whole batch fails: {error}"))?;
    sorted(enhanced, entries)
}

async fn enhanced(
    enhancer: &Arc<dyn DynEnhancer>,
    entries: &[Entry],
    context: &Context,
) -> Contained<Vec<Enhanced>> {
    contained(enhancer.enhance(entries.to_vec(), context)).await
}

/// Outcomes by entry: one for each, and each good in itself.
fn sorted(enhanced: Vec<Enhanced>, entries: &[Entry]) -> Result<Outcomes, String> {
    let mut outcomes = Outcomes::new();
    for Enhanced {
        entry_id, outcome, ..
    } in enhanced
    {
        let Some(entry) = entries.iter().find(|entry| entry.entry_id == entry_id) else {
            return Err(format!(
                "{} is not an entry of the batch",
                quoted(&entry_id)
            ));
        };
        if let Ok(patch) = &outcome {
            let of_entry = |wrong| format!("entry {}: {wrong}", quoted(&entry_id));
            check_passages(patch, entry).map_err(of_entry)?;
        }
        if outcomes.insert(entry_id.clone(), outcome).is_some() {
            return Err(format!("entry {} has two outcomes", quoted(&entry_id)));
        }
    }
    let lacks = |entry: &&Entry| !outcomes.contains_key(&entry.entry_id);
    match entries.iter().find(lacks) {
        Some(entry) => Err(format!("entry {} has no outcome", quoted(&entry.entry_id))),
        None => Ok(outcomes),
    }
}

/// Passages lie in the text, and their vectors are numbers.
fn check_passages(patch: &Patch, entry: &Entry) -> Result<(), String> {
    let passages = patch.embeddings.iter().flat_map(|all| &all.passages);
    for passage in passages {
        let (start, end) = (passage.start, passage.end);
        if entry.raw_text.get(start..end).is_none() {
            return Err(format!(
                "the passage {start} to {end} is not part of its text"
            ));
        }
        if !passage.vector.iter().all(|number| number.is_finite()) {
            return Err(format!(
                "the vector of {start} to {end} is not made of numbers"
            ));
        }
    }
    Ok(())
}

/// An enhancer and entries for it.
struct Desk<'a> {
    bench: &'a Bench<'a>,
    enhancer: &'a Arc<dyn DynEnhancer>,
}

impl Desk<'_> {
    fn world(&self) -> World {
        self.bench.whole_world()
    }

    async fn empty_batch(&self) -> Verdict {
        outcomes(self.enhancer, &[], &self.world().context()).await?;
        Ok(())
    }

    async fn hostile_texts(&self) -> Verdict {
        let world = self.world();
        let mut entries = standing_entries();
        for (index, (what, text)) in hostile::texts().into_iter().enumerate() {
            let mut entry = entries[0].clone();
            entry.entry_id = format!("hostile-{index}");
            entry.raw_text = text;
            entry
                .metadata
                .insert("title".to_owned(), json!(["no", "text"]));
            let alone = outcomes(self.enhancer, &[entry.clone()], &world.context()).await;
            alone.map_err(|wrong| format!("a text {what}: {wrong}"))?;
            entries.push(entry);
        }
        outcomes(self.enhancer, &entries, &world.context()).await?;
        Ok(())
    }

    /// What an entry gets does not hang on the batch that it is in.
    async fn batches(&self) -> Verdict {
        self.bench.must_repeat()?;
        let world = self.world();
        let together = outcomes(self.enhancer, &world.entries, &world.context()).await?;
        for entry in &world.entries {
            let batch = std::slice::from_ref(entry);
            let alone = outcomes(self.enhancer, batch, &world.context()).await?;
            if alone.get(&entry.entry_id) != together.get(&entry.entry_id) {
                let id = quoted(&entry.entry_id);
                return Err(format!("entry {id} gets something else in a batch than alone").into());
            }
        }
        Ok(())
    }

    async fn repetition(&self) -> Verdict {
        self.bench.must_repeat()?;
        let world = self.world();
        let first = outcomes(self.enhancer, &world.entries, &world.context()).await?;
        let again = outcomes(self.enhancer, &world.entries, &world.context()).await?;
        self.same(&first, &again, "the same batch twice gets two outcomes")
    }

    async fn two_at_once(&self) -> Verdict {
        let world = self.world();
        let (one, other) = world.entries.split_at(world.entries.len() / 2);
        let alone = [
            outcomes(self.enhancer, one, &world.context()).await?,
            outcomes(self.enhancer, other, &world.context()).await?,
        ];
        let contexts = [Trouble::Stalls, Trouble::Stalls].map(|t| world.troubled_context(t));
        let (first, second) = join(
            outcomes(self.enhancer, one, &contexts[0]),
            outcomes(self.enhancer, other, &contexts[1]),
        )
        .await;
        let wrong = "two batches at once get something else than each alone";
        self.same(&alone[0], &first?, wrong)?;
        self.same(&alone[1], &second?, wrong)
    }

    async fn cancellation(&self) -> Verdict {
        let world = self.world();
        let before = outcomes(self.enhancer, &world.entries, &world.context()).await?;
        for polls in 1..=PLACES_TO_LEAVE {
            let context = world.troubled_context(Trouble::Stalls);
            let work = self.enhancer.enhance(world.entries.clone(), &context);
            abandoned_after(polls, work)
                .map_err(|panic| format!("dropped after {polls} polls, it {panic}"))?;
        }
        let after = outcomes(self.enhancer, &world.entries, &world.context()).await;
        let after = after.map_err(|wrong| format!("after calls that were dropped, {wrong}"))?;
        self.same(
            &before,
            &after,
            "calls that were dropped change the next one",
        )
    }

    async fn failing_host(&self) -> Verdict {
        let world = self.world();
        for error in host_errors() {
            let trouble = format!("with a host that fails ({error}), it ");
            let context = world.troubled_context(Trouble::Fails(error));
            let outcome = enhanced(self.enhancer, &world.entries, &context).await;
            if let Ok(enhanced) = outcome.map_err(|panic| format!("{trouble}{panic}"))? {
                sorted(enhanced, &world.entries)
                    .map_err(|wrong| format!("{trouble}goes on: {wrong}"))?;
            }
        }
        Ok(())
    }

    fn same(&self, one: &Outcomes, other: &Outcomes, wrong: &str) -> Verdict {
        if self.bench.descriptor.deterministic && one != other {
            return Err(wrong.to_owned().into());
        }
        Ok(())
    }
}
