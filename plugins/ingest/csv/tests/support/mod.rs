//! Runs the adapter as the host does, with a host that offers nothing.

use std::io::Write;

use gannet_csv::{Csv, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, Fetched};
use serde_json::Value;

pub fn fetch(text: impl AsRef<[u8]>, settings: Value) -> Result<Fetched> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_ref()).unwrap();
    fetch_source(&file.path().display().to_string(), settings)
}

pub fn fetch_source(source: &str, settings: Value) -> Result<Fetched> {
    let settings: Settings = testing::settings(settings)?;
    let setup = Setup::default()
        .with_instance("shift_book")
        .with_timezone("America/New_York");
    let request = FetchRequest::default().with_source(source.to_owned());
    let mut context = testing::context();
    context.call.tenant = "ring-1".into();
    let adapter = Csv::new(settings, &setup)?;
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}
