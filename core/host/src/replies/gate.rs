//! The events of one run, on their way to whoever streams.

use std::sync::{Arc, Mutex, PoisonError};

use gannet_api::{Event, Events, limits};
use gannet_registry::shorten;

use super::scope::{CallScope, FilterCheck};
use super::size::cut_json;

/// Lets the events of a run through until it ends, and tells the end once.
///
/// A hit or a citation of an entry that the host did not give, or that fails
/// the filter, is not passed on. Nothing is passed on after the end: a task that the
/// plugin left behind may still emit.
pub(crate) struct EventGate(Arc<Mutex<Option<Events>>>);

impl EventGate {
    /// A gate before these events.
    pub fn new(events: Events) -> Self {
        Self(Arc::new(Mutex::new(Some(events))))
    }

    /// Where a plugin may emit to, in the call of this scope.
    pub fn events(&self, scope: &CallScope) -> Events {
        if !locked(&self.0).as_ref().is_some_and(Events::are_wanted) {
            return Events::default();
        }
        let (gate, scope) = (self.0.clone(), scope.clone());
        Events::to(move |event| {
            if let (Some(event), Some(events)) = (admitted(event, &scope), locked(&gate).as_ref()) {
                events.emit(event);
            }
        })
    }

    /// Ends the run.
    pub fn end(self) {
        if let Some(events) = locked(&self.0).take() {
            events.emit(Event::End);
        }
    }
}

/// Keeps the events of a run that no surface listens to.
#[derive(Clone, Default)]
pub(crate) struct EventList(Arc<Mutex<(Vec<Event>, usize)>>);

impl EventList {
    /// Where the events go. Those beyond [`limits::EVENTS`], or beyond
    /// [`limits::DETAILS_BYTES`] of all, are left out.
    pub fn events(&self) -> Events {
        let kept = self.clone();
        Events::to(move |event| {
            let mut kept = kept.lock();
            let (events, bytes) = &mut *kept;
            *bytes += serde_json::to_string(&event).map_or(0, |json| json.len());
            if events.len() < limits::EVENTS && *bytes <= limits::DETAILS_BYTES {
                events.push(event);
            }
        })
    }

    /// Takes what was kept.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.lock().0)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Vec<Event>, usize)> {
        // A panic while the lock is held can only have been in a push; the
        // list is whole in any case.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn admitted(event: Event, scope: &CallScope) -> Option<Event> {
    match event {
        // The end is the host's to tell.
        Event::End => None,
        Event::Hit { ref entry_id, .. } | Event::Citation { ref entry_id } => {
            let is_given = scope.check_of(entry_id) == Some(FilterCheck::Passed);
            is_given.then_some(event)
        }
        Event::Answer { mut text } => {
            shorten(&mut text, limits::ANSWER_BYTES);
            Some(Event::Answer { text })
        }
        Event::Token { mut text } => {
            shorten(&mut text, limits::ANSWER_BYTES);
            Some(Event::Token { text })
        }
        Event::Stage {
            mut stage,
            mut details,
        } => {
            shorten(&mut stage, limits::NAME_BYTES);
            cut_json(&mut details, limits::DETAILS_BYTES);
            Some(Event::Stage { stage, details })
        }
        other => Some(other),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A listener that panics leaves nothing half done in here.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
