//! The intervals between entries in words.

use jiff::Timestamp;

/// "one in 248 days on average; the intervals are 3 to 640 days", of times with
/// the newest first; "one in 110 days" where all intervals are as long. `None`
/// for less than two.
pub(super) fn intervals(times: &[Timestamp]) -> Option<String> {
    let mut gaps = times.windows(2).map(|pair| days_between(pair[1], pair[0]));
    let gap = gaps.next()?;
    let (least, most) = gaps.fold((gap, gap), |(least, most), gap| {
        (f64::min(least, gap), f64::max(most, gap))
    });
    let (last, first) = (times.first()?, times.last()?);
    let mean = days_between(*first, *last) / (times.len() - 1) as f64;
    if number(least) == number(most) {
        return Some(format!("one in {}", days(mean)));
    }
    Some(format!(
        "one in {} on average; the intervals are {} to {}",
        days(mean),
        number(least),
        days(most),
    ))
}

fn days_between(from: Timestamp, until: Timestamp) -> f64 {
    until.duration_since(from).as_secs_f64() / 86_400.0
}

fn days(number_of: f64) -> String {
    match number(number_of).as_str() {
        "1" => "1 day".to_owned(),
        many => format!("{many} days"),
    }
}

/// Whole days; of less than ten with one decimal.
fn number(days: f64) -> String {
    let text = match days < 10.0 {
        true => format!("{days:.1}"),
        false => format!("{days:.0}"),
    };
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
