//! The root of a dylib, which `export_plugin!` makes visible.

#![allow(unsafe_code, reason = "the header and the symbols of a dylib")]

use std::sync::Arc;

use abi_stable::library::{CheckTypeLayout, LibHeader, RootModuleResult};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::RVec;
use gannet_api::Registration;

use super::exports::Export;
use super::log::forward_to;
use super::runtime::Workplace;
use crate::contain;
use crate::layout::{AbiError, AbiResult};
use crate::vtable::{AbiExport_TO, AbiStart, ExportObject, PluginRoot, PluginRoot_Ref};

/// What the root symbol of a dylib holds.
pub const fn header() -> LibHeader {
    // SAFETY: `root_module` gives what `root` made, a `PluginRoot_Ref`, which
    // is the type that is named here.
    unsafe { LibHeader::from_constructor::<PluginRoot_Ref>(root_module, CheckTypeLayout::Yes) }
}

extern "C" fn root_module() -> RootModuleResult {
    abi_stable::library::__call_root_module_loader(root)
}

fn root() -> PluginRoot_Ref {
    PluginRoot { start }.leak_into_prefix()
}

/// Starts this image: its log and its panics go to the host, and its plugins
/// are listed.
extern "C" fn start(start: AbiStart) -> AbiResult<RVec<ExportObject>> {
    let started = contain::contained(|| {
        forward_to(start.log);
        contain::install_with_log();
        let threads = usize::try_from(start.runtime_threads).unwrap_or(1);
        exports(&Arc::new(Workplace::of_this_image(threads)))
    });
    started.map_err(AbiError::from).into()
}

fn exports(workplace: &Arc<Workplace>) -> RVec<ExportObject> {
    let linked = Registration::linked();
    let mut exports: Vec<Export> = linked
        .map(|registration| Export::new(*registration, workplace))
        .collect();
    // The order of registrations is the linker's.
    exports.sort_by_key(Export::place);
    exports
        .into_iter()
        .map(|export| AbiExport_TO::from_value(export, TD_Opaque))
        .collect()
}

/// Writes the root symbol, the manifest and the runtime of a plugin's crate;
/// used by `export_plugin!`.
///
/// The names of the symbols carry the crate's, so that two plugins can be
/// linked into one program. The manifest is exported by name too: older
/// compilers drop a section that nothing refers to.
#[doc(hidden)]
#[macro_export]
macro_rules! plugin_root {
    ($runtime:ident, [$($export:expr),+ $(,)?]) => {
        const _: () = {
            $crate::plugin_runtime!($runtime);

            #[allow(unsafe_code, reason = "names that a host looks for")]
            #[unsafe(export_name = concat!("gannet_plugin_root_v1__", env!("CARGO_PKG_NAME")))]
            static ROOT: $crate::LibHeader = $crate::plugin::root::header();

            const HEAD: &str = concat!(
                "gannet plugin manifest 1\nname=",
                env!("CARGO_PKG_NAME"),
                "\nversion=",
                env!("CARGO_PKG_VERSION"),
                "\ncontract=2.1\nabi_stable=0.11\npanic=",
                $crate::panic_strategy!(),
                "\nruntime=",
                stringify!($runtime),
                "\nroot=gannet_plugin_root_v1__",
                env!("CARGO_PKG_NAME"),
                "\n"
            );
            const EXPORTS: &[(&str, &str)] = &[$($export),+];
            const LENGTH: usize = $crate::manifest::length(HEAD, EXPORTS);

            #[allow(unsafe_code, reason = "names that a host looks for")]
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__gannet"))]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".gannet"))]
            #[unsafe(export_name = concat!("gannet_plugin_manifest_v1__", env!("CARGO_PKG_NAME")))]
            static MANIFEST: [u8; LENGTH] = $crate::manifest::bytes(HEAD, EXPORTS);
        };
    };
}

/// What a panic does in this build, as text.
#[cfg(panic = "unwind")]
#[doc(hidden)]
#[macro_export]
macro_rules! panic_strategy {
    () => {
        "unwind"
    };
}

/// What a panic does in this build, as text.
#[cfg(not(panic = "unwind"))]
#[doc(hidden)]
#[macro_export]
macro_rules! panic_strategy {
    () => {
        "abort"
    };
}

/// Registers the runtime of a plugin's crate.
#[doc(hidden)]
#[macro_export]
macro_rules! plugin_runtime {
    (none) => {};
    (tokio) => {
        struct Tokio(::tokio::runtime::Runtime);

        impl $crate::plugin::Runtime for Tokio {
            fn spawn(&self, task: $crate::BoxFuture<'static, ()>) -> $crate::plugin::AbortTask {
                let task = self.0.spawn(task);
                ::std::boxed::Box::new(move || task.abort())
            }

            fn enter(&self, work: &mut dyn FnMut()) {
                let _entered = self.0.enter();
                work();
            }

            fn shut_down(self: ::std::boxed::Box<Self>) {
                self.0.shutdown_background();
            }
        }

        fn build(
            threads: usize,
        ) -> ::std::result::Result<
            ::std::boxed::Box<dyn $crate::plugin::Runtime>,
            ::std::string::String,
        > {
            ::tokio::runtime::Builder::new_multi_thread()
                .worker_threads(threads)
                .thread_name(env!("CARGO_PKG_NAME"))
                .enable_all()
                .build()
                .map(|runtime| {
                    ::std::boxed::Box::new(Tokio(runtime))
                        as ::std::boxed::Box<dyn $crate::plugin::Runtime>
                })
                .map_err(|error| error.to_string())
        }

        $crate::inventory::submit! {
            $crate::plugin::RuntimeFactory { build }
        }
    };
}
