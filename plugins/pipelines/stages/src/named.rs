//! The name of a pipeline in the configuration.

use gannet_plugin::prelude::Setup;

/// The name under which a pipeline is configured, or the plugin's own where
/// none was given.
///
/// ```
/// use gannet_plugin::prelude::Setup;
/// use gannet_stages::instance_name;
///
/// assert_eq!(instance_name(&Setup::default(), "rag"), "rag");
/// ```
pub fn instance_name(setup: &Setup, plugin: &str) -> String {
    match setup.instance.as_str() {
        "" => plugin.to_owned(),
        name => name.to_owned(),
    }
}
