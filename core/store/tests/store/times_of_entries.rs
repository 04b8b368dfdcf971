//! When the store got an entry and wrote it last: the same over every kind of
//! store.
use crate::common::entry;
use gannet_api::Entry;
use gannet_store::Store;
use jiff::Timestamp;

over_every_store![an_entry_tells_when_it_came_and_when_it_was_written_last];

async fn times(store: &Store) -> (Timestamp, Timestamp) {
    let id = ["e0".to_owned()];
    let entry = store.entries("default", &id).await.unwrap().remove(0);
    (entry.created_at.unwrap(), entry.updated_at.unwrap())
}

async fn write(store: &Store, entry: Entry) {
    store.upsert(vec![entry]).await.unwrap();
    store.flush().await.unwrap();
}

async fn an_entry_tells_when_it_came_and_when_it_was_written_last(store: Store) {
    let mut given = entry(0, "text");
    // Only the store knows.
    given.created_at = Some(Timestamp::UNIX_EPOCH);
    given.updated_at = Some(Timestamp::UNIX_EPOCH);
    write(&store, given.clone()).await;
    let (created, updated) = times(&store).await;
    assert_eq!(created, updated);
    assert!(created > Timestamp::UNIX_EPOCH);

    write(&store, given).await;
    assert_eq!(times(&store).await, (created, updated));

    write(&store, entry(0, "another text")).await;
    let (still_created, later) = times(&store).await;
    assert_eq!(still_created, created);
    assert!(later > updated, "{later} {updated}");
}
