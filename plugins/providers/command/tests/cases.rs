//! Inputs with what the source system gives for them, read from a folder
//! `shared/cases` beside the repository. Without it each test says that it
//! was skipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use futures::StreamExt;
use gannet_command::{Command, Settings, Task, route};
use gannet_plugin::prelude::{Error, Setup};
use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole};
use gannet_plugin::testing::context;
use serde_json::Value;

fn cases(area: &str) -> Vec<Value> {
    gannet_test_cases::cases("seeds.jsonl", area)
}

#[test]
fn commands_are_chosen_as_erdos_does() {
    for case in cases("llm.route") {
        let input = &case["input"];
        let task: Task = serde_json::from_value(input["task"].clone()).unwrap();
        let lookup = |name: &str| input["env"][name].as_str().map(str::to_owned);
        let chosen = route(task, input["override"].as_str(), lookup);
        match case["expected"].as_str() {
            Some(command) => assert_eq!(chosen.unwrap(), command, "{case}"),
            None => assert_eq!(
                chosen.unwrap_err().to_string(),
                case["expected"]["message"].as_str().unwrap()
            ),
        }
    }
}

/// Without a command the reference asks nobody, and says that it did not;
/// here whoever asks a provider that has none is told so. Not to ask is what
/// a pipeline without a provider does.
#[tokio::test]
async fn programs_answer_as_those_of_erdos_do() {
    for case in cases("llm.execute") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let (answer, error) = run(input).await;
        if expected["llm_enabled"] == false {
            assert!(matches!(error, Some(Error::Configuration { .. })), "{case}");
            continue;
        }
        match expected["error"]["message"].as_str() {
            None => {
                assert_eq!(error, None, "{case}");
                assert_eq!(answer, expected["answer"].as_str().unwrap(), "{case}");
            }
            // The text is `LLM command exited with code N` there.
            Some(message) => {
                let message = message.trim_start_matches("LLM ");
                assert!(error.unwrap().to_string().contains(message), "{case}");
            }
        }
    }
}

/// What is said until the end or an error.
async fn run(input: &Value) -> (String, Option<Error>) {
    let settings = Settings {
        command: input["command"].as_str().map(str::to_owned),
        timeout_seconds: input["timeout_s"].as_u64().unwrap(),
        ..Settings::default()
    };
    let model = Command::new(settings, &Setup::default()).unwrap();
    let request = ChatRequest::new(vec![ChatMessage::new(
        ChatRole::User,
        input["prompt_on_stdin"].as_str().unwrap().to_owned(),
    )]);
    let mut stream = match model.chat(request, &context()).await {
        Ok(stream) => stream,
        Err(error) => return (String::new(), Some(error)),
    };
    let mut said = String::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(ChatChunk::Token(text)) => said.push_str(&text),
            Ok(_) => {}
            Err(error) => return (said, Some(error)),
        }
    }
    (said, None)
}
