//! What crosses comes back as it was.

use std::time::Duration;

use gannet_api::{
    Call, Deadline, Diagnostic, Enhanced, Entry, Error, Filter, FilterField, Highlight, Hit,
    Matched, Passage, PassageEmbedding, PassageEmbeddings, Patch, Provenance, ScoreKind,
    SearchRequest,
};
use proptest::prelude::*;
use serde_json::json;

use crate::layout::{
    AbiCall, AbiDiagnostic, AbiEnhanced, AbiEntry, AbiError, AbiHit, AbiSearchRequest,
};

#[test]
fn every_error_comes_back_as_it_was() {
    let retryable = true;
    let message = || "m".to_owned();
    let errors = [
        Error::invalid_input("m"),
        Error::configuration("a.b", "m"),
        Error::setting("a.b", "m"),
        Error::NotFound {
            what: "w".to_owned(),
            name: "n".to_owned(),
            hint: "; h".to_owned(),
        },
        Error::Timeout {
            operation: "o".to_owned(),
            limit: Duration::from_millis(1500),
        },
        Error::Store {
            message: message(),
            retryable,
        },
        Error::Provider {
            provider: "p".to_owned(),
            message: message(),
            retryable,
        },
        Error::Panicked {
            plugin: "p".to_owned(),
            message: message(),
        },
        Error::Unavailable { message: message() },
        Error::Credentials { message: message() },
        Error::InvalidResult {
            plugin: "p".to_owned(),
            message: message(),
        },
        Error::internal("m"),
    ];
    for error in errors {
        assert_eq!(Error::from(AbiError::from(error.clone())), error);
    }
}

#[test]
fn an_error_that_is_younger_than_this_side_keeps_its_text() {
    let mut error = AbiError::from(Error::invalid_input("quota is used up"));
    error.code = 4711;
    assert_eq!(Error::from(error), Error::internal("quota is used up"));
}

#[test]
fn a_filter_that_is_not_understood_is_an_error_and_not_no_filter() {
    let mut request = AbiSearchRequest::from(SearchRequest::new("x", 1));
    request.filter_json = r#"[{"field":"author","condition":{"sounds_like":"ann"}}]"#.into();
    let refused = SearchRequest::try_from(request).unwrap_err();
    assert!(refused.to_string().contains("the filter"), "{refused}");
}

#[test]
fn a_kind_of_score_that_is_younger_than_this_side_is_some_other() {
    let mut hit = AbiHit::from(Hit::new("E", "log", 1.0, ScoreKind::Cosine));
    hit.score_kind = 200;
    assert_eq!(Hit::from(hit).score_kind, ScoreKind::Other);
}

#[test]
fn the_time_that_is_left_crosses_and_no_deadline_stays_none() {
    let call = Call::new("r", "t", Deadline::after(Duration::from_secs(60)));
    let there: Call = AbiCall::from(&call).into();
    let left = there.deadline.remaining().unwrap();
    assert!(left > Duration::from_secs(50) && left <= Duration::from_secs(60));
    let call = Call::new("r", "t", Deadline::NEVER);
    let there: Call = AbiCall::from(&call).into();
    assert_eq!(there.deadline.remaining(), None);
}

#[test]
fn how_far_a_question_came_crosses_and_takes_no_room_at_its_first_gannet() {
    let mut call = Call::new("r", "t", Deadline::NEVER);
    assert_eq!(AbiCall::from(&call).extra_json, "");
    call.hops = 2;
    let crossed = AbiCall::from(&call);
    assert_eq!(Call::from(crossed.clone()).hops, 2);
    let younger = AbiCall {
        extra_json: r#"{"hops": 2, "more": true}"#.into(),
        ..crossed
    };
    assert_eq!(Call::from(younger).hops, 2);
}

#[test]
fn notes_and_patches_come_back_as_they_were() {
    let note = Diagnostic::error("a.b", "text").category("timeout");
    assert_eq!(Diagnostic::from(AbiDiagnostic::from(note.clone())), note);
    let enhanced = Enhanced::new(
        "E",
        Ok(Patch::default()
            .with_keywords(vec!["k".to_owned()])
            .with_metadata(serde_json::Map::from_iter([(
                "a".to_owned(),
                json!([1, null]),
            )]))
            .with_embeddings(PassageEmbeddings::new(
                "m",
                vec![
                    PassageEmbedding::new(1..2, vec![0.5, -0.5]).with_token_signs(vec![1, 0, 255]),
                    PassageEmbedding::new(2..3, vec![0.5, 0.5]),
                ],
            ))),
    );
    assert_eq!(
        Enhanced::from(AbiEnhanced::from(enhanced.clone())),
        enhanced
    );
}

prop_compose! {
    fn any_hit()(
        texts in prop::array::uniform4(".{0,20}"),
        score in prop::num::f64::NORMAL,
        numbers in prop::array::uniform3(0_u32..1000),
        partial: bool,
        has_passage: bool,
        kind in 0_usize..8,
    ) -> Hit {
        let kinds = [
            ScoreKind::None, ScoreKind::Bm25, ScoreKind::TsRank, ScoreKind::Cosine,
            ScoreKind::Rrf, ScoreKind::WeightedRrf, ScoreKind::Linear, ScoreKind::Rerank,
            ScoreKind::Convex, ScoreKind::Other,
        ];
        let [id, name, text, module] = texts;
        let mut hit = Hit::new(id, name, score, kinds[kind]);
        hit.matched = if partial { Matched::Some } else { Matched::All };
        hit.passage = has_passage.then(|| Passage::new(numbers[0], numbers[1] as usize..numbers[2] as usize, text.clone()));
        hit.highlights.push(Highlight::new(text.clone(), vec![(0, text.len())]));
        hit.provenance.push(Provenance::new(module, numbers[0], score, kinds[7 - kind]));
        hit.explain = partial.then(|| json!({ "text": text }));
        hit
    }
}

proptest! {
    #[test]
    fn hits_come_back_as_they_were(hit in any_hit()) {
        prop_assert_eq!(Hit::from(AbiHit::from(hit.clone())), hit);
    }

    #[test]
    fn entries_come_back_as_they_were(
        id in ".{1,20}", text in ".{0,200}", seconds in -10_000_000_i64..10_000_000_000,
        nanos in 0_i32..1_000_000_000, word in ".{0,10}",
    ) {
        let time = jiff::Timestamp::new(seconds.max(0), nanos).unwrap();
        let mut entry = Entry::new(id, "log", time, text);
        entry.metadata.insert("word".to_owned(), word.clone().into());
        entry.keywords.push(word.clone());
        entry.summary = Some(word);
        prop_assert_eq!(Entry::try_from(AbiEntry::from(entry.clone())).unwrap(), entry);
    }

    #[test]
    fn requests_come_back_as_they_were(query in ".{0,100}", limit in 1_usize..1000, by in ".{0,9}") {
        let mut request = SearchRequest::new(query, limit);
        let by = gannet_api::Condition::Contains(by);
        request.filter = Filter::none().and(FilterField::Author, by);
        request.params.insert("a".to_owned(), json!(1.5));
        let there = AbiSearchRequest::from(request.clone());
        prop_assert_eq!(SearchRequest::try_from(there).unwrap(), request);
    }
}
