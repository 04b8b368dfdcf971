//! `filter_options`: the values of a field.

use gannet_core::api::FilterField;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::failure::ToolFailure;
use super::server::Call;

pub(super) const NAME: &str = "filter_options";
pub(super) const DESCRIPTION: &str = "\
Lists the values of a field with the number of entries of each, most frequent first: the authors \
and source systems that filters accept, and logbooks, tags, shifts and kinds for queries such as \
`logbook:VALUE`.";

/// How many values are given.
const MOST_VALUES: usize = 200;

/// Which values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FilterOptionsArguments {
    /// The field.
    field: Field,
}

/// The fields whose values are listed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Field {
    Authors,
    SourceSystems,
    Kinds,
    Logbooks,
    Tags,
    Shifts,
}

/// The values of a field.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FilterOptionsReply {
    /// The field.
    #[schemars(with = "String")]
    field: Field,
    /// Its values, the most frequent first, 200 at most.
    options: Vec<FieldOption>,
}

/// A value of a field.
#[derive(Debug, Serialize, JsonSchema)]
struct FieldOption {
    /// The value, as filters take it.
    value: String,
    /// The value, as people read it.
    label: String,
    /// How many entries have it.
    count: u64,
}

impl Field {
    fn filter_field(self) -> FilterField {
        FilterField::from_name(match self {
            Self::Authors => "author",
            Self::SourceSystems => "source_system",
            Self::Kinds => "kind",
            Self::Logbooks => "logbook",
            Self::Tags => "tag",
            Self::Shifts => "shift",
        })
    }
}

/// Lists the values.
///
/// # Errors
/// A [`ToolFailure`] for a store that cannot be read.
pub(super) async fn call(call: &Call<'_>, given: Value) -> Result<FilterOptionsReply, ToolFailure> {
    let FilterOptionsArguments { field } = arguments::read(given)?;
    let (store, wanted) = (call.gannet.store(), field.filter_field());
    let values = store.distinct(&call.caller.tenant, &wanted, MOST_VALUES);
    let values = values.await?.into_iter();
    let named = values.filter(|(value, _)| !value.is_empty());
    let options = named.map(|(value, count)| FieldOption {
        label: value.clone(),
        value,
        count,
    });
    Ok(FilterOptionsReply {
        field,
        options: options.collect(),
    })
}
