//! The files of segments, and whether they are as tantivy wrote them: every
//! file ends with a checksum of the rest.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tantivy::SegmentMeta;
use tantivy::index::SegmentComponent;

use gannet_index::DamagedFile;

/// The last number of every file.
const MAGIC: u32 = 1337;
/// Bytes of the footer's length and of the magic number.
const TRAILER: u64 = 8;
/// tantivy writes no longer footer.
const LONGEST_FOOTER: u64 = 50_000;
/// Bytes read at a time.
const READ_SIZE: usize = 1 << 18;

#[derive(Deserialize)]
struct Footer {
    crc: u32,
}

/// The files of a segment, named as in the folder of the index.
pub fn files_of(segment: &SegmentMeta) -> Vec<PathBuf> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let mut components = vec![Terms, Postings, Positions, FastFields, FieldNorms, Store];
    if segment.has_deletes() {
        components.push(Delete);
    }
    components
        .into_iter()
        .map(|component| segment.relative_path(component))
        .collect()
}

/// Reads a file and compares it with its checksum. An error means that the
/// file cannot be read now, and says nothing about what is in it.
pub fn check_file(folder: &Path, name: &Path) -> io::Result<Result<(), DamagedFile>> {
    let damaged = |reason: &str| DamagedFile {
        name: name.to_path_buf(),
        reason: reason.to_owned(),
    };
    let mut file = match File::open(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Err(damaged("it is missing")));
        }
        opened => opened?,
    };
    let Some((footer, body)) = read_footer(&mut file)? else {
        return Ok(Err(damaged("its end is cut off or overwritten")));
    };
    let is_intact = checksum(&mut file, body)? == Some(footer.crc);
    Ok(is_intact
        .then_some(())
        .ok_or_else(|| damaged("its checksum is wrong")))
}

/// The footer, and how many bytes stand before it; `None` when there is none.
fn read_footer(file: &mut File) -> io::Result<Option<(Footer, u64)>> {
    let length = file.metadata()?.len();
    let Some(end) = length.checked_sub(TRAILER) else {
        return Ok(None);
    };
    let mut trailer = [0; TRAILER as usize];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut trailer)?;
    let [a, b, c, d, magic @ ..] = trailer;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    let Some(body) = end.checked_sub(size) else {
        return Ok(None);
    };
    if u32::from_le_bytes(magic) != MAGIC || size > LONGEST_FOOTER {
        return Ok(None);
    }
    let mut json = vec![0; usize::try_from(size).unwrap_or(0)];
    file.seek(SeekFrom::Start(body))?;
    file.read_exact(&mut json)?;
    let footer = serde_json::from_slice(&json).ok();
    Ok(footer.map(|footer| (footer, body)))
}

/// The checksum of the first `length` bytes; `None` when there are fewer.
fn checksum(file: &mut File, length: u64) -> io::Result<Option<u32>> {
    file.rewind()?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; READ_SIZE];
    let mut rest = file.take(length);
    let mut seen = 0;
    loop {
        match rest.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&buffer[..count]);
                seen += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((seen == length).then(|| hasher.finalize()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn written(body: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let footer = format!("{{\"version\":{{}},\"crc\":{}}}", crc32fast::hash(body));
        let mut bytes = body.to_vec();
        bytes.extend_from_slice(footer.as_bytes());
        bytes.extend_from_slice(&u32::try_from(footer.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        let name = PathBuf::from("a.idx");
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        (folder, name)
    }

    #[test]
    fn every_flipped_bit_of_a_file_is_found() {
        let (folder, name) = written(b"postings of a segment");
        assert_eq!(check_file(folder.path(), &name).unwrap(), Ok(()));
        let path = folder.path().join(&name);
        let intact = std::fs::read(&path).unwrap();
        // What stands in the footer beside the checksum decides nothing.
        let decisive = (0..21).chain(intact.len() - 6..intact.len());
        for position in decisive {
            let mut bytes = intact.clone();
            bytes[position] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
            assert!(
                check_file(folder.path(), &name).unwrap().is_err(),
                "{position}"
            );
        }
    }

    #[test]
    fn a_file_that_is_cut_off_or_gone_is_damaged() {
        let (folder, name) = written(b"postings");
        let path = folder.path().join(&name);
        let intact = std::fs::read(&path).unwrap();
        for length in 0..intact.len() {
            std::fs::write(&path, &intact[..length]).unwrap();
            assert!(check_file(folder.path(), &name).unwrap().is_err());
        }
        std::fs::remove_file(&path).unwrap();
        let missing = check_file(folder.path(), &name).unwrap().unwrap_err();
        assert_eq!(missing.reason, "it is missing");
    }
}
