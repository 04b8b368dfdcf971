//! What kept plugins are asked, and what has to come back.

use futures::StreamExt;
use gannet_api::{
    Answer, ChatChunk, ChatMessage, ChatRequest, ChatRole, DynAdapter, DynChatModel, DynEmbedder,
    DynEnhancer, DynPipeline, DynReader, DynReranker, DynSearchModule, EmbedPurpose,
    EmbeddingModel, Entry, FetchRequest, Found, Health, Hit, PipelineRequest, PipelineRun, Plugin,
    ReadPassage, ReadRequest, ReadSpan, RerankScore, ScoreKind, SearchRequest, Setup, TokenValues,
};
use gannet_plugin::testing::{FakeHost, Fetched};
use gannet_registry::Registered;
use serde_json::json;

/// Plugins that are there to be measured or to fail.
const NOT_ASKED: [&str; 3] = ["giving_json", "embedding_json", "failing"];

/// Makes a plugin with its default settings, calls it, and expects an answer:
/// a particular one of the plugins that use every door.
pub async fn expect_work(registered: &Registered) {
    let name = registered.descriptor.name.as_str();
    if NOT_ASKED.contains(&name) {
        return;
    }
    let setup = Setup::default()
        .with_instance(name)
        .with_retrieval_modules(vec!["keyword".to_owned()])
        .with_timezone("Europe/Zurich");
    let plugin = registered.construct(json!({}), &setup).unwrap();
    plugin.start(&host().context()).await.unwrap();
    let health = plugin.health(&host().context()).await.unwrap();
    assert_eq!(health, Health::Healthy, "{name}");
    match plugin.clone() {
        Plugin::SearchModule(module) => search(name, &*module).await,
        Plugin::Pipeline(pipeline) => run(name, &*pipeline).await,
        Plugin::Adapter(adapter) => fetch(name, &*adapter).await,
        Plugin::Enhancer(enhancer) => enhance(name, &*enhancer).await,
        Plugin::Embedder(embedder) => embed(name, &*embedder).await,
        Plugin::Reranker(reranker) => rerank(name, &*reranker).await,
        Plugin::Reader(reader) => read(name, &*reader).await,
        Plugin::ChatModel(model) => chat(name, &*model).await,
    }
    plugin.stop().await;
    if name == "echoing" {
        let health = plugin.health(&host().context()).await.unwrap();
        assert_eq!(health, Health::degraded("it is not started"));
    }
}

async fn search(name: &str, module: &dyn DynSearchModule) {
    let mut request = SearchRequest::new("rf tripped", 3);
    if name == "giving" {
        request.params.insert("rich".to_owned(), json!(true));
    }
    let hits = module.search(request, &host().context()).await.unwrap();
    assert!(hits.len() <= 3, "{name}: {hits:?}");
    if name == "giving" {
        assert_eq!(hits.len(), 3);
        assert_eq!(hits[2].entry_id, "E2");
        assert_eq!(hits[2].passage.as_ref().unwrap().text, "tripped");
        assert_eq!(hits[2].highlights[0].ranges, [(0, 2), (12, 19)]);
        assert_eq!(hits[2].provenance[0].score, -0.5);
        assert_eq!(hits[2].explain, Some(json!({"why": ["because", 1, null]})));
    }
}

async fn run(name: &str, pipeline: &dyn DynPipeline) {
    let request = PipelineRequest::new("tripped", 3);
    let context = host().context();
    let answer = pipeline.run(request, &context).await.unwrap();
    if name == "telling" {
        assert_eq!(answer.answer.as_deref(), Some("a reply"));
        assert_eq!(answer.citations, ["E1"]);
        assert_eq!(answer.hits[0].entry_id, "E1");
        assert_eq!(answer.reasoning, "in Europe/Zurich");
        let details = answer.pipeline_details.unwrap();
        assert_eq!(details["scores"][0]["score"], 0.5, "{details}");
        assert_eq!(details["entries"][0]["raw_text"], "RF cavity tripped");
        assert_eq!(context.diagnostics.take()[0].source, "telling");
        assert_eq!(details["session"], json!({ "turn": 1 }));
        assert_eq!(details["run"]["answer"]["answer"], "another reply");
        assert_eq!(answer.extensions["told"], true);
    }
}

async fn fetch(name: &str, adapter: &dyn DynAdapter) {
    if name != "reading" {
        return;
    }
    let request = FetchRequest::default().with_source("one bad two".to_owned());
    let stream = adapter.fetch(request, &host().context()).await.unwrap();
    let fetched = Fetched::collect(stream).await.unwrap();
    assert_eq!(fetched.total, Some(3));
    assert_eq!(fetched.ids(), ["W0", "W2"]);
    assert_eq!(fetched.rejected[0].reason, "it is bad");
}

async fn enhance(name: &str, enhancer: &dyn DynEnhancer) {
    let enhanced = enhancer
        .enhance(vec![entry()], &host().context())
        .await
        .unwrap();
    assert_eq!(enhanced[0].entry_id, "E1", "{name}");
    if name == "counting" {
        let patch = enhanced[0].outcome.as_ref().unwrap();
        assert_eq!(patch.keywords.as_ref().unwrap()[0], "3 words");
        let embeddings = patch.embeddings.as_ref().unwrap();
        assert_eq!(embeddings.passages[0].vector, [1.0, 0.0]);
    }
}

async fn embed(name: &str, embedder: &dyn DynEmbedder) {
    if name != "pointing" {
        return;
    }
    assert_eq!(embedder.model(), EmbeddingModel::new("pointing", 2, 64));
    let (texts, purpose) = (vec!["RF trip".to_owned()], EmbedPurpose::Document);
    let context = host().context();
    let vectors = embedder.embed(texts.clone(), purpose, &context);
    assert_eq!(vectors.await.unwrap(), [[0.0, 1.0]]);
    assert!(embedder.has_token_vectors());
    let both = embedder.embed_with_tokens(texts, purpose, &context);
    let both = both.await.unwrap();
    assert_eq!(both.tokens[0].words, ["RF", "trip"]);
    assert_eq!(both.tokens[0].values, TokenValues::Signs(vec![2, 2]));
}

async fn rerank(name: &str, reranker: &dyn DynReranker) {
    let texts = ["long", "a"].map(str::to_owned).into();
    let context = host().context();
    let scores = reranker.rerank("RF".to_owned(), texts, &context);
    let scores = scores.await.unwrap();
    if name == "shortest" {
        let expected = [RerankScore::new(0, -4.0), RerankScore::new(1, -1.0)];
        assert_eq!(scores, expected);
    }
}

async fn read(name: &str, reader: &dyn DynReader) {
    let passages = vec![ReadPassage::new(entry(), 1.0)];
    let request = ReadRequest::new("what tripped?", passages, 40);
    let reading = reader.read(request, &host().context()).await.unwrap();
    if name == "first_word" {
        let word = 0..2;
        let span = ReadSpan::new(0, word.clone(), 0.75).with_answers(vec![word]);
        assert_eq!(reading.spans, [span]);
        assert_eq!(reading.no_answer, 0.25);
    }
}

async fn chat(name: &str, model: &dyn DynChatModel) {
    let said = ChatMessage::new(ChatRole::User, "hello");
    let context = host().context();
    let pieces = model.chat(ChatRequest::new(vec![said]), &context);
    let pieces: Vec<ChatChunk> = pieces.await.unwrap().map(Result::unwrap).collect().await;
    if name == "echoing" {
        let expected = [
            ChatChunk::Token("hello".to_owned()),
            ChatChunk::End("stop".to_owned()),
        ];
        assert_eq!(pieces, expected);
    }
}

fn entry() -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    Entry::new("E1", "log", time, "RF cavity tripped")
}

/// A host that answers whatever is asked.
fn host() -> FakeHost {
    FakeHost::default()
        .with_entries([entry()])
        .with_hashed_vectors()
        .on_search_module("keyword", |_| {
            Ok(Found::new(vec![Hit::new(
                "E1",
                "log",
                1.0,
                ScoreKind::Bm25,
            )]))
        })
        .on_rerank(|request| {
            let scores = (0..request.documents.len()).map(|index| RerankScore::new(index, 0.5));
            Ok(scores.collect())
        })
        .on_pipeline("other", |_| {
            Ok(PipelineRun::new(
                Answer::default().with_answer("another reply".to_owned()),
            ))
        })
        .on_chat(|_| {
            Ok(vec![
                Ok(ChatChunk::Token("a reply".to_owned())),
                Ok(ChatChunk::End("stop".to_owned())),
            ])
        })
}
