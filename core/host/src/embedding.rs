//! Embeddings of texts by the providers, and what they must be.

use std::sync::Arc;

use gannet_api::{
    Call, DynEmbedder, EmbedPurpose, EmbedRequest, EmbeddingModel, Embeddings, PluginKind, Result,
    TokenEmbeddings, TokenValues, TokenVectors,
};

use crate::quarantine::PluginName;
use crate::replies::RequestState;
use crate::services::{Services, invalid_result};

impl Services {
    /// Embeds texts for an instance of this name. The same question is embedded
    /// once in a request, with its token vectors if there can be any.
    pub(crate) async fn embed_texts(
        &self,
        call: &Call,
        mut request: EmbedRequest,
        instance: &str,
        state: &RequestState,
    ) -> Result<Embeddings> {
        let name = request.provider.as_deref();
        let name = name.unwrap_or(self.default_embedder()).to_owned();
        let tokens = request.tokens;
        if request.purpose == EmbedPurpose::Query && self.vocabulary().expands(instance) {
            let expand = |text: &mut String| *text = self.vocabulary().flattened(text);
            request.texts.iter_mut().for_each(expand);
        }
        let mut embeddings = match (request.purpose, &request.texts[..]) {
            (EmbedPurpose::Query, [question]) => {
                let question = question.clone();
                self.embed_once(call, &name, question, state).await?
            }
            (EmbedPurpose::Query, _) => self.embed_questions(call, &name, request.texts).await?,
            (EmbedPurpose::Document, _) => {
                let embedder = self.embedder(&name)?;
                self.ask(call, (&name, embedder), request).await?
            }
        };
        if !tokens {
            embeddings.tokens = Vec::new();
        }
        Ok(embeddings)
    }

    /// Embeds texts by the embedder that is named, or the configured one:
    /// never by another one that stands in for it in searches.
    pub(crate) async fn embed_by(&self, call: &Call, request: EmbedRequest) -> Result<Embeddings> {
        let name = request.provider.as_deref();
        let name = name.unwrap_or(self.default_embedder()).to_owned();
        let embedder = self.embedder(&name)?;
        self.ask(call, (&name, embedder), request).await
    }

    /// The embedder of this name, else the first whose model has it, else the
    /// name itself, which is none.
    pub(crate) fn embedder_named(&self, name: String) -> String {
        let catalog = self.catalog();
        let is_its_model = |embedder: &&str| {
            let embedder = catalog.embedder(embedder);
            embedder.is_some_and(|embedder| embedder.model().name == name)
        };
        let names = catalog.names(PluginKind::Embedder);
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if names.contains(&name.as_str()) {
            return name;
        }
        let of_model = names.into_iter().find(is_its_model);
        of_model.map_or(name, str::to_owned)
    }

    async fn embed_once(
        &self,
        call: &Call,
        name: &str,
        question: String,
        state: &RequestState,
    ) -> Result<Embeddings> {
        if let Some(known) = state.question(name, &question) {
            return Ok(known);
        }
        let (answering, embedder) = self.answering_embedder(&call.tenant, name).await?;
        let made = match self.questions().get(&answering, &question) {
            Some(known) => known,
            None => {
                let request = question_request(vec![question.clone()]);
                let made = self.ask(call, (&answering, embedder), request).await?;
                self.questions().keep(&answering, &question, &made);
                made
            }
        };
        state.keep_question(name, &question, &made);
        Ok(made)
    }

    async fn embed_questions(
        &self,
        call: &Call,
        name: &str,
        texts: Vec<String>,
    ) -> Result<Embeddings> {
        let (name, embedder) = self.answering_embedder(&call.tenant, name).await?;
        self.ask(call, (&name, embedder), question_request(texts))
            .await
    }

    async fn ask(
        &self,
        call: &Call,
        (name, embedder): (&str, Arc<dyn DynEmbedder>),
        request: EmbedRequest,
    ) -> Result<Embeddings> {
        let model = embedder.model();
        let expected = request.texts.len();
        let purpose = request.purpose;
        let plugin = PluginName {
            kind: PluginKind::Embedder,
            name,
        };
        let with_tokens =
            request.tokens && self.keeps_token_vectors() && embedder.has_token_vectors();
        let context = self.context(call.clone(), plugin);
        let work = async move {
            let texts = request.texts;
            match with_tokens {
                true => embedder.embed_with_tokens(texts, purpose, &context).await,
                false => {
                    let vectors = embedder.embed(texts, purpose, &context).await?;
                    Ok(TokenEmbeddings::new(vectors, Vec::new()))
                }
            }
        };
        let TokenEmbeddings {
            vectors, tokens, ..
        } = self.isolate(plugin, call.deadline, work).await?;
        let checked = Reply {
            vectors: &vectors,
            tokens: with_tokens.then_some(&tokens[..]),
            model: &model,
            purpose,
        };
        if let Some(fault) = checked.fault(expected) {
            return Err(invalid_result(plugin, fault));
        }
        Ok(Embeddings::new(vectors, model).with_tokens(tokens))
    }
}

/// Questions, with their token vectors if there can be any.
fn question_request(texts: Vec<String>) -> EmbedRequest {
    EmbedRequest::new(texts, EmbedPurpose::Query).with_tokens(true)
}

/// What an embedder gave.
struct Reply<'a> {
    vectors: &'a [Vec<f32>],
    /// `None` when it was not asked for any.
    tokens: Option<&'a [TokenVectors]>,
    model: &'a EmbeddingModel,
    purpose: EmbedPurpose,
}

impl Reply<'_> {
    /// What is wrong with it.
    fn fault(&self, texts: usize) -> Option<String> {
        let dimension = self.model.dimension;
        if self.vectors.len() != texts {
            return Some(format!("{} vectors for {texts} texts", self.vectors.len()));
        }
        if self.vectors.iter().any(|vector| vector.len() != dimension) {
            return Some(format!(
                "a vector that does not have {dimension} dimensions"
            ));
        }
        // Of documents each entry is judged by itself, when it is stored.
        if self.purpose == EmbedPurpose::Query && !self.is_finite() {
            return Some("a vector that holds a number that is not finite".to_owned());
        }
        self.tokens.and_then(|tokens| self.fault_of_tokens(tokens))
    }

    fn fault_of_tokens(&self, tokens: &[TokenVectors]) -> Option<String> {
        let texts = self.vectors.len();
        if tokens.len() != texts {
            return Some(format!(
                "token vectors of {} of {texts} texts",
                tokens.len()
            ));
        }
        let has_right_form = |tokens: &TokenVectors| {
            let is_of_question = matches!(tokens.values, TokenValues::Floats(_));
            is_of_question == (self.purpose == EmbedPurpose::Query)
        };
        if !tokens.iter().all(has_right_form) {
            return Some("token vectors in the form for another purpose".to_owned());
        }
        let dimension = self.model.dimension;
        let is_whole = |tokens: &TokenVectors| tokens.is_whole(dimension);
        (!tokens.iter().all(is_whole))
            .then(|| format!("token vectors that do not have {dimension} dimensions for each word"))
    }

    fn is_finite(&self) -> bool {
        let floats = |tokens: &TokenVectors| match &tokens.values {
            TokenValues::Floats(values) => values.iter().all(|value| value.is_finite()),
            TokenValues::Signs(_) => true,
        };
        let tokens = self.tokens.unwrap_or_default();
        let stop_words = tokens.iter().flat_map(|tokens| &tokens.stop_words);
        let of_stop_words = stop_words.flat_map(|stop_word| &stop_word.vector);
        let mut numbers = self.vectors.iter().flatten().chain(of_stop_words);
        numbers.all(|number| number.is_finite()) && tokens.iter().all(floats)
    }
}
