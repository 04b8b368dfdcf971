//! How rare words are in the entries.

use tantivy::Searcher;

use super::error::{TextContext, TextError};
use super::index::TantivyIndex;
use super::schema::term;
use gannet_analysis::{idf, terms_of, text_analyser};

impl TantivyIndex {
    /// The inverse document frequency of each word; of one that the analyser
    /// splits, that of its rarest part. A word that is in no entry is as rare
    /// as can be.
    pub fn idfs(&self, words: &[String]) -> Result<Vec<f64>, TextError> {
        let searcher = self.reader.searcher();
        self.count(&searcher, words)
            .doing("count entries with a word")
    }

    fn count(&self, searcher: &Searcher, words: &[String]) -> tantivy::Result<Vec<f64>> {
        let mut analyser = text_analyser();
        let documents = searcher.num_docs();
        let mut idfs = Vec::with_capacity(words.len());
        for word in words {
            let mut fewest = None;
            for part in terms_of(&mut analyser, word) {
                let found = searcher.doc_freq(&term(self.fields.text, &part))?;
                fewest = Some(fewest.map_or(found, |known: u64| known.min(found)));
            }
            idfs.push(idf(documents, fewest.unwrap_or(0)));
        }
        Ok(idfs)
    }
}
