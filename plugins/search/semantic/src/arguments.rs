//! What an agent passes to the module.

use schemars::JsonSchema;

/// The arguments of an agent's call, for their schema.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct Arguments {
    /// What to look for, described in plain words.
    query: String,
    /// Maximum number of entries.
    #[schemars(default = "ten", range(min = 1, max = 50))]
    max_results: u32,
    /// The least cosine similarity of a hit; the configured one when missing.
    #[schemars(default, range(min = 0.0, max = 1.0))]
    similarity_threshold: Option<f32>,
    /// Only entries on or after this date or time, RFC 3339 or YYYY-MM-DD.
    #[schemars(default)]
    start_date: Option<String>,
    /// Only entries on or before this date or time.
    #[schemars(default)]
    end_date: Option<String>,
}

fn ten() -> u32 {
    10
}
