//! `gannet models`: which there are, and model files.

use std::collections::BTreeMap;

use gannet_core::api::TrainingData;
use gannet_core::config::Config;
use gannet_core::{Gannet, HostError, InstanceState, ModelListing};
use gannet_minilm::{Converted, Error, ModelKind};

use crate::arguments::{Common, Format, ModelsCommand};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, HEADING, number, print_json_list, safe, table, wrapped};
use crate::session;

/// Lists the models, or makes a model file.
pub async fn run(common: &Common, command: Option<ModelsCommand>) -> Result<Exit, Failure> {
    match command {
        None | Some(ModelsCommand::List) => list(common).await,
        Some(ModelsCommand::Quantize { source, output }) => {
            report(gannet_minilm::quantize(&source, &output))
        }
        Some(ModelsCommand::Import { source, output }) => {
            report(gannet_minilm::import(&source, &output))
        }
    }
}

async fn list(common: &Common) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    let located = |error: HostError| Failure::from(error).located(&loaded);
    let mut counted = Ok(BTreeMap::new());
    if session::check_folder(&loaded).is_ok() {
        counted = passages(&loaded.config).await;
    }
    let models = Gannet::list_models(&loaded.config, counted.as_ref().ok());
    let models = models.map_err(located)?;
    match common.format {
        Format::Table => print(&models),
        format => print_json_list(&models, format)?,
    }
    // What is compiled in is listed without the store too.
    counted.map(|_| Exit::Done).map_err(located)
}

/// The passages of the store by the model of their vectors.
async fn passages(config: &Config) -> Result<BTreeMap<String, u64>, HostError> {
    let gannet = Gannet::open(config.clone()).await?;
    let passages = gannet.store().stats().await?.vectors;
    gannet.close().await?;
    Ok(passages)
}

fn print(models: &[ModelListing]) {
    let header = [
        "model", "kind", "instance", "state", "size", "licence", "passages",
    ];
    outln!("{}", table(&header, models.iter().map(row)));
    for model in models.iter().filter(|model| is_stated(model)) {
        let card = &model.card;
        let purpose = match card.purpose.as_str() {
            "" => String::new(),
            purpose => format!("  {}", safe(purpose)),
        };
        outln!("\n{HEADING}{}{HEADING:#}{purpose}", safe(&card.name));
        let version = card.features_version;
        let mut lines = vec![("source", card.source.clone())];
        let labels = std::iter::once("trained on").chain(std::iter::repeat(""));
        lines.extend(labels.zip(card.trained_on.iter().map(data)));
        lines.extend([
            ("languages", card.languages.join(", ")),
            ("made by", card.made_by.clone()),
            ("trained", card.trained.clone()),
            ("machine", card.machine.clone()),
            (
                "features",
                version.map_or_else(String::new, |version| format!("version {version}")),
            ),
        ]);
        for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
            let first = format!("  {name:<11} ");
            outln!("{}", wrapped(&safe(text), &first, &" ".repeat(first.len())));
        }
    }
}

fn row(model: &ModelListing) -> Vec<String> {
    let card = &model.card;
    let kind = match (model.kind, model.state) {
        (Some(kind), _) => kind.label(),
        (None, Some(_)) => "host",
        (None, None) => "store",
    };
    let state = model.state.map_or("", InstanceState::label);
    let size = match card.bytes {
        0 => String::new(),
        bytes => number::bytes(bytes),
    };
    let passages = match model.passages {
        None => "not known".to_owned(),
        Some(0) => String::new(),
        Some(passages) => number::grouped(passages),
    };
    let texts = [
        card.name.as_str(),
        kind,
        model.instance.as_deref().unwrap_or(""),
        state,
        &size,
    ];
    let texts = texts
        .into_iter()
        .chain([not_empty(&card.license), &passages]);
    texts.map(str::to_owned).collect()
}

/// Whether anything but its name is known of it.
fn is_stated(model: &ModelListing) -> bool {
    !model.card.source.is_empty() || !model.card.trained_on.is_empty()
}

fn not_empty(text: &str) -> &str {
    match text {
        "" => "not stated",
        text => text,
    }
}

fn data(data: &TrainingData) -> String {
    format!("{}, {}: {}", data.name, not_empty(&data.license), data.what)
}

/// Says which file was made.
fn report(made: Result<Converted, Error>) -> Result<Exit, Failure> {
    let made = made.map_err(Failure::usage)?;
    outln!(
        "{GOOD}written{GOOD:#} {} ({}): {}",
        made.path.display(),
        number::bytes(made.bytes),
        describe(&made)
    );
    Ok(Exit::Done)
}

/// What was made, and which setting takes it.
fn describe(made: &Converted) -> String {
    let Converted {
        model_id,
        dimension,
        max_tokens,
        ..
    } = made;
    match made.kind {
        ModelKind::Embedder => format!(
            "{model_id}, an embedder with {dimension} dimensions and {max_tokens} tokens per \
             text, for `model_path` of the provider `builtin`"
        ),
        ModelKind::Reranker => format!(
            "{model_id}, a reranker with {max_tokens} tokens per pair, for `path` of the provider `cross_encoder`"
        ),
    }
}
