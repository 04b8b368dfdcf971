//! The forms in which the engines fail.

use gannet_opensearch::OpenSearch;
use gannet_plugin::http::HttpResponse;
use gannet_plugin::prelude::{Diagnostic, Error, Hit, Result, SearchModule, SearchRequest, Setup};
use gannet_plugin::testing::{self, FakeHost};
use serde_json::{Value, json};

use crate::engine::{answer, json_of};

fn ask(response: HttpResponse) -> (Result<Vec<Hit>>, Vec<Diagnostic>) {
    let host = FakeHost::default().on_http(move |_| Ok(response.clone()));
    let settings = json!({ "url": "http://engine", "index": "contract" });
    let setup = Setup::default().with_instance("archive");
    let module = OpenSearch::new(testing::settings(settings).unwrap(), &setup).unwrap();
    let context = host.context();
    let found = pollster::block_on(module.search(SearchRequest::new("pump", 10), &context));
    (found, context.diagnostics.take())
}

fn failed(response: HttpResponse) -> (String, bool) {
    let error = ask(response).0.unwrap_err();
    let Error::Provider { retryable, .. } = error else {
        panic!("another error: {error:?}");
    };
    (error.to_string(), retryable)
}

fn error(status: u16, kind: &str, reason: &str) -> HttpResponse {
    let cause = json!({ "type": kind, "reason": reason });
    let error = json!({ "root_cause": [cause], "type": kind, "reason": reason });
    json_of(status, &json!({ "error": error, "status": status }))
}

fn one_hit() -> Vec<Value> {
    vec![
        json!({ "_index": "contract", "_id": "d1", "_score": 4.2, "_source": { "content": "A pump." } }),
    ]
}

fn shards_with_a_failure() -> Value {
    json!({
        "total": 5, "successful": 4, "skipped": 0, "failed": 1,
        "failures": [{
            "shard": 2, "index": "contract", "node": "n1",
            "reason": { "type": "circuit_breaking_exception", "reason": "[parent] Data too large" },
        }],
    })
}

#[test]
fn a_server_that_is_busy_or_down_may_be_asked_again() {
    let rejected = error(
        429,
        "es_rejected_execution_exception",
        "rejected execution of search",
    );
    let (message, retryable) = failed(rejected);
    assert!(
        retryable && message.contains("rejected_execution"),
        "{message}"
    );
    let down = error(503, "search_phase_execution_exception", "all shards failed");
    let (message, retryable) = failed(down);
    assert!(
        retryable && message.contains("all shards failed") || message.contains("search_phase"),
        "{message}"
    );
}

#[test]
fn a_key_that_is_refused_is_no_reason_to_ask_again() {
    for status in [401, 403] {
        let (message, retryable) =
            failed(error(status, "security_exception", "missing permission"));
        assert!(
            !retryable && message.contains("security_exception"),
            "{message}"
        );
    }
}

#[test]
fn what_is_no_answer_of_a_search_is_an_error() {
    for garbage in [
        "<html>proxy</html>",
        "{}",
        "[]",
        "",
        r#"{"hits": {"hits": 3}}"#,
    ] {
        let (message, retryable) = failed(HttpResponse::new(200, garbage));
        assert!(
            !retryable && message.starts_with("archive: "),
            "{garbage}: {message}"
        );
    }
}

#[test]
fn hits_of_the_shards_that_answered_stand_with_a_note() {
    let (found, notes) = ask(json_of(200, &answer(one_hit(), shards_with_a_failure())));
    assert_eq!(found.unwrap().len(), 1);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].category.as_deref(), Some("partial"));
    let expected = "archive answered in part: 1 of 5 shards failed: circuit_breaking_exception \
                    [parent] Data too large";
    assert_eq!(notes[0].message, expected);
}

#[test]
fn a_part_that_found_nothing_does_not_pass_for_the_whole() {
    let (message, retryable) = failed(json_of(200, &answer(Vec::new(), shards_with_a_failure())));
    assert!(
        retryable && message.contains("1 of 5 shards failed"),
        "{message}"
    );
}

#[test]
fn an_answer_that_was_cut_at_its_time_is_partial() {
    let shards = json!({ "total": 1, "successful": 1, "skipped": 0, "failed": 0 });
    let mut late = answer(one_hit(), shards.clone());
    late["timed_out"] = true.into();
    let (found, notes) = ask(json_of(200, &late));
    assert_eq!(found.unwrap().len(), 1);
    assert!(notes[0].message.contains("did not finish"), "{notes:?}");

    let mut empty = answer(Vec::new(), shards);
    empty["timed_out"] = true.into();
    let (message, retryable) = failed(json_of(200, &empty));
    assert!(retryable && message.contains("did not finish"), "{message}");
}
