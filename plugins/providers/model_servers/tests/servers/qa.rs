//! The reader `hf_qa`.

use std::time::Duration;

use gannet_model_servers::{QaForm, QaServer, QaSettings};
use gannet_plugin::prelude::{Entry, Error};
use gannet_plugin::provider::{ReadPassage, ReadRequest, ReadSpan, Reader, Reading};
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::support::setup;

const PUMP: &str = "Ölpumpe P-7 was stuck at 80 °C.\nIt was replaced by Lee.";
const BEAM: &str = "Beam is back since noon.";

fn settings(server: &ModelServer) -> QaSettings {
    QaSettings {
        base_url: server.url().to_owned(),
        timeout_seconds: 1,
        ..QaSettings::default()
    }
}

fn request(texts: &[&str]) -> ReadRequest {
    let passage = |text: &&str| {
        let time = "2024-01-05T08:30:00Z".parse().unwrap();
        ReadPassage::new(Entry::new("E1", "log", time, *text), 1.0)
    };
    let passages = texts.iter().map(passage).collect();
    ReadRequest::new("what was stuck?", passages, 100)
}

async fn read_with(settings: QaSettings, request: ReadRequest) -> Result<Reading, Error> {
    let reader = QaServer::new(settings, &setup()).unwrap();
    reader.read(request, &context()).await
}

async fn read(server: &ModelServer, texts: &[&str]) -> Result<Reading, Error> {
    read_with(settings(server), request(texts)).await
}

/// An answer of the server: words of a text, by characters.
fn answer(text: &str, words: &str, score: f64) -> Value {
    let (before, _) = text.split_once(words).unwrap();
    let start = before.chars().count();
    let end = start + words.chars().count();
    json!({"answer": words, "start": start, "end": end, "score": score})
}

fn impossible(score: f64) -> Value {
    json!({"answer": "", "start": 0, "end": 0, "score": score})
}

fn span(passage: usize, text: &str, words: &str, score: f64) -> ReadSpan {
    let start = text.find(words).unwrap();
    let range = start..start + words.len();
    ReadSpan::new(passage, range.clone(), score).with_answers(vec![range])
}

#[tokio::test]
async fn each_passage_is_asked_and_the_best_answer_comes_first() {
    let server = ModelServer::answering(|asked| {
        Reply::json(match asked.body["inputs"]["context"].as_str() {
            Some(PUMP) => answer(PUMP, "Ölpumpe P-7", 0.75),
            _ => answer(BEAM, "Beam", 0.25),
        })
    });
    let reading = read(&server, &[BEAM, PUMP]).await.unwrap();
    let expected = [
        span(1, PUMP, "Ölpumpe P-7", 0.75),
        span(0, BEAM, "Beam", 0.25),
    ];
    assert_eq!(reading, Reading::new(expected.to_vec(), 0.25));
    let mut asked = server.requests();
    asked.sort_by_key(|asked| asked.body.to_string());
    assert_eq!(asked[0].path, "/");
    let parameters = json!({"top_k": 3, "handle_impossible_answer": true});
    let inputs = json!({"question": "what was stuck?", "context": BEAM});
    assert_eq!(
        asked[0].body,
        json!({"inputs": inputs, "parameters": parameters})
    );
}

#[tokio::test]
async fn of_several_answers_those_apart_from_a_better_one_are_taken() {
    let answers = json!([
        answer(PUMP, "Lee", 0.15),
        answer(PUMP, "pumpe P-7 was", 0.375),
        answer(PUMP, "P-7", 0.5),
        answer(PUMP, "80 °C", 0.0625),
    ]);
    let server = ModelServer::start([Reply::json(answers)]);
    let reading = read(&server, &[PUMP]).await.unwrap();
    let expected = [span(0, PUMP, "P-7", 0.5), span(0, PUMP, "Lee", 0.15)];
    assert_eq!(reading, Reading::new(expected.to_vec(), 0.5));
}

#[tokio::test]
async fn the_score_of_the_empty_answer_is_that_of_none() {
    let answers = json!([impossible(0.875), answer(PUMP, "Lee", 0.0625)]);
    let server = ModelServer::start([Reply::json(answers)]);
    let reading = read(&server, &[PUMP]).await.unwrap();
    assert_eq!(reading, Reading::new(vec![], 0.875));

    let answers = json!([[answer(PUMP, "Lee", 0.5), impossible(0.25)]]);
    let server = ModelServer::start([Reply::json(answers)]);
    let reading = read(&server, &[PUMP]).await.unwrap();
    let expected = [span(0, PUMP, "Lee", 0.5)];
    assert_eq!(reading, Reading::new(expected.to_vec(), 0.25));

    let server = ModelServer::start([Reply::json(json!([]))]);
    let reading = read(&server, &[PUMP]).await.unwrap();
    assert_eq!(reading, Reading::new(vec![], 1.0));
}

#[tokio::test]
async fn passages_go_in_one_request_where_the_server_takes_lists() {
    let server = ModelServer::start([
        Reply::json(json!([
            [answer(PUMP, "P-7", 0.5)],
            answer(BEAM, "noon", 0.75)
        ])),
        Reply::json(json!([answer(BEAM, "Beam", 0.25), impossible(0.125)])),
    ]);
    let settings = QaSettings {
        form: QaForm::List,
        batch: 2,
        concurrency: 1,
        path: "/qa".to_owned(),
        model: Some("m-1".to_owned()),
        top_k: None,
        handle_impossible_answer: None,
        ..settings(&server)
    };
    let reading = read_with(settings, request(&[PUMP, BEAM, BEAM]))
        .await
        .unwrap();
    let expected = [
        span(1, BEAM, "noon", 0.75),
        span(0, PUMP, "P-7", 0.5),
        span(2, BEAM, "Beam", 0.25),
    ];
    assert_eq!(reading, Reading::new(expected.to_vec(), 0.125));
    let asked = server.requests().remove(0);
    assert_eq!(asked.path, "/qa");
    let input = |text: &str| json!({"question": "what was stuck?", "context": text});
    let expected = json!({"inputs": [input(PUMP), input(BEAM)], "model": "m-1"});
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn a_list_that_is_not_one_item_for_each_text_names_the_setting() {
    let server = ModelServer::start([Reply::json(answer(PUMP, "Lee", 0.5))]);
    let settings = QaSettings {
        form: QaForm::List,
        ..settings(&server)
    };
    let error = read_with(settings, request(&[PUMP, BEAM])).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("one item for each of 2 texts"), "{error}");
    assert!(error.contains("set `form: single`"), "{error}");
}

#[tokio::test]
async fn spans_have_no_more_characters_than_asked() {
    let answers = json!([answer(PUMP, "P-7", 0.5), answer(PUMP, "80 °C", 0.375)]);
    for (max_chars, words) in [(8, vec!["P-7", "80 °C"]), (7, vec!["P-7"]), (2, vec![])] {
        let server = ModelServer::start([Reply::json(answers.clone())]);
        let mut request = request(&[PUMP]);
        request.max_chars = max_chars;
        let reading = read_with(settings(&server), request).await.unwrap();
        let spans = reading.spans.iter().map(|span| &PUMP[span.range.clone()]);
        assert_eq!(spans.collect::<Vec<_>>(), words);
        let no_answer = if words.is_empty() { 1.0 } else { 0.5 };
        assert_eq!(reading.no_answer, no_answer);
    }
}

#[tokio::test]
async fn white_space_of_an_answer_need_not_be_that_of_the_text() {
    let start = PUMP.chars().position(|one| one == '8').unwrap();
    let spaced =
        json!({"answer": " 80 °C. It", "start": start - 1, "end": start + 9, "score": 1.0});
    let server = ModelServer::start([Reply::json(spaced)]);
    let reading = read(&server, &[PUMP]).await.unwrap();
    assert_eq!(reading.spans, [span(0, PUMP, "80 °C.\nIt", 1.0)]);
    assert_eq!(reading.no_answer, 0.0);
}

#[tokio::test]
async fn without_text_nobody_is_asked_and_without_a_question_it_is_refused() {
    let server = ModelServer::start([]);
    for texts in [&[][..], &[" \n"]] {
        let reading = read(&server, texts).await.unwrap();
        assert_eq!(reading, Reading::new(vec![], 1.0));
    }
    let mut blank = request(&[PUMP]);
    blank.question = " ".to_owned();
    let error = read_with(settings(&server), blank).await.unwrap_err();
    assert!(matches!(error, Error::InvalidInput { .. }), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_server_with_too_many_requests_is_asked_again() {
    for status in [429, 503] {
        let server = ModelServer::start([
            Reply::status(status, "").retry_after(0),
            Reply::json(answer(PUMP, "Lee", 0.5)),
        ]);
        let reading = read(&server, &[PUMP]).await.unwrap();
        assert_eq!(reading.spans, [span(0, PUMP, "Lee", 0.5)]);
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn no_more_requests_are_under_way_than_configured() {
    let server = ModelServer::answering(|_| Reply::hang());
    let settings = QaSettings {
        concurrency: 2,
        ..settings(&server)
    };
    let reading = tokio::spawn(read_with(settings, request(&[BEAM; 10])));
    server.asked(2).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.requests().len(), 2);
    reading.abort();
}

#[tokio::test]
async fn what_cannot_be_used_is_an_error_that_says_why() {
    let misplaced = json!({"answer": "Lee", "start": 1, "end": 4, "score": 0.5});
    let beyond = json!({"answer": "Lee", "start": 1, "end": 400, "score": 0.5});
    let backwards = json!({"answer": "Lee", "start": 4, "end": 1, "score": 0.5});
    for (reply, expected) in [
        (
            Reply::json(misplaced),
            "has the answer \"Lee\" at 1 to 4, where the text has \"lpu\"; `start` and `end` must",
        ),
        (Reply::json(beyond), "where the text has \"\""),
        (Reply::json(backwards), "where the text has \"\""),
        (
            Reply::json(json!("Lee")),
            "is neither an answer nor an array",
        ),
        (Reply::json(json!([["Lee"]])), "without a number as `score`"),
        (
            Reply::json(json!({"score": 0.5})),
            "without a string as `answer`",
        ),
        (
            Reply::json(json!({"score": 0.5, "answer": "Lee", "start": -1, "end": 3})),
            "without an offset as `start`",
        ),
        (
            Reply::json(json!({"score": 0.5, "answer": "Lee", "start": 0})),
            "without an offset as `end`",
        ),
        (
            Reply::json(answer(PUMP, "Lee", 12.5)),
            "has the score 12.5; probabilities from 0 to 1 are required",
        ),
        (Reply::malformed_json(), "is not JSON"),
        (Reply::status(400, "no such parameter"), "no such parameter"),
        (
            Reply::status(404, "no model"),
            "check `base_url` and `model`",
        ),
        (Reply::status(401, "who?"), "check `api_key`"),
    ] {
        let server = ModelServer::start([reply]);
        let error = read(&server, &[PUMP]).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        let Error::Provider {
            provider,
            retryable,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(
            (provider.as_str(), retryable),
            (setup().instance.as_str(), false)
        );
    }
}

#[tokio::test]
async fn one_passage_that_fails_fails_the_reading() {
    let server = ModelServer::answering(|asked| match &asked.body["inputs"]["context"] {
        context if context == BEAM => Reply::status(500, "out of memory"),
        _ => Reply::json(answer(PUMP, "Lee", 0.5)),
    });
    let settings = QaSettings {
        max_retries: 0,
        ..settings(&server)
    };
    let error = read_with(settings, request(&[PUMP, BEAM]))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert!(matches!(
        error,
        Error::Provider {
            retryable: true,
            ..
        }
    ));
}

#[tokio::test]
async fn a_server_that_hangs_or_is_gone_is_an_error() {
    let server = ModelServer::start([Reply::hang()]);
    let settings = QaSettings {
        max_retries: 0,
        ..settings(&server)
    };
    let error = read_with(settings.clone(), request(&[PUMP])).await;
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    drop(server);
    let error = read_with(settings, request(&[PUMP])).await.unwrap_err();
    assert!(error.to_string().contains("request failed"), "{error}");
}
