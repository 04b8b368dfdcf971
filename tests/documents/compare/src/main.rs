//! Reads the files of a folder that `tests/documents/make` made with our
//! readers and those of others, and prints what each found of what they say.
//!
//! `cargo run --release --features pdf_oxide,pdf-extract -- FOLDER`

mod readers;
mod score;
mod trial;

use std::path::Path;

use readers::{Reader, readers};
use score::{Expected, Score};

/// Damaged copies of each file.
const COPIES: &str = "100";

/// What a reader made of the files of a format.
#[derive(Default)]
struct Sum {
    files: usize,
    read: usize,
    score: Score,
    millis: f64,
    memory: f64,
    panics: usize,
    /// Files, or groups of damaged copies, whose process did not end by itself.
    ended: usize,
    slowest: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["read", name, path, format] => trial::read(name, path, format),
        ["damaged", name, path, copies, format] => {
            trial::damaged(name, path, format, copies.parse().unwrap_or(0));
        }
        [folder] => compare(Path::new(folder), false),
        [folder, "--files"] => compare(Path::new(folder), true),
        _ => eprintln!("usage: gannet-compare-documents FOLDER [--files]"),
    }
}

fn compare(folder: &Path, each_file: bool) {
    let list = std::fs::read_to_string(folder.join("expected.json")).unwrap_or_default();
    let files: Vec<Expected> = match serde_json::from_str(&list) {
        Ok(files) => files,
        Err(error) => return eprintln!("{}: {error}", folder.display()),
    };
    println!("{} files", files.len());
    println!(
        "| format | reader | files read | words | pairs | headings | rows | ms a file | MiB at most | panics | ended | slowest s |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut formats: Vec<&str> = files.iter().map(|file| file.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    for format in formats {
        for reader in readers() {
            if reader.formats.contains(&format) {
                let of_format = files.iter().filter(|file| file.format == format);
                let sum = sum(folder, &reader, of_format, each_file);
                println!(
                    "| {format} | {} | {}/{} | {} | {} | {} | {} | {:.1} | {:.0} | {} | {} | {:.1} |",
                    reader.name,
                    sum.read,
                    sum.files,
                    sum.score.words,
                    sum.score.pairs,
                    sum.score.headings,
                    sum.score.rows,
                    sum.millis / sum.files as f64,
                    sum.memory,
                    sum.panics,
                    sum.ended,
                    sum.slowest,
                );
            }
        }
    }
}

fn sum<'a>(
    folder: &Path,
    reader: &Reader,
    files: impl Iterator<Item = &'a Expected>,
    each_file: bool,
) -> Sum {
    let mut sum = Sum::default();
    for file in files {
        let path = folder.join(&file.file);
        let path = path.to_string_lossy();
        sum.files += 1;
        let read = trial::in_a_process(&["read", reader.name, &path, &file.format]);
        sum.ended += usize::from(read.is_none());
        let read = read.unwrap_or_default();
        let score = Score::of(&read.text, file);
        // One without text is read if that is what the reader says.
        let has_text = !read.text.trim().is_empty();
        sum.read += usize::from(has_text != file.has_no_text && read.panics == 0);
        sum.score.add(&score);
        sum.millis += read.millis;
        sum.memory = sum.memory.max(read.memory);
        sum.panics += read.panics;
        if each_file {
            let error = read.error.unwrap_or_default();
            println!(
                "  {} ({}), {}: words {}, pairs {}, headings {}, rows {} {error}",
                file.file,
                file.by,
                reader.name,
                score.words,
                score.pairs,
                score.headings,
                score.rows
            );
            continue;
        }
        let damaged = trial::in_a_process(&["damaged", reader.name, &path, COPIES, &file.format]);
        sum.ended += usize::from(damaged.is_none());
        let damaged = damaged.unwrap_or_default();
        sum.panics += damaged.panics;
        sum.memory = sum.memory.max(damaged.memory);
        sum.slowest = sum.slowest.max(damaged.slowest);
    }
    sum
}
