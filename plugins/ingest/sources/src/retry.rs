//! Requests to a server that is not always there.

use std::thread;
use std::time::Duration;

use futures::channel::oneshot;
use gannet_plugin::http::{HttpRequest, HttpResponse};
use gannet_plugin::prelude::{Context, Diagnostic, Error, Result};

/// How often a server is asked, and how long to wait in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Requests in all, at least 1.
    pub attempts: u32,
    /// The wait before the second one; it doubles with each further one.
    pub delay: Duration,
}

impl Retry {
    /// Sends a request, again where the error says that this can help: no
    /// answer, one that is cut off, status 429 or one of the 500s. Each
    /// repetition is a warning of the call. The answer is that of status 200:
    /// another one of the 200s has a part of what was asked for (206), or
    /// nothing of it (202, 204).
    ///
    /// # Errors
    /// The last error of [`Context::http`], and [`Error::Provider`] for an answer
    /// with another status of the 200s.
    pub async fn http(self, context: &Context, request: HttpRequest) -> Result<HttpResponse> {
        let mut delay = self.delay;
        for _ in 1..self.attempts {
            match context.http(request.clone()).await {
                Err(error) if error.is_retryable() => {
                    let message = format!("{error}; asking again in {} s", delay.as_secs_f32());
                    context.diagnose(Diagnostic::warning("http", message));
                    pause(delay).await;
                    delay = delay.saturating_mul(2);
                }
                outcome => return outcome.and_then(whole),
            }
        }
        context.http(request).await.and_then(whole)
    }
}

/// An answer that has all that was asked for.
fn whole(answer: HttpResponse) -> Result<HttpResponse> {
    if answer.status == 200 {
        return Ok(answer);
    }
    Err(Error::Provider {
        provider: "http".to_owned(),
        message: format!(
            "status {}, which is not the whole of what was asked for; 200 is expected",
            answer.status
        ),
        retryable: false,
    })
}

/// Waits, on a thread that sleeps: a plugin has no timer of a runtime.
async fn pause(delay: Duration) {
    let (end, ended) = oneshot::channel::<()>();
    let sleep = move || {
        thread::sleep(delay);
        drop(end);
    };
    let started = thread::Builder::new().name("gannet-pause".to_owned());
    // Without a thread there is no pause: the request follows at once.
    if started.spawn(sleep).is_ok() {
        let _ended = ended.await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::sync::atomic::{AtomicU32, Ordering};

    use gannet_plugin::testing::FakeHost;

    use super::*;

    const RETRY: Retry = Retry {
        attempts: 3,
        delay: Duration::ZERO,
    };

    /// Asks a server that answers these statuses, one after another.
    fn asked(statuses: &'static [u16]) -> (Result<HttpResponse>, u32) {
        let count = std::sync::Arc::new(AtomicU32::new(0));
        let counter = std::sync::Arc::clone(&count);
        let host = FakeHost::default().on_http(move |_| {
            let at = counter.fetch_add(1, Ordering::Relaxed) as usize;
            Ok(HttpResponse::new(statuses[at], "x"))
        });
        let request = HttpRequest::get("http://log.lab.example");
        let answer = pollster::block_on(RETRY.http(&host.context(), request));
        (answer, count.load(Ordering::Relaxed))
    }

    #[test]
    fn a_server_that_fails_is_asked_again_and_one_that_refuses_is_not() {
        assert!(matches!(asked(&[503, 429, 200]), (Ok(_), 3)));
        assert!(matches!(asked(&[500, 500, 500, 200]), (Err(_), 3)));
        assert!(matches!(asked(&[404, 200]), (Err(_), 1)));
    }

    #[test]
    fn an_answer_that_is_a_part_or_nothing_is_an_error() {
        let answers: [&'static [u16]; 3] = [&[206, 200], &[204, 200], &[202, 200]];
        for statuses in answers {
            let (answer, count) = asked(statuses);
            let error = answer.unwrap_err();
            assert!(!error.is_retryable());
            let status = format!("status {}", statuses[0]);
            assert!(error.to_string().contains(&status), "{error}");
            assert_eq!(count, 1);
        }
    }
}
