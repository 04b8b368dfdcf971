//! What a heading says in numbers.

use gannet_plugin::prelude::Entry;
use gannet_stages::heading;

/// Whether the heading has a number above 1, as in "trip #4": it may be a later
/// one.
pub(crate) fn is_numbered(entry: &Entry) -> bool {
    heading(entry).split('#').skip(1).any(|after| {
        let mut parts = after.trim_start().split(|c: char| !c.is_ascii_digit());
        let number = parts.next().and_then(|digits| digits.parse().ok());
        number.is_some_and(|number: u32| number > 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_above_one_may_be_that_of_a_later_event() {
        let numbered = |text: &str| is_numbered(&Entry::new("1", "log", Default::default(), text));
        assert!(numbered("CAV1 trip #4") && !numbered("Pump #1 tripped. Pump #2 runs."));
    }
}
