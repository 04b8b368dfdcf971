//! The status of an answer, by its probability and by what a quote can prove.

use gannet_plugin::plan::{PlanSource, PlanTime, Precision};

use super::*;

#[test]
fn the_probability_makes_the_status() {
    let part = [(0, "a worn coupling")];
    let status = |probability| chosen(&part, &[pump()], probability).status;
    assert_eq!(status(1.0), AnswerStatus::Grounded);
    assert_eq!(status(GROUNDED_PROBABILITY), AnswerStatus::Grounded);
    assert_eq!(status(0.79), AnswerStatus::Partial);
    assert_eq!(status(0.41), AnswerStatus::Partial);
    assert_eq!(status(0.39), AnswerStatus::Insufficient);
    let partial = chosen(&part, &[pump()], 0.5);
    let start = "This may answer the question:\n- On 2024-03-15: The stop was";
    assert!(partial.text.starts_with(start), "{}", partial.text);
    assert_eq!(marked(&partial), ["a worn coupling"]);
}

#[test]
fn an_entry_of_another_time_is_never_a_grounded_answer() {
    let status = |question: &str, at: usize| {
        let mut plan = plan(question, Intent::Cause);
        let mut time = PlanTime::new(Precision::Month, PlanSource::Words);
        time.from = Some("2024-03-01T00:00:00Z".parse().unwrap());
        time.to = Some("2024-04-01T00:00:00Z".parse().unwrap());
        time.span = Some(question.find("March").unwrap()..question.len());
        plan.times.push(time);
        let of_2008 = entry("P0", "2008-12-01", "Pump 2 stopped", PUMP);
        let entries = [pump(), of_2008];
        let reading = reading(&[(at, "a worn coupling")], &entries, 0.9);
        let answer = compose_answer(&input(&plan, &entries), &reading);
        (answer.status, answer.text)
    };
    let question = "why did pump 2 stop in March 2024";
    assert_eq!(status(question, 0).0, AnswerStatus::Grounded);
    let (other, text) = status(question, 1);
    assert_eq!(other, AnswerStatus::Partial);
    let opening = "No quoted entry is of March 2024. This may answer the question:";
    assert!(text.starts_with(opening), "{text}");
}

#[test]
fn the_limit_of_grounded_can_be_set() {
    let (plan, entries) = (plan("why did it stop?", Intent::Cause), [pump()]);
    let input = AnswerInput {
        grounded_probability: 0.5,
        ..input(&plan, &entries)
    };
    let reading = reading(&[(0, "a worn coupling")], &entries, 0.6);
    assert_eq!(
        compose_answer(&input, &reading).status,
        AnswerStatus::Grounded
    );
}

#[test]
fn the_event_once_more_is_no_grounded_answer_to_why() {
    let entries = [pump()];
    let status = |question: &str, intent: Intent, part: &str| {
        let plan = plan(question, intent);
        let reading = reading(&[(0, part)], &entries, 0.9);
        compose_answer(&input(&plan, &entries), &reading).status
    };
    let (why, event) = ("why did the pump stop?", "stopped at 04:10");
    assert_eq!(
        status(why, Intent::Cause, "a worn coupling"),
        AnswerStatus::Grounded
    );
    assert_eq!(status(why, Intent::Cause, event), AnswerStatus::Partial);
    let happened = "what went wrong with the pump?";
    assert_eq!(
        status(happened, Intent::Cause, event),
        AnswerStatus::Grounded
    );
    let when = "when did the pump stop?";
    assert_eq!(status(when, Intent::When, event), AnswerStatus::Grounded);
}
