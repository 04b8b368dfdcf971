//! The host: it reads the configuration, opens the store, makes the plugins
//! that are on, and offers what surfaces need: search, ingestion, enhancement
//! and status.
//!
//! [`Gannet`] is the whole of it behind one handle. A surface turns what it
//! was asked into a [`SearchInput`], calls [`Gannet::search`], and renders the
//! [`SearchResult`]. There is no branch per mode on the way: a mode is the
//! name of a search module or of a pipeline that the catalogue holds.

// Linked, so that the tests find them.
#[cfg(test)]
use {gannet_index_flat as _, gannet_index_tantivy as _};

mod answering_model;
mod attachments;
pub mod backup;
mod bound_host;
mod bounded_drop;
mod calls;
mod chat;
mod compiled_models;
pub mod config;
mod delivery;
mod digests;
mod disk;
pub mod doctor;
mod dylibs;
mod embedding;
mod enabled;
mod enhancement;
mod entry_count;
mod entry_list;
mod entry_url;
mod error;
pub mod eval;
mod exact_id;
pub mod examination;
mod excluded;
mod export;
mod facet_fields;
mod feedback;
mod gannet;
mod given_entries;
mod histogram;
mod hydrate;
mod ignored_words;
mod ingestion;
mod instance_key;
mod instance_metrics;
mod instance_specs;
mod isolate;
mod kept;
mod kept_state;
mod known_values;
mod lasting;
mod late_interaction;
mod lifecycle;
mod listing;
mod matches;
mod model_calls;
mod model_list;
mod models;
pub mod new_entry;
mod nothing_found;
mod old_lines;
mod outgoing;
mod plan;
mod planning;
mod plugin_state;
mod plugin_threads;
mod prompts;
mod publishing;
mod purge;
mod quarantine;
mod question_cache;
mod question_log;
mod reading;
mod recurrence;
mod rejects;
mod related;
mod relevance;
mod reload;
mod remote_modes;
mod replies;
mod reranking;
mod result;
mod retriever;
mod saved_searches;
mod search;
mod secrets;
mod service_options;
mod services;
mod sessions;
mod set_groups;
mod set_members;
mod short_forms;
mod source;
mod status;
mod stop;
mod store_options;
mod timeline;
mod topic_candidates;
mod topic_forms;
mod topic_members;
mod topic_names;
pub mod tune;
mod typed;
mod uploaded_files;
mod vocabulary;
mod watch;

pub use delivery::{
    DeliveryError, DeliveryReport, DeliveryStatus, Message, MessageEntry, MessageKind,
    TO_THE_MINUTE, feed_of,
};
pub use digests::{DigestProgress, DigestStatus};
pub use dylibs::enter_host;
pub use enabled::Checked;
pub use enhancement::{EnhanceProgress, EnhanceReport, EnhanceRequest};
pub use entry_count::{EntryCount, EntryCountInput};
pub use entry_list::{EntryList, EntryListInput};
pub use error::HostError;
pub use export::ElnReport;
pub use feedback::{Feedback, FeedbackSubject, Verdict};
pub use gannet::Gannet;
pub use histogram::{HISTOGRAM_BOUNDS, Histogram};
pub use ingestion::{
    IngestProgress, IngestReport, IngestRequest, PlannedRun, RejectReason, RunEnd, SkippedFiles,
    SourcePlan,
};
pub use instance_metrics::InstanceMetrics;
pub use lifecycle::{InstanceReport, LifecycleState};
pub use listing::{InstanceState, PluginListing, PluginsListing};
pub use matches::{Counting, Facet, FacetValue, Matches};
pub use model_list::ModelListing;
pub use old_lines::was_replaced;
pub use publishing::{PublishAttempt, PublishError};
pub use purge::{Purged, RetentionReport};
pub use quarantine::Quarantined;
pub use question_cache::QuestionCacheCounts;
pub use recurrence::PairFeatures;
pub use related::{RelatedEntries, SimilarEntry};
pub use relevance::RelevanceFeatures;
pub use result::{SearchHit, SearchResult};
pub use retriever::{
    RetrieverMetadata, RetrieverMethod, RetrieverRequest, RetrieverResponse, RetrieverResult,
};
pub use saved_searches::{NewSearch, SavedSearch, SearchMatch};
pub use search::{EntryOrder, SearchInput};
pub use secrets::redacted;
pub use status::{ModelStatus, Status};
pub use stop::Stop;
pub use timeline::{TimeCount, TimeUnit, Timeline, TimelineInput};
pub use vocabulary::{Concept, ConceptKind, Group, Vocabulary, VocabularyError, read_vocabulary};
pub use watch::{
    Job, SourceReport, SourceStatus, Watch, WatchBoard, WatchEvent, WatchOptions, WatchState,
    WatchedSource,
};

/// The contract, for surfaces and embedders that need its types.
pub use gannet_api as api;
/// The catalogue's crate, for embedders that choose their plugins.
pub use gannet_registry as registry;
/// The store's crate, for its reports and options.
pub use gannet_store as store;
