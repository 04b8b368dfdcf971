//! Names the plugin whose code ends the process.
//!
//! `exit` in a plugin cannot be stopped, but it runs what [`install`] left with
//! `atexit`. That looks whose code runs on this thread or, where none does,
//! whose calls are under way; it says so, and ends the process with the exit
//! code of a plugin's failure in place of the plugin's own, which may be 0.

#![allow(unsafe_code, reason = "`atexit` and `_exit` of the C library")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::future::{Future, poll_fn};
use std::io::Write;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Once, PoisonError, RwLock};

/// The exit code of a process that a plugin ended.
pub const EXIT_CODE: u8 = 3;

thread_local! {
    /// Whose code this thread runs. Without a destructor: `exit` runs those
    /// before it runs the handlers.
    static RUNNING: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The plugins that were called, by name. They live as long as the process;
/// there is one for each instance.
static PLUGINS: RwLock<BTreeMap<&'static str, &'static Plugin>> = RwLock::new(BTreeMap::new());
static IS_EXPECTED: AtomicBool = AtomicBool::new(false);

/// A plugin, and how many of its calls are under way.
struct Plugin {
    name: &'static str,
    calls: AtomicUsize,
}

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> c_int;
    fn _exit(code: c_int) -> !;
}

/// From now on, a plugin that ends the process is named on the standard error
/// stream, and the exit code is [`EXIT_CODE`]. A program calls
/// [`expect_exit`] before it ends itself.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: the handler lives as long as the program and does not unwind.
        if unsafe { atexit(at_exit) } != 0 {
            tracing::warn!("a plugin that ends the process will not be named");
        }
    });
}

/// The program ends itself now, whatever plugins do.
pub fn expect_exit() {
    IS_EXPECTED.store(true, Ordering::Release);
}

extern "C" fn at_exit() {
    if IS_EXPECTED.load(Ordering::Acquire) {
        return;
    }
    let Some(message) = culprit() else { return };
    // Nobody can be told where the standard error stream is gone.
    let _ = writeln!(std::io::stderr(), "error: {message}");
    // SAFETY: it ends the process, and takes any code.
    unsafe { _exit(c_int::from(EXIT_CODE)) }
}

/// Whose code ends the process, as far as it can be told.
fn culprit() -> Option<String> {
    if let Some(name) = RUNNING.get() {
        return Some(format!("{name} ended the process"));
    }
    // A thread that was stopped here by `exit` may hold the lock for ever.
    let plugins = PLUGINS.try_read().ok()?;
    let is_called = |plugin: &&&Plugin| plugin.calls.load(Ordering::Relaxed) > 0;
    let called = plugins.values().filter(is_called);
    let names: Vec<&str> = called.map(|plugin| plugin.name).collect();
    match names.as_slice() {
        [] => None,
        names => Some(format!(
            "the process was ended during calls of {}",
            names.join(", ")
        )),
    }
}

/// Runs code of the plugin of this name.
pub fn running<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let _inside = Inside::enter(plugin(name).name);
    work()
}

/// Work for another thread that runs code of the same plugin as this one.
pub(crate) fn of_same_plugin<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let name = RUNNING.get();
    move || {
        let _inside = Inside(RUNNING.replace(name));
        work()
    }
}

/// A call of the plugin of this name, which is under way until it ends or is
/// dropped.
pub fn call<F: Future>(name: &str, work: F) -> impl Future<Output = F::Output> + use<F> {
    let plugin = plugin(name);
    let under_way = UnderWay::new(plugin);
    async move {
        let _under_way = under_way;
        let mut work = pin!(work);
        let polled = poll_fn(|task| {
            let _inside = Inside::enter(plugin.name);
            work.as_mut().poll(task)
        });
        polled.await
    }
}

fn plugin(name: &str) -> &'static Plugin {
    let plugins = PLUGINS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(plugin) = plugins.get(name) {
        return plugin;
    }
    drop(plugins);
    let mut plugins = PLUGINS.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have come first.
    if let Some(plugin) = plugins.get(name) {
        return plugin;
    }
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin {
        name: Box::leak(name.into()),
        calls: AtomicUsize::new(0),
    }));
    plugins.insert(plugin.name, plugin);
    plugin
}

/// Counts a call of a plugin while it lives.
struct UnderWay(&'static Plugin);

impl UnderWay {
    fn new(plugin: &'static Plugin) -> Self {
        plugin.calls.fetch_add(1, Ordering::Relaxed);
        Self(plugin)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// While it lives, this thread runs code of a plugin.
struct Inside(Option<&'static str>);

impl Inside {
    fn enter(name: &'static str) -> Self {
        Self(RUNNING.replace(Some(name)))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn the_innermost_plugin_on_this_thread_is_named() {
        let named = running("pipeline `a`", || {
            let inner = running("search module `b`", culprit);
            (inner, culprit())
        });
        let ended = |name: &str| Some(format!("{name} ended the process"));
        assert_eq!(named, (ended("search module `b`"), ended("pipeline `a`")));
    }

    #[test]
    fn a_plugin_is_named_on_another_thread_that_works_for_it() {
        let work = running("adapter `c`", || of_same_plugin(culprit));
        let named = std::thread::spawn(work).join().ok().flatten();
        assert_eq!(named.as_deref(), Some("adapter `c` ended the process"));
    }

    #[test]
    fn a_call_is_named_while_it_is_polled_and_under_way_until_it_is_dropped() {
        let polled = call("adapter `polled`", async { culprit() });
        let polled = polled.now_or_never().flatten();
        assert_eq!(
            polled.as_deref(),
            Some("adapter `polled` ended the process")
        );
        let waiting = call("adapter `waiting`", std::future::pending::<()>());
        assert!(culprit().is_some_and(|said| said.contains("adapter `waiting`")));
        drop(waiting);
        assert_eq!(plugin("adapter `waiting`").calls.load(Ordering::Relaxed), 0);
    }
}
