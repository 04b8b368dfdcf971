//! What nearly every plugin uses, to be imported as a whole.
//!
//! ```
//! use gannet_plugin::prelude::*;
//! ```

pub use gannet_api::{
    Adapter, Answer, Context, Descriptor, Diagnostic, Enhancer, Entry, Error, Example,
    FetchRequest, Hit, NoSettings, Pipeline, PipelineRequest, Record, Result, SearchModule,
    SearchRequest, Setup,
};
pub use gannet_derive::settings;
