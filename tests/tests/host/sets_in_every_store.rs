//! Sets of entries have the same members in every store: embedded, in
//! PostgreSQL, in a replica of it, and in a database of ARIEL.

use gannet_core::EntryCountInput;
use gannet_core::api::{DEFAULT_TENANT, GroupBy, Registration, SetGroup};
use gannet_core::registry::Registry;
use gannet_tests::{ARIEL, Database, Host, StoreKind};
use serde_json::Value;

use crate::sets::{others, records};

/// A question, filters, and what is counted by.
type Request = (
    &'static str,
    &'static [(&'static str, &'static str)],
    Option<&'static str>,
);

const REQUESTS: [Request; 18] = [
    ("how many alerts at Alder since 2005?", &[], None),
    ("how many reports in Ohio", &[], Some("year")),
    ("alerts at Birch in 2006 and 2009", &[], None),
    ("all alerts since 2011", &[], Some("author")),
    ("the last three alerts at Alder", &[], None),
    ("the first five reports from Alder in 2005", &[], None),
    ("first alert at Birch", &[], None),
    ("how many alerts not at Birch", &[], Some("meta.state")),
    ("first report from Alder that is not in 2003", &[], None),
    ("how often were alerts declared at Birch", &[], None),
    ("alerts per month in 2004", &[], None),
    ("alerts by crew in 2005", &[], None),
    ("reports by tag", &[], None),
    (
        "how many reports of leaking valves at Alder in 2004",
        &[],
        None,
    ),
    ("how many alerts at Birch in 2020?", &[], None),
    ("", &[], Some("meta.state")),
    (
        "",
        &[("class", "alert"), ("end_date", "2006")],
        Some("month"),
    ),
    (
        "",
        &[("author", "al"), ("state", "OH|VA")],
        Some("meta.class"),
    ),
];

/// What a store says of a request.
#[derive(Debug, PartialEq)]
struct Said {
    count: u64,
    members: Vec<(String, String)>,
    groups: Vec<SetGroup>,
    query: Option<String>,
}

async fn said(host: &Host) -> Vec<Said> {
    let mut all = Vec::new();
    for (question, filters, group_by) in REQUESTS {
        let filters = filters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let filters: Vec<(String, String)> = filters.collect();
        let input = EntryCountInput {
            question: question.to_owned(),
            filter: host.gannet.filter(&filters).unwrap(),
            group_by: group_by.map(GroupBy::from_name),
            listed: 10,
        };
        let counted = host
            .gannet
            .entry_count(DEFAULT_TENANT, input)
            .await
            .unwrap();
        let counted = counted.unwrap_or_else(|| panic!("{question}: no set"));
        let members = counted.members.members.iter();
        all.push(Said {
            count: counted.members.count,
            members: members
                .map(|member| (member.entry_id.clone(), member.timestamp.to_string()))
                .collect(),
            groups: counted.members.groups,
            query: counted.set.row_query(None),
        });
    }
    all
}

fn all_records() -> Vec<Value> {
    let mut all = records();
    all.extend(others());
    all
}

async fn filled(host: Host) -> Host {
    host.ingest_lines(&all_records()).await;
    host.gannet.store().flush().await.unwrap();
    host
}

fn registry() -> Registry {
    Registry::of(Registration::linked().copied()).unwrap()
}

async fn embedded() -> Vec<Said> {
    let host = Host::on(StoreKind::Embedded).await.unwrap();
    said(&filled(host).await).await
}

fn assert_same(expected: &[Said], found: &[Said]) {
    for ((request, expected), found) in REQUESTS.iter().zip(expected).zip(found) {
        assert_eq!(expected, found, "{request:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn most_requests_have_members_and_groups() {
    let said = embedded().await;
    assert!(said.iter().filter(|one| one.count > 0).count() >= 15);
    assert!(said.iter().filter(|one| !one.members.is_empty()).count() >= 5);
    assert!(said.iter().filter(|one| one.groups.len() > 1).count() >= 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_counts_as_a_folder_does() {
    let Some(host) = Host::on(StoreKind::Postgres).await else {
        return;
    };
    let found = said(&filled(host).await).await;
    assert_same(&embedded().await, &found);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_of_a_database_counts_as_a_folder_does() {
    let Some(database) = Database::create().await else {
        return;
    };
    let settings = [("store.cache", "true")];
    let host = Host::over_database(database, &settings, &registry()).await;
    let found = said(&filled(host).await).await;
    assert_same(&embedded().await, &found);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_ariel_counts_as_a_folder_does() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    database.run(in_ariel(&all_records())).await;
    let settings = [("store.adopt", "ariel")];
    let host = Host::over_database(database, &settings, &registry()).await;
    let found = said(&host).await;
    assert_same(&embedded().await, &found);
}

/// The records in place of the entries that ARIEL's database has.
fn in_ariel(records: &[Value]) -> String {
    let mut statements = "DELETE FROM enhanced_entries;".to_owned();
    for record in records {
        let text = |name: &str| record[name].as_str().unwrap().replace('\'', "''");
        statements.push_str(&format!(
            "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, author, raw_text, \
             metadata) VALUES ('{}', 'ALS', '{}', '{}', '{}', '{}');",
            text("id"),
            text("timestamp"),
            text("author"),
            text("text"),
            record["metadata"],
        ));
    }
    statements
}
