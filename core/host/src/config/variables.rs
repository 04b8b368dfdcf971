//! The environment variables of the systems that came before. The table in
//! `docs/reference/configuration.md` is written from this one.

use serde_json::Value;

/// Every variable of another system that is known, with what it means here.
/// Of two that set one key the later one wins.
pub(crate) const VARIABLES: [Variable; 32] = [
    Variable {
        name: "RETRIEVER_PORT",
        meaning: Meaning::Keys(&[Setting::of("server.port")]),
    },
    Variable {
        name: "RETRIEVER_DEFAULT_METHOD",
        meaning: Meaning::Keys(&[Setting {
            values: &[
                ("vector", "semantic"),
                ("keyword", "keyword"),
                ("hybrid", "rag"),
            ],
            ..Setting::of("default_search_mode")
        }]),
    },
    Variable {
        name: "RETRIEVER_DEFAULT_LIMIT",
        meaning: Meaning::Keys(&[Setting::of("default_max_results")]),
    },
    Variable {
        name: "RETRIEVER_MIN_RELEVANCE",
        meaning: Meaning::Keys(&[Setting::of("pipelines.rag.settings.min_relevance")]),
    },
    Variable::none("QDRANT_URL", VECTORS),
    Variable::none("QDRANT_COLLECTION", VECTORS),
    Variable {
        name: "EMBEDDING_MODEL",
        meaning: Meaning::Keys(&[
            Setting {
                values: MINILM,
                ..Setting::of("search_modules.semantic.model")
            },
            Setting {
                values: MINILM,
                ..Setting::of("enhancement_modules.text_embedding.model")
            },
        ]),
    },
    Variable::none("ELASTICSEARCH_URL", TEXT_INDEX),
    Variable::none("ELASTICSEARCH_INDEX", TEXT_INDEX),
    Variable::none("RERANKER_MODEL", RERANKER),
    Variable {
        name: "ENABLE_RERANKING",
        meaning: Meaning::Keys(&[Setting {
            values: &[("false", NULL)],
            refused: Some(RERANKER),
            ..Setting::of("pipelines.rag.settings.rerank")
        }]),
    },
    Variable {
        name: "ENABLE_SYNTHESIS",
        meaning: Meaning::Keys(&[Setting {
            values: &[("true", "model"), ("false", "none")],
            ..Setting::of("pipelines.rag.settings.answer")
        }]),
    },
    Variable {
        name: "SYNTHESIS_MODEL",
        meaning: Meaning::Keys(&[Setting::of("reasoning.model_id")]),
    },
    Variable {
        name: "SYNTHESIS_MAX_TOKENS",
        meaning: Meaning::Keys(&[Setting::of("pipelines.rag.settings.max_tokens")]),
    },
    Variable {
        name: "SYNTHESIS_MAX_SOURCES",
        meaning: Meaning::Keys(&[
            Setting::of("pipelines.rag.settings.budget.top_n"),
            Setting::constant("pipelines.rag.settings.budget.policy", "top_n"),
        ]),
    },
    Variable::none("LOG_LEVEL", "what is logged is said by `RUST_LOG` or `-v`"),
    Variable {
        name: "LOG_QUERIES",
        meaning: Meaning::Keys(&[Setting {
            values: &[("false", NULL)],
            refused: Some("name the file in `question_log.path`"),
            ..Setting::of("question_log.path")
        }]),
    },
    Variable::none(
        "ERDOS_DATA_PATH",
        "records are read from the file that `gannet ingest` or `ingestion.source_url` names",
    ),
    Variable::none(
        "ERDOS_INDEX_PATH",
        "records and indexes are in one folder, which `store.path` names",
    ),
    // One variable that means three keys here: which program, that it is one,
    // and that it is asked.
    Variable {
        name: "ERDOS_LLM_COMMAND",
        meaning: Meaning::Keys(&COMMAND),
    },
    // The command for questions wins over the general one.
    Variable {
        name: "ERDOS_LLM_COMMAND_MATH",
        meaning: Meaning::Keys(&COMMAND),
    },
    Variable {
        name: "ERDOS_LLM_COMMAND_CODE",
        meaning: Meaning::Elsewhere("read by a provider of the plugin `command` with `task: loop`"),
    },
    Variable {
        name: "ERDOS_LLM_COMMAND_COPILOT",
        meaning: Meaning::Elsewhere(
            "read by a provider of the plugin `command` with `task: tactic_generation`",
        ),
    },
    Variable {
        name: "ERDOS_LOAD_DOTENV",
        meaning: Meaning::Elsewhere("`0` switches the reading of `.env` off"),
    },
    Variable {
        name: "ARIEL_DB_PASSWORD",
        meaning: Meaning::Elsewhere("the password of an `ariel:` block without `uri`"),
    },
    Variable {
        name: "ARIEL_DATABASE_HOST",
        meaning: Meaning::Elsewhere("the host of an `ariel:` block without `uri`"),
    },
    // Those of OpenTelemetry. The address for all signals is a base; the one
    // for traces is whole, and wins.
    Variable {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning: Meaning::Keys(&[Setting {
            path: "/v1/traces",
            ..Setting::of("server.traces.endpoint")
        }]),
    },
    Variable {
        name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        meaning: Meaning::Keys(&[Setting::of("server.traces.endpoint")]),
    },
    Variable {
        name: "OTEL_EXPORTER_OTLP_HEADERS",
        meaning: Meaning::Keys(&[Setting::reference("server.traces.header_list")]),
    },
    Variable {
        name: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
        meaning: Meaning::Keys(&[Setting::reference("server.traces.header_list")]),
    },
    Variable {
        name: "OTEL_SDK_DISABLED",
        meaning: Meaning::Keys(&[Setting {
            values: &[("true", "false"), ("false", "true")],
            ..Setting::of("server.traces.enabled")
        }]),
    },
    Variable {
        name: "OTEL_SERVICE_NAME",
        meaning: Meaning::Keys(&[Setting {
            is_text: true,
            ..Setting::of("server.traces.service_name")
        }]),
    },
];

const VECTORS: &str = "vectors are in the store; the search module `qdrant` asks a collection";
const TEXT_INDEX: &str =
    "the text index is in the store; the search module `opensearch` asks another index";
/// What to do for a reranker, whether one is configured or not.
pub(super) const RERANKER: &str = "name a reranker in `pipelines.rag.settings.rerank`: `{provider: NAME}`; none is built \
     in, NAME is `cross_encoder` or `rerank_server`, configured under `providers`";
/// Why a switch sets nothing.
pub(super) const NO_SWITCH: &str = "its value is neither `true` nor `false`";

/// The builtin encoder, as its publisher calls it.
const MINILM: &[(&str, &str)] = &[("sentence-transformers/all-minilm-l6-v2", "all-MiniLM-L6-v2")];

const COMMAND: [Setting; 3] = [
    Setting {
        is_text: true,
        ..Setting::of("providers.command.settings.command")
    },
    Setting::constant("providers.command.plugin", "command"),
    Setting::constant("reasoning.provider", "command"),
];

/// A value that empties a key.
const NULL: &str = "null";

/// What counts as yes and no in variables.
pub(crate) const TRUE: [&str; 4] = ["true", "1", "yes", "on"];
pub(crate) const FALSE: [&str; 4] = ["false", "0", "no", "off"];

/// A variable of another system.
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) meaning: Meaning,
}

/// What a variable means here.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    /// It sets these keys.
    Keys(&'static [Setting]),
    /// It is not part of the configuration; who reads it.
    Elsewhere(&'static str),
    /// It sets nothing; why.
    None(&'static str),
}

/// A key that a variable sets.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    /// Values with another name here, in lower case.
    values: &'static [(&'static str, &'static str)],
    /// Of a switch whose `true` sets nothing: why, and what to do.
    refused: Option<&'static str>,
    /// What is set whatever the value is.
    constant: Option<&'static str>,
    /// Whether the value is text, however it looks.
    is_text: bool,
    /// What is added to the value, which is an address.
    path: &'static str,
    /// Whether the value is a secret, which stays in its variable.
    is_secret: bool,
}

impl Variable {
    const fn none(name: &'static str, reason: &'static str) -> Self {
        Self {
            name,
            meaning: Meaning::None(reason),
        }
    }
}

impl Setting {
    const fn of(key: &'static str) -> Self {
        Self {
            key,
            values: &[],
            refused: None,
            constant: None,
            is_text: false,
            path: "",
            is_secret: false,
        }
    }

    const fn constant(key: &'static str, value: &'static str) -> Self {
        Self {
            constant: Some(value),
            ..Self::of(key)
        }
    }

    /// A key that refers to the variable.
    const fn reference(key: &'static str) -> Self {
        Self {
            is_secret: true,
            ..Self::of(key)
        }
    }

    /// The value of the key, by the value of this variable.
    ///
    /// # Errors
    /// Why this value sets nothing.
    pub(crate) fn value_of(
        &self,
        name: &str,
        value: &str,
        typed: impl Fn(&str) -> Value,
    ) -> Result<Value, &'static str> {
        if let Some(constant) = self.constant {
            return Ok(Value::from(constant));
        }
        if self.is_secret {
            return Ok(serde_json::json!({ "env": name }));
        }
        if !self.path.is_empty() {
            let base = value.trim().trim_end_matches('/');
            return Ok(Value::from(format!("{base}{}", self.path)));
        }
        if self.is_text {
            return Ok(Value::from(value.trim()));
        }
        let canonical = canonical(value);
        let named = self.values.iter().find(|(theirs, _)| *theirs == canonical);
        match (named, self.refused) {
            (Some((_, ours)), _) if *ours == NULL => Ok(Value::Null),
            (Some((_, ours)), _) => Ok(typed(ours)),
            (None, Some(reason)) if canonical == "true" => Err(reason),
            (None, Some(_)) => Err(NO_SWITCH),
            (None, None) => Ok(typed(value)),
        }
    }

    /// The key and the values with another name, for the docs.
    fn line(&self) -> String {
        let mut line = format!("`{}`", self.key);
        if let Some(constant) = self.constant {
            line.push_str(&format!(" becomes `{constant}`"));
        }
        if self.is_secret {
            line.push_str(" refers to it");
        }
        if !self.path.is_empty() {
            line.push_str(&format!(", with `{}` added", self.path));
        }
        for (theirs, ours) in self.values.iter().filter(|(theirs, ours)| theirs != ours) {
            line.push_str(&format!(", `{theirs}` is `{ours}`"));
        }
        if let Some(reason) = self.refused {
            line.push_str(&format!(", `true` sets nothing: {reason}"));
        }
        line
    }
}

/// A value in lower case, `1` and `yes` as `true`.
fn canonical(value: &str) -> String {
    let value = value.trim().to_lowercase();
    if TRUE.contains(&value.as_str()) {
        return "true".to_owned();
    }
    if FALSE.contains(&value.as_str()) {
        return "false".to_owned();
    }
    value
}

/// The mode of a method of the retriever, compared without case.
pub(crate) fn mode_of_method(method: &str) -> String {
    let method = method.trim().to_lowercase();
    match method.as_str() {
        "vector" => "semantic".to_owned(),
        "hybrid" => "rag".to_owned(),
        _ => method,
    }
}

/// The table of the docs, in Markdown: each variable of another system with
/// the keys that it sets, or why it sets none.
pub fn variables_table() -> String {
    let mut table = "| variable | key, or why it sets none |\n|---|---|\n".to_owned();
    for variable in &VARIABLES {
        let meaning = match variable.meaning {
            Meaning::Keys(settings) => {
                let lines: Vec<String> = settings.iter().map(Setting::line).collect();
                lines.join("; ")
            }
            Meaning::Elsewhere(reader) => reader.to_owned(),
            Meaning::None(reason) => format!("sets nothing: {reason}"),
        };
        table.push_str(&format!("| `{}` | {meaning} |\n", variable.name));
    }
    table
}
