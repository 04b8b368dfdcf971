//! Reads what the facility says to chat models.

use std::collections::BTreeMap;
use std::path::Path;

use gannet_api::{Error, Prompts};

use crate::config::{Config, PromptsConfig};

/// What the configuration says, with the files of its folder.
///
/// # Errors
/// [`Error::Configuration`] for a folder or file that cannot be read, and for
/// a file that is nobody's prompt: a mistyped name would change nothing.
pub(crate) fn prompts(config: &Config) -> Result<Prompts, Error> {
    let PromptsConfig {
        dir,
        facility,
        guidelines,
    } = &config.prompts;
    let files = match dir {
        Some(dir) => files(dir, config)?,
        None => BTreeMap::new(),
    };
    let mut prompts = Prompts::default();
    prompts.facility = facility.trim().to_owned();
    prompts.guidelines = guidelines.trim().to_owned();
    prompts.files = files;
    Ok(prompts)
}

fn files(dir: &Path, config: &Config) -> Result<BTreeMap<String, String>, Error> {
    let unreadable = |what: &Path, error: std::io::Error| {
        Error::configuration(
            "prompts.dir",
            format!("cannot read {}: {error}", what.display()),
        )
    };
    let mut files = BTreeMap::new();
    for file in std::fs::read_dir(dir).map_err(|error| unreadable(dir, error))? {
        let path = file.map_err(|error| unreadable(dir, error))?.path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        check_name(&name, config)?;
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        files.insert(name.into_owned(), text.trim_end().to_owned());
    }
    Ok(files)
}

/// A prompt is named after the pipeline, or the enhancement module, whose it
/// is: `rag.system`.
fn check_name(name: &str, config: &Config) -> Result<(), Error> {
    let owner = name.split_once('.').map(|(owner, _)| owner);
    let is_known = |owner: &str| {
        let pipelines = config.pipelines.iter();
        let pipelines = pipelines.map(|(name, one)| (name, one.plugin.as_deref()));
        let enhancers = config.enhancement_modules.iter();
        let enhancers = enhancers.map(|(name, one)| (name, one.plugin.as_deref()));
        let mut all = pipelines.chain(enhancers);
        all.any(|(instance, plugin)| instance == owner || plugin == Some(owner))
    };
    if owner.is_some_and(is_known) {
        return Ok(());
    }
    let pipelines: Vec<&str> = config.pipelines.keys().map(String::as_str).collect();
    Err(Error::configuration(
        "prompts.dir",
        format!(
            "`{name}.md` belongs to no pipeline; a prompt file is named PIPELINE.PROMPT.md, such \
             as `rag.system.md`; pipelines are: {}",
            pipelines.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_are_named_after_pipelines_and_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.prompts.dir = Some(folder.path().to_owned());
        config.prompts.facility = " A storage ring. \n".to_owned();
        std::fs::write(folder.path().join("rag.user.md"), "{question}\n").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not a prompt").unwrap();
        let read = prompts(&config).unwrap();
        assert_eq!(read.facility, "A storage ring.");
        assert_eq!(
            read.files,
            BTreeMap::from([("rag.user".into(), "{question}".into())])
        );

        std::fs::write(folder.path().join("rga.user.md"), "x").unwrap();
        let refused = prompts(&config).unwrap_err().to_string();
        assert!(
            refused.contains("rga.user.md") && refused.contains("rag"),
            "{refused}"
        );
    }
}
