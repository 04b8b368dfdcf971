//! A host that is ended by a signal. Alone in its program: it ends whatever
//! else runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use futures::StreamExt;
use gannet_command::{Command, Settings, end_all};
use gannet_plugin::prelude::Setup;
use gannet_plugin::provider::{ChatChunk, ChatModel, ChatRequest};
use gannet_plugin::testing::context;

#[tokio::test]
async fn all_programs_are_ended_with_their_children() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let command = format!(
        "sh -c 'exec 3> {}; echo on; sleep 600 & wait'",
        fifo.display()
    );
    // Ready when nobody holds the pipe any more.
    let ended = tokio::task::spawn_blocking(move || std::fs::read(fifo).unwrap());
    let settings = Settings {
        command: Some(command),
        ..Settings::default()
    };
    let model = Command::new(settings, &Setup::default()).unwrap();
    let mut stream = model
        .chat(ChatRequest::default(), &context())
        .await
        .unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, ChatChunk::Token("on\n".to_owned()));

    end_all();

    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .unwrap()
        .unwrap();
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(
        error.to_string().contains("was terminated: signal: 9"),
        "{error}"
    );
    // Nothing is left to end.
    end_all();
}
