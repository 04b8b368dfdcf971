//! The HTTP service over real sockets, in process, with a real host on a
//! temporary store.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod any_text;
mod ariel;
mod ariel_cases;
mod confidence;
mod custom_module;
mod dashboards;
mod disclosure;
mod documents;
mod escapes;
mod expired_keys;
mod federation;
mod feedback;
mod fields;
mod followed_sources;
mod held;
mod instances;
mod limits;
mod logbook;
mod logins;
mod models;
mod openai_errors;
mod outages;
mod overload;
mod plugin_states;
mod publishing;
mod query_log;
mod retriever;
mod saved_searches;
mod service;
mod stopping;
mod streams;
mod tenants;
mod traces;
mod unified;
mod unified_state;
mod unread_bodies;
mod web;
mod web_routes;
mod writing;
