//! A store of 100,000 entries with a vector each, and one for each word, which
//! late interaction reads, by ten authors. The texts are made from a vocabulary with a realistic
//! (Zipf) distribution; the vectors are made too, but questions are embedded by
//! the real model. A third of the entries is of each of three kinds, which are
//! the domains of `unified`. `GANNET_BENCH_ENTRIES` sets another number of entries.
#![allow(dead_code, reason = "not every bench uses all of it")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gannet_core::Gannet;
use gannet_core::api::{
    EmbeddingModel, Enhanced, Entry, PassageEmbedding, PassageEmbeddings, Patch,
};
use gannet_core::config::{LoadOptions, load};
use gannet_core::store::WorkedOn;
use jiff::Timestamp;

/// With `cargo test`, which only tries whether the bench still runs, fewer.
static ENTRIES: LazyLock<usize> = LazyLock::new(|| {
    let asked = std::env::var("GANNET_BENCH_ENTRIES");
    let asked = asked.map(|number| number.parse().unwrap());
    asked.unwrap_or(if is_bench() { 100_000 } else { 500 })
});
const BATCH: usize = 2_000;
const WORDS: usize = 20_000;
const DIMENSION: usize = 384;
const MODEL: &str = "all-MiniLM-L6-v2";
const KINDS: [&str; 3] = ["logbook", "document", "part"];
pub const AUTHORS: [&str; 10] = [
    "Okafor",
    "Lindqvist",
    "Tanaka",
    "Moreau",
    "Petrov",
    "Haugen",
    "Castillo",
    "Novak",
    "Eriksen",
    "Banerjee",
];
/// Three domains, each with keyword and semantic search. The vectors of the
/// store are made up, so that no text is near to a question: the least
/// similarity is 0 there, and half of the entries are found.
const SETTINGS: [(&str, &str); 4] = [
    (
        "search_modules.any_meaning",
        "{plugin: semantic, enabled: true, settings: {similarity_threshold: 0.0}}",
    ),
    (
        "pipelines.unified.retrieval_modules",
        "[keyword, any_meaning]",
    ),
    (
        "pipelines.unified.settings.domains",
        "{logbook: {kinds: [logbook]}, manuals: {kinds: [document]}, parts: {kinds: [part]}}",
    ),
    (
        "pipelines.all_stated",
        "{plugin: recurrence, enabled: true, settings: {stated_probability: 0.0}}",
    ),
];

/// `recurrence` that states every entry that was compared, so that the reader looks
/// for outcomes: texts of made up words are too unlike each other otherwise.
pub const ALL_STATED: &str = "all_stated";

/// Whether this is `cargo bench`, and not `cargo test`.
pub fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// A host with these settings over the store in `GANNET_BENCH_STORE`, or in
/// this folder. A store that is empty is filled.
pub async fn open(scratch: &Path, settings: &[(&str, &str)]) -> Gannet {
    let kept = std::env::var_os("GANNET_BENCH_STORE").map(PathBuf::from);
    let folder = kept.unwrap_or_else(|| scratch.join("store"));
    let mut overrides = vec![("store.path".to_owned(), folder.display().to_string())];
    let settings = SETTINGS.iter().chain(settings);
    overrides.extend(settings.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let options = LoadOptions {
        working_dir: scratch.to_owned(),
        overrides,
        ..LoadOptions::default()
    };
    let gannet = Gannet::open(load(options).unwrap().config).await.unwrap();
    if gannet.store().count("default").await.unwrap() == 0 {
        fill(&gannet).await;
    }
    gannet
}

async fn fill(gannet: &Gannet) {
    let store = gannet.store();
    let mut random = Random(7);
    for start in (0..*ENTRIES).step_by(BATCH) {
        let entries = (start..*ENTRIES)
            .take(BATCH)
            .map(|number| entry(number, &mut random));
        store.upsert(entries.collect()).await.unwrap();
    }
    let model = EmbeddingModel::new(MODEL.to_owned(), DIMENSION, 256).with_variant("int8");
    store.register_model(&model).await.unwrap();
    for start in (0..*ENTRIES).step_by(BATCH) {
        let outcomes = (start..*ENTRIES)
            .take(BATCH)
            .map(|number| embedded(number, &mut random));
        store
            .save_enhanced("text_embedding", outcomes.collect())
            .await
            .unwrap();
    }
    store.flush().await.unwrap();
}

fn entry(number: usize, random: &mut Random) -> Entry {
    let length = 15 + random.below(40);
    let words: Vec<String> = (0..length).map(|_| word(random.zipf())).collect();
    let mut text = words.join(" ");
    if number.is_multiple_of(10) {
        // The reader is asked for causes and repairs where words tell of them.
        text += &format!(". It was caused by {0}. The {0} was replaced.", words[0]);
    }
    let seconds = 1_700_000_000 + number as i64 * 300;
    let timestamp = Timestamp::from_second(seconds).unwrap();
    Entry::new(entry_id(number as u64), "bench", timestamp, text)
        .with_kind(KINDS[number % KINDS.len()])
        .with_author(AUTHORS[number % AUTHORS.len()])
}

fn embedded(number: usize, random: &mut Random) -> (WorkedOn, Enhanced) {
    // Forty directions with noise: texts come in subjects.
    let subject = random.below(40);
    let mut vector: Vec<f32> = (0..DIMENSION)
        .map(|index| {
            let direction = Random((subject * DIMENSION + index) as u64 + 1).unit();
            direction + 1.5 * random.unit()
        })
        .collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    let words = 15 + random.below(40);
    let signs: Vec<u8> = (0..words * DIMENSION / 64)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    let passage = PassageEmbedding::new(0..10, vector).with_token_signs(signs);
    let patch =
        Patch::default().with_embeddings(PassageEmbeddings::new(MODEL.to_owned(), vec![passage]));
    let enhanced = Enhanced::new(entry_id(number as u64), Ok(patch));
    ("default".into(), enhanced)
}

/// The questions of `GANNET_BENCH_QUESTIONS`, a file of JSON lines with a
/// `text` each.
static QUESTIONS: LazyLock<Option<Vec<String>>> = LazyLock::new(|| {
    let file = std::env::var_os("GANNET_BENCH_QUESTIONS")?;
    let lines = std::fs::read_to_string(file).unwrap();
    let text = |line| {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        question["text"].as_str().unwrap().to_owned()
    };
    Some(lines.lines().map(text).collect())
});

/// Whether questions were given, for a store that was filled otherwise.
pub fn has_questions() -> bool {
    QUESTIONS.is_some()
}

/// The id of an entry.
pub fn entry_id(number: u64) -> String {
    format!("B-{:06}", number % *ENTRIES as u64)
}

/// Thirty words.
pub fn event_text(number: u64) -> String {
    let parts: Vec<String> = (0..6)
        .map(|part| question_text(number * 6 + part + 1))
        .collect();
    parts.join(" ")
}

/// A question that was given, or else five words, neither the most common nor
/// the rarest.
pub fn question_text(number: u64) -> String {
    if let Some(questions) = &*QUESTIONS {
        return questions[number as usize % questions.len()].clone();
    }
    let mut random = Random(number * 977);
    let words: Vec<String> = (0..5).map(|_| word(20 + random.below(3_000))).collect();
    words.join(" ")
}

/// A pronounceable word for each number.
pub fn word(number: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "ri", "to", "mu", "sel", "vac", "pum", "tri", "bo", "lin", "gra", "ne", "fo", "qu",
        "dar", "wi",
    ];
    let mut rest = number % WORDS + 16;
    let mut text = String::new();
    while rest > 0 {
        text.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    text
}

/// A small generator (xorshift64*), the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    /// Between −1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A rank: the second word half as often as the first, and so on.
    fn zipf(&mut self) -> usize {
        let uniform = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        ((WORDS as f64).powf(uniform)) as usize - 1
    }
}
