//! What every kind of plugin has: its name, settings, descriptor and
//! constructor, and how an instance says what it is, starts, stops, and says how
//! it is.
//!
//! The latter have a body that does nothing, since most plugins keep nothing
//! open. The macros write them once for the traits of all kinds.

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

/// What every kind has in the trait that authors implement.
macro_rules! of_every_kind {
    () => {
        /// The name of the plugin among those of its kind: lower-case letters,
        /// digits and single underscores. The configuration names it so.
        const NAME: &'static str;

        /// What the configuration can set, with defaults; its JSON Schema is
        /// what a configuration is checked against.
        type Settings: $crate::Settings;

        /// What the plugin is, for people and programs.
        fn descriptor() -> $crate::Descriptor;

        /// Makes an instance. Runs once, at start.
        fn new(settings: Self::Settings, setup: &$crate::Setup) -> $crate::Result<Self>;

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

/// The trait behind a pointer for every type of the author's: the lifecycle, the
/// calls that are named with what they are asked and answer, and further
/// methods as they stand.
macro_rules! behind_pointer {
    ($author:ident as $behind:ident {
        $($call:ident($($asked:ident: $type:ty),+) -> $answer:ty;)+
    } $(and { $($others:tt)+ })?) => {
        impl<T: $author> $behind for T {
            fn start<'a>(&'a self, context: &'a $crate::Context) -> $crate::ResultFuture<'a, ()> {
                ::std::boxed::Box::pin($author::start(self, context))
            }

            fn stop(&self) -> ::futures::future::BoxFuture<'_, ()> {
                ::std::boxed::Box::pin($author::stop(self))
            }

            fn health<'a>(
                &'a self,
                context: &'a $crate::Context,
            ) -> $crate::ResultFuture<'a, $crate::Health> {
                ::std::boxed::Box::pin($author::health(self, context))
            }

            $(
                fn $call<'a>(
                    &'a self,
                    $($asked: $type,)+
                    context: &'a $crate::Context,
                ) -> $crate::ResultFuture<'a, $answer> {
                    ::std::boxed::Box::pin($author::$call(self, $($asked,)+ context))
                }
            )+

            $($($others)+)?
        }
    };
}

pub(crate) use {behind_pointer, dyn_lifecycle, of_every_kind};
