//! The modes of the configuration, with their parameters, behind the help of
//! the commands that take them. They are drawn from the descriptors, so that
//! those of a facility's own plugins are among them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use gannet_core::api::{Exposure, ParameterDescriptor, PluginKind};
use gannet_core::config::{self, LoadOptions};
use gannet_core::{Gannet, InstanceState, PluginListing};

use crate::render::safe;

/// The commands with `--mode` and `--param`.
const COMMANDS: [&str; 3] = ["search", "ask", "chat"];
/// Columns of the help.
const WIDTH: usize = 100;

/// Prints the modes, if this is the help of such a command. Where the
/// configuration cannot be used there are none: every other command says why.
pub fn print(error: &clap::Error) {
    let help = error.render().to_string();
    let is_of = |command: &&str| help.contains(&format!("Usage: gannet {command}"));
    if error.kind() != ErrorKind::DisplayHelp || !COMMANDS.iter().any(is_of) {
        return;
    }
    let modes = modes();
    if !modes.is_empty() {
        outln!("\nModes of this configuration (--mode) and their parameters (--param):");
    }
    for mode in modes {
        outln!(
            "{}",
            wrapped(&format!("{}: {}", mode.name, mode.description), 2)
        );
        let settable = |one: &&ParameterDescriptor| one.exposure != Exposure::Host;
        for parameter in mode.parameters.iter().filter(settable) {
            outln!("{}", wrapped(&line(parameter), 6));
        }
    }
}

fn modes() -> Vec<PluginListing> {
    let options = LoadOptions::of_process(config_file(std::env::args_os()), Vec::new());
    let Ok(loaded) = config::load(options) else {
        return Vec::new();
    };
    let listed = Gannet::list_plugins(&loaded.config);
    let mut plugins = listed.map(|listed| listed.plugins).unwrap_or_default();
    plugins.retain(|plugin| {
        let is_mode = matches!(plugin.kind, PluginKind::SearchModule | PluginKind::Pipeline);
        is_mode && plugin.state == InstanceState::On
    });
    plugins
}

/// The value of `--config`; help is shown before options are read.
fn config_file(arguments: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        let joined = argument
            .to_str()
            .and_then(|text| text.strip_prefix("--config="));
        if let Some(file) = joined {
            return Some(file.into());
        }
    }
    None
}

/// `NAME=DEFAULT` and what it means, with the values of a choice.
fn line(parameter: &ParameterDescriptor) -> String {
    let default = match &parameter.default {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let options = parameter.options.iter().map(|option| option.value.as_str());
    let options = options.collect::<Vec<_>>().join(", ");
    let choice = match options.is_empty() {
        true => String::new(),
        false => format!(" ({options})"),
    };
    format!(
        "{}={default}  {}{choice}",
        parameter.name, parameter.description
    )
}

fn wrapped(text: &str, indent: usize) -> String {
    let (first, rest) = (" ".repeat(indent), " ".repeat(indent + 4));
    let options = textwrap::Options::new(WIDTH);
    let options = options.initial_indent(&first).subsequent_indent(&rest);
    textwrap::fill(&safe(text), options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_found_among_the_arguments() {
        for (arguments, file) in [
            (&["gannet", "search", "--help"][..], None),
            (
                &["gannet", "--config", "a.yml", "search", "-h"],
                Some("a.yml"),
            ),
            (&["gannet", "search", "--config=b.yml", "-h"], Some("b.yml")),
            (&["gannet", "search", "-h", "--config"], None),
        ] {
            let given = arguments.iter().map(OsString::from);
            assert_eq!(config_file(given), file.map(PathBuf::from), "{arguments:?}");
        }
    }
}
