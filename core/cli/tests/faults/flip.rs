//! One flipped bit in each kind of file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::points::{Points, count};
use super::store::{Scene, copy, files};

/// How a kind of file fared.
#[derive(Debug, Default)]
struct Tally {
    /// The answers were the same.
    harmless: u64,
    /// They differed, with an error or a diagnostic.
    told: u64,
    /// They differed in silence.
    silent: u64,
    /// `index verify --deep` found the damage.
    verified: u64,
}

#[test]
fn a_flipped_bit_in_an_index_gives_no_wrong_answer_in_silence_and_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::new(folder.path());
    let whole = scene.build("whole", "all.jsonl");
    let expected = scene.answers(&whole);
    assert!(expected.crashed.is_empty(), "{expected:?}");
    let damaged = scene.folder.join("damaged");

    let mut points = Points::of("flip");
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (kind, files) in kinds(&whole) {
        let tally = tallies.entry(kind.clone()).or_default();
        for point in 0..count().div_ceil(10) {
            let file = &files[points.below(files.len() as u64) as usize];
            let _ = std::fs::remove_dir_all(&damaged);
            copy(&whole, &damaged);
            let place = flip(&damaged.join(file), &mut points);
            let place = format!("{kind}, point {point}: {} at {place}", file.display());

            let verified = scene.run(&damaged, &["index", "verify", "--deep"]);
            let is_found = match verified.status.code() {
                Some(0) => false,
                Some(1) => true,
                other => panic!("{place}: verify ended with {other:?}"),
            };
            tally.verified += u64::from(is_found);
            let answers = scene.answers(&damaged);
            assert!(answers.crashed.is_empty(), "{place}: {:?}", answers.crashed);
            let is_same = answers.hits == expected.hits;
            match (is_same, answers.told.is_empty()) {
                (true, _) => tally.harmless += 1,
                (false, false) => tally.told += 1,
                (false, true) => {
                    tally.silent += 1;
                    println!("silent: {place}, verify finds it: {is_found}");
                }
            }
            if kind == "store.db" {
                // The records are the truth: a copy of them mends it.
                std::fs::copy(whole.join("store.db"), damaged.join("store.db")).unwrap();
            }
            scene.done(&damaged, &["index", "rebuild"]);
            let mended = scene.answers(&damaged);
            assert_eq!(mended.hits, expected.hits, "{place}: {:?}", mended.told);
        }
    }
    for (kind, tally) in &tallies {
        println!("{kind}: {tally:?}");
    }
    // A database keeps no checksums: of a bit in a text nobody can tell.
    let silent = tallies.iter().filter(|(kind, _)| *kind != "store.db");
    assert_eq!(silent.map(|(_, tally)| tally.silent).sum::<u64>(), 0);
}

/// Flips one bit; gives its place.
fn flip(file: &Path, points: &mut Points) -> String {
    let mut bytes = std::fs::read(file).unwrap();
    let at = points.below(bytes.len() as u64) as usize;
    let bit = points.below(8);
    bytes[at] ^= 1 << bit;
    std::fs::write(file, &bytes).unwrap();
    format!("byte {at} of {}, bit {bit}", bytes.len())
}

/// The files of a store that hold something, by kind: the database by its
/// name, files of indexes by folder and extension.
fn kinds(store: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut kinds: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files(store) {
        let below = file.strip_prefix(store).unwrap();
        if file.metadata().unwrap().len() == 0 || below.extension().is_some_and(|e| e == "lock") {
            continue;
        }
        let part = below.components().next().unwrap().as_os_str();
        let part = part.to_string_lossy().into_owned();
        let ending = below.extension().or(below.file_name()).unwrap();
        let kind = match below.components().count() {
            1 => part,
            _ => format!("{part} {}", ending.to_string_lossy()),
        };
        kinds.entry(kind).or_default().push(below.to_owned());
    }
    kinds
}
