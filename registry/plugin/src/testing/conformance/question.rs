//! Asking a search module or a pipeline, and what must be true of any answer.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::guard::{Contained, abandoned_after, contained};
use super::report::quoted;
use super::world::World;
use gannet_api::{
    Answer, Context, Error, Example, Filter, Hit, PipelineRequest, Plugin, Result, ScoreKind,
    SearchRequest,
};

/// What is asked.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) limit: usize,
    pub(super) filter: Filter,
    pub(super) params: Map<String, Value>,
}

impl Question {
    /// A question without filter and parameters.
    pub(super) fn new(text: &str, limit: usize) -> Self {
        Self {
            text: text.to_owned(),
            limit,
            filter: Filter::none(),
            params: Map::new(),
        }
    }

    /// An example's question; its limit leaves room for all its entries.
    pub(super) fn of(example: &Example) -> Self {
        Self {
            params: example.params.clone(),
            ..Self::new(&example.input, example.entries.len().max(10))
        }
    }

    pub(super) fn limited_to(&self, limit: usize) -> Self {
        Self {
            limit,
            ..self.clone()
        }
    }

    pub(super) fn filtered_by(&self, filter: Filter) -> Self {
        Self {
            filter,
            ..self.clone()
        }
    }

    pub(super) fn with_param(&self, name: &str, value: Value) -> Self {
        let mut question = self.clone();
        question.params.insert(name.to_owned(), value);
        question
    }

    /// Asks a plugin. The hits of a search module are an answer without words.
    pub(super) async fn ask(&self, plugin: &Plugin, context: &Context) -> Contained<Answer> {
        contained(self.call(plugin, context)).await
    }

    /// Asks a plugin and goes away while it works.
    pub(super) fn ask_and_leave(
        &self,
        plugin: &Plugin,
        context: &Context,
        polls: usize,
    ) -> std::result::Result<(), String> {
        abandoned_after(polls, self.call(plugin, context))
    }

    /// Asks a plugin that has no reason to fail.
    pub(super) async fn answer(
        &self,
        plugin: &Plugin,
        world: &World,
    ) -> std::result::Result<Answer, String> {
        let asked = format!("the question {}", quoted(&self.text));
        let outcome = self.ask(plugin, &world.context()).await;
        let answer = outcome
            .map_err(|panic| format!("{asked}: {panic}"))?
            .map_err(|error| format!("{asked}: {error}"))?;
        self.check(&answer, world)
            .map_err(|wrong| format!("{asked}: {wrong}"))?;
        Ok(answer)
    }

    /// Asks a plugin what it may refuse, with [`Error::InvalidInput`] alone.
    pub(super) async fn answer_or_refusal(
        &self,
        plugin: &Plugin,
        world: &World,
    ) -> std::result::Result<(), String> {
        let asked = format!("the question {}", quoted(&self.text));
        let outcome = self.ask(plugin, &world.context()).await;
        match outcome.map_err(|panic| format!("{asked}: {panic}"))? {
            Ok(answer) => self
                .check(&answer, world)
                .map_err(|wrong| format!("{asked}: {wrong}")),
            Err(Error::InvalidInput { .. }) => Ok(()),
            Err(other) => Err(format!(
                "{asked} fails, and not as `Error::InvalidInput`: {other}"
            )),
        }
    }

    async fn call(&self, plugin: &Plugin, context: &Context) -> Result<Answer> {
        match plugin {
            Plugin::SearchModule(module) => {
                let mut request = SearchRequest::new(&self.text, self.limit);
                request.filter = self.filter.clone();
                request.params = self.params.clone();
                Ok(Answer::new(module.search(request, context).await?))
            }
            Plugin::Pipeline(pipeline) => {
                let mut request = PipelineRequest::new(&self.text, self.limit);
                request.filter = self.filter.clone();
                request.params = self.params.clone();
                pipeline.run(request, context).await
            }
            _ => Err(Error::internal(
                "the constructor made another kind of plugin",
            )),
        }
    }

    /// What must be true of any answer to this question.
    pub(super) fn check(&self, answer: &Answer, world: &World) -> std::result::Result<(), String> {
        if answer.hits.len() > self.limit {
            let found = answer.hits.len();
            return Err(format!("{found} hits, and the limit is {}", self.limit));
        }
        let mut ids = BTreeSet::new();
        for hit in &answer.hits {
            if !ids.insert(hit.entry_id.as_str()) {
                return Err(format!("entry {} is found twice", quoted(&hit.entry_id)));
            }
            check_score(hit)?;
        }
        let named = ids.iter().copied();
        let named = named.chain(answer.sources.iter().map(String::as_str));
        let known: BTreeSet<&str> = named.collect();
        for id in &known {
            if !self.filter.matches(world.entry(id)?) {
                return Err(format!("entry {} does not pass the filter", quoted(id)));
            }
        }
        let foreign = |id: &&String| !known.contains(id.as_str());
        if let Some(id) = answer.citations.iter().find(foreign) {
            return Err(format!(
                "it cites {}, which is neither a hit nor a source",
                quoted(id)
            ));
        }
        Ok(())
    }
}

fn check_score(hit: &Hit) -> std::result::Result<(), String> {
    if hit.score.is_nan() && hit.score_kind != ScoreKind::None {
        return Err(format!(
            "entry {} has a score that is not a number",
            quoted(&hit.entry_id)
        ));
    }
    Ok(())
}

/// Whether two answers say the same; statistics may differ.
pub(super) fn say_the_same(one: &Answer, other: &Answer) -> bool {
    one.hits == other.hits
        && one.answer == other.answer
        && one.answer_status == other.answer_status
        && one.answer_confidence == other.answer_confidence
        && one.answer_highlights == other.answer_highlights
        && one.citations == other.citations
        && one.sources == other.sources
}
