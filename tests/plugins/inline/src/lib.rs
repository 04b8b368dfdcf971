//! Plugins without a runtime that behave and misbehave, for the tests of
//! loading and the benches. The same crate is linked in beside it.

mod answering;
mod as_json;
mod enhancing;
mod failing;
mod giving;
mod planning;
mod providing;
mod reading;

pub use answering::Telling;
pub use as_json::{AskedHits, AskedVectors, EmbeddingJson, GivenVectors, GivingJson};
pub use enhancing::Counting;
pub use failing::Failing;
pub use giving::{Embedding, Giving};
pub use planning::Planning;
pub use providing::{Echoing, FirstWord, Pointing, Shortest};
pub use reading::Reading;

gannet_plugin::export_plugin! {
    search_modules: [Giving, GivingJson, Embedding, EmbeddingJson, Failing],
    pipelines: [Planning, Telling],
    adapters: [Reading],
    enhancers: [Counting],
    embedders: [Pointing],
    rerankers: [Shortest],
    readers: [FirstWord],
    chat_models: [Echoing],
}
