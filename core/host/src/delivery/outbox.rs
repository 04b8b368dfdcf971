//! Messages are put into the outbox, and brought from there to their places.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::rows::{self, Done, Pending, Place};
use super::{DeliveryError, Message, send};
use crate::config::DeliveryConfig;
use crate::{Gannet, HostError, Stop};

/// The wait after the first failure of a message.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(60);
/// The longest wait.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);
/// How long it is remembered that a message was delivered.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24 * 30);

/// What came of a look at a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It was not due.
    Nothing,
    /// It was delivered.
    Delivered,
    /// It was not taken.
    Failed,
}

impl Gannet {
    /// Puts a message into the outbox for each of these deliveries. A message
    /// that is in it, or was delivered, is left alone.
    ///
    /// # Errors
    /// [`HostError::Store`]; what is in the outbox by then stays.
    pub(crate) async fn enqueue(
        &self,
        message: &Message,
        deliveries: &[String],
    ) -> Result<(), HostError> {
        let store = self.store();
        for delivery in deliveries {
            let place = Place::new(delivery, &message.id);
            let was_delivered = rows::done(store, &place).await?.is_some();
            if was_delivered || rows::pending(store, &place).await?.is_some() {
                continue;
            }
            let pending = Pending {
                message: message.clone(),
                attempts: 0,
                due: message.created_at,
            };
            rows::set_pending(store, &place, Some(&pending)).await?;
        }
        self.services().lasting().outbox.notify_one();
        Ok(())
    }

    /// Delivers what waits and is due at this instant, in the order in which it
    /// was made, until it is asked to stop. What fails is tried again later,
    /// behind messages that were made after it, and the call does not fail; a
    /// delivery that failed is not asked again in this call. Calls of one
    /// process wait for each other.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn deliver_due(&self, now: Timestamp, stop: &Stop) -> Result<(), HostError> {
        let _only_here = self.services().lasting().delivering.lock().await;
        let mut failed = BTreeSet::new();
        for place in rows::pending_places(self.store()).await? {
            if stop.is_raised() {
                break;
            }
            // That of a delivery that is not configured any more waits for it.
            let delivery = self.config().deliveries.get(&place.delivery);
            let is_on = |one: &&DeliveryConfig| one.enabled && !failed.contains(&place.delivery);
            let Some(delivery) = delivery.filter(is_on) else {
                continue;
            };
            if self.deliver(&place, delivery, now).await? == Outcome::Failed {
                failed.insert(place.delivery);
            }
        }
        Ok(())
    }

    async fn deliver(
        &self,
        place: &Place,
        delivery: &DeliveryConfig,
        now: Timestamp,
    ) -> Result<Outcome, HostError> {
        let store = self.store();
        let Some(pending) = rows::pending(store, place).await? else {
            return Ok(Outcome::Nothing);
        };
        if rows::done(store, place).await?.is_some() {
            // A crash kept it from being taken out.
            rows::set_pending(store, place, None).await?;
            return Ok(Outcome::Nothing);
        }
        if pending.due > now {
            return Ok(Outcome::Nothing);
        }
        let sent = send(self, (&place.delivery, delivery), &pending.message).await;
        self.note(place, pending, (delivery, sent), now).await
    }

    /// Notes what came of a message: that it was delivered, when it is tried
    /// again, or that it is given up.
    async fn note(
        &self,
        place: &Place,
        mut pending: Pending,
        (delivery, sent): (&DeliveryConfig, Result<(), DeliveryError>),
        now: Timestamp,
    ) -> Result<Outcome, HostError> {
        let store = self.store();
        let mut report = rows::report(store, &place.delivery).await?;
        pending.attempts += 1;
        let error = sent.err().map(|error| error.to_string());
        let is_given_up = error.is_some() && pending.attempts >= delivery.max_attempts;
        match &error {
            None => {
                report.delivered += 1;
                report.last_delivered = Some(now);
            }
            Some(error) => tracing::warn!(
                delivery = place.delivery,
                message_id = place.id,
                attempts = pending.attempts,
                given_up = is_given_up,
                error,
                "a message was not delivered"
            ),
        }
        report.given_up += u64::from(is_given_up);
        report.error = error;
        if report.error.is_some() && !is_given_up {
            pending.due = now + wait_after(pending.attempts);
            rows::set_pending(store, place, Some(&pending)).await?;
        } else {
            let end = Done {
                at: now,
                is_given_up,
            };
            rows::set_done(store, place, Some(&end)).await?;
            rows::set_pending(store, place, None).await?;
        }
        rows::set_report(store, &place.delivery, &report).await?;
        Ok(match report.error {
            None => Outcome::Delivered,
            Some(_) => Outcome::Failed,
        })
    }

    /// Forgets messages that were delivered long ago.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub(crate) async fn forget_delivered(&self, now: Timestamp) -> Result<(), HostError> {
        let store = self.store();
        for place in rows::done_places(store).await? {
            let done = rows::done(store, &place).await?;
            if done.is_none_or(|done| done.at.duration_until(now) > REMEMBERED) {
                rows::set_done(store, &place, None).await?;
            }
        }
        Ok(())
    }

    /// The deliveries that did not deliver a message: it waits, or was given up.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn undelivered(&self, message: &str) -> Result<Vec<String>, HostError> {
        let store = self.store();
        let mut places = rows::pending_places(store).await?;
        places.retain(|place| place.id == message);
        for place in rows::done_places(store).await? {
            let is_of_it = place.id == message;
            if is_of_it
                && rows::done(store, &place)
                    .await?
                    .is_some_and(|one| one.is_given_up)
            {
                places.push(place);
            }
        }
        Ok(places.into_iter().map(|place| place.delivery).collect())
    }
}

/// The wait after so many failures.
fn wait_after(attempts: u32) -> SignedDuration {
    let factor = 2_i32.saturating_pow(attempts.saturating_sub(1).min(16));
    FIRST_WAIT
        .checked_mul(factor)
        .map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waits_double_up_to_an_hour() {
        let minutes = |attempts| wait_after(attempts).as_mins();
        let waits: Vec<i64> = (1..=9).map(minutes).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(wait_after(u32::MAX), LONGEST_WAIT);
    }
}
