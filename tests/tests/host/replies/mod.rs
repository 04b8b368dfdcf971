//! The host checks what plugins answer before anyone sees it: hits against
//! the filter, citations against what was given, highlights against the
//! answer, texts against their limits.

mod calls;
mod citations;
mod confidence;
mod events;
mod hits;
mod providers;
mod readers;
mod rogue;
mod sizes;
