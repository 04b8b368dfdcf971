//! A folder whose files are read, and nothing outside of it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gannet_plugin::ingest;
use gannet_plugin::prelude::Result;

/// The folder, with all symlinks resolved.
pub(crate) struct Folder {
    root: PathBuf,
    #[cfg(target_os = "linux")]
    handle: File,
}

/// What of a folder is read.
pub(crate) struct Limits {
    /// The files that are read, whatever their extensions; all with one of the
    /// extensions when empty.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) extensions: Vec<String>,
    pub(crate) max_files: usize,
    pub(crate) max_depth: usize,
}

/// What a folder holds.
#[derive(Default)]
pub(crate) struct Listing {
    /// The files that are read, as paths from the folder, in their order.
    pub(crate) files: Vec<PathBuf>,
    /// How many files have another extension.
    pub(crate) left_out: u64,
}

impl Folder {
    /// Opens a folder and lists it. A file is listed alone, in the folder that
    /// it stands in, whatever its extension.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](gannet_plugin::prelude::Error::InvalidInput) where the
    /// source or one of its folders cannot be read, or a limit is exceeded.
    pub(crate) fn open(source: &Path, limits: &Limits) -> Result<(Self, Listing)> {
        let unreadable = |error| ingest::unreadable(source, &error);
        let path = source.canonicalize().map_err(unreadable)?;
        let mut listing = Listing::default();
        let root = match path.parent().zip(path.file_name()) {
            Some((folder, name)) if !path.is_dir() => {
                listing.files.push(PathBuf::from(name));
                folder.to_owned()
            }
            _ if !limits.files.is_empty() => {
                listing.files.clone_from(&limits.files);
                path
            }
            _ => {
                listing.add(&path, limits).map_err(unreadable)?;
                listing.files.sort();
                path
            }
        };
        let folder = Self {
            #[cfg(target_os = "linux")]
            handle: File::open(&root).map_err(unreadable)?,
            root,
        };
        Ok((folder, listing))
    }

    /// Opens a file of the folder.
    ///
    /// # Errors
    /// A reason, for a person.
    pub(crate) fn file(&self, path: &Path) -> std::result::Result<File, String> {
        let target = self.root.join(path).canonicalize();
        let target = target.map_err(|error| format!("cannot be read: {error}"))?;
        let Ok(inside) = target.strip_prefix(&self.root) else {
            return Err("a symlink that leaves the folder".to_owned());
        };
        let file = self.open_inside(inside);
        let file = file.map_err(|error| format!("cannot be read: {error}"))?;
        match file.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(file),
            Ok(_) => Err("not a regular file".to_owned()),
            Err(error) => Err(format!("cannot be read: {error}")),
        }
    }

    /// Opens a path without symlinks. The kernel sees to it that none of its
    /// folders became a symlink meanwhile.
    #[cfg(target_os = "linux")]
    fn open_inside(&self, path: &Path) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

        // A pipe that nobody writes to would hold up the thread.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(&self.handle, path, flags, Mode::empty(), within) {
            Ok(file) => Ok(File::from(file)),
            // A kernel before 5.6, or a sandbox that does not know the call.
            Err(rustix::io::Errno::NOSYS) => File::open(self.root.join(path)),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_inside(&self, path: &Path) -> io::Result<File> {
        File::open(self.root.join(path))
    }
}

impl Listing {
    /// Adds the files of a folder and of its folders.
    fn add(&mut self, root: &Path, limits: &Limits) -> io::Result<()> {
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            if folder.iter().count() > limits.max_depth {
                let message = format!("`{}` is deeper than `max_depth`", folder.display());
                return Err(io::Error::other(message));
            }
            for member in fs::read_dir(root.join(&folder))? {
                let member = member?;
                let name = member.file_name();
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                let path = folder.join(&name);
                let kind = member.file_type()?;
                if kind.is_dir() {
                    folders.push(path);
                } else if !has_extension(&path, &limits.extensions) {
                    self.left_out += u64::from(kind.is_file());
                } else if kind.is_file() || kind.is_symlink() {
                    self.files.push(path);
                }
            }
            if self.files.len() > limits.max_files {
                return Err(io::Error::other("it has more files than `max_files`"));
            }
        }
        Ok(())
    }
}

pub(crate) fn has_extension(path: &Path, extensions: &[impl AsRef<str>]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| {
        extensions
            .iter()
            .any(|one| own.eq_ignore_ascii_case(one.as_ref()))
    })
}
