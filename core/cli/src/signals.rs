//! Ctrl-C and SIGTERM.
//!
//! A thread of its own waits for them, with a runtime of its own: they are
//! heard while plugins block every thread of the host's runtime, and while a
//! plugin's destructor hangs. Work that can stop between two steps is asked to
//! and has [`GRACE`] to do it; everything else ends with the process at once.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gannet_core::Stop;
use gannet_core::registry::exit_guard;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::logging::tell;

/// How long work may go on after the first signal.
const GRACE: Duration = Duration::from_secs(30);
/// How long the exit handlers of the process and of plugins may take.
const EXIT_LIMIT: Duration = Duration::from_secs(5);
/// The same after a signal.
const SIGNALLED_EXIT_LIMIT: Duration = Duration::from_secs(1);

/// What a signal does.
enum Work {
    /// It ends the process.
    None,
    /// It asks this work to stop.
    Stoppable {
        stop: Stop,
        step: &'static str,
        grace: Duration,
    },
    /// Ctrl-C breaks off this answer of a conversation.
    Answer(Arc<Notify>),
}

/// A signal that ends programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Interrupt,
    Terminate,
}

impl Signal {
    /// As shells give it: 128 and the signal's number.
    fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

static WORK: Mutex<Work> = Mutex::new(Work::None);
/// The exit code of the signal that came; 0 when none did.
static RECEIVED: AtomicU8 = AtomicU8::new(0);

/// Starts the thread that waits for signals. Where that fails they keep their
/// default action, which is to end the process.
pub fn watch() {
    let started = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(|| {
            if let Err(error) = listen() {
                tracing::warn!("signals end the process at once: {error}");
            }
        });
    if let Err(error) = started {
        tracing::warn!("signals end the process at once: {error}");
    }
}

/// A request to stop that the first signal raises. The work has 30 seconds to
/// end the step that is named; a second signal ends the process.
pub fn stop_after(step: &'static str) -> Stop {
    stop_within(step, GRACE)
}

/// The same with another time.
pub fn stop_within(step: &'static str, grace: Duration) -> Stop {
    let stop = Stop::default();
    *work() = Work::Stoppable {
        stop: stop.clone(),
        step,
        grace,
    };
    stop
}

/// The exit code of work that was stopped.
pub fn exit_code() -> u8 {
    match RECEIVED.load(Ordering::Relaxed) {
        0 => Signal::Interrupt.exit_code(),
        code => code,
    }
}

/// Ends with Ctrl-C, which until it is dropped does not end the process. A
/// second one that comes before anybody looked at the first does.
pub fn interrupted() -> impl Future<Output = ()> {
    struct UntilDrop;
    impl Drop for UntilDrop {
        fn drop(&mut self) {
            *work() = Work::None;
        }
    }
    let interrupt = Arc::new(Notify::new());
    *work() = Work::Answer(interrupt.clone());
    let until_drop = UntilDrop;
    async move {
        let _until_drop = until_drop;
        interrupt.notified().await;
    }
}

/// Bounds what is left when all is done: exit handlers of plugins may hang.
pub fn bound_exit() {
    *work() = Work::None;
    // Without the thread the exit has no bound, and still ends by a signal.
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(EXIT_LIMIT);
        std::process::abort();
    });
}

fn listen() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        loop {
            let signal = signals.next().await;
            let current = std::mem::replace(&mut *work(), Work::None);
            match (current, signal) {
                (Work::Answer(interrupt), Signal::Interrupt) => interrupt.notify_one(),
                (Work::Stoppable { stop, step, grace }, _) => {
                    RECEIVED.store(signal.exit_code(), Ordering::Relaxed);
                    stop.raise();
                    wait(&mut signals, signal, step, grace).await;
                }
                _ => end(signal.exit_code()),
            }
        }
    })
}

/// Waits for the second signal, or for the end of the grace.
async fn wait(signals: &mut Signals, first: Signal, step: &str, grace: Duration) -> ! {
    let seconds = grace.as_secs();
    tell(&format!(
        "stopping after {step}, within {seconds} seconds; press Ctrl-C again to stop at once"
    ));
    let deadline = Instant::now() + grace;
    let code = tokio::select! {
        second = signals.next() => second.exit_code(),
        () = tokio::time::sleep_until(deadline) => {
            tell(&format!(
                "{step} did not end within {seconds} seconds; stopped without it"
            ));
            first.exit_code()
        }
    };
    end(code)
}

/// Ends the process, whatever its threads do.
fn end(code: u8) -> ! {
    // Programs that were asked as models do not end by themselves.
    gannet_command::end_all();
    exit_guard::expect_exit();
    // On another thread: when an exit is under way already, the second one
    // waits for it, and an exit handler may hang.
    let exit = std::thread::Builder::new().spawn(move || std::process::exit(i32::from(code)));
    if exit.is_ok() {
        std::thread::sleep(SIGNALLED_EXIT_LIMIT);
    }
    std::process::abort()
}

fn work() -> MutexGuard<'static, Work> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where signals come from.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}

/// Where signals come from.
#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> Signal {
        self.0.recv().await;
        Signal::Interrupt
    }
}
