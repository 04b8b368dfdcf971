//! What a model's reply says.

use serde::Deserialize;

/// Characters of a keyword at most: a longer one is a sentence.
const LONGEST_KEYWORD: usize = 80;
/// Characters of a summary at most.
const LONGEST_SUMMARY: usize = 2000;

/// A summary and keywords.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Insights {
    /// Terms by which the entry is looked for.
    pub keywords: Vec<String>,
    /// What happened, in a sentence or two.
    pub summary: String,
}

/// Reads the JSON object of a reply, which may stand in a fence of code or
/// between other words.
///
/// ```
/// use gannet_semantic_processor::read_reply;
///
/// let reply = "```json\n{\"keywords\": [\"arc\"], \"summary\": \"An arc.\"}\n```";
/// assert_eq!(read_reply(reply)?.keywords, ["arc"]);
/// assert!(read_reply("I cannot help with that.").is_err());
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// What is wrong with it, for the status of the entry.
pub fn read_reply(reply: &str) -> Result<Insights, String> {
    let reply = reply.trim();
    if reply.is_empty() {
        return Err("it is empty".to_owned());
    }
    let (Some(start), Some(end)) = (reply.find('{'), reply.rfind('}')) else {
        return Err("it has no JSON object".to_owned());
    };
    let object = reply.get(start..=end).unwrap_or_default();
    let insights: Insights = serde_json::from_str(object)
        .map_err(|error| format!("it is not the JSON that was asked for: {error}"))?;
    let insights = cleaned(insights);
    match insights.keywords.is_empty() && insights.summary.is_empty() {
        true => Err("it has neither keywords nor a summary".to_owned()),
        false => Ok(insights),
    }
}

fn cleaned(insights: Insights) -> Insights {
    let keywords = insights
        .keywords
        .into_iter()
        .map(|keyword| one_line(&keyword));
    let is_keyword =
        |keyword: &String| !keyword.is_empty() && keyword.chars().count() <= LONGEST_KEYWORD;
    let summary = one_line(&insights.summary);
    Insights {
        keywords: keywords.filter(is_keyword).collect(),
        summary: summary.chars().take(LONGEST_SUMMARY).collect(),
    }
}

/// Without control characters, line ends among them.
fn one_line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_test_cases::{cases, strings};

    use super::*;

    #[test]
    fn replies_are_read_as_ariel_reads_them() {
        for case in cases("ariel.jsonl", "semantic_processor_parse") {
            let read = read_reply(case["input"].as_str().unwrap());
            let expected = &case["expected"];
            if expected.is_null() {
                assert!(read.is_err(), "{case}");
                continue;
            }
            let read = read.unwrap();
            assert_eq!(read.keywords, strings(&expected["keywords"]), "{case}");
            assert_eq!(expected["summary"], read.summary, "{case}");
        }
    }

    #[test]
    fn what_is_not_asked_for_is_refused_or_left_out() {
        let wrong = [
            "{\"keywords\": \"arc\", \"summary\": \"S\"}",
            "{\"summary\": \"S\"}",
            "{\"keywords\": [], \"summary\": \" \"}",
            "} {",
        ];
        for reply in wrong {
            assert!(read_reply(reply).is_err(), "{reply}");
        }
        let long = "x".repeat(81);
        let reply = format!(
            "Here it is: {{\"keywords\": [\" RF\\ntrip \", \"\", \"{long}\"], \"summary\": \"A\\n\\nB\"}} Bye."
        );
        let read = read_reply(&reply).unwrap();
        assert_eq!(read.keywords, ["RF trip"]);
        assert_eq!(read.summary, "A B");
    }
}
