//! Events of a run: one end, and no citation that nobody gave.

use std::sync::{Arc, Mutex};

use gannet_api::{Event, Events};

use super::rogue::{host, of_anna};

async fn events(mode: &str, query: &str) -> Vec<Event> {
    let told: Arc<Mutex<Vec<Event>>> = Arc::default();
    let listener = told.clone();
    let host = host().await;
    let mut input = of_anna(mode, query);
    input.events = Events::to(move |event| listener.lock().unwrap().push(event));
    let _ = host.gannet.search(input).await;
    let told = told.lock().unwrap();
    told.clone()
}

#[tokio::test]
async fn a_run_ends_once_whatever_the_plugin_emits() {
    for (mode, query) in [
        ("rogue_tale", "events"),
        ("rogue_tale", "an error"),
        ("rogue_tale", "as it should"),
        ("rogue", "twice"),
        ("rag", " "),
    ] {
        let told = events(mode, query).await;
        let ends = told.iter().filter(|event| **event == Event::End);
        assert_eq!(ends.count(), 1, "{mode} {query}");
        assert_eq!(told.last(), Some(&Event::End), "{mode} {query}");
    }
}

#[tokio::test]
async fn a_citation_that_nobody_gave_is_not_told() {
    let citation = Event::Citation {
        entry_id: "A-1".to_owned(),
    };
    let told = events("rogue_tale", "events").await;
    assert_eq!(told, [citation, Event::End]);
}
