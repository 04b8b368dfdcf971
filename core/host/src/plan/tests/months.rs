//! Times without a year, by the months of which there are entries.

use super::*;

#[test]
fn a_new_entry_does_not_move_a_month_to_a_year_in_which_it_has_none() {
    let newest = "2026-03-28T10:00:00Z".parse().ok();
    let months = [(2024, 2), (2024, 7), (2025, 1), (2026, 3)].into();
    let lexicon = lexicon().with_newest(newest);
    lexicon.keep_months(months);
    let from = |text: &str| {
        let syntax = QuerySyntax::Operators;
        let plan = plan(text, syntax, &Filter::none(), &settings(), &lexicon);
        plan.times[0].from.unwrap().to_string()
    };
    assert_eq!(from("trips in July"), "2024-06-30T22:00:00Z");
    assert_eq!(from("trips in March"), "2026-02-28T23:00:00Z");
    // Nothing is known of any May.
    assert_eq!(from("trips in May"), "2025-04-30T22:00:00Z");
}
