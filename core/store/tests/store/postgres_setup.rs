//! Which databases are set up, migrated or refused, and what an examination
//! says of them.
use crate::common::postgres::Database;
use gannet_api::EmbeddingModel;
use gannet_store::{
    Finding, Health, Migrate, PostgresOptions, PostgresStore, Store, StoreError, StoreOptions,
};
use gannet_test_databases::ARIEL;

/// As a host opens it.
fn by_default(database: &Database) -> PostgresOptions {
    PostgresOptions::at(database.url())
}

async fn examine(database: &Database) -> Vec<Finding> {
    Store::examine(&StoreOptions::Postgres(by_default(database))).await
}

fn of<'f>(findings: &'f [Finding], check: &str) -> &'f Finding {
    let found = findings.iter().find(|finding| finding.check == check);
    found.unwrap_or_else(|| panic!("nothing about {check} in {findings:#?}"))
}

async fn tables(database: &Database) -> i64 {
    let mut connection = database.connect().await;
    sqlx::query_scalar("SELECT count(*) FROM pg_class WHERE relname LIKE 'gannet%'")
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

/// Makes a database look like one of a program before this one.
async fn made_older(database: &Database) {
    database.store().await.close().await.unwrap();
    database
        .run("UPDATE gannet_schema SET version = version - 1")
        .await;
}

#[tokio::test]
async fn an_empty_database_is_set_up_at_first_use() {
    let Some(database) = Database::create().await else {
        return;
    };
    let before = examine(&database).await;
    assert_eq!(of(&before, "schema").health, Health::Warn);
    assert_eq!(tables(&database).await, 0);
    let store = PostgresStore::open(by_default(&database)).await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 0);
    let after = examine(&database).await;
    assert!(
        after.iter().all(|one| one.health == Health::Ok),
        "{after:#?}"
    );
}

/// The statements of a role that may only connect.
fn plain_role(role: &str) -> String {
    format!("DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD 'secret';")
}

#[tokio::test]
async fn a_role_without_rights_is_found_before_it_is_refused() {
    let Some(database) = Database::create().await else {
        return;
    };
    let role = format!("{}_plain", database.name());
    database.run(plain_role(&role)).await;
    let options = PostgresOptions::at(database.url_as(&role, "secret"));
    let examined = StoreOptions::Postgres(options.clone());
    let examine = || Store::examine(&examined);

    let before = examine().await;
    let failed: Vec<&Finding> = before
        .iter()
        .filter(|one| one.health == Health::Fail)
        .collect();
    assert!(
        failed.iter().all(|one| one.check == "rights"),
        "{failed:#?}"
    );
    let advice: Vec<&str> = failed
        .iter()
        .filter_map(|one| one.advice.as_deref())
        .collect();
    assert_eq!(
        advice,
        [
            "as a superuser, in this database: CREATE EXTENSION vector;".to_owned(),
            "as a superuser, in this database: CREATE EXTENSION pg_trgm;".to_owned(),
            format!("as its owner: GRANT CREATE ON SCHEMA public TO {role};"),
        ]
    );
    assert!(PostgresStore::open(options.clone()).await.is_err());

    // What the findings say to do is enough.
    let statements = advice.iter().map(|advice| {
        let (_, statement) = advice.split_once(": ").unwrap();
        statement
    });
    database.run(statements.collect::<String>()).await;
    let after = examine().await;
    assert!(
        after.iter().all(|one| one.health != Health::Fail),
        "{after:#?}"
    );
    let store = PostgresStore::open(options.clone()).await.unwrap();
    store.close().await.unwrap();

    database
        .run(format!("REVOKE INSERT ON enhanced_entries FROM {role}"))
        .await;
    let revoked = examine().await;
    let finding = of(&revoked, "rights");
    assert!(
        finding
            .message
            .ends_with("may not read and write enhanced_entries"),
        "{finding:#?}"
    );
    database
        .run(format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}"))
        .await;
}

#[tokio::test]
async fn tables_of_others_do_not_matter() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run("CREATE TABLE sheep (name TEXT)").await;
    PostgresStore::open(by_default(&database)).await.unwrap();
}

#[tokio::test]
async fn an_empty_database_is_left_alone_where_nothing_may_be_made() {
    let Some(database) = Database::create().await else {
        return;
    };
    let never = PostgresOptions {
        migrate: Migrate::Never,
        ..by_default(&database)
    };
    let refused = PostgresStore::open(never).await.unwrap_err();
    assert!(matches!(refused, StoreError::OlderSchema { found: 0, .. }));
    assert_eq!(tables(&database).await, 0);
}

#[tokio::test]
async fn a_database_of_ariel_is_refused_with_both_ways_on() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let refused = PostgresStore::open(by_default(&database))
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("`store.adopt: ariel`"), "{text}");
    assert!(text.contains("`gannet migrate`"), "{text}");
    assert!(!refused.is_retryable() && !refused.is_unreachable());
    let findings = examine(&database).await;
    let schema = of(&findings, "schema");
    assert_eq!(schema.health, Health::Fail);
    assert!(schema.advice.as_ref().unwrap().contains("gannet migrate"));
    assert_eq!(tables(&database).await, 0);
}

#[tokio::test]
async fn an_older_schema_is_refused_with_the_command() {
    let Some(database) = Database::create().await else {
        return;
    };
    made_older(&database).await;
    let refused = PostgresStore::open(by_default(&database))
        .await
        .unwrap_err();
    assert!(matches!(refused, StoreError::OlderSchema { .. }));
    assert!(refused.to_string().contains("gannet migrate"), "{refused}");
    let findings = examine(&database).await;
    assert_eq!(of(&findings, "schema").health, Health::Fail);
}

#[tokio::test]
async fn a_migration_of_ariel_s_database_adopts_its_entries_once() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let options = || StoreOptions::Postgres(by_default(&database));
    let planned = Store::migrate(options(), true).await.unwrap();
    assert_eq!((planned.from, planned.adopted, planned.entries), (0, 3, 3));
    assert!(!planned.steps.is_empty());
    assert_eq!(tables(&database).await, 0);
    let done = Store::migrate(options(), false).await.unwrap();
    assert_eq!(done, planned);
    let again = Store::migrate(options(), false).await.unwrap();
    assert!(again.is_current(), "{again:?}");
    assert_eq!((again.entries, again.from), (3, again.to));
    let store = Store::open(options()).await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 3);
}

#[tokio::test]
async fn a_newer_schema_is_not_migrated() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.store().await.close().await.unwrap();
    database
        .run("INSERT INTO gannet_schema (version, name) VALUES (99, 'from later')")
        .await;
    for dry_run in [true, false] {
        let options = StoreOptions::Postgres(by_default(&database));
        let refused = Store::migrate(options, dry_run).await.unwrap_err();
        assert!(matches!(refused, StoreError::NewerSchema { found: 99, .. }));
    }
    let findings = examine(&database).await;
    assert_eq!(of(&findings, "schema").health, Health::Fail);
}

#[tokio::test]
async fn a_missing_index_comes_with_the_statement_that_makes_it() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = database.store().await;
    let model = EmbeddingModel::new("tiny", 2, 10).with_variant("f32");
    store.register_model(&model).await.unwrap();
    let indexes = ["gannet_entries_by_time", "gannet_vectors_1"];
    for index in indexes {
        database.run(format!("DROP INDEX {index}")).await;
    }
    let findings = examine(&database).await;
    let missing: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.check == "index")
        .collect();
    assert_eq!(missing.len(), 2, "{findings:#?}");
    for (finding, index) in missing.into_iter().zip(indexes) {
        assert_eq!(finding.health, Health::Fail);
        assert!(finding.message.contains(index), "{finding:?}");
        database.run(finding.advice.clone().unwrap()).await;
    }
    let findings = examine(&database).await;
    assert_eq!(of(&findings, "indexes").health, Health::Ok);
}

#[tokio::test]
async fn entries_that_wait_to_be_adopted_are_told() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.run(ARIEL).await;
    let options = StoreOptions::Postgres(by_default(&database));
    Store::migrate(options, false).await.unwrap();
    database
        .run(
            "INSERT INTO enhanced_entries (entry_id, source_system, timestamp, raw_text) \
             VALUES ('13', 'ALS', now(), 'new')",
        )
        .await;
    let findings = examine(&database).await;
    assert!(of(&findings, "adoption").message.contains("1 entries"));
}

#[tokio::test]
async fn a_database_that_cannot_be_reached_is_a_finding() {
    let options = PostgresOptions::at("postgres://me:secret@127.0.0.1:1/logbook");
    let findings = Store::examine(&StoreOptions::Postgres(options)).await;
    assert_eq!(findings.len(), 1);
    let database = of(&findings, "database");
    assert_eq!(database.health, Health::Fail);
    assert!(!format!("{findings:?}").contains("secret"));
    assert!(database.advice.as_ref().unwrap().contains("try again"));
}

#[tokio::test]
async fn an_embedded_store_is_current_whenever_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let options = || StoreOptions::at(folder.path().join("store"));
    let before = Store::examine(&options()).await;
    assert_eq!(of(&before, "folder").health, Health::Warn);
    Store::open(options()).await.unwrap().close().await.unwrap();
    assert_eq!(
        of(&Store::examine(&options()).await, "folder").health,
        Health::Ok
    );
    assert!(Store::migrate(options(), true).await.unwrap().is_current());
}
