//! The hosts that plugins are examined on.

use super::reader;
use super::report::quoted;
use super::troubled_host::{Trouble, TroubledHost};
use crate::testing::FakeHost;
use gannet_api::{
    ChatChunk, Context, Descriptor, Entry, Example, Hit, HttpResponse, NoSettings, Result,
    SearchModule, SearchRequest, Setup, TextSearch,
};
use serde_json::Value;

/// The search module that pipelines are given.
pub(super) const KEYWORD: &str = "keyword";

/// The host, whose servers answer this.
fn answering(host: FakeHost, response: &Value) -> FakeHost {
    let body = response.to_string();
    host.on_http(move |_| Ok(HttpResponse::new(200, body.clone())))
}

/// A host, and what it holds.
pub(super) struct World {
    pub(super) entries: Vec<Entry>,
    pub(super) host: FakeHost,
}

impl World {
    /// A host with these entries, the first of each id, their vectors, one
    /// search module and a reader that compares words. A plugin that needs a
    /// chat model has one that says little.
    pub(super) fn of(entries: impl IntoIterator<Item = Entry>, descriptor: &Descriptor) -> Self {
        let mut held: Vec<Entry> = Vec::new();
        for entry in entries {
            if held.iter().all(|one| one.entry_id != entry.entry_id) {
                held.push(entry);
            }
        }
        let mut host = FakeHost::default()
            .with_entries(held.iter().cloned())
            .with_hashed_vectors()
            .with_search_module(KEYWORD, Keyword)
            .on_read(|request| Ok(reader::read(request)));
        if descriptor.needs.chat {
            host = host.on_chat(|_| {
                let said = ChatChunk::Token("The entries do not say.".to_owned());
                Ok(vec![Ok(said), Ok(ChatChunk::End("stop".to_owned()))])
            });
        }
        let examples = descriptor.examples.iter();
        if let Some(response) = examples.filter_map(|one| one.http_response.as_ref()).next() {
            host = answering(host, response);
        }
        Self {
            entries: held,
            host,
        }
    }

    /// A host with the entries of an example.
    pub(super) fn of_example(example: &Example, descriptor: &Descriptor) -> Self {
        let world = Self::of(example.entries.iter().cloned(), descriptor);
        world.answering_as(example)
    }

    /// Servers answer what the example says.
    fn answering_as(mut self, example: &Example) -> Self {
        if let Some(response) = &example.http_response {
            self.host = answering(self.host, response);
        }
        self
    }

    /// A world in which every entry of an example has two doubles beside it.
    pub(super) fn with_doubles(example: &Example, descriptor: &Descriptor) -> Self {
        let doubled = example.entries.iter().flat_map(|entry| {
            ["", " double", " second double"].map(|suffix| {
                let mut double = entry.clone();
                double.entry_id.push_str(suffix);
                double
            })
        });
        Self::of(doubled, descriptor).answering_as(example)
    }

    pub(super) fn context(&self) -> Context {
        self.host.context()
    }

    pub(super) fn troubled_context(&self, trouble: Trouble) -> Context {
        TroubledHost::context(&self.host, trouble)
    }

    /// The entry of an id, as the tenant of every context may see it.
    pub(super) fn entry(&self, id: &str) -> std::result::Result<&Entry, String> {
        let visible =
            |entry: &&Entry| entry.entry_id == id && entry.tenant == gannet_api::DEFAULT_TENANT;
        let entry = self.entries.iter().find(visible);
        entry.ok_or_else(|| format!("the host holds no entry {}", quoted(id)))
    }
}

/// Entries as a facility writes them, and some as nobody would.
pub(super) fn standing_entries() -> Vec<Entry> {
    let facility = [
        (
            "2024-01-05T08:30:00Z",
            "J. Smith",
            "Day",
            "RF cavity tripped, reset at 08:45",
        ),
        (
            "2024-01-06T22:10:00Z",
            "A. Jones",
            "Owl",
            "Vacuum leak at the RF cavity, pumps on",
        ),
        (
            "2024-02-11T14:00:00Z",
            "",
            "Swing",
            "Beam lost. Magnet BPM:12 reads 0.7 mm",
        ),
    ];
    let odd = [
        ("0001-01-01T00:00:00Z", "", "", ""),
        (
            "2024-03-01T00:00:00Z",
            "\u{202e}htimS",
            "",
            "\u{0}\u{1b}[31m RF \"'<b>&lt;\\ 🛑 é",
        ),
    ];
    let entries = facility.into_iter().chain(odd).enumerate();
    let entries = entries.map(|(index, (time, author, shift, text))| {
        let time = time.parse().unwrap_or_default();
        let mut entry = Entry::new(format!("standing-{index}"), "standing", time, text);
        entry.author = author.to_owned();
        entry.metadata.insert("shift".to_owned(), shift.into());
        entry
    });
    entries.collect()
}

/// A search module that asks the text index.
struct Keyword;

impl SearchModule for Keyword {
    const NAME: &'static str = KEYWORD;

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Keyword", "Finds entries by their words.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let mut search = TextSearch::new(request.query, request.limit);
        search.syntax = request.syntax;
        search.filter = request.filter;
        context.text_search(search).await
    }
}
