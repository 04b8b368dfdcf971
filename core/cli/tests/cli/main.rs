//! The command line, as a process of its own. One program, since each one links
//! the whole host.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any_file;
mod any_text;
mod asking;
mod backup;
mod command_line;
mod copies;
mod counts;
mod deliveries;
mod docs;
mod evaluation;
mod export;
mod facility;
mod failed_enhancement;
mod faults;
mod filters;
mod keys;
mod killed_ingestion;
mod killed_service;
mod lost_output;
mod mcp;
mod models;
mod output;
mod plugins;
mod postgres;
mod publishing;
mod purge;
mod quickstart;
mod reload;
mod repairs;
mod serve;
mod signals;
mod sources;
mod store_copy;
mod tuning;
mod watch;
mod writings;
