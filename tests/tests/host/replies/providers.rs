//! Numbers of providers that are not finite are an error of the provider.

use gannet_api::{
    Answer, Context, Descriptor, EmbedPurpose, EmbedRequest, Embedder, EmbeddingModel, Error,
    NoSettings, Pipeline, PipelineRequest, Registration, RerankRequest, RerankScore, Reranker,
    Result, Setup,
};
use gannet_core::{HostError, SearchInput};
use gannet_registry::Registry;
use gannet_tests::Host;

/// Gives scores and vectors that are not finite.
struct Broken;

impl Reranker for Broken {
    const NAME: &'static str = "broken_reranker";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let what = "Gives scores that are not finite.";
        Descriptor::reranker(<Self as Reranker>::NAME, "Broken", what)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn rerank(
        &self,
        _query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        let scores = (0..documents.len()).map(|index| RerankScore::new(index, f64::NEG_INFINITY));
        Ok(scores.collect())
    }
}

impl Embedder for Broken {
    const NAME: &'static str = "broken_embedder";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let what = "Gives vectors that are not finite.";
        Descriptor::embedder(<Self as Embedder>::NAME, "Broken", what)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new("broken", 2, 8).with_variant("f32")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        _purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        Ok(vec![vec![1.0, f32::NAN]; texts.len()])
    }
}

/// Asks the provider that is named by the question.
struct Asking;

impl Pipeline for Asking {
    const NAME: &'static str = "asking";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Asking", "Asks a provider.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let (texts, provider) = (vec!["a".to_owned()], Some(request.query.clone()));
        match request.query.as_str() {
            "scores" => {
                let request = RerankRequest::new("q", texts).with_provider(provider);
                context.rerank(request).await?;
            }
            _ => {
                let request = EmbedRequest::new(texts, EmbedPurpose::Query).with_provider(provider);
                context.embed(request).await?;
            }
        }
        Ok(Answer::default())
    }
}

#[tokio::test]
async fn a_provider_whose_numbers_are_not_finite_is_named() {
    let own = [
        Registration::reranker::<Broken>("test", "1.0.0"),
        Registration::embedder::<Broken>("test", "1.0.0"),
        Registration::pipeline::<Asking>("test", "1.0.0"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let settings = [
        ("providers.scores.plugin", "broken_reranker"),
        ("providers.vectors.plugin", "broken_embedder"),
        ("pipelines.asking.enabled", "true"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    for (provider, plugin, problem) in [
        ("scores", "reranker `scores`", "score -inf for text 0"),
        (
            "vectors",
            "embedder `vectors`",
            "a number that is not finite",
        ),
    ] {
        let mut input = SearchInput::new(provider);
        input.mode = Some("asking".to_owned());
        let error = host.gannet.search(input).await.unwrap_err();
        let HostError::Plugin(Error::InvalidResult {
            plugin: named,
            message,
        }) = error
        else {
            panic!("{error}");
        };
        assert_eq!(named, plugin);
        assert!(message.contains(problem), "{message}");
    }
}
