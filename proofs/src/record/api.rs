//! The scripted API of one run.

use anyhow::{Context, Result};
use claw_testkit::{ScriptedApi, Turn};
use serde_json::Value;

use super::scenario::{Place, Scenario};

/// A running server.
pub(super) struct Api(pub(super) ScriptedApi);

impl Api {
    /// Starts a server that answers with the turns of a scenario.
    pub(super) async fn start(scenario: &Scenario, place: &Place<'_>) -> Result<Self> {
        let server = ScriptedApi::start().await;
        let server = server.context("the scripted API did not start")?;
        if let Some(turn) = &scenario.fallback {
            server.fallback(parse(turn, place)?);
        }
        let api = Self(server);
        api.add(&scenario.api, place)?;
        Ok(api)
    }

    /// Adds turns.
    pub(super) fn add(&self, turns: &[Value], place: &Place<'_>) -> Result<()> {
        for turn in turns {
            self.0.turn(parse(turn, place)?);
        }
        Ok(())
    }

    /// The first part of a request from one text to another, both included.
    pub(super) fn find_asked(&self, from: &str, to: &str) -> Option<String> {
        self.0.requests().iter().find_map(|request| {
            let body = request.body.to_string();
            let start = body.find(from)?;
            let end = start + body[start..].find(to)? + to.len();
            Some(body[start..end].to_owned())
        })
    }

    /// How many requests for a message have arrived.
    pub(super) fn asked(&self) -> usize {
        let requests = self.0.requests();
        requests.iter().filter(|r| r.path == "/v1/messages").count()
    }

    /// For the report of a failure.
    pub(super) fn report(&self) -> String {
        let (left, asked) = (self.0.remaining(), self.asked());
        format!("{left} turns left after {asked} requests for a message")
    }
}

/// A turn with the paths and captured values of the run.
fn parse(turn: &Value, place: &Place<'_>) -> Result<Turn> {
    let text = place.text(&turn.to_string());
    serde_json::from_str(&text).with_context(|| format!("not a turn: {text}"))
}
