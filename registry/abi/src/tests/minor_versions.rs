//! Plugins and hosts a minor version apart work together, both ways.

#![allow(
    unsafe_code,
    dead_code,
    non_local_definitions,
    non_camel_case_types,
    missing_docs,
    reason = "what the derives of abi_stable write; only layouts are looked at"
)]

use std::sync::Arc;

use abi_stable::StableAbi;
use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::RString;
use gannet_api::{Descriptor, PluginKind, Setup};
use serde_json::json;

use crate::host::{Opened, check_both_ways, described};
use crate::layout::{AbiResult, not_made};
use crate::manifest::ContractVersion;
use crate::vtable::{
    AbiExport, AbiExport_TO, AbiMade, AdapterObject, ChatModelObject, EmbedderObject,
    EnhancerObject, PipelineObject, RerankerObject, SearchModuleObject,
};

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

/// A plugin of another minor version: its constructors are those of 2.0, and its
/// kind is what it says.
struct OfKind(&'static str);

/// Constructors that nobody calls.
macro_rules! without {
    ($($name:ident: $object:ty;)+) => {$(
        fn $name(&self, _: RString, _: RString) -> AbiMade<$object> {
            not_made(stringify!($name))
        }
    )+};
}

impl AbiExport for OfKind {
    fn kind_json(&self) -> RString {
        json!(self.0).to_string().into()
    }

    fn name(&self) -> RString {
        "delphi".into()
    }

    fn descriptor_json(&self) -> AbiResult<RString> {
        let mut descriptor = json!(Descriptor::reader("delphi", "Delphi", "Knows."));
        descriptor["kind"] = self.0.into();
        AbiResult::ROk(descriptor.to_string().into())
    }

    fn instance_json(&self, _: RString) -> AbiResult<RString> {
        AbiResult::ROk("{}".into())
    }

    without! {
        search_module: SearchModuleObject;
        pipeline: PipelineObject;
        adapter: AdapterObject;
        enhancer: EnhancerObject;
        embedder: EmbedderObject;
        reranker: RerankerObject;
        chat_model: ChatModelObject;
    }
}

fn opened(kind: &'static str) -> Opened {
    let export = AbiExport_TO::from_value(OfKind(kind), TD_Opaque);
    let enter_host: crate::host::EnterHost = Arc::new(|work| work());
    described([export].into_iter().collect(), &enter_host)
}

#[test]
fn a_plugin_of_a_kind_that_is_not_known_is_reported_and_left_out() {
    let opened = opened("oracle");
    assert!(opened.exports.is_empty());
    let [failed] = &opened.failed[..] else {
        panic!("one failed");
    };
    assert_eq!((failed.kind, failed.name.as_str()), (None, "delphi"));
    let reason = failed.error.to_string();
    assert!(reason.contains("unknown variant `oracle`"), "{reason}");
}

#[test]
fn a_constructor_that_an_older_plugin_lacks_is_an_error_that_names_it() {
    let opened = opened("reader");
    let export = &opened.exports[0];
    assert_eq!(export.descriptor().kind, PluginKind::Reader);
    let made = export.construct(&json!({}), &Setup::default());
    let refused = made.err().unwrap().to_string();
    assert!(refused.contains("has no `reader`"), "{refused}");
    assert!(refused.contains("older contract"), "{refused}");
}
