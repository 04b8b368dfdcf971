//! The last value that crossed the boundary as JSON. What the calls of one
//! request or of one configuration share is written and read once for all of
//! them, as each side keeps the last one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi_stable::std_types::RString;

/// The last value of one sort with its JSON, on one side.
pub(crate) struct Last<T: ?Sized>(Mutex<Option<(Arc<T>, RString)>>);

impl<T: ?Sized> Last<T> {
    /// Nothing has crossed yet.
    pub(crate) const fn none() -> Self {
        Self(Mutex::new(None))
    }

    /// The JSON of a value: that of the last one, or what `write` makes of it.
    ///
    /// # Errors
    /// Those of `write`.
    pub(crate) fn json<E>(
        &self,
        value: &Arc<T>,
        write: impl FnOnce(&T) -> Result<RString, E>,
    ) -> Result<RString, E> {
        if let Some((known, json)) = &*self.lock()
            && Arc::ptr_eq(known, value)
        {
            return Ok(json.clone());
        }
        let json = write(value)?;
        self.keep(value, json.clone());
        Ok(json)
    }

    /// The value of a JSON: the last one, or what `read` makes of it.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn value<E>(
        &self,
        json: &str,
        read: impl FnOnce(&str) -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, E> {
        if let Some((value, known)) = &*self.lock()
            && known.as_str() == json
        {
            return Ok(value.clone());
        }
        let value = read(json)?;
        self.keep(&value, json.into());
        Ok(value)
    }

    fn keep(&self, value: &Arc<T>, json: RString) {
        let before = self.lock().replace((value.clone(), json));
        // A large one is dropped while nobody waits for the lock.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Arc<T>, RString)>> {
        // It is replaced as a whole, so a panic leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_value_is_written_once_until_another_one_crosses() {
        let last: Last<u32> = Last::none();
        let written = Cell::new(0);
        let write = |value: &u32| -> Result<RString, ()> {
            written.set(written.get() + 1);
            Ok(value.to_string().into())
        };
        let (one, two) = (Arc::new(1), Arc::new(2));
        for (value, json, times) in [
            (&one, "1", 1),
            (&one, "1", 1),
            (&two, "2", 2),
            (&one, "1", 3),
        ] {
            assert_eq!(last.json(value, write), Ok(RString::from(json)));
            assert_eq!(written.get(), times);
        }
    }

    #[test]
    fn a_json_is_read_once_until_another_one_crosses() {
        let last: Last<str> = Last::none();
        let read = Cell::new(0);
        let read_it = |json: &str| -> Result<Arc<str>, ()> {
            read.set(read.get() + 1);
            Ok(Arc::from(json))
        };
        for (json, times) in [("a", 1), ("a", 1), ("b", 2), ("a", 3)] {
            assert_eq!(last.value(json, read_it).as_deref(), Ok(json));
            assert_eq!(read.get(), times);
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_kept() {
        let last: Last<str> = Last::none();
        assert_eq!(last.value("a", |_| Err("no")), Err("no"));
        let read = last.value("a", |json| Ok::<_, ()>(Arc::from(json)));
        assert_eq!(read.as_deref(), Ok("a"));
    }
}
