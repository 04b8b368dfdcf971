//! `gannet export`: entries as JSON Lines, or as an RO-Crate archive.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::{Gannet, HostError};

use crate::arguments::{Common, ExportArguments, Format};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, number, print_json};
use crate::{output, session, signals};

/// Exports the entries that match.
pub async fn run(common: &Common, wanted: ExportArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let exported = match (&wanted.output, wanted.eln.is_empty()) {
        (Some(path), false) => eln(&gannet, common.format, &wanted.eln, path).await,
        _ => lines(&gannet, &wanted).await,
    };
    gannet.close().await?;
    exported
}

async fn lines(gannet: &Gannet, wanted: &ExportArguments) -> Result<Exit, Failure> {
    let stop = signals::stop_after("this page");
    let filter = gannet.filter(&wanted.filter.pairs())?;
    let Some(path) = &wanted.output else {
        let mut out = BufWriter::new(StandardOutput);
        let exported = gannet.export(DEFAULT_TENANT, filter, &mut out, &stop);
        return match exported.await {
            Ok(_) => Ok(Exit::unless(&stop)),
            // Told of in the end, unless whoever reads has read enough.
            Err(HostError::Output(_)) if output::is_lost() => Ok(Exit::Done),
            Err(error) => Err(error.into()),
        };
    };
    let draft = draft_of(path);
    let mut out = BufWriter::new(File::create(&draft).map_err(|error| failed(&draft, error))?);
    let count = gannet
        .export(DEFAULT_TENANT, filter, &mut out, &stop)
        .await?;
    let file = out
        .into_inner()
        .map_err(|error| failed(&draft, error.into_error()))?;
    if stop.is_raised() {
        std::fs::remove_file(&draft).map_err(|error| failed(&draft, error))?;
        return Ok(Exit::Stopped);
    }
    put(&file, &draft, path)?;
    errln!(
        "{GOOD}exported{GOOD:#} {}",
        number::count(count, "entry", "entries")
    );
    Ok(Exit::Done)
}

/// The standard output, as a writer.
struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        output::write_all(bytes);
        match output::is_lost() {
            true => Err(std::io::ErrorKind::BrokenPipe.into()),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        output::flush();
        Ok(())
    }
}

async fn eln(
    gannet: &Gannet,
    format: Format,
    ids: &[String],
    path: &Path,
) -> Result<Exit, Failure> {
    let draft = draft_of(path);
    let mut file = File::create(&draft).map_err(|error| failed(&draft, error))?;
    let written = gannet.export_eln(DEFAULT_TENANT, ids, &mut file).await;
    let report = match written {
        Ok(report) => report,
        Err(error) => {
            std::fs::remove_file(&draft).map_err(|error| failed(&draft, error))?;
            return Err(error.into());
        }
    };
    put(&file, &draft, path)?;
    match format {
        Format::Table => outln!(
            "{GOOD}exported{GOOD:#} {}, {}, and {} to other addresses",
            number::count(report.entries, "entry", "entries"),
            number::count(report.files, "file", "files"),
            number::count(report.linked, "link", "links"),
        ),
        format => print_json(&report, format)?,
    }
    Ok(Exit::Done)
}

/// What is written until all of it is there.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Puts a complete file in its place.
fn put(mut file: &File, draft: &Path, path: &Path) -> Result<(), Failure> {
    file.flush().map_err(|error| failed(draft, error))?;
    file.sync_all().map_err(|error| failed(draft, error))?;
    std::fs::rename(draft, path).map_err(|error| failed(path, error))
}

fn failed(path: &Path, source: std::io::Error) -> Failure {
    let path = path.to_owned();
    HostError::File { path, source }.into()
}
