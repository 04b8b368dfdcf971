//! Saved searches find new entries, each once.

use std::collections::BTreeMap;

use gannet_core::api::{DEFAULT_TENANT, Entry};
use gannet_core::config::MatchBy;
use gannet_core::{Gannet, NewSearch, SavedSearch, SearchMatch, Stop};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};
use jiff::Timestamp;

use crate::scripted::webhook;

async fn host(kind: StoreKind, settings: &[(&str, &str)]) -> Option<Host> {
    let registry = Registry::of(gannet_api::Registration::linked().copied()).unwrap();
    Host::on_with_plugins(kind, settings, &registry).await
}

/// A search of a user by words.
pub(crate) fn search(query: &str) -> NewSearch {
    NewSearch {
        name: String::new(),
        owner: "key:ann".to_owned(),
        query: query.to_owned(),
        filter: BTreeMap::new(),
        by: MatchBy::Keyword,
        min_similarity: 0.4,
        deliver_to: Vec::new(),
    }
}

pub(crate) async fn save(gannet: &Gannet, new: NewSearch) -> SavedSearch {
    gannet.save_search(DEFAULT_TENANT, new).await.unwrap()
}

async fn store(gannet: &Gannet, id: &str, text: &str) {
    let time = "2025-06-02T01:00:00Z".parse().unwrap();
    let mut entry = Entry::new(id, "test", time, text);
    entry.author = "Lee".to_owned();
    gannet.store().upsert(vec![entry]).await.unwrap();
}

async fn match_all(gannet: &Gannet) -> u64 {
    let stop = Stop::default();
    gannet
        .match_arrivals(Timestamp::now(), &stop)
        .await
        .unwrap()
}

async fn matches(gannet: &Gannet, owner: Option<&str>) -> Vec<SearchMatch> {
    let found = gannet.search_matches((DEFAULT_TENANT, owner), (0, 100));
    found.await.unwrap().0
}

fn found(matches: &[SearchMatch]) -> Vec<(&str, &str)> {
    let found = matches.iter();
    found
        .map(|one| (one.search_name.as_str(), one.entry.entry_id.as_str()))
        .collect()
}

over_both_stores![
    an_entry_that_comes_later_is_found_once_with_its_words_marked,
    an_entry_is_found_by_its_meaning_when_it_has_vectors,
];

async fn an_entry_that_comes_later_is_found_once_with_its_words_marked(kind: StoreKind) {
    let Some(host) = host(kind, &[]).await else {
        return;
    };
    let gannet = &host.gannet;
    store(gannet, "A-0", "RF-2 tripped before anybody asked.").await;
    save(gannet, search("RF-2 trip")).await;
    save(gannet, search("\"beam lost\" -vacuum")).await;
    save(gannet, search("QM1*")).await;
    save(
        gannet,
        NewSearch {
            owner: "key:bob".to_owned(),
            ..search("tripped")
        },
    )
    .await;
    let by_filter = BTreeMap::from([("author".to_owned(), "lee".to_owned())]);
    save(
        gannet,
        NewSearch {
            name: "Lee".to_owned(),
            filter: by_filter,
            ..search("")
        },
    )
    .await;
    store(
        gannet,
        "A-1",
        "RF-2 tripped on low flow. The beam was lost.",
    )
    .await;
    store(gannet, "A-2", "Beam lost at 300 mA, QM1B saturated.").await;
    store(gannet, "A-3", "Beam lost on a vacuum burst, RF-2 fine.").await;
    assert_eq!(match_all(gannet).await, 3);
    let expected = [
        ("RF-2 trip", "A-1"),
        ("\"beam lost\" -vacuum", "A-2"),
        ("QM1*", "A-2"),
        ("Lee", "A-1"),
        ("Lee", "A-2"),
        ("Lee", "A-3"),
    ];
    let mine = matches(gannet, Some("key:ann")).await;
    let mut names = found(&mine);
    names.sort_unstable();
    let mut sorted = expected.to_vec();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    let marked = mine
        .iter()
        .find(|one| one.search_name == "RF-2 trip")
        .unwrap();
    let fragment = &marked.highlights[0];
    let words: Vec<&str> = fragment
        .ranges
        .iter()
        .map(|(a, b)| &fragment.text[*a..*b])
        .collect();
    assert!(words.contains(&"tripped"), "{words:?}");
    let bobs = matches(gannet, Some("key:bob")).await;
    assert_eq!(found(&bobs), [("tripped", "A-1")]);
    // A change of an entry is no new entry, and neither is a second look.
    store(gannet, "A-2", "Beam lost at 300 mA, RF-2 tripped.").await;
    assert_eq!(match_all(gannet).await, 0);
    assert_eq!(matches(gannet, None).await.len(), expected.len() + 1);
}

async fn an_entry_is_found_by_its_meaning_when_it_has_vectors(kind: StoreKind) {
    let Some(host) = host(kind, &[]).await else {
        return;
    };
    let gannet = &host.gannet;
    let by = MatchBy::Meaning;
    let saved = save(
        gannet,
        NewSearch {
            by,
            ..search("cooling water leak")
        },
    )
    .await;
    store(
        gannet,
        "B-1",
        "Coolant is dripping from the chiller hose onto the floor.",
    )
    .await;
    store(gannet, "B-2", "New keys for the office were handed out.").await;
    // Without vectors it waits for them.
    assert_eq!(match_all(gannet).await, 0);
    host.enhance().await;
    assert_eq!(match_all(gannet).await, 2);
    let mine = matches(gannet, None).await;
    assert_eq!(found(&mine), [("cooling water leak", "B-1")]);
    assert!(!mine[0].keyword && mine[0].similarity.unwrap() >= 0.4);
    // The similarity of what is no match is known too.
    let place = (saved.id.as_str(), "B-2");
    let other = gannet.search_similarity(DEFAULT_TENANT, place).await;
    let is_less = |(similarity, least): (f32, f32)| similarity < least;
    assert!(other.unwrap().is_none_or(is_less));
}

#[tokio::test]
async fn an_entry_that_gets_no_vectors_is_matched_by_its_words_after_a_while() {
    let host = Host::new().await;
    let gannet = &host.gannet;
    save(
        gannet,
        NewSearch {
            by: MatchBy::Either,
            ..search("hose")
        },
    )
    .await;
    store(gannet, "B-1", "A hose burst.").await;
    assert_eq!(match_all(gannet).await, 0);
    let later = Timestamp::now() + jiff::SignedDuration::from_secs(121);
    assert_eq!(
        gannet
            .match_arrivals(later, &Stop::default())
            .await
            .unwrap(),
        1
    );
    assert_eq!(found(&matches(gannet, None).await), [("hose", "B-1")]);
}

const SETTINGS: &str = "{trips: {query: tripped, deliver_to: [hook]}}";

/// What was matched and not noted, as after a crash, is matched again, and is
/// the same messages.
#[tokio::test]
async fn an_entry_is_delivered_once_also_when_it_is_matched_again() {
    let server = webhook(&[]).await;
    let hook = format!(
        "{{hook: {{webhook: {{url: 'http://127.0.0.1:{}'}}}}}}",
        server.port
    );
    let settings = [
        ("searches", SETTINGS),
        ("deliveries", &hook),
        ("timezone", "Europe/Berlin"),
    ];
    let host = Host::with(&settings).await;
    let gannet = &host.gannet;
    match_all(gannet).await;
    let before = gannet.store().arrivals(i64::MAX, 0).await.unwrap().reached;
    store(gannet, "A-1", "RF-2 tripped on low flow.").await;
    for _ in 0..3 {
        assert_eq!(match_all(gannet).await, 1);
        gannet
            .deliver_due(Timestamp::now(), &Stop::default())
            .await
            .unwrap();
        set_back_to(gannet, before).await;
    }
    let got = server.got();
    assert_eq!(got.len(), 1);
    let body = &got[0].body;
    assert_eq!(body["kind"], "match");
    assert_eq!(body["name"], "trips");
    assert_eq!(body["entries"][0]["entry_id"], "A-1");
    assert_eq!(body["details"]["keyword"], true);
    assert_eq!(
        body["text"],
        "RF-2 tripped on low flow.\n\n2025-06-02 03:00 CEST A-1"
    );
    assert_eq!(
        body["details"]["highlights"][0]["text"],
        "RF-2 tripped on low flow."
    );
    assert_eq!(matches(gannet, Some("key:ann")).await.len(), 1);
}

/// Also where the receiver refused one of them: that one comes later.
#[tokio::test]
async fn messages_go_out_in_the_order_in_which_their_entries_came() {
    let server = webhook(&[503]).await;
    let hook = format!(
        "{{hook: {{webhook: {{url: 'http://127.0.0.1:{}'}}}}}}",
        server.port
    );
    let searches = "{trips: {query: tripped, deliver_to: [hook]}, \
                    all: {query: 'author:Lee', deliver_to: [hook]}}";
    let host = Host::with(&[("searches", searches), ("deliveries", &hook)]).await;
    let gannet = &host.gannet;
    match_all(gannet).await;
    let ids: Vec<String> = (0..20).map(|number| format!("A-{}", 90 - number)).collect();
    for id in &ids {
        store(gannet, id, "RF-2 tripped on low flow.").await;
    }
    assert_eq!(match_all(gannet).await, 20);
    store(gannet, "A-0", "RF-3 tripped on low flow.").await;
    assert_eq!(match_all(gannet).await, 1);
    let now = Timestamp::now();
    let deliver = async |seconds: i64| {
        let now = now + jiff::SignedDuration::from_secs(seconds);
        gannet.deliver_due(now, &Stop::default()).await.unwrap();
    };
    for seconds in [0, 1, 60] {
        deliver(seconds).await;
    }
    let got = server.got().into_iter();
    let got: Vec<(String, String)> = got
        .map(|one| {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            (
                text(&one.body["entries"][0]["entry_id"]),
                text(&one.body["name"]),
            )
        })
        .collect();
    let every = ids.iter().map(String::as_str).chain(["A-0"]);
    let every = every.flat_map(|id| ["all", "trips"].map(|name| (id.to_owned(), name.to_owned())));
    let every: Vec<(String, String)> = every.collect();
    let refused = every[0].clone();
    let mut expected = every.clone();
    expected.push(refused);
    assert_eq!(got, expected);
}

/// As far as matching was before a crash.
async fn set_back_to(gannet: &Gannet, reached: i64) {
    let key = gannet_core::store::StateKey {
        owner: "service.search_progress".to_owned(),
        tenant: DEFAULT_TENANT.to_owned(),
        key: "reached".to_owned(),
    };
    let reached = reached.to_string();
    gannet
        .store()
        .set_plugin_state(&key, Some(&reached))
        .await
        .unwrap();
}

#[tokio::test]
async fn users_delete_their_own_searches_and_deliver_where_that_is_open() {
    let deliveries = "{open: {feed: {}, for_users: true}, closed: {feed: {}}}";
    let host = Host::with(&[
        ("searches", "{own: {query: x}}"),
        ("deliveries", deliveries),
    ])
    .await;
    let gannet = &host.gannet;
    let deliver_to = |name: &str| NewSearch {
        deliver_to: vec![name.to_owned()],
        ..search("valve")
    };
    let refused = gannet
        .save_search(DEFAULT_TENANT, deliver_to("closed"))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("`closed`"), "{refused}");
    let saved = save(gannet, deliver_to("open")).await;
    for wrong in [
        search(" "),
        search("the"),
        NewSearch {
            by: MatchBy::Meaning,
            ..search("author:x")
        },
    ] {
        let outcome = gannet.save_search(DEFAULT_TENANT, wrong.clone()).await;
        assert!(outcome.is_err(), "{}", wrong.query);
    }
    let delete = async |owner: Option<&str>, id: &str| {
        gannet
            .delete_search(DEFAULT_TENANT, owner, id)
            .await
            .unwrap()
    };
    assert!(!delete(Some("key:bob"), &saved.id).await);
    assert!(!delete(None, "own").await);
    assert!(delete(Some("key:ann"), &saved.id).await);
    let left = gannet
        .saved_searches(DEFAULT_TENANT, Some("key:bob"))
        .await
        .unwrap();
    assert_eq!(
        left.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
        ["own"]
    );
}
