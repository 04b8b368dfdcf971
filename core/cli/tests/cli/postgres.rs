//! The command line on PostgreSQL.

use crate::facility::{Facility, code, stderr, stdout};
use gannet_test_databases::{ARIEL, Database};
use serde_json::{Value, json};

/// A facility whose store is this database.
fn facility(uri: &str) -> Facility {
    let facility = Facility::new();
    let config = format!("store:\n  kind: postgres\n  uri: {uri}\n  path: ./data\n");
    facility.write("config.yml", &config);
    facility
}

/// The address with a password in it, which the server does not ask for.
fn with_password(database: &Database) -> String {
    database.url_as("postgres", "s3cret")
}

fn write_log(facility: &Facility) {
    let line = |id: &str, text: &str| {
        json!({"id": id, "text": text, "timestamp": "2025-03-14T09:30:00Z"}).to_string()
    };
    let lines = [
        line("A-1", "CAV1 tripped on reflected power."),
        line("A-2", "Leak found at SR07 flange."),
    ];
    facility.write("log.jsonl", &lines.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_go_in_and_are_found() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = facility(&with_password(&database));
    write_log(&facility);
    let ingested = facility.json(&["ingest", "log.jsonl"]);
    assert_eq!(ingested["ingested"]["added"], 2);
    let found = facility.json(&["search", "--mode", "semantic", "vacuum leak"]);
    assert_eq!(found["entries"][0]["entry"]["entry_id"], "A-2");
    let shown = facility.done(&["entry", "show", "A-1"]);
    assert!(shown.contains("CAV1"), "{shown}");
    // Nothing was kept aside, and so there is no folder.
    assert!(!facility.folder.path().join("data").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_searched_in_the_database() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = facility(&database.url());
    write_log(&facility);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let found = facility.json(&["search", "--mode", "keyword", "reflected power"]);
    assert_eq!(found["entries"][0]["entry"]["entry_id"], "A-1");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_names_the_database_and_no_password() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = facility(&with_password(&database));
    let name = database.name();
    let text = facility.done(&["status"]);
    assert!(text.contains("PostgreSQL") && text.contains(name), "{text}");
    let status = facility.json(&["status"]);
    assert_eq!(status["kind"], "postgres");
    assert!(status["database"].as_str().unwrap().ends_with(name));
    for command in [&["status"][..], &["doctor"], &["config", "show"]] {
        let output = facility.gannet(command);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let said = stdout(&output) + &stderr(&output);
        assert!(!said.contains("s3cret"), "{command:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_ariel_is_refused_until_it_is_migrated() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let facility = facility(&database.url());
    let refused = facility.gannet(&["status"]);
    assert_eq!(code(&refused), 4);
    assert!(
        stderr(&refused).contains("`gannet migrate`"),
        "{}",
        stderr(&refused)
    );
    let planned = facility.done(&["migrate", "--dry-run"]);
    assert!(planned.contains("would migrate"), "{planned}");
    assert!(planned.contains("would be adopted 3"), "{planned}");
    assert_eq!(code(&facility.gannet(&["status"])), 4);
    let done = facility.done(&["migrate"]);
    assert!(
        done.contains("schema 0 to") && done.contains("adopted 3"),
        "{done}"
    );
    let again = facility.json(&["migrate"]);
    assert_eq!(again["from"], again["to"]);
    assert_eq!(again["entries"], 3);
    assert!(facility.done(&["migrate"]).contains("current"));
    assert_eq!(facility.json(&["status"])["entries"], 3);
}

#[test]
fn ariel_s_database_is_not_migrated_while_it_is_adopted() {
    let facility = Facility::new();
    let config = "store:\n  kind: postgres\n  uri: postgres://h/ariel\n  adopt: ariel\n";
    facility.write("config.yml", config);
    let refused = facility.gannet(&["migrate"]);
    assert_eq!(code(&refused), 3);
    let said = stderr(&refused);
    assert!(said.contains("set `store.adopt: none`"), "{said}");
}

#[test]
fn an_embedded_store_is_current() {
    let facility = Facility::new();
    write_log(&facility);
    let missing = facility.gannet(&["migrate"]);
    assert_eq!(code(&missing), 4);
    assert!(stderr(&missing).contains("there is no store"));
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    for arguments in [&["migrate"][..], &["migrate", "--dry-run"]] {
        let said = facility.done(arguments);
        assert!(
            said.contains("current") && said.contains("2 entries"),
            "{said}"
        );
    }
}

#[test]
fn the_doctor_of_a_folder_says_what_to_run() {
    let facility = Facility::new();
    let before = facility.done(&["doctor"]);
    assert!(before.contains("it is created at first use"), "{before}");
    assert!(!facility.folder.path().join("gannet-data").exists());
    write_log(&facility);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let waiting = findings(&facility, "text_embedding");
    assert_eq!(waiting[0]["health"], "warn");
    assert_eq!(waiting[0]["advice"], "run `gannet enhance`");
    facility.done(&["enhance"]);
    let all: Vec<Value> = serde_json::from_str(&facility.done(&["doctor", "--json"])).unwrap();
    assert!(all.iter().all(|one| one["health"] == "ok"), "{all:#?}");
}

#[test]
fn the_doctor_shows_what_is_left_out_and_a_broken_configuration() {
    let facility = Facility::new();
    facility.write("config.yml", "search_modules: {gone: {enabled: true}}\n");
    let output = facility.gannet(&["doctor"]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(stdout(&output).contains("gone"), "{}", stdout(&output));
    facility.write("config.yml", "sotre: {}\n");
    let output = facility.gannet(&["doctor"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("did you mean `store`?"),
        "{}",
        stdout(&output)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_gives_the_statement_for_a_missing_index() {
    let Some(database) = Database::create().await else {
        return;
    };
    let facility = facility(&database.url());
    let before = facility.done(&["doctor"]);
    assert!(before.contains("it is set up at first use"), "{before}");
    write_log(&facility);
    facility.done(&["ingest", "log.jsonl"]);
    assert!(findings(&facility, "index").is_empty());
    database.run("DROP INDEX gannet_entries_by_time").await;
    let output = facility.gannet(&["doctor"]);
    assert_eq!(code(&output), 1);
    let statement = "CREATE INDEX gannet_entries_by_time ON enhanced_entries";
    assert!(stdout(&output).contains(statement), "{}", stdout(&output));
}

/// The findings about something.
fn findings(facility: &Facility, check: &str) -> Vec<Value> {
    let output = facility.gannet(&["doctor", "--json"]);
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    all.into_iter()
        .filter(|finding| finding["check"] == check)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_goes_into_an_empty_database_and_into_no_other() {
    let Some(database) = Database::create().await else {
        return;
    };
    let empty = Facility::new();
    let uri = with_password(&database);
    for _ in 0..2 {
        let said = empty.done(&["quickstart", "--store", &uri]);
        assert!(said.contains("wiggler"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    assert!(!empty.folder.path().join("gannet-data").exists());
    let facility = facility(&uri);
    write_log(&facility);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let refused = facility.gannet(&["quickstart"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("name an empty database"),
        "{}",
        stderr(&refused)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_told_without_the_password() {
    let Some(database) = Database::create().await else {
        return;
    };
    let uri = database.url_as("nobody_here", "s3cret");
    let facility = facility(&uri);
    for command in [&["status"][..], &["search", "x"], &["migrate"]] {
        let refused = facility.gannet(command);
        let said = stdout(&refused) + &stderr(&refused);
        assert_eq!(code(&refused), 6, "{said}");
        assert!(
            said.contains("nobody_here") && said.contains("`gannet doctor`"),
            "{said}"
        );
        assert!(
            !said.contains("s3cret") && !said.contains("try again"),
            "{said}"
        );
    }
    let doctor = facility.gannet(&["doctor"]);
    assert_eq!(code(&doctor), 1);
    assert!(stdout(&doctor).contains("check user, password"));
    assert!(!stdout(&doctor).contains("s3cret"));
}

#[test]
fn a_server_that_is_away_has_an_exit_code_of_its_own() {
    let facility = facility("postgres://me:s3cret@127.0.0.1:1/logbook");
    let refused = facility.gannet(&["search", "x"]);
    let said = stderr(&refused);
    assert_eq!(code(&refused), 6, "{said}");
    assert!(said.contains("try again"), "{said}");
    assert!(
        said.contains("127.0.0.1:1/logbook") && !said.contains("s3cret"),
        "{said}"
    );
}

#[test]
fn a_line_of_the_configuration_is_shown_without_its_password() {
    let facility = facility("postgres://me:s3cret@127.0.0.1:1/logbook");
    let config = "store:\n  knid: postgres\n  uri: postgres://me:s3cret@h/d\n";
    facility.write("config.yml", config);
    let refused = facility.gannet(&["status"]);
    assert_eq!(code(&refused), 3);
    let said = stderr(&refused);
    assert!(said.contains("knid") && !said.contains("s3cret"), "{said}");
}

#[test]
fn an_evaluation_leaves_the_database_alone() {
    let facility = facility("postgres://me:s3cret@127.0.0.1:1/logbook");
    let record = json!({"id": "d1", "text": "pump tripped"});
    facility.write("corpus.jsonl", &record.to_string());
    let question = json!({"id": "q1", "text": "pump"});
    facility.write("queries.jsonl", &question.to_string());
    facility.write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n");
    let report = facility.json(&["eval", ".", "--mode", "keyword"]);
    assert_eq!(report[0]["queries"], 1);
}
