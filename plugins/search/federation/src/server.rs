//! One server: its address, its time, and how it did.

use std::time::{Duration, Instant};

use gannet_plugin::host::{Deadline, Health};
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Context, Error, Result};
use serde::de::DeserializeOwned;

use crate::{Breaker, Pass};

/// A server that had this long and did not answer has failed, however long it
/// may have. One that had less may only have been asked by somebody in a hurry.
const PATIENCE: Duration = Duration::from_secs(1);

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Access {
    /// Seconds for an answer.
    pub timeout_seconds: f64,
    /// Failures in a row after which the server is left alone; 0 never does.
    pub failures: u32,
    /// Seconds for which it is left alone.
    pub pause_seconds: f64,
}

/// A server that a module asks.
#[derive(Debug)]
pub struct Server {
    instance: String,
    base: String,
    timeout: Duration,
    breaker: Option<Breaker>,
}

impl Server {
    /// A server for the instance of this name, by the setting `url`. Opens no
    /// connection.
    ///
    /// # Errors
    /// [`Error::Setting`] for what is no address, and for one with a user, a
    /// query or a fragment, which may be secrets.
    pub fn new(instance: &str, url: &str, access: Access) -> Result<Self> {
        let base = url.trim().trim_end_matches('/');
        let place = base
            .strip_prefix("https://")
            .or_else(|| base.strip_prefix("http://"));
        let refused = |why: &str| {
            let message = format!("{why}; write the address as https://HOST:PORT");
            Err(Error::setting("url", message))
        };
        match place {
            None => return refused("must begin with http:// or https://"),
            Some("") => return refused("names no host"),
            Some(place) if place.contains(['@', '?', '#']) => {
                return refused("must have no user, query or fragment");
            }
            Some(_) => {}
        }
        let seconds = |name, value: f64| {
            Duration::try_from_secs_f64(value)
                .map_err(|error| Error::setting(name, error.to_string()))
        };
        let pause = seconds("pause_seconds", access.pause_seconds)?;
        Ok(Self {
            instance: instance.to_owned(),
            base: base.to_owned(),
            timeout: seconds("timeout_seconds", access.timeout_seconds)?,
            breaker: (access.failures > 0).then(|| Breaker::new(access.failures, pause)),
        })
    }

    /// The name of the instance that asks.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// The address of a path, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// How long the server has for an answer.
    pub fn timeout(&self, context: &Context) -> Duration {
        let left = context.call.deadline.remaining();
        left.map_or(self.timeout, |left| left.min(self.timeout))
    }

    /// Asks, and reads the answer as JSON.
    ///
    /// # Errors
    /// [`Error::Provider`] for a server that does not answer, answers a status
    /// that is not one of the 200s or something else than is expected, and
    /// while it is left alone; [`Error::Timeout`].
    pub async fn ask<T: DeserializeOwned>(
        &self,
        request: HttpRequest,
        context: &Context,
    ) -> Result<T> {
        let timeout = self.timeout(context);
        if let Some(breaker) = &self.breaker {
            breaker
                .admit(Instant::now())
                .map_err(|pass| self.resting(&pass))?;
        }
        let attempt = Attempt {
            server: self,
            began: Instant::now(),
            deadline: context.call.deadline.at_most(timeout),
            is_over: false,
        };
        let outcome = context.http(request.with_timeout(timeout)).await;
        attempt.ended(outcome.as_ref().err());
        let answer = outcome?.json();
        answer.map_err(|error| self.of_instance(error))
    }

    /// Degraded while the server is left alone.
    pub fn health(&self) -> Health {
        let breaker = self.breaker.as_ref();
        let pass = breaker.and_then(|breaker| breaker.pause(Instant::now()));
        pass.map_or(Health::Healthy, |pass| {
            Health::degraded(self.resting(&pass).to_string())
        })
    }

    /// An answer that cannot be used, or is known to be less than the whole and
    /// empty. Another one may be whole.
    pub fn failure(&self, message: impl Into<String>) -> Error {
        Error::Provider {
            provider: self.instance.clone(),
            message: message.into(),
            retryable: true,
        }
    }

    fn resting(&self, pass: &Pass) -> Error {
        let Pass {
            left,
            failures,
            last,
        } = pass;
        let seconds = left.as_secs_f64().ceil();
        self.failure(format!(
            "not asked for {seconds} seconds: it failed {failures} times in a row, last: {last}"
        ))
    }

    fn of_instance(&self, error: Error) -> Error {
        match error {
            Error::Provider {
                message, retryable, ..
            } => Error::Provider {
                provider: self.instance.clone(),
                message,
                retryable,
            },
            other => other,
        }
    }
}

/// A request under way. One that is dropped when its time is over is a failure
/// of the server too; one that nobody waits for any more is none.
struct Attempt<'a> {
    server: &'a Server,
    began: Instant,
    deadline: Deadline,
    is_over: bool,
}

impl Attempt<'_> {
    fn ended(mut self, error: Option<&Error>) {
        self.is_over = true;
        let Some(breaker) = &self.server.breaker else {
            return;
        };
        match error {
            None => breaker.succeeded(),
            Some(Error::Timeout { .. }) => self.timed_out(breaker),
            Some(error) if error.is_retryable() => {
                breaker.failed(error.to_string(), Instant::now());
            }
            // The server answered: it was the question.
            Some(_) => breaker.succeeded(),
        }
    }

    fn timed_out(&self, breaker: &Breaker) {
        if self.began.elapsed() >= self.server.timeout.min(PATIENCE) {
            breaker.failed("no answer in time", Instant::now());
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let is_late = !self.is_over && self.deadline.has_passed();
        if let (Some(breaker), true) = (&self.server.breaker, is_late) {
            self.timed_out(breaker);
        }
    }
}

/// A setting that is written into the path of an address, such as the name of
/// an index.
///
/// # Errors
/// [`Error::Setting`] where it is empty or has characters that mean something
/// in an address.
pub fn name_in_path<'n>(setting: &str, name: &'n str) -> Result<&'n str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,*".contains(c);
    match !name.is_empty() && name != "." && name != ".." && name.chars().all(is_plain) {
        true => Ok(name),
        false => Err(Error::setting(
            setting,
            "must have letters, digits and any of `-_.,*` only",
        )),
    }
}

#[cfg(test)]
mod tests;
