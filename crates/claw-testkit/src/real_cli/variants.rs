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
/// The timeout of one variant.
const LIMIT: Duration = Duration::from_secs(40);

/// The variants of one figure.
#[derive(Debug)]
pub struct Variants {
    permits: Arc<Semaphore>,
    running: Vec<(&'static str, JoinHandle<Result<String, String>>)>,
}

impl Default for Variants {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            running: Vec::new(),
        }
    }
}

impl Variants {
    /// No variants.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variant. It returns what it saw; an error and a panic are failures.
    #[must_use]
    pub fn add<E: Display + Send>(
        mut self,
        name: &'static str,
        variant: impl Future<Output = Result<String, E>> + Send + 'static,
    ) -> Self {
        let permits = Arc::clone(&self.permits);
        let run = async move {
            let _permit = permits.acquire().await;
            match tokio::time::timeout(LIMIT, variant).await {
                Ok(seen) => seen.map_err(|error| format!("{error:#}")),
                Err(_) => Err(format!("it did not end within {} s", LIMIT.as_secs())),
            }
        };
        self.running.push((name, spawn(run)));
        self
    }

    /// Waits for all variants.
    pub async fn figure(self, name: &str, bar: &str) -> Figure {
        let started = Instant::now();
        let count = self.running.len();
        let (mut failed, mut lines) = (Vec::new(), Vec::new());
        for (name, running) in self.running {
            let seen = running.await.unwrap_or_else(|error| {
                let cause = error.try_into_panic().map(|cause| message(&*cause));
                Err(cause.unwrap_or_else(|error| error.to_string()))
            });
            match seen {
                Ok(seen) => lines.push(format!("{name}: ok, {seen}")),
                Err(cause) => {
                    failed.push(name);
                    lines.push(format!("{name}: FAILED, {cause}"));
                }
            }
        }
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
            .add("b", async { Err("wrong".to_owned()) })
            .add("c", async { panic!("broken") as Result<String, String> })
            .figure("name", "all")
            .await;
        assert!(!figure.passed);
        assert_eq!(figure.measured, "1 of 3; failed: b; c");
        assert!(figure.notes.contains(&"  - c: FAILED, broken".to_owned()));
    }
}
