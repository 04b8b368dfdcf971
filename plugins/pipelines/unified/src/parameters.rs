//! What a call can set beside the settings that are parameters: where the
//! question was asked, and what its user did before.

use gannet_plugin::descriptor::{ParameterDescriptor, ParameterType};

/// The heading of these parameters in forms.
const SECTION: &str = "Context";

/// Names of the parameters.
pub(crate) const SCOPE: &str = "scope";
pub(crate) const ROUTE: &str = "route";
pub(crate) const VISIBLE: &str = "visible_entities";
pub(crate) const LAST_DOMAIN: &str = "last_action_domain";
pub(crate) const LAST_ENTITY: &str = "last_action_entity";
pub(crate) const SESSION: &str = "session_entities";
pub(crate) const POPULAR: &str = "popular";

/// The parameters.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    [
        (
            SCOPE,
            "Scope",
            "Domains that count more, separated by commas. Nothing is hidden by it.",
            "logbook, document",
        ),
        (
            ROUTE,
            "Page",
            "Address of the page that the question is asked on; its domain counts more.",
            "/shift/today",
        ),
        (
            VISIBLE,
            "Visible entities",
            "Devices and places that the page shows, separated by commas.",
            "RF-2, SR07",
        ),
        (
            LAST_DOMAIN,
            "Domain of the last action",
            "The domain in which the user did something last.",
            "logbook",
        ),
        (
            LAST_ENTITY,
            "Entity of the last action",
            "The device or place to which it was done.",
            "RF-2",
        ),
        (
            SESSION,
            "Entities of the session",
            "Devices and places of earlier questions, separated by commas.",
            "RF-2",
        ),
        (
            POPULAR,
            "Popular entries",
            "How often users opened entries, as ID=NUMBER separated by commas; only used if \
             `boosts.popularity` is above 0.",
            "SKY-0001=3",
        ),
    ]
    .into_iter()
    .map(|(name, label, description, placeholder)| {
        let text = ParameterType::Text;
        let mut parameter = ParameterDescriptor::new(name, label, description, text, "");
        parameter.placeholder = Some(placeholder.to_owned());
        parameter.section(SECTION)
    })
    .collect()
}
