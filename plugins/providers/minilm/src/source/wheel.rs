//! A Python wheel is a zip archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::Error;

/// The entries whose paths end in `/name`, for each name.
pub(super) fn extract<const N: usize>(
    wheel: &[u8],
    names: [&str; N],
) -> Result<[Vec<u8>; N], Error> {
    let fail = |reason: String| Error::Wheel { reason };
    let mut archive =
        ZipArchive::new(Cursor::new(wheel)).map_err(|error| fail(error.to_string()))?;
    let mut files = [const { Vec::new() }; N];
    for (name, bytes) in names.iter().zip(&mut files) {
        let path = archive
            .file_names()
            .filter_map(|path| Some(path.ok()?.into_owned()))
            .find(|path| {
                path.strip_suffix(name)
                    .is_some_and(|rest| rest.ends_with('/'))
            })
            .ok_or_else(|| fail(format!("it does not contain {name}")))?;
        let mut entry = archive
            .by_name(&path)
            .map_err(|error| fail(format!("{path}: {error}")))?;
        entry
            .read_to_end(bytes)
            .map_err(|error| fail(format!("{path}: {error}")))?;
    }
    Ok(files)
}
