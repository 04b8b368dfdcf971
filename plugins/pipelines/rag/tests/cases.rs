//! Inputs with what the source systems give for them, read from a folder
//! `shared/cases` beside the repository. Without it each test says that it
//! was skipped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::io::Write;
use std::path::PathBuf;

use fixture::support::{FakeHost, entry, hits};
use fixture::{ask, ids, token};
use gannet_plugin::{
    Answer, AnswerStatus, ChatRequest, Descriptor, Diagnostic, Entry, Error, Level, Pipeline,
    PipelineRequest, RerankScore, Result, ScoreKind, Setup,
};
use gannet_rag::Rag;
use gannet_stages::words;
use serde_json::{Value, json};

/// The cases of one area, or none with a line that says so.
fn cases(file: &str, area: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases");
    let path = folder.join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Not `eprintln!`: the test harness hides that of a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {area} needs {}",
            path.display()
        );
        return Vec::new();
    };
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_area: Vec<Value> = cases.filter(|case| case["area"] == area).collect();
    assert!(!of_area.is_empty(), "no case of area {area}");
    of_area
}

fn strings(value: &Value) -> Vec<String> {
    let members = value.as_array().unwrap();
    members
        .iter()
        .map(|v| v.as_str().unwrap().to_owned())
        .collect()
}

fn size(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn setup(modules: &[String]) -> Setup {
    Setup {
        instance: "rag".to_owned(),
        retrieval_modules: modules.to_vec(),
        provider: Some("scripted".to_owned()),
        timezone: "UTC".to_owned(),
        ..Setup::default()
    }
}

fn described() -> FakeHost {
    FakeHost {
        descriptors: vec![
            Descriptor::search_module("keyword", "Keyword", ""),
            Descriptor::search_module("semantic", "Semantic", "").needs_embedder(),
        ],
        ..FakeHost::default()
    }
}

/// One of ARIEL's cases, run here.
struct Outcome {
    answer: Answer,
    notes: Vec<Diagnostic>,
    called: Vec<String>,
}

/// `[id, text, score]`, or `{"raises": …}`, or nothing.
fn module_outcome(case: &Value) -> Result<Vec<gannet_plugin::Hit>> {
    if let Some(message) = case["raises"].as_str() {
        return Err(Error::Store {
            message: message.to_owned(),
            retryable: false,
        });
    }
    let rows = case.as_array().cloned().unwrap_or_default();
    let ids: Vec<&str> = rows.iter().map(|row| row[0].as_str().unwrap()).collect();
    Ok(hits(ScoreKind::Bm25, &ids))
}

fn run_ariel(input: &Value) -> Outcome {
    let mut entries: Vec<Entry> = Vec::new();
    for results in [&input["keyword_results"], &input["semantic_results"]] {
        let rows = results.as_array().into_iter().flatten();
        entries.extend(rows.map(|row| entry(row[0].as_str().unwrap(), row[1].as_str().unwrap())));
    }
    let keyword = module_outcome(&input["keyword_results"]);
    let semantic = match input["embedder_load_raises"].as_str() {
        Some(message) => Err(Error::Unavailable {
            message: message.to_owned(),
        }),
        None => module_outcome(&input["semantic_results"]),
    };
    let chat = match &input["llm"] {
        Value::String(text) => Ok(vec![token(text)]),
        raises => Err(Error::Provider {
            provider: "scripted".to_owned(),
            message: raises["raises"].as_str().unwrap().to_owned(),
            retryable: false,
        }),
    };
    let host = FakeHost {
        chat: Some(chat),
        ..described()
    };
    let (host, context) = host
        .with_module("keyword", keyword.clone())
        .with_module("my_search", keyword)
        .with_module("semantic", semantic)
        .with_entries(&entries)
        .context();
    let mut request = PipelineRequest::new(input["query"].as_str().unwrap(), 10);
    request.params = input["pipeline_args"].as_object().unwrap().clone();
    let setup = setup(&strings(&input["retrieval_modules"]));
    let answer = ask(json!({}), request, &setup, &context).unwrap();
    let searches = host.searches.lock().unwrap();
    Outcome {
        answer,
        notes: context.diagnostics.take(),
        called: searches.iter().map(|(name, ..)| name.clone()).collect(),
    }
}

/// What is the same: who is called, what is in the context, the numbers, the
/// sources of the notes, a model's words and what they cite. What differs on
/// purpose is asserted in its place.
#[test]
fn rag_of_ariel() {
    for case in cases("ariel.jsonl", "rag_execute") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let note = input["note"].as_str().unwrap();
        let Outcome {
            answer,
            notes,
            called,
        } = run_ariel(input);
        if note.starts_with("PROBE: custom module") {
            assert_eq!(called, ["my_search"], "a custom module is called here");
            assert_eq!(answer.sources, ["001"]);
            continue;
        }
        let sources = strings(&expected["entries"]);
        assert_eq!(answer.sources, sources, "{note}");
        assert_eq!(
            answer.hits.len(),
            size(&expected["retrieval_count"]),
            "{note}"
        );
        let stats = &answer.pipeline_details.as_ref().unwrap()["rag_stats"];
        for (name, number) in expected["rag_stats"].as_object().unwrap() {
            // A module that the pipeline does not have has no number here.
            let ours = stats.get(name).cloned().unwrap_or(json!(0));
            assert_eq!(&ours, number, "{note}: {name}");
        }
        for module in ["keyword", "semantic"] {
            let is_called = called.iter().any(|name| name == module);
            let expected = expected[format!("{module}_called")].as_bool().unwrap();
            // An embedder is found to be missing when its module is asked.
            let fails_in_it = module == "semantic" && !input["embedder_load_raises"].is_null();
            assert_eq!(is_called, expected || fails_in_it, "{note}");
        }
        if called.len() == 2 {
            let summary = expected["step_summary"].as_str().unwrap();
            assert!(
                answer.reasoning.starts_with(summary),
                "{}",
                answer.reasoning
            );
        }
        assert_same_notes(&notes, expected, note);
        assert_same_words(&answer, input, expected, note);
    }
}

fn assert_same_notes(notes: &[Diagnostic], expected: &Value, note: &str) {
    let expected = expected["diagnostics"].as_array().unwrap();
    assert_eq!(notes.len(), expected.len(), "{note}: {notes:?}");
    for (ours, theirs) in notes.iter().zip(expected) {
        assert_eq!(ours.source, theirs["source"].as_str().unwrap());
        let level = match theirs["level"].as_str().unwrap() {
            // An answer stands all the same, so it is a warning here.
            _ if ours.source == "rag.generate" => Level::Warning,
            "error" => Level::Error,
            "warning" => Level::Warning,
            _ => Level::Info,
        };
        assert_eq!(ours.level, level, "{note}");
        match theirs["category"].as_str() {
            // What failed is said more closely here than `search`.
            Some("search") => assert_eq!(ours.category.as_deref(), Some("store")),
            Some(category) => assert_eq!(ours.category.as_deref(), Some(category)),
            None => {}
        }
    }
}

fn assert_same_words(answer: &Answer, input: &Value, expected: &Value, note: &str) {
    let words = answer.answer.as_deref().unwrap_or_default();
    if answer.sources.is_empty() {
        // Nothing to read: the model is not asked, and nothing is made up.
        assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
        assert_eq!(answer.citations, Vec::<String>::new());
    } else if input["llm"].is_string() {
        assert_eq!(words, expected["answer"].as_str().unwrap(), "{note}");
        let all = strings(&expected["citations"]);
        match answer.answer_status {
            // The face of ARIEL lists the sources then; here none is cited.
            Some(AnswerStatus::Uncited) => assert_eq!(answer.sources, all),
            _ => assert_eq!(answer.citations, all, "{note}"),
        }
    } else {
        assert!(!words.contains("Error generating answer"), "{note}");
        assert!(answer.degraded);
    }
}

/// The default of the threshold is another, see decision 0006.
#[test]
fn parameters_of_ariel() {
    let parameters = serde_json::to_value(Rag::descriptor().parameters).unwrap();
    for case in cases("ariel.jsonl", "pipeline_descriptor") {
        let expected = case["expected"]["parameters"].as_array();
        for theirs in expected.into_iter().flatten() {
            let mut all = parameters.as_array().unwrap().iter();
            let ours = all.find(|ours| ours["name"] == theirs["name"]).unwrap();
            for key in ["type", "section", "min", "max", "step"] {
                let (ours, theirs) = (&ours[key], &theirs[key]);
                let same_number = ours.as_f64().is_some() && ours.as_f64() == theirs.as_f64();
                assert!(ours == theirs || same_number, "{key}: {ours} and {theirs}");
            }
            if theirs["name"] != "similarity_threshold" {
                assert_eq!(ours["default"], theirs["default"]);
            }
        }
    }
}

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
            .map(|(index, score)| RerankScore {
                index,
                score: score.as_f64().unwrap(),
            })
            .collect();
        let entries = numbered(scores.len());
        let names: Vec<&str> = entries.iter().map(|e| e.entry_id.as_str()).collect();
        let host = FakeHost {
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
        let best = case["expected"]["max_possible_two_lists"].as_f64().unwrap();
        assert!((answer.hits[0].score - best).abs() < 1e-6);
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

fn bytes(request: &ChatRequest) -> usize {
    request.messages.iter().map(|m| m.content.len()).sum()
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
