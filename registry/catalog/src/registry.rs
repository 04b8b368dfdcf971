//! What is linked into the program.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use gannet_api::{Descriptor, PluginKind, Registration};

use crate::CatalogError;

/// Every plugin that is linked into the program, by kind and name.
pub struct Registry {
    plugins: BTreeMap<(PluginKind, String), Registered>,
}

/// One plugin that is linked into the program.
#[derive(Clone)]
pub struct Registered {
    /// What it is.
    pub descriptor: Descriptor,
    /// Where it comes from and how it is made.
    pub registration: Registration,
}

impl Registry {
    /// What is linked into this program.
    ///
    /// # Errors
    /// [`CatalogError::Duplicate`] when two of one kind have one name.
    pub fn linked() -> Result<Self, CatalogError> {
        Self::of(Registration::linked().copied())
    }

    /// Exactly these registrations, for tests and for embedders that choose.
    ///
    /// # Errors
    /// [`CatalogError::Duplicate`] when two of one kind have one name.
    pub fn of(registrations: impl IntoIterator<Item = Registration>) -> Result<Self, CatalogError> {
        let mut plugins = BTreeMap::new();
        for registration in registrations {
            let descriptor = (registration.describe)();
            let name = descriptor.name.clone();
            match plugins.entry((descriptor.kind, name)) {
                Slot::Vacant(slot) => {
                    slot.insert(Registered {
                        descriptor,
                        registration,
                    });
                }
                Slot::Occupied(taken) => {
                    return Err(duplicate(&descriptor, taken.get(), &registration));
                }
            }
        }
        Ok(Self { plugins })
    }

    /// The plugin of this kind and name.
    pub fn get(&self, kind: PluginKind, name: &str) -> Option<&Registered> {
        self.plugins.get(&(kind, name.to_owned()))
    }

    /// All of them, sorted by kind and name.
    pub fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.plugins.values()
    }

    /// The names of one kind, sorted.
    pub fn names(&self, kind: PluginKind) -> Vec<&str> {
        self.iter()
            .filter(|plugin| plugin.descriptor.kind == kind)
            .map(|plugin| plugin.descriptor.name.as_str())
            .collect()
    }
}

fn duplicate(
    descriptor: &Descriptor,
    taken: &Registered,
    registration: &Registration,
) -> CatalogError {
    // The order of registrations is the linker's; sorted, the message is
    // always the same.
    let mut packages = [taken.registration.package, registration.package];
    packages.sort_unstable();
    CatalogError::Duplicate {
        kind: descriptor.kind,
        name: descriptor.name.clone(),
        first: packages[0].to_owned(),
        second: packages[1].to_owned(),
    }
}
