//! One call of a tool, from the model's arguments to what the model sees.

use std::collections::HashMap;

use gannet_plugin::host::Diagnostics;
use gannet_plugin::pipeline::{ReadOptions, Tool};
use gannet_plugin::prelude::{Context, Diagnostic, Entry, Error, Hit, Result, SearchRequest};
use gannet_plugin::provider::ToolCall;
use gannet_plugin::search::ScoreKind;
use gannet_stages::{ModuleHits, neutral_line};
use serde_json::Value;

use crate::findings::Findings;
use crate::observation::Observation;
use crate::settings::AgentSettings;
use crate::toolbox::{Does, Offered, Toolbox};

/// Characters of a name that a model made up, where it is repeated.
const NAME_CHARS: usize = 60;

/// What calls of tools are made with.
pub(crate) struct Caller<'a> {
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) settings: &'a AgentSettings,
    pub(crate) options: &'a ReadOptions,
    pub(crate) findings: &'a Findings,
    pub(crate) timezone: &'a str,
    pub(crate) context: &'a Context,
}

/// What a call gave.
pub(crate) struct Done {
    pub(crate) observation: Observation,
    pub(crate) outcome: Outcome,
    /// What the tool noted.
    pub(crate) notes: Vec<Diagnostic>,
}

/// What a call means for the run.
pub(crate) enum Outcome {
    /// The model made a mistake.
    Mistake,
    /// A tool cannot do what it was asked.
    Refused(Error),
    /// A search answered.
    Found(Searched),
    /// An entry was read.
    Read(Box<Entry>),
    /// A tool failed.
    Failed { tool: String, error: Error },
}

/// What a search answered.
pub(crate) struct Searched {
    pub(crate) list: ModuleHits,
    pub(crate) entries: HashMap<String, Entry>,
    /// Results that were none.
    pub(crate) garbage: usize,
}

impl Caller<'_> {
    /// Carries out a call of the model.
    pub(crate) async fn call(&self, call: &ToolCall) -> Done {
        let Some(tool) = self.toolbox.get(&call.name) else {
            let wanted: String = neutral_line(&call.name).chars().take(NAME_CHARS).collect();
            let there_are = self.toolbox.names().join(", ");
            return Done::mistake(&format!(
                "there is no tool `{wanted}`; tools are {there_are}"
            ));
        };
        let arguments = tidied(&call.arguments);
        match &tool.does {
            Does::Search(search) => self.call_search(tool, search, &arguments).await,
            Does::ReadEntry => self.call_read(tool, &arguments).await,
        }
    }

    /// Asks a search module or a pipeline.
    pub(crate) async fn search(&self, tool: &Tool, request: SearchRequest) -> Done {
        let mut own = self.bounded();
        own.diagnostics = Diagnostics::default();
        let outcome = find(tool, request, &own).await;
        let (observation, outcome) = match outcome {
            Ok(searched) => {
                let Searched { list, entries, .. } = &searched;
                let observation = Observation::results(&list.hits, entries, self.timezone);
                (observation, Outcome::Found(searched))
            }
            Err(error) => failed(&tool.name, &tool.mode, error),
        };
        Done {
            observation,
            outcome,
            notes: own.diagnostics.take(),
        }
    }

    async fn call_search(&self, offered: &Offered, tool: &Tool, arguments: &Value) -> Done {
        let (arguments, clamped) = offered.clamped(arguments);
        let arguments = &arguments;
        let is_blank = |query: &Value| query.as_str().is_some_and(|text| text.trim().is_empty());
        if !arguments.get("query").is_some_and(is_blank)
            && let Some(faults) = offered.faults(arguments)
        {
            return Done::mistake(&faults);
        }
        match tool.read(arguments, self.options) {
            Ok(request) => {
                let mut done = self.search(tool, request).await;
                done.notes.extend(clamped);
                done
            }
            Err(error) => Done::mistake(&error.to_string()),
        }
    }

    async fn call_read(&self, offered: &Offered, arguments: &Value) -> Done {
        if let Some(faults) = offered.faults(arguments) {
            return Done::mistake(&faults);
        }
        let asked = arguments.get("entry_id").and_then(Value::as_str);
        let asked = asked.unwrap_or_default().trim();
        let (observation, outcome) = match self.read(asked).await {
            Ok(Some(entry)) => {
                let max_chars = self.settings.max_entry_chars;
                let observation = Observation::entry(&entry, max_chars, self.timezone);
                (observation, Outcome::Read(Box::new(entry)))
            }
            Ok(None) => return Done::mistake("no entry has this id; use one from a search result"),
            Err(error) => failed(&offered.name, &offered.name, error),
        };
        Done {
            observation,
            outcome,
            notes: Vec::new(),
        }
    }

    /// An entry by its id, which may be written with its sign. It can be read
    /// when a search of this run gave it, or could have.
    async fn read(&self, asked: &str) -> Result<Option<Entry>> {
        let without_sign = asked.strip_prefix('#').unwrap_or(asked);
        let ids = vec![asked.to_owned(), without_sign.to_owned()];
        let entries = self.bounded().entries(ids).await?;
        let may_be_seen = |entry: &Entry| {
            self.findings.hold(&entry.entry_id) || self.options.filter.matches(entry)
        };
        Ok(entries.into_iter().next().filter(may_be_seen))
    }

    /// The context of one call: it ends with its own time, or with 80 % of
    /// what is left, so that there is time to answer.
    fn bounded(&self) -> Context {
        let deadline = self.context.call.deadline.for_part();
        let deadline = deadline.at_most(self.settings.tool_timeout());
        self.context.with_deadline(deadline)
    }
}

impl Done {
    /// A call that the model got wrong.
    pub(crate) fn mistake(message: &str) -> Self {
        Self {
            observation: Observation::error(message),
            outcome: Outcome::Mistake,
            notes: Vec::new(),
        }
    }
}

/// The hit of an entry that was read and not found by a search.
pub(crate) fn hit_of(entry: &Entry) -> Hit {
    Hit::new(&entry.entry_id, &entry.kind, 0.0, ScoreKind::None)
}

async fn find(tool: &Tool, request: SearchRequest, context: &Context) -> Result<Searched> {
    let limit = request.limit;
    let hits = context.search_module(&tool.mode, request).await?;
    let mut list = ModuleHits::new(&tool.mode, hits);
    let garbage = list.clean();
    list.hits.truncate(limit);
    let mut entries = HashMap::new();
    if !list.hits.is_empty() {
        let ids = list.hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let known = context.entries(ids).await?.into_iter();
        entries.extend(known.map(|entry| (entry.entry_id.clone(), entry)));
        // An entry that is gone by now is no result.
        list.hits.retain(|hit| entries.contains_key(&hit.entry_id));
    }
    Ok(Searched {
        list,
        entries,
        garbage,
    })
}

/// A refusal of the input tells the model what to change. Of every other
/// failure it gets the category and no more: the rest is for the operator.
fn failed(name: &str, tool: &str, error: Error) -> (Observation, Outcome) {
    match error {
        Error::InvalidInput { ref message } => {
            (Observation::error(message), Outcome::Refused(error))
        }
        error => {
            let message = format!(
                "{name} failed ({}); try another tool, or answer from what was found",
                error.category()
            );
            let tool = tool.to_owned();
            (
                Observation::error(&message),
                Outcome::Failed { tool, error },
            )
        }
    }
}

/// Arguments without nulls, which stand for what is not given; written as
/// JSON in a text, they are read.
fn tidied(arguments: &Value) -> Value {
    let read = arguments
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let mut arguments = read.unwrap_or_else(|| arguments.clone());
    if arguments.is_null() {
        return Value::Object(serde_json::Map::new());
    }
    if let Some(object) = arguments.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    arguments
}
