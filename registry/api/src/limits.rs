//! The most that the host takes of what a plugin returns. What is longer is
//! cut, and a marker says how much was left out.
//!
//! A plugin runs in the host's process: these limits do not bound the memory
//! that it uses itself. They bound what is shown, sent to a caller, written to
//! a log or passed on to other plugins.

use std::time::Duration;

/// Bytes of an entry's id in a result. Ids of sources are URLs at most, and
/// those end at about 2,000 bytes.
pub const ID_BYTES: usize = 4 * 1024;

/// Bytes of a name: a kind, a module, a source or category of a diagnostic.
pub const NAME_BYTES: usize = 256;

/// Bytes of the message of an error or a diagnostic: a screen of text.
pub const MESSAGE_BYTES: usize = 4 * 1024;

/// Diagnostics of one call. A person reads fewer.
pub const DIAGNOSTICS: usize = 200;

/// Parameters of a plugin: more than a form shows.
pub const PARAMETERS: usize = 256;

/// Values that a parameter lists.
pub const OPTIONS: usize = 1000;

/// Models of a plugin; sets of training data and languages of a model.
pub const MODELS: usize = 64;

/// Bytes of the text of an entry that comes with a hit.
pub const ENTRY_BYTES: usize = 1024 * 1024;

/// Bytes of a value that an instance keeps.
pub const STATE_VALUE_BYTES: usize = 64 * 1024;

/// Bytes of all keys and values that an instance keeps.
pub const STATE_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes, as JSON, of what an instance remembers of one conversation.
pub const SESSION_VALUE_BYTES: usize = 64 * 1024;

/// Bytes of all conversations that the host remembers.
pub const SESSIONS_BYTES: usize = 64 * 1024 * 1024;

/// Conversations that the host remembers.
pub const SESSIONS: usize = 10_000;

/// How long a conversation is remembered that nobody continues.
pub const SESSION_IDLE: Duration = Duration::from_secs(20 * 60);

/// Counts and times of one instance on the page of metrics.
pub const METRICS: usize = 32;

/// Bytes of the name of one of them.
pub const METRIC_NAME_BYTES: usize = 64;

/// Events of a pipeline that another plugin runs.
pub const EVENTS: usize = 10_000;

/// Bytes of a highlight, and of the passage of a hit: more than a module shows
/// of one entry, less than an entry.
pub const FRAGMENT_BYTES: usize = 16 * 1024;

/// Highlights of a hit, and matching places of a highlight.
pub const FRAGMENTS: usize = 100;

/// Modules in the provenance of a hit, and in the list of those that
/// contributed.
pub const MODULES: usize = 64;

/// Bytes of an answer in words, of a piece of it that is streamed, and of how
/// it came about: about 40,000 words, more than any model writes at once.
pub const ANSWER_BYTES: usize = 256 * 1024;

/// Ids among the citations, and among the sources, of an answer: as many as
/// entries can be asked for.
pub const CITATIONS: usize = 1000;

/// Entries that are scored word by word in one call: more than a search ranks.
pub const SCORED_ENTRIES: usize = 1000;

/// Spans of entries that are compared with a question in one call.
pub const SCORED_SPANS: usize = 10_000;

/// Words of spans that come with their vectors in one call: three entries of
/// 20,000 characters have fewer.
pub const SPAN_WORDS: usize = 16_384;

/// Bytes, as JSON, of the explanation of a hit's score.
pub const EXPLANATION_BYTES: usize = 64 * 1024;

/// Bytes, as JSON, of an answer's plan, of its details and of the details of
/// an event. The longest are traces of agents, which hold what each tool gave.
pub const DETAILS_BYTES: usize = 8 * 1024 * 1024;

/// Bytes of one record of a plugin's log.
pub const LOG_BYTES: usize = 8 * 1024;

/// Records that a plugin may log at once, before [`LOG_RECORDS_PER_SECOND`]
/// counts: a start that reports on each of its parts.
pub const LOG_BURST: u32 = 1000;

/// Records that a plugin may log each second in the long run. Lines of 100
/// bytes are 170 MB a day then.
pub const LOG_RECORDS_PER_SECOND: u32 = 20;

/// Modules and pipelines that may call each other in a row.
pub const DEPTH: u8 = 8;

/// Calls of modules and pipelines in one request: an agent of 25 turns that
/// asks four pipelines of three modules each makes 400. Modules that call
/// each other in a circle, several at a time, reach it within milliseconds.
pub const CALLS: u32 = 1024;
