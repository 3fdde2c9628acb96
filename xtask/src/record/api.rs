//! The scripted API of one run.

use anyhow::{Context, Result};
use claw_testkit::{ScriptedApi, Turn};
use serde_json::Value;

use super::place::Place;
use super::scenario::Scenario;

/// A running server.
pub(super) struct Api {
    server: ScriptedApi,
}

impl Api {
    /// Starts a server that answers with the turns of a scenario.
    pub(super) async fn start(scenario: &Scenario, place: &Place<'_>) -> Result<Self> {
        let server = ScriptedApi::start()
            .await
            .context("the scripted API did not start")?;
        if let Some(turn) = &scenario.fallback {
            server.fallback(parse(turn, place)?);
        }
        let api = Self { server };
        api.add(&scenario.api, place)?;
        Ok(api)
    }

    /// Adds turns.
    pub(super) fn add(&self, turns: &[Value], place: &Place<'_>) -> Result<()> {
        for turn in turns {
            self.server.turn(parse(turn, place)?);
        }
        Ok(())
    }

    /// The first part of a request from one text to another, both included.
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

    /// How many requests for a message have arrived.
    pub(super) fn asked(&self) -> usize {
        self.server
            .requests()
            .iter()
            .filter(|r| r.path == "/v1/messages")
            .count()
    }

    /// What is wrong if turns are left or a request found none.
    pub(super) fn problem(&self) -> Option<String> {
        self.server
            .finish()
            .err()
            .map(|unfinished| unfinished.to_string())
    }

    /// A summary of the requests, for the report of a failure.
    pub(super) fn report(&self) -> String {
        let requests = self.server.requests();
        let lines: Vec<String> = requests
            .iter()
            .map(|r| {
                let tail: String = r.last_user_text().chars().rev().take(90).collect();
                let tail: String = tail.chars().rev().collect();
                format!(
                    "{} {} {:?} …{:?}",
                    r.path,
                    r.model().unwrap_or("-"),
                    r.answered_by,
                    tail
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

/// A turn with the paths and captured values of the run.
fn parse(turn: &Value, place: &Place<'_>) -> Result<Turn> {
    let text = place.text(&turn.to_string());
    serde_json::from_str(&text).with_context(|| format!("not a turn: {text}"))
}
