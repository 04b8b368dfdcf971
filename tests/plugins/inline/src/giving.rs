//! Modules that give what they are asked for.

use gannet_plugin::descriptor::{ParameterDescriptor, ParameterType};
use gannet_plugin::prelude::{
    Context, Descriptor, Hit, NoSettings, Result, SearchModule, SearchRequest, Setup,
};
use gannet_plugin::provider::{EmbedPurpose, EmbedRequest};
use gannet_plugin::search::{Highlight, Matched, Passage, Provenance, ScoreKind};
use serde_json::json;

/// Gives as many hits as it is asked for, out of nothing.
pub struct Giving;

impl SearchModule for Giving {
    const NAME: &'static str = "giving";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(
            Self::NAME,
            "Giving",
            "Gives as many hits as it is asked for.",
        )
        .with_parameters(vec![ParameterDescriptor::new(
            "rich",
            "Rich",
            "Whether hits have all that a hit can have.",
            ParameterType::Bool,
            false,
        )])
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        let make = match request.param("rich")?.unwrap_or(false) {
            true => rich_hit,
            false => plain_hit,
        };
        Ok((0..request.limit).map(make).collect())
    }
}

/// A hit as the keyword module gives it: two ids, a piece of text, a place.
fn plain_hit(number: usize) -> Hit {
    let mut hit = Hit::new(format!("E{number}"), "logbook", 1.5, ScoreKind::Bm25);
    hit.highlights.push(Highlight::new(
        "RF cavity 1 tripped on reflected power",
        vec![(0, 2), (12, 19)],
    ));
    hit
}

fn rich_hit(number: usize) -> Hit {
    let mut hit = plain_hit(number);
    hit.matched = Matched::Some;
    hit.passage = Some(Passage::new(2, 10..17, "tripped"));
    hit.provenance
        .push(Provenance::new("giving", 1, -0.5, ScoreKind::Cosine));
    hit.explain = Some(json!({ "why": ["because", 1, null] }));
    hit
}

/// Asks the host for a vector and gives nothing.
pub struct Embedding;

impl SearchModule for Embedding {
    const NAME: &'static str = "embedding";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Embedding", "Asks the host for a vector.")
            .needs_embedder()
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let wish = EmbedRequest::new(vec![request.query], EmbedPurpose::Query);
        context.embed(wish).await?;
        Ok(Vec::new())
    }
}
