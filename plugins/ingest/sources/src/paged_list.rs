//! Lists that a service gives page by page.

use gannet_plugin::prelude::{Error, Result};
use serde_json::value::RawValue;

/// The entries of a list, as they came. Of a service that does not tell how many
/// there are, each further page is asked for from the last entry on that came:
/// where the page does not have it, entries were deleted in between, and the
/// page begins behind others that did not come.
#[derive(Debug)]
pub struct PagedList {
    entries: Vec<Box<RawValue>>,
    has_total: bool,
    is_open: bool,
    knows_pages: bool,
}

impl PagedList {
    /// The first page of a list, and whether the service told how many entries
    /// there are.
    pub fn new(first: Vec<Box<RawValue>>, has_total: bool) -> Self {
        Self {
            is_open: !first.is_empty(),
            entries: first,
            has_total,
            knows_pages: true,
        }
    }

    /// The entries that came so far.
    pub fn entries(&self) -> &[Box<RawValue>] {
        &self.entries
    }

    /// Whether there may be a further page.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the service gave another page than the first one when it was
    /// asked for one, or was not asked.
    pub fn knows_pages(&self) -> bool {
        self.knows_pages
    }

    /// How many entries of the list stand before the next page. One of a service
    /// that tells no total has to be asked for with two entries at least.
    pub fn next_start(&self) -> usize {
        match self.has_total {
            true => self.entries.len(),
            false => self.entries.len().saturating_sub(1),
        }
    }

    /// Adds the page that begins at [`next_start`](Self::next_start). The list
    /// is no longer open when the page has nothing new, or is the first one
    /// again, of which nothing is added.
    ///
    /// # Errors
    /// A retryable [`Error::Provider`] where the list changed since the page
    /// before, so that this one may skip entries.
    pub fn add(&mut self, provider: &str, mut page: Vec<Box<RawValue>>) -> Result<()> {
        let first = self.entries.first().map(|entry| entry.get());
        if self.next_start() > 0 && page.first().map(|entry| entry.get()) == first {
            self.knows_pages = false;
            self.is_open = false;
            return Ok(());
        }
        if !self.has_total {
            // Entries that were written in between may stand before the last one.
            let last = self.entries.last().map(|entry| entry.get());
            let place = page.iter().position(|entry| Some(entry.get()) == last);
            let place = place.ok_or_else(|| changed(provider))?;
            page.drain(..=place);
        }
        self.is_open = !page.is_empty();
        self.entries.append(&mut page);
        Ok(())
    }
}

fn changed(provider: &str) -> Error {
    Error::Provider {
        provider: provider.to_owned(),
        message: "an entry was deleted or edited between two pages, so that the second one may \
                  skip others"
            .to_owned(),
        retryable: true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn page(ids: &[u32]) -> Vec<Box<RawValue>> {
        let texts = ids.iter().map(u32::to_string);
        texts
            .map(|text| RawValue::from_string(text).unwrap())
            .collect()
    }

    fn read(list: &PagedList) -> Vec<&str> {
        list.entries().iter().map(|entry| entry.get()).collect()
    }

    #[test]
    fn without_a_total_pages_overlap_by_one_entry_until_one_has_nothing_new() {
        let mut list = PagedList::new(page(&[1, 2, 3]), false);
        assert_eq!(list.next_start(), 2);
        list.add("log", page(&[3, 4, 5])).unwrap();
        assert_eq!(list.next_start(), 4);
        // One was written before these in between.
        list.add("log", page(&[4, 5, 6])).unwrap();
        assert!(list.is_open());
        list.add("log", page(&[6])).unwrap();
        assert_eq!(read(&list), ["1", "2", "3", "4", "5", "6"]);
        assert!(!list.is_open() && list.knows_pages());
    }

    #[test]
    fn without_a_total_a_page_that_lacks_the_last_entry_is_a_retryable_error() {
        for next in [&[4, 5][..], &[]] {
            let mut list = PagedList::new(page(&[1, 2, 3]), false);
            let error = list.add("log", page(next)).unwrap_err();
            assert!(error.is_retryable());
            assert!(error.to_string().contains("deleted or edited"), "{error}");
        }
    }

    #[test]
    fn with_a_total_pages_touch_until_one_is_empty() {
        let mut list = PagedList::new(page(&[1, 2]), true);
        assert_eq!(list.next_start(), 2);
        list.add("log", page(&[3])).unwrap();
        assert!(list.is_open());
        list.add("log", Vec::new()).unwrap();
        assert!(!list.is_open());
        assert_eq!(read(&list), ["1", "2", "3"]);
    }

    #[test]
    fn a_service_that_gives_the_first_page_again_knows_no_pages() {
        for has_total in [true, false] {
            let mut list = PagedList::new(page(&[1, 2]), has_total);
            list.add("log", page(&[1, 2])).unwrap();
            assert!(!list.is_open() && !list.knows_pages());
            assert_eq!(read(&list), ["1", "2"]);
        }
        // A list of one entry begins at its start again.
        let mut one = PagedList::new(page(&[1]), false);
        one.add("log", page(&[1])).unwrap();
        assert!(!one.is_open() && one.knows_pages());
        assert!(!PagedList::new(Vec::new(), false).is_open());
    }
}
