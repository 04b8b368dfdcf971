//! What a call can choose.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::support::{FakeHost, entry, hits, store_is_down};
use fixture::{QUESTION, ask, host, ids, listening, logbook, names, run, setup, turn, with_params};
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Answer, Context, Diagnostic, Error, PipelineRequest, Result};
use gannet_plugin::provider::{ChatRole, RerankScore};
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_rag::Rag;
use serde_json::{Value, json};

fn asked(host: &FakeHost) -> Vec<String> {
    let searches = host.searches.lock().unwrap();
    searches.iter().map(|(name, ..)| name.clone()).collect()
}

fn called(params: Value, context: &Context) -> Result<Answer> {
    ask(json!({}), with_params(params), &setup(), context)
}

fn details(answer: &Answer) -> &Value {
    answer.pipeline_details.as_ref().unwrap()
}

fn notes(context: &Context) -> Vec<(String, Option<String>)> {
    let notes = context.diagnostics.take().into_iter();
    notes.map(|note| (note.source, note.category)).collect()
}

fn note(source: &str, category: &str) -> (String, Option<String>) {
    (source.to_owned(), Some(category.to_owned()))
}

#[test]
fn a_method_asks_the_modules_of_its_sort() {
    for (method, modules) in [
        ("hybrid", vec!["keyword", "semantic"]),
        ("vector", vec!["semantic"]),
        ("keyword", vec!["keyword"]),
    ] {
        let (host, context) = host().context();
        let answer = called(json!({"method": method}), &context).unwrap();
        assert_eq!(asked(&host), modules);
        assert_eq!(details(&answer)["method_used"], method);
        assert_eq!(answer.search_modes_used, modules);
        assert_eq!(answer.plan.unwrap()["modules"], json!(modules));
    }
}

#[test]
fn a_method_without_a_module_of_its_sort_is_refused() {
    let words_only = setup().with_retrieval_modules(vec!["keyword".to_owned()]);
    let (host, context, heard) = listening(host());
    let request = with_params(json!({"method": "vector"}));
    let refused = ask(json!({}), request, &words_only, &context).unwrap_err();
    assert!(matches!(refused, Error::InvalidInput { .. }), "{refused}");
    assert!(asked(&host).is_empty());
    assert_eq!(names(&heard), ["end"]);
}

#[test]
fn a_method_that_became_another_says_why() {
    let (_, context) = host()
        .with_module("semantic", Err(store_is_down()))
        .context();
    let answer = called(json!({}), &context).unwrap();
    assert_eq!(details(&answer)["method_used"], "keyword");
    assert_eq!(
        details(&answer)["method_reason"],
        "no module that compares meanings answered: semantic"
    );
}

#[test]
fn one_list_alone_keeps_its_scores() {
    let (_, context) = host().context();
    let answer = called(json!({"method": "vector"}), &context).unwrap();
    let scores: Vec<(f64, ScoreKind)> = answer
        .hits
        .iter()
        .map(|h| (h.score, h.score_kind))
        .collect();
    assert_eq!(
        scores,
        [(1.0, ScoreKind::Cosine), (0.95, ScoreKind::Cosine)]
    );
    assert_eq!(answer.hits[1].provenance[0].module, "semantic");
    assert_eq!(answer.hits[1].provenance[0].rank, 2);
}

#[test]
fn a_call_switches_a_reranker_on_and_off() {
    let score = |index, score| RerankScore::new(index, score);
    let scored = || FakeHost {
        scores: Some(Ok(vec![score(0, 0.49), score(1, -1.0), score(2, 3.2)])),
        ..host()
    };
    for (settings, params, order) in [
        (json!({"rerank": {}}), json!({}), ["C", "A", "B"]),
        (
            json!({"rerank": {}}),
            json!({"rerank": false}),
            ["A", "B", "C"],
        ),
        (json!({}), json!({"rerank": true}), ["C", "A", "B"]),
        (
            json!({"rerank": {}}),
            json!({"rerank": true}),
            ["C", "A", "B"],
        ),
        (json!({}), json!({}), ["A", "B", "C"]),
    ] {
        let (_, context) = scored().context();
        let answer = ask(settings, with_params(params), &setup(), &context).unwrap();
        assert_eq!(ids(&answer), order);
        assert!(!answer.degraded);
    }
}

#[test]
fn no_answer_is_only_hits() {
    let (_, context, heard) = listening(host());
    let answer = called(json!({"answer": "none"}), &context).unwrap();
    assert_eq!(ids(&answer), ["A", "B", "C"]);
    assert_eq!(answer.answer, None);
    assert_eq!(answer.answer_status, None);
    assert_eq!((answer.citations.len(), answer.sources.len()), (0, 0));
    assert!(answer.reasoning.ends_with("no answer was requested."));
    let heard = names(&heard);
    assert_eq!(
        heard,
        ["retrieve", "fuse", "hit 1 A", "hit 2 B", "hit 3 C", "end"]
    );
}

#[test]
fn pinned_entries_stand_first_and_once() {
    let mut entries = logbook();
    entries.push(entry("P, 1", "A standing order."));
    let (_, context) = host().with_entries(&entries).context();
    let settings = json!({"pinned": ["P, 1", "C", "P, 1"]});
    let answer = run(settings, &setup(), &context).unwrap();
    assert_eq!(ids(&answer), ["P, 1", "C", "A", "B"]);
    let first = &answer.hits[0];
    assert_eq!((first.score, first.score_kind), (1.0, ScoreKind::None));
    assert_eq!(first.provenance[0].module, "pinned");
    assert_eq!(answer.hits[1].provenance[0].rank, 2);
    assert_eq!(answer.sources, ["P, 1", "C", "A", "B"]);
    assert_eq!(context.diagnostics.take(), []);
}

#[test]
fn the_limit_holds_for_pinned_and_found_together() {
    for (limit, expected) in [
        (1, vec!["C"]),
        (2, vec!["C", "B"]),
        (3, vec!["C", "B", "A"]),
    ] {
        let (_, context) = host().context();
        let mut request = with_params(json!({"pinned": "C,B"}));
        request.limit = limit;
        let answer = ask(json!({}), request, &setup(), &context).unwrap();
        assert_eq!(ids(&answer), expected);
    }
}

#[test]
fn what_cannot_be_pinned_is_said() {
    let (_, context) = host().context();
    let mut request = with_params(json!({"pinned": "ghost, B"}));
    let nobody = Condition::Equals("nobody".to_owned());
    request.filter = Filter::none().and(FilterField::Author, nobody);
    let answer = ask(json!({}), request, &setup(), &context).unwrap();
    assert_eq!(answer.hits[0].provenance[0].module, "keyword");
    assert!(!answer.degraded);
    let expected = [
        note("rag.pinned", "not_found"),
        note("rag.pinned", "filter"),
    ];
    assert_eq!(notes(&context), expected);

    let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    let refused = called(json!({"pinned": many.join(",")}), &context).unwrap_err();
    assert!(matches!(refused, Error::InvalidInput { .. }), "{refused}");
}

#[test]
fn the_title_of_the_first_pinned_entry_is_searched_with_the_question() {
    let mut entries = logbook();
    let title = json!("Injector (kicker) NOT");
    entries[1].metadata.insert("title".to_owned(), title);
    let (host, context) = host().with_entries(&entries).context();
    called(json!({"pinned": "B, A"}), &context).unwrap();
    let searches = host.searches.lock().unwrap();
    for (_, search, _) in searches.iter() {
        assert_eq!(search.query, format!("Injector (kicker) NOT {QUESTION}"));
        assert_eq!(search.syntax, QuerySyntax::Plain);
    }
}

#[test]
fn a_scope_is_a_hard_filter_that_a_call_only_narrows() {
    let (host, context) = host().context();
    let settings = json!({"scope": {"logbook": "Operations"}});
    let mut request = with_params(json!({"scope": "system=rf|vacuum, logbook=Other"}));
    let smith = Condition::Contains("smith".to_owned());
    request.filter = Filter::none().and(FilterField::Author, smith.clone());
    ask(settings, request, &setup(), &context).unwrap();
    let equal = |text: &str| Condition::Equals(text.to_owned());
    let key = |name: &str| FilterField::Metadata(name.to_owned());
    let either = Condition::AnyOf(vec!["rf".to_owned(), "vacuum".to_owned()]);
    let expected = Filter::none()
        .and(FilterField::Author, smith)
        .and(key("logbook"), equal("Operations"))
        .and(key("system"), either)
        .and(key("logbook"), equal("Other"));
    for (_, search, _) in host.searches.lock().unwrap().iter() {
        assert_eq!(search.filter, expected);
    }
}

#[test]
fn a_scope_that_is_none_is_refused() {
    let (_, context) = host().context();
    let refused = called(json!({"scope": "Operations"}), &context).unwrap_err();
    assert!(matches!(refused, Error::InvalidInput { .. }));
    let settings = json!({"scope": {"start_date": "soon"}});
    let wrong = gannet_plugin::prelude::Pipeline::new(fixture::settings(settings), &setup());
    let wrong: Result<Rag> = wrong;
    let message = wrong.err().unwrap().to_string();
    assert!(message.starts_with("setting `scope`"), "{message}");
}

#[test]
fn a_follow_up_is_searched_with_the_question_before_it() {
    let (host, context) = host().context();
    let mut request = PipelineRequest::new("And what fixed it?", 10);
    request.history = vec![
        turn(ChatRole::User, QUESTION),
        turn(ChatRole::Assistant, "A reflected power interlock [#A]."),
    ];
    let answer = ask(json!({}), request, &setup(), &context).unwrap();
    let searched = format!("{QUESTION} And what fixed it?");
    for (_, search, _) in host.searches.lock().unwrap().iter() {
        assert_eq!(search.query, searched);
    }
    let plan = answer.plan.unwrap();
    assert_eq!(plan["search_query"], searched.as_str());
    assert_eq!(plan["method"], "hybrid");
    assert_eq!(plan["follows"], QUESTION);
    assert!(!answer.citations.is_empty());
    let told: Vec<Diagnostic> = context.diagnostics.take();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].source, "rag.plan");
    assert!(told[0].message.contains(&searched));
}

#[test]
fn events_come_in_order_and_end_once() {
    let score = |index, score| RerankScore::new(index, score);
    let scores = vec![score(0, 0.5), score(1, -1.0)];
    let known = [("A", 0.6), ("B", 0.2)];
    let (_, context, heard) = listening(FakeHost {
        scores: Some(Ok(scores)),
        relevance: known.map(|(id, p)| (id.to_owned(), p)).into(),
        ..host()
    });
    let params = json!({"pinned": "C", "rerank": true, "min_relevance": 0.5});
    called(params, &context).unwrap();
    let expected = [
        "pinned",
        "retrieve",
        "fuse",
        "rerank",
        "threshold",
        "hit 1 C",
        "hit 2 A",
        "assemble",
        "answer in words",
        "answer",
        "citation C",
        "end",
    ];
    assert_eq!(names(&heard), expected);
    let heard = heard.lock().unwrap();
    let hit = Event::Hit {
        entry_id: "A".to_owned(),
        rank: 2,
        score: 0.5,
        score_kind: ScoreKind::Rerank,
    };
    assert!(heard.contains(&hit));
}

#[test]
fn the_end_comes_also_when_nothing_else_does() {
    let (_, context, heard) = listening(host());
    let blank = PipelineRequest::new(" ", 10);
    let answer = ask(json!({}), blank, &setup(), &context).unwrap();
    assert_eq!(details(&answer)["method_reason"], "the question is blank");
    assert_eq!(names(&heard), ["end"]);

    let (_, context, heard) = listening(host());
    called(json!({"method": "psychic"}), &context).unwrap_err();
    assert_eq!(names(&heard), ["end"]);

    let nothing = host()
        .with_module("keyword", Ok(hits(ScoreKind::Bm25, &[])))
        .with_module("semantic", Err(store_is_down()));
    let (_, context, heard) = listening(nothing);
    let strict = json!({"on_error": "fail"});
    run(strict, &setup(), &context).unwrap_err();
    assert_eq!(names(&heard), ["end"]);
}
