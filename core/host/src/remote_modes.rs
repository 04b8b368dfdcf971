//! Which modes wait for something outside of the host.

use std::collections::BTreeSet;

use gannet_api::PluginKind;
use gannet_registry::Instance;

use crate::Gannet;
use crate::config::mode_name;
use crate::search::MODE_KINDS;

impl Gannet {
    /// Whether a search in this mode may wait for another server or for a
    /// loaded plugin: its instance does, or that of a module or pipeline that
    /// it retrieves with, however deep.
    pub fn may_wait_for_others(&self, mode: &str) -> bool {
        let catalog = self.services().catalog();
        let mut followed = BTreeSet::new();
        let mut to_follow = vec![mode_name(mode)];
        while let Some(name) = to_follow.pop() {
            let kinds = MODE_KINDS.into_iter();
            let mut instances = kinds.filter_map(|kind| catalog.get(kind, &name));
            if instances.any(may_wait) {
                return true;
            }
            let config = self.config();
            if config.pipelines.contains_key(&name) && followed.insert(name.clone()) {
                to_follow.extend(config.retrieval_modules(&name));
            }
        }
        false
    }

    /// Whether this mode is a search module that is loaded or asks another
    /// server.
    pub(crate) fn is_module_of_others(&self, mode: &str) -> bool {
        let instance = self.mode(mode);
        instance.is_ok_and(|instance| {
            instance.descriptor.kind == PluginKind::SearchModule && may_wait(instance)
        })
    }
}

/// A plugin that is linked in calls only servers whose addresses are in its
/// settings. What a loaded plugin does while it searches is not known.
fn may_wait(instance: &Instance) -> bool {
    instance.origin.file.is_some() || !instance.addresses.is_empty()
}
