//! The passages of many entries on their way to the provider, and back.

use std::ops::Range;

use gannet_plugin::enhance::{Enhanced, PassageEmbedding, PassageEmbeddings, Patch};
use gannet_plugin::prelude::{Entry, Error, Result};
use gannet_plugin::provider::{Embeddings, TokenValues, TokenVectors, push_places};

use crate::Settings;
use crate::passages::cut;
use crate::places::places;

/// All passages of some entries, in order, and what became of the entries.
pub(crate) struct Batch<'a> {
    work: Vec<EntryWork<'a>>,
    jobs: Vec<Job>,
    /// Jobs before this one are with the provider or back.
    next_job: usize,
    /// Jobs before this one are back.
    next_answer: usize,
}

struct EntryWork<'a> {
    entry: &'a Entry,
    title: &'a str,
    model: Option<String>,
    passages: Vec<PassageEmbedding>,
    error: Option<String>,
}

/// One passage of one entry.
struct Job {
    entry: usize,
    span: Range<usize>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(entries: &'a [Entry], settings: &Settings) -> Self {
        let mut work = Vec::with_capacity(entries.len());
        let mut jobs = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let title = title_line(entry, settings.passage_chars);
            jobs.extend(
                spans(&entry.raw_text, title, settings).map(|span| Job { entry: index, span }),
            );
            work.push(EntryWork {
                entry,
                title,
                model: None,
                passages: Vec::new(),
                error: None,
            });
        }
        Self {
            work,
            jobs,
            next_job: 0,
            next_answer: 0,
        }
    }

    /// The next texts to be embedded; each has to be answered by
    /// [`keep`](Self::keep) before more are asked for.
    pub(crate) fn next_texts(&mut self, limit: usize) -> Option<Vec<String>> {
        let end = self.jobs.len().min(self.next_job + limit);
        let jobs = &self.jobs[self.next_job..end];
        self.next_job = end;
        let texts: Vec<String> = jobs.iter().map(|job| self.text_of(job)).collect();
        (!texts.is_empty()).then_some(texts)
    }

    /// What the provider said to the last texts.
    pub(crate) fn keep(&mut self, outcome: Result<Embeddings>) {
        let jobs = &self.jobs[self.next_answer..self.next_job];
        self.next_answer = self.next_job;
        match outcome {
            Ok(embeddings) => {
                let model = embeddings.model.name;
                let mut tokens = embeddings.tokens.into_iter();
                for (job, vector) in jobs.iter().zip(embeddings.vectors) {
                    let EntryWork { entry, title, .. } = &self.work[job.entry];
                    let text = &entry.raw_text[job.span.clone()];
                    let tokens = tokens.next();
                    let tokens = tokens.and_then(|tokens| signs_of(tokens, title, text));
                    let passage = PassageEmbedding::new(job.span.start..job.span.end, vector)
                        .with_token_signs(tokens);
                    self.work[job.entry].add(&model, passage);
                }
            }
            Err(error) => {
                for job in jobs {
                    self.work[job.entry].fail(&error);
                }
            }
        }
    }

    pub(crate) fn into_enhanced(self) -> Vec<Enhanced> {
        self.work.into_iter().map(EntryWork::enhanced).collect()
    }

    fn text_of(&self, job: &Job) -> String {
        let EntryWork { entry, title, .. } = &self.work[job.entry];
        let passage = entry.raw_text[job.span.clone()].trim();
        match is_put_before(title, passage) {
            true => format!("{title}\n{passage}"),
            false => passage.to_owned(),
        }
    }
}

impl EntryWork<'_> {
    fn add(&mut self, model: &str, passage: PassageEmbedding) {
        let first = self.model.get_or_insert_with(|| model.to_owned());
        if first != model {
            let message = format!("the model changed from {first} to {model} within one entry");
            self.fail(&Error::internal(message));
            return;
        }
        self.passages.push(passage);
    }

    /// The first error is the one that is told.
    fn fail(&mut self, error: &Error) {
        self.error.get_or_insert_with(|| error.to_string());
    }

    fn enhanced(self) -> Enhanced {
        let passages = self.passages;
        let outcome = match self.error {
            Some(error) => Err(error),
            None => Ok(Patch::default().with_embeddings(
                self.model
                    .map(|model| PassageEmbeddings::new(model, passages)),
            )),
        };
        Enhanced::new(self.entry.entry_id.clone(), outcome)
    }
}

/// Whether a title is embedded before a passage, which does not begin with it.
fn is_put_before(title: &str, passage: &str) -> bool {
    !passage.trim_start().starts_with(title)
}

/// What is stored of the token vectors of a passage: their signs, and where
/// its words are.
fn signs_of(tokens: TokenVectors, title: &str, passage: &str) -> Option<Vec<u8>> {
    let TokenValues::Signs(mut signs) = tokens.values else {
        return None;
    };
    if !tokens.occurrences.is_empty() {
        let title = if is_put_before(title, passage) {
            title
        } else {
            ""
        };
        push_places(&places(&tokens.occurrences, title, passage), &mut signs);
    }
    Some(signs)
}

/// The title as it is put before passages, a quarter of a passage at most.
fn title_line(entry: &Entry, passage_chars: usize) -> &str {
    let title = entry.title().unwrap_or("").trim();
    match title.char_indices().nth(passage_chars / 4) {
        Some((end, _)) => &title[..end],
        None => title,
    }
}

/// The passages of a text, none of a blank one, so small that each has room
/// for the title where it does not begin with it.
fn spans<'a>(
    text: &'a str,
    title: &str,
    settings: &Settings,
) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let title_room = match title {
        "" => 0,
        title => title.chars().count() + 1,
    };
    let whole_text_room = match text.trim_start().starts_with(title) {
        true => settings.passage_chars,
        false => settings.passage_chars - title_room,
    };
    let size = match text.chars().nth(whole_text_room) {
        None => whole_text_room,
        Some(_) => settings.passage_chars - title_room,
    };
    cut(text, size, settings.passage_overlap)
        .into_iter()
        .filter(|span| !text[span.clone()].trim().is_empty())
}
