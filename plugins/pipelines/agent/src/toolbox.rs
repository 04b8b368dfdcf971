//! The tools of one run. Nothing else can be called, whatever a text says.

use boon::{Compiler, ErrorKind, Schemas, ValidationError};
use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::pipeline::Tool;
use gannet_plugin::prelude::{Context, Descriptor, Diagnostic};
use gannet_plugin::provider::ChatTool;
use serde_json::{Value, json};

/// The tool that reads one entry.
pub(crate) const READ_ENTRY: &str = "read_entry";
/// The argument that says how many entries a search gives at most.
const MAX_RESULTS: &str = "max_results";
/// How many faults of a call are reported at once, and how much of each.
const FAULTS_TOLD: usize = 3;
const FAULT_CHARS: usize = 200;

/// The tools of one run.
pub(crate) struct Toolbox(Vec<Offered>);

/// A tool, as it is offered to the model.
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) does: Does,
    description: String,
    arguments: Value,
}

/// What a tool does.
pub(crate) enum Does {
    /// Asks a search module or a pipeline.
    Search(Tool),
    /// Shows one entry.
    ReadEntry,
}

impl Toolbox {
    /// The search modules and pipelines that a configuration names and that
    /// are on, every search module when it names none, and [`READ_ENTRY`].
    /// What cannot be a tool is left out with a note of this source.
    pub(crate) fn of(wanted: &[String], source: &str, context: &Context) -> Self {
        let descriptors = context.descriptors();
        let mut tools = vec![read_entry()];
        let note = |message: String| {
            context.diagnose(Diagnostic::warning(source, message).category("configuration"));
        };
        for name in names(wanted, &descriptors) {
            let Some(tool) = find(&name, &descriptors) else {
                note(format!(
                    "`{name}` is not a tool: no enabled module or pipeline has this name"
                ));
                continue;
            };
            if tools.iter().any(|known| known.name == tool.name) {
                let taken = &tool.name;
                note(format!(
                    "`{name}` is not a tool: `{taken}` is already the name of another one"
                ));
                continue;
            }
            tools.push(Offered::search(tool));
        }
        tools.rotate_left(1);
        Self(tools)
    }

    /// The tool of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Offered> {
        self.0.iter().find(|tool| tool.name == name)
    }

    /// The names of all tools.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// The search modules and pipelines among them.
    pub(crate) fn searches(&self) -> impl Iterator<Item = &Tool> {
        self.0.iter().filter_map(|tool| match &tool.does {
            Does::Search(tool) => Some(tool),
            Does::ReadEntry => None,
        })
    }

    /// The tools, as providers take them.
    pub(crate) fn chat_tools(&self) -> Vec<ChatTool> {
        let chat_tool = |tool: &Offered| {
            ChatTool::new(
                tool.name.clone(),
                tool.description.clone(),
                tool.arguments.clone(),
            )
        };
        self.0.iter().map(chat_tool).collect()
    }

    /// A call of the first tool with the question as it is.
    pub(crate) fn example(&self, question: &str) -> String {
        let tool = self.searches().next().map_or(READ_ENTRY, |tool| &tool.name);
        let thought = "I look for entries about this.";
        json!({ "thought": thought, "tool": tool, "arguments": { "query": question } }).to_string()
    }

    /// The tools in words, for models that are not offered them otherwise.
    pub(crate) fn described(&self) -> String {
        let described = self.0.iter().map(|tool| {
            format!(
                "{}: {}\nArguments (JSON Schema): {}",
                tool.name, tool.description, tool.arguments
            )
        });
        described.collect::<Vec<_>>().join("\n\n")
    }
}

impl Offered {
    fn search(tool: Tool) -> Self {
        Self {
            name: tool.name.clone(),
            description: tool.description.clone(),
            arguments: tool.arguments.clone(),
            does: Does::Search(tool),
        }
    }

    /// The arguments with a number of results that the tool can give, and a
    /// note where another was asked for.
    pub(crate) fn clamped(&self, arguments: &Value) -> (Value, Option<Diagnostic>) {
        let mut arguments = arguments.clone();
        let bounds = &self.arguments["properties"][MAX_RESULTS];
        let asked = arguments.get(MAX_RESULTS).and_then(Value::as_i64);
        let (Some(asked), Some(least), Some(most)) = (
            asked,
            bounds["minimum"].as_i64(),
            bounds["maximum"].as_i64(),
        ) else {
            return (arguments, None);
        };
        let taken = asked.min(most).max(least);
        if taken == asked {
            return (arguments, None);
        }
        arguments[MAX_RESULTS] = taken.into();
        let message = format!("`{MAX_RESULTS}` was {asked}; taken as {taken} ({least} to {most})");
        let note = Diagnostic::info(format!("agent.tools.{}", self.name), message);
        (arguments, Some(note.category("limit")))
    }

    /// What is wrong with the arguments of a call, in words for the model.
    pub(crate) fn faults(&self, arguments: &Value) -> Option<String> {
        const ADDRESS: &str = "https://arguments.invalid/";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler
            .add_resource(ADDRESS, self.arguments.clone())
            .ok()?;
        let schema = compiler.compile(ADDRESS, &mut schemas).ok()?;
        let error = schemas.validate(arguments, schema).err()?;
        let mut faults = Vec::new();
        collect_faults(&error, &mut faults);
        faults.truncate(FAULTS_TOLD);
        Some(faults.join("; "))
    }
}

/// The errors that stand for themselves, each with its place.
fn collect_faults(error: &ValidationError<'_, '_>, faults: &mut Vec<String>) {
    if let ErrorKind::Group | ErrorKind::Schema { .. } | ErrorKind::Reference { .. } = error.kind {
        for cause in &error.causes {
            collect_faults(cause, faults);
        }
        return;
    }
    let fault = format!("{} {}", error.instance_location, error.kind);
    faults.push(fault.trim().chars().take(FAULT_CHARS).collect());
}

fn read_entry() -> Offered {
    Offered {
        name: READ_ENTRY.to_owned(),
        description: "Returns the full text of one entry. Use it when a search shows only the \
                      beginning of a relevant entry."
            .to_owned(),
        arguments: json!({
            "type": "object",
            "properties": {
                "entry_id": {
                    "type": "string",
                    "description": "Id of the entry as shown by a search, without `#`.",
                },
            },
            "required": ["entry_id"],
            "additionalProperties": false,
        }),
        does: Does::ReadEntry,
    }
}

fn names(wanted: &[String], descriptors: &[Descriptor]) -> Vec<String> {
    if !wanted.is_empty() {
        return wanted.to_vec();
    }
    let modules = descriptors.iter();
    modules
        .filter(|descriptor| descriptor.kind == PluginKind::SearchModule)
        .map(|descriptor| descriptor.name.clone())
        .collect()
}

/// A search module stands before a pipeline of the same name.
fn find(name: &str, descriptors: &[Descriptor]) -> Option<Tool> {
    let of_kind = |kind| {
        let mut descriptors = descriptors.iter();
        descriptors.find(|one| one.name == name && one.kind == kind)
    };
    of_kind(PluginKind::SearchModule)
        .or_else(|| of_kind(PluginKind::Pipeline))
        .and_then(Tool::of)
}
