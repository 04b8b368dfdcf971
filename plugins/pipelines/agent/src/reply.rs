//! A reply of a model that has no calls of tools: JSON, or something near it.

use gannet_stages::without_thoughts;
use serde_json::{Map, Value, json};

/// Places in a reply that are tried for the beginning of a JSON object.
const OBJECTS_TRIED: usize = 20;
/// Keys under which models write the parts of a reply.
const TOOL: [&str; 4] = ["tool", "action", "tool_name", "name"];
const ARGUMENTS: [&str; 6] = [
    "arguments",
    "action_input",
    "parameters",
    "args",
    "tool_args",
    "input",
];
const FINAL: [&str; 3] = ["final", "final_answer", "answer"];
/// What some write for a tool when they answer.
const NO_TOOLS: [&str; 4] = ["final answer", "final_answer", "final", "none"];

/// What a model says in text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// It calls a tool.
    Call {
        thought: String,
        tool: String,
        arguments: Value,
    },
    /// It answers.
    Final(String),
    /// It meant to write JSON, and did not.
    Unreadable,
}

/// What a JSON Schema asks of a reply.
pub(crate) fn schema(tools: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "thought": { "type": "string" },
            "tool": { "type": "string", "enum": tools },
            "arguments": { "type": "object" },
            "final": { "type": "string" },
        },
        "required": ["thought"],
        "additionalProperties": false,
    })
}

/// Reads a reply: a JSON object, whatever stands around it, or lines
/// `Action:`, `Action Input:` and `Final Answer:`; any other text is an
/// answer.
pub(crate) fn read(reply: &str) -> Reply {
    let reply = without_thoughts(reply);
    let text = reply.trim();
    let brace = text.find('{').unwrap_or(text.len());
    if let Some(read) = read_lines(text).filter(|(at, _)| *at < brace) {
        return read.1;
    }
    let places = text.match_indices('{').take(OBJECTS_TRIED);
    let objects = places.filter_map(|(at, _)| object_at(&text[at..]));
    if let Some(reply) = objects.filter_map(read_object).next() {
        return reply;
    }
    match text.starts_with(['{', '`']) {
        true => Reply::Unreadable,
        false => Reply::Final(text.to_owned()),
    }
}

fn object_at(text: &str) -> Option<Map<String, Value>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next()?.ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn read_object(object: Map<String, Value>) -> Option<Reply> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| written(object.get(*key)?));
    let arguments = ARGUMENTS.iter().find_map(|key| object.get(*key));
    match text(&TOOL) {
        Some(tool) if is_no_tool(&tool) => arguments.and_then(written).map(Reply::Final),
        Some(tool) => Some(Reply::Call {
            thought: text(&["thought"]).unwrap_or_default(),
            tool,
            arguments: arguments_of(arguments),
        }),
        None => text(&FINAL).map(Reply::Final),
    }
    .or_else(|| text(&FINAL).map(Reply::Final))
}

/// A value as text, unless it says nothing.
fn written(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn is_no_tool(name: &str) -> bool {
    NO_TOOLS.contains(&name.to_lowercase().as_str())
}

/// Arguments that are a text are JSON, or else the query.
fn arguments_of(arguments: Option<&Value>) -> Value {
    match arguments {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) => match object_at(text.trim()) {
            Some(object) => Value::Object(object),
            None => json!({ "query": text }),
        },
        Some(other) => other.clone(),
    }
}

/// A reply in lines, and where the first of them begins.
fn read_lines(text: &str) -> Option<(usize, Reply)> {
    let action = after_label(text, "action:");
    let answer = after_label(text, "final answer:");
    match (action, answer) {
        (None, None) => None,
        (None, Some((at, answer))) => Some((at, Reply::Final(answer.trim().to_owned()))),
        (Some((at, _)), Some((earlier, answer))) if earlier < at => {
            Some((earlier, Reply::Final(answer.trim().to_owned())))
        }
        (Some((at, rest)), _) => {
            let tool = rest.lines().next().unwrap_or_default();
            let tool = tool.trim().trim_matches(['`', '"', '\'', '*']).to_owned();
            let input = after_label(rest, "action input:").map_or("", |(_, input)| input);
            let end = after_label(input, "observation:").map_or(input.len(), |(at, _)| at);
            let input = input[..end].trim().trim_matches('`').trim();
            let thought = text[..at].trim();
            let thought = thought.strip_prefix("Thought:").unwrap_or(thought).trim();
            let input = Value::String(input.to_owned());
            Some((
                at,
                Reply::Call {
                    thought: thought.to_owned(),
                    tool,
                    arguments: arguments_of(Some(&input)),
                },
            ))
        }
    }
}

/// The first line that begins with a label, in any case and with marks before
/// it: where the line is, and all that follows the label.
fn after_label<'a>(text: &'a str, label: &str) -> Option<(usize, &'a str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t', '*', '#', '>', '-']);
        let is_label = content
            .get(..label.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(label));
        if is_label {
            let start = at + (line.len() - content.len()) + label.len();
            return Some((at, text[start..].trim_start_matches('*')));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(thought: &str, query: &str) -> Reply {
        Reply::Call {
            thought: thought.to_owned(),
            tool: "keyword_search".to_owned(),
            arguments: json!({ "query": query }),
        }
    }

    fn answer(text: &str) -> Reply {
        Reply::Final(text.to_owned())
    }

    #[test]
    fn a_call_is_read_however_it_is_wrapped() {
        let object =
            r#"{"thought": "look", "tool": "keyword_search", "arguments": {"query": "RF"}}"#;
        for reply in [
            object.to_owned(),
            format!("```json\n{object}\n```"),
            format!("I will {{search}} now:\n{object}\nObservation: made up"),
            format!("<think>{{\"final\": \"no\"}}</think>\n{object}"),
            object
                .replace("arguments", "action_input")
                .replace("\"tool\"", "\"action\""),
            object.replace(r#"{"query": "RF"}"#, r#""{\"query\": \"RF\"}""#),
            object.replace(r#"{"query": "RF"}"#, "\"RF\""),
            object.replace("\"tool\"", "\"final\": null, \"tool\""),
        ] {
            assert_eq!(read(&reply), call("look", "RF"), "{reply}");
        }
    }

    #[test]
    fn lines_of_react_are_read_up_to_what_the_model_makes_up() {
        let lines = "Thought: look\nAction: keyword_search\nAction Input: {\"query\": \"RF\"}\n\
                     Observation: nothing\nFinal Answer: none";
        assert_eq!(read(lines), call("look", "RF"));
        assert_eq!(
            read("**Action:** `keyword_search`\nAction Input: RF"),
            call("", "RF")
        );
        assert_eq!(
            read("Thought: enough\nFinal Answer: It tripped [#1]."),
            answer("It tripped [#1].")
        );
    }

    #[test]
    fn an_answer_is_read_from_json_or_is_the_whole_text() {
        for reply in [
            r#"{"thought": "enough", "final": "It tripped."}"#,
            r#"{"action": "Final Answer", "action_input": "It tripped."}"#,
            r#"{"tool": "none", "answer": "It tripped."}"#,
            r#"{"tool": "", "final": "It tripped."}"#,
            "It tripped.",
        ] {
            assert_eq!(read(reply), answer("It tripped."), "{reply}");
        }
        assert_eq!(read("a {b} c"), answer("a {b} c"));
    }

    #[test]
    fn json_without_a_tool_or_an_answer_is_told_to_the_model() {
        for reply in [
            r#"{"thought": "hm"}"#,
            r#"{"tool": "keyw"#,
            "```json\n{]\n```",
        ] {
            assert_eq!(read(reply), Reply::Unreadable, "{reply}");
        }
    }
}
