//! Plugins and hosts a minor version apart work together, both ways.

#![allow(
    unsafe_code,
    dead_code,
    non_local_definitions,
    non_camel_case_types,
    missing_docs,
    reason = "what the derives of abi_stable write; only layouts are looked at"
)]

use abi_stable::StableAbi;

use crate::host::check_both_ways;
use crate::manifest::ContractVersion;

const OLDER: ContractVersion = ContractVersion { major: 1, minor: 0 };
const NEWER: ContractVersion = ContractVersion { major: 1, minor: 1 };

mod older {
    use abi_stable::StableAbi;
    use abi_stable::std_types::{RBox, RString};

    #[abi_stable::sabi_trait]
    pub trait Module: Send + Sync {
        #[sabi(last_prefix_field)]
        fn search(&self, query: RString) -> u32;
    }

    #[repr(C)]
    #[derive(StableAbi)]
    #[sabi(kind(Prefix(prefix_ref = Root_Ref)))]
    #[sabi(missing_field(option))]
    pub struct Root {
        #[sabi(last_prefix_field)]
        pub start: extern "C" fn() -> Module_TO<'static, RBox<()>>,
    }
}

/// A method with a default body and a field of the root are appended.
mod newer {
    use abi_stable::StableAbi;
    use abi_stable::std_types::{RBox, RString};

    #[abi_stable::sabi_trait]
    pub trait Module: Send + Sync {
        #[sabi(last_prefix_field)]
        fn search(&self, query: RString) -> u32;
        fn health(&self) -> u32 {
            0
        }
    }

    #[repr(C)]
    #[derive(StableAbi)]
    #[sabi(kind(Prefix(prefix_ref = Root_Ref)))]
    #[sabi(missing_field(option))]
    pub struct Root {
        #[sabi(last_prefix_field)]
        pub start: extern "C" fn() -> Module_TO<'static, RBox<()>>,
        pub stop: extern "C" fn(),
    }
}

/// A method has another signature: no minor version may do that.
mod changed {
    use abi_stable::StableAbi;
    use abi_stable::std_types::{RBox, RString};

    #[abi_stable::sabi_trait]
    pub trait Module: Send + Sync {
        #[sabi(last_prefix_field)]
        fn search(&self, query: RString, limit: u64) -> u32;
    }

    #[repr(C)]
    #[derive(StableAbi)]
    #[sabi(kind(Prefix(prefix_ref = Root_Ref)))]
    #[sabi(missing_field(option))]
    pub struct Root {
        #[sabi(last_prefix_field)]
        pub start: extern "C" fn() -> Module_TO<'static, RBox<()>>,
    }
}

#[test]
fn an_older_plugin_fits_a_newer_host() {
    let host = (newer::Root_Ref::LAYOUT, NEWER);
    assert_eq!(
        check_both_ways(host, (older::Root_Ref::LAYOUT, OLDER)),
        Ok(())
    );
}

#[test]
fn a_newer_plugin_fits_an_older_host() {
    let host = (older::Root_Ref::LAYOUT, OLDER);
    assert_eq!(
        check_both_ways(host, (newer::Root_Ref::LAYOUT, NEWER)),
        Ok(())
    );
}

#[test]
fn a_plugin_that_lacks_what_its_own_version_has_is_refused() {
    let host = (newer::Root_Ref::LAYOUT, NEWER);
    assert!(check_both_ways(host, (older::Root_Ref::LAYOUT, NEWER)).is_err());
}

#[test]
fn a_changed_signature_is_refused_both_ways_in_few_words() {
    let host = (changed::Root_Ref::LAYOUT, NEWER);
    let refused = check_both_ways(host, (older::Root_Ref::LAYOUT, OLDER)).unwrap_err();
    assert!(refused.to_string().len() < 2000, "{refused}");
    let host = (older::Root_Ref::LAYOUT, OLDER);
    assert!(check_both_ways(host, (changed::Root_Ref::LAYOUT, NEWER)).is_err());
}
