//! Gannet inside a program. Arguments: a logbook (`demo/logbook.json`), a folder for the store.
use gannet_core::api::FetchRequest;
use gannet_core::{Gannet, IngestRequest, SearchInput, Stop, config::Config};
use {gannet_generic_json as _, gannet_keyword as _, gannet_rag as _};
use {gannet_index_flat as _, gannet_index_tantivy as _};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let scratch = tempfile::tempdir()?;
    let mut fetch = FetchRequest::default();
    let mut config = Config::default();
    fetch.source = Some(args.next().ok_or("name a logbook to read")?);
    config.store.path = args.next().map_or(scratch.path().into(), Into::into);
    config.search_modules.retain(|name, _| name == "keyword");
    config.pipelines.retain(|name, _| name == "rag");
    let rag = config.pipelines.entry("rag".into()).or_default();
    rag.retrieval_modules = Some(vec!["keyword".into()]);
    let adapters = &mut config.ingestion.adapters;
    adapters.retain(|name, _| name == "generic_json");
    config.enhancement_modules.clear();
    config.providers.clear();
    let gannet = Gannet::open(config).await?;
    let request = IngestRequest {
        adapter: Some("generic_json".into()),
        fetch,
        ..IngestRequest::default()
    };
    gannet.ingest(request, &Stop::default(), |_| {}).await?;
    let result = gannet.search(SearchInput::new("why did RF trip?")).await?;
    println!("{}", result.answer.unwrap_or_default());
    Ok(gannet.close().await?)
}
