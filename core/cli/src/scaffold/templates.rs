//! The files of a new plugin.

use super::Kind;
use super::name::Names;

const MANIFEST: &str = include_str!("templates/Cargo.toml.template");
const README: &str = include_str!("templates/README.md.template");
const GITIGNORE: &str = include_str!("templates/gitignore.template");

/// What differs between the kinds.
struct Template {
    library: &'static str,
    summary: &'static str,
    a_kind: &'static str,
    /// Lines of `[dependencies]` beside those that all have.
    dependencies: &'static str,
    dev_dependencies: &'static str,
    /// The lines of `config.yml` that switch it on.
    switch_on: &'static str,
    /// A command that tries it.
    try_it: &'static str,
    /// Where its own work is done.
    work: &'static str,
    and_ingest: &'static str,
}

const SEARCH: Template = Template {
    library: include_str!("templates/search/lib.rs.template"),
    summary: "Finds entries of one shift.",
    a_kind: "a search module",
    dependencies: "",
    dev_dependencies: "pollster = \"1\"\n",
    switch_on: "\
search_modules:
  {{plugin}}:
    enabled: true
    settings: { shift: Day }
pipelines:
  rag:
    retrieval_modules: [keyword, semantic, {{plugin}}]
",
    try_it: "gannet search 'cavity trip' --mode {{plugin}}",
    work: "`search`: a question in, hits out.",
    and_ingest: "",
};

const PIPELINE: Template = Template {
    library: include_str!("templates/pipeline/lib.rs.template"),
    summary: "Lists the titles of the entries found, each with its citation.",
    a_kind: "a pipeline",
    dependencies: "",
    dev_dependencies: "pollster = \"1\"\n",
    switch_on: "\
pipelines:
  {{plugin}}:
    retrieval_modules: [keyword, semantic]
    settings: { title_chars: 80 }
",
    try_it: "gannet search 'cavity trip' --mode {{plugin}}",
    work: "`run`: a question in, an answer with citations out.",
    and_ingest: "",
};

const ADAPTER: Template = Template {
    library: include_str!("templates/adapter/lib.rs.template"),
    summary: "Reads a text file with one record per line.",
    a_kind: "an adapter",
    dependencies: "\
jiff = \"0.2\"
",
    dev_dependencies: "",
    switch_on: "\
ingestion:
  adapters:
    {{plugin}}:
      enabled: true
      settings: { source_system: {{plugin}} }
",
    try_it: "gannet ingest --adapter {{plugin}} FILE",
    work: "`fetch`: a source in, records out.",
    and_ingest: " and `ingest`",
};

const ENHANCER: Template = Template {
    library: include_str!("templates/enhancer/lib.rs.template"),
    summary: "Adds the number of words to the metadata of an entry.",
    a_kind: "an enhancer",
    dependencies: "serde_json = \"1\"\n",
    dev_dependencies: "",
    switch_on: "\
enhancement_modules:
  {{plugin}}:
    enabled: true
    settings: { metadata_key: word_count }
",
    try_it: "gannet enhance",
    work: "`enhance`: entries in, what is added to them out.",
    and_ingest: "",
};

/// The files of a plugin: where each lies in the crate's folder, and its text.
pub(super) fn files(kind: Kind, names: &Names, plugin_crate: &str) -> Vec<(&'static str, String)> {
    let template = match kind {
        Kind::Search => SEARCH,
        Kind::Pipeline => PIPELINE,
        Kind::Adapter => ADAPTER,
        Kind::Enhancer => ENHANCER,
    };
    let texts = [
        ("README.md", README),
        ("src/lib.rs", template.library),
        ("Cargo.toml", MANIFEST),
        (".gitignore", GITIGNORE),
    ];
    texts
        .map(|(place, text)| (place, template.fill(text, names, plugin_crate)))
        .into()
}

impl Template {
    /// Puts names and pieces into a text.
    fn fill(&self, text: &str, names: &Names, plugin_crate: &str) -> String {
        let dev_dependencies = match self.dev_dependencies {
            "" => String::new(),
            lines => format!("[dev-dependencies]\n{lines}\n"),
        };
        // Pieces first: they hold names.
        text.replace(
            "[dev-dependencies]\n{{dev_dependencies}}\n",
            &dev_dependencies,
        )
        .replace("{{dependencies}}", &self.all_dependencies(plugin_crate))
        .replace("{{summary}}", self.summary)
        .replace("{{a_kind}}", self.a_kind)
        .replace("{{switch_on}}", self.switch_on)
        .replace("{{try}}", self.try_it)
        .replace("{{work}}", self.work)
        .replace("{{and_ingest}}", self.and_ingest)
        .replace("{{crate}}", &names.package)
        .replace("{{plugin}}", &names.plugin)
        .replace("{{library}}", &names.plugin)
        .replace("{{Type}}", &names.type_name)
        .replace("{{label}}", &names.label)
    }

    /// The lines of `[dependencies]`, sorted by name.
    fn all_dependencies(&self, plugin_crate: &str) -> String {
        let of_all = [format!("gannet-plugin = {plugin_crate}")];
        let own = self.dependencies.lines().map(str::to_owned);
        let mut lines: Vec<String> = of_all.into_iter().chain(own).collect();
        lines.sort();
        lines.join("\n") + "\n"
    }
}
