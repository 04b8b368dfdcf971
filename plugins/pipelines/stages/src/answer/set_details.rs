//! A set in the details of a result.

use gannet_plugin::plan::{GroupBy, SetCertainty, SetGroup, SetMeasure, SetQuery};

/// A set as results show it: what is asked, how many entries it has, and its
/// rows, each with the query that finds its entries where one does. Beside the
/// rows, how many values have none.
pub fn set_details(
    query: &SetQuery,
    count: u64,
    certainty: Option<SetCertainty>,
    (groups, left_out): (&[SetGroup], u64),
) -> serde_json::Value {
    let row = |group: &SetGroup| {
        let mut row = serde_json::json!({ "value": group.value, "count": group.count });
        if let Some(filter) = query.row_query(Some(&group.value)) {
            row["filter"] = filter.into();
        }
        row
    };
    let rows: Vec<serde_json::Value> = groups.iter().map(row).collect();
    let mut details = serde_json::json!({
        "operation": query.operation,
        "count": count,
        "certain": certainty.map_or(count, |certainty| certainty.certain),
        "is_exact": query.is_exact() && !query.is_assumed,
        "group_by": query.group_by.as_ref().map(GroupBy::name),
        "rows": rows,
    });
    let measure = query.measure.filter(|_| query.group_by.is_some());
    if let Some(measure) = measure
        && let Some(number) = measure.number(count, groups, left_out)
    {
        details[measure.name()] = match measure {
            SetMeasure::Values => (number as u64).into(),
            _ => number.into(),
        };
    }
    if let Some(filter) = query.row_query(None) {
        details["filter"] = filter.into();
    }
    details
}
