//! The HTTP service over real sockets, in process, with a real host on a
//! temporary store.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ariel;
mod ariel_cases;
mod documents;
mod limits;
mod logins;
mod models;
mod retriever;
mod service;
mod stopping;
mod streams;
mod writing;
