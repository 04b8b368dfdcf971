//! Quality: how often questions were answered, and what that says.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::settings::FaceSettings;
use super::telemetry::{Event, Kind};
use crate::state::App;

/// A session without an answer in which nothing happened for so long was given
/// up.
const GIVEN_UP: Duration = Duration::from_secs(300);
/// So many answers in a row that are none are a loop.
const LOOP: usize = 3;
/// So many sessions that were given up are worth an alert.
const GIVEN_UP_AT_LEAST: u64 = 3;
/// The status of an answer that is one.
const GROUNDED: &str = "grounded";

/// How often questions of the caller's tenant were answered.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchQualityMetrics")]
pub(super) struct Metrics {
    /// Whether anything is counted.
    telemetry_enabled: bool,
    /// Questions.
    query_count: u64,
    /// Questions that found nothing.
    zero_result_count: u64,
    /// Entries of results that were opened.
    click_count: u64,
    /// Answers that a chat model phrased.
    synthesis_count: u64,
    /// The share of answers that ask back or are insufficient.
    fallback_answer_rate: f64,
    /// The share of answers that ask back.
    clarify_rate: f64,
    /// The share of answers that are insufficient.
    insufficient_rate: f64,
    /// Questions that were asked again in other words after such an answer.
    reformulation_count: u64,
    /// How often what was offered after such an answer was done.
    rescue_action_count: u64,
    /// Sessions that ended with such an answer.
    abandoned_fallback_count: u64,
}

/// What the metrics say is wrong.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchQualityAlerts")]
pub(super) struct AlertsReply {
    alerts: Vec<Alert>,
}

/// Something that is wrong.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchQualityAlert")]
struct Alert {
    /// `fallback_loop`: users ask again and again without an answer.
    /// `abandoned_fallback`: they give up after such an answer.
    code: &'static str,
    /// What happened, with numbers.
    message: String,
    /// How often.
    count: u64,
}

/// `GET /v1/search/quality/metrics`.
pub(super) async fn metrics(app: App) -> Json<Metrics> {
    let (events, enabled, now) = events(&app);
    Json(Metrics {
        telemetry_enabled: enabled,
        ..counted(&events, now)
    })
}

/// `GET /v1/search/quality/alerts`.
pub(super) async fn alerts(app: App) -> Json<AlertsReply> {
    let (events, _, now) = events(&app);
    Json(AlertsReply {
        alerts: found(&events, now),
    })
}

fn events(app: &App) -> (Vec<Event>, bool, Timestamp) {
    let settings = FaceSettings::of(&app.gannet).telemetry;
    let (tenant, now) = (app.tenant(), Timestamp::now());
    let telemetry = &app.lasting.unified.telemetry;
    let events = telemetry.of(tenant, settings.lasts(), now);
    (events, settings.enabled, now)
}

fn counted(events: &[Event], now: Timestamp) -> Metrics {
    let of = |kind: Kind| {
        let of_kind = events.iter().filter(|event| event.kind == kind);
        of_kind.count() as u64
    };
    let with_status = |status: &str| {
        let answers = events
            .iter()
            .filter(|event| event.kind == Kind::AnswerFrame);
        let with = answers.filter(|event| event.status.as_deref() == Some(status));
        with.count() as f64
    };
    let answers = of(Kind::AnswerFrame);
    let share = |number: f64| {
        if answers == 0 {
            0.0
        } else {
            number / answers as f64
        }
    };
    let (clarify, insufficient) = (with_status("clarify"), with_status("insufficient"));
    Metrics {
        telemetry_enabled: true,
        query_count: of(Kind::Query),
        zero_result_count: of(Kind::ZeroResult),
        click_count: of(Kind::Click),
        synthesis_count: of(Kind::Synthesis),
        fallback_answer_rate: share(clarify + insufficient),
        clarify_rate: share(clarify),
        insufficient_rate: share(insufficient),
        reformulation_count: of(Kind::Reformulation),
        rescue_action_count: of(Kind::RescueAction),
        abandoned_fallback_count: given_up(events, now),
    }
}

fn found(events: &[Event], now: Timestamp) -> Vec<Alert> {
    let (loops, given_up) = (loops(events), given_up(events, now));
    let alerts = [
        (loops > 0).then(|| Alert {
            code: "fallback_loop",
            message: format!(
                "sessions with {LOOP} or more questions in a row and no answer: {loops}"
            ),
            count: loops,
        }),
        (given_up >= GIVEN_UP_AT_LEAST).then(|| Alert {
            code: "abandoned_fallback",
            message: format!("sessions that ended without an answer: {given_up}"),
            count: given_up,
        }),
    ];
    alerts.into_iter().flatten().collect()
}

/// The events of each session, oldest first.
fn by_session(events: &[Event]) -> BTreeMap<&str, Vec<&Event>> {
    let mut sessions: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for event in events {
        if let Some(session) = &event.session {
            sessions.entry(session).or_default().push(event);
        }
    }
    sessions
}

fn is_fallback(event: &Event) -> bool {
    event.kind == Kind::AnswerFrame && event.status.as_deref() != Some(GROUNDED)
}

/// Sessions with so many answers in a row that are none.
fn loops(events: &[Event]) -> u64 {
    let sessions = by_session(events).into_values();
    let is_loop = |events: &Vec<&Event>| {
        let mut in_a_row = 0;
        let answers = events
            .iter()
            .filter(|event| event.kind == Kind::AnswerFrame);
        answers.into_iter().any(|event| {
            in_a_row = if is_fallback(event) { in_a_row + 1 } else { 0 };
            in_a_row >= LOOP
        })
    };
    sessions.filter(is_loop).count() as u64
}

/// Sessions whose last event, a while ago, is a reply without an answer.
fn given_up(events: &[Event], now: Timestamp) -> u64 {
    let sessions = by_session(events).into_values();
    let is_given_up = |events: &Vec<&Event>| {
        let last = events.last().filter(|event| is_fallback(event));
        last.is_some_and(|event| {
            let since = now.duration_since(event.at);
            since.unsigned_abs() >= GIVEN_UP && since.is_positive()
        })
    };
    sessions.filter(is_given_up).count() as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn answer(session: &str, second: i64, status: &str) -> Event {
        Event {
            at: at(second),
            tenant: "a".to_owned(),
            kind: Kind::AnswerFrame,
            user: "u".to_owned(),
            session: Some(session.to_owned()),
            query: None,
            status: Some(status.to_owned()),
            code: None,
            entry: None,
        }
    }

    #[test]
    fn rates_are_shares_of_the_answers() {
        let statuses = ["grounded", "clarify", "insufficient", "insufficient"];
        let events = statuses.map(|status| answer("s", 0, status));
        let metrics = counted(&events, at(1));
        assert_eq!(metrics.fallback_answer_rate, 0.75);
        assert_eq!(
            (metrics.clarify_rate, metrics.insufficient_rate),
            (0.25, 0.5)
        );
        assert_eq!(counted(&[], at(1)).fallback_answer_rate, 0.0);
    }

    #[test]
    fn a_loop_is_three_in_a_row_in_one_session() {
        let three = [0, 1, 2].map(|second| answer("s", second, "insufficient"));
        assert_eq!(found(&three, at(3))[0].code, "fallback_loop");
        let broken = [answer("s", 0, "clarify"), answer("s", 1, "grounded")];
        let broken = [broken.to_vec(), three[..2].to_vec()].concat();
        assert_eq!(found(&broken, at(3)), []);
        let apart = ["s", "t", "u"].map(|session| answer(session, 0, "clarify"));
        assert_eq!(found(&apart, at(3)), []);
    }

    #[test]
    fn sessions_that_end_without_an_answer_were_given_up() {
        let events = ["s", "t", "u"].map(|session| answer(session, 0, "insufficient"));
        assert_eq!(counted(&events, at(299)).abandoned_fallback_count, 0);
        assert_eq!(counted(&events, at(300)).abandoned_fallback_count, 3);
        assert_eq!(found(&events, at(300))[0].code, "abandoned_fallback");
        let mut rescued = events.to_vec();
        rescued.push(Event {
            kind: Kind::RescueAction,
            status: None,
            ..answer("s", 5, "")
        });
        assert_eq!(counted(&rescued, at(900)).abandoned_fallback_count, 2);
        assert_eq!(counted(&rescued, at(900)).rescue_action_count, 1);
    }
}
