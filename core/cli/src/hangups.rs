//! SIGHUP, which has `serve` and `watch` read their configuration again. Other
//! commands end with it.

/// SIGHUPs since it was made.
#[cfg(unix)]
pub struct Hangups(tokio::signal::unix::Signal);

#[cfg(unix)]
impl Hangups {
    /// # Errors
    /// When the signal cannot be listened for.
    pub fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::hangup()).map(Self)
    }

    /// Ends with the next one.
    pub async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }
}

/// There is none here.
#[cfg(not(unix))]
pub struct Hangups;

#[cfg(not(unix))]
impl Hangups {
    /// # Errors
    /// When the signal cannot be listened for.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// Ends with the next one.
    pub async fn next(&mut self) {
        std::future::pending().await
    }
}
