//! Making instances: from settings that are right and from wrong ones.

use serde_json::{Map, Value, json};

use super::Specimen;
use super::guard::{Contained, contained_now};
use super::report::{Objection, Report, Verdict, does_not_apply};
use super::world::{KEYWORD, World, standing_entries};
use gannet_api::{Descriptor, Error, Example, Plugin, PluginKind, Setup};

/// A plugin on the bench: an instance of its own, and one for each example.
pub(super) struct Bench<'a> {
    pub(super) descriptor: &'a Descriptor,
    /// An instance with no settings, or with those of the first example.
    pub(super) plugin: Plugin,
    /// The examples with their instances.
    trials: Vec<Trial>,
    /// Why examples have none.
    unmade: Vec<String>,
}

/// One example, and an instance with its settings.
pub(super) struct Trial {
    pub(super) example: Example,
    pub(super) plugin: Plugin,
}

impl<'a> Bench<'a> {
    /// Makes the instances. Without one there is nothing more to examine.
    pub(super) fn set_up(specimen: &'a Specimen, report: &mut Report) -> Option<Self> {
        let (plugin, settings) = match base(specimen) {
            Ok(base) => base,
            Err(reason) => {
                report.add("construction", Err(reason.into()));
                return None;
            }
        };
        report.add("construction", Ok(()));
        report.add("wrong_settings", wrong_settings(specimen, &settings));

        let mut trials = Vec::new();
        let mut unmade = Vec::new();
        for example in &specimen.descriptor.examples {
            match made(construct(specimen, Value::Object(example.settings.clone()))) {
                Ok(plugin) => trials.push(Trial {
                    example: example.clone(),
                    plugin,
                }),
                Err(reason) => unmade.push(format!(
                    "example `{}`: its settings give no instance: {reason}",
                    example.description
                )),
            }
        }
        Some(Self {
            descriptor: &specimen.descriptor,
            plugin,
            trials,
            unmade,
        })
    }

    /// The examples, for checks that have no meaning without one.
    pub(super) fn trials(&self) -> Result<&[Trial], Objection> {
        if self.trials.is_empty() {
            let reason = "there is no example to run".to_owned();
            return Err(Objection::DoesNotApply(reason));
        }
        Ok(&self.trials)
    }

    /// The examples, each of which must have its instance.
    pub(super) fn trials_to_check(&self) -> Result<&[Trial], String> {
        if let Some(reason) = self.unmade.first() {
            return Err(reason.clone());
        }
        if self.trials.is_empty() {
            return Err(
                "the descriptor has none: add one with `Descriptor::with_example`".to_owned(),
            );
        }
        Ok(&self.trials)
    }

    /// The examples, or one that stands in for them where there is none.
    pub(super) fn trials_or_stand_in(&self) -> Vec<Trial> {
        if self.trials.is_empty() {
            let example = Example::new("stands in", "RF cavity tripped");
            return vec![Trial {
                example: example.with_entries(standing_entries()),
                plugin: self.plugin.clone(),
            }];
        }
        let trials = self.trials.iter().map(|trial| Trial {
            example: trial.example.clone(),
            plugin: trial.plugin.clone(),
        });
        trials.collect()
    }

    /// A host with the entries of all examples and some more.
    pub(super) fn whole_world(&self) -> World {
        let examples = self.descriptor.examples.iter();
        let of_examples = examples.flat_map(|example| example.entries.iter().cloned());
        World::of(of_examples.chain(standing_entries()), self.descriptor)
    }

    /// Whether the same question must give the same result.
    pub(super) fn must_repeat(&self) -> Verdict {
        if self.descriptor.deterministic {
            return Ok(());
        }
        does_not_apply("the descriptor says that it is not deterministic")
    }
}

/// An instance from empty settings; where the plugin says what it needs, from
/// those of its first example.
fn base(specimen: &Specimen) -> Result<(Plugin, Value), String> {
    let empty = json!({});
    let refusal = match construct(specimen, empty.clone()) {
        Ok(Err(error @ Error::Configuration { .. })) => error,
        outcome => {
            let plugin = made(outcome).map_err(|reason| {
                format!("empty settings must do, or be an `Error::Configuration`: {reason}")
            })?;
            return Ok((plugin, empty));
        }
    };
    let Some(example) = specimen.descriptor.examples.first() else {
        return Err(format!(
            "it needs settings ({refusal}), and no example shows them"
        ));
    };
    let settings = Value::Object(example.settings.clone());
    let plugin = made(construct(specimen, settings.clone())).map_err(|reason| {
        format!("it needs settings ({refusal}), and those of the first example do not do: {reason}")
    })?;
    Ok((plugin, settings))
}

fn construct(specimen: &Specimen, settings: Value) -> Contained<Plugin> {
    let setup = setup(&specimen.descriptor);
    let outcome = contained_now(|| (specimen.construct)(settings, &setup))?;
    match outcome {
        Ok(plugin) if kind_of(&plugin) != specimen.descriptor.kind => Err(format!(
            "the descriptor says {}, and the constructor makes a {}",
            specimen.descriptor.kind.label(),
            kind_of(&plugin).label()
        )),
        outcome => Ok(outcome),
    }
}

fn kind_of(plugin: &Plugin) -> PluginKind {
    match plugin {
        Plugin::SearchModule(_) => PluginKind::SearchModule,
        Plugin::Pipeline(_) => PluginKind::Pipeline,
        Plugin::Adapter(_) => PluginKind::Adapter,
        Plugin::Enhancer(_) => PluginKind::Enhancer,
        Plugin::Embedder(_) => PluginKind::Embedder,
        Plugin::Reranker(_) => PluginKind::Reranker,
        Plugin::Reader(_) => PluginKind::Reader,
        Plugin::ChatModel(_) => PluginKind::ChatModel,
    }
}

/// What the configuration of an ordinary host would say.
fn setup(descriptor: &Descriptor) -> Setup {
    let is_pipeline = descriptor.kind == PluginKind::Pipeline;
    Setup::default()
        .with_instance(descriptor.name.clone())
        .with_retrieval_modules(
            is_pipeline
                .then(|| KEYWORD.to_owned())
                .into_iter()
                .collect(),
        )
        .with_provider(descriptor.needs.chat.then(|| "scripted".to_owned()))
        .with_timezone("UTC")
}

fn made(outcome: Contained<Plugin>) -> Result<Plugin, String> {
    outcome?.map_err(|error| error.to_string())
}

/// Settings of wrong kinds are refused as such.
fn wrong_settings(specimen: &Specimen, right: &Value) -> Verdict {
    let whole = [json!("words"), json!(7), json!(true)];
    let properties = specimen.descriptor.settings_schema.get("properties");
    let properties = properties.and_then(Value::as_object);
    let of_one_key = properties
        .into_iter()
        .flatten()
        .filter_map(|(key, schema)| Some(with(right, key, wrong_value(schema)?)));

    for settings in whole.into_iter().chain(of_one_key) {
        let outcome = construct(specimen, settings.clone());
        match outcome.map_err(|panic| format!("settings {settings}: {panic}"))? {
            Err(Error::Configuration { .. }) => {}
            Err(other) => {
                return Err(format!(
                    "settings {settings} are refused, but not as `Error::Configuration`: {other}"
                )
                .into());
            }
            Ok(_) => return Err(format!("settings {settings} are taken").into()),
        }
    }
    Ok(())
}

fn with(settings: &Value, key: &str, value: Value) -> Value {
    let mut settings = settings.as_object().cloned().unwrap_or_else(Map::new);
    settings.insert(key.to_owned(), value);
    Value::Object(settings)
}

/// A value of none of the kinds that a schema names; none where it names none
/// by itself.
fn wrong_value(schema: &Value) -> Option<Value> {
    let allowed: Vec<&str> = match schema.get("type")? {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let candidates = [("string", json!("words")), ("boolean", json!(true))];
    let wrong = |(kind, _): &(&str, Value)| !allowed.contains(kind);
    candidates.into_iter().find(wrong).map(|(_, value)| value)
}
