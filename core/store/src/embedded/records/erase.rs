//! What deleted rows left in the files of the database.

use sqlx::Connection;

use super::{Records, access, connect_options};
use crate::error::{SqliteContext, StoreError};

impl Records {
    /// Writes the database anew from the rows that are there, and empties its
    /// log. Needs as much room again beside the database and in the folder for
    /// temporary files.
    ///
    /// # Errors
    /// [`StoreError::InvalidRequest`] when another process reads for longer than
    /// a statement may wait, so that the log cannot be emptied.
    pub(crate) async fn erase(&self) -> Result<(), StoreError> {
        self.refuse_when_read_only("erase what was deleted")?;
        // The other connections keep what is temporary in memory.
        let options = connect_options(&self.path, self.synchronous_full)
            .create_if_missing(false)
            .pragma("temp_store", "file");
        let mut opened = access::open(&self.path, options).await?;
        let connection = &mut opened.connection;
        sqlx::raw_sql("VACUUM")
            .execute(&mut *connection)
            .await
            .doing("erase what was deleted")?;
        let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut *connection)
            .await
            .doing("erase what was deleted")?;
        opened
            .connection
            .close()
            .await
            .doing("close the database")?;
        match busy {
            0 => Ok(()),
            _ => Err(StoreError::InvalidRequest {
                message: format!(
                    "the log of {} cannot be emptied while another process reads it; try again",
                    self.path.display()
                ),
            }),
        }
    }
}
