//! Which instance of a plugin makes a call.

use gannet_api::PluginKind;

use crate::quarantine::PluginName;

/// The kind and the name of an instance, kept with what was made for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InstanceKey(PluginKind, String);

impl InstanceKey {
    pub(crate) fn new(kind: PluginKind, name: impl Into<String>) -> Self {
        Self(kind, name.into())
    }

    /// Of which kind it is.
    pub(crate) fn kind(&self) -> PluginKind {
        self.0
    }

    /// Its name in the configuration.
    pub(crate) fn name(&self) -> &str {
        &self.1
    }
}

impl From<PluginName<'_>> for InstanceKey {
    fn from(plugin: PluginName<'_>) -> Self {
        Self::new(plugin.kind, plugin.name)
    }
}

impl std::fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, name) = (self.0, self.name());
        PluginName { kind, name }.fmt(f)
    }
}
