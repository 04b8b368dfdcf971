//! Saved searches that are tested on stored entries, and what is saved twice.

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::{NewSearch, SavedSearch};
use gannet_tests::Host;
use serde_json::json;

use crate::saved_searches::{save, search};

#[tokio::test]
async fn a_search_is_tested_on_an_entry_that_was_there_before() {
    let host = Host::new().await;
    host.ingest_lines(&[json!({
        "id": "A-1", "timestamp": "2025-06-02T01:00:00Z", "text": "RF-2 tripped.", "author": "Lee"
    })])
    .await;
    let saved = save(&host.gannet, search("trip")).await;
    let test =
        async |id: &str, entry: &str| host.gannet.test_search(DEFAULT_TENANT, (id, entry)).await;
    assert!(test(&saved.id, "A-1").await.unwrap().unwrap().keyword);
    assert!(
        test("s-none", "A-1")
            .await
            .unwrap_err()
            .to_string()
            .contains("s-none")
    );
    let other = save(&host.gannet, search("magnet")).await;
    assert_eq!(test(&other.id, "A-1").await.unwrap(), None);
    // The name does too, where only one search has it.
    assert!(test("trip", "A-1").await.unwrap().is_some());
    let of_bob = NewSearch {
        owner: "key:bob".to_owned(),
        ..search("trip")
    };
    let of_bob = save(&host.gannet, of_bob).await;
    let told = test("trip", "A-1").await.unwrap_err().to_string();
    assert!(
        told.contains(&saved.id) && told.contains(&of_bob.id),
        "{told}"
    );
}

#[tokio::test]
async fn a_search_is_saved_once_and_fields_that_no_entry_has_are_named() {
    let host = Host::new().await;
    host.ingest_lines(&[json!({
        "id": "A-1", "timestamp": "2025-06-02T01:00:00Z", "text": "RF-2 tripped.", "author": "Lee",
        "metadata": { "device": "RF-2" }
    })])
    .await;
    let saved = save(&host.gannet, search("trip")).await;
    let again = host.gannet.save_search(DEFAULT_TENANT, search("trip"));
    let refused = again.await.unwrap_err().to_string();
    assert!(refused.contains(&saved.id), "{refused}");
    let named = NewSearch {
        name: "Trips".to_owned(),
        filter: [("devise".to_owned(), "RF-2".to_owned())].into(),
        ..search("trip")
    };
    let named = save(&host.gannet, named).await;
    let about =
        async |of: &SavedSearch| host.gannet.about_search(DEFAULT_TENANT, of).await.unwrap();
    assert!(about(&saved).await.is_empty());
    let notes = about(&named).await;
    assert!(
        notes[0].message.contains("`devise`"),
        "{}",
        notes[0].message
    );
}
