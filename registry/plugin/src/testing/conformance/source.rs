//! The sources that an adapter is given: a file that goes away with the test,
//! or what a server answers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::testing::{FakeHost, context};
use gannet_api::{Context, Example, FetchRequest, HttpResponse};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Where an adapter reads from.
pub(super) enum Source {
    /// A file.
    File(TemporaryFile),
    /// A server, which every request of the adapter reaches.
    Server {
        /// Its address, where the call names it.
        address: Option<String>,
        /// What it answers.
        response: HttpResponse,
    },
}

impl Source {
    /// What an example says that there is: what its server answers, or else a
    /// file with its input.
    pub(super) fn of(example: &Example) -> io::Result<Self> {
        match &example.http_response {
            Some(response) => Ok(Self::with(example, response.to_string().as_bytes())?),
            None => Self::with(example, example.input.as_bytes()),
        }
    }

    /// A source of the sort of an example, which holds something else.
    pub(super) fn with(example: &Example, bytes: &[u8]) -> io::Result<Self> {
        match example.http_response {
            Some(_) => Ok(Self::server(example, HttpResponse::new(200, bytes))),
            None => Ok(Self::File(TemporaryFile::of(bytes)?)),
        }
    }

    /// A source of the sort of an example that is not there.
    pub(super) fn missing(example: &Example) -> io::Result<Self> {
        match example.http_response {
            Some(_) => Ok(Self::server(example, HttpResponse::new(404, "not here"))),
            None => Ok(Self::File(TemporaryFile::missing()?)),
        }
    }

    fn server(example: &Example, response: HttpResponse) -> Self {
        let address = Some(example.input.clone()).filter(|address| !address.is_empty());
        Self::Server { address, response }
    }

    /// How a request names it; `None` where the settings do.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Self::File(file) => Some(file.path().display().to_string()),
            Self::Server { address, .. } => address.clone(),
        }
    }

    /// A request for it.
    pub(super) fn request(&self, wish: FetchRequest) -> FetchRequest {
        wish.with_source(self.name())
    }

    /// A context in which it can be reached.
    pub(super) fn context(&self) -> Context {
        match self {
            Self::File(_) => context(),
            Self::Server { response, .. } => {
                let response = response.clone();
                let host = FakeHost::default().on_http(move |_| Ok(response.clone()));
                host.context()
            }
        }
    }
}

/// A file in a folder of its own in the system's folder for temporary files.
/// Both are removed on drop.
pub(super) struct TemporaryFile {
    folder: PathBuf,
}

impl TemporaryFile {
    /// Writes a file.
    pub(super) fn of(bytes: &[u8]) -> io::Result<Self> {
        let file = Self {
            folder: new_folder()?,
        };
        std::fs::write(file.path(), bytes)?;
        Ok(file)
    }

    /// The path of a file that is not there.
    fn missing() -> io::Result<Self> {
        Ok(Self {
            folder: new_folder()?,
        })
    }

    /// Where the file is.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("source")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn new_folder() -> io::Result<PathBuf> {
    let parent = std::env::temp_dir();
    loop {
        let folder = numbered(&parent);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            // Left behind by an earlier process of the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn numbered(parent: &Path) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    parent.join(format!("gannet-conformance-{process}-{number}"))
}
