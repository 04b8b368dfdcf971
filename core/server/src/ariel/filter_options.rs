//! `GET /api/filter-options/{field}`.

use axum::Json;
use gannet_core::api::FilterField;
use schemars::JsonSchema;
use serde::Serialize;

use crate::extract::PathOf;
use crate::problem::Problem;
use crate::state::App;

/// Values at most.
const MOST: usize = 1000;

/// The values of a field.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FilterOptions {
    /// The field.
    field: String,
    /// Its values in alphabetical order; of very many the most frequent.
    options: Vec<FilterOption>,
}

/// A value of a field.
#[derive(Debug, Serialize, JsonSchema)]
struct FilterOption {
    /// The value.
    value: String,
    /// What people see.
    label: String,
}

/// `GET /api/filter-options/{field}`.
pub(crate) async fn show(
    app: App,
    PathOf(field): PathOf<String>,
) -> Result<Json<FilterOptions>, Problem> {
    let filter_field = match field.as_str() {
        "authors" => FilterField::Author,
        "source_systems" => FilterField::SourceSystem,
        _ => {
            let detail =
                format!("Unknown filter field: {field}. Available: authors, source_systems");
            return Err(Problem::bad_request("unknown_field", detail));
        }
    };
    let values = app
        .gannet
        .store()
        .distinct(app.tenant(), &filter_field, MOST)
        .await?;
    let mut values: Vec<String> = values.into_iter().map(|(value, _)| value).collect();
    values.retain(|value| !value.is_empty());
    values.sort();
    let options = values.into_iter().map(|value| FilterOption {
        label: value.clone(),
        value,
    });
    Ok(Json(FilterOptions {
        options: options.collect(),
        field,
    }))
}
