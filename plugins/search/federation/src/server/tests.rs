#![allow(clippy::unwrap_used, clippy::panic)]

use gannet_plugin::http::HttpResponse;
use gannet_plugin::testing::FakeHost;
use pollster::block_on;
use serde_json::Value;

use super::*;

fn server(failures: u32) -> Server {
    let access = Access {
        timeout_seconds: 2.0,
        failures,
        pause_seconds: 60.0,
    };
    Server::new("archive", "http://archive.example", access).unwrap()
}

fn ask(server: &Server, host: &FakeHost) -> Result<Value> {
    let request = HttpRequest::get(server.url("/x"));
    block_on(server.ask(request, &host.context()))
}

fn answering(status: u16) -> FakeHost {
    FakeHost::default().on_http(move |_| Ok(HttpResponse::new(status, "{}")))
}

#[test]
fn an_address_has_a_scheme_and_a_host_and_no_secrets() {
    for wrong in [
        "",
        "archive.example",
        "ftp://archive.example",
        "https://",
        "https://lee:k@archive.example",
        "https://archive.example/?key=k",
    ] {
        let access = Access {
            timeout_seconds: 2.0,
            failures: 5,
            pause_seconds: 60.0,
        };
        let refused = Server::new("archive", wrong, access).unwrap_err();
        assert!(matches!(refused, Error::Setting { .. }), "{wrong}");
    }
}

#[test]
fn a_server_that_fails_again_and_again_is_not_asked() {
    let (server, broken) = (server(3), answering(503));
    for _ in 0..5 {
        ask(&server, &broken).unwrap_err();
    }
    assert_eq!(broken.calls().http.len(), 3);
    let refused = ask(&server, &broken).unwrap_err();
    let expected = "archive: not asked for 60 seconds: it failed 3 times in a row, last: server: \
                    status 503: {}";
    assert_eq!(refused.to_string(), expected);
    assert_eq!(server.health(), Health::degraded(expected));
}

#[test]
fn a_question_that_the_server_refuses_says_nothing_of_the_server() {
    let (server, refusing) = (server(2), answering(400));
    for _ in 0..5 {
        ask(&server, &refusing).unwrap_err();
    }
    assert_eq!(refusing.calls().http.len(), 5);
    assert_eq!(server.health(), Health::Healthy);
}

#[test]
fn with_zero_failures_it_is_always_asked() {
    let (server, broken) = (server(0), answering(503));
    for _ in 0..9 {
        ask(&server, &broken).unwrap_err();
    }
    assert_eq!(broken.calls().http.len(), 9);
}

#[test]
fn only_a_server_that_had_time_is_too_late() {
    let server = server(1);
    let asked = |long_ago, deadline| {
        let began = Instant::now() - long_ago;
        drop(Attempt {
            server: &server,
            began,
            deadline,
            is_over: false,
        });
        server.health()
    };
    let over = Deadline::after(Duration::ZERO);
    let in_a_hurry = asked(Duration::ZERO, over);
    assert_eq!(in_a_hurry, Health::Healthy);
    let went_away = asked(PATIENCE, Deadline::NEVER);
    assert_eq!(went_away, Health::Healthy);
    assert_ne!(asked(PATIENCE, over), Health::Healthy);
}

#[test]
fn names_in_paths_are_plain() {
    assert_eq!(
        name_in_path("index", "logs-2024,logs-*"),
        Ok("logs-2024,logs-*")
    );
    for wrong in ["", "..", "a/b", "a?b", "a b", "a%2Fb"] {
        assert!(name_in_path("index", wrong).is_err(), "{wrong}");
    }
}
