//! Readers in a host: which is asked, and what is checked of their answers.

use gannet_api::{
    Answer, Context, Descriptor, Entry, Error, NoSettings, Pipeline, PipelineRequest, PluginKind,
    ReadPassage, ReadRequest, ReadSpan, Reader, Reading, Registration, Result, Setup,
};
use gannet_core::{HostError, SearchInput};
use gannet_registry::Registry;
use gannet_tests::Host;
use serde_json::{Value, json};

/// The one passage: the second character has two bytes.
const TEXT: &str = "1 µs after the trip";

/// Answers in the way that the question names; as the built-in reader or as
/// another one.
struct Strange<const IS_BUILTIN: bool>;

impl<const IS_BUILTIN: bool> Reader for Strange<IS_BUILTIN> {
    const NAME: &'static str = if IS_BUILTIN { "builtin" } else { "strange" };

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reader(Self::NAME, "Strange", "Answers as told.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn read(&self, request: ReadRequest, _context: &Context) -> Result<Reading> {
        let span = |range| ReadSpan::new(0, range, 0.5);
        let spans = match request.question.as_str() {
            "panic" => panic!("as told"),
            "error" => return Err(Error::internal("as told")),
            "hang" => std::future::pending().await,
            "none" => return Ok(Reading::new(vec![], f64::NAN)),
            "other passage" => vec![ReadSpan::new(1, 0..1, 0.5)],
            "in a character" => vec![span(0..3)],
            "nothing" => vec![span(2..2)],
            "beyond" => vec![span(0..99)],
            "overlap" => vec![span(5..10), span(0..6)],
            "too long" => vec![span(0..TEXT.len())],
            "too likely" => vec![ReadSpan::new(0, 0..1, 1.5)],
            "answer elsewhere" => vec![span(0..1).with_answers(vec![0..1, 2..4])],
            _ => vec![span(16..20).with_answers(vec![16..18, 19..20]), span(0..5)],
        };
        Ok(Reading::new(spans, 0.25))
    }
}

/// Asks a reader: the one that is named before a colon, or else the default.
struct Asking;

impl Pipeline for Asking {
    const NAME: &'static str = "asking";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Asking", "Asks a reader.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let named = request.query.split_once(": ");
        let (provider, question) = match named {
            Some((provider, question)) => (Some(provider.to_owned()), question),
            None => (None, request.query.as_str()),
        };
        let time = "2024-01-05T08:30:00Z".parse().unwrap();
        let passages = vec![ReadPassage::new(Entry::new("E1", "log", time, TEXT), 1.0)];
        let request = ReadRequest::new(question, passages, 12).with_provider(provider);
        let reading = context.read(request).await?;
        Ok(Answer::default().with_pipeline_details(json!(reading)))
    }
}

/// A host without the readers that are built in.
async fn host(readers: &[Registration], settings: &[(&str, &str)]) -> Host {
    let linked = Registration::linked().copied();
    let others = linked.filter(|registration| registration.kind != PluginKind::Reader);
    let own = [Registration::pipeline::<Asking>("test", "1.0.0")];
    let all = others.chain(own).chain(readers.iter().copied());
    let mut settings = settings.to_vec();
    settings.push(("pipelines.asking.enabled", "true"));
    Host::with_plugins(&settings, &Registry::of(all).unwrap()).await
}

async fn strange() -> Host {
    let readers = [
        Registration::reader::<Strange<true>>("test", "1.0.0"),
        Registration::reader::<Strange<false>>("test", "1.0.0"),
    ];
    host(&readers, &[("providers.spans.plugin", "strange")]).await
}

async fn ask(host: &Host, question: &str) -> std::result::Result<Value, Error> {
    let mut input = SearchInput::new(question);
    input.mode = Some("asking".to_owned());
    match host.gannet.search(input).await {
        Ok(result) => Ok(result.pipeline_details.unwrap()),
        Err(HostError::Plugin(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn the_builtin_reader_is_asked_unless_another_one_is_named() {
    let host = strange().await;
    for question in ["when?", "spans: when?"] {
        let reading: Reading = serde_json::from_value(ask(&host, question).await.unwrap()).unwrap();
        let first = ReadSpan::new(0, 16..20, 0.5).with_answers(vec![16..18, 19..20]);
        assert_eq!(reading.spans, [first, ReadSpan::new(0, 0..5, 0.5)]);
        assert_eq!(reading.no_answer, 0.25);
    }
    let Error::NotFound { what, name, hint } = ask(&host, "span: when?").await.unwrap_err() else {
        panic!("there is no such reader");
    };
    assert_eq!((what.as_str(), name.as_str()), ("reader", "span"));
    assert!(hint.contains("under `providers`"), "{hint}");
}

#[tokio::test]
async fn a_host_without_a_builtin_reader_says_what_to_do() {
    let error = ask(&host(&[], &[]).await, "when?").await.unwrap_err();
    let Error::Unavailable { message } = error else {
        panic!("{error}");
    };
    assert!(message.starts_with("no reader `builtin`"), "{message}");
    assert!(message.contains("under `providers`"), "{message}");
}

#[tokio::test]
async fn what_is_wrong_with_a_reading_is_told_with_the_name_of_the_reader() {
    let host = strange().await;
    for (question, problem) in [
        ("none", "the probability NaN of none"),
        ("other passage", "a span of passage 1; there are 1"),
        ("in a character", "the span 0..3 of passage 0"),
        ("nothing", "the span 2..2 of passage 0"),
        ("beyond", "the span 0..99 of passage 0"),
        ("overlap", "the spans 0..6 and 5..10 of passage 0 overlap"),
        ("too long", "more than the 12 characters"),
        ("too likely", "the probability 1.5 of a span"),
        ("answer elsewhere", "the answer 2..4 in the span 0..1"),
    ] {
        let error = ask(&host, &format!("spans: {question}")).await.unwrap_err();
        let Error::InvalidResult { plugin, message } = error else {
            panic!("{error}");
        };
        assert_eq!(plugin, "reader `spans`");
        assert!(message.contains(problem), "{message}");
    }
}

#[tokio::test]
async fn a_reader_that_fails_is_contained() {
    let host = strange().await;
    let error = ask(&host, "error").await.unwrap_err();
    assert_eq!(error, Error::internal("as told"));
    for _ in 0..5 {
        let error = ask(&host, "panic").await.unwrap_err();
        let Error::Panicked { plugin, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(plugin, "reader `builtin`");
    }
    let error = ask(&host, "when?").await.unwrap_err();
    assert!(error.to_string().contains("is in quarantine"), "{error}");
    // Another one is asked all the same.
    ask(&host, "spans: when?").await.unwrap();
}

#[tokio::test]
async fn a_reader_that_hangs_is_a_timeout() {
    let reader = Registration::reader::<Strange<true>>("test", "1.0.0");
    let host = host(&[reader], &[("request_timeout_seconds", "1")]).await;
    let error = ask(&host, "hang").await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
}
