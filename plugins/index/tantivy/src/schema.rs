//! The fields of the text index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, Term};

use gannet_analysis::{TEXT_ANALYSER, WORD_ANALYSER, text_analyser, word_analyser};

/// The fields, by what they are for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The row that the records know the entry by.
    pub(super) doc: Field,
    /// Everything that is read: title, text, summary, keywords, author.
    pub(super) text: Field,
    /// The title alone, for its weight.
    pub(super) title: Field,
    /// The keywords alone, for their weight.
    pub(super) keywords: Field,
    /// The author alone, for its weight.
    pub(super) author: Field,
    /// Names whole and in parts, as written but for the case.
    pub(super) words: Field,
    /// Filters: the tenant, as it is.
    pub(super) tenant: Field,
    /// Filters and hits: the entry's id, as it is.
    pub(super) id: Field,
    /// Hits: the kind, as it is.
    pub(super) kind: Field,
    /// Filters: the kind, folded.
    pub(super) kind_folded: Field,
    /// Filters: the source system, folded.
    pub(super) source: Field,
    /// Filters: the author, folded.
    pub(super) author_folded: Field,
    /// Filters: `key`, a zero byte, the folded value.
    pub(super) metadata: Field,
    /// Filters and order: microseconds since 1970.
    pub(super) timestamp: Field,
}

/// Names of the columns that are read by name.
pub(super) const DOC: &str = "doc";
pub(super) const ID: &str = "id";
pub(super) const KIND: &str = "kind";
pub(super) const TIMESTAMP: &str = "timestamp";

/// The schema of the text index. An index with another one is rebuilt.
pub(super) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let fields = Fields {
        doc: builder.add_u64_field(DOC, FAST | INDEXED),
        text: builder.add_text_field(
            "text",
            running_text(IndexRecordOption::WithFreqsAndPositions),
        ),
        title: builder.add_text_field("title", running_text(IndexRecordOption::WithFreqs)),
        keywords: builder.add_text_field("keywords", running_text(IndexRecordOption::WithFreqs)),
        author: builder.add_text_field("author", running_text(IndexRecordOption::WithFreqs)),
        words: builder.add_text_field("words", terms_only(WORD_ANALYSER)),
        tenant: builder.add_text_field("tenant", terms_only("raw")),
        id: builder.add_text_field(ID, terms_only("raw").set_fast("raw")),
        kind: builder.add_text_field(KIND, TextOptions::default().set_fast("raw")),
        kind_folded: builder.add_text_field("kind_folded", terms_only("raw")),
        source: builder.add_text_field("source", terms_only("raw")),
        author_folded: builder.add_text_field("author_folded", terms_only("raw")),
        metadata: builder.add_text_field("metadata", terms_only("raw")),
        timestamp: builder.add_i64_field(TIMESTAMP, FAST),
    };
    (builder.build(), fields)
}

/// Makes the analysers known to an index.
pub(super) fn register_analysers(index: &Index) {
    index.tokenizers().register(TEXT_ANALYSER, text_analyser());
    index.tokenizers().register(WORD_ANALYSER, word_analyser());
}

/// A term of a metadata key: the value follows a zero byte.
pub(super) fn metadata_term(key: &str, folded_value: &str) -> String {
    format!("{key}\u{0}{folded_value}")
}

/// A raw term.
pub(super) fn term(field: Field, text: &str) -> Term {
    Term::from_field_text(field, text)
}

fn running_text(option: IndexRecordOption) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(TEXT_ANALYSER)
            .set_index_option(option),
    )
}

fn terms_only(analyser: &str) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(analyser)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    )
}
