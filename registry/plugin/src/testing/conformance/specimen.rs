//! What is examined.

use serde_json::Value;

use gannet_api::{Descriptor, Plugin, Registration, Result, Setup};

type Construct = dyn Fn(Value, &Setup) -> Result<Plugin> + Send + Sync;

/// A plugin that is to be examined: what it says of itself, and how an
/// instance is made. It does not matter whether it is linked into the program
/// or loaded from a file.
pub struct Specimen {
    /// What the plugin says of itself.
    pub descriptor: Descriptor,
    /// Makes an instance from its settings.
    pub construct: Box<Construct>,
}

impl Specimen {
    /// A plugin that is made by this function.
    pub fn new(
        descriptor: Descriptor,
        construct: impl Fn(Value, &Setup) -> Result<Plugin> + Send + Sync + 'static,
    ) -> Self {
        Self {
            descriptor,
            construct: Box::new(construct),
        }
    }

    /// A plugin that is linked into this program.
    pub fn of(registration: &Registration) -> Self {
        let registration = *registration;
        Self::new((registration.describe)(), move |settings, setup| {
            registration.construct(settings, setup)
        })
    }

    /// Every plugin that is linked into this program, sorted by kind and name.
    pub fn linked() -> Vec<Self> {
        let mut linked: Vec<Self> = Registration::linked().map(Self::of).collect();
        linked.sort_by(|a, b| {
            let key =
                |specimen: &Self| (specimen.descriptor.kind, specimen.descriptor.name.clone());
            key(a).cmp(&key(b))
        });
        linked
    }
}
