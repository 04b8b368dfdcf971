//! How an instance of a plugin says what it is, starts, stops, and says how it
//! is.
//!
//! Each kind of plugin has these methods, all with a body that does nothing:
//! most plugins keep nothing open. The macros write them once.

use serde::{Deserialize, Serialize};

/// How an instance says that it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Health {
    /// It does what it is for.
    #[default]
    Healthy,
    /// It works, but not as well as it should, or not for everybody.
    Degraded {
        /// What is wrong and what to do, in a sentence.
        reason: String,
    },
}

impl Health {
    /// It works, but not as it should.
    pub fn degraded(reason: impl Into<String>) -> Self {
        Self::Degraded {
            reason: reason.into(),
        }
    }
}

/// The methods in the trait that authors implement.
macro_rules! lifecycle {
    () => {
        /// What an instance with these settings is called and does, where that
        /// is not the same for all: two instances over two services should tell
        /// an agent which is which. `label:` and `description:` of the
        /// configuration win.
        fn describe(settings: &Self::Settings) -> $crate::InstanceDescription {
            let _ = settings;
            $crate::InstanceDescription::default()
        }

        /// Opens what the instance keeps open: a connection, a file, a cache.
        /// The host calls it once, before the first other call. When it fails
        /// or takes longer than ten seconds, the calls of the instance fail
        /// with its error, and the host tries again after a while.
        ///
        /// `new` is the wrong place for that: it runs also where nothing is
        /// searched, as in `gannet plugins list`.
        fn start(
            &self,
            context: &$crate::Context,
        ) -> impl ::std::future::Future<Output = $crate::Result<()>> + Send {
            let _ = context;
            async { Ok(()) }
        }

        /// Closes what [`start`](Self::start) opened. The host calls it once
        /// no other call is under way, and waits five seconds at most. A
        /// process that is killed calls nothing.
        fn stop(&self) -> impl ::std::future::Future<Output = ()> + Send {
            async {}
        }

        /// Says how the instance is, for `status`; within two seconds. An
        /// error counts as degraded.
        fn health(
            &self,
            context: &$crate::Context,
        ) -> impl ::std::future::Future<Output = $crate::Result<$crate::Health>> + Send {
            let _ = context;
            async { Ok($crate::Health::Healthy) }
        }
    };
}

/// The methods in the trait behind a pointer.
macro_rules! dyn_lifecycle {
    () => {
        /// Opens what the instance keeps open.
        fn start<'a>(&'a self, context: &'a $crate::Context) -> $crate::ResultFuture<'a, ()> {
            let _ = context;
            ::std::boxed::Box::pin(async { Ok(()) })
        }

        /// Closes it.
        fn stop(&self) -> ::futures::future::BoxFuture<'_, ()> {
            ::std::boxed::Box::pin(async {})
        }

        /// Says how the instance is.
        fn health<'a>(
            &'a self,
            context: &'a $crate::Context,
        ) -> $crate::ResultFuture<'a, $crate::Health> {
            let _ = context;
            ::std::boxed::Box::pin(async { Ok($crate::Health::Healthy) })
        }
    };
}

/// The second by the first, which is the trait that is named.
macro_rules! lifecycle_of {
    ($author:ident) => {
        fn start<'a>(&'a self, context: &'a $crate::Context) -> $crate::ResultFuture<'a, ()> {
            $author::start(self, context).boxed()
        }

        fn stop(&self) -> ::futures::future::BoxFuture<'_, ()> {
            $author::stop(self).boxed()
        }

        fn health<'a>(
            &'a self,
            context: &'a $crate::Context,
        ) -> $crate::ResultFuture<'a, $crate::Health> {
            $author::health(self, context).boxed()
        }
    };
}

pub(crate) use {dyn_lifecycle, lifecycle, lifecycle_of};
