//! The values of every field, read from the term dictionaries.

use gannet_api::FilterField;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, InvertedIndexReader, SegmentReader, TERMINATED, postings::TermInfo};

use super::docs::Docs;
use super::error::{TextContext, TextError};
use super::index::TantivyIndex;
use super::schema::{metadata_term, term};
use gannet_analysis::{terms_of, text_analyser};
use gannet_index::{Collected, FieldValues, is_listed};

impl TantivyIndex {
    /// The values of every field of a tenant's entries that has at most `most`
    /// of them.
    ///
    /// Costs a walk over the terms of the fields, for each value and
    /// segment, whatever the number of entries. In segments with deleted
    /// entries or with entries of several tenants the entries of each value are
    /// counted.
    pub fn field_values(&self, tenant: &str, most: usize) -> Result<Vec<FieldValues>, TextError> {
        let mut collected = Collected::new(most);
        for segment in self.reader.searcher().segment_readers() {
            self.collect(tenant, segment, &mut collected)
                .doing("list values")?;
        }
        Ok(collected.into_fields())
    }

    /// In how many entries each word is, of all tenants; deleted entries may be
    /// counted for a while. Words are stemmed as those of texts.
    pub fn document_counts(&self, words: &[String]) -> Result<Vec<u64>, TextError> {
        let mut analyser = text_analyser();
        let searcher = self.reader.searcher();
        let mut counts = Vec::with_capacity(words.len());
        for word in words {
            let terms = terms_of(&mut analyser, word);
            let count = match terms.first() {
                Some(stem) => searcher
                    .doc_freq(&term(self.fields.text, stem))
                    .doing("count words")?,
                None => 0,
            };
            counts.push(count);
        }
        Ok(counts)
    }

    fn collect(
        &self,
        tenant: &str,
        segment: &SegmentReader,
        collected: &mut Collected,
    ) -> tantivy::Result<()> {
        let of_tenant = self.filters.tenant(tenant, segment, &self.fields)?;
        let counter = Counter {
            segment,
            of_tenant: of_tenant.as_deref(),
        };
        for (field, column) in [
            (FilterField::Author, self.fields.author_folded),
            (FilterField::SourceSystem, self.fields.source),
            (FilterField::Kind, self.fields.kind_folded),
        ] {
            counter.collect_column(&field, column, collected)?;
        }
        counter.collect_metadata(self.fields.metadata, collected)
    }
}

/// Counts the entries of a segment that have a term.
struct Counter<'s> {
    segment: &'s SegmentReader,
    /// The tenant's entries; none when these are all.
    of_tenant: Option<&'s Docs>,
}

impl Counter<'_> {
    fn collect_column(
        &self,
        field: &FilterField,
        column: Field,
        collected: &mut Collected,
    ) -> tantivy::Result<()> {
        let index = self.segment.inverted_index(column)?;
        let mut terms = index.terms().stream()?;
        while terms.advance() {
            let Ok(value) = std::str::from_utf8(terms.key()) else {
                continue;
            };
            let entries = self.count(&index, terms.value())?;
            if !collected.add(field, value, entries) {
                break;
            }
        }
        Ok(())
    }

    /// Terms of the metadata are `key`, a zero byte, the value, so that the
    /// values of a key stand together. A key with too many is skipped.
    fn collect_metadata(&self, column: Field, collected: &mut Collected) -> tantivy::Result<()> {
        let index = self.segment.inverted_index(column)?;
        let mut from: Vec<u8> = Vec::new();
        'keys: loop {
            let mut terms = index.terms().range().ge(&from).into_stream()?;
            while terms.advance() {
                let text = std::str::from_utf8(terms.key()).unwrap_or_default();
                let Some((key, value)) = text.split_once('\u{0}') else {
                    continue;
                };
                let field = FilterField::Metadata(key.to_owned());
                let is_kept = is_listed(key) && {
                    let entries = self.count(&index, terms.value())?;
                    collected.add(&field, value, entries)
                };
                if !is_kept {
                    from = after(key);
                    continue 'keys;
                }
            }
            return Ok(());
        }
    }

    fn count(&self, index: &InvertedIndexReader, info: &TermInfo) -> tantivy::Result<u64> {
        let alive = self.segment.alive_bitset();
        if alive.is_none() && self.of_tenant.is_none() {
            return Ok(u64::from(info.doc_freq));
        }
        let mut postings = index.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        let mut count = 0;
        let mut doc = postings.doc();
        while doc != TERMINATED {
            let is_alive = alive.is_none_or(|alive| alive.is_alive(doc));
            let is_own = self.of_tenant.is_none_or(|docs| docs.contains(doc));
            count += u64::from(is_alive && is_own);
            doc = postings.advance();
        }
        Ok(count)
    }
}

/// The first term after those of a key.
fn after(key: &str) -> Vec<u8> {
    let mut end = metadata_term(key, "").into_bytes();
    if let Some(last) = end.last_mut() {
        *last = 1;
    }
    end
}
