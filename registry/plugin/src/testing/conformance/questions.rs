//! The checks of search modules and pipelines.

use futures::future::join;
use serde_json::{Value, json};

use super::bench::{Bench, Trial};
use super::descriptor::settable;
use super::hostile;
use super::question::{Question, say_the_same};
use super::report::{Report, Verdict, does_not_apply, quoted};
use super::troubled_host::{Trouble, host_errors};
use super::world::World;
use gannet_api::{
    Condition, Error, Expected, Filter, FilterField, ParameterDescriptor, ParameterType, Plugin,
    PluginKind, TimeRange,
};

/// In how many places a call is interrupted.
const PLACES_TO_LEAVE: usize = 8;

pub(super) async fn examine(bench: &Bench<'_>, report: &mut Report) {
    report.add("examples", examples(bench).await);
    report.add("blank_questions", blank_questions(bench).await);
    report.add("hostile_questions", hostile_questions(bench).await);
    report.add("limit", limit(bench).await);
    report.add("filter", filter(bench).await);
    report.add("default_parameters", default_parameters(bench).await);
    report.add("wrong_parameters", wrong_parameters(bench).await);
    report.add("repetition", repetition(bench).await);
    report.add("two_at_once", two_at_once(bench).await);
    report.add("cancellation", cancellation(bench).await);
    report.add("failing_host", failing_host(bench).await);
}

async fn examples(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_to_check()? {
        let of_example = |wrong| format!("example `{}`: {wrong}", trial.example.description);
        example(trial, bench).await.map_err(of_example)?;
    }
    Ok(())
}

async fn example(trial: &Trial, bench: &Bench<'_>) -> Result<(), String> {
    let Expected::Entries(expected) = &trial.example.expected else {
        return Err("it says what is added; say what is found with `Example::finds`".to_owned());
    };
    let world = trial.world(bench);
    let question = Question::of(&trial.example);
    let answer = question.answer(&trial.plugin, &world).await?;
    let (what, ids) = match bench.descriptor.kind {
        PluginKind::Pipeline => ("cites", answer.citations),
        _ => ("finds", hit_ids(answer.hits)),
    };
    if ids != *expected {
        return Err(format!("it {what} {ids:?} and not {expected:?}"));
    }
    Ok(())
}

fn hit_ids(hits: Vec<gannet_api::Hit>) -> Vec<String> {
    hits.into_iter().map(|hit| hit.entry_id).collect()
}

impl Trial {
    /// The host that the example describes.
    fn world(&self, bench: &Bench<'_>) -> World {
        World::of_example(&self.example, bench.descriptor)
    }
}

async fn blank_questions(bench: &Bench<'_>) -> Verdict {
    let world = bench.whole_world();
    for text in ["", " ", "\n\t"] {
        let question = Question::new(text, 5);
        question.answer_or_refusal(&bench.plugin, &world).await?;
        let filtered = question.filtered_by(author("J. Smith"));
        filtered.answer_or_refusal(&bench.plugin, &world).await?;
    }
    Ok(())
}

async fn hostile_questions(bench: &Bench<'_>) -> Verdict {
    let world = bench.whole_world();
    for text in hostile::questions() {
        let question = Question::new(&text, 5);
        question.answer_or_refusal(&bench.plugin, &world).await?;
    }
    Ok(())
}

/// Every entry has doubles, so that more are found than are wanted.
async fn limit(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_or_stand_in() {
        let world = World::with_doubles(&trial.example, bench.descriptor);
        let question = Question::of(&trial.example);
        for limit in [1, 2, 10_000] {
            let question = question.limited_to(limit);
            let answer = question.answer(&trial.plugin, &world).await;
            answer.map_err(|wrong| format!("with the limit {limit}, {wrong}"))?;
        }
    }
    Ok(())
}

/// Some filters let nothing through that the question would find otherwise.
async fn filter(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_or_stand_in() {
        let world = World::with_doubles(&trial.example, bench.descriptor);
        let question = Question::of(&trial.example);
        for (what, filter) in filters(&world) {
            let question = question.filtered_by(filter);
            let answer = question.answer(&trial.plugin, &world).await;
            answer.map_err(|wrong| format!("with a filter on {what}, {wrong}"))?;
        }
    }
    Ok(())
}

fn filters(world: &World) -> Vec<(&'static str, Filter)> {
    let times = || world.entries.iter().map(|entry| entry.timestamp);
    let half = world.entries.iter().step_by(2);
    let half = half.map(|entry| entry.entry_id.clone()).collect();
    let before_all = TimeRange {
        from: None,
        until: times().min(),
    };
    let from_the_last = TimeRange {
        from: times().max(),
        until: None,
    };
    let time = |range| Filter::none().and(FilterField::Timestamp, Condition::Time(range));
    let mut filters = vec![
        ("an author that nobody is", author("nobody of this name")),
        ("times before all entries", time(before_all)),
        ("times from the last entry on", time(from_the_last)),
        (
            "ids",
            Filter::none().and(FilterField::EntryId, Condition::AnyOf(half)),
        ),
    ];
    let named = world.entries.iter().find(|entry| !entry.author.is_empty());
    filters.extend(named.map(|entry| ("an author", author(&entry.author))));
    filters
}

fn author(name: &str) -> Filter {
    Filter::none().and(FilterField::Author, Condition::Equals(name.to_owned()))
}

async fn default_parameters(bench: &Bench<'_>) -> Verdict {
    let mut defaults = settable(bench.descriptor)
        .filter(|parameter| !parameter.default.is_null())
        .peekable();
    if defaults.peek().is_none() {
        return does_not_apply("there are no parameters with defaults");
    }
    let trials = bench.trials_or_stand_in();
    let trial = &trials[0];
    let world = trial.world(bench);
    for parameter in defaults {
        let question = Question::of(&trial.example);
        let question = question.with_param(&parameter.name, parameter.default.clone());
        let answer = question.answer(&trial.plugin, &world).await;
        answer.map_err(|wrong| {
            let name = &parameter.name;
            format!(
                "with `{name}` at its default {}, {wrong}",
                parameter.default
            )
        })?;
    }
    Ok(())
}

async fn wrong_parameters(bench: &Bench<'_>) -> Verdict {
    let mut parameters = settable(bench.descriptor).peekable();
    if parameters.peek().is_none() {
        return does_not_apply("there are no parameters");
    }
    let trials = bench.trials_or_stand_in();
    let trial = &trials[0];
    let world = trial.world(bench);
    for parameter in parameters {
        for value in wrong_values(parameter) {
            let question = Question::of(&trial.example);
            let question = question.with_param(&parameter.name, value.clone());
            let outcome = question.ask(&trial.plugin, &world.context()).await;
            let set = format!("with `{}` set to {value}", parameter.name);
            match outcome.map_err(|panic| format!("{set}, it {panic}"))? {
                Err(Error::InvalidInput { .. }) => {}
                Err(other) => {
                    return Err(format!(
                        "{set}, it fails, and not as `Error::InvalidInput`: {other}"
                    )
                    .into());
                }
                Ok(_) => return Err(format!("{set}, it answers: refuse it").into()),
            }
        }
    }
    Ok(())
}

fn wrong_values(parameter: &ParameterDescriptor) -> Vec<Value> {
    match parameter.parameter_type {
        ParameterType::Float => vec![json!("many"), json!([1])],
        ParameterType::Int => vec![json!("many"), json!(1.5), json!([1])],
        ParameterType::Bool => vec![json!("maybe"), json!(7)],
        ParameterType::Select => vec![json!("none of the options"), json!([7])],
        ParameterType::Date | ParameterType::Text | ParameterType::DynamicSelect => {
            vec![json!({"no": "text"}), json!([7])]
        }
    }
}

async fn repetition(bench: &Bench<'_>) -> Verdict {
    bench.must_repeat()?;
    for trial in bench.trials_or_stand_in() {
        let world = World::with_doubles(&trial.example, bench.descriptor);
        let question = Question::of(&trial.example);
        let first = question.answer(&trial.plugin, &world).await?;
        let again = question.answer(&trial.plugin, &world).await?;
        if !say_the_same(&first, &again) {
            let asked = quoted(&question.text);
            return Err(format!("the question {asked} is answered in two ways").into());
        }
    }
    Ok(())
}

/// Two calls that wait for the host in turn.
async fn two_at_once(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_or_stand_in() {
        let world = World::with_doubles(&trial.example, bench.descriptor);
        let of_example = Question::of(&trial.example);
        let of_another = of_example.limited_to(1);
        let alone = [
            outcome(&of_example, &trial.plugin, &world).await?,
            outcome(&of_another, &trial.plugin, &world).await?,
        ];
        let contexts = [Trouble::Stalls, Trouble::Stalls].map(|t| world.troubled_context(t));
        let (first, second) = join(
            of_example.ask(&trial.plugin, &contexts[0]),
            of_another.ask(&trial.plugin, &contexts[1]),
        )
        .await;
        for (question, alone, together) in [
            (&of_example, &alone[0], first),
            (&of_another, &alone[1], second),
        ] {
            let asked = format!("the question {} beside another", quoted(&question.text));
            let together = together.map_err(|panic| format!("{asked}: {panic}"))?.ok();
            if let Some(answer) = &together {
                let checked = question.check(answer, &world);
                checked.map_err(|wrong| format!("{asked}: {wrong}"))?;
            }
            let same = match (alone, &together) {
                (Some(alone), Some(together)) => say_the_same(alone, together),
                (alone, together) => alone.is_none() == together.is_none(),
            };
            if bench.descriptor.deterministic && !same {
                return Err(format!("{asked} is answered in another way than alone").into());
            }
        }
    }
    Ok(())
}

/// The answer, or nothing where the plugin refuses the question.
async fn outcome(
    question: &Question,
    plugin: &Plugin,
    world: &World,
) -> Result<Option<gannet_api::Answer>, String> {
    Ok(question.ask(plugin, &world.context()).await?.ok())
}

async fn cancellation(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_or_stand_in() {
        let world = trial.world(bench);
        let question = Question::of(&trial.example);
        let before = question.answer(&trial.plugin, &world).await?;
        for polls in 1..=PLACES_TO_LEAVE {
            let context = world.troubled_context(Trouble::Stalls);
            let left = question.ask_and_leave(&trial.plugin, &context, polls);
            left.map_err(|panic| format!("dropped after {polls} polls, it {panic}"))?;
        }
        let after = question.answer(&trial.plugin, &world).await;
        let after = after.map_err(|wrong| format!("after calls that were dropped, {wrong}"))?;
        if bench.descriptor.deterministic && !say_the_same(&before, &after) {
            return Err("calls that were dropped change the next answer"
                .to_owned()
                .into());
        }
    }
    Ok(())
}

async fn failing_host(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_or_stand_in() {
        let world = trial.world(bench);
        let question = Question::of(&trial.example);
        for error in host_errors() {
            let trouble = format!("with a host that fails ({error}), it ");
            let context = world.troubled_context(Trouble::Fails(error));
            let outcome = question.ask(&trial.plugin, &context).await;
            if let Ok(answer) = outcome.map_err(|panic| format!("{trouble}{panic}"))? {
                let checked = question.check(&answer, &world);
                checked.map_err(|wrong| format!("{trouble}answers: {wrong}"))?;
            }
        }
    }
    Ok(())
}
