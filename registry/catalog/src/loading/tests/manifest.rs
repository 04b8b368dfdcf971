//! What a dylib says of itself.

use super::*;
use crate::loading::fixtures::{CODE, compile, library, patched};
use gannet_abi::manifest::{ABI_STABLE, CONTRACT, ManifestError};

#[test]
fn a_library_without_a_manifest_is_refused() {
    let bytes = compile(CODE, &["-shared", "-fPIC"]);
    let refused = of_bytes(&bytes).unwrap_err();
    assert_eq!(refused, LoadError::Manifest(ManifestError::Missing));
    assert_eq!(gate(&library(&[""])), "manifest");
}

#[test]
fn a_manifest_of_another_form_is_refused() {
    let bytes = patched(good_library(), "manifest 1\n", "manifest 2\n");
    let refused = of_bytes(&bytes).unwrap_err();
    assert_eq!(refused, LoadError::Manifest(ManifestError::UnknownForm));
}

#[test]
fn a_manifest_without_a_line_is_refused() {
    let bytes = patched(good_library(), "root=", "ruut=");
    let refused = of_bytes(&bytes).unwrap_err();
    assert_eq!(refused, LoadError::Manifest(ManifestError::Line("root")));
}

#[test]
fn another_major_version_of_the_contract_is_refused_and_another_minor_is_not() {
    let ours = format!("contract={CONTRACT}\n");
    let major = format!("contract={}.{}\n", CONTRACT.major + 1, CONTRACT.minor);
    let refused = of_bytes(&patched(good_library(), &ours, &major)).unwrap_err();
    assert!(matches!(refused, LoadError::Contract { .. }), "{refused}");
    let minor = format!("contract={}.{}\n", CONTRACT.major, CONTRACT.minor + 1);
    assert!(of_bytes(&patched(good_library(), &ours, &minor)).is_ok());
}

#[test]
fn another_abi_stable_is_refused() {
    let ours = format!("abi_stable={ABI_STABLE}\n");
    let bytes = patched(good_library(), &ours, "abi_stable=0.10\n");
    let refused = of_bytes(&bytes).unwrap_err();
    assert_eq!(refused.gate(), "abi_stable");
    assert!(refused.to_string().contains("0.10"), "{refused}");
}

#[test]
fn a_library_whose_panics_end_the_process_is_refused() {
    let bytes = patched(good_library(), "panic=unwind\n", "panic=abort\n\n");
    assert_eq!(of_bytes(&bytes).unwrap_err(), LoadError::PanicAbort);
}

#[test]
fn of_several_manifests_the_one_of_the_files_name_counts() {
    let all = [good_manifest("aardvark"), good_manifest("pv-search")];
    let bytes = library(&[&all[0], &all[1]]);
    assert_eq!(of_bytes(&bytes).unwrap().manifest.name, "pv-search");
}
