//! The right to work on what waits for a module, or to follow a source: an
//! advisory lock.
//!
//! It belongs to a transaction on a connection of its own. A transaction that
//! only waits keeps no snapshot, so nothing is hindered by it, and a pooler
//! that lends connections by the transaction leaves it alone. The server lets
//! the lock go when the connection ends, however that comes about.

use std::time::Duration;

use sqlx::{Connection, PgConnection, Row};

use super::PostgresStore;
use super::retry::again;
use crate::claim::{Kind, WorkClaim};
use crate::error::{DatabaseContext, StoreError};

/// How long the server may take to say that the connection is alive.
const PATIENCE: Duration = Duration::from_secs(10);

/// No time-out ends the waiting transaction; a holder whose machine is gone
/// is noticed within two minutes, not hours. Settings that the server does
/// not know (`transaction_timeout` is of version 17) are left out.
const SETTINGS: &str = "SELECT set_config(s.name, n.value, true) FROM pg_settings s JOIN (VALUES \
        ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'), \
        ('tcp_keepalives_idle', '60'), ('tcp_keepalives_interval', '10'), \
        ('tcp_keepalives_count', '6')) AS n (name, value) ON n.name = s.name";

/// The origin tells two schemas of one database apart.
const TAKE: &str = "SELECT pg_try_advisory_xact_lock( \
    hashtextextended('gannet ' || $2 || ' ' || origin || ' ' || $1, 0)) FROM gannet_sequence";

/// Held until the connection ends.
#[derive(Debug)]
pub(crate) struct DatabaseClaim {
    connection: PgConnection,
}

impl PostgresStore {
    /// The right to work on what waits for a module; `None` while another
    /// store on this database has it. It takes a connection of its own.
    pub async fn claim_enhancement(&self, module: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.claim_work("enhances", module).await
    }

    /// The right to follow a source; `None` while another store on this
    /// database has it. It takes a connection of its own.
    pub async fn claim_source(&self, source: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.claim_work("follows", source).await
    }

    async fn claim_work(&self, work: &str, name: &str) -> Result<Option<WorkClaim>, StoreError> {
        let claim = again!({ self.claim(work, name).await })?;
        Ok(claim.map(|claim| WorkClaim(Kind::Database(claim))))
    }

    async fn claim(&self, work: &str, name: &str) -> Result<Option<DatabaseClaim>, StoreError> {
        let server = self.pool.connect_options();
        let connecting = PgConnection::connect_with(&server);
        let patience = self.pool.options().get_acquire_timeout();
        let mut connection = match tokio::time::timeout(patience, connecting).await {
            Ok(connected) => connected.doing("connect to the database")?,
            Err(_) => {
                return Err(StoreError::NoConnection {
                    action: "claim work",
                });
            }
        };
        for statement in ["BEGIN", SETTINGS] {
            sqlx::query(statement)
                .execute(&mut connection)
                .await
                .doing("claim work")?;
        }
        let taken: bool = sqlx::query(TAKE)
            .bind(name)
            .bind(work)
            .fetch_one(&mut connection)
            .await
            .and_then(|row| row.try_get(0))
            .doing("claim work")?;
        if taken {
            return Ok(Some(DatabaseClaim { connection }));
        }
        connection.close().await.doing("close a connection")?;
        Ok(None)
    }
}

impl DatabaseClaim {
    pub(crate) async fn is_held(&mut self) -> bool {
        let alive = sqlx::query("SELECT 1").execute(&mut self.connection);
        matches!(tokio::time::timeout(PATIENCE, alive).await, Ok(Ok(_)))
    }

    pub(crate) async fn release(mut self) -> Result<(), StoreError> {
        // Its answer comes when the lock is free; a farewell has none. A
        // connection that is gone has let the lock go.
        let ended = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
        if ended.is_ok() {
            self.connection.close().await.doing("close a connection")?;
        }
        Ok(())
    }
}
