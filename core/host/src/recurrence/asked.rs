//! The entry, or the text, that others are compared with.

use std::collections::HashMap;

use gannet_analysis::TextTerms;
use gannet_api::{Entry, PlaceField, Result, places_of};

use super::words::{EventWords, ToldEvent};
use crate::services::Services;

/// Words of a text that are searched for: the heaviest.
const WORDS_SEARCHED: usize = 40;
/// Words of a title that are searched for.
const TITLE_WORDS_SEARCHED: usize = 20;

/// What others are compared with. A text has neither fields nor a
/// time.
pub(super) struct AskedEvent<'e> {
    pub(super) entry: Option<&'e Entry>,
    pub(super) words: EventWords,
    pub(super) places: Vec<PlaceField>,
    /// The weight of each of its words.
    pub(super) idfs: HashMap<String, f64>,
    /// A word as it is written for each of its terms.
    written: HashMap<String, String>,
}

impl<'e> AskedEvent<'e> {
    /// # Errors
    /// [`gannet_api::Error::Store`].
    pub(super) async fn entry(
        services: &Services,
        tenant: &str,
        entry: &'e Entry,
    ) -> Result<AskedEvent<'e>> {
        let places = places_of(entry);
        let told = ToldEvent {
            title: entry.title(),
            text: &entry.raw_text,
            places: places.iter().map(|place| place.value.clone()).collect(),
            ids: vec![&entry.entry_id],
        };
        Ok(Self {
            entry: Some(entry),
            places,
            ..Self::read(services, tenant, &told).await?
        })
    }

    /// # Errors
    /// [`gannet_api::Error::Store`].
    pub(super) async fn text(
        services: &Services,
        tenant: &str,
        text: &str,
    ) -> Result<AskedEvent<'e>> {
        let told = ToldEvent {
            text,
            ..ToldEvent::default()
        };
        Self::read(services, tenant, &told).await
    }

    async fn read(
        services: &Services,
        tenant: &str,
        told: &ToldEvent<'_>,
    ) -> Result<AskedEvent<'e>> {
        let mut analyser = TextTerms::default();
        let words = EventWords::read(told, &mut analyser);
        let written = written_words(&told.words(), &mut analyser);
        let terms: Vec<String> = words.counts.keys().cloned().collect();
        let as_written = terms.iter().map(|term| written.get(term).unwrap_or(term));
        let as_written: Vec<String> = as_written.cloned().collect();
        let idfs = services.store().idfs(tenant, &as_written).await?;
        Ok(Self {
            entry: None,
            words,
            places: Vec::new(),
            idfs: terms.into_iter().zip(idfs).collect(),
            written,
        })
    }

    pub(super) fn idf(&self, term: &str) -> f64 {
        self.idfs.get(term).copied().unwrap_or_default()
    }

    /// A word as the text writes it.
    pub(super) fn as_written<'s>(&'s self, term: &'s str) -> &'s str {
        self.written.get(term).map_or(term, String::as_str)
    }

    /// The words to search for by the whole text, heaviest first.
    pub(super) fn searched_words(&self) -> Vec<String> {
        let weighed = self.words.counts.iter().map(|(term, count)| {
            let weight = self.idf(term) * (1.0 + f64::from(*count).ln());
            (term.as_str(), weight)
        });
        self.heaviest(weighed.collect(), WORDS_SEARCHED)
    }

    /// The words to search for by the title.
    pub(super) fn searched_title(&self) -> Vec<String> {
        let weighed = self.words.title.iter();
        let weighed = weighed.map(|term| (term.as_str(), self.idf(term)));
        self.heaviest(weighed.collect(), TITLE_WORDS_SEARCHED)
    }

    fn heaviest(&self, mut weighed: Vec<(&str, f64)>, most: usize) -> Vec<String> {
        weighed.retain(|(_, weight)| *weight > 0.0);
        weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let heaviest = weighed.into_iter().take(most);
        heaviest
            .map(|(term, _)| self.as_written(term).to_owned())
            .collect()
    }
}

/// For each term a word that it is made from: a stem that is stemmed again may
/// be another one.
fn written_words(text: &str, analyser: &mut TextTerms) -> HashMap<String, String> {
    let mut written = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'') {
        let mut terms = analyser.of(word);
        if let (1, Some(term)) = (terms.len(), terms.pop()) {
            written.entry(term).or_insert_with(|| word.to_lowercase());
        }
    }
    written
}
