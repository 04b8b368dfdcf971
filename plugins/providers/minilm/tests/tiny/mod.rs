//! Random BERT models in temporary folders.

// Each test, and the bench, uses a part of it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::fs;
use std::path::{Path, PathBuf};

use gannet_minilm::{CrossEncoder, Error, MiniLm, import};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The vocabulary of the tiny model.
pub const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nbeam\nlost\npump\nvalve\n##s\nopen\n";

/// The numbers of a model.
#[derive(Clone, Copy)]
pub struct Size {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub intermediate: usize,
    pub vocabulary: usize,
    pub positions: usize,
}

/// Small enough to be made in every test.
pub const TINY: Size = Size {
    hidden: 64,
    layers: 2,
    heads: 2,
    intermediate: 96,
    vocabulary: 10,
    positions: 40,
};

/// A folder with a random model.
pub struct TinyModel {
    pub folder: TempDir,
}

impl TinyModel {
    /// An embedder.
    pub fn new() -> Self {
        let model = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        model.write("config.json", &Self::config());
        fs::write(model.path("vocab.txt"), WORDS).unwrap();
        fs::write(model.path("model.safetensors"), tensors("")).unwrap();
        model
    }

    /// A cross-encoder.
    pub fn cross_encoder() -> Self {
        Self::cross_encoder_of(TINY, WORDS)
    }

    pub fn cross_encoder_of(size: Size, words: &str) -> Self {
        let model = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let mut config = config(size);
        config["architectures"] = json!(["BertForSequenceClassification"]);
        model.write("config.json", &config);
        fs::write(model.path("vocab.txt"), words).unwrap();
        let tensors = safetensors(cross_encoder_names(size, 1));
        fs::write(model.path("model.safetensors"), tensors).unwrap();
        model
    }

    pub fn config() -> Value {
        config(TINY)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, value: &Value) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    pub fn import(&self) -> Result<MiniLm, Error> {
        let file = self.path("tiny.i8");
        import(self.folder.path(), &file)?;
        MiniLm::open(&file)
    }

    pub fn import_reranker(&self) -> Result<CrossEncoder, Error> {
        let file = self.path("tiny.i8");
        import(self.folder.path(), &file)?;
        CrossEncoder::open(&file)
    }
}

fn config(size: Size) -> Value {
    json!({
        "model_type": "bert", "hidden_size": size.hidden, "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads, "intermediate_size": size.intermediate,
        "vocab_size": size.vocabulary, "max_position_embeddings": size.positions,
        "layer_norm_eps": 1e-12, "hidden_act": "gelu",
    })
}

/// A safetensors file with all tensors of the tiny embedder.
pub fn tensors(prefix: &str) -> Vec<u8> {
    safetensors(embedder_names(TINY, prefix))
}

/// A safetensors file with all tensors of a tiny model that tells `labels`
/// labels apart.
pub fn classifier_tensors(labels: usize) -> Vec<u8> {
    safetensors(cross_encoder_names(TINY, labels))
}

type Names = Vec<(String, Vec<usize>)>;

fn cross_encoder_names(size: Size, labels: usize) -> Names {
    let mut names = embedder_names(size, "bert.");
    let hidden = size.hidden;
    names.extend([
        ("bert.pooler.dense.weight".into(), vec![hidden, hidden]),
        ("bert.pooler.dense.bias".into(), vec![hidden]),
        ("classifier.weight".into(), vec![labels, hidden]),
        ("classifier.bias".into(), vec![labels]),
    ]);
    names
}

fn embedder_names(size: Size, prefix: &str) -> Names {
    let Size {
        hidden,
        intermediate,
        ..
    } = size;
    let mut names: Names = Vec::new();
    let mut push = |name: &str, shape: &[usize]| {
        names.push((format!("{prefix}{name}"), shape.to_vec()));
    };
    let rows = [
        ("word", size.vocabulary),
        ("position", size.positions),
        ("token_type", 2),
    ];
    for (table, rows) in rows {
        push(
            &format!("embeddings.{table}_embeddings.weight"),
            &[rows, hidden],
        );
    }
    push("embeddings.LayerNorm.weight", &[hidden]);
    push("embeddings.LayerNorm.bias", &[hidden]);
    for layer in 0..size.layers {
        let parts = [
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", intermediate, hidden),
            ("output.dense", hidden, intermediate),
        ];
        for (part, outputs, inputs) in parts {
            let name = format!("encoder.layer.{layer}.{part}");
            push(&format!("{name}.weight"), &[outputs, inputs]);
            push(&format!("{name}.bias"), &[outputs]);
        }
        for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
            let name = format!("encoder.layer.{layer}.{part}");
            push(&format!("{name}.weight"), &[hidden]);
            push(&format!("{name}.bias"), &[hidden]);
        }
    }
    names
}

/// A file with random tensors, the same in every run;
/// `make_golden_cross_encoder.py` draws the same numbers.
fn safetensors(names: Names) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    let mut state = 1u64;
    for (name, shape) in names {
        let begin = data.len();
        // Near 1, as they are in trained models, or all states would be alike.
        let middle = if name.ends_with("LayerNorm.weight") {
            1.0
        } else {
            0.0
        };
        for _ in 0..shape.iter().product() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let number = (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
            data.extend_from_slice(&(number * 0.5 + middle).to_le_bytes());
        }
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        header.insert(name, entry);
    }
    header.insert("__metadata__".into(), json!({"format": "pt"}));
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&data);
    file
}
