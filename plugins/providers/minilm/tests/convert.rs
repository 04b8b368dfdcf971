//! Weights files: made, opened, refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tiny;

use std::fs;
use std::io::Write;
use std::path::Path;

use gannet_minilm::{CrossEncoder, Error, MiniLm, ModelKind, import, quantize};
use serde_json::json;
use tiny::{TinyModel, WORDS, classifier_tensors, tensors};

const BUILTIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/model/minilm-l6-v2.i8");
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[test]
fn the_builtin_file_in_the_repository_is_sound() {
    let model = MiniLm::open(Path::new(BUILTIN)).unwrap();
    let text = "the file and the binary hold the same model";
    assert_eq!(model.model_id(), "all-MiniLM-L6-v2");
    assert_eq!(
        model.embed_one(text).unwrap(),
        MiniLm::builtin().unwrap().embed_one(text).unwrap()
    );
}

#[test]
fn quantize_makes_the_builtin_file_bit_for_bit() {
    const VARIABLES: [&str; 2] = ["GANNET_MINILM_WHEEL", "GANNET_MINILM_SAFETENSORS"];
    let output = tempfile::tempdir().unwrap();
    for variable in VARIABLES {
        let Some(source) = std::env::var_os(variable) else {
            // The test harness hides what print macros write, but not this.
            let note = format!("SKIPPED: {variable} is not set\n");
            std::io::stderr().write_all(note.as_bytes()).unwrap();
            continue;
        };
        let source = Path::new(&source);
        let is_wheel = source.extension().is_some_and(|end| end == "whl");
        let source = if is_wheel {
            source
        } else {
            source.parent().unwrap()
        };
        let made = quantize(source, &output.path().join("made.i8")).unwrap();
        assert!(fs::read(&made.path).unwrap() == fs::read(BUILTIN).unwrap());
        assert_eq!((made.dimension, made.max_tokens), (384, 256));
    }
}

#[test]
fn quantize_refuses_another_source() {
    let tiny = TinyModel::new();
    let error = quantize(tiny.folder.path(), &tiny.path("out.i8")).unwrap_err();
    assert!(
        matches!(&error, Error::Checksum { what, .. } if what == "model.safetensors"),
        "{error}"
    );
    let error = quantize(&tiny.path("vocab.txt"), &tiny.path("out.i8")).unwrap_err();
    assert!(matches!(&error, Error::Checksum { what, .. } if what == "the wheel"));
    assert!(!tiny.path("out.i8").exists());
}

#[test]
fn an_imported_model_agrees_with_its_float_form() {
    let tiny = TinyModel::new();
    let int8 = tiny.import().unwrap();
    let float = MiniLm::open(tiny.folder.path()).unwrap();
    assert_eq!((int8.variant(), float.variant()), ("int8", "f32"));
    assert_eq!((int8.dimension(), int8.max_tokens()), (64, 40));
    assert_eq!(int8.model_id(), float.model_id());
    for text in ["beam lost", "pumps and valves open", "", "valve valve beam"] {
        let (rough, exact) = (
            int8.embed_one(text).unwrap(),
            float.embed_one(text).unwrap(),
        );
        assert!(cosine(&rough, &exact) > 0.999, "{text:?}");
    }
}

#[test]
fn a_model_with_a_head_on_top_is_read_by_its_prefix() {
    let tiny = TinyModel::new();
    let plain = tiny.import().unwrap().embed_one("beam").unwrap();
    fs::write(tiny.path("model.safetensors"), tensors("bert.")).unwrap();
    assert_eq!(tiny.import().unwrap().embed_one("beam").unwrap(), plain);
}

#[test]
fn a_cross_encoder_is_known_by_its_architecture_or_its_classifier() {
    let tiny = TinyModel::cross_encoder();
    let output = tiny.path("tiny.i8");
    let made = import(tiny.folder(), &output).unwrap();
    assert_eq!((made.kind, made.max_tokens), (ModelKind::Reranker, 40));
    tiny.write("config.json", &TinyModel::config());
    let made = import(tiny.folder(), &output).unwrap();
    assert_eq!(made.kind, ModelKind::Reranker);

    let mut config = TinyModel::config();
    config["architectures"] = json!(["BertModel"]);
    tiny.write("config.json", &config);
    let made = import(tiny.folder(), &output).unwrap();
    assert_eq!(made.kind, ModelKind::Embedder);
    assert_eq!(
        import(TinyModel::new().folder(), &output).unwrap().kind,
        ModelKind::Embedder
    );
}

#[test]
fn a_cross_encoder_reads_as_many_tokens_as_its_tokenizer_says() {
    let tiny = TinyModel::cross_encoder();
    for (limit, expected) in [(json!(20), 20), (json!(512), 40), (json!(1e30), 40)] {
        let config = json!({"model_max_length": limit, "do_lower_case": true});
        tiny.write("tokenizer_config.json", &config);
        assert_eq!(tiny.import_reranker().unwrap().max_tokens(), expected);
    }
    tiny.write("tokenizer_config.json", &json!({"model_max_length": 2}));
    let error = tiny.import_reranker().unwrap_err();
    assert!(error.to_string().contains("2 tokens"), "{error}");
}

#[test]
fn an_embedder_is_no_reranker_and_a_reranker_no_embedder() {
    let (embedder, reranker) = (TinyModel::new(), TinyModel::cross_encoder());
    embedder.import().unwrap();
    reranker.import_reranker().unwrap();
    for path in [reranker.folder(), &reranker.path("tiny.i8")] {
        let error = MiniLm::open(path).unwrap_err();
        assert!(matches!(&error, Error::OtherKind { path: named, .. } if named == path));
        let text = error.to_string();
        assert!(
            text.contains("contains a reranker, but an embedder is required here"),
            "{text}"
        );
        assert!(text.contains("`cross_encoder`"), "{text}");
    }
    for path in [
        embedder.folder(),
        &embedder.path("tiny.i8"),
        Path::new(BUILTIN),
    ] {
        let error = CrossEncoder::open(path).unwrap_err();
        assert!(matches!(&error, Error::OtherKind { path: named, .. } if named == path));
        let text = error.to_string();
        assert!(
            text.contains("contains an embedder, but a reranker is required here"),
            "{text}"
        );
        assert!(text.contains("`builtin`"), "{text}");
    }
}

#[test]
fn a_classifier_that_cannot_be_run_is_refused() {
    let tiny = TinyModel::cross_encoder();
    fs::write(tiny.path("model.safetensors"), classifier_tensors(3)).unwrap();
    for error in [
        tiny.import_reranker().unwrap_err(),
        CrossEncoder::open(tiny.folder()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("3 labels"), "{error}");
    }
    fs::write(tiny.path("model.safetensors"), tensors("bert.")).unwrap();
    let error = tiny.import_reranker().unwrap_err();
    assert!(matches!(error, Error::Safetensors { .. }), "{error}");
    assert!(
        error.to_string().contains("classifier.weight is missing"),
        "{error}"
    );
}

#[test]
fn a_cross_encoders_file_that_is_cut_is_refused() {
    let tiny = TinyModel::cross_encoder();
    tiny.import_reranker().unwrap();
    let file = tiny.path("tiny.i8");
    let sound = fs::read(&file).unwrap();
    for length in [0, 40, 4096, sound.len() - 64, sound.len() - 1] {
        fs::write(&file, &sound[..length]).unwrap();
        let error = CrossEncoder::open(&file).unwrap_err();
        assert!(matches!(error, Error::Weights { .. }), "{error}");
    }
}

#[test]
fn settings_of_sentence_transformers_are_followed() {
    let tiny = TinyModel::new();
    let mean = tiny.import().unwrap();
    tiny.write(
        "1_Pooling/config.json",
        &json!({"pooling_mode_cls_token": true}),
    );
    tiny.write("sentence_bert_config.json", &json!({"max_seq_length": 4}));
    tiny.write("tokenizer_config.json", &json!({"do_lower_case": false}));
    let cls = tiny.import().unwrap();
    assert_eq!(cls.max_tokens(), 4);
    assert_ne!(
        cls.embed_one("beam").unwrap(),
        mean.embed_one("beam").unwrap()
    );
    assert_eq!(
        mean.embed_one("BEAM").unwrap(),
        mean.embed_one("beam").unwrap()
    );
    assert_ne!(
        cls.embed_one("BEAM").unwrap(),
        cls.embed_one("beam").unwrap()
    );
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let cases = [
        ("model_type", json!("roberta"), "model_type roberta"),
        ("hidden_act", json!("gelu_new"), "hidden_act gelu_new"),
        (
            "position_embedding_type",
            json!("relative_key"),
            "relative_key",
        ),
        ("num_attention_heads", json!(4), "4 heads"),
        ("intermediate_size", json!(100), "intermediate size 100"),
        ("hidden_size", json!("wide"), "config.json"),
        ("max_position_embeddings", json!(1), "1 tokens"),
    ];
    for (key, value, expected) in cases {
        let tiny = TinyModel::new();
        let mut config = TinyModel::config();
        config[key] = value;
        tiny.write("config.json", &config);
        let error = tiny.import().unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let tiny = TinyModel::new();
    tiny.write(
        "modules.json",
        &json!([{"type": "sentence_transformers.models.Dense"}]),
    );
    assert!(tiny.import().unwrap_err().to_string().contains("Dense"));
    let tiny = TinyModel::new();
    tiny.write(
        "1_Pooling/config.json",
        &json!({"pooling_mode_max_tokens": true}),
    );
    assert!(tiny.import().unwrap_err().to_string().contains("1_Pooling"));
}

#[test]
fn damaged_sources_are_refused() {
    let sound = tensors("");
    let cut = sound[..sound.len() - 4].to_vec();
    let renamed = String::from_utf8_lossy(&sound[8..])
        .len()
        .to_le_bytes()
        .to_vec();
    let shorter = {
        let text = br#"{"embeddings.word_embeddings.weight":{"dtype":"F16","shape":[10,64],"data_offsets":[0,1280]}}"#;
        let mut file = (text.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(text);
        file
    };
    for damaged in [cut, renamed, shorter, vec![], vec![255; 100]] {
        let tiny = TinyModel::new();
        fs::write(tiny.path("model.safetensors"), damaged).unwrap();
        let error = tiny.import().unwrap_err();
        assert!(matches!(error, Error::Safetensors { .. }), "{error}");
    }
    let tiny = TinyModel::new();
    fs::write(tiny.path("vocab.txt"), "beam\n".repeat(9)).unwrap();
    assert!(matches!(tiny.import(), Err(Error::Vocabulary { .. })));
    fs::write(tiny.path("vocab.txt"), format!("{WORDS}one\nmore\n")).unwrap();
    assert!(matches!(tiny.import(), Err(Error::Vocabulary { .. })));
    fs::remove_file(tiny.path("vocab.txt")).unwrap();
    let error = tiny.import().unwrap_err();
    assert!(error.to_string().contains("vocab.txt"), "{error}");
}

#[test]
fn damaged_weights_files_are_refused() {
    let tiny = TinyModel::new();
    tiny.import().unwrap();
    let file = tiny.path("tiny.i8");
    let sound = fs::read(&file).unwrap();
    let open_changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        fs::write(&file, bytes).unwrap();
        MiniLm::open(&file)
    };
    let last = sound.len() - 1;
    type Change<'a> = &'a dyn Fn(&mut Vec<u8>);
    let changes: [(&str, Change<'_>); 7] = [
        ("checksum", &|bytes| bytes[last - 70] ^= 1),
        ("bytes", &|bytes| bytes.truncate(last)),
        ("bytes", &|bytes| bytes.push(0)),
        ("truncated", &|bytes| bytes.truncate(10)),
        ("GANNETM8", &|bytes| bytes[0] = b'X'),
        ("version 2", &|bytes| bytes[8] = 2),
        ("header", &|bytes| bytes[33] = b'?'),
    ];
    for (expected, change) in changes {
        let error = open_changed(change).unwrap_err();
        assert!(matches!(error, Error::Weights { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(open_changed(&|_| ()).is_ok());
}
