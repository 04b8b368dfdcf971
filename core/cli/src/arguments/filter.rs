//! The arguments of commands that read some of the entries.

use clap::Args;

/// Which entries a command reads: those that match every one of these.
#[derive(Args)]
pub struct FilterArguments {
    /// Only entries on or after this day, month or year
    #[arg(long, value_name = "DATE")]
    pub start_date: Option<String>,
    /// Only entries on or before this day, month or year
    #[arg(long, value_name = "DATE")]
    pub end_date: Option<String>,
    /// Only entries whose author contains this text
    #[arg(long)]
    pub author: Option<String>,
    /// Only entries with this value; KEY is author, source, logbook, tag, shift or a metadata key
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
}

impl FilterArguments {
    /// All conditions as pairs of a name and a value.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let named = [
            ("start_date", &self.start_date),
            ("end_date", &self.end_date),
            ("author", &self.author),
        ];
        named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
            .chain(self.filters.iter().cloned())
            .collect()
    }
}

/// Reads KEY=VALUE.
pub(super) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}
