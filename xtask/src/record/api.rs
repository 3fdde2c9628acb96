//! The scripted API of one run.

use anyhow::{Context, Result};
use claw_testkit::{ScriptedApi, Turn};

/// A running server.
pub(super) struct Api {
    server: ScriptedApi,
}

impl Api {
    /// Starts a server that answers with these turns.
    pub(super) async fn start(turns: impl IntoIterator<Item = Turn>) -> Result<Self> {
        let server = ScriptedApi::start()
            .await
            .context("the scripted API did not start")?;
        for turn in turns {
            server.turn(turn);
        }
        Ok(Self { server })
    }

    /// Where it listens.
    pub(super) fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// How many messages have been asked for.
    pub(super) fn asked(&self) -> usize {
        self.server
            .requests()
            .iter()
            .filter(|r| r.path == "/v1/messages")
            .count()
    }

    /// What went wrong, if the requests and the script did not come out even.
    pub(super) fn problem(&self) -> Option<String> {
        self.server
            .finish()
            .err()
            .map(|unfinished| unfinished.to_string())
    }

    /// A short account of the requests, for when something went wrong.
    pub(super) fn report(&self) -> String {
        let requests = self.server.requests();
        let lines: Vec<String> = requests
            .iter()
            .map(|r| {
                let said: String = r.last_user_text().chars().rev().take(90).collect();
                let said: String = said.chars().rev().collect();
                format!(
                    "{} {} {:?} …{:?}",
                    r.path,
                    r.model().unwrap_or("-"),
                    r.answered_by,
                    said
                )
            })
            .collect();
        format!(
            "{} left\n    {}",
            self.server.remaining(),
            lines.join("\n    ")
        )
    }
}
