//! What a query excludes, and what it gives as a field, is not asked for.

use gannet_api::{Condition, Filter, FilterField, PlanSource};

use super::{entities, planned, planned_with};

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

#[test]
fn fields_and_filters_are_strict() {
    let lee = Condition::Contains("lee".to_owned());
    let filter = Filter::none().and(FilterField::Author, lee);
    let plan = planned_with("leak date:2024-03 shift:owl author:\"A. Voss\"", &filter);
    assert!(plan.times.iter().all(|time| time.strict));
    assert!(plan.entities.iter().all(|entity| entity.strict));
    let span = plan.times[0].span.clone().unwrap();
    assert_eq!(&plan.text[span], "date:2024-03");
    assert_eq!(plan.times[0].source, PlanSource::Field);
    let named: Vec<(PlanSource, &str)> = plan
        .entities
        .iter()
        .map(|entity| (entity.source, entity.value.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            (PlanSource::Field, "owl"),
            (PlanSource::Field, "A. Voss"),
            (PlanSource::Flag, "lee")
        ]
    );
    assert_eq!(plan.residual(), plan.text);
}

#[test]
fn a_field_that_is_excluded_or_optional_is_not_strict() {
    for text in ["leak -author:voss", "author:voss OR leak"] {
        let plan = planned(text);
        assert!(plan.entities.iter().all(|entity| !entity.strict), "{text}");
    }
}
