//! The author's types as objects that answer over the boundary.

use std::sync::Arc;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::RString;
use gannet_api::{Error, Plugin, PluginKind, Registration, Setup};
use serde::Serialize;
use serde_json::Value;

use super::lifecycle::LifecycleExport;
use super::modules::{AdapterExport, EnhancerExport, PipelineExport, SearchModuleExport};
use super::providers::{ChatModelExport, EmbedderExport, ReaderExport, RerankerExport};
use super::runtime::{Owned, Workplace};
use crate::contain::contained;
use crate::layout::{AbiError, AbiResult, read_slot, to_json};
use crate::vtable::{
    AbiAdapter_TO, AbiChatModel_TO, AbiEmbedder_TO, AbiEnhancer_TO, AbiExport, AbiInstance,
    AbiMade, AbiPipeline_TO, AbiReader_TO, AbiReranker_TO, AbiSearchModule_TO, AdapterObject,
    ChatModelObject, EmbedderObject, EnhancerObject, PipelineObject, ReaderObject, RerankerObject,
    SearchModuleObject,
};

/// One registration of this image.
pub(super) struct Export {
    registration: Registration,
    workplace: Arc<Workplace>,
}

impl Export {
    pub(super) fn new(registration: Registration, workplace: &Arc<Workplace>) -> Self {
        Self {
            registration,
            workplace: workplace.clone(),
        }
    }

    pub(super) fn place(&self) -> (PluginKind, &'static str) {
        (self.registration.kind, self.registration.name)
    }

    fn construct(&self, settings: &str, setup: &str) -> Result<Plugin, Error> {
        let settings = read_settings(settings)?;
        let setup: Setup = read_slot("the setup", setup)?;
        self.workplace
            .run_now(|| self.registration.construct(settings, &setup))?
    }

    fn of_another_kind<T>(&self, asked: PluginKind) -> AbiResult<T> {
        let error = Error::internal(format!(
            "`{}` is a {} and no {}",
            self.registration.name,
            self.registration.kind.label(),
            asked.label()
        ));
        AbiResult::RErr(error.into())
    }
}

fn read_settings(json: &str) -> Result<Value, Error> {
    serde_json::from_str(json)
        .map_err(|error| Error::internal(format!("the settings are not JSON: {error}")))
}

/// What the author's code said, as JSON.
fn written<T: Serialize>(said: Result<T, Error>) -> AbiResult<RString> {
    let json = said.and_then(|said| to_json(&said));
    json.map_err(AbiError::from).into()
}

/// Writes the constructor of each kind.
macro_rules! constructors {
    ($($name:ident: $variant:ident as $export:ident, $trait_object:ident, $object:ident;)+) => {$(
        fn $name(&self, settings: RString, setup: RString) -> AbiMade<$object> {
            let made = match self.construct(&settings, &setup) {
                Ok(made) => made,
                Err(error) => return AbiResult::RErr(error.into()),
            };
            let lifecycle = Owned::new(made.clone(), &self.workplace);
            let Plugin::$variant(plugin) = made else {
                return self.of_another_kind(PluginKind::$variant);
            };
            let export = $export(Owned::new(plugin, &self.workplace));
            AbiResult::ROk(AbiInstance {
                calls: $trait_object::from_value(export, TD_Opaque),
                lifecycle: LifecycleExport::object(lifecycle),
            })
        }
    )+};
}

impl AbiExport for Export {
    fn kind_json(&self) -> RString {
        serde_json::json!(self.registration.kind).to_string().into()
    }

    fn name(&self) -> RString {
        self.registration.name.into()
    }

    fn descriptor_json(&self) -> AbiResult<RString> {
        written(contained(self.registration.describe))
    }

    fn instance_json(&self, settings: RString) -> AbiResult<RString> {
        let describe = self.registration.describe_instance;
        let described = contained(|| describe(read_settings(&settings)?));
        written(described.and_then(|described| described))
    }

    constructors! {
        search_module: SearchModule as SearchModuleExport, AbiSearchModule_TO, SearchModuleObject;
        pipeline: Pipeline as PipelineExport, AbiPipeline_TO, PipelineObject;
        adapter: Adapter as AdapterExport, AbiAdapter_TO, AdapterObject;
        enhancer: Enhancer as EnhancerExport, AbiEnhancer_TO, EnhancerObject;
        embedder: Embedder as EmbedderExport, AbiEmbedder_TO, EmbedderObject;
        reranker: Reranker as RerankerExport, AbiReranker_TO, RerankerObject;
        reader: Reader as ReaderExport, AbiReader_TO, ReaderObject;
        chat_model: ChatModel as ChatModelExport, AbiChatModel_TO, ChatModelObject;
    }
}
