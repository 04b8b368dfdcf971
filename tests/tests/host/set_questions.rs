//! The questions about sets of entries over the demo, against their golds. The
//! demo is in the repository; those over other collections are measured with
//! `gannet eval --sets`.

use gannet_core::Stop;
use gannet_core::eval::{SetsRequest, evaluate_sets};
use gannet_tests::{Host, root};

/// Questions that fields and times decide, and the least of them that are
/// answered right.
const FIELD_ONLY: (usize, usize) = (17, 16);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn most_sets_of_the_demo_that_fields_decide_are_answered_right() {
    let host = Host::new().await;
    let request = SetsRequest {
        corpus: root().join("demo/corpus.jsonl"),
        collection: "demo".to_owned(),
        questions: root().join("tests/cases/sets/questions.jsonl"),
        modes: vec!["rag".to_owned()],
    };
    let reports = evaluate_sets(&host.gannet, &request, &Stop::default(), |_| ())
        .await
        .unwrap();
    let (questions, least) = FIELD_ONLY;
    let measured = reports[0].field_only;
    assert_eq!(measured.n, questions);
    let missed = &reports[0].not_right;
    assert!(measured.right >= least, "{measured:?}: {missed:?}");
}
