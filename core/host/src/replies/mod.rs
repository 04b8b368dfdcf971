//! What plugins answer, checked before anyone sees it.
//!
//! - [`scope`]: what the host's services gave in a call, and how many calls a
//!   request made;
//! - [`hits`]: hits that fail the filter, have no entry or no finite score are
//!   dropped;
//! - [`citations`]: an answer cites what it was given and nothing else;
//! - [`confidence`]: a confidence is a probability, and highlights are parts of
//!   the answer;
//! - [`rewritten`]: where the words of a text are after a part was taken out;
//! - [`shown`]: entries that are read once, and highlighted where they are shown;
//! - [`size`]: texts and lists are cut to the contract's limits;
//! - [`tokens`]: token vectors that are read once;
//! - [`gate`]: events, up to the one that ends a run.

mod citations;
mod confidence;
mod gate;
mod hits;
mod rewritten;
mod scope;
mod shown;
mod size;
mod tokens;

pub(crate) use citations::check_citations;
pub(crate) use confidence::check_confidence;
pub(crate) use gate::{EventGate, EventList};
pub(crate) use hits::{SOURCE, check_hits};
pub(crate) use scope::{AskedBy, CallScope, RequestState};
pub(crate) use shown::ShownEntries;
pub(crate) use size::{bounded_diagnostics, bounded_error, shrink_answer};
