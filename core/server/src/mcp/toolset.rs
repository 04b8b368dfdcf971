//! The tools of the server.

use std::sync::Arc;

use gannet_core::Gannet;
use gannet_core::api::{Tool, schema_of};
use gannet_core::registry::schema::Schema;
use rmcp::model::{JsonObject, Tool as McpTool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::Value;

use super::about::{self, CapabilitiesReply, NoArguments, StatusReply};
use super::browse::{self, BrowseArguments, BrowseReply};
use super::count::{self, CountArguments, CountReply};
use super::create::{self, CreateArguments, CreateReply};
use super::entries::{self, EntriesArguments, EntriesReply, EntryArguments};
use super::entry_view::WholeEntry;
use super::filter_options::{self, FilterOptionsArguments, FilterOptionsReply};
use super::publish::{self, PublishArguments, PublishReply};
use super::saved::{self, DeleteArguments, MatchesArguments, MatchesReply};
use super::search::{self, SearchReply};
use crate::auth::Scope;
use crate::saved_searches::{
    SearchCreate, SearchDeleted, SearchReply as SavedSearch, SearchesReply,
};

/// The names of the server's own tools; a pipeline of such a name is none.
const OWN_NAMES: [&str; 13] = [
    browse::NAME,
    count::NAME,
    filter_options::NAME,
    entries::GET,
    entries::BY_IDS,
    create::NAME,
    publish::NAME,
    saved::LIST,
    saved::CREATE,
    saved::DELETE,
    saved::MATCHES,
    about::CAPABILITIES,
    about::STATUS,
];

/// The tools of the server, in the order in which they are listed.
pub(super) struct ToolSet(Vec<Offered>);

/// A tool, as clients see it, and what it does.
pub(super) struct Offered {
    pub(super) listed: McpTool,
    pub(super) schema: Schema,
    pub(super) action: Action,
}

/// What a tool does.
pub(super) enum Action {
    /// Asks a search module or a pipeline.
    Search(Box<Tool>),
    Browse,
    CountEntries,
    FilterOptions,
    EntryGet,
    EntriesByIds,
    EntryCreate,
    EntryPublish,
    SavedSearches,
    SavedSearchCreate,
    SavedSearchDelete,
    SavedSearchMatches,
    Capabilities,
    Status,
}

impl Action {
    /// Whether it computes, without being a search that is admitted as such.
    pub(super) fn computes(&self) -> bool {
        matches!(
            self,
            Self::Browse
                | Self::CountEntries
                | Self::FilterOptions
                | Self::SavedSearches
                | Self::SavedSearchCreate
                | Self::SavedSearchDelete
                | Self::SavedSearchMatches
                | Self::Status
        )
    }

    /// What a tool that writes is to an agent; `None` for one that reads.
    fn writing(&self) -> Option<ToolAnnotations> {
        let (is_destructive, is_open_world) = match self {
            Self::EntryCreate | Self::SavedSearchCreate => (false, false),
            Self::EntryPublish => (false, true),
            Self::SavedSearchDelete => (true, false),
            _ => return None,
        };
        let writes = ToolAnnotations::new().read_only(false).idempotent(false);
        Some(writes.destructive(is_destructive).open_world(is_open_world))
    }

    /// What a caller needs for it.
    pub(super) fn scope(&self) -> Scope {
        match self {
            Self::EntryCreate | Self::EntryPublish => Scope::Ingest,
            _ => Scope::Search,
        }
    }
}

impl ToolSet {
    /// The tools of a host: one of each search module and pipeline, and those
    /// of the server itself.
    pub(super) fn of(gannet: &Gannet) -> Self {
        let mut tools = Self(Vec::new());
        tools.add_searches(gannet);
        tools.add::<BrowseArguments, BrowseReply>(
            browse::NAME,
            browse::DESCRIPTION,
            Action::Browse,
        );
        tools.add::<CountArguments, CountReply>(
            count::NAME,
            count::DESCRIPTION,
            Action::CountEntries,
        );
        tools.add::<FilterOptionsArguments, FilterOptionsReply>(
            filter_options::NAME,
            filter_options::DESCRIPTION,
            Action::FilterOptions,
        );
        tools.add::<EntryArguments, WholeEntry>(
            entries::GET,
            entries::GET_DESCRIPTION,
            Action::EntryGet,
        );
        tools.add::<EntriesArguments, EntriesReply>(
            entries::BY_IDS,
            entries::BY_IDS_DESCRIPTION,
            Action::EntriesByIds,
        );
        if gannet.config().server.allow_mcp_writes {
            tools.add::<CreateArguments, CreateReply>(
                create::NAME,
                create::DESCRIPTION,
                Action::EntryCreate,
            );
        }
        if gannet.config().server.allow_mcp_writes && gannet.writing().is_some() {
            tools.add::<PublishArguments, PublishReply>(
                publish::NAME,
                publish::DESCRIPTION,
                Action::EntryPublish,
            );
        }
        tools.add_saved_searches();
        tools.add::<NoArguments, CapabilitiesReply>(
            about::CAPABILITIES,
            about::CAPABILITIES_DESCRIPTION,
            Action::Capabilities,
        );
        tools.add::<NoArguments, StatusReply>(
            about::STATUS,
            about::STATUS_DESCRIPTION,
            Action::Status,
        );
        tools
    }

    fn add_searches(&mut self, gannet: &Gannet) {
        for descriptor in gannet.modes() {
            let Some(tool) = Tool::of(&descriptor) else {
                continue;
            };
            let listed = listed::<SearchReply>(&tool.name, &tool.description);
            self.insert(
                listed.with_title(descriptor.label),
                search::arguments(&tool),
                Action::Search(Box::new(tool)),
            );
        }
    }

    fn add_saved_searches(&mut self) {
        self.add::<NoArguments, SearchesReply>(
            saved::LIST,
            saved::LIST_DESCRIPTION,
            Action::SavedSearches,
        );
        self.add::<SearchCreate, SavedSearch>(
            saved::CREATE,
            saved::CREATE_DESCRIPTION,
            Action::SavedSearchCreate,
        );
        self.add::<DeleteArguments, SearchDeleted>(
            saved::DELETE,
            saved::DELETE_DESCRIPTION,
            Action::SavedSearchDelete,
        );
        self.add::<MatchesArguments, MatchesReply>(
            saved::MATCHES,
            saved::MATCHES_DESCRIPTION,
            Action::SavedSearchMatches,
        );
    }

    /// Adds a tool of the server itself.
    fn add<Arguments: JsonSchema, Reply: JsonSchema>(
        &mut self,
        name: &str,
        description: &str,
        action: Action,
    ) {
        let mut listed = listed::<Reply>(name, description);
        if let Some(writing) = action.writing() {
            listed.annotations = Some(writing);
        }
        self.insert(listed, schema_of::<Arguments>(), action);
    }

    /// The tool of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Offered> {
        self.0.iter().find(|tool| tool.listed.name == name)
    }

    /// Every tool.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Offered> {
        self.0.iter()
    }

    /// Leaves out a tool whose name is taken, or whose schema is not valid; a
    /// plugin that is loaded may have brought it.
    fn insert(&mut self, mut listed: McpTool, arguments: Value, action: Action) {
        let name = listed.name.clone();
        let is_taken = matches!(action, Action::Search(_)) && OWN_NAMES.contains(&name.as_ref());
        if is_taken || self.get(&name).is_some() {
            tracing::warn!("`{name}` is not a tool of MCP: the name is taken");
            return;
        }
        let schema = match Schema::new(&arguments) {
            Ok(schema) => schema,
            Err(reason) => {
                tracing::warn!("`{name}` is not a tool of MCP: its schema is not valid: {reason}");
                return;
            }
        };
        listed.input_schema = object(arguments);
        self.0.push(Offered {
            listed,
            schema,
            action,
        });
    }
}

/// A tool that reads, with the schema of its result.
fn listed<Reply: JsonSchema>(name: &str, description: &str) -> McpTool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    let input = Arc::new(JsonObject::new());
    McpTool::new(name.to_owned(), description.to_owned(), input)
        .with_raw_output_schema(object(schema_of::<Reply>()))
        .with_annotations(annotations)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(members) => Arc::new(members),
        other => Arc::new(JsonObject::from_iter([("const".to_owned(), other)])),
    }
}
