//! What an agent sees of a search module or a pipeline.
//!
//! A [`Tool`] is made from a descriptor and nothing else, so that a module of
//! one's own is a tool without a word of code. [`Tool::read`] turns the
//! arguments of a call into the request that the module is given.
//!
//! ```
//! use gannet_api::{Descriptor, ReadOptions, Tool};
//! use serde_json::json;
//!
//! let descriptor = Descriptor::search_module("keyword", "Keyword", "Finds entries with the words of a query.");
//! let tool = Tool::of(&descriptor).ok_or("a search module is a tool")?;
//! assert_eq!(tool.name, "keyword_search");
//! assert_eq!(tool.arguments["required"], json!(["query"]));
//!
//! let arguments = json!({"query": "RF trip", "max_results": 5, "end_date": "2024-01-31"});
//! let request = tool.read(&arguments, &ReadOptions::default())?;
//! assert_eq!((request.query.as_str(), request.limit), ("RF trip", 5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod read;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Descriptor, PluginKind};

pub use read::{ReadOptions, ToolError};

/// The end of a search module's name as a tool.
const SEARCH: &str = "_search";

/// What an agent sees of a search module or a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    /// Its name for the agent: `keyword_search` of the search module
    /// `keyword`, the instance's own name of a pipeline.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments, an object that allows no others.
    pub arguments: Value,
    /// The instance that is asked, by the name that it has in the
    /// configuration; [`Context::search_module`](crate::Context::search_module)
    /// takes it.
    pub mode: String,
    /// A search module or a pipeline.
    pub kind: PluginKind,
    /// How many entries a call gets that does not say.
    #[serde(default = "arguments::default_results")]
    pub results: usize,
}

impl Tool {
    /// The tool that a search module or a pipeline is; `None` for every other
    /// kind.
    ///
    /// A search module's arguments are those that it declares, its parameters
    /// with [`Exposure::Agent`](crate::Exposure::Agent), and where it has none
    /// of that name `max_results` (1 to 50), `start_date`, `end_date`,
    /// `author` and `source_system`. A pipeline has the argument `query` and its
    /// parameters of that exposure: how deep it searches is the host's. It gives
    /// as many entries as its parameter `final_k` says, or five.
    pub fn of(descriptor: &Descriptor) -> Option<Self> {
        let (name, arguments, results) = match descriptor.kind {
            PluginKind::SearchModule => (
                search_name(&descriptor.name),
                arguments::of_search_module(descriptor),
                arguments::default_results(),
            ),
            PluginKind::Pipeline => (
                descriptor.name.clone(),
                arguments::of_pipeline(descriptor),
                arguments::results_of_pipeline(descriptor),
            ),
            _ => return None,
        };
        Some(Self {
            name,
            description: descriptor
                .tool_description
                .as_ref()
                .unwrap_or(&descriptor.description)
                .clone(),
            arguments,
            mode: descriptor.name.clone(),
            kind: descriptor.kind,
            results,
        })
    }
}

fn search_name(mode: &str) -> String {
    match mode.ends_with(SEARCH) {
        true => mode.to_owned(),
        false => format!("{mode}{SEARCH}"),
    }
}
