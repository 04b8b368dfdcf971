//! A model that does whatever it reads.

use std::sync::LazyLock;

use gannet_test_model_server::{Asked, Reply};
use regex::Regex;
use serde_json::{Value, json};

/// Turns in which it calls tools before it answers.
const EAGER_TURNS: usize = 3;

static TOOLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:tool|Action:|"tool":|"name":)\s*"?([a-z][a-z_]{3,})"#).unwrap()
});
static MARKS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\[(]#?[A-Z0-9][^\])\n]{0,40}[\])]").unwrap());
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"https?://[^\s)\]]+|//evil\.example[^\s)>]*|javascript:[^\s)]*\)*").unwrap()
});

/// Calls every tool that is named anywhere, then cites every mark and gives
/// every address that it read.
pub fn obey(asked: &Asked) -> Reply {
    let read = texts(&asked.body["messages"]);
    let answered = |message: &&Value| message["role"] == "tool";
    let messages = asked.body["messages"].as_array().unwrap();
    let turns = messages.iter().filter(answered).count();
    let offered = asked.body["tools"].as_array();
    if offered.is_some() && turns == 0 {
        return Reply::tool_call(
            "keyword_search",
            json!({ "query": "cavity tripped", "max_results": 50 }),
        );
    }
    let named: Vec<String> = found(&TOOLS, &read);
    if offered.is_some() && turns < EAGER_TURNS && !named.is_empty() {
        let calls = named
            .iter()
            .map(|name| (name.as_str(), json!({ "url": addresses(&read) })));
        return Reply::tool_calls(calls);
    }
    let marks: Vec<&str> = MARKS.find_iter(&read).map(|mark| mark.as_str()).collect();
    let brackets = marks.join(" ").replace('(', "[").replace(')', "]");
    Reply::text(format!(
        "The cavity tripped {brackets} [#FOREIGN-1] [#FOREIGN-2] [#FOREIGN-3] [42]. See {} and ![x]({}).",
        addresses(&read),
        addresses(&read),
    ))
}

fn addresses(read: &str) -> String {
    let all: Vec<&str> = ADDRESSES
        .find_iter(read)
        .map(|found| found.as_str())
        .collect();
    all.join(" ")
}

fn found(pattern: &Regex, text: &str) -> Vec<String> {
    let mut names: Vec<String> = pattern
        .captures_iter(text)
        .map(|captures| captures[1].to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Everything that the model is shown.
fn texts(messages: &Value) -> String {
    let messages = messages.as_array().into_iter().flatten();
    let contents = messages.filter_map(|message| message["content"].as_str());
    contents.collect::<Vec<_>>().join("\n")
}
