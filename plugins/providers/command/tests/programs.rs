//! Programs that behave, and programs that do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use gannet_command::{Command, Settings};
use gannet_plugin::prelude::{Error, Setup};
use gannet_plugin::provider::{
    ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, ChatStream,
};
use gannet_plugin::testing::context;

fn model(command: &str, timeout_seconds: u64) -> Command {
    let settings = Settings {
        command: Some(command.to_owned()),
        timeout_seconds,
        ..Settings::default()
    };
    let setup = Setup::default().with_instance("lab");
    Command::new(settings, &setup).unwrap()
}

fn request(question: &str) -> ChatRequest {
    ChatRequest::new(vec![ChatMessage::new(ChatRole::User, question)])
}

async fn start(command: &str, timeout_seconds: u64) -> Result<ChatStream, Error> {
    model(command, timeout_seconds)
        .chat(request("Why?"), &context())
        .await
}

async fn ask(command: &str, question: &str) -> Result<Vec<ChatChunk>, Error> {
    let stream = model(command, 60)
        .chat(request(question), &context())
        .await?;
    stream.try_collect().await
}

fn text(chunks: &[ChatChunk]) -> String {
    let token = |chunk: &ChatChunk| match chunk {
        ChatChunk::Token(token) => Some(token.clone()),
        _ => None,
    };
    chunks.iter().filter_map(token).collect()
}

#[tokio::test]
async fn what_it_writes_comes_as_it_is_written() {
    // It writes its second word only when it is told that the first was read.
    let folder = tempfile::tempdir().unwrap();
    let fifo = fifo(folder.path());
    let command = format!("sh -c 'echo one; read go < {fifo}; echo two'");
    let mut stream = start(&command, 60).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, ChatChunk::Token("one\n".to_owned()));
    let path = fifo.clone();
    tokio::task::spawn_blocking(move || std::fs::write(path, "go\n").unwrap());
    let rest: Vec<ChatChunk> = stream.try_collect().await.unwrap();
    let expected = [
        ChatChunk::Token("two\n".to_owned()),
        ChatChunk::End("stop".to_owned()),
    ];
    assert_eq!(rest, expected);
}

#[tokio::test]
async fn a_long_conversation_and_a_long_answer_pass() {
    let question = "Was f\u{fc}hrte zum Strahlverlust? ".repeat(20_000);
    let chunks = ask("cat", &question).await.unwrap();
    assert_eq!(text(&chunks), question);
}

#[tokio::test]
async fn a_program_that_does_not_read_is_no_error() {
    let question = "why ".repeat(100_000);
    assert_eq!(text(&ask("echo hi", &question).await.unwrap()), "hi\n");
    assert_eq!(text(&ask("true", &question).await.unwrap()), "");
}

#[tokio::test]
async fn words_are_set_apart_without_a_shell() {
    let chunks = ask("printf '%s|' 'a b' \"c\" d\\ e $HOME ;", "")
        .await
        .unwrap();
    assert_eq!(text(&chunks), "a b|c|d e|$HOME|;|");
}

#[tokio::test]
async fn a_program_that_fails_is_told_with_the_end_of_its_complaints() {
    let command = "sh -c 'echo part; echo x; seq 1 5000 >&2; echo no model >&2; exit 7'";
    let error = ask(command, "").await.unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("lab: the command exited with code 7: "),
        "{message}"
    );
    assert!(message.ends_with("5000\nno model"), "{message}");
    assert!(message.len() < 2100);
    let error = ask("sh -c 'kill -9 $$'", "").await.unwrap_err();
    assert!(
        error.to_string().contains("was terminated: signal: 9"),
        "{error}"
    );
}

#[tokio::test]
async fn a_command_that_cannot_be_run_is_an_error_of_the_configuration() {
    for (command, expected) in [
        (
            "no-such-program-here -x",
            "cannot run the program `no-such-program-here`",
        ),
        ("/ x", "cannot run the program `/`"),
        ("llm 'open", "a quote in the command is not closed"),
    ] {
        let error = ask(command, "").await.unwrap_err();
        assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
        let message = error.to_string();
        assert!(
            message.starts_with("setting `providers.lab.settings.command`"),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let (command, ended) = stays(folder.path());
    let mut stream = start(&command, 1).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    let error = stream.next().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "lab took longer than 1000 ms");
    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .unwrap()
        .unwrap();
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn dropping_the_stream_ends_the_program_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let (command, ended) = stays(folder.path());
    let mut stream = start(&command, 60).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, ChatChunk::Token("on\n".to_owned()));
    drop(stream);
    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_program_that_never_stops_writing_is_ended() {
    let mut stream = start("yes", 60).await.unwrap();
    let mut said = 0;
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(ChatChunk::Token(text)) => said += text.len(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert!(said <= 1024 * 1024, "{said}");
    let message = error.to_string();
    assert!(
        message.starts_with("lab: the command wrote more than 1 MiB"),
        "{message}"
    );
    assert!(!error.is_retryable());
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn what_a_program_leaves_behind_is_not_waited_for_and_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = fifo(folder.path());
    let command = format!("sh -c 'exec 3> {fifo}; sleep 600 & echo hi'");
    let ended = tokio::task::spawn_blocking(move || std::fs::read(fifo).unwrap());
    let asked = tokio::time::timeout(Duration::from_secs(20), ask(&command, ""));
    assert_eq!(text(&asked.await.unwrap().unwrap()), "hi\n");
    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn the_code_of_a_program_counts_though_something_holds_its_output() {
    let command = "sh -c 'sleep 600 & echo no model >&2; exit 3'";
    let asked = tokio::time::timeout(Duration::from_secs(20), ask(command, ""));
    let error = asked.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "lab: the command exited with code 3: no model"
    );
}

/// A program that stays with a child, and what becomes ready when both have
/// gone: they hold the end of a pipe.
fn stays(folder: &Path) -> (String, tokio::task::JoinHandle<Vec<u8>>) {
    let fifo = fifo(folder);
    let command = format!("sh -c 'exec 3> {fifo}; echo on; sleep 600 & wait'");
    let ended = tokio::task::spawn_blocking(move || std::fs::read(fifo).unwrap());
    (command, ended)
}

/// A named pipe.
fn fifo(folder: &Path) -> String {
    let path = folder.join("pipe").display().to_string();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}
