//! Whose the sessions over HTTP are, and how many a caller may have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// Sessions of one caller at most. One that is idle for five minutes ends.
const MOST_SESSIONS: usize = 100;

/// Whose session it is: the name and the tenant.
pub(super) type Owner = (String, String);

/// The sessions of all callers. Clones share everything.
#[derive(Clone, Default)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    places: Arc<Mutex<Places>>,
}

/// The places that are taken.
#[derive(Default)]
struct Places {
    /// By sessions that are open or have ended, by their ids.
    by_id: HashMap<String, Owner>,
    /// By requests that may open a session.
    opening: HashMap<Owner, usize>,
}

/// The place of a session that is about to be opened. It is free again when
/// this is dropped before a session takes it.
pub(super) struct Place {
    /// `None` once a session has taken it.
    owner: Option<Owner>,
    places: Arc<Mutex<Places>>,
}

impl Sessions {
    /// What keeps the sessions themselves.
    pub fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// Whether a session was opened by this caller.
    pub fn is_of(&self, id: &str, owner: &Owner) -> bool {
        locked(&self.places).by_id.get(id) == Some(owner)
    }

    /// A place for one more session of a caller; `None` where all are taken.
    pub async fn reserve(&self, owner: Owner) -> Option<Place> {
        // While it is held, no session can be opened, and so none is taken for
        // one that has ended.
        let open = self.manager.sessions.read().await;
        let mut places = locked(&self.places);
        places.by_id.retain(|id, _| open.contains_key(id.as_str()));
        if places.taken_by(&owner) >= MOST_SESSIONS {
            return None;
        }
        *places.opening.entry(owner.clone()).or_default() += 1;
        Some(Place {
            owner: Some(owner),
            places: self.places.clone(),
        })
    }
}

impl Places {
    fn taken_by(&self, owner: &Owner) -> usize {
        let opened = self.by_id.values().filter(|one| *one == owner).count();
        opened + self.opening.get(owner).copied().unwrap_or_default()
    }

    fn end_opening(&mut self, owner: &Owner) {
        let Some(count) = self.opening.get_mut(owner) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            self.opening.remove(owner);
        }
    }
}

impl Place {
    /// The session that was opened keeps the place until it ends.
    pub fn keep_for(mut self, id: &str) {
        if let Some(owner) = self.owner.take() {
            let mut places = locked(&self.places);
            places.end_opening(&owner);
            places.by_id.insert(id.to_owned(), owner);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.take() {
            locked(&self.places).end_opening(&owner);
        }
    }
}

fn locked(places: &Mutex<Places>) -> MutexGuard<'_, Places> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rmcp::transport::streamable_http_server::session::SessionManager;

    use super::*;

    fn owner(name: &str) -> Owner {
        (name.to_owned(), "default".to_owned())
    }

    #[tokio::test]
    async fn a_place_that_no_session_takes_is_free_again() {
        let sessions = Sessions::default();
        let mut places = Vec::new();
        for _ in 0..MOST_SESSIONS {
            places.push(sessions.reserve(owner("a")).await.unwrap());
        }
        assert!(sessions.reserve(owner("a")).await.is_none());
        assert!(sessions.reserve(owner("b")).await.is_some());
        places.pop();
        places.push(sessions.reserve(owner("a")).await.unwrap());
        assert!(sessions.reserve(owner("a")).await.is_none());
        places.clear();
        assert!(locked(&sessions.places).opening.is_empty());
    }

    #[tokio::test]
    async fn a_session_keeps_its_place_until_it_ends() {
        let sessions = Sessions::default();
        let (mut ids, mut transports) = (Vec::new(), Vec::new());
        for _ in 0..MOST_SESSIONS {
            let place = sessions.reserve(owner("a")).await.unwrap();
            let (id, transport) = sessions.manager.create_session().await.unwrap();
            place.keep_for(&id);
            ids.push(id);
            transports.push(transport);
        }
        assert!(sessions.is_of(&ids[0], &owner("a")));
        assert!(!sessions.is_of(&ids[0], &owner("b")));
        assert!(sessions.reserve(owner("a")).await.is_none());
        sessions.manager.sessions.write().await.remove(&ids[0]);
        assert!(sessions.reserve(owner("a")).await.is_some());
        assert!(!sessions.is_of(&ids[0], &owner("a")));
    }
}
