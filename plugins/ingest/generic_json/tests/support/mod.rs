//! Runs the adapter as the host does, with a host that offers nothing.

use std::io::Write;
use std::path::Path;

use gannet_generic_json::{GenericJson, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, Fetched};

pub fn fetch_file(path: &Path, mut request: FetchRequest) -> Result<Fetched> {
    request.source = Some(path.display().to_string());
    fetch(Settings::default(), request)
}

pub fn fetch_text(text: impl AsRef<[u8]>, request: FetchRequest) -> Result<Fetched> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_ref()).unwrap();
    fetch_file(file.path(), request)
}

pub fn fetch(settings: Settings, request: FetchRequest) -> Result<Fetched> {
    let setup = Setup::default().with_timezone("America/New_York");
    let mut context = testing::context();
    context.call.tenant = "ring-1".into();
    let adapter = GenericJson::new(settings, &setup)?;
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}
