//! A pipeline that uses every service of the host and tells what came of it.

use std::time::Duration;

use futures::StreamExt;
use gannet_plugin::pipeline::{AnswerStatus, Event};
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Diagnostic, NoSettings, Pipeline, PipelineRequest, Result,
    SearchRequest, Setup,
};
use gannet_plugin::provider::{
    ChatChunk, ChatMessage, ChatRequest, ChatRole, EmbedPurpose, EmbedRequest, RerankRequest,
};
use gannet_plugin::search::{TextSearch, VectorSearch};
use serde_json::json;

/// Uses every service of the host and tells what came of it.
pub struct Telling {
    modules: Vec<String>,
    timezone: String,
}

impl Pipeline for Telling {
    const NAME: &'static str = "telling";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Telling", "Uses every service of the host.")
    }

    fn new(_settings: NoSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            modules: setup.retrieval_modules.clone(),
            timezone: setup.timezone.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        context.emit(Event::Stage {
            stage: "start".to_owned(),
            details: json!({ "modules": self.modules.len() }),
        });
        context.diagnose(Diagnostic::warning("telling", "a note").category("test"));
        context.count("told", 2);
        context.time("told", Duration::from_millis(250));

        let mut text = TextSearch::new(request.query.clone(), request.limit);
        text.filter = request.filter.clone();
        let by_text = context.text_search(text).await?;
        let mut hits = Vec::new();
        for module in &self.modules {
            let mut wanted = SearchRequest::new(request.query.clone(), request.limit);
            wanted.filter = request.filter.clone();
            hits.extend(context.search_module(module, wanted).await?);
        }
        let embedded = context
            .embed(EmbedRequest::new(
                vec![request.query.clone(), String::new()],
                EmbedPurpose::Query,
            ))
            .await?;
        let by_vector = context
            .vector_search(
                VectorSearch::new(embedded.vectors[0].clone(), request.limit)
                    .with_model(embedded.model.name.clone())
                    .with_filter(request.filter.clone())
                    .with_min_similarity(-1.0),
            )
            .await?;
        let ids: Vec<String> = by_text.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = context.entries(ids.clone()).await?;
        let texts: Vec<String> = entries.iter().map(|entry| entry.raw_text.clone()).collect();
        let scores = context
            .rerank(RerankRequest::new(request.query.clone(), texts))
            .await?;
        let answer = chat(&request, context).await?;
        let rewritten = format!("{} yesterday", request.query);
        let rewritten = context.query_plan(rewritten, &request.filter).await?;
        let run = context.run_pipeline("other", request.clone()).await?;
        let session = context.session("one");
        session.set(json!({ "turn": 1 })).await?;
        let service = context
            .host()
            .call(&context.call, "no such service", b"{}".to_vec())
            .await;

        Ok(Answer::new(hits)
            .with_answer(answer)
            .with_answer_status(AnswerStatus::Uncited)
            .with_citations(ids.clone())
            .with_sources(ids)
            .with_search_modes_used(self.modules.clone())
            .with_reasoning(format!("in {}", self.timezone))
            .with_plan(json!({ "history": request.history.len() }))
            .with_pipeline_details(json!({
                "by_text": by_text,
                "by_vector": by_vector,
                "vectors": embedded.vectors,
                "model": embedded.model,
                "entries": entries,
                "scores": scores,
                "descriptors": context.descriptors(),
                "query_plan": request.plan,
                "rewritten_plan": rewritten,
                "run": run,
                "session": session.get().await?,
                "service": service.map_err(|error| error.to_string()),
                "tenant": &*context.call.tenant,
                "has_deadline": context.call.deadline.remaining().is_some(),
                "depth": context.call.depth,
            }))
            .with_extension("told", true)
            .with_degraded(true))
    }
}

/// Streams a completion on as events and gives the whole of it.
async fn chat(request: &PipelineRequest, context: &Context) -> Result<String> {
    let question = ChatMessage::new(ChatRole::User, request.query.clone());
    let mut pieces = context
        .chat(ChatRequest::new(vec![question]).with_temperature(0.0))
        .await?;
    let mut whole = String::new();
    while let Some(piece) = pieces.next().await {
        if let ChatChunk::Token(text) = piece? {
            whole.push_str(&text);
            context.emit(Event::Token { text });
        }
    }
    context.emit(Event::End);
    Ok(whole)
}
