//! The providers against a scripted server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod chat;
mod failures;
mod leniency;
mod ollama;
mod qa;
mod rerank;
mod sizes;
mod support;
mod vectors;
