//! A pipeline that uses every service of the host and tells what came of it.

use futures::StreamExt;
use gannet_plugin::{
    Answer, AnswerStatus, ChatChunk, ChatMessage, ChatRequest, ChatRole, Context, Descriptor,
    Diagnostic, EmbedPurpose, EmbedRequest, Event, NoSettings, Pipeline, PipelineRequest,
    RerankRequest, Result, SearchRequest, Setup, TextSearch, VectorSearch,
};
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
            .embed(EmbedRequest {
                texts: vec![request.query.clone(), String::new()],
                purpose: EmbedPurpose::Query,
                provider: None,
                tokens: false,
            })
            .await?;
        let by_vector = context
            .vector_search(VectorSearch {
                vector: embedded.vectors[0].clone(),
                model: Some(embedded.model.name.clone()),
                filter: request.filter.clone(),
                limit: request.limit,
                min_similarity: Some(-1.0),
            })
            .await?;
        let ids: Vec<String> = by_text.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = context.entries(ids.clone()).await?;
        let texts: Vec<String> = entries.iter().map(|entry| entry.raw_text.clone()).collect();
        let scores = context
            .rerank(RerankRequest {
                query: request.query.clone(),
                documents: texts,
                provider: None,
            })
            .await?;
        let answer = chat(&request, context).await?;
        let rewritten = format!("{} yesterday", request.query);
        let rewritten = context.query_plan(rewritten, &request.filter).await?;
        let service = context
            .host()
            .call(&context.call, "no such service", b"{}".to_vec())
            .await;

        Ok(Answer {
            answer: Some(answer),
            answer_status: Some(AnswerStatus::Uncited),
            citations: ids.clone(),
            sources: ids,
            search_modes_used: self.modules.clone(),
            reasoning: format!("in {}", self.timezone),
            plan: Some(json!({ "history": request.history.len() })),
            pipeline_details: Some(json!({
                "by_text": by_text,
                "by_vector": by_vector,
                "vectors": embedded.vectors,
                "model": embedded.model,
                "entries": entries,
                "scores": scores,
                "descriptors": context.descriptors(),
                "query_plan": request.plan,
                "rewritten_plan": rewritten,
                "service": service.map_err(|error| error.to_string()),
                "tenant": &*context.call.tenant,
                "has_deadline": context.call.deadline.remaining().is_some(),
                "depth": context.call.depth,
            })),
            hits,
            degraded: true,
            extensions: [("tenant".to_owned(), json!(&*context.call.tenant))].into(),
        })
    }
}

/// Streams a completion on as events and gives the whole of it.
async fn chat(request: &PipelineRequest, context: &Context) -> Result<String> {
    let question = ChatMessage {
        role: ChatRole::User,
        content: request.query.clone(),
        tool_calls: Vec::new(),
        tool_call_id: None,
    };
    let mut pieces = context
        .chat(ChatRequest {
            messages: vec![question],
            temperature: Some(0.0),
            ..ChatRequest::default()
        })
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
