//! What a query excludes, and what it gives as a field, is not asked for.

use super::{entities, planned};

#[test]
fn what_is_excluded_gives_no_entity_no_time_and_no_term() {
    for text in [
        "leak -voss",
        "leak NOT Voss",
        "leak NOT author:voss",
        "leak -\"browns ferry\"",
        "leak -(voss OR hatch)",
        "leak NOT 2025-11-26",
    ] {
        let plan = planned(text);
        assert_eq!(entities(text), Vec::<String>::new(), "{text}");
        assert!(plan.times.is_empty(), "{text}");
        assert_eq!(plan.terms, ["leak"], "{text}");
        assert_eq!(plan.content_terms(), ["leak"], "{text}");
    }
    assert_eq!(entities("hatch -voss"), ["hatch = author hatch"]);
}

#[test]
fn fields_are_no_terms() {
    let plan = planned("leak date:2024-03 shift:owl author:\"A. Voss\"");
    assert_eq!(plan.terms, ["leak"]);
    assert_eq!(plan.content_terms(), ["leak"]);
    assert_eq!(planned("author:voss OR leak").content_terms(), ["leak"]);
}
