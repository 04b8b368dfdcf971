//! The pipeline itself: its stages one after the other.

use std::collections::HashMap;

use gannet_plugin::{
    Answer, AnswerStatus, Category, Context, Descriptor, Diagnostic, Entry, Event, Hit, Pipeline,
    PipelineRequest, PluginKind, Result, SearchRequest, Setup,
};
use gannet_stages::{
    AnswerInput, Assembled, ComposedAnswer, Question, QuestionKind, RetrievalPlan, Threshold,
    assemble, compose_answer, fuse, newest_that_tell, rerank, retrieve,
};
use serde_json::json;

use crate::examples::examples;
use crate::generate::generate;
use crate::question::{subject_of, syntax_of};
use crate::report::{RagStats, tell};
use crate::settings::{RELEVANCE_KINDS, RagSettings, parameters};

/// Entries from below the result that a question for the last time may bring
/// into it.
const NEWEST_IN_REACH: usize = 2;

/// Finds entries with several search modules and answers from them.
pub struct Rag {
    settings: RagSettings,
    setup: Setup,
}

impl Pipeline for Rag {
    type Settings = RagSettings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::pipeline(
            "rag",
            "RAG",
            "Answers a question from the entries that several search modules find together, \
             with citations. A chat model words the answer where one is configured; without \
             one it is made of the entries' own sentences.",
        )
        .in_category(Category::Llm)
        .with_parameters(parameters());
        let examples = examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: RagSettings, setup: &Setup) -> Result<Self> {
        settings.check(setup)?;
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let run = Run {
            settings: self.settings.for_call(&request)?,
            setup: &self.setup,
            request: &request,
            context,
        };
        let answer = run.answer().await?;
        context.emit(Event::End);
        Ok(answer)
    }
}

/// One call of the pipeline.
struct Run<'a> {
    settings: RagSettings,
    setup: &'a Setup,
    request: &'a PipelineRequest,
    context: &'a Context,
}

/// What was found: hits and their entries, side by side.
struct Findings {
    hits: Vec<Hit>,
    entries: Vec<Entry>,
    modules: Vec<String>,
    degraded: bool,
}

/// The words of the answer, whoever found them.
struct Wording {
    text: String,
    status: AnswerStatus,
    citations: Vec<String>,
    reason: String,
    degraded: bool,
}

impl Run<'_> {
    async fn answer(&self) -> Result<Answer> {
        let mut stats = RagStats::of_modules(&self.setup.retrieval_modules);
        let is_blank = self.request.query.trim().is_empty();
        if is_blank && self.request.filter.is_empty() {
            return Ok(Answer {
                answer_status: Some(AnswerStatus::Insufficient),
                reasoning: "The question is empty; nothing was searched.".to_owned(),
                pipeline_details: Some(stats.details()),
                ..Answer::default()
            });
        }
        let found = self.find(&mut stats).await?;
        let assembled = assemble(
            &found.entries,
            &self.settings.assembly(),
            &self.setup.timezone,
        );
        stats.assembled(&assembled, self.context);
        self.note_truncation(&assembled, found.entries.len());

        let wording = self.word(&found, &assembled).await;
        for entry_id in &wording.citations {
            self.context.emit(Event::Citation {
                entry_id: entry_id.clone(),
            });
        }
        Ok(Answer {
            hits: found.hits,
            answer: Some(wording.text),
            answer_status: Some(wording.status),
            citations: wording.citations,
            sources: assembled.included,
            search_modes_used: found.modules,
            reasoning: format!("{}; {}.", stats.sentence(), wording.reason),
            plan: None,
            pipeline_details: Some(stats.details()),
            degraded: found.degraded || wording.degraded,
        })
    }

    /// Retrieve, fuse, rerank and cut.
    async fn find(&self, stats: &mut RagStats) -> Result<Findings> {
        let retrieved = retrieve(self.retrieval_plan(), self.context).await?;
        stats.retrieved(&retrieved, self.context);
        let mut hits = fuse(&self.request.query, &retrieved.lists, &self.settings.fusion)
            .map_err(|error| error.at("fusion"))?;
        stats.fused(hits.len(), self.context);

        let window = match &self.settings.rerank {
            Some(rerank) => rerank.candidate_k.max(self.request.limit),
            None if self.may_need_newest() => self.settings.candidates.max(self.request.limit),
            None => self.request.limit,
        };
        hits.truncate(window);
        let mut entries = self.entries_of(&hits).await?;
        let found = hits.len();
        hits.retain(|hit| entries.contains_key(&hit.entry_id));
        let missing = found - hits.len();
        if missing > 0 {
            let message = format!("{missing} of the entries found cannot be read any more");
            self.note("retrieve", message, "not_found");
        }

        let mut degraded = retrieved.degraded || missing > 0;
        (hits, degraded) = self.reranked(hits, &entries, degraded).await;
        hits = self.relevant(hits);
        self.put_newest_in_reach(&mut hits, &entries);
        hits.truncate(self.request.limit);
        let in_order = hits.iter().filter_map(|hit| entries.remove(&hit.entry_id));
        Ok(Findings {
            entries: in_order.collect(),
            hits,
            modules: retrieved.modules_with_hits(),
            degraded,
        })
    }

    /// Whether the question is for the last or first time, and the result has
    /// places to spare.
    fn may_need_newest(&self) -> bool {
        let kind = Question::read(&self.request.query).kind;
        self.settings.rerank.is_none()
            && self.request.limit >= 2 * NEWEST_IN_REACH
            && matches!(kind, QuestionKind::Latest | QuestionKind::Earliest)
    }

    /// A question for the last time gets the newest entries that tell of it in
    /// the last places of the result, where the ranking left them out. Scores
    /// still fall from place to place.
    fn put_newest_in_reach(&self, hits: &mut Vec<Hit>, entries: &HashMap<String, Entry>) {
        let limit = self.request.limit;
        if !self.may_need_newest() || hits.len() <= limit {
            return;
        }
        let query = &self.request.query;
        let known: Vec<Entry> = hits
            .iter()
            .filter_map(|hit| entries.get(&hit.entry_id).cloned())
            .collect();
        let question = subject_of(query, syntax_of(query));
        let wanted = newest_that_tell(&question, &known, NEWEST_IN_REACH);
        let below = hits.split_off(limit);
        let risen = below.into_iter();
        let risen: Vec<Hit> = risen.filter(|hit| wanted.contains(&hit.entry_id)).collect();
        hits.truncate(limit - risen.len());
        hits.extend(risen);
    }

    fn retrieval_plan(&self) -> RetrievalPlan {
        let modules = self.setup.retrieval_modules.iter();
        RetrievalPlan {
            pipeline: self.name(),
            requests: modules
                .map(|module| (module.clone(), self.search_request(module)))
                .collect(),
            on_error: self.settings.on_error,
        }
    }

    fn search_request(&self, module: &str) -> SearchRequest {
        let limit = self.settings.candidates.max(self.request.limit);
        let mut search = SearchRequest::new(&self.request.query, limit);
        search.syntax = syntax_of(&self.request.query);
        search.filter = self.request.filter.clone();
        if self.takes_threshold(module) {
            let threshold = json!(self.settings.similarity_threshold);
            search
                .params
                .insert("similarity_threshold".to_owned(), threshold);
        }
        search
    }

    /// Whether a module says that a caller can set its threshold.
    fn takes_threshold(&self, module: &str) -> bool {
        self.context.descriptors().iter().any(|descriptor| {
            let mut parameters = descriptor.parameters.iter();
            descriptor.kind == PluginKind::SearchModule
                && descriptor.name == module
                && parameters.any(|parameter| parameter.name == "similarity_threshold")
        })
    }

    async fn entries_of(&self, hits: &[Hit]) -> Result<HashMap<String, Entry>> {
        if hits.is_empty() {
            return Ok(HashMap::new());
        }
        let ids = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = self.context.entries(ids).await?;
        Ok(entries
            .into_iter()
            .map(|entry| (entry.entry_id.clone(), entry))
            .collect())
    }

    async fn reranked(
        &self,
        hits: Vec<Hit>,
        entries: &HashMap<String, Entry>,
        degraded: bool,
    ) -> (Vec<Hit>, bool) {
        let Some(settings) = &self.settings.rerank else {
            return (hits, degraded);
        };
        let text_of = |hit: &Hit| match (&hit.passage, entries.get(&hit.entry_id)) {
            (Some(passage), _) => passage.text.clone(),
            (None, Some(entry)) => entry.raw_text.clone(),
            (None, None) => String::new(),
        };
        let is_empty = hits.is_empty();
        let source = format!("{}.rerank", self.name());
        let query = &self.request.query;
        let mut reranked = rerank(query, hits, text_of, settings, &source, self.context).await;
        if let (true, Some(final_k)) = (reranked.applied, settings.final_k) {
            reranked.hits.truncate(final_k);
        }
        tell(
            self.context,
            "rerank",
            json!({ "applied": reranked.applied }),
        );
        let failed = !reranked.applied && !is_empty;
        (reranked.hits, degraded || failed)
    }

    fn relevant(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let Some(minimum) = self.settings.min_relevance else {
            return hits;
        };
        let threshold = Threshold {
            minimum,
            declared: &RELEVANCE_KINDS,
        };
        let (kept, note) = threshold.apply(hits, &format!("{}.threshold", self.name()));
        self.context.diagnostics.extend(note);
        kept
    }

    fn note_truncation(&self, assembled: &Assembled, found: usize) {
        if assembled.truncated {
            let message = format!(
                "the context holds {} of {found} entries; its limit is {} characters",
                assembled.included.len(),
                self.settings.max_context_chars,
            );
            let source = format!("{}.assemble", self.name());
            self.context.diagnose(Diagnostic::info(source, message));
        }
    }

    /// The entries' own sentences first; then the model's words, where there
    /// is a model and something for it to read.
    async fn word(&self, found: &Findings, assembled: &Assembled) -> Wording {
        let composed = self.compose(found, assembled);
        self.context.emit(Event::Answer {
            text: composed.text.clone(),
        });
        if self.setup.provider.is_none() || assembled.included.is_empty() {
            return Wording::from(composed);
        }
        let generated = generate(
            self.request,
            assembled,
            &self.settings,
            self.setup,
            self.context,
        );
        match generated.await {
            Ok(cited) => {
                if cited.unknown > 0 {
                    let message = format!(
                        "{} citations of entries that were not given were removed",
                        cited.unknown
                    );
                    self.note("cite", message, "citation");
                }
                let status = match cited.citations.is_empty() {
                    true => AnswerStatus::Uncited,
                    false => AnswerStatus::Grounded,
                };
                Wording {
                    text: cited.text.trim().to_owned(),
                    status,
                    citations: cited.citations,
                    reason: "worded by a chat model".to_owned(),
                    degraded: false,
                }
            }
            Err(error) => {
                let message = format!("the entries' own sentences stand: {error}");
                self.note("generate", message, error.category());
                // Some of the model's words may have been shown already.
                self.context.emit(Event::Answer {
                    text: composed.text.clone(),
                });
                Wording {
                    degraded: true,
                    ..Wording::from(composed)
                }
            }
        }
    }

    fn compose(&self, found: &Findings, assembled: &Assembled) -> ComposedAnswer {
        let included: Vec<Entry> = found
            .entries
            .iter()
            .filter(|entry| assembled.included.contains(&entry.entry_id))
            .cloned()
            .collect();
        let query = &self.request.query;
        compose_answer(AnswerInput {
            question: &subject_of(query, syntax_of(query)),
            entries: &included,
            hits: &found.hits,
            style: self.settings.citation_style,
            timezone: &self.setup.timezone,
        })
    }

    fn note(&self, stage: &str, message: String, category: &str) {
        let source = format!("{}.{stage}", self.name());
        self.context
            .diagnose(Diagnostic::warning(source, message).category(category));
    }

    fn name(&self) -> String {
        match self.setup.instance.as_str() {
            "" => "rag".to_owned(),
            name => name.to_owned(),
        }
    }
}

impl From<ComposedAnswer> for Wording {
    fn from(composed: ComposedAnswer) -> Self {
        Self {
            text: composed.text,
            status: composed.status,
            citations: composed.citations,
            reason: composed.reason,
            degraded: false,
        }
    }
}
