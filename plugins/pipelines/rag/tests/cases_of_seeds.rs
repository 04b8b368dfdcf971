//! Inputs of OctoLLM's Retriever and of erdos, with what they give for them. They are read
//! from a folder `shared/cases` beside the repository; without it each test
//! says that it was skipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::cases::{setup, size};
use fixture::support::{FakeHost, entry, hits};
use fixture::{ask, described, ids, token};
use gannet_plugin::prelude::{Entry, PipelineRequest, Setup};
use gannet_plugin::provider::{ChatRequest, RerankScore};
use gannet_plugin::search::ScoreKind;
use gannet_stages::words;
use gannet_test_cases::{cases, strings};
use serde_json::{Value, json};

fn numbered(count: usize) -> Vec<Entry> {
    (0..count)
        .map(|number| entry(&number.to_string(), &format!("text {number}")))
        .collect()
}

/// A pipeline over one list in this order.
fn over_one_list(ids: &[&str], entries: &[Entry]) -> FakeHost {
    described()
        .with_module("keyword", Ok(hits(ScoreKind::Bm25, ids)))
        .with_module("semantic", Ok(hits(ScoreKind::Cosine, ids)))
        .with_entries(entries)
}

fn both() -> Setup {
    setup(&["keyword".to_owned(), "semantic".to_owned()])
}

#[test]
fn rerank_threshold_and_limit_of_octollm() {
    for case in cases("seeds.jsonl", "search.rerank_filter_limit") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let scores = input["cross_encoder_scores"].as_array().unwrap();
        let scores: Vec<RerankScore> = (0..)
            .zip(scores)
            .map(|(index, score)| RerankScore::new(index, score.as_f64().unwrap()))
            .collect();
        let entries = numbered(scores.len());
        let names: Vec<&str> = entries.iter().map(|e| e.entry_id.as_str()).collect();
        // OctoLLM cuts by the scores, this one by what the host tells.
        let of_entries = scores.iter().map(|score| score.score);
        let relevance = entries.iter().map(|entry| entry.entry_id.clone());
        let host = FakeHost {
            relevance: relevance.zip(of_entries).collect(),
            scores: Some(Ok(scores)),
            chat: Some(Ok(vec![token("Generated.")])),
            ..over_one_list(&names, &entries)
        };
        let (host, context) = host.context();
        let mut request = PipelineRequest::new("text", size(&input["limit"]));
        let minimum = input["min_relevance_score"].clone();
        request.params.insert("min_relevance".to_owned(), minimum);
        request.params.insert("rerank".to_owned(), json!(true));
        let answer = ask(json!({}), request, &both(), &context).unwrap();
        let expected_ids: Vec<String> = expected["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(ids(&answer), expected_ids, "{case}");
        let is_generated = !host.chats.lock().unwrap().is_empty();
        assert_eq!(is_generated, expected["synthesis"].is_string(), "{case}");
    }
}

/// The source drops every hit; here a threshold on ranks is not applied.
#[test]
fn a_threshold_on_ranks_drops_nothing_here() {
    for case in cases("seeds.jsonl", "min_relevance_score.on_rrf") {
        let input = &case["input"];
        assert_eq!(case["expected"]["kept"], json!([]));
        let entries = numbered(input["fused"].as_array().unwrap().len());
        let names: Vec<&str> = entries.iter().map(|e| e.entry_id.as_str()).collect();
        let (_, context) = over_one_list(&names, &entries).context();
        let mut request = PipelineRequest::new("text", 10);
        let minimum = input["min_relevance_score"].clone();
        request.params.insert("min_relevance".to_owned(), minimum);
        let answer = ask(json!({}), request, &both(), &context).unwrap();
        assert_eq!(answer.hits.len(), entries.len());
        let notes = context.diagnostics.take();
        let note = notes.iter().find(|note| note.source == "rag.threshold");
        assert_eq!(note.unwrap().category.as_deref(), Some("threshold"));
    }
}

/// The first five are given; all stay in the result. The text of a source is
/// shown as an entry here.
#[test]
fn the_context_of_octollm() {
    for case in cases("seeds.jsonl", "synthesis.context") {
        let results = case["input"]["results"].as_array().unwrap();
        let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
        let entries: Vec<Entry> = results
            .iter()
            .map(|one| entry(&text(one, "source"), &text(one, "content")))
            .collect();
        let names: Vec<&str> = entries.iter().map(|e| e.entry_id.as_str()).collect();
        let (_, context) = over_one_list(&names, &entries).context();
        let settings = json!({"budget": {"policy": "top_n"}});
        let answer = ask(
            settings,
            PipelineRequest::new("text", 10),
            &both(),
            &context,
        )
        .unwrap();
        assert_eq!(ids(&answer), names);
        let expected = case["expected"].as_str().unwrap();
        let given: Vec<String> = expected
            .lines()
            .filter_map(|line| {
                line.strip_prefix("Source ")?
                    .split_once(" (")?
                    .1
                    .strip_suffix("):")
            })
            .map(str::to_owned)
            .collect();
        assert_eq!(answer.sources, given);
    }
}

/// The statement and what belongs to it are pinned. All pinned entries score
/// 1 here, and an empty index is searched like any other.
#[test]
fn sources_of_erdos() {
    for case in cases("seeds.jsonl", "ask.retrieve_sources") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let mut pinned = vec!["problem_6_statement"];
        if input["has_synthesis"] == true {
            pinned.insert(0, "research_6_synthesis");
        }
        if input["has_notes"] == true {
            pinned.push("problem_6_notes");
        }
        let found = strings(&input["index_hits"]);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let mut entries: Vec<Entry> = found
            .iter()
            .chain(&pinned)
            .map(|id| entry(id, ""))
            .collect();
        for entry in &mut entries {
            let title = input["title"].clone();
            entry.metadata.insert("title".to_owned(), title);
        }
        let (host, context) = over_one_list(&found, &entries).context();
        let mut request =
            PipelineRequest::new(input["question"].as_str().unwrap(), size(&input["limit"]));
        request
            .params
            .insert("pinned".to_owned(), json!(pinned.join(", ")));
        let answer = ask(json!({}), request, &both(), &context).unwrap();
        assert_eq!(ids(&answer), strings(&expected["ids"]), "{case}");
        let of_pinned = answer.hits.iter().take(pinned.len());
        assert!(of_pinned.clone().all(|hit| hit.score == 1.0));

        if let Some(query) = expected["query"].as_str() {
            let theirs: Vec<&str> = query
                .split('"')
                .filter(|w| !w.is_empty() && *w != " OR ")
                .collect();
            let searches = host.searches.lock().unwrap();
            assert_eq!(words(&searches[0].1.query), theirs, "{case}");
        }
    }
}

/// `'text' x50`, or `'start' + 'A' x5000`.
fn repeated(written: &str) -> String {
    let parts = written.split(" + ").map(|part| {
        let (text, after) = part.trim_start_matches('\'').split_once('\'').unwrap();
        let times = after.trim().strip_prefix('x');
        text.repeat(times.map_or(1, |number| number.parse().unwrap()))
    });
    parts.collect()
}

/// What a model is asked under a proportional budget.
fn asked_within(
    pinned: &[Entry],
    sources: &[Entry],
    question: &str,
    max_bytes: usize,
) -> ChatRequest {
    let found: Vec<&str> = sources.iter().map(|e| e.entry_id.as_str()).collect();
    let entries = [pinned, sources].concat();
    let host = FakeHost {
        chat: Some(Ok(vec![token("So [1].")])),
        ..over_one_list(&found, &entries)
    };
    let (host, context) = host.context();
    let pinned: Vec<&str> = pinned.iter().map(|e| e.entry_id.as_str()).collect();
    let budget = json!({"policy": "proportional", "max_prompt_bytes": max_bytes});
    let settings = json!({"budget": budget, "pinned": pinned, "citation_style": "number"});
    ask(
        settings,
        PipelineRequest::new(question, 5),
        &both(),
        &context,
    )
    .unwrap();
    let chats = host.chats.lock().unwrap();
    chats[0].clone()
}

/// As one text, as a program reads it.
fn bytes(request: &ChatRequest) -> usize {
    let texts = request.messages.iter().map(|m| m.content.as_str());
    texts.collect::<Vec<_>>().join("\n\n").len()
}

fn occurrences(request: &ChatRequest, text: &str) -> usize {
    let messages = request.messages.iter();
    messages.map(|m| m.content.matches(text).count()).sum()
}

fn emptied(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().map(|e| entry(&e.entry_id, "")).collect()
}

/// Our headings and instructions are other words than erdos's, and longer.
/// With that much more room in all, each part has the same bytes.
#[test]
fn prompts_of_erdos() {
    let all = cases("seeds.jsonl", "prompt.budget");
    let mut words_of_erdos = 0;
    for case in &all {
        let (input, expected) = (&case["input"], &case["expected"]);
        let problem = &input["problem"];
        let question = input["question"].as_str().unwrap();
        let text = |key: &str| repeated(problem[key].as_str().unwrap());
        let pinned = [entry("6", &text("statement")), entry("6n", &text("notes"))];
        let sources: Vec<Entry> = strings(&input["sources"])
            .iter()
            .map(|source| {
                let (id, text) = source.split_once(": ").unwrap();
                entry(id, &repeated(text))
            })
            .collect();
        let texts = pinned.iter().chain(&sources).map(|e| e.raw_text.len());
        let parts = texts.sum::<usize>() + question.len();
        if expected["markers"] == 0 {
            words_of_erdos = size(&expected["bytes"]) - parts;
        }
        let bare = asked_within(&emptied(&pinned), &emptied(&sources), question, 40_000);
        let more = bytes(&bare) - question.len() - words_of_erdos;

        let max_bytes = size(&input["max_bytes"]) + more;
        let request = asked_within(&pinned, &sources, question, max_bytes);
        assert_eq!(bytes(&request), size(&expected["bytes"]) + more, "{case}");
        let markers = occurrences(&request, "(...truncated...)");
        assert_eq!(markers, size(&expected["markers"]), "{case}");
        let of_sources = occurrences(&request, "A") - occurrences(&bare, "A");
        let expected_letters = &expected["letter_A_count (1 is in the word Answer)"];
        assert_eq!(of_sources, size(expected_letters) - 1, "{case}");
        let user = &request.messages.last().unwrap().content;
        assert!(user.contains(question) && user.contains("[1]") && user.contains("[2]"));
    }
}

#[test]
fn a_huge_question_of_erdos() {
    for case in cases("seeds.jsonl", "prompt.budget.huge_question") {
        let input = &case["input"];
        let text = |key: &str| repeated(input[key].as_str().unwrap());
        let pinned = [entry("6", &text("statement"))];
        let bare = asked_within(&emptied(&pinned), &[], "?", 40_000);
        // Its own words take some 400 of its 800 bytes.
        let max_bytes = bytes(&bare) + 400;
        let request = asked_within(&pinned, &[], &text("question"), max_bytes);
        assert_eq!(bytes(&request), max_bytes);
        assert_eq!(occurrences(&request, "STATEMENT_START: "), 1);
        assert_eq!(occurrences(&request, "## Instructions"), 1);
    }
}
