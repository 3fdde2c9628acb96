//! A figure made of variants, each of which runs in its own world.

use std::any::Any;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn};

use crate::figure::Figure;

/// How many run at once: the CLI needs much memory, and no speed is measured here.
const AT_ONCE: usize = 3;
/// The timeout of one variant, if it is not set.
const LIMIT: Duration = Duration::from_secs(40);

/// The variants of one figure.
#[derive(Debug)]
pub struct Variants {
    permits: Arc<Semaphore>,
    limit: Duration,
    running: Vec<(String, JoinHandle<Result<String, String>>)>,
}

impl Default for Variants {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            limit: LIMIT,
            running: Vec::new(),
        }
    }
}

impl Variants {
    /// No variants.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the timeout of the variants that are added next.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Adds a variant. It returns what it saw; an error and a panic are failures.
    #[must_use]
    pub fn add<E: Display + Send>(
        mut self,
        name: impl Into<String>,
        variant: impl Future<Output = Result<String, E>> + Send + 'static,
    ) -> Self {
        let (permits, limit) = (Arc::clone(&self.permits), self.limit);
        let run = async move {
            let _permit = permits.acquire().await;
            match tokio::time::timeout(limit, variant).await {
                Ok(seen) => seen.map_err(|error| format!("{error:#}")),
                Err(_) => Err(format!("it did not end within {} s", limit.as_secs())),
            }
        };
        self.running.push((name.into(), spawn(run)));
        self
    }

    /// Waits for all variants.
    pub async fn figure(self, name: &str, bar: &str) -> Figure {
        let started = Instant::now();
        let count = self.running.len();
        let mut failed = Vec::new();
        let mut lines: Vec<(String, usize)> = Vec::new();
        for (name, running) in self.running {
            let seen = running.await.unwrap_or_else(|error| {
                let cause = error.try_into_panic().map(|cause| message(&*cause));
                Err(cause.unwrap_or_else(|error| error.to_string()))
            });
            let line = match seen {
                Ok(seen) => format!("{name}: ok, {seen}"),
                Err(cause) => {
                    let line = format!("{name}: FAILED, {cause}");
                    failed.push(name);
                    line
                }
            };
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, times)) => *times += 1,
                None => lines.push((line, 1)),
            }
        }
        let lines = lines.into_iter().map(|(line, times)| match times {
            1 => line,
            _ => format!("{line} ({times} times)"),
        });
        let mut measured = format!("{} of {count}", count - failed.len());
        if !failed.is_empty() {
            measured = format!("{measured}; failed: {}", failed.join("; "));
        }
        Figure::new(name, bar)
            .measured(measured, count > 0 && failed.is_empty())
            .list("variants", lines)
            .note(format!("took {:.1} s", started.elapsed().as_secs_f64()))
    }
}

/// The message of a panic.
fn message(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn errors_and_panics_are_failures() {
        let figure = Variants::new()
            .add("a", async { Ok::<_, String>("fine".to_owned()) })
            .add("a", async { Ok::<_, String>("fine".to_owned()) })
            .add("b", async { Err("wrong".to_owned()) })
            .add("c", async { panic!("broken") as Result<String, String> })
            .figure("name", "all")
            .await;
        assert!(!figure.passed);
        assert_eq!(figure.measured, "2 of 4; failed: b; c");
        let twice = "  - a: ok, fine (2 times)".to_owned();
        assert!(figure.notes.contains(&twice), "{:?}", figure.notes);
        assert!(figure.notes.contains(&"  - c: FAILED, broken".to_owned()));
    }
}
