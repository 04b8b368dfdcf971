//! Small files that a C compiler makes.

use std::process::Command;

/// What the C compiler makes of a source.
pub fn compiled(source: &str, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("x.c"), folder.path().join("x.so"));
    std::fs::write(&input, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let status = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .args([&output, &input])
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(output).unwrap()
}

/// A library of a source, with a manifest as a plugin has it.
pub fn with_manifest(source: &str) -> Vec<u8> {
    let manifest = "gannet plugin manifest 1\nname=made-in-c\nversion=0.1.0\ncontract=2.0\n\
         abi_stable=0.11\npanic=unwind\nruntime=none\nroot=gannet_plugin_root_v1__made-in-c\n\0";
    let bytes: Vec<String> = manifest.bytes().map(|byte| byte.to_string()).collect();
    let section = format!(
        "__attribute__((section(\".gannet\"), used)) const unsigned char manifest[] = {{{}}};\n",
        bytes.join(",")
    );
    compiled(&format!("{section}{source}"), &["-shared", "-fPIC"])
}
