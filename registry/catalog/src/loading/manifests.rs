//! Which manifest counts, and whether this host can load what it describes.

use std::path::Path;

use gannet_abi::manifest::{ABI_STABLE, CONTRACT, Manifest, PanicStrategy};

use super::LoadError;

/// The manifest that a file is loaded by: that of the crate which gave the
/// file its name (`libpv_search.so` is of `pv-search`), otherwise the first
/// by name. The plugins are those of all crates in the file.
pub(super) fn of_file(path: &Path, manifests: &[Manifest]) -> Option<Manifest> {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let gave_the_name = |manifest: &&Manifest| stem.contains(&manifest.name.replace('-', "_"));
    let named = manifests
        .iter()
        .filter(gave_the_name)
        .max_by_key(|manifest| manifest.name.len());
    let chosen = named.or_else(|| manifests.iter().min_by(|a, b| a.name.cmp(&b.name)))?;
    let all = manifests.iter().flat_map(|manifest| &manifest.exports);
    Some(Manifest {
        exports: all.cloned().collect(),
        ..chosen.clone()
    })
}

/// The same major version of the contract; any minor one.
pub(super) fn check_contract(manifest: &Manifest) -> Result<(), LoadError> {
    match manifest.contract.major == CONTRACT.major {
        true => Ok(()),
        false => Err(LoadError::Contract {
            plugin: manifest.contract,
            host: CONTRACT,
        }),
    }
}

/// The same version of what the layouts are made with.
pub(super) fn check_abi_stable(manifest: &Manifest) -> Result<(), LoadError> {
    match manifest.abi_stable == ABI_STABLE {
        true => Ok(()),
        false => Err(LoadError::AbiStable {
            plugin: manifest.abi_stable.clone(),
            host: ABI_STABLE.to_owned(),
        }),
    }
}

/// Panics that can be caught.
pub(super) fn check_panic(manifest: &Manifest) -> Result<(), LoadError> {
    match manifest.panic {
        PanicStrategy::Unwind => Ok(()),
        PanicStrategy::Abort => Err(LoadError::PanicAbort),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn manifests(names: &[&str]) -> Vec<Manifest> {
        let text = |name: &&str| {
            format!(
                "gannet plugin manifest 1\nname={name}\nversion=1.0.0\ncontract=2.7\n\
                 abi_stable=0.11\npanic=unwind\nruntime=none\nroot=r\n\0"
            )
        };
        let section: String = names.iter().map(text).collect();
        Manifest::read_section(section.as_bytes()).unwrap()
    }

    fn chosen(file: &str, names: &[&str]) -> String {
        of_file(Path::new(file), &manifests(names)).unwrap().name
    }

    #[test]
    fn the_crate_that_gave_the_file_its_name_counts() {
        let names = ["a", "pv-search", "pv-search-extra"];
        assert_eq!(chosen("/x/libpv_search.so", &names[1..]), "pv-search");
        assert_eq!(chosen("libpv_search_extra.so", &names), "pv-search-extra");
        assert_eq!(chosen("libpv_search-1.2.0.so", &names[1..]), "pv-search");
    }

    #[test]
    fn without_such_a_crate_the_first_by_name_counts() {
        assert_eq!(chosen("/x/libmine.so", &["zebra", "yak"]), "yak");
        assert!(of_file(Path::new("libmine.so"), &[]).is_none());
    }

    #[test]
    fn a_minor_version_may_differ() {
        let manifest = manifests(&["a"]).remove(0);
        assert_ne!(manifest.contract, CONTRACT);
        assert_eq!(check_contract(&manifest), Ok(()));
    }
}
