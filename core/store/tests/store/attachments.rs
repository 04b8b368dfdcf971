//! Attachments of entries that are written again: the same over every kind of
//! store.
use crate::common::entry;
use gannet_api::{Attachment, Entry};
use gannet_store::{Store, UpsertReport};

over_every_store![
    an_entry_that_comes_again_without_attachments_keeps_them,
    new_attachments_stand_for_the_old_ones,
    uploaded_files_stay_beside_attachments_that_come,
    of_one_batch_the_earlier_attachments_stay_too,
    a_deleted_entry_comes_back_without_attachments,
];

fn named(filename: &str) -> Attachment {
    Attachment::default()
        .with_url(format!("https://example.org/{filename}"))
        .with_filename(filename.to_owned())
}

fn with_file(text: &str, filename: &str) -> Entry {
    let mut entry = entry(0, text);
    entry.attachments = vec![named(filename)];
    entry
}

async fn write(store: &Store, entries: Vec<Entry>) -> (u64, u64, u64) {
    let UpsertReport {
        added,
        updated,
        unchanged,
        ..
    } = store.upsert(entries).await.unwrap();
    (added, updated, unchanged)
}

async fn stored(store: &Store) -> Entry {
    let id = ["e0".to_owned()];
    let mut entries = store.entries("default", &id).await.unwrap();
    entries.pop().unwrap()
}

async fn an_entry_that_comes_again_without_attachments_keeps_them(store: Store) {
    let first = with_file("RF trip", "trace.png");
    assert_eq!(write(&store, vec![first]).await, (1, 0, 0));
    assert_eq!(write(&store, vec![entry(0, "RF trip")]).await, (0, 0, 1));
    assert_eq!(stored(&store).await.attachments, [named("trace.png")]);
    assert_eq!(write(&store, vec![entry(0, "RF trip 2")]).await, (0, 1, 0));
    assert_eq!(write(&store, vec![entry(0, "RF trip 2")]).await, (0, 0, 1));
    let entry = stored(&store).await;
    assert_eq!(entry.raw_text, "RF trip 2");
    assert_eq!(entry.attachments, [named("trace.png")]);
}

async fn new_attachments_stand_for_the_old_ones(store: Store) {
    write(&store, vec![with_file("RF trip", "a.png")]).await;
    let changed = with_file("RF trip", "b.png");
    assert_eq!(write(&store, vec![changed.clone()]).await, (0, 1, 0));
    assert_eq!(stored(&store).await.attachments, [named("b.png")]);
    assert_eq!(write(&store, vec![changed]).await, (0, 0, 1));
}

async fn uploaded_files_stay_beside_attachments_that_come(store: Store) {
    let uploaded = |id: &str| Attachment::default().with_url(format!("/api/attachments/{id}"));
    let with = |attachments: &[Attachment]| {
        let mut entry = entry(0, "RF trip");
        entry.attachments = attachments.to_vec();
        vec![entry]
    };
    let published = [uploaded("01"), named("a.png"), uploaded("02")];
    assert_eq!(write(&store, with(&published)).await, (1, 0, 0));
    let came = [named("b.png")];
    let whole = [named("b.png"), uploaded("01"), uploaded("02")];
    assert_eq!(write(&store, with(&came)).await, (0, 1, 0));
    assert_eq!(stored(&store).await.attachments, whole);
    for same in [&came[..], &whole[..], &[]] {
        assert_eq!(write(&store, with(same)).await, (0, 0, 1), "{same:?}");
        assert_eq!(stored(&store).await.attachments, whole);
    }
    // One that comes itself is not there twice.
    let came = [uploaded("02"), named("c.png")];
    assert_eq!(write(&store, with(&came)).await, (0, 1, 0));
    let whole = [uploaded("02"), named("c.png"), uploaded("01")];
    assert_eq!(stored(&store).await.attachments, whole);
    assert_eq!(write(&store, with(&came)).await, (0, 0, 1));
}

async fn of_one_batch_the_earlier_attachments_stay_too(store: Store) {
    let batch = vec![with_file("first", "a.png"), entry(0, "second")];
    assert_eq!(write(&store, batch).await, (1, 0, 0));
    let entry = stored(&store).await;
    assert_eq!(entry.raw_text, "second");
    assert_eq!(entry.attachments, [named("a.png")]);
}

async fn a_deleted_entry_comes_back_without_attachments(store: Store) {
    write(&store, vec![with_file("first", "a.png")]).await;
    store.delete("default", &["e0".to_owned()]).await.unwrap();
    write(&store, vec![entry(0, "first")]).await;
    assert_eq!(stored(&store).await.attachments, []);
}
