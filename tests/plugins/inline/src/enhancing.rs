//! An enhancer that adds all that can be added.

use gannet_plugin::enhance::{Enhanced, PassageEmbedding, PassageEmbeddings, Patch};
use gannet_plugin::prelude::{Context, Descriptor, Enhancer, Entry, NoSettings, Result, Setup};
use serde_json::Map;

use crate::failing::block;

/// Counts the words of an entry; an entry without words fails, and one whose
/// text is `block` holds the thread for ever.
pub struct Counting;

impl Enhancer for Counting {
    const NAME: &'static str = "counting";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::enhancer(Self::NAME, "Counting", "Counts the words of an entry.").at_order(70)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        // What no plugin should do, and what must not mislead the host.
        println!("{{\"passed\":true}}");
        Ok(Self)
    }

    async fn enhance(&self, entries: Vec<Entry>, _context: &Context) -> Result<Vec<Enhanced>> {
        if entries.iter().any(|entry| entry.raw_text == "block") {
            tracing::warn!("blocking");
            block();
        }
        Ok(entries.iter().map(enhanced).collect())
    }
}

fn enhanced(entry: &Entry) -> Enhanced {
    let words = entry.raw_text.split_whitespace().count();
    let patch = Patch::default()
        .with_keywords(vec![format!("{words} words")])
        .with_summary(entry.raw_text.chars().take(10).collect::<String>())
        .with_metadata(Map::from_iter([("words".to_owned(), words.into())]))
        .with_embeddings(PassageEmbeddings::new(
            "counting",
            vec![PassageEmbedding::new(
                0..entry.raw_text.len(),
                vec![1.0, 0.0],
            )],
        ));
    Enhanced::new(
        entry.entry_id.clone(),
        match words {
            0 => Err("it has no words".to_owned()),
            _ => Ok(patch),
        },
    )
}
