//! One reader on one file in a process of its own, so that what panics, ends
//! the process, takes all memory or never ends is counted and nothing more.

use std::io::Read as _;
use std::panic::catch_unwind;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::readers::{Reader, readers};

/// Longer than this is a hang.
const LONGEST: Duration = Duration::from_secs(20);
/// Address space of the process, in KiB.
const MOST_MEMORY: &str = "4194304";

/// What a reader made of a file, or of its damaged copies.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub text: String,
    pub error: Option<String>,
    pub millis: f64,
    /// The most memory that the process had, in MiB.
    pub memory: f64,
    pub panics: usize,
    /// The longest that one damaged copy took.
    pub slowest: f64,
}

/// Runs this program once more with these arguments; none if it did not end
/// by itself.
pub fn in_a_process(arguments: &[&str]) -> Option<Outcome> {
    let program = std::env::current_exe().ok()?;
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\""),
        ])
        .arg(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?;
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let copies = arguments.get(3).and_then(|copies| copies.parse().ok());
    let limit = LONGEST * copies.map_or(1, |copies: u32| 1 + copies / 20);
    let began = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if began.elapsed() > limit {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    serde_json::from_str(&reading.join().ok()?.ok()?).ok()
}

/// Reads a file, and prints the outcome.
pub fn read(name: &str, path: &str, format: &str) {
    let reader = named(name);
    let bytes = std::fs::read(path).unwrap_or_default();
    let began = Instant::now();
    let mut outcome = attempt(&reader, &bytes, format);
    outcome.millis = began.elapsed().as_secs_f64() * 1_000.0;
    print(outcome);
}

/// Reads so many damaged copies of a file, and prints the outcome.
pub fn damaged(name: &str, path: &str, format: &str, copies: u64) {
    let reader = named(name);
    let bytes = std::fs::read(path).unwrap_or_default();
    let mut all = Outcome::default();
    for seed in 1..=copies {
        let copy = damage(&bytes, seed);
        let began = Instant::now();
        all.panics += attempt(&reader, &copy, format).panics;
        all.slowest = all.slowest.max(began.elapsed().as_secs_f64());
    }
    print(all);
}

fn named(name: &str) -> Reader {
    let found = readers().into_iter().find(|reader| reader.name == name);
    found.unwrap_or_else(|| panic!("no reader `{name}`"))
}

fn attempt(reader: &Reader, bytes: &[u8], format: &str) -> Outcome {
    match catch_unwind(|| (reader.read)(bytes, format)) {
        Ok(Ok(text)) => Outcome {
            text,
            ..Outcome::default()
        },
        Ok(Err(error)) => Outcome {
            error: Some(error),
            ..Outcome::default()
        },
        Err(_) => Outcome {
            error: Some("panic".to_owned()),
            panics: 1,
            ..Outcome::default()
        },
    }
}

fn print(mut outcome: Outcome) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.split_whitespace().next()?.parse::<f64>().ok());
    outcome.memory = most.unwrap_or_default() / 1_024.0;
    println!("{}", serde_json::to_string(&outcome).unwrap_or_default());
}

/// A copy with some bytes changed, cut off, doubled or left out.
fn damage(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let mut copy = bytes.to_vec();
    for _ in 0..=below(8) {
        let at = below(copy.len());
        let length = below(64).min(copy.len() - at);
        match below(5) {
            0 => copy.truncate(at),
            1 => drop(copy.drain(at..at + length)),
            2 => {
                let part = copy[at..at + length].to_vec();
                let to = below(copy.len());
                copy.splice(to..to, part);
            }
            _ => {
                for byte in &mut copy[at..at + length.min(4)] {
                    *byte = below(256) as u8;
                }
            }
        }
    }
    copy
}
