//! What can be wrong between a configuration and the plugins it names.

use gannet_api::PluginKind;

/// Something that keeps a plugin from being used. `key` is the place in the
/// configuration, dotted, so that a surface can point at the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Two plugins of one kind have one name.
    #[error(
        "two {}s are named `{name}`: one in {first}, one in {second}; remove one of them",
        kind.label()
    )]
    Duplicate {
        /// Of which kind.
        kind: PluginKind,
        /// The name that both have.
        name: String,
        /// The package of the one.
        first: String,
        /// The package of the other.
        second: String,
    },
    /// The configuration names a plugin that is not there.
    #[error("`{key}`: no {} named `{name}`{hint}", kind.label())]
    UnknownPlugin {
        /// Where in the configuration.
        key: String,
        /// Of which kind.
        kind: PluginKind,
        /// The name that was not found.
        name: String,
        /// The nearest name or the names there are, starting with `; `.
        hint: String,
    },
    /// A plugin's settings do not fit its schema.
    #[error("`{key}`: {message}")]
    Settings {
        /// Where in the configuration.
        key: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// A dylib that is required cannot be loaded.
    #[error("`{key}`: `{file}` cannot be loaded, and it is required: {reason}")]
    RequiredFile {
        /// Where in the configuration.
        key: String,
        /// The file, as configured.
        file: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A plugin could not be made.
    #[error("`{key}`: {message}")]
    Construction {
        /// Where in the configuration.
        key: String,
        /// What the plugin said.
        message: String,
    },
    /// A pipeline is given a search module that is not on.
    #[error("`{key}`: search module `{module}` is {state}{hint}")]
    RetrievalModule {
        /// Where in the configuration.
        key: String,
        /// The module that was named.
        module: String,
        /// `not configured` or `switched off`.
        state: &'static str,
        /// What to do, starting with `; `.
        hint: String,
    },
}

impl CatalogError {
    /// The place in the configuration, dotted, where there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Duplicate { .. } => None,
            Self::UnknownPlugin { key, .. }
            | Self::Settings { key, .. }
            | Self::RequiredFile { key, .. }
            | Self::Construction { key, .. }
            | Self::RetrievalModule { key, .. } => Some(key),
        }
    }
}
