//! The options that every command has.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Their heading.
const GLOBAL: &str = "Global options";

/// Options of every command.
#[derive(Args)]
pub struct Common {
    /// Read this configuration file instead of ./config.yml
    #[arg(long, global = true, value_name = "FILE", help_heading = GLOBAL)]
    pub config: Option<PathBuf>,
    /// Use the store in this folder (the same as `store.path`)
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub data: Option<PathBuf>,
    /// Output format: table, json, jsonl (JSON Lines), or csv of what `ask`,
    /// `search` and `trend` counted
    #[arg(long, global = true, value_enum, default_value_t = Format::Table, hide_possible_values = true, help_heading = GLOBAL)]
    pub format: Format,
    /// When to use color: auto, always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto, hide_possible_values = true, help_heading = GLOBAL)]
    pub color: Color,
    /// Log format: text, or json (one object per line)
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text, hide_possible_values = true, help_heading = GLOBAL)]
    pub log_format: LogFormat,
    /// Log more to standard error; -vv and -vvv log still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = GLOBAL)]
    pub verbose: u8,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Table,
    /// One JSON value
    Json,
    /// One JSON value per line
    Jsonl,
    /// Comma-separated values of what was counted
    Csv,
}

/// How log lines are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people
    Text,
    /// One JSON object per line
    Json,
}

/// When output is colored.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Also in pipes and files
    Always,
    /// Never
    Never,
}
