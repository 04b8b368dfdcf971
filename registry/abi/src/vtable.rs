//! The objects that cross the boundary: what a host offers, what a plugin
//! exports, and the root from which a host starts.
//!
//! A minor version of the contract may append methods with a default body
//! after the last one of today. It changes and removes none.

#![allow(
    unsafe_code,
    non_local_definitions,
    non_camel_case_types,
    reason = "what the derives of abi_stable write"
)]

use abi_stable::StableAbi;
use abi_stable::declare_root_module_statics;
use abi_stable::library::RootModule;
use abi_stable::package_version_strings;
use abi_stable::sabi_trait;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RBox, ROption, RStr, RString, RVec};
use async_ffi::FfiFuture;

use crate::layout::{
    AbiAnswer, AbiCall, AbiDiagnostic, AbiEmbedRequest, AbiEmbeddingModel, AbiEmbeddings,
    AbiEnhanced, AbiEntry, AbiFetchRequest, AbiFound, AbiHit, AbiPipelineRequest, AbiRecordBatch,
    AbiRerankRequest, AbiRerankScore, AbiResult, AbiSearchRequest, AbiTextSearch, AbiVectorSearch,
    AbiVectors,
};

/// A result that comes later.
pub type AbiFuture<T> = FfiFuture<AbiResult<T>>;

/// What a call of a plugin ends with.
pub type AbiOutcomeFuture<T> = FfiFuture<AbiOutcome<T>>;

/// A result and the notes that were made on the way, also of a call that
/// failed.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub struct AbiOutcome<T> {
    /// What came of it.
    pub result: AbiResult<T>,
    /// Notes for the result.
    pub diagnostics: RVec<AbiDiagnostic>,
}

/// What a plugin is given with every call.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiContext {
    /// Who asks, and until when.
    pub call: AbiCall,
    /// The host's services.
    pub host: HostObject,
    /// Where progress is streamed to, where anybody listens.
    pub events: ROption<EventsObject>,
    /// For what comes later.
    pub extra_json: RString,
}

/// The services of a host.
#[sabi_trait]
pub trait AbiHost: Send + Sync {
    /// Searches the text index.
    fn text_search(&self, call: AbiCall, request: AbiTextSearch) -> AbiFuture<AbiFound>;
    /// Searches the vector index.
    fn vector_search(&self, call: AbiCall, request: AbiVectorSearch) -> AbiFuture<AbiFound>;
    /// Asks a search module, of whichever image.
    fn search_module(
        &self,
        call: AbiCall,
        name: RString,
        request: AbiSearchRequest,
    ) -> AbiFuture<AbiFound>;
    /// Reads entries.
    fn entries(&self, call: AbiCall, ids: RVec<RString>) -> AbiFuture<RVec<AbiEntry>>;
    /// Embeds texts.
    fn embed(&self, call: AbiCall, request: AbiEmbedRequest) -> AbiFuture<AbiEmbeddings>;
    /// Scores documents.
    fn rerank(&self, call: AbiCall, request: AbiRerankRequest) -> AbiFuture<RVec<AbiRerankScore>>;
    /// Asks a chat model; the request is JSON.
    fn chat(&self, call: AbiCall, request_json: RString) -> AbiFuture<ChatStreamObject>;
    /// What is registered and on, as JSON.
    fn descriptors_json(&self) -> AbiResult<RString>;
    /// The door for services that are younger than this trait.
    #[sabi(last_prefix_field)]
    fn call(&self, call: AbiCall, service: RString, payload: RVec<u8>) -> AbiFuture<RVec<u8>>;
}

/// The pieces of a completion.
#[sabi_trait]
pub trait AbiChatStream: Send + Sync {
    /// The next piece as JSON; nothing at the end.
    #[sabi(last_prefix_field)]
    fn next(&self) -> FfiFuture<ROption<AbiResult<RString>>>;
}

/// Where a plugin's events go.
#[sabi_trait]
pub trait AbiEvents: Send + Sync {
    /// An event as JSON. Returns at once.
    #[sabi(last_prefix_field)]
    fn emit(&self, event_json: RString);
}

/// The host's log.
#[sabi_trait]
pub trait AbiLog: Send + Sync {
    /// Whether a record of this level would be written: 1 error, 2 warning,
    /// 3 info, 4 debug, 5 trace.
    fn is_enabled(&self, level: u8) -> bool;
    /// Writes a record; `target` is the module that it comes from.
    #[sabi(last_prefix_field)]
    fn log(&self, level: u8, target: RStr<'_>, message: RStr<'_>);
}

/// A search module.
#[sabi_trait]
pub trait AbiSearchModule: Send + Sync {
    /// Finds entries.
    #[sabi(last_prefix_field)]
    fn search(
        &self,
        request: AbiSearchRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiHit>>;
}

/// A pipeline.
#[sabi_trait]
pub trait AbiPipeline: Send + Sync {
    /// Answers a question.
    #[sabi(last_prefix_field)]
    fn run(&self, request: AbiPipelineRequest, context: AbiContext) -> AbiOutcomeFuture<AbiAnswer>;
}

/// An adapter.
#[sabi_trait]
pub trait AbiAdapter: Send + Sync {
    /// Opens the source.
    #[sabi(last_prefix_field)]
    fn fetch(
        &self,
        request: AbiFetchRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<AbiRecordStream>;
    /// Writes an entry; request and answer are JSON.
    fn publish(&self, request_json: RString, context: AbiContext) -> AbiOutcomeFuture<RString> {
        let _ = (request_json, context);
        crate::layout::not_offered("publish")
    }
}

/// The records of a source.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiRecordStream {
    /// How many there are, where the source can tell.
    pub total: ROption<u64>,
    /// The records.
    pub records: RecordsObject,
    /// For what comes later.
    pub extra_json: RString,
}

/// The records of a source, one batch after another.
#[sabi_trait]
pub trait AbiRecords: Send + Sync {
    /// The next records: those that are ready, at least one unless the stream
    /// ends, at most `most`. One call at a time.
    #[sabi(last_prefix_field)]
    fn next(&self, most: u32) -> FfiFuture<AbiRecordBatch>;
}

/// An enhancer.
#[sabi_trait]
pub trait AbiEnhancer: Send + Sync {
    /// Works on a batch.
    #[sabi(last_prefix_field)]
    fn enhance(
        &self,
        entries: RVec<AbiEntry>,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiEnhanced>>;
}

/// A provider of vectors.
#[sabi_trait]
pub trait AbiEmbedder: Send + Sync {
    /// What its vectors are.
    fn model(&self) -> AbiResult<AbiEmbeddingModel>;
    /// Whether it makes vectors of words.
    fn has_token_vectors(&self) -> bool;
    /// Makes vectors, of the words too where the request says so.
    #[sabi(last_prefix_field)]
    fn embed(&self, request: AbiEmbedRequest, context: AbiContext) -> AbiOutcomeFuture<AbiVectors>;
}

/// A provider of relevance scores.
#[sabi_trait]
pub trait AbiReranker: Send + Sync {
    /// Scores documents.
    #[sabi(last_prefix_field)]
    fn rerank(
        &self,
        request: AbiRerankRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiRerankScore>>;
}

/// A provider of answers as spans of entries. Since contract 2.1.
#[sabi_trait]
pub trait AbiReader: Send + Sync {
    /// Finds the spans that answer; request and answer are JSON.
    #[sabi(last_prefix_field)]
    fn read(&self, request_json: RString, context: AbiContext) -> AbiOutcomeFuture<RString>;
}

/// A provider of chat.
#[sabi_trait]
pub trait AbiChatModel: Send + Sync {
    /// Starts a completion; the request is JSON.
    #[sabi(last_prefix_field)]
    fn chat(
        &self,
        request_json: RString,
        context: AbiContext,
    ) -> AbiOutcomeFuture<ChatStreamObject>;
}

/// What every instance has, whatever its kind.
#[sabi_trait]
pub trait AbiLifecycle: Send + Sync {
    /// Opens what it keeps open.
    fn start(&self, context: AbiContext) -> AbiOutcomeFuture<()>;
    /// Closes it.
    fn stop(&self) -> AbiFuture<()>;
    /// How it says that it is, as JSON.
    #[sabi(last_prefix_field)]
    fn health_json(&self, context: AbiContext) -> AbiOutcomeFuture<RString>;
}

/// An instance of a plugin.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiInstance<T> {
    /// What its kind does.
    pub calls: T,
    /// What every kind does.
    pub lifecycle: LifecycleObject,
}

/// An instance, or why there is none.
pub type AbiMade<T> = AbiResult<AbiInstance<T>>;

/// One plugin of a dylib. Of the constructors, the one of its kind works; the
/// others are errors. Each takes settings and setup as JSON.
#[sabi_trait]
pub trait AbiExport: Send + Sync {
    /// Its kind, as JSON.
    fn kind_json(&self) -> RString;
    /// Its own name.
    fn name(&self) -> RString;
    /// What it is. Runs the author's code.
    fn descriptor_json(&self) -> AbiResult<RString>;
    /// What an instance with these settings says of itself, as JSON. Runs the
    /// author's code.
    fn instance_json(&self, settings: RString) -> AbiResult<RString>;
    /// Makes a search module.
    fn search_module(&self, settings: RString, setup: RString) -> AbiMade<SearchModuleObject>;
    /// Makes a pipeline.
    fn pipeline(&self, settings: RString, setup: RString) -> AbiMade<PipelineObject>;
    /// Makes an adapter.
    fn adapter(&self, settings: RString, setup: RString) -> AbiMade<AdapterObject>;
    /// Makes an enhancer.
    fn enhancer(&self, settings: RString, setup: RString) -> AbiMade<EnhancerObject>;
    /// Makes an embedder.
    fn embedder(&self, settings: RString, setup: RString) -> AbiMade<EmbedderObject>;
    /// Makes a reranker.
    fn reranker(&self, settings: RString, setup: RString) -> AbiMade<RerankerObject>;
    /// Makes a chat model.
    #[sabi(last_prefix_field)]
    fn chat_model(&self, settings: RString, setup: RString) -> AbiMade<ChatModelObject>;
    /// Makes a reader.
    fn reader(&self, settings: RString, setup: RString) -> AbiMade<ReaderObject> {
        let _ = (settings, setup);
        crate::layout::not_made("reader")
    }
}

/// A [`AbiHost`] of either side.
pub type HostObject = AbiHost_TO<'static, RBox<()>>;
/// A [`AbiChatStream`] of either side.
pub type ChatStreamObject = AbiChatStream_TO<'static, RBox<()>>;
/// A [`AbiEvents`] of either side.
pub type EventsObject = AbiEvents_TO<'static, RBox<()>>;
/// A [`AbiLog`] of either side.
pub type LogObject = AbiLog_TO<'static, RBox<()>>;
/// A [`AbiSearchModule`] of either side.
pub type SearchModuleObject = AbiSearchModule_TO<'static, RBox<()>>;
/// A [`AbiPipeline`] of either side.
pub type PipelineObject = AbiPipeline_TO<'static, RBox<()>>;
/// A [`AbiAdapter`] of either side.
pub type AdapterObject = AbiAdapter_TO<'static, RBox<()>>;
/// A [`AbiRecords`] of either side.
pub type RecordsObject = AbiRecords_TO<'static, RBox<()>>;
/// A [`AbiEnhancer`] of either side.
pub type EnhancerObject = AbiEnhancer_TO<'static, RBox<()>>;
/// A [`AbiEmbedder`] of either side.
pub type EmbedderObject = AbiEmbedder_TO<'static, RBox<()>>;
/// A [`AbiReranker`] of either side.
pub type RerankerObject = AbiReranker_TO<'static, RBox<()>>;
/// A [`AbiReader`] of either side.
pub type ReaderObject = AbiReader_TO<'static, RBox<()>>;
/// A [`AbiChatModel`] of either side.
pub type ChatModelObject = AbiChatModel_TO<'static, RBox<()>>;
/// A [`AbiLifecycle`] of either side.
pub type LifecycleObject = AbiLifecycle_TO<'static, RBox<()>>;
/// A [`AbiExport`] of either side.
pub type ExportObject = AbiExport_TO<'static, RBox<()>>;

/// What a host gives when it starts a dylib.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiStart {
    /// The host's log.
    pub log: LogObject,
    /// Threads of the plugin's own runtime, if it has one.
    pub runtime_threads: u32,
    /// For what comes later.
    pub extra_json: RString,
}

/// The root of a dylib: what a host starts from. Fields are appended only.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginRoot_Ref)))]
#[sabi(missing_field(option))]
pub struct PluginRoot {
    /// Starts the dylib, once, and gives its plugins.
    #[sabi(last_prefix_field)]
    pub start: extern "C" fn(AbiStart) -> AbiResult<RVec<ExportObject>>,
}

impl RootModule for PluginRoot_Ref {
    declare_root_module_statics! {PluginRoot_Ref}
    const BASE_NAME: &'static str = "gannet_plugin";
    const NAME: &'static str = "gannet_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}
