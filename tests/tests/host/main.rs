//! Behaviour of a whole host. One program, since each one links the whole host
//! with the weights of the encoder.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod als_service;
mod any_query;
mod ariel_block;
mod ariel_rules;
mod ariel_search;
mod attachments;
mod availability;
mod backup_under_load;
mod called_pipelines;
mod changing_sources;
mod chat_models;
mod cursors;
mod deleted_upstream;
mod demo_answers;
mod digest;
mod embedder_change;
mod enhancing;
mod exclusions;
mod export;
mod given_entries;
mod ingestion;
mod kept_state;
mod late_interaction;
mod lifecycle;
mod listed_plugins;
mod logbook_services;
mod many_hosts;
mod missing_entries;
mod modes;
mod named_entries;
mod named_web_tests;
mod nothing_found;
mod promises;
mod prompt_injection;
mod query_plan;
mod recurrence;
mod relaxation;
mod reloaded_plugins;
mod replies;
mod requests_of_plugins;
mod retriever;
mod same_results;
mod set_questions;
mod sets;
mod sets_in_every_store;
mod sets_over_domains;
mod shown_entries;
mod times_in_both_stores;
mod unified;
mod vocabulary;
mod watch;
