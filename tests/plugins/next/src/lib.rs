//! A plugin of the next minor version of the contract, which uses what that
//! has more: a method of the host, a key of descriptors, and values of two
//! enumerations.

use gannet_plugin::descriptor::Retrieval;
use gannet_plugin::prelude::*;
use gannet_plugin::search::{ScoreKind, TextSearch};

gannet_plugin::export_plugin! {
    search_modules: [Next],
}

/// Gives what the host finds, after a hit whose id is what the host's newest
/// method says.
pub struct Next;

impl SearchModule for Next {
    const NAME: &'static str = "next";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let mut descriptor = Descriptor::search_module(Self::NAME, "Next", "Uses what is new.")
            .with_retrieval(Retrieval::Sparse);
        descriptor.maturity = "stable".to_owned();
        descriptor
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let newest = format!("newest {}", context.host().newest());
        let mut hits = vec![Hit::new(newest, "log", 1.0, ScoreKind::Cosmic)];
        hits.extend(
            context
                .text_search(TextSearch::new(request.query, request.limit))
                .await?,
        );
        Ok(hits)
    }
}
