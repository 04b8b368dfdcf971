//! A pipeline that asks `rag` for entries and tells what the reader makes of
//! them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gannet_plugin::descriptor::{ParameterDescriptor, ParameterType};
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, NoSettings, Pipeline, PipelineRequest, Result, Setup,
};
use gannet_plugin::provider::{ReadPassage, ReadRequest};
use gannet_reader::{QuestionVectors, Trace, TracedSentence};
use gannet_stages::{QUOTED_CHARS_AT_MOST, asks_for_entries};
use serde_json::{Map, Value, json};

gannet_plugin::export_plugin! {
    pipelines: [Traced],
}

/// The name of the pipeline.
pub(crate) const NAME: &str = "traced";
/// The parameter that names entries that are not read.
pub(crate) const WITHOUT: &str = "without";

/// The pipeline.
pub(crate) struct Traced {
    timezone: String,
}

impl Pipeline for Traced {
    const NAME: &'static str = NAME;

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let description = "Ids of entries that are not read, with commas between.";
        let text = ParameterType::Text;
        let without = ParameterDescriptor::new(WITHOUT, "Without", description, text, "");
        Descriptor::pipeline(NAME, "Traced", "Tells what the reader makes of a question.")
            .with_parameters(vec![without])
    }

    fn new(_: NoSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            timezone: setup.timezone.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let without = request.params.get(WITHOUT).and_then(Value::as_str);
        let without: Vec<&str> = without.unwrap_or_default().split(',').collect();
        let plan = request.plan.clone();
        let mut search = request.clone();
        search.params = Map::from_iter([("answer".to_owned(), json!("none"))]);
        let found = context.run_pipeline("rag", search).await?.answer;
        let mut hits = found.hits;
        hits.retain(|hit| !without.contains(&hit.entry_id.as_str()));
        let ids = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let entries = context.entries(ids).await?;
        let passages = hits.iter().filter_map(|hit| {
            let entry = entries
                .iter()
                .find(|entry| entry.entry_id == hit.entry_id)?;
            Some(ReadPassage::new(entry.clone(), hit.score))
        });
        let read = ReadRequest::new(&request.query, passages.collect(), QUOTED_CHARS_AT_MOST)
            .with_plan(plan.clone());
        let trace = gannet_reader::trace(&read, &self.timezone, context).await;
        let lists = plan.is_some_and(|plan| asks_for_entries(&plan));
        let trace = as_json(&trace, &read, lists);
        Ok(Answer::new(hits).with_pipeline_details(json!({ "trace": trace })))
    }
}

fn as_json(trace: &Trace, read: &ReadRequest, lists: bool) -> Value {
    let entries = trace
        .sentences
        .iter()
        .zip(&trace.answers)
        .zip(&read.passages);
    let entries = entries.map(|((sentences, answer), passage)| {
        json!({
            "id": passage.entry.entry_id,
            "answer": answer.as_ref().map(|answer| answer.values()),
            "sentences": sentences.iter().map(sentence).collect::<Vec<_>>(),
        })
    });
    let ids: Vec<&str> = read
        .passages
        .iter()
        .map(|p| p.entry.entry_id.as_str())
        .collect();
    json!({
        "entries": entries.collect::<Vec<_>>(),
        "ranking": ids,
        "has_vectors": trace.has_vectors,
        "lists": lists,
        "question": trace.question_vectors.as_ref().map(question),
    })
}

fn question(vectors: &QuestionVectors) -> Value {
    json!({
        "embedder": { "model": vectors.model.name, "variant": vectors.model.variant },
        "focus": vectors.focus,
        "question_word": vectors.question_word,
    })
}

fn sentence(sentence: &TracedSentence) -> Value {
    let words = &sentence.words;
    let signs: Vec<u8> = words.iter().flat_map(|word| word.signs.clone()).collect();
    let features = words.iter().flat_map(|word| word.features.values());
    let features: Vec<u8> = features.flat_map(f32::to_le_bytes).collect();
    json!({
        "start": sentence.range.start,
        "end": sentence.range.end,
        "text": sentence.text,
        "features": sentence.features.values(),
        "words": {
            "starts": words.iter().map(|word| word.start).collect::<Vec<_>>(),
            "signs": STANDARD.encode(signs),
            "features": STANDARD.encode(features),
        },
    })
}
