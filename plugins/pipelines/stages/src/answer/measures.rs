//! Numbers of a set that are computed from its rows.

use gannet_plugin::plan::SetMeasure;

use super::CountedSet;

/// "7 values of area." or "Mean: 2.5 entries a month, over 14 months." Where
/// members are by probability, the number is about so many.
pub(super) fn measured(set: &CountedSet<'_>) -> Option<String> {
    let (measure, by) = (set.query.measure?, set.query.group_by.as_ref()?);
    let number = measure.number(set.count, set.groups, set.left_out)?;
    let name = by.label();
    let is_certain = set.is_certain();
    match measure {
        SetMeasure::Values => {
            let about = if is_certain { "" } else { "About " };
            let values = if number == 1.0 { "value" } else { "values" };
            Some(format!("{about}{number} {values} of {name}."))
        }
        SetMeasure::Mean => {
            let about = if is_certain { "" } else { "about " };
            let entries = if number == 1.0 { "entry" } else { "entries" };
            let number = rounded(number);
            let over = match set.groups.len() {
                1 => format!("1 {name}"),
                periods => format!("{periods} {name}s"),
            };
            Some(format!(
                "Mean: {about}{number} {entries} a {name}, over {over}."
            ))
        }
        _ => None,
    }
}

/// A number with two digits after the point, without zeros at their end.
fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}
