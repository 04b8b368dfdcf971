//! One flipped bit in each kind of file of a store.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::points::{Points, count};
use super::store::{Scene, copy, files};

/// The records, which no index can bring back.
const RECORDS: &str = "store.db";

/// How a bit flips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flip {
    /// The file is written: its time of change tells of it.
    Written,
    /// The medium decays, and nothing tells of it.
    Decayed,
}

/// How a kind of file fared.
#[derive(Debug, Default)]
struct Tally {
    /// The answers were the same.
    harmless: u64,
    /// They differed, with an error or a diagnostic.
    told: u64,
    /// They differed without one.
    silent: u64,
    /// `index verify --deep` found the damage.
    verified: u64,
}

#[test]
fn a_flipped_bit_gives_no_wrong_answer_in_silence_and_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let whole = scene.build("whole", "all.jsonl");
    let expected = scene.every_entry(&whole);
    assert!(expected.crashed.is_empty(), "{expected:?}");
    let damaged = scene.folder.join("damaged");

    let mut points = Points::of("flip");
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut faults = Faults::default();
    for (kind, files) in kinds(&whole) {
        let tally = tallies.entry(kind.clone()).or_default();
        for point in 0..count().div_ceil(2) {
            let how = match point % 2 {
                0 => Flip::Written,
                _ => Flip::Decayed,
            };
            let file = &files[points.below(files.len() as u64) as usize];
            let _ = std::fs::remove_dir_all(&damaged);
            copy(&whole, &damaged);
            keep_times(&whole, &damaged);
            let place = flip(&damaged.join(file), how, &mut points);
            let place = format!(
                "{kind}, point {point}: {how:?} {} at {place}",
                file.display()
            );

            let verified = scene.run(&damaged, &["index", "verify", "--deep"]);
            let is_found = match verified.status.code() {
                Some(0) => false,
                Some(1) => true,
                other => panic!("{place}: verify ended with {other:?}"),
            };
            tally.verified += u64::from(is_found);
            let answers = scene.every_entry(&damaged);
            if !answers.crashed.is_empty() {
                faults.push(format!("{place}: {:?}", answers.crashed));
            }
            match (answers.hits == expected.hits, answers.told.is_empty()) {
                (true, _) => tally.harmless += 1,
                (false, false) => tally.told += 1,
                (false, true) => {
                    tally.silent += 1;
                    // What decays is found by a verification.
                    if !is_found || (how == Flip::Written && kind != RECORDS) {
                        faults.push(format!("{place}: silent, verify finds it: {is_found}"));
                    }
                }
            }
            if kind == RECORDS {
                // The records are the truth: a copy of them mends it.
                std::fs::copy(whole.join(RECORDS), damaged.join(RECORDS)).unwrap();
            }
            let rebuilt = scene.run(&damaged, &["index", "rebuild"]);
            let mended = scene.every_entry(&damaged);
            if !rebuilt.status.success() || mended.hits != expected.hits {
                let said = String::from_utf8_lossy(&rebuilt.stderr).into_owned();
                faults.push(format!("{place}: not mended: {said} {:?}", mended.told));
            }
        }
        println!("{kind}: {tally:?}");
    }
    assert!(faults.0.is_empty(), "{:#?}", faults.0);
}

/// What went wrong; printed at once, since the full form takes long.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn push(&mut self, fault: String) {
        println!("{fault}");
        self.0.push(fault);
    }
}

/// Flips one bit; gives its place.
fn flip(file: &Path, how: Flip, points: &mut Points) -> String {
    let modified = file.metadata().unwrap().modified().unwrap();
    let mut bytes = std::fs::read(file).unwrap();
    let at = points.below(bytes.len() as u64) as usize;
    let bit = points.below(8);
    bytes[at] ^= 1 << bit;
    std::fs::write(file, &bytes).unwrap();
    if how == Flip::Decayed {
        let file = File::options().write(true).open(file).unwrap();
        file.set_modified(modified).unwrap();
    }
    format!("byte {at} of {}, bit {bit}", bytes.len())
}

/// Lets the files of a copy look unchanged since they were verified: with the
/// times of the originals, and their own inodes in the lists.
fn keep_times(from: &Path, to: &Path) {
    use std::os::unix::fs::MetadataExt;
    let mut inodes: BTreeMap<String, u64> = BTreeMap::new();
    for original in files(from) {
        let copied = to.join(original.strip_prefix(from).unwrap());
        let modified = original.metadata().unwrap().modified().unwrap();
        let file = File::options().write(true).open(&copied).unwrap();
        file.set_modified(modified).unwrap();
        let name = copied.file_name().unwrap().to_string_lossy().into_owned();
        inodes.insert(name, file.metadata().unwrap().ino());
    }
    for list in files(to) {
        if !list.ends_with(".verified.json") {
            continue;
        }
        let mut stamps: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&list).unwrap()).unwrap();
        for (name, stamp) in stamps.as_object_mut().unwrap() {
            stamp["inode"] = inodes[name].into();
        }
        std::fs::write(&list, stamps.to_string()).unwrap();
    }
}

/// The files of a store that hold something, by kind: the database by its
/// name, files of indexes by folder and extension.
fn kinds(store: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut kinds: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files(store) {
        let below = file.strip_prefix(store).unwrap();
        let ending = below.extension().and_then(|ending| ending.to_str());
        if file.metadata().unwrap().len() == 0 || ending == Some("lock") {
            continue;
        }
        let part = below.components().next().unwrap().as_os_str();
        let part = part.to_string_lossy().into_owned();
        let name = below.file_name().unwrap().to_string_lossy().into_owned();
        let kind = match ending {
            _ if below.components().count() == 1 => part,
            None | Some("json") => format!("{part} {name}"),
            Some(ending) => format!("{part} {ending}"),
        };
        kinds.entry(kind).or_default().push(below.to_owned());
    }
    kinds
}
