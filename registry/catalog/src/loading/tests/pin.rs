//! The checksum that the configuration may say.

use super::*;

fn with_pin(pin: Option<&str>, require_pin: bool) -> Result<Preflight, LoadError> {
    let folders = Folders::new();
    write(&folders.allowed().join("libpv_search.so"), good_library());
    let mut wish = DylibWish::of("libpv_search.so");
    wish.sha256 = pin.map(str::to_owned);
    let mut rules = folders.rules();
    rules.require_pin = require_pin;
    preflight(&wish, &rules)
}

#[test]
fn the_right_pin_passes_in_any_case() {
    let right = of_bytes(good_library()).unwrap().sha256;
    assert!(with_pin(Some(&right), true).is_ok());
    assert!(with_pin(Some(&right.to_uppercase()), false).is_ok());
}

#[test]
fn a_wrong_pin_is_told_with_the_right_one() {
    let right = of_bytes(good_library()).unwrap().sha256;
    let wrong = "A0".repeat(32);
    let refused = with_pin(Some(&wrong), false).unwrap_err();
    let (pinned, found) = (wrong.to_lowercase(), right);
    assert_eq!(refused, LoadError::WrongPin { pinned, found });
}

#[test]
fn a_pin_that_cannot_be_one_is_an_error_of_its_own() {
    for pin in ["", "abc", &"x".repeat(64), &"é".repeat(32)] {
        let refused = with_pin(Some(pin), false).unwrap_err();
        assert!(matches!(refused, LoadError::BadPin { .. }), "{pin}");
    }
}

#[test]
fn a_missing_pin_is_refused_where_pins_are_required() {
    let found = of_bytes(good_library()).unwrap().sha256;
    let refused = with_pin(None, true).unwrap_err();
    assert_eq!(refused, LoadError::MissingPin { found });
}
