//! Servers that fail, and what is said of it.

use std::time::Duration;

use futures::StreamExt;
use gannet_model_servers::{OpenAi, OpenAiSettings};
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::{ChatChunk, ChatModel};
use gannet_plugin::setup::Secret;
use gannet_plugin::testing::context;
use gannet_test_model_server::{ModelServer, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{ask, openai, question, settings, setup, text};

fn host(server: &ModelServer) -> &str {
    server.url().trim_start_matches("http://")
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let busy = |code| Reply::status(code, "busy").retry_after(0);
    let server = ModelServer::start([busy(429), busy(503), Reply::text("It tripped.")]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(text(&chunks), "It tripped.");
    let asked = server.requests();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0], asked[2]);
}

#[tokio::test]
async fn a_server_that_always_fails_is_given_up() {
    let server = ModelServer::answering(|_| Reply::status(500, "out of memory").retry_after(0));
    let error = ask(&openai(&server), question()).await.unwrap_err();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(
        error.to_string(),
        format!(
            "lab: {}/v1/chat/completions answered 500 Internal Server Error: out of memory",
            host(&server)
        )
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_server_that_does_not_say_when_is_asked_again_soon() {
    let server = ModelServer::start([Reply::status(502, ""), Reply::text("It tripped.")]);
    let chunks = ask(&openai(&server), question()).await.unwrap();
    assert_eq!(text(&chunks), "It tripped.");
}

#[tokio::test]
async fn a_server_that_wants_a_long_wait_is_not_waited_for() {
    // The second is longer than the time-out of these tests.
    for seconds in [3600, 2] {
        let busy = Reply::status(429, "slow down").retry_after(seconds);
        let server = ModelServer::start([busy]);
        let model = openai(&server);
        let asked = tokio::time::timeout(Duration::from_millis(1500), ask(&model, question()));
        let error = asked.await.unwrap().unwrap_err();
        assert_eq!(server.requests().len(), 1);
        assert!(
            error.to_string().ends_with(&format!(
                "answered 429 Too Many Requests: slow down; retry after {seconds} s"
            )),
            "{error}"
        );
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn silence_after_an_answer_does_not_hide_it() {
    let busy = Reply::status(503, "loading").retry_after(0);
    let server = ModelServer::start([busy, Reply::hang()]);
    let error = ask(&openai(&server), question()).await.unwrap_err();
    assert_eq!(server.requests().len(), 2);
    assert!(
        error.to_string().ends_with(
            "answered 503 Service Unavailable: loading; after a retry, it did not respond within 1 s"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_refusal_is_not_asked_again() {
    for (code, advice) in [
        (400, ""),
        (401, "; check `api_key`"),
        (302, "; redirects are not followed, check `base_url`"),
    ] {
        let server = ModelServer::start([Reply::status(code, "no such thing")]);
        let error = ask(&openai(&server), question()).await.unwrap_err();
        assert_eq!(server.requests().len(), 1);
        assert!(
            error
                .to_string()
                .ends_with(&format!("no such thing{advice}")),
            "{error}"
        );
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    let gone = ModelServer::start([]);
    let model = openai(&gone);
    let place = host(&gone).to_owned();
    drop(gone);
    let error = ask(&model, question()).await.unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with(&format!(
            "lab: {place}/v1/chat/completions request failed: "
        )),
        "{message}"
    );
    assert!(message.contains("refused"), "{message}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_cut_stream_is_an_error_after_what_was_said() {
    let server = ModelServer::answering(|_| Reply::cut_after("It tripped"));
    let mut stream = openai(&server).chat(question(), &context()).await.unwrap();
    let mut said = Vec::new();
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(chunk) => said.push(chunk),
            Err(error) => break error,
        }
    };
    assert_eq!(text(&said), "It tripped");
    assert!(
        error.to_string().contains("interrupted its response"),
        "{error}"
    );
    assert!(stream.next().await.is_none());
    // Once something was said nothing is asked again.
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_stream_that_ends_without_a_reason_on_a_closed_connection_is_cut() {
    // Neither a length nor chunks: an end looks like a broken connection.
    let address = raw_server(&["HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\
         data: {\"choices\": [{\"delta\": {\"content\": \"It\"}}]}\n\n"])
    .await;
    let settings = OpenAiSettings {
        base_url: Some(format!("http://{address}/v1")),
        ..OpenAiSettings::default()
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    let error = ask(&model, question()).await.unwrap_err();
    assert!(error.to_string().contains("incomplete"), "{error}");
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_is_made_again() {
    let address = raw_server(&[
        "",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\
         data: {\"choices\": [{\"delta\": {\"content\": \"It\"}}]}\n\ndata: [DONE]\n\n",
    ])
    .await;
    let settings = OpenAiSettings {
        base_url: Some(format!("http://{address}/v1")),
        ..OpenAiSettings::default()
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    assert_eq!(text(&ask(&model, question()).await.unwrap()), "It");
}

/// Takes a connection for each answer, writes it as it stands, and closes.
async fn raw_server(answers: &'static [&'static str]) -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for answer in answers {
            let (mut connection, _) = listener.accept().await.unwrap();
            // To the end of its JSON: what is left unread would break the
            // connection before the answer is through.
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                connection.read_buf(&mut request).await.unwrap();
            }
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    address
}

#[tokio::test]
async fn a_request_beyond_the_script_says_so() {
    let server = ModelServer::start([]);
    let error = ask(&openai(&server), question()).await.unwrap_err();
    assert!(
        error.to_string().ends_with("the script has only 0 answers"),
        "{error}"
    );
}

#[tokio::test]
async fn malformed_json_is_shown_as_it_came() {
    let server = ModelServer::start([Reply::malformed_json()]);
    let error = ask(&openai(&server), question()).await.unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("returned a response that is not JSON"),
        "{message}"
    );
    assert!(
        message.ends_with(r#": {"choices": [{"message": {"#),
        "{message}"
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_malformed_event_is_an_error_after_what_was_said() {
    let server = ModelServer::start([Reply::malformed_line("It tripped")]);
    let stream = openai(&server).chat(question(), &context()).await.unwrap();
    let chunks: Vec<Result<ChatChunk, Error>> = stream.collect().await;
    assert_eq!(chunks.len(), 3);
    let error = chunks[2].clone().unwrap_err().to_string();
    assert!(error.ends_with(r#"{"choices": [{"del"#), "{error}");
}

#[tokio::test]
async fn a_page_instead_of_an_answer_is_shown() {
    let page = "<html>Please log in</html>";
    let server = ModelServer::start([Reply::raw("text/html", page), Reply::raw("text/plain", "")]);
    let model = openai(&server);
    let error = ask(&model, question()).await.unwrap_err().to_string();
    assert!(
        error.ends_with("contains no message of a model: <html>Please log in</html>"),
        "{error}"
    );
    let error = ask(&model, question()).await.unwrap_err().to_string();
    assert!(
        error.ends_with("contains no message of a model: (nothing)"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let server = ModelServer::start([Reply::hang(), Reply::hang_after("It tripped")]);
    let model = openai(&server);
    let error = ask(&model, question()).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    assert!(error.to_string().starts_with("lab: 127.0.0.1:"), "{error}");
    let mut stream = model.chat(question(), &context()).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    assert!(stream.next().await.unwrap().is_ok());
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    // A server that is slow is not given the same work again.
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_long_body_is_cut_between_letters() {
    let server = ModelServer::start([Reply::status(400, "\u{e9}".repeat(2000))]);
    let error = ask(&openai(&server), question())
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(error.matches('\u{e9}').count(), 500);
    assert!(error.ends_with("..."));
}

#[tokio::test]
async fn no_error_and_no_debug_text_shows_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "s3cret-key").unwrap();
    let echo = |text: &str| format!("{} invalid key s3cret-key", text);
    // The last one would be cut within the key.
    let long = format!("{}s3cret-key", "x".repeat(495));
    let replies = [
        Reply::status(401, echo("")),
        Reply::raw("text/plain", echo("")),
        Reply::raw("text/event-stream", format!("data: {}\n\n", echo("{"))),
        Reply::raw("text/event-stream", "data: {\"error\": \"s3cret-key\"}\n\n"),
        Reply::status(400, long),
    ];
    let count = replies.len();
    let server = ModelServer::start(replies);
    let settings = OpenAiSettings {
        api_key: Some(Secret::file(&path)),
        ..settings(&server)
    };
    assert!(!format!("{settings:?}").contains("s3cret"));
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    for _ in 0..count {
        let error = ask(&model, question()).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("s3c"), "{shown}");
        assert!(shown.contains("***"), "{shown}");
    }
    assert_eq!(server.requests().len(), count);
}

#[tokio::test]
async fn the_token_of_a_header_is_not_shown_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("header");
    std::fs::write(&path, "Bearer s3cret-token").unwrap();
    let server = ModelServer::start([
        Reply::status(401, "no such token: s3cret-token"),
        Reply::status(401, "Bearer s3cret-token was refused"),
    ]);
    let mut settings = settings(&server);
    let header = ("authorization".to_owned(), Secret::file(&path));
    settings.headers.extend([header]);
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    for _ in 0..2 {
        let error = ask(&model, question()).await.unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "s3cret\nline").unwrap();
    let server = ModelServer::start([]);
    let settings = OpenAiSettings {
        api_key: Some(Secret::file(&path)),
        ..settings(&server)
    };
    let model = <OpenAi as ChatModel>::new(settings, &setup()).unwrap();
    let error = ask(&model, question()).await.unwrap_err().to_string();
    assert!(error.contains("providers.lab.settings.api_key"), "{error}");
    assert!(!error.contains("s3cret"), "{error}");
}

#[test]
fn an_address_with_what_may_be_a_secret_is_refused_and_not_repeated() {
    for address in [
        "http://me:s3cret@host/v1",
        "http://s3cret@host/v1",
        "http://host/v1?key=s3cret",
        "http://host/v1#s3cret",
        "http://me:s3cret@host:port/v1",
    ] {
        let settings = OpenAiSettings {
            base_url: Some(address.to_owned()),
            ..OpenAiSettings::default()
        };
        let error = <OpenAi as ChatModel>::new(settings, &setup())
            .err()
            .unwrap();
        assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
        let message = format!("{error} {error:?}");
        assert!(
            message.contains("providers.lab.settings.base_url"),
            "{message}"
        );
        assert!(!message.contains("s3cret"), "{message}");
        if !address.contains("port") {
            assert!(message.contains("use `api_key` or `headers`"), "{message}");
        }
    }
}
