//! A PostgreSQL server for a bench.

use std::process::{Command, Stdio};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

pub struct Server {
    /// Without a database.
    url: String,
}

impl Server {
    /// The server in `GANNET_TEST_POSTGRES`, or one that `tests/postgres`
    /// brings up and that stops when it is idle. `None`, and a printed line,
    /// when there is none.
    pub fn up() -> Option<Self> {
        let url = match std::env::var("GANNET_TEST_POSTGRES") {
            Ok(url) => url,
            Err(_) => bring_up()?,
        };
        let (server, _database) = url.rsplit_once('/')?;
        Some(Self {
            url: server.to_owned(),
        })
    }

    /// A database of this name, empty; returns its URL.
    pub async fn database(&self, name: &str) -> String {
        self.drop_database(name).await;
        self.administer(format!(
            "CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0"
        ))
        .await;
        format!("{}/{name}", self.url)
    }

    pub async fn drop_database(&self, name: &str) {
        self.administer(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .await;
    }

    async fn administer(&self, statement: String) {
        let url = format!("{}/postgres", self.url);
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
}

fn bring_up() -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres");
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/postgres");
    let output = Command::new(script)
        .args(["up", folder, "120"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
