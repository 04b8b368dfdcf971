//! The start, the stop and the health of an author's instance.

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::RString;
use async_ffi::FutureExt;
use gannet_api::Plugin;

use super::call::call;
use super::runtime::Owned;
use crate::layout::{AbiError, to_json};
use crate::vtable::{
    AbiContext, AbiFuture, AbiLifecycle, AbiLifecycle_TO, AbiOutcomeFuture, LifecycleObject,
};

pub(super) struct LifecycleExport(Owned<Plugin>);

impl LifecycleExport {
    pub(super) fn object(plugin: Owned<Plugin>) -> LifecycleObject {
        AbiLifecycle_TO::from_value(Self(plugin), TD_Opaque)
    }
}

impl AbiLifecycle for LifecycleExport {
    fn start(&self, context: AbiContext) -> AbiOutcomeFuture<()> {
        let plugin = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            plugin?.start(&context).await
        })
    }

    fn stop(&self) -> AbiFuture<()> {
        let plugin = self.0.share();
        let stopped = self.0.workplace().clone().run(async move {
            plugin?.stop().await;
            Ok(())
        });
        async move { stopped.await.map_err(AbiError::from).into() }.into_ffi()
    }

    fn health_json(&self, context: AbiContext) -> AbiOutcomeFuture<RString> {
        let plugin = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            to_json(&plugin?.health(&context).await?)
        })
    }
}
