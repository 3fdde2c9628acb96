//! The scripted API of one run.

use anyhow::{Context, Result};
use claw_testkit::ScriptedApi;

use super::script::Reply;

/// A running server.
pub(super) struct Api {
    server: ScriptedApi,
}

impl Api {
    /// Starts a server that answers with these replies.
    pub(super) async fn start(
        replies: &[Reply],
        map: &(dyn Fn(&str) -> String + Sync),
    ) -> Result<Self> {
        let server = ScriptedApi::start()
            .await
            .context("the scripted API did not start")?;
        let api = Self { server };
        api.add(replies, map);
        Ok(api)
    }

    /// Adds answers.
    pub(super) fn add(&self, replies: &[Reply], map: &dyn Fn(&str) -> String) {
        for reply in replies {
            if reply.forever && reply.when.is_none() {
                self.server.fallback(reply.turn(map));
            } else {
                self.server.turn(reply.turn(map));
            }
        }
    }

    /// The first text in a request that starts and ends so.
    pub(super) fn find_asked(&self, from: &str, to: &str) -> Option<String> {
        self.server.requests().iter().find_map(|request| {
            let body = request.body.to_string();
            let start = body.find(from)?;
            let end = start + body[start..].find(to)? + to.len();
            Some(body[start..end].to_owned())
        })
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
