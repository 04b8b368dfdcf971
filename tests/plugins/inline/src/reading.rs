//! An adapter whose source is the text that it is given.
#![allow(clippy::panic, reason = "it is made to panic")]

use futures::StreamExt;
use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::ingest::{RecordStream, RejectedRecord};
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Entry, Error, FetchRequest, NoSettings, Record, Result, Setup,
};
use gannet_plugin::publish::{PublishRequest, Published, Writing};

use crate::failing::block;

/// Makes an entry of each word of its source. `bad` is rejected, `broken`
/// ends the stream with an error, `panic` with a panic, `wait` never comes,
/// `block` holds the thread that asks for it, `nameless` has no id and
/// `control` one with control characters,
/// `tenant` becomes the tenant that the call is for.
///
/// It also takes entries, under an id made of the user's name and the tenant,
/// and fails in the ways that their text asks for.
pub struct Reading;

impl Adapter for Reading {
    const NAME: &'static str = "reading";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::new(
            gannet_plugin::descriptor::PluginKind::Adapter,
            Self::NAME,
            "Reading",
            "Makes an entry of each word of its source.",
        )
    }

    fn describe(_settings: &NoSettings) -> InstanceDescription {
        let writing = Writing::new("words").with_needs_credentials(true);
        InstanceDescription::default().with_writing(writing)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let source = request.source.unwrap_or_default();
        let source = source.replace("tenant", &context.call.tenant);
        let words: Vec<String> = source.split_whitespace().map(str::to_owned).collect();
        let limit = request.limit.unwrap_or(usize::MAX);
        let total = words.len() as u64;
        let records = futures::stream::iter(words.into_iter().take(limit).enumerate());
        Ok(
            RecordStream::new(records.then(|(at, word)| async move { record(at, &word).await }))
                .with_total(total),
        )
    }

    async fn publish(&self, request: PublishRequest, context: &Context) -> Result<Published> {
        let Some(credentials) = &request.credentials else {
            let message = "log in to write".to_owned();
            return Err(Error::Credentials { message });
        };
        let (user, password) = (&credentials.user, &credentials.password);
        match request.details() {
            "refused" => Err(Error::invalid_input(format!("not with {password}"))),
            "panic" => panic!("while it is written"),
            "wait" => std::future::pending().await,
            "control" => Ok(Published::new("W\u{1b}")),
            _ => Ok(Published::new(format!("{user}@{}", context.call.tenant))),
        }
    }
}

async fn record(at: usize, word: &str) -> Result<Record> {
    match word {
        "broken" => Err(Error::internal("the source broke")),
        "panic" => panic!("at word {at}"),
        "wait" => std::future::pending().await,
        "block" => {
            tracing::warn!("blocking");
            block()
        }
        "bad" => Ok(Record::Rejected(RejectedRecord::new(
            format!("word {at}"),
            "it is bad",
            word,
        ))),
        word => {
            let time = jiff::Timestamp::UNIX_EPOCH;
            let id = match word {
                "nameless" => String::new(),
                "control" => format!("W{at}\u{1b}[2J"),
                _ => format!("W{at}"),
            };
            let mut entry = Entry::new(id, "words", time, word);
            entry
                .metadata
                .insert("length".to_owned(), word.len().into());
            entry.keywords.push(word.to_owned());
            Ok(Record::Entry(Box::new(entry)))
        }
    }
}
