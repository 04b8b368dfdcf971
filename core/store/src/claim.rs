//! The right to do work that no two processes should do at once.

use crate::embedded::FolderClaim;
use crate::error::StoreError;
use crate::postgres::DatabaseClaim;

/// The right to work on what waits for an enhancement module, or to follow a
/// source, which one process of all that share a store has.
///
/// It ends when it is released or dropped, and when its holder dies or loses
/// the database.
#[derive(Debug)]
pub struct WorkClaim(pub(crate) Kind);

#[derive(Debug)]
pub(crate) enum Kind {
    Folder(FolderClaim),
    Database(DatabaseClaim),
}

impl WorkClaim {
    /// Whether it is still held: whoever lost the database for a moment may
    /// find that another process works now.
    pub async fn is_held(&mut self) -> bool {
        match &mut self.0 {
            Kind::Folder(_) => true,
            Kind::Database(claim) => claim.is_held().await,
        }
    }

    /// Gives it up; when this returns another process can have it.
    pub async fn release(self) -> Result<(), StoreError> {
        match self.0 {
            Kind::Folder(claim) => drop(claim),
            Kind::Database(claim) => claim.release().await?,
        }
        Ok(())
    }
}
