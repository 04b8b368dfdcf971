//! The query language: one grammar, for every store.
//!
//! [`parse`] reads any text and never fails: what cannot be an operator, a
//! filter or a pattern is read as text, and a diagnostic says so.
//!
//! | written | means |
//! |---|---|
//! | `beam loss` | both words wanted; entries with one of them may follow |
//! | `"beam loss"` | the words side by side |
//! | `beam AND loss` | both words, strictly; one AND makes the whole row of words strict |
//! | `klystron OR undulator` | either |
//! | `beam NOT injection`, `beam -injection` | the first without the second |
//! | `(vacuum OR pressure) leak` | parentheses group, at most [`MAX_NESTING`] deep |
//! | `klys*` | words that begin so; at least two letters |
//! | `SR01C*BPM?` | names: `*` any characters, `?` one; needs a `*` and three literal characters in a row |
//! | `/SR0[1-4]C_BPM\d+/` | names by regular expression; three literal characters in a row |
//! | `author:smith`, `author:"John Smith"` | the author contains this |
//! | `id:`, `source:`, `logbook:`, `tag:`, `shift:`, `kind:` | the field equals this |
//! | `meta.energy:1.9`, `meta.energy:>=1.5`, `meta.energy:1..2` | a metadata key equals this, or is a number within bounds |
//! | `date:2024-06` | the days of that month; see [`parse_date_span`] for all forms |
//!
//! AND binds like words side by side, and both bind closer than OR:
//! `a b OR c AND d` is `(a b) OR (c AND d)`.
//!
//! **Operators are upper case.** People search in plain words, and `or`, `not`
//! and `and` are such words: `did it trip or not` must not turn into NOT.
//!
//! **Names are words.** `SR01C:BPM1`, `RF-2`, `10^-9`, `SR:C03-MG{PS:QF1}` and
//! `http://x` are one word each: only the field names above make a filter of
//! what stands before a colon. A leading `-` excludes, one within a word does
//! not. Punctuation at the end of a word is that of a sentence, so that the
//! `?` of a question is no wildcard.
//!
//! **Field filters** of the top level are hard and go to
//! [`ParsedQuery::filter`]. All must hold: `author:john author:smith` is John
//! Smith. A field of which an entry has one value only (id, source, logbook,
//! shift, kind) may be given several times and then takes any of the values.
//! For every other choice there is OR: `author:smith OR author:jones`.
//!
//! **Read as text**, with an `info` diagnostic: operators without operands,
//! parentheses without partners, patterns that would match nearly everything.
//! With a `warning`: the value of a `date:` that is no date, and a regular
//! expression that does not compile. The last `"` of an odd number is left
//! out, and so is what is longer than [`QueryOptions::max_chars`].
//!
//! **Only a query-like text** is read so ([`is_query_like`]): at most 30 words,
//! balanced quotes and brackets, not mostly capitals, no line breaks. Anything
//! else is read in plain mode, with an `info` diagnostic when it held
//! operators.
//!
//! **Plain mode** ([`QuerySyntax::Plain`]) is for text that a program builds,
//! such as a question or a title: no operators, no stop words
//! ([`is_stop_word`]) unless there is nothing else, any word counts. A word
//! stands in the tree as often as in the text: a store weighs it by that.
//!
//! ```
//! use gannet_api::QuerySyntax;
//! use gannet_api::query::{Node, QueryOptions, parse};
//!
//! let options = QueryOptions::default();
//! let query = parse("SR01C:BPM1 -test logbook:Operations", QuerySyntax::Operators, &options);
//! assert_eq!(query.to_string(), "SR01C:BPM1 NOT test logbook:Operations");
//! assert_eq!(query.filter.clauses.len(), 1);
//!
//! let strange = parse("beam AND", QuerySyntax::Operators, &options);
//! assert_eq!(strange.to_string(), "beam and");
//! assert_eq!(strange.diagnostics.len(), 1);
//!
//! let question = parse("What happened with the RF cavity?", QuerySyntax::Plain, &options);
//! let words = ["happened", "RF", "cavity"].map(|word| Node::Word(word.into()));
//! assert_eq!(question.root, Some(Node::Or(words.to_vec())));
//! ```

mod cleaning;
mod dates;
mod display;
mod fields;
mod grammar;
mod hoist;
mod linked;
mod named;
mod notes;
mod patterns;
mod plain;
mod query_like;
mod references;
mod stop_words;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;
mod trimming;
mod unspaced;

use crate::QuerySyntax;
use notes::Notes;

pub use dates::parse_date_span;
pub use fields::parse_filter_value;
pub use grammar::MAX_NESTING;
pub use linked::{first_named_ids, linked_ids};
pub use named::{named_entry, names_id, possible_ids};
pub use patterns::longest_literal_run;
pub use query_like::{is_pasted, is_query_like, plain_text_note};
pub use references::{named_ids, reference_query};
pub use stop_words::is_stop_word;
pub use tree::{Node, ParsedQuery, QueryOptions};
pub use trimming::plain_words;
pub use unspaced::is_unspaced;

/// Reads a query text. Every text is a query; time grows with its length and
/// depth is bounded.
pub fn parse(text: &str, syntax: QuerySyntax, options: &QueryOptions) -> ParsedQuery {
    let mut notes = Notes::default();
    let text = cleaning::cut(text, options.max_chars, &mut notes);
    let cleaned = cleaning::clean(text);
    if syntax == QuerySyntax::Operators && is_query_like(text) {
        return parse_operators(cleaned, options, notes);
    }
    if syntax == QuerySyntax::Operators {
        notes.extend(plain_text_note(text));
    }
    ParsedQuery {
        root: plain::read_plain(&cleaned),
        diagnostics: notes.into_diagnostics(),
        plain: true,
        ..ParsedQuery::default()
    }
}

fn parse_operators(text: String, options: &QueryOptions, mut notes: Notes) -> ParsedQuery {
    let text = cleaning::balance_quotes(text, &mut notes);
    let tokens = tokens::tokenize(&text, options, &mut notes);
    let tree = grammar::read_tree(tokens, &mut notes);
    let (root, filter) = hoist::split_filter(tree, &mut notes);
    ParsedQuery {
        root,
        filter,
        diagnostics: notes.into_diagnostics(),
        plain: false,
    }
}
