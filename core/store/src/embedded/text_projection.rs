//! The text index as a projection of the records: opened, followed and
//! repaired by the indexing thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::embedded::shared::Shared;
use crate::error::StoreError;
use gannet_index::{Depth, IndexError, Position, TextIndex, TextWriter, VerifiedFiles};

/// Entries read from the records at a time.
const BATCH: usize = 2_000;
/// Longest pause between two tries, in intervals of commits.
const LONGEST_PAUSE: u32 = 16;
/// Longest time between two commits of a load, in intervals of commits.
pub(crate) const LONGEST_LOAD: u32 = 10;

/// What the indexing thread holds of the text index.
pub(crate) struct TextProjection {
    shared: Arc<Shared>,
    writer: Option<Box<dyn TextWriter>>,
    verified: VerifiedFiles,
    commit_due: Option<Instant>,
    /// Time from the first change to its commit.
    interval: Duration,
    /// After a failure: when it is tried again, and the pause before.
    retry: Option<(Instant, Duration)>,
}

impl TextProjection {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let verified = VerifiedFiles::load(&shared.text_path());
        Self {
            interval: shared.options.commit_every,
            shared,
            writer: None,
            verified,
            commit_due: None,
            retry: None,
        }
    }

    /// The last change that is on disk; `None` while nothing is written.
    pub(crate) fn committed(&self) -> Option<i64> {
        self.writer.as_ref().map(|writer| writer.committed())
    }

    /// When changes must be committed.
    pub(crate) fn commit_due(&self) -> Option<Instant> {
        self.commit_due
    }

    /// Takes over what is new, unless a failure was a moment ago. The caller
    /// has the right to write.
    pub(crate) async fn follow(&mut self) -> Result<(), StoreError> {
        match self.retry {
            Some((at, _)) if at > Instant::now() => Ok(()),
            _ => self.follow_now().await,
        }
    }

    /// Takes over what is new. The caller has the right to write.
    ///
    /// # Errors
    /// Whatever keeps the index from following; searches say so until it
    /// follows again. Nothing is lost: the next try begins at the last commit.
    pub(crate) async fn follow_now(&mut self) -> Result<(), StoreError> {
        if self.shared.take_text_suspicion() {
            self.drop_writer();
            self.verified = VerifiedFiles::default();
        }
        let followed = self.try_follow().await;
        self.settle(followed)
    }

    /// Puts what was taken over on disk.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        let committed = self.try_commit();
        self.settle(committed)
    }

    /// After an error nobody knows what the writer holds, and a commit could
    /// claim changes that are not in the index.
    fn settle(&mut self, outcome: Result<(), StoreError>) -> Result<(), StoreError> {
        let Err(error) = &outcome else {
            // What is taken over and not committed may fail as it did before.
            if self.commit_due.is_none() {
                self.retry = None;
                self.shared.set_text_trouble(None);
            }
            return outcome;
        };
        self.drop_writer();
        self.shared.set_text_trouble(Some(error.to_string()));
        let tick = self.shared.options.commit_every;
        let pause = match self.retry {
            Some((_, pause)) => (2 * pause).min(LONGEST_PAUSE * tick),
            None => tick,
        };
        self.retry = Some((Instant::now() + pause, pause));
        outcome
    }

    /// What is not committed is taken over again by the next writer.
    pub(crate) fn drop_writer(&mut self) {
        self.writer = None;
        self.commit_due = None;
    }

    async fn try_follow(&mut self) -> Result<(), StoreError> {
        if self.writer.is_none() {
            self.try_open().await?;
        }
        if self
            .writer
            .as_ref()
            .is_some_and(|writer| writer.is_incomplete())
        {
            self.restore_missing().await?;
        }
        loop {
            let Some(writer) = &mut self.writer else {
                return Ok(());
            };
            let records = &self.shared.records;
            let changes = records.text_changes(writer.applied(), BATCH).await?;
            writer.apply(&changes)?;
            if writer.uncommitted() > 0 && self.commit_due.is_none() {
                self.commit_due = Some(Instant::now() + self.interval);
            }
            let is_full = writer.is_full();
            let is_late = self.commit_due.is_some_and(|due| due <= Instant::now());
            if is_late || is_full {
                self.try_commit()?;
            }
            if !changes.more {
                return Ok(());
            }
        }
    }

    fn try_commit(&mut self) -> Result<(), StoreError> {
        self.commit_due = None;
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let options = &self.shared.options;
        self.interval = match writer.uncommitted() >= options.load_entries {
            true => (2 * self.interval).min(LONGEST_LOAD * options.commit_every),
            false => options.commit_every,
        };
        if writer.uncommitted() > 0 {
            // First the records: no index is ahead of them after a power cut.
            self.shared.records.make_durable()?;
            writer.commit()?;
            self.shared.text()?.reload()?;
        }
        self.shared.set_text_sequence(writer.applied());
        Ok(())
    }

    /// Opens the index to write it. One that is lost is created again; one
    /// that cannot be opened now is left as it is.
    pub(crate) async fn open(&mut self) -> Result<(), StoreError> {
        let opened = self.try_open().await;
        self.settle(opened)
    }

    async fn try_open(&mut self) -> Result<(), StoreError> {
        let opened = self.open_or_create().await;
        if matches!(opened, Err(StoreError::Index(IndexError::Panicked(_)))) {
            // No file is believed at the next try.
            self.verified = VerifiedFiles::default();
        }
        let (text, position) = opened.inspect_err(|error| self.shared.text_unreadable(error))?;
        let writer = text.writer(position.clone());
        self.shared.replace_text(text);
        self.shared.set_text_sequence(position.applied);
        self.writer = Some(writer?);
        Ok(())
    }

    async fn open_or_create(&mut self) -> Result<(Arc<dyn TextIndex>, Position), StoreError> {
        let folder = self.shared.text_path();
        let is_there = folder
            .try_exists()
            .map_err(|error| StoreError::io("look for", &folder, error))?;
        if !is_there {
            return self.create();
        }
        let origin = &self.shared.origin;
        let weights = self.shared.options.field_weights;
        let engine = self.shared.text_engine;
        let reason = match engine.recover(&folder, weights, &mut self.verified) {
            Ok(recovered) => {
                for broken in &recovered.broken {
                    tracing::warn!(%broken, "a damaged part of the text index is rebuilt");
                }
                match recovered.position {
                    None => return Ok((recovered.text, Position::begin(origin))),
                    Some(position) if position.origin != *origin => {
                        "it belongs to another database".to_owned()
                    }
                    Some(position) if self.is_followed(&position).await? => {
                        return Ok((recovered.text, position));
                    }
                    Some(_) => "the records were reset to an earlier state, or an older version \
                                wrote it"
                        .to_owned(),
                }
            }
            Err(error) if error.is_damage() => error.to_string(),
            Err(error) => return Err(error.into()),
        };
        tracing::warn!(reason, "the text index is rebuilt from the records");
        self.create()
    }

    /// Whether an index at this position followed these records.
    async fn is_followed(&self, position: &Position) -> Result<bool, StoreError> {
        if position.origin != self.shared.origin {
            return Ok(false);
        }
        let records = &self.shared.records;
        records.has_history(position.applied, position.mark).await
    }

    fn create(&mut self) -> Result<(Arc<dyn TextIndex>, Position), StoreError> {
        self.verified = VerifiedFiles::default();
        let weights = self.shared.options.field_weights;
        let engine = self.shared.text_engine;
        let text = engine.create(&self.shared.text_path(), weights)?;
        Ok((text, Position::begin(&self.shared.origin)))
    }

    /// Brings back the entries that were in a damaged segment.
    async fn restore_missing(&mut self) -> Result<(), StoreError> {
        let why = "a damaged part of the text index is being rebuilt from the records";
        self.shared.set_text_trouble(Some(why.to_owned()));
        let records = &self.shared.records;
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let highest = usize::try_from(records.highest_row().await?).unwrap_or(usize::MAX);
        let engine = self.shared.text_engine;
        let contents = engine.contents(&self.shared.text_path(), Depth::Rows, highest)?;
        let expected = records.indexed_rows(writer.applied()).await?;
        let missing = expected.missing_from(&contents.rows);
        let mut rest = missing.as_slice();
        while !rest.is_empty() {
            let batch = records.rows_within(rest, BATCH).await?;
            writer.restore(&batch)?;
            rest = rest.get(batch.asked..).unwrap_or_default();
            if writer.is_full() {
                writer.commit()?;
            }
        }
        writer.complete();
        writer.commit()?;
        self.shared.text()?.reload()?;
        tracing::info!(entries = missing.len(), "the text index is complete again");
        Ok(())
    }

    /// Creates the index again and fills it.
    pub(crate) async fn rebuild(&mut self) -> Result<(), StoreError> {
        self.drop_writer();
        let rebuilt = self.try_rebuild().await;
        self.settle(rebuilt)
    }

    async fn try_rebuild(&mut self) -> Result<(), StoreError> {
        let (text, position) = self.create()?;
        let writer = text.writer(position);
        self.shared.replace_text(text);
        self.shared.set_text_sequence(0);
        self.writer = Some(writer?);
        self.try_follow().await?;
        self.try_commit()
    }

    /// What the process that writes has done.
    pub(crate) async fn refresh(&mut self) -> Result<(), StoreError> {
        if self.shared.take_text_suspicion() {
            self.verified = VerifiedFiles::default();
            self.shared.forget_text();
        }
        let opened = self.shared.text();
        let known = self.shared.text_sequence();
        if let Ok(text) = &opened
            && let Ok(Some(position)) = text.position()
            && !position.is_incomplete
            && self.is_followed(&position).await?
        {
            if position.applied != known {
                let engine = self.shared.text_engine;
                let checked = engine.verify(&self.shared.text_path(), &mut self.verified);
                let reloaded = checked.and_then(|()| text.reload());
                let trouble = reloaded.as_ref().err().map(ToString::to_string);
                self.shared.set_text_trouble(trouble);
                reloaded?;
                self.shared.set_text_sequence(position.applied);
            }
            return Ok(());
        }
        // Not there yet, created again meanwhile, or not readable before.
        self.open_to_read().await
    }

    async fn open_to_read(&mut self) -> Result<(), StoreError> {
        let folder = self.shared.text_path();
        if matches!(folder.try_exists(), Ok(false)) {
            return Ok(());
        }
        let (engine, weights) = (self.shared.text_engine, self.shared.options.field_weights);
        let opened = engine.open(&folder, weights, &mut self.verified);
        let opened = opened.and_then(|text| {
            let position = text.position()?;
            Ok((text, position))
        });
        match opened {
            Ok((text, Some(position))) if self.is_followed(&position).await? => {
                self.shared.replace_text(text);
                self.shared.set_text_sequence(position.applied);
                let part = "a damaged part of the text index is being rebuilt";
                let trouble = position.is_incomplete.then(|| part.to_owned());
                self.shared.set_text_trouble(trouble);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => {
                let error = StoreError::from(error);
                self.shared.text_unreadable(&error);
                Err(error)
            }
        }
    }

    /// Lets go of the index.
    pub(crate) fn close(&mut self) -> Result<(), StoreError> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        writer.finish()?;
        // So that the next process need not. A file that is damaged already is
        // not listed, and found at the next start.
        let folder = self.shared.text_path();
        match self.shared.text_engine.verify(&folder, &mut self.verified) {
            Ok(()) => self.verified.save(&folder),
            Err(error) => tracing::debug!(%error, "the text index cannot be verified now"),
        }
        Ok(())
    }
}
