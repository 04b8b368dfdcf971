//! Searching the index.

use std::collections::HashSet;
use std::sync::Arc;

use gannet_api::query::Node;
use gannet_api::{Filter, Hit, Matched, ScoreKind};
use tantivy::Searcher;
use tantivy::query::{EnableScoring, Query, Scorer, Weight};

use super::compile::{AnyQuery, Compiler};
use super::docs::Docs;
use super::error::{TextContext, TextError};
use super::index::TantivyIndex;
use super::schema::DOC;
use super::spelling::{check_spelling, near_words};
use super::top::{Best, Traversal, by_score, by_time};
use gannet_analysis::{Reader, Reading, Spelling, has_words, with_all_words};
use gannet_index::{Bitmap, TextHits, TextRequest};

type Allowed = Vec<Option<Arc<Docs>>>;

impl TantivyIndex {
    /// Searches; takes well under a millisecond for words.
    pub fn search(&self, tenant: &str, request: &TextRequest) -> Result<TextHits, TextError> {
        self.find(tenant, request).doing("search")
    }

    fn find(&self, tenant: &str, request: &TextRequest) -> tantivy::Result<TextHits> {
        let mut filter = request.filter.clone();
        filter
            .clauses
            .extend(request.query.filter.clauses.iter().cloned());
        let searcher = self.reader.searcher();
        let allowed = self.allowed(&searcher, tenant, &filter)?;
        let Some(root) = &request.query.root else {
            let found = if filter.is_empty() {
                Vec::new()
            } else {
                by_time(&searcher, None, &allowed, request.limit)?
            };
            return Ok(listed(found));
        };
        if !has_words(root) {
            return self.find_without_words(&searcher, root, &allowed, request.limit);
        }
        let spelling = if request.fuzzy {
            let visible = self.allowed(&searcher, tenant, &Filter::none())?;
            check_spelling(&searcher, &visible, &self.fields, root, request.query.plain)?
        } else {
            Spelling::default()
        };
        let found = self.find_words(&searcher, &allowed, request, root, &spelling)?;
        if !request.fuzzy || !found.hits.is_empty() {
            return Ok(found);
        }
        let near = near_words(&searcher, &allowed, &self.fields, root)?;
        if near.is_empty() {
            return Ok(found);
        }
        let more = self.find_words(&searcher, &allowed, request, root, &near)?;
        match more.hits.is_empty() {
            true => Ok(found),
            false => Ok(more),
        }
    }

    /// What the words of a query find, spelt so.
    fn find_words(
        &self,
        searcher: &Searcher,
        allowed: &Allowed,
        request: &TextRequest,
        root: &Node,
        spelling: &Spelling,
    ) -> tantivy::Result<TextHits> {
        let mut search = WordSearch {
            searcher,
            allowed,
            limit: request.limit,
            reader: Reader::new(spelling),
            compiler: self.compiler(searcher),
        };
        let found = if request.query.plain {
            search.any_word(root)?
        } else {
            search.all_first(root)?
        };
        let mut diagnostics = spelling.diagnostics.clone();
        diagnostics.extend(search.reader.diagnostics);
        diagnostics.extend(search.compiler.diagnostics);
        Ok(TextHits {
            hits: found
                .into_iter()
                .map(|(best, matched)| scored_hit(best, matched))
                .collect(),
            diagnostics,
            marks: search.reader.marks,
        })
    }

    /// A tree of exclusions and filters alone has no order but time.
    fn find_without_words(
        &self,
        searcher: &Searcher,
        root: &Node,
        allowed: &Allowed,
        limit: usize,
    ) -> tantivy::Result<TextHits> {
        let spelling = Spelling::default();
        let mut reader = Reader::new(&spelling);
        let mut compiler = self.compiler(searcher);
        let Some(wanted) = reader.read(root, Reading::Strict) else {
            return Ok(TextHits::default());
        };
        let query = compiler.query(&wanted, &reader.families)?;
        let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let found = by_time(searcher, Some(weight.as_ref()), allowed, limit)?;
        let mut diagnostics = reader.diagnostics;
        diagnostics.extend(compiler.diagnostics);
        Ok(TextHits {
            diagnostics,
            ..listed(found)
        })
    }

    pub(super) fn compiler<'a>(&'a self, searcher: &'a Searcher) -> Compiler<'a> {
        Compiler::new(searcher, &self.fields, &self.filters, self.weights)
    }

    pub(super) fn allowed(
        &self,
        searcher: &Searcher,
        tenant: &str,
        filter: &Filter,
    ) -> tantivy::Result<Allowed> {
        searcher
            .segment_readers()
            .iter()
            .map(|segment| self.filters.allowed(tenant, filter, segment, &self.fields))
            .collect()
    }

    /// The rows of the records that belong to the tenant and pass the filter;
    /// `None` when all indexed ones do.
    pub fn allowed_rows(&self, tenant: &str, filter: &Filter) -> Result<Option<Bitmap>, TextError> {
        self.find_rows(tenant, filter).doing("apply a filter")
    }

    fn find_rows(&self, tenant: &str, filter: &Filter) -> tantivy::Result<Option<Bitmap>> {
        let searcher = self.reader.searcher();
        let allowed = self.allowed(&searcher, tenant, filter)?;
        if allowed.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut rows = Bitmap::default();
        for (segment, docs) in searcher.segment_readers().iter().zip(&allowed) {
            let column = segment.fast_fields().u64(DOC)?;
            let greatest = column.max_value() as usize;
            if greatest >= rows.len() {
                rows.resize(greatest + 1);
            }
            for doc in segment.doc_ids_alive() {
                if docs.as_ref().is_none_or(|docs| docs.contains(doc)) {
                    rows.set(column.first(doc).unwrap_or(u64::MAX) as usize);
                }
            }
        }
        Ok(Some(rows))
    }
}

/// A search for words.
struct WordSearch<'a> {
    searcher: &'a Searcher,
    allowed: &'a Allowed,
    limit: usize,
    reader: Reader<'a>,
    compiler: Compiler<'a>,
}

impl WordSearch<'_> {
    /// Entries with all words first; when they are too few, the best with
    /// some of them.
    fn all_first(&mut self, root: &Node) -> tantivy::Result<Vec<(Best, Matched)>> {
        let mut found = match self.query(root, Reading::Strict)? {
            Some((query, traversal)) => self.best(query.as_ref(), traversal, self.limit)?,
            None => Vec::new(),
        };
        let complete = found.len();
        if complete < self.limit && self.reader.can_relax {
            let seen: HashSet<i64> = found.iter().map(|best| best.row).collect();
            if let Some((query, traversal)) = self.query(root, Reading::Relaxed)? {
                let limit = self.limit.saturating_add(complete);
                let more = self.best(query.as_ref(), traversal, limit)?;
                found.extend(more.into_iter().filter(|best| !seen.contains(&best.row)));
                found.truncate(self.limit);
            }
        }
        let matched = (0..).map(|index| matched(index < complete));
        Ok(found.into_iter().zip(matched).collect())
    }

    /// Entries with any word, by score alone; each says whether it has all.
    fn any_word(&mut self, root: &Node) -> tantivy::Result<Vec<(Best, Matched)>> {
        let Some(any) = self.reader.read_any_word(root) else {
            return Ok(Vec::new());
        };
        let traversal = self.compiler.traversal(&any)?;
        let any = self.compiler.query(&any, &self.reader.families)?;
        let found = self.best(any.as_ref(), traversal, self.limit)?;
        let Some((all, _)) = self.query(&with_all_words(root), Reading::Strict)? else {
            return Ok(Vec::new());
        };
        let all = all.weight(EnableScoring::disabled_from_searcher(self.searcher))?;
        let complete = self.complete(all.as_ref(), &found)?;
        let hits = found.into_iter().zip(complete);
        Ok(hits
            .map(|(best, is_complete)| (best, matched(is_complete)))
            .collect())
    }

    fn query(
        &mut self,
        root: &Node,
        reading: Reading,
    ) -> tantivy::Result<Option<(AnyQuery, Traversal)>> {
        let Some(wanted) = self.reader.read(root, reading) else {
            return Ok(None);
        };
        let query = self.compiler.query(&wanted, &self.reader.families)?;
        Ok(Some((query, self.compiler.traversal(&wanted)?)))
    }

    fn best(
        &self,
        query: &dyn Query,
        traversal: Traversal,
        limit: usize,
    ) -> tantivy::Result<Vec<Best>> {
        let weight = query.weight(self.compiler.statistics.scoring())?;
        by_score(
            self.searcher,
            weight.as_ref(),
            traversal,
            self.allowed,
            limit,
        )
    }

    /// For each of some documents whether a query is met, which is opened
    /// once a segment.
    fn complete(&self, weight: &dyn Weight, found: &[Best]) -> tantivy::Result<Vec<bool>> {
        let mut in_order: Vec<usize> = (0..found.len()).collect();
        in_order.sort_unstable_by_key(|&index| (found[index].segment, found[index].doc));
        let mut complete = vec![false; found.len()];
        let mut opened: Option<(usize, Box<dyn Scorer>)> = None;
        for index in in_order {
            let best = &found[index];
            let scorer = match &mut opened {
                Some((segment, scorer)) if *segment == best.segment => scorer,
                other => {
                    let segment = &self.searcher.segment_readers()[best.segment];
                    &mut other.insert((best.segment, weight.scorer(segment, 1.0)?)).1
                }
            };
            if scorer.doc() < best.doc {
                scorer.seek(best.doc);
            }
            complete[index] = scorer.doc() == best.doc;
        }
        Ok(complete)
    }
}

fn matched(is_complete: bool) -> Matched {
    match is_complete {
        true => Matched::All,
        false => Matched::Some,
    }
}

fn scored_hit(best: Best, matched: Matched) -> Hit {
    let mut hit = Hit::new(best.entry_id, best.kind, best.rank.score(), ScoreKind::Bm25);
    hit.matched = matched;
    hit
}

/// Hits in the order of time. Their score is the time in seconds since 1970:
/// it is what made the order.
fn listed(found: Vec<Best>) -> TextHits {
    let hits = found
        .into_iter()
        .map(|best| {
            let seconds = best.rank.micros() as f64 / 1e6;
            Hit::new(best.entry_id, best.kind, seconds, ScoreKind::None)
        })
        .collect();
    TextHits {
        hits,
        ..TextHits::default()
    }
}
