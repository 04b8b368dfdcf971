//! Plugins of the test program, as an author registers them.

use futures::StreamExt;
use gannet_api::{
    Adapter, Answer, ChatRequest, Context, Descriptor, Diagnostic, Enhanced, Enhancer, Entry,
    Error, Event, FetchRequest, Hit, InstanceDescription, NoSettings, Patch, Pipeline,
    PipelineRequest, PublishRequest, Published, Record, RecordStream, Registration, RejectedRecord,
    Result, SearchModule, SearchRequest, Setup, TextSearch, Writing,
};
use serde_json::json;

gannet_api::inventory::submit! { Registration::search_module::<Echo>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::pipeline::<Teller>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::adapter::<Words>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::enhancer::<Lengths>("test", "1.0.0") }

/// Passes the question to the host, or panics or errs when it is told to.
struct Echo;

impl SearchModule for Echo {
    const NAME: &'static str = "echo";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Echo", "Passes the question on.")
    }

    fn new(_settings: NoSettings, setup: &Setup) -> Result<Self> {
        match setup.instance.as_str() {
            "refused" => Err(Error::configuration("echo.x", "is not to be")),
            "panics" => panic!("in the constructor"),
            _ => Ok(Self),
        }
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        context.diagnose(Diagnostic::info("echo", "asked"));
        match request.query.as_str() {
            "panic" => panic!("as told"),
            "error" => Err(Error::not_found("valve", "V3")),
            "wait" => std::future::pending().await,
            query => {
                let mut search = TextSearch::new(query, request.limit);
                search.filter = request.filter.clone();
                context.text_search(search).await
            }
        }
    }
}

/// Streams a completion on.
struct Teller(Vec<String>);

impl Pipeline for Teller {
    const NAME: &'static str = "teller";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Teller", "Streams a completion on.")
    }

    fn new(_settings: NoSettings, setup: &Setup) -> Result<Self> {
        Ok(Self(setup.retrieval_modules.clone()))
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let mut pieces = context.chat(ChatRequest::default()).await?;
        let mut answer = String::new();
        while let Some(piece) = pieces.next().await {
            answer.push_str(&format!("{:?};", piece?));
            context.emit(Event::End);
        }
        Ok(Answer::default()
            .with_answer(answer)
            .with_plan(json!({ "modules": self.0, "query": request.query }))
            .with_citations(vec!["E1".to_owned()])
            .with_degraded(true))
    }
}

/// Makes a record of each word of its source, and takes entries of one user.
struct Words;

impl Adapter for Words {
    const NAME: &'static str = "words";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::adapter(Self::NAME, "Words", "A record a word.")
    }

    fn describe(_settings: &NoSettings) -> InstanceDescription {
        let writing = Writing::new("words").with_needs_credentials(true);
        InstanceDescription::default().with_writing(writing)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn fetch(&self, request: FetchRequest, _context: &Context) -> Result<RecordStream> {
        let source = request.source.unwrap_or_default();
        let words: Vec<String> = source.split(' ').map(str::to_owned).collect();
        let total = words.len() as u64;
        let records = futures::stream::iter(words).map(|word| record(&word));
        Ok(RecordStream::new(records)
            .with_total(total)
            .with_complete_since(request.since))
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let message = "log in".to_owned();
        let credentials = request.credentials.as_ref();
        let user = &credentials.ok_or(Error::Credentials { message })?.user;
        context.diagnose(Diagnostic::info("words", "written"));
        Ok(Published::new(format!("{user}: {}", request.subject())))
    }
}

fn record(word: &str) -> Result<Record> {
    match word {
        "broken" => Err(Error::internal("the source broke")),
        "panic" => panic!("at a word"),
        "bad" => Ok(Record::Rejected(
            RejectedRecord::new("word", "bad", word).with_entry_id("B".to_owned()),
        )),
        word if word.starts_with("gone@") => Ok(Record::Deleted(word[5..].to_owned())),
        word if word.starts_with("at@") => Ok(Record::Cursor(word[3..].to_owned())),
        word => Ok(Record::Entry(Box::new(Entry::new(
            word,
            "words",
            jiff::Timestamp::UNIX_EPOCH,
            word,
        )))),
    }
}

/// Adds the length of the text.
struct Lengths;

impl Enhancer for Lengths {
    const NAME: &'static str = "lengths";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::enhancer(Self::NAME, "Lengths", "Adds lengths.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn enhance(&self, entries: Vec<Entry>, _context: &Context) -> Result<Vec<Enhanced>> {
        let patch = |entry: &Entry| Patch::default().with_summary(entry.raw_text.len().to_string());
        Ok(entries
            .iter()
            .map(|entry| {
                Enhanced::new(
                    entry.entry_id.clone(),
                    match entry.raw_text.is_empty() {
                        true => Err("empty".to_owned()),
                        false => Ok(patch(entry)),
                    },
                )
            })
            .collect())
    }
}
