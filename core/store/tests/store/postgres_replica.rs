//! Reading from a replica.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::entry;
use crate::common::outage::OwnServer;
use crate::common::postgres::Database;
use gannet_store::{ListRequest, PostgresOptions, PostgresStore, StoreError};
use sqlx::{Connection, PgConnection};

/// Far above what it takes, far below what hanging looks like.
const PATIENCE: Duration = Duration::from_secs(30);

async fn until<T: PartialEq + std::fmt::Debug>(wanted: T, ask: impl AsyncFn() -> T) {
    let asking = async {
        while ask().await != wanted {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(PATIENCE, asking).await.is_err() {
        assert_eq!(ask().await, wanted);
    }
}

async fn run(url: &str, statement: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn the_database_itself_can_be_the_second_way_to_it() {
    let Some(database) = Database::create().await else {
        return;
    };
    let options = PostgresOptions {
        read_url: Some(database.url()),
        ..database.options()
    };
    let store = PostgresStore::open(options).await.unwrap();
    store.upsert(vec![entry(0, "text")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 1);
    let listed = store.list("default", ListRequest::newest(9)).await.unwrap();
    assert_eq!(listed.entries.len(), 1);
    let mut connection = database.connect().await;
    let readers: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity \
         WHERE application_name = 'gannet-reads' AND datname = current_database()",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert!(readers > 0, "nobody reads by the second way");
    database.drop_if_there().await;
}

#[tokio::test]
async fn without_its_replica_the_database_is_read() {
    let Some(database) = Database::create().await else {
        return;
    };
    // A port from which nothing answers: it was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap()
        .port();
    let options = PostgresOptions {
        read_url: Some(format!("postgres://me:secret@127.0.0.1:{port}/logbook")),
        connect_timeout: Duration::from_millis(500),
        ..database.options()
    };
    assert!(!format!("{options:?}").contains("secret"));
    let store = PostgresStore::open(options).await.unwrap();
    store.upsert(vec![entry(0, "text")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.count("default").await.unwrap(), 1);
    let nonsense = PostgresOptions {
        read_url: Some("nonsense".to_owned()),
        ..database.options()
    };
    let refused = PostgresStore::open(nonsense).await.unwrap_err();
    assert!(refused.to_string().contains("store.read_uri"), "{refused}");
    database.drop_if_there().await;
}

#[tokio::test]
async fn another_database_is_no_replica() {
    let (Some(database), Some(other)) = (Database::create().await, Database::create().await) else {
        return;
    };
    other.store().await.close().await.unwrap();
    let options = PostgresOptions {
        read_url: Some(other.url()),
        ..database.options()
    };
    let refused = PostgresStore::open(options).await.unwrap_err();
    assert!(matches!(refused, StoreError::InvalidRequest { .. }));
    assert!(refused.to_string().contains("another database"));
    database.drop_if_there().await;
    other.drop_if_there().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_is_read_waited_for_and_done_without() {
    let Some(server) = OwnServer::start("with-a-replica") else {
        return;
    };
    let Some(replica) = server.replica("the-replica") else {
        return;
    };
    let options = PostgresOptions {
        read_url: Some(replica.url().to_owned()),
        connect_timeout: Duration::from_secs(2),
        ..server.options()
    };
    let lagging = Lagging {
        store: PostgresStore::open(options).await.unwrap(),
        replica,
        written: AtomicUsize::new(0),
    };
    // Opening went on without the replica as long as it lacked our tables.
    until(true, async || lagging.is_read().await).await;

    // It is away: the database is read; it is back: so is the replica.
    lagging.replica.kill();
    lagging.write().await;
    assert_eq!(lagging.count().await, lagging.written());
    let listed = lagging.store.list("default", ListRequest::newest(1)).await;
    assert_eq!(listed.unwrap().entries.len(), 1);
    lagging.store.flush().await.unwrap();
    lagging.replica.start_again();
    until(true, async || lagging.is_read().await).await;

    // It lags for longer than anybody waits: the database is read.
    run(lagging.replica.url(), "SELECT pg_wal_replay_pause()").await;
    lagging.write().await;
    lagging.store.flush().await.unwrap();
    assert_eq!(lagging.count().await, lagging.written());
    run(lagging.replica.url(), "SELECT pg_wal_replay_resume()").await;
    lagging.store.close().await.unwrap();
}

/// A store, and the replica that it reads from.
struct Lagging {
    store: PostgresStore,
    replica: OwnServer,
    written: AtomicUsize,
}

impl Lagging {
    async fn write(&self) {
        let index = self.written.fetch_add(1, Ordering::Relaxed);
        self.store.upsert(vec![entry(index, "text")]).await.unwrap();
    }

    fn written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }

    async fn count(&self) -> usize {
        usize::try_from(self.store.count("default").await.unwrap()).unwrap()
    }

    /// What the replica itself has.
    async fn count_there(&self) -> usize {
        let mut connection = PgConnection::connect(self.replica.url()).await.unwrap();
        let count: Result<i64, _> = sqlx::query_scalar("SELECT count(*) FROM enhanced_entries")
            .fetch_one(&mut connection)
            .await;
        match count {
            Ok(count) => usize::try_from(count).unwrap(),
            // It has not even taken our tables over yet.
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => 0,
            Err(error) => panic!("{error}"),
        }
    }

    /// Whether the replica is read: what it was kept from taking over is
    /// not found before a flush, and found after it.
    async fn is_read(&self) -> bool {
        run(self.replica.url(), "SELECT pg_wal_replay_pause()").await;
        self.write().await;
        let found = self.count().await;
        let (flushed, ()) = tokio::join!(
            self.store.flush(),
            run(self.replica.url(), "SELECT pg_wal_replay_resume()")
        );
        flushed.unwrap();
        assert_eq!(self.count().await, self.written());
        // The next pause must not come before the replica has this one.
        until(self.written(), async || self.count_there().await).await;
        found < self.written()
    }
}
