//! Plugins without a runtime that behave and misbehave, for the tests of
//! loading. The same crate is linked in by the benches.

use gannet_plugin::{
    Context, Descriptor, Highlight, Hit, NoSettings, Result, ScoreKind, SearchModule,
    SearchRequest, Setup,
};

gannet_plugin::export_plugin! {
    search_modules: [Sturdy],
}

/// Gives as many hits as it is asked for, out of nothing.
pub struct Sturdy;

impl SearchModule for Sturdy {
    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module("sturdy", "Sturdy", "Gives as many hits as it is asked for.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok((0..request.limit).map(hit).collect())
    }
}

fn hit(number: usize) -> Hit {
    let mut hit = Hit::new(format!("E{number}"), "logbook", 1.0, ScoreKind::Bm25);
    hit.highlights.push(Highlight {
        text: "RF cavity tripped on reflected power".to_owned(),
        ranges: vec![(0, 2)],
    });
    hit
}
