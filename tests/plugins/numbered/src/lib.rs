//! A module whose name is a text of fixed length that stands in the built
//! file as it is, so that a test makes many plugins of one build. Asked what it
//! is, it never answers under a name with `looping`, and it panics under a name
//! of another sort.
#![allow(clippy::panic, reason = "it is made to panic")]

use std::hint::black_box;

use gannet_plugin::prelude::{
    Context, Descriptor, Hit, NoSettings, Result, SearchModule, SearchRequest, Setup,
};
use gannet_plugin::search::ScoreKind;

/// The name as it is built.
pub const NAME: &str = "numbered_0000";

/// Tells its name.
pub struct Numbered;

impl SearchModule for Numbered {
    const NAME: &'static str = NAME;

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        while name().starts_with("looping") {
            std::thread::park();
        }
        assert!(name().starts_with("numbered"), "{} has no number", name());
        Descriptor::search_module(name(), "Numbered", "Tells its name.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(vec![Hit::new(name(), "logbook", 1.0, ScoreKind::None)])
    }
}

/// Read from memory: the optimiser would write the letters into the code.
fn name() -> &'static str {
    black_box(NAME)
}

gannet_plugin::export_plugin! {
    search_modules: [Numbered],
}
