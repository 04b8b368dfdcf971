//! A module that fails as its settings say.
#![allow(clippy::panic, reason = "it is made to panic")]

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::search::TextSearch;
use schemars::JsonSchema;
use serde::Deserialize;

/// Fails as its settings say.
pub struct Failing(Way);

/// How it fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Not at all.
    #[default]
    Not,
    /// With an error.
    Error,
    /// By a panic when it describes itself.
    Describe,
    /// By a description that never ends.
    Description,
    /// By a panic in its constructor.
    Constructor,
    /// By a constructor that never ends.
    Construct,
    /// By a panic at its first poll.
    Poll,
    /// By a panic after it waited for the host.
    AfterAwait,
    /// By a panic whose payload panics when it is dropped.
    Payload,
    /// By a panic of what it holds when its call is cancelled.
    Cancel,
    /// By a panic when the module itself is dropped.
    Drop,
    /// By never ending.
    Hang,
    /// By blocking its thread for ever.
    Block,
    /// By blocking for ever when the module itself is dropped.
    BlockDrop,
    /// By asking for the entries of another tenant.
    OtherTenant,
    /// By ending the process as if all was well.
    Exit,
    /// By going to another folder.
    ChangeFolder,
}

/// What the configuration can set.
#[settings]
#[derive(Copy)]
pub struct Settings {
    /// How it fails.
    pub way: Way,
}

impl SearchModule for Failing {
    const NAME: &'static str = "failing";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Failing", "Fails as its settings say.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        match settings.way {
            Way::Constructor => panic!("constructor of {}", 42),
            Way::Construct => {
                tracing::warn!("constructing");
                block()
            }
            way => Ok(Self(way)),
        }
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        let described = InstanceDescription::default();
        match settings.way {
            Way::Not => described,
            Way::Describe => panic!("description of {}", 42),
            Way::Description => block(),
            way => described.with_description(format!("Fails in the way {way:?}.")),
        }
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        tracing::warn!(limit = request.limit, "about to fail");
        match self.0 {
            Way::Error => Err(Error::not_found("device", request.query)),
            Way::Poll => panic!("poll of {}", request.query),
            Way::AfterAwait => {
                context.text_search(TextSearch::new("", 1)).await?;
                panic!("after await")
            }
            Way::Payload => std::panic::panic_any(PanicsOnDrop("payload")),
            Way::Cancel => {
                let _held = PanicsOnDrop("cancelled");
                std::future::pending().await
            }
            Way::Hang => std::future::pending().await,
            Way::Block => block(),
            Way::Exit => std::process::exit(0),
            Way::ChangeFolder => {
                std::env::set_current_dir("/")
                    .map_err(|error| Error::internal(error.to_string()))?;
                context
                    .text_search(TextSearch::new(request.query, request.limit))
                    .await
            }
            Way::OtherTenant => {
                let mut call = context.call.clone();
                call.tenant = "other".into();
                let search = TextSearch::new(request.query, request.limit);
                Ok(context.host().text_search(&call, search).await?.hits)
            }
            Way::Not
            | Way::Describe
            | Way::Description
            | Way::Constructor
            | Way::Construct
            | Way::Drop
            | Way::BlockDrop => Ok(Vec::new()),
        }
    }
}

impl Drop for Failing {
    fn drop(&mut self) {
        match self.0 {
            Way::Drop => panic!("dropped"),
            Way::BlockDrop => block(),
            _ => {}
        }
    }
}

/// Holds the thread for ever.
pub(crate) fn block() -> ! {
    loop {
        std::thread::park();
    }
}

struct PanicsOnDrop(&'static str);

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("{}", self.0);
    }
}
