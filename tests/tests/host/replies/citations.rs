//! C6: citations are a subset of what the host gave in the call.

use gannet_api::AnswerStatus;
use gannet_core::SearchResult;
use gannet_tests::ids;

use super::rogue::ask;

async fn told(query: &str) -> SearchResult {
    let result = ask("rogue_tale", query).await.unwrap();
    assert_eq!(ids(&result), ["A-1", "A-2"], "{query}");
    result
}

#[tokio::test]
async fn a_citation_that_nobody_gave_is_removed_with_its_mark() {
    for query in ["of another author", "out of nothing", "only in the text"] {
        let result = told(query).await;
        assert_eq!(result.citations, ["A-1"], "{query}");
        assert_eq!(result.sources, ["A-1"], "{query}");
        let answer = result.answer.as_deref();
        assert_eq!(answer, Some("It tripped [#A-1]. It was reset."), "{query}");
        assert_eq!(result.answer_status, Some(AnswerStatus::Uncited), "{query}");
        assert!(result.degraded, "{query}");
        let about = |text: &str| {
            let mut notes = result.diagnostics.iter();
            notes.any(|note| note.message.contains(text))
        };
        assert!(
            about("pipeline `rogue_tale` cites or uses 1 entry that"),
            "{query}"
        );
    }
}

#[tokio::test]
async fn an_answer_without_a_citation_is_not_grounded() {
    for query in ["nothing that was given", "no citations"] {
        let result = told(query).await;
        assert_eq!(result.citations, [""; 0]);
        assert_eq!(result.answer.as_deref(), Some("It was reset."));
        assert_eq!(result.answer_status, Some(AnswerStatus::Uncited), "{query}");
    }
}

#[tokio::test]
async fn what_was_given_is_cited_as_it_was() {
    let result = told("as it should").await;
    assert_eq!(result.answer.as_deref(), Some("It tripped [#A-1]."));
    assert_eq!(result.answer_status, Some(AnswerStatus::Grounded));
    assert!(result.diagnostics.is_empty(), "{:?}", result.diagnostics);
    assert!(!result.degraded);
}
