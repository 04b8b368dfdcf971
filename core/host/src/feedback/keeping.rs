//! Feedback in the store: one row for each caller, question and subject, so that
//! what is said again stands in the place of what was said before.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gannet_api::Error;
use gannet_store::StoreError;
use jiff::Timestamp;

use super::{Feedback, FeedbackSubject, Verdict};
use crate::kept_state::{self, key, read, write};
use crate::{Gannet, HostError};

const OWNER: &str = "service.feedback";

/// New rows that each tenant has room for, as far as that was counted. Counting
/// reads the names of all rows.
#[derive(Default)]
pub(crate) struct FeedbackRoom(Mutex<HashMap<String, usize>>);

impl FeedbackRoom {
    /// Takes the room of a row; false where the rows are to be counted first.
    fn take(&self, tenant: &str) -> bool {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = rooms.get_mut(tenant).filter(|room| **room > 0);
        room.map(|room| *room -= 1).is_some()
    }

    /// Notes the room for rows beyond one that is taken now. Another process may
    /// write too: half of it is used before it is counted again.
    fn set(&self, tenant: &str, left: usize) {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.insert(tenant.to_owned(), left / 2);
    }
}

impl Gannet {
    /// Keeps what a caller said. It replaces what the same caller said before of
    /// the same question and subject; that an entry was opened is kept beside it.
    /// The caller itself is not kept.
    ///
    /// # Errors
    /// [`HostError::Plugin`] where feedback is off, names entries that are not
    /// there, or fills the store beyond its limit; the store's own.
    pub async fn add_feedback(
        &self,
        tenant: &str,
        caller: &str,
        feedback: &Feedback,
    ) -> Result<(), HostError> {
        if !self.config().feedback.enabled {
            let message = "feedback is not kept; set `feedback.enabled: true`";
            return Err(Error::invalid_input(message).into());
        }
        let ids = feedback.entry_ids();
        let known = self.entries(tenant, ids).await?;
        let is_known = |id: &String| known.iter().any(|entry| entry.entry_id == *id);
        if let Some(id) = ids.iter().find(|id| !is_known(id)) {
            return Err(Error::invalid_input(format!("there is no entry `{id}`")).into());
        }
        let place = key(OWNER, tenant, &row_name(caller, feedback));
        if read::<Feedback>(self.store(), &place).await?.is_none() {
            self.take_feedback_room(tenant).await?;
        }
        Ok(write(self.store(), &place, Some(feedback)).await?)
    }

    /// Takes the room of a new row.
    async fn take_feedback_room(&self, tenant: &str) -> Result<(), HostError> {
        let room = self.services().feedback_room();
        if room.take(tenant) {
            return Ok(());
        }
        let most = self.config().feedback.max_rows;
        let rows = self.store().plugin_state_keys(OWNER, tenant).await?.len();
        let Some(left) = most.checked_sub(rows + 1) else {
            let message = format!(
                "the store has {most} rows of feedback, which is `feedback.max_rows`; \
                 export them with `gannet feedback export`, then delete them or set \
                 `retention.feedback_days`"
            );
            return Err(Error::invalid_input(message).into());
        };
        room.set(tenant, left);
        Ok(())
    }

    /// What was said, the oldest first.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn feedback(&self, tenant: &str) -> Result<Vec<Feedback>, HostError> {
        let rows = self.feedback_rows(tenant).await?;
        let mut all: Vec<Feedback> = rows.into_iter().map(|(_, feedback)| feedback).collect();
        all.sort_by(|a, b| (a.at, &a.question).cmp(&(b.at, &b.question)));
        Ok(all)
    }

    /// Deletes all that was said, and returns how much that was.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn delete_feedback(&self, tenant: &str) -> Result<u64, HostError> {
        let rows = self.feedback_rows(tenant).await?;
        Ok(self.delete_where(tenant, &rows, |_| true).await?)
    }

    /// Deletes what was said of entries, and returns how much that was.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn delete_feedback_of(
        &self,
        tenant: &str,
        entry_ids: &[String],
    ) -> Result<u64, HostError> {
        let rows = self.feedback_rows(tenant).await?;
        let is_of_them = |one: &Feedback| one.names_any(entry_ids);
        Ok(self.delete_where(tenant, &rows, is_of_them).await?)
    }

    /// How much was said before an instant, in all tenants.
    pub(crate) async fn count_old_feedback(&self, before: Timestamp) -> Result<u64, HostError> {
        let mut count = 0;
        for tenant in self.store().tenants().await? {
            let rows = self.feedback_rows(&tenant).await?;
            count += rows.iter().filter(|(_, one)| one.at < before).count() as u64;
        }
        Ok(count)
    }

    /// Deletes what was said before an instant, in all tenants.
    pub(crate) async fn delete_old_feedback(&self, before: Timestamp) -> Result<u64, HostError> {
        let mut count = 0;
        for tenant in self.store().tenants().await? {
            let rows = self.feedback_rows(&tenant).await?;
            count += self
                .delete_where(&tenant, &rows, |one| one.at < before)
                .await?;
        }
        Ok(count)
    }

    /// What was said, with the names of the rows.
    pub(crate) async fn feedback_rows(
        &self,
        tenant: &str,
    ) -> Result<Vec<(String, Feedback)>, StoreError> {
        let rows = self.store().plugin_states(OWNER, tenant).await?.into_iter();
        let rows = rows.filter_map(|(name, json)| Some((name, serde_json::from_str(&json).ok()?)));
        Ok(rows.collect())
    }

    /// Deletes those of the rows that are meant, and returns how many.
    pub(crate) async fn delete_where(
        &self,
        tenant: &str,
        rows: &[(String, Feedback)],
        is_meant: impl Fn(&Feedback) -> bool,
    ) -> Result<u64, StoreError> {
        let mut count = 0;
        for (name, _) in rows.iter().filter(|(_, feedback)| is_meant(feedback)) {
            write::<Feedback>(self.store(), &key(OWNER, tenant, name), None).await?;
            count += 1;
        }
        Ok(count)
    }
}

/// The name of a row: a digest, so that it does not tell the caller.
fn row_name(caller: &str, feedback: &Feedback) -> String {
    let subject = match &feedback.subject {
        FeedbackSubject::Entry { entry_id } => format!("entry {entry_id}"),
        FeedbackSubject::Answer { .. } => "answer".to_owned(),
    };
    let is_opened = feedback.verdict == Verdict::Opened;
    let question = feedback.question.to_lowercase();
    kept_state::digest(&format!("{caller}\0{question}\0{subject}\0{is_opened}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_seldom_counted_until_they_are_the_most() {
        let (room, most) = (FeedbackRoom::default(), 50_000);
        let mut counted = 0;
        for rows in 0..most {
            if !room.take("default") {
                room.set("default", most - rows - 1);
                counted += 1;
            }
        }
        assert!(!room.take("default"));
        assert!(counted < 20, "{counted}");
        assert!(!room.take("other"));
    }
}
