//! Entries of several sources with the same ids: the same over every kind of
//! store.
use crate::common::entry;
use gannet_store::{ReplacedSource, Store, UpsertReport};

over_every_store![a_report_tells_which_entries_had_another_source];

fn counted(added: u64, updated: u64, unchanged: u64) -> UpsertReport {
    UpsertReport {
        added,
        updated,
        unchanged,
        ..UpsertReport::default()
    }
}

async fn a_report_tells_which_entries_had_another_source(store: Store) {
    let first = vec![entry(0, "a"), entry(1, "b"), entry(2, "c")];
    let before = first[0].source_system.clone();
    assert_eq!(store.upsert(first.clone()).await.unwrap(), counted(3, 0, 0));
    let mut second = first.clone();
    second[0].source_system = "Another".to_owned();
    second[1].source_system = "Another".to_owned();
    second[2].raw_text = "changed".to_owned();
    let expected = UpsertReport {
        of_other_source: 2,
        other_source: Some(ReplacedSource {
            entry_id: first[0].entry_id.clone(),
            source_system: before,
        }),
        ..counted(0, 3, 0)
    };
    assert_eq!(store.upsert(second.clone()).await.unwrap(), expected);
    assert_eq!(store.upsert(second).await.unwrap(), counted(0, 0, 3));
}
