//! Runs the adapter as the host does, with a host that offers nothing.

use std::io::Write;
use std::path::Path;

use gannet_jsonl::{Jsonl, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, Fetched};

pub fn fetch_file(path: &Path, settings: Settings) -> Result<Fetched> {
    let source = Some(path.display().to_string());
    let request = FetchRequest::default().with_source(source);
    fetch(settings, request)
}

pub fn fetch_text(text: impl AsRef<[u8]>, settings: Settings) -> Fetched {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_ref()).unwrap();
    fetch_file(file.path(), settings).unwrap()
}

pub fn fetch(settings: Settings, request: FetchRequest) -> Result<Fetched> {
    let setup = Setup::default().with_timezone("America/New_York");
    let mut context = testing::context();
    context.call.tenant = "ring-1".into();
    let adapter = Jsonl::new(settings, &setup)?;
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}
